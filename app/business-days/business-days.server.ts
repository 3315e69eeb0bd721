import type { Kysely, Transaction } from 'kysely'
import type { BusinessWeekRow, SpecialDayRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readHolidays } from '../calendar/holidays.server.ts'
import { addDays, type Day } from '../calendar/month.ts'
import type { Author, Change } from '../history/revision.ts'
import { readRevision, readSave, recordRevision } from '../history/revisions.server.ts'
import {
  type DayState,
  dayState,
  isClosure,
  rowInWords,
  type SpecialDay,
  scheduleRows,
  slotInWords,
  slotsOf,
} from './business-day.ts'
import { Hours, Schedule } from './schedule.ts'

/** The saved week; null where none was saved, or where what is stored cannot be read. */
export async function readSchedule(db: Kysely<Tables>): Promise<Schedule | null> {
  const row = await db.selectFrom('businessWeek').select('schedule').where('id', '=', 'week').executeTakeFirst()
  return row ? parsed(Schedule, row.schedule) : null
}

/** The special days from `first` to `last`, both included; an unreadable one is left out. */
export async function readSpecialDays(db: Kysely<Tables>, first: Day, last: Day): Promise<SpecialDay[]> {
  const rows = await db
    .selectFrom('specialDays')
    .select(['day', 'reason', 'hours'])
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .execute()
  return rows.flatMap(({ day, reason, hours }) => {
    const read = parsed(Hours, hours)
    return read ? [{ day, reason, hours: read }] : []
  })
}

function parsed<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  json: string,
) {
  try {
    const read = schema.safeParse(JSON.parse(json))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

/** The states of `count` consecutive days, the first of them `first`. */
export async function readDays(db: Kysely<Tables>, first: Day, count: number): Promise<DayState[]> {
  const days = Array.from({ length: count }, (_, index) => addDays(first, index))
  const last = addDays(first, count - 1)
  const schedule = await readSchedule(db)
  const specialDays = new Map((await readSpecialDays(db, first, last)).map((each) => [each.day, each]))
  // One day more: the last may be the eve of a holiday.
  const holiday = await readHolidays(db, first, addDays(last, 1))
  const rules = { schedule, specialDay: (day: Day) => specialDays.get(day) ?? null, holiday }
  return days.map((day) => dayState(day, rules))
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
      version: before ? version + 1 : await firstWeekVersion(trx),
      schedule: JSON.stringify(schedule),
      createdAt: before?.createdAt ?? author.at,
      updatedAt: author.at,
    }
    if (before && before.version === version && !overwriting && !parsed(Schedule, before.schedule))
      return { outcome: 'unreadable' as const }
    const saved = before
      ? await trx
          .updateTable('businessWeek')
          .set(week)
          .where('version', '=', version)
          .returning('id')
          .executeTakeFirst()
      : version === 0 &&
        (await trx
          .insertInto('businessWeek')
          .values(week)
          .onConflict((already) => already.column('id').doNothing())
          .returning('id')
          .executeTakeFirst())
    if (!saved) return { outcome: 'newer' as const, week: await readWeek(trx) }
    const action = before ? 'save' : 'add'
    const change = { subject: 'businessWeek', subjectId: 'week', action, before, after: week }
    return { outcome: 'saved' as const, revision: await recordRevision(trx, change, author) }
  })
}

