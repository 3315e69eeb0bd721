import { asCount, asMilliseconds } from '../bench/bench-figures.ts'
import type { DeedCount } from './operation-counts.ts'
import type { Engine } from './site-copy.ts'

/**
 * Options of a trial: number of runs (if undefined, the trial's default), seed, engines, and duration of a soak test.
 */
export type Asked = { runs: number | undefined; seed: number; on: readonly Engine[]; minutes: number }

/** Requirement with its measured value. */
export type Goal = { goal: string; measured: string; missed: boolean; notes?: string[] }

/** Result of a trial on one engine or in one mode. `deeds` has the operation counts if people wrote. */
export type Tried = { of: string; runs: number; goals: Goal[]; deeds?: DeedCount[] }

export type Trial = (asked: Asked) => Promise<Tried[]>

/** Runs the same trial on each of these engines in sequence. */
export async function onEach(engines: readonly Engine[], attempt: (engine: Engine) => Promise<Tried>) {
  const tried: Tried[] = []
  for (const engine of engines) tried.push(await attempt(engine))
  return tried
}

const MAX_NOTES = 8

/** Goal that is met if nothing was found. Its notes list the first findings. */
export function none(goal: string, found: string[]): Goal {
  return {
    goal: `${goal}: none`,
    measured: asCount(found.length),
    missed: found.length > 0,
    notes: found.slice(0, MAX_NOTES),
  }
}

/** Goal that is met if none of the times exceeds the budget, both in milliseconds. */
export function within(goal: string, times: number[], budget: number): Goal {
  const most = Math.max(0, ...times)
  return {
    goal: `${goal}: at most ${asMilliseconds(budget)}`,
    measured: times.length === 0 ? 'never measured' : asMilliseconds(most),
    missed: times.length === 0 || most > budget,
  }
}

/** Goal that is met if the count is positive, because a trial without events proves nothing. */
export function some(goal: string, count: number): Goal {
  return { goal: `${goal}: some`, measured: asCount(count), missed: count === 0 }
}

/** Returns a missed goal for a trial that this machine cannot run. */
export function notTried(of: string, needs: string): Tried {
  return { of, runs: 0, goals: [{ goal: 'tried', measured: `not tried: needs ${needs}`, missed: true }] }
}

/** Formats the goals of a trial as a table: trial, runs, goal, measured value. */
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
