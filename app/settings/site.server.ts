import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdPicture } from '../media/images.server.ts'
import { saveFacts } from '../records/facts.server.ts'
import { newSave, type SeenVersion } from '../records/record.ts'
import { add, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { circleOf, selectCircle } from './circle.server.ts'
import type { SiteFacts } from './site.ts'
import { factsOf, parts, siteColumns, siteRecord, whole } from './site-record.server.ts'

/**
 * Returns the shop's facts, the defaults if none were saved. Without a circle only the staff edits dishes and calendar, and
 * nobody can write to the circle.
 */
export async function readSite(db: Kysely<Tables>): Promise<SiteFacts> {
  const stored = await db
    .selectNoFrom((eb) => [
      eb.selectFrom('site').select('facts').where('id', '=', 'site').as('facts'),
      selectCircle(eb).as('circle'),
    ])
    .executeTakeFirstOrThrow()
  const facts = factsOf(stored.facts === null ? null : { facts: stored.facts })
  const circle = circleOf(stored.circle)
  if (circle.shown) return facts
  const named = facts.recipientNames
  const recipientNames = named.circle === circle.title ? { ...named, circle: '' } : named
  return { ...facts, dishesAndCalendarByStaffOnly: true, recipientNames }
}

/** The facts and their version, 0 where none were saved. */
export async function readSiteToEdit(db: Kysely<Tables>) {
  const row = await db.selectFrom('site').selectAll().where('id', '=', 'site').executeTakeFirst()
  return { version: row?.version ?? 0, facts: factsOf(row) }
}

/** Saves the first facts of a new site; null where there are some already, and nothing is changed. Gives the save. */
export async function createSite(db: Kysely<Tables>, facts: SiteFacts, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, siteRecord, 'site')) return null
    await add(trx, siteRecord, { id: 'site' as const, facts: JSON.stringify(facts) }, save)
    return save.id
  })
}

/** Saves what the editor of a version changed of some or all facts, as `saveFacts` says. Throws `PictureGone`. */
export async function saveSite(
  db: Kysely<Tables>,
  { facts, ...seen }: SeenVersion & { facts: Partial<SiteFacts> },
  author: Author,
) {
  const saved = await saveFacts(
    db,
    {
      kind: siteRecord,
      id: 'site',
      ...siteColumns,
      guard: (trx, { wayPicture }) => holdPicture(trx, wayPicture as string),
    },
    { ...seen, facts: parts(facts) },
    author,
  )
  if (saved.outcome !== 'newer') return saved
  return { ...saved, facts: whole(saved.facts), mixed: whole(saved.mixed) }
}

/** When this site's database was first used, in milliseconds since 1970. */
export async function siteBegunAt(db: Kysely<Tables>) {
  const { begunAt } = await db
    .selectFrom('marks')
    .select(({ fn }) => fn.min('at').as('begunAt'))
    .executeTakeFirstOrThrow()
  return Date.parse(begunAt)
}
