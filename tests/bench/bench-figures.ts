import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type Figure = { name: string; shown: string; isExceeded?: boolean }
export type Row = { label: string; figures: Figure[]; notes?: string[] }
type Show = (value: number) => string

/** Returns a figure without a budget. */
export function figure(name: string, value: number, show: Show): Figure {
  return { name, shown: show(value) }
}

/** Returns a figure that exceeds its budget if the value is greater. */
export function figureAtMost(name: string, value: number, budget: number, show: Show): Figure {
  return value <= budget
    ? { name, shown: `${show(value)} ≤ ${show(budget)}` }
    : { name, shown: `${show(value)} > ${show(budget)}`, isExceeded: true }
}

/** Returns a figure that misses its budget if the value is smaller. */
export function figureAtLeast(name: string, value: number, budget: number, show: Show): Figure {
  return value >= budget
    ? { name, shown: `${show(value)} ≥ ${show(budget)}` }
    : { name, shown: `${show(value)} < ${show(budget)}`, isExceeded: true }
}

/**
 * Returns the resident memory of a process in bytes. With `isPeak`, returns the maximum (only on Linux). Returns 0 if
 * the process has ended.
 */
export function readMemory(pid: number | string, isPeak = false) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number((isPeak ? /^VmHWM:\s+(\d+)/m : /^VmRSS:\s+(\d+)/m).exec(status)?.[1] ?? 0) * 1024
  } catch {
    return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1024
  }
}

/** Returns the percentile of sorted values at a share from 0 to 1. */
export function percentile(sorted: number[], share: number) {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

/** Returns the median, or NaN if there are no values. */
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
