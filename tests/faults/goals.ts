import { asCount, asMilliseconds } from '../bench/bench-figures.ts'
import type { OperationCount } from './operation-counts.ts'
import type { Engine } from './site-copy.ts'

/**
 * Options of a trial: number of runs (if undefined, the default of the trial), seed, engines, and minutes of a soak
 * test.
 */
export type TrialOptions = {
  runs: number | undefined
  seed: number
  selectedEngines: readonly Engine[]
  minutes: number
}

/** Requirement with its measured value. */
export type Goal = { goal: string; measured: string; missed: boolean; notes?: string[] }

/**
 * Result of a trial on one engine or in one mode. `operations` has the operation counts if the trial includes writes.
 */
export type TrialResult = { label: string; runs: number; goals: Goal[]; operations?: OperationCount[] }

export type Trial = (asked: TrialOptions) => Promise<TrialResult[]>

/** Runs the same trial on each of these engines in sequence. */
export async function runOnEngines(engines: readonly Engine[], runTrial: (engine: Engine) => Promise<TrialResult>) {
  const results: TrialResult[] = []
  for (const engine of engines) results.push(await runTrial(engine))
  return results
}

const MAX_NOTES = 8

/** Returns a goal that is met if there are no findings. Its notes list the first findings. */
export function noneGoal(goal: string, findings: string[]): Goal {
  return {
    goal: `${goal}: none`,
    measured: asCount(findings.length),
    missed: findings.length > 0,
    notes: findings.slice(0, MAX_NOTES),
  }
}

/** Returns a goal that is met if no time exceeds the budget. The times and the budget are in milliseconds. */
export function withinGoal(goal: string, times: number[], budget: number): Goal {
  const max = Math.max(0, ...times)
  return {
    goal: `${goal}: at most ${asMilliseconds(budget)}`,
    measured: times.length === 0 ? 'never measured' : asMilliseconds(max),
    missed: times.length === 0 || max > budget,
  }
}

/**
 * Returns a goal that is met if the count is positive. A trial in which the counted event never occurs proves nothing.
 */
export function someGoal(goal: string, count: number): Goal {
  return { goal: `${goal}: some`, measured: asCount(count), missed: count === 0 }
}

/** Returns a missed goal for a trial that this machine cannot run. */
export function untestedResult(label: string, requirement: string): TrialResult {
  return { label, runs: 0, goals: [{ goal: 'run', measured: `not run: requires ${requirement}`, missed: true }] }
}

/** Formats the goals of a trial as a table: trial, runs, goal, measured value. */
export function formatGoals(name: string, seed: number, results: TrialResult[]) {
  const rows = results.flatMap(({ label, runs, goals }) =>
    goals.map(({ goal, measured, missed, notes = [] }, index) => ({
      cells: [
        index === 0 ? `${label}, ${runs} ${runs === 1 ? 'run' : 'runs'}` : '',
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
