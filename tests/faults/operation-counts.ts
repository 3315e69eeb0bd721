import { asCount } from '../bench/bench-figures.ts'
import { type Goal, noneGoal } from './goals.ts'
import { administratorOperations, type LoggedOperation } from './operation-log.ts'

type OperationResult = Pick<LoggedOperation, 'by' | 'what' | 'state' | 'status'>
type Column = 'done' | 'refused' | 'conflict' | 'failed'
export type OperationCount = Pick<LoggedOperation, 'by' | 'what'> & Record<Column, number>

/** Counts operations by person, name and result, sorted. */
export function countOperations(operations: readonly OperationResult[]): OperationCount[] {
  return addUpCounts(operations.map((operation) => ({ ...zeroCounts(operation), [columnOf(operation)]: 1 })))
}

/** Adds up the counts of each operation of a person. Returns the sums, sorted. */
export function addUpCounts(counts: readonly OperationCount[]): OperationCount[] {
  const sums = new Map<string, OperationCount>()
  for (const { by, what, ...count } of counts) {
    const sum = sums.get(`${by} ${what}`) ?? zeroCounts({ by, what })
    for (const column of columns) sum[column] += count[column]
    sums.set(`${by} ${what}`, sum)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/**
 * Returns a goal that is met if no permitted operation was rejected. Excludes guests, because they have rate limits.
 */
export function refusedGoal(operations: readonly OperationResult[]): Goal {
  const refused = operations.filter((operation) => operation.by !== 'guest' && columnOf(operation) === 'refused')
  const lines = Object.entries(Object.groupBy(refused, ({ by, what, status }) => `${by}: ${what}, status ${status}`))
  const notes = lines.map(([line, all = []]) => `${line}, ${asCount(all.length)} times`)
  return { ...noneGoal('permitted operations rejected', notes), measured: asCount(refused.length), notes }
}

/** Returns a goal that is met if each operation of an administrator succeeded at least once. */
export function eachDoneGoal(counts: readonly OperationCount[]): Goal {
  const done = new Set(counts.flatMap((count) => (count.by === 'administrator' && count.done > 0 ? count.what : [])))
  const notes = administratorOperations.filter((name) => !done.has(name))
  return { ...noneGoal("administrator's operations never completed", notes), notes }
}

/** Formats the operation counts as a table. */
export function formatOperationCounts(counts: readonly OperationCount[]) {
  const lines = counts.map((count) => [`${count.by}: ${count.what}`, ...columns.map((name) => asCount(count[name]))])
  const all = [['operation', ...columns], ...lines]
  const widths = ['operation', ...columns].map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  const padded = all.map(([name = '', ...numbers]) =>
    [name.padEnd(widths[0] ?? 0), ...numbers.map((number, index) => number.padStart(widths[index + 1] ?? 0))].join(
      '  ',
    ),
  )
  return padded.join('\n')
}

const columns: readonly Column[] = ['done', 'refused', 'conflict', 'failed']

function zeroCounts({ by, what }: Pick<LoggedOperation, 'by' | 'what'>): OperationCount {
  return { by, what, done: 0, refused: 0, conflict: 0, failed: 0 }
}

// A conflict is correct if an earlier operation received no response but was executed late. All other 4xx statuses are
// rejections.
function columnOf({ state, status }: OperationResult): Column {
  if (state === 'confirmed') return 'done'
  if (state !== 'refused' || status < 400 || status >= 500) return 'failed'
  return status === 409 ? 'conflict' : 'refused'
}
