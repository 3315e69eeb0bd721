import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type Figure = { name: string; shown: string; broken?: boolean }
export type Row = { what: string; figures: Figure[]; notes?: string[] }
type Show = (value: number) => string

/** A figure that has no budget. */
export function figure(name: string, value: number, show: Show): Figure {
  return { name, shown: show(value) }
}

/** A figure that may not be above its budget. */
export function atMost(name: string, value: number, budget: number, show: Show): Figure {
  return value <= budget
    ? { name, shown: `${show(value)} ≤ ${show(budget)}` }
    : { name, shown: `${show(value)} > ${show(budget)}`, broken: true }
}

/** A figure that may not be below its budget. */
export function atLeast(name: string, value: number, budget: number, show: Show): Figure {
  return value >= budget
    ? { name, shown: `${show(value)} ≥ ${show(budget)}` }
    : { name, shown: `${show(value)} < ${show(budget)}`, broken: true }
}

/** The bytes that a process holds in memory or, where Linux runs it, held at `most`; 0 where it has ended. */
export function memoryOf(pid: number | string, most = false) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number((most ? /^VmHWM:\s+(\d+)/m : /^VmRSS:\s+(\d+)/m).exec(status)?.[1] ?? 0) * 1024
  } catch {
    return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1024
  }
}

/** The value that so large a share of the sorted values does not exceed. */
export function percentile(sorted: number[], share: number) {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

/** The value in the middle. */
export function median(values: number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const grouped = (value: number, digits: number) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

export const asCount: Show = (value) => grouped(value, 0)
export const asMilliseconds: Show = (value) => `${grouped(value, value < 100 ? 1 : 0)} ms`
export const asSeconds: Show = (value) => `${grouped(value / 1000, 2)} s`
export const asPercent: Show = (value) => `${grouped(value * 100, 1)}%`
export const asKilobytes: Show = (value) => `${grouped(value / 1000, 1)} KB`
export const asMegabytes: Show = (value) => `${grouped(value / 1_000_000, 0)} MB`
