import { asCount } from '../bench/bench-figures.ts'
import { type Goal, none } from './goals.ts'
import { administratorDeeds, type Deed } from './operation-log.ts'

type Answered = Pick<Deed, 'by' | 'what' | 'state' | 'status'>
type Column = 'done' | 'refused' | 'conflict' | 'failed'
export type DeedCount = Pick<Deed, 'by' | 'what'> & Record<Column, number>

/** Counts operations by person, name and result, sorted. */
export function countDeeds(deeds: readonly Answered[]): DeedCount[] {
  return sumOf(deeds.map((deed) => ({ ...nothing(deed), [columnOf(deed)]: 1 })))
}

/** Adds up the counts of equal operations of one person, sorted. */
export function sumOf(counts: readonly DeedCount[]): DeedCount[] {
  const sums = new Map<string, DeedCount>()
  for (const { by, what, ...count } of counts) {
    const sum = sums.get(`${by} ${what}`) ?? nothing({ by, what })
    for (const column of columns) sum[column] += count[column]
    sums.set(`${by} ${what}`, sum)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/** Goal that no permitted operation is rejected. Excludes guests, because they have rate limits. */
export function refusedGoal(deeds: readonly Answered[]): Goal {
  const refused = deeds.filter((deed) => deed.by !== 'guest' && columnOf(deed) === 'refused')
  const lines = Object.entries(Object.groupBy(refused, ({ by, what, status }) => `${by}: ${what}, answered ${status}`))
  const notes = lines.map(([line, all = []]) => `${line}, ${asCount(all.length)} times`)
  return { ...none('refused to those who may', notes), measured: asCount(refused.length), notes }
}

/** Goal that each operation of an administrator succeeded at least once. */
export function eachDoneGoal(counts: readonly DeedCount[]): Goal {
  const done = new Set(counts.flatMap((count) => (count.by === 'administrator' && count.done > 0 ? count.what : [])))
  const notes = administratorDeeds.filter((name) => !done.has(name))
  return { ...none("administrator's deeds never done", notes), notes }
}

/** Formats the counts as a table. */
export function tableOfDeeds(counts: readonly DeedCount[]) {
  const lines = counts.map((count) => [`${count.by}: ${count.what}`, ...columns.map((name) => asCount(count[name]))])
  const all = [['deed', ...columns], ...lines]
  const widths = ['deed', ...columns].map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  const padded = all.map(([name = '', ...numbers]) =>
    [name.padEnd(widths[0] ?? 0), ...numbers.map((number, index) => number.padStart(widths[index + 1] ?? 0))].join(
      '  ',
    ),
  )
  return padded.join('\n')
}

const columns: readonly Column[] = ['done', 'refused', 'conflict', 'failed']

function nothing({ by, what }: Pick<Deed, 'by' | 'what'>): DeedCount {
  return { by, what, done: 0, refused: 0, conflict: 0, failed: 0 }
}

// A conflict is correct if an earlier operation without a response was executed late. All other 4xx statuses are
// rejections.
function columnOf({ state, status }: Answered): Column {
  if (state === 'kept') return 'done'
  if (state !== 'refused' || status < 400 || status >= 500) return 'failed'
  return status === 409 ? 'conflict' : 'refused'
}
