import { asCount, asMilliseconds } from '../bench/bench-figures.ts'
import type { DeedCount } from './trial-counts.ts'
import type { Engine } from './trial-place.ts'

/** What a trial is asked for: how many runs (its own number where undefined), from which seed, on which engines, and for a soak how long. */
export type Asked = { runs: number | undefined; seed: number; on: readonly Engine[]; minutes: number }

/** What must hold, and what was measured. */
export type Goal = { goal: string; measured: string; missed: boolean; notes?: string[] }

/** The result of a trial on one engine or in one way; if people wrote, with the counts of their deeds. */
export type Tried = { of: string; runs: number; goals: Goal[]; deeds?: DeedCount[] }

export type Trial = (asked: Asked) => Promise<Tried[]>

/** Tries the same on each of these engines, one after the other. */
export async function onEach(engines: readonly Engine[], attempt: (engine: Engine) => Promise<Tried>) {
  const tried: Tried[] = []
  for (const engine of engines) tried.push(await attempt(engine))
  return tried
}

const MAX_NOTES = 8

/** Of this there may be none; the first few are told. */
export function none(goal: string, found: string[]): Goal {
  return {
    goal: `${goal}: none`,
    measured: asCount(found.length),
    missed: found.length > 0,
    notes: found.slice(0, MAX_NOTES),
  }
}

/** Of these milliseconds none may be above the budget. */
export function within(goal: string, times: number[], budget: number): Goal {
  const most = Math.max(0, ...times)
  return {
    goal: `${goal}: at most ${asMilliseconds(budget)}`,
    measured: times.length === 0 ? 'never measured' : asMilliseconds(most),
    missed: times.length === 0 || most > budget,
  }
}

/** Of this there must be some: a trial in which nothing happened has shown nothing. */
export function some(goal: string, count: number): Goal {
  return { goal: `${goal}: some`, measured: asCount(count), missed: count === 0 }
}

/** What could not be tried here counts as missed. */
export function notTried(of: string, needs: string): Tried {
  return { of, runs: 0, goals: [{ goal: 'tried', measured: `not tried: needs ${needs}`, missed: true }] }
}

/** The goals of a trial as lines of a table: what, runs, goal, measured. */
export function tableOf(name: string, seed: number, tried: Tried[]) {
  const rows = tried.flatMap(({ of, runs, goals }) =>
    goals.map(({ goal, measured, missed, notes = [] }, index) => ({
      cells: [
        index === 0 ? `${of}, ${runs} ${runs === 1 ? 'run' : 'runs'}` : '',
        goal,
        measured,
        missed ? 'missed' : '',
      ],
      notes,
    })),
  )
  const lines = [[`${name}, seed ${seed}`, 'goal', 'measured', ''], ...rows.map(({ cells }) => cells)]
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const [heading = '', ...texts] = lines.map((line) =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
  const body = texts.flatMap((text, index) => [text, ...(rows[index]?.notes ?? []).map((note) => `    ${note}`)])
  return [heading, '─'.repeat(heading.length), ...body].join('\n')
}
