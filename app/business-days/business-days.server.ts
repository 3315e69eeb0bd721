import type { Kysely } from 'kysely'
import type { SpecialDayRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readHolidays } from '../days/holidays.server.ts'
import { addDays, type Day } from '../days/month.ts'
import { recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import {
  type BusinessRules,
  type DayState,
  dayState,
  isClosure,
  noHours,
  rowOf,
  runsOf,
  type Slot,
  type SpecialDay,
} from './business-day.ts'
import {
  changesOf,
  firstWeekVersion,
  nextVersions,
  parsed,
  specialRows,
  weekRow,
  writeSpecialDay,
  writeWeek,
} from './hours-rows.server.ts'
import { Hours, Schedule } from './schedule.ts'

/** The saved week; null where none was saved, or where what is stored cannot be read. */
export async function readSchedule(db: Kysely<Tables>): Promise<Schedule | null> {
  const row = await db.selectFrom('businessWeek').select('schedule').where('id', '=', 'week').executeTakeFirst()
  return row ? parsed(Schedule, row.schedule) : null
}

/**
 * The special days from `first` to `last`, both included. One whose hours cannot be read is left out, unless it is a
 * closure: that says all without them.
 */
export async function readSpecialDays(db: Kysely<Tables>, first: Day, last: Day): Promise<SpecialDay[]> {
  const rows = await db
    .selectFrom('specialDays')
    .select(['day', 'reason', 'hours'])
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .execute()
  return rows.flatMap(({ day, reason, hours }) => {
    const read = parsed(Hours, hours) ?? (isClosure(reason) ? noHours : null)
    return read ? [{ day, reason, hours: read }] : []
  })
}

/** The states of `count` consecutive days, the first of them `first`. */
export async function readDays(db: Kysely<Tables>, first: Day, count: number): Promise<DayState[]> {
  const last = addDays(first, count - 1)
  const rules = rulesFrom(
    await readSchedule(db),
    await readSpecialDays(db, first, last),
    // One day more: the last may be the eve of a holiday.
    await readHolidays(db, first, addDays(last, 1)),
  )
  return Array.from({ length: count }, (_, index) => dayState(addDays(first, index), rules))
}

/** What the week says of each of these days (in their order), whatever special days say; nothing where there is no week. */
export async function readUsualRows(db: Kysely<Tables>, days: Day[]) {
  const schedule = await readSchedule(db)
  const [first, last] = [days[0], days.at(-1)]
  if (!schedule || !first || !last) return []
  const holiday = await readHolidays(db, first, addDays(last, 1))
  return days.map((day) => rowOf(day, schedule, holiday).row)
}

/** Days in a row of which the same is so; without slots they are closed. */
export type UnusualDays = { first: Day; last: Day; slots: Slot[] }

const ROWS_TOLD_AHEAD = 60

/**
 * From `today` on, the days on which the shop opens otherwise than its weekdays say: special days as far ahead as they
 * are set, holidays and the days before them for 60 days. Of one that is open without hours nothing is known.
 */
export async function readUnusualDays(
  db: Kysely<Tables>,
  today: Day,
  schedule: Schedule | null,
): Promise<UnusualDays[]> {
  const soon = Array.from({ length: ROWS_TOLD_AHEAD + 1 }, (_, index) => addDays(today, index))
  const specialDays = await readSpecialDays(db, today, '2100-12-31')
  const holiday = await readHolidays(db, today, addDays(today, ROWS_TOLD_AHEAD + 1))
  const rules = rulesFrom(schedule, specialDays, holiday)
  const days = new Set([...soon, ...specialDays.map(({ day }) => day)])
  const states = [...days].map((day) => dayState(day, rules))
  return runsOf(states, ({ state, slots, source }) =>
    source === 'weekday' || state === 'unknown' || (state === 'open' && slots.length === 0) ? null : slots,
  ).map(({ first, last, what: slots }) => ({ first, last, slots }))
}

function rulesFrom(schedule: Schedule | null, specialDays: SpecialDay[], holiday: BusinessRules['holiday']) {
  const special = new Map(specialDays.map((each) => [each.day, each]))
  return { schedule, specialDay: (day: Day) => special.get(day) ?? null, holiday }
}

/** The week for its form: `schedule` is null where none was saved (version 0), or where what is stored cannot be read. */
export async function readWeek(db: Kysely<Tables>) {
  const row = await weekRow(db)
  const { version = 0, createdAt = null, updatedAt = null } = row ?? {}
  return { version, schedule: row ? parsed(Schedule, row.schedule) : null, createdAt, updatedAt }
}

/** The special days from `first` on for their form; `hours` is null where they cannot be read. */
export async function listSpecialDays(db: Kysely<Tables>, first: Day) {
  const rows = await db.selectFrom('specialDays').selectAll().where('day', '>=', first).orderBy('day').execute()
  return rows.map(listed)
}

/** A special day for its form, else null. */
export async function readSpecialDay(db: Kysely<Tables>, day: Day) {
  const [row] = await specialRows(db, [day])
  return row ? listed(row) : null
}

export type ListedSpecialDay = Omit<SpecialDayRow, 'hours'> & { hours: Hours | null }

function listed({ hours, ...row }: SpecialDayRow): ListedSpecialDay {
  return { ...row, hours: parsed(Hours, hours) }
}

/**
 * Saves the week that was version `version` when its editor saw it (0: none). `newer`: somebody was faster;
 * `unreadable`: what is stored would be lost, and `overwriting` was not said. Nothing is changed then.
 */
export async function saveWeek(
  db: Kysely<Tables>,
  schedule: Schedule,
  { version, overwriting = false }: { version: number; overwriting?: boolean },
  author: Author,
) {
  return inTransaction(db, async (trx) => {
    const before = (await weekRow(trx)) ?? null
    const week = {
      id: 'week' as const,
      version: before ? before.version + 1 : await firstWeekVersion(trx),
      schedule: JSON.stringify(schedule),
      createdAt: before?.createdAt ?? author.at,
      updatedAt: author.at,
    }
    if (before && before.version === version && !overwriting && !parsed(Schedule, before.schedule))
      return { outcome: 'unreadable' as const }
    if (version !== (before?.version ?? 0) || !(await writeWeek(trx, before, week)))
      return { outcome: 'newer' as const, week: await readWeek(trx) }
    const action = before ? 'save' : 'add'
    const change = { subject: 'businessWeek', subjectId: 'week', action, before, after: week }
    return { outcome: 'saved' as const, revision: await recordRevision(trx, change, author) }
  })
}

/** Makes the site one without a saved week again; null where it was changed or removed since. Gives the revision. */
export async function removeWeek(db: Kysely<Tables>, { version }: { version: number }, author: Author) {
  return inTransaction(db, async (trx) => {
    const before = await weekRow(trx)
    if (before?.version !== version || !(await writeWeek(trx, before, null))) return null
    const change = { subject: 'businessWeek', subjectId: 'week', action: 'remove', before, after: null }
    return recordRevision(trx, change, author)
  })
}

/**
 * Saves the same for each of `days`. `replacing` has the versions of the special days that its editor agreed to lose;
 * where there are others, nothing is changed, and all that stand in the way are given.
 */
export async function saveSpecialDays(
  db: Kysely<Tables>,
  { days, reason, hours }: { days: Day[]; reason: string; hours: Hours },
  replacing: ReadonlyMap<Day, number>,
  author: Author,
) {
  return inTransaction(db, async (trx) => {
    const existing = new Map((await specialRows(trx, days)).map((row) => [row.day, row]))
    const inTheWay = [...existing.values()]
    if (inTheWay.some((row) => replacing.get(row.day) !== row.version))
      return { outcome: 'existing' as const, existing: inTheWay.map(listed) }
    const versions = await nextVersions(trx, days)
    let revision = ''
    for (const day of days) {
      const before = existing.get(day) ?? null
      const after = {
        day,
        version: versions.get(day) ?? 1,
        reason,
        hours: JSON.stringify(hours),
        createdAt: before?.createdAt ?? author.at,
        updatedAt: author.at,
      }
      if (!(await writeSpecialDay(trx, before, after))) {
        // Somebody wrote this day since it was read above: what was begun here is undone with the transaction.
        throw new NewerSpecialDay()
      }
      const change = { subject: 'specialDay', subjectId: day, action: before ? 'save' : 'add', before, after }
      revision = await recordRevision(trx, change, author)
    }
    return { outcome: 'saved' as const, revision }
  }).catch(async (error) => {
    if (!(error instanceof NewerSpecialDay)) throw error
    return { outcome: 'existing' as const, existing: (await specialRows(db, days)).map(listed) }
  })
}

class NewerSpecialDay extends Error {}

/** Makes a day an ordinary one again; null where its special day was changed or removed since. Gives the revision. */
export async function removeSpecialDay(db: Kysely<Tables>, seen: { day: Day; version: number }, author: Author) {
  return inTransaction(db, async (trx) => {
    const [before] = await specialRows(trx, [seen.day])
    if (before?.version !== seen.version || !(await writeSpecialDay(trx, before, null))) return null
    const change = { subject: 'specialDay', subjectId: seen.day, action: 'remove', before, after: null }
    return recordRevision(trx, change, author)
  })
}

/** How often each day's hours have been changed, by the week or by a special day, and when last: for those who keep copies. */
export async function readChanges(db: Kysely<Tables>, days: Day[]) {
  const ofDay = await changesOf(db, days)
  const all = await db
    .selectFrom('revisions')
    .select([
      (eb) => eb.fn.countAll<number>().filterWhere('subject', '=', 'businessWeek').as('ofWeek'),
      (eb) => eb.fn.max('at').as('last'),
    ])
    .where('subject', 'in', ['businessWeek', 'specialDay'])
    .executeTakeFirst()
  return {
    count: (day: Day) => (all?.ofWeek ?? 0) + (ofDay.get(day) ?? 0),
    last: (all?.last as string | null | undefined) ?? null,
  }
}
