import type { Kysely, Transaction } from 'kysely'
import type { BusinessWeekRow, SpecialDayRow, Tables } from '../../db/tables.ts'
import type { Day } from '../days/month.ts'

/** What a column of JSON keeps; null where it cannot be read. */
export function parsed<T>(
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

/** The version of a week that is stored anew: 1, but after one that was removed, so that a form opened then is outdated. */
export async function firstWeekVersion(trx: Transaction<Tables>) {
  const { count } = await trx
    .selectFrom('revisions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('subject', '=', 'businessWeek')
    .executeTakeFirstOrThrow()
  return count + 1
}

/** The week as it is stored. */
export function weekRow(db: Kysely<Tables>) {
  return db.selectFrom('businessWeek').selectAll().where('id', '=', 'week').executeTakeFirst()
}

/** The special days among these, as they are stored. */
export function specialRows(db: Kysely<Tables>, days: Day[]) {
  return db
    .selectFrom('specialDays')
    .selectAll()
    .where('day', 'in', ['', ...days])
    .orderBy('day')
    .execute()
}

/** Stores, changes or removes the week; false where the row is no longer the one that was read. */
export async function writeWeek(
  trx: Transaction<Tables>,
  before: BusinessWeekRow | null,
  after: BusinessWeekRow | null,
) {
  const { version = 0 } = before ?? {}
  const written = !before
    ? !after ||
      (await trx
        .insertInto('businessWeek')
        .values(after)
        .onConflict((already) => already.column('id').doNothing())
        .returning('id')
        .executeTakeFirst())
    : after
      ? await trx
          .updateTable('businessWeek')
          .set(after)
          .where('version', '=', version)
          .returning('id')
          .executeTakeFirst()
      : await trx.deleteFrom('businessWeek').where('version', '=', version).returning('id').executeTakeFirst()
  return Boolean(written)
}

/** Stores, changes or removes a special day; false where the row is no longer the one that was read. */
export async function writeSpecialDay(
  trx: Transaction<Tables>,
  before: SpecialDayRow | null,
  after: SpecialDayRow | null,
) {
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

/** A day's version goes on where it was left, also after the special day was removed: a form opened before is outdated. */
export async function nextVersions(trx: Transaction<Tables>, days: Day[]) {
  const changes = await changesOf(trx, days)
  return new Map(days.map((day) => [day, (changes.get(day) ?? 0) + 1]))
}

/** How often each of these days was changed as a special day. */
export async function changesOf(db: Kysely<Tables>, days: Day[]) {
  const counts = await db
    .selectFrom('revisions')
    .select(['subjectId', (eb) => eb.fn.countAll<number>().as('count')])
    .where('subject', '=', 'specialDay')
    .where('subjectId', 'in', ['', ...days])
    .groupBy('subjectId')
    .execute()
  return new Map(counts.map(({ subjectId, count }) => [subjectId, count]))
}