/** Makes the site one without a saved week again; null where it was changed or removed since. Gives the revision. */
export async function removeWeek(db: Kysely<Tables>, { version }: { version: number }, author: Author) {
  return inTransaction(db, async (trx) => {
    const before = await weekRow(trx)
    const removed = await trx
      .deleteFrom('businessWeek')
      .where('version', '=', version)
      .returning('id')
      .executeTakeFirst()
    if (!before || !removed) return null
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

/** Takes a save of the week or of special days back, whole; null where one of them was changed since. Gives the new revision. */
export async function takeBackHours(db: Kysely<Tables>, revisionId: string, author: Author) {
  return inTransaction(db, async (trx) => {
    const week = await readSave(trx, 'businessWeek', revisionId)
    if (week.length > 0) return takeBackWeek(trx, week, author)
    const changes = await readSave(trx, 'specialDay', revisionId)
    const days = changes.map(({ subjectId }) => subjectId)
    const existing = new Map((await specialRows(trx, days)).map((row) => [row.day, row]))
    const versions = await nextVersions(trx, days)
    let revision: string | null = null
    for (const { subjectId: day, before, after } of changes) {
      const now = existing.get(day) ?? null
      if (now?.version !== (after as SpecialDayRow | null)?.version) throw new ChangedSince()
      const version = versions.get(day) ?? 1
      const restored = before && { ...(before as SpecialDayRow), version, updatedAt: author.at }
      if (!(await writeSpecialDay(trx, now, restored))) throw new ChangedSince()
      const change = { subject: 'specialDay', subjectId: day, action: 'take back', before: now, after: restored }
      revision = await recordRevision(trx, change, author)
    }
    return revision
  }).catch((error) => {
    if (error instanceof ChangedSince) return null
    throw error
  })
}

class ChangedSince extends Error {}

export type HoursOutcome = { outcome: 'saved'; revision: string } | { outcome: 'newer' } | { outcome: 'missing' }

/** Makes the week, or one special day, again what it was right after a revision of it, also where it was removed since. */
export async function putBackHours(db: Kysely<Tables>, revisionId: string, author: Author): Promise<HoursOutcome> {
  return inTransaction(db, async (trx) => {
    const week = (await readRevision(trx, 'businessWeek', revisionId))?.after as BusinessWeekRow | null | undefined
    const special = (await readRevision(trx, 'specialDay', revisionId))?.after as SpecialDayRow | null | undefined
    const revision = week
      ? await putBackWeek(trx, week, author)
      : special && (await putBackSpecialDay(trx, special, author))
    if (revision === undefined || revision === null) return { outcome: week || special ? 'newer' : 'missing' }
    return { outcome: 'saved', revision }
  })
}

async function putBackWeek(trx: Transaction<Tables>, then: BusinessWeekRow, author: Author) {
  const now = await weekRow(trx)
  const version = now ? now.version + 1 : await firstWeekVersion(trx)
  const restored = { ...then, version, updatedAt: author.at }
  const written = now
    ? await trx
        .updateTable('businessWeek')
        .set(restored)
        .where('version', '=', now.version)
        .returning('id')
        .executeTakeFirst()
    : await trx
        .insertInto('businessWeek')
        .values(restored)
        .onConflict((already) => already.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
  if (!written) return null
  const change = {
    subject: 'businessWeek',
    subjectId: 'week',
    action: 'put back',
    before: now ?? null,
    after: restored,
  }
  return recordRevision(trx, change, author)
}

async function putBackSpecialDay(trx: Transaction<Tables>, then: SpecialDayRow, author: Author) {
  const { day } = then
  const before = (await specialRows(trx, [day]))[0] ?? null
  const version = (await nextVersions(trx, [day])).get(day) ?? 1
  const after = { ...then, version, updatedAt: author.at }
  if (!(await writeSpecialDay(trx, before, after))) return null
  return recordRevision(trx, { subject: 'specialDay', subjectId: day, action: 'put back', before, after }, author)
}

/** The special days that were removed since an instant (ISO 8601 in UTC) and not set again, the last one first. */
export async function listRemovedSpecialDays(db: Kysely<Tables>, since: string) {
  const removals = await db
    .selectFrom('revisions')
    .select(['subjectId', 'before', 'accountId', 'at'])
    .where('subject', '=', 'specialDay')
    .where('after', 'is', null)
    .where('before', 'is not', null)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .execute()
  const set = new Set(
    (await specialRows(db, [...new Set(removals.map(({ subjectId }) => subjectId))])).map(({ day }) => day),
  )
  const last = new Map(removals.toReversed().map((removal) => [removal.subjectId, removal]))
  return [...last.values()]
    .filter(({ subjectId }) => !set.has(subjectId))
    .map(({ subjectId: day, before, accountId, at }) => {
      const { reason } = JSON.parse(before ?? '{}') as SpecialDayRow
      return { day, reason, accountId, deletedAt: at }
    })
    .sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
}

/** Sets a special day again that was removed, as it was last; `missing` where it was never removed, or is set again. */
export async function restoreSpecialDay(db: Kysely<Tables>, day: Day, author: Author): Promise<HoursOutcome> {
  return inTransaction(db, async (trx) => {
    const removal = await trx
      .selectFrom('revisions')
      .select('before')
      .where('subject', '=', 'specialDay')
      .where('subjectId', '=', day)
      .where('after', 'is', null)
      .where('before', 'is not', null)
      .orderBy('at', 'desc')
      .executeTakeFirst()
    if (!removal?.before || (await readSpecialDay(trx, day))) return { outcome: 'missing' }
    const revision = await putBackSpecialDay(trx, JSON.parse(removal.before), author)
    return revision ? { outcome: 'saved', revision } : { outcome: 'newer' }
  })
}

/** The week as the history tells it, by day. */
export function weekInWords({ schedule }: Pick<BusinessWeekRow, 'schedule'>): Record<string, string> {
  const read = parsed(Schedule, schedule)
  return read
    ? Object.fromEntries(scheduleRows.map((name) => [name, rowInWords(read[name])]))
    : { スケジュール: '読めないデータ' }
}

/** A special day as the history tells it. */
export function specialDayInWords({ reason, hours }: Pick<SpecialDayRow, 'reason' | 'hours'>): Record<string, string> {
  const read = parsed(Hours, hours)
  if (!read) return { 時間: '読めないデータ' }
  return { 理由: reason, 時間: isClosure(reason) ? '' : slotsOf(read).map(slotInWords).join(' ／ ') || '時間なし' }
}

async function takeBackWeek(trx: Transaction<Tables>, changes: Change[], author: Author) {
  const now = await weekRow(trx)
  // Several saves at one instant are taken back as one: to before the first.
  const versionOf = (row: object | null) => (row as BusinessWeekRow | null)?.version ?? 0
  const [first] = changes.toSorted((a, b) => versionOf(a.after) - versionOf(b.after))
  if (!first || !now || now.version !== Math.max(...changes.map(({ after }) => versionOf(after)))) return null
  const restored = first.before && {
    ...(first.before as BusinessWeekRow),
    version: now.version + 1,
    updatedAt: author.at,
  }
  const week = trx.updateTable('businessWeek').where('version', '=', now.version)
  const done = restored
    ? await week.set(restored).returning('id').executeTakeFirst()
    : await trx.deleteFrom('businessWeek').where('version', '=', now.version).returning('id').executeTakeFirst()
  if (!done) return null
  const change = { subject: 'businessWeek', subjectId: 'week', action: 'take back', before: now, after: restored }
  return recordRevision(trx, change, author)
}

// 1, but for a week that was there before and removed: a form opened then is outdated.
async function firstWeekVersion(trx: Transaction<Tables>) {
  const { count } = await trx
    .selectFrom('revisions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('subject', '=', 'businessWeek')
    .executeTakeFirstOrThrow()
  return count + 1
}

function weekRow(db: Kysely<Tables>) {
  return db.selectFrom('businessWeek').selectAll().where('id', '=', 'week').executeTakeFirst()
}

function specialRows(db: Kysely<Tables>, days: Day[]) {
  return db
    .selectFrom('specialDays')
    .selectAll()
    .where('day', 'in', ['', ...days])
    .orderBy('day')
    .execute()
}

// False where the row is no longer the one that was read.
async function writeSpecialDay(trx: Transaction<Tables>, before: SpecialDayRow | null, after: SpecialDayRow | null) {
  const written = !before
    ? !after ||
      (await trx
        .insertInto('specialDays')
        .values(after)
        .onConflict((already) => already.column('day').doNothing())
        .returning('day')
        .executeTakeFirst())
    : after
      ? await trx
          .updateTable('specialDays')
          .set(after)
          .where('day', '=', before.day)
          .where('version', '=', before.version)
          .returning('day')
          .executeTakeFirst()
      : await trx
          .deleteFrom('specialDays')
          .where('day', '=', before.day)
          .where('version', '=', before.version)
          .returning('day')
          .executeTakeFirst()
  return Boolean(written)
}

// A day's version goes on where it was left, also after the special day was removed: a form opened before is outdated.
async function nextVersions(trx: Transaction<Tables>, days: Day[]) {
  const changes = await changesOf(trx, days)
  return new Map(days.map((day) => [day, (changes.get(day) ?? 0) + 1]))
}

async function changesOf(db: Kysely<Tables>, days: Day[]) {
  const counts = await db
    .selectFrom('revisions')
    .select(['subjectId', (eb) => eb.fn.countAll<number>().as('count')])
    .where('subject', '=', 'specialDay')
    .where('subjectId', 'in', ['', ...days])
    .groupBy('subjectId')
    .execute()
  return new Map(counts.map(({ subjectId, count }) => [subjectId, count]))
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
