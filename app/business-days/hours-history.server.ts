import type { Kysely, Transaction } from 'kysely'
import type { BusinessWeekRow, SpecialDayRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Day } from '../days/month.ts'
import type { Change } from '../records/revision.ts'
import { readRevision, readSave, recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { isClosure, rowInWords, scheduleRows, slotInWords, slotsOf } from './business-day.ts'
import {
  firstWeekVersion,
  nextVersions,
  parsed,
  specialRows,
  weekRow,
  writeSpecialDay,
  writeWeek,
} from './hours-rows.server.ts'
import { Hours, Schedule } from './schedule.ts'

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

/**
 * `version` is the one that there is now. `newer`: somebody was faster, and nothing was changed; `missing`: there is
 * nothing of that kind to put back.
 */
export type HoursOutcome = { outcome: 'saved'; version: number } | { outcome: 'newer' } | { outcome: 'missing' }

/** Makes the week, or one special day, again what it was right after a revision of it, also where it was removed since. */
export async function putBackHours(db: Kysely<Tables>, revisionId: string, author: Author): Promise<HoursOutcome> {
  return inTransaction(db, async (trx) => {
    const week = (await readRevision(trx, 'businessWeek', revisionId))?.after as BusinessWeekRow | null | undefined
    const special = (await readRevision(trx, 'specialDay', revisionId))?.after as SpecialDayRow | null | undefined
    if (!week && !special) return { outcome: 'missing' }
    const version = week
      ? await putBackWeek(trx, week, author)
      : special && (await putBackSpecialDay(trx, special, author))
    return version ? { outcome: 'saved', version } : { outcome: 'newer' }
  })
}

async function putBackWeek(trx: Transaction<Tables>, then: BusinessWeekRow, author: Author) {
  const before = (await weekRow(trx)) ?? null
  const version = before ? before.version + 1 : await firstWeekVersion(trx)
  const after = { ...then, version, updatedAt: author.at }
  if (!(await writeWeek(trx, before, after))) return null
  await recordRevision(trx, { subject: 'businessWeek', subjectId: 'week', action: 'put back', before, after }, author)
  return version
}

async function putBackSpecialDay(trx: Transaction<Tables>, then: SpecialDayRow, author: Author) {
  const { day } = then
  const before = (await specialRows(trx, [day]))[0] ?? null
  const version = (await nextVersions(trx, [day])).get(day) ?? 1
  const after = { ...then, version, updatedAt: author.at }
  if (!(await writeSpecialDay(trx, before, after))) return null
  await recordRevision(trx, { subject: 'specialDay', subjectId: day, action: 'put back', before, after }, author)
  return version
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
    if (!removal?.before || (await specialRows(trx, [day])).length > 0) return { outcome: 'missing' }
    const version = await putBackSpecialDay(trx, JSON.parse(removal.before), author)
    return version ? { outcome: 'saved', version } : { outcome: 'newer' }
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
  if (!(await writeWeek(trx, now, restored))) return null
  const change = { subject: 'businessWeek', subjectId: 'week', action: 'take back', before: now, after: restored }
  return recordRevision(trx, change, author)
}
