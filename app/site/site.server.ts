import type { Kysely, Transaction } from 'kysely'
import type { SiteRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdPicture } from '../media/images.server.ts'
import { merge } from '../records/merge.ts'
import { newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import { readVersion } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { SiteFacts } from './site.ts'
import { factsOf, siteRecord } from './site-record.server.ts'

/** The shop's facts; the defaults where none were saved. */
export async function readSite(db: Kysely<Tables>): Promise<SiteFacts> {
  return (await readSiteToEdit(db)).facts
}

/** The facts and their version, 0 where none were saved. */
export async function readSiteToEdit(db: Kysely<Tables>) {
  const row = await db.selectFrom('site').selectAll().where('id', '=', 'site').executeTakeFirst()
  return { version: row?.version ?? 0, facts: factsOf(row) }
}

/** Saves the first facts of a new site; null where there are some already, and nothing is changed. Gives the save. Throws `PictureGone`. */
export async function createSite(db: Kysely<Tables>, facts: SiteFacts, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, siteRecord, 'site')) return null
    await holdPicture(trx, facts.wayPicture)
    await add(trx, siteRecord, { id: 'site' as const, facts: JSON.stringify(facts) }, save)
    return save.id
  })
}

/** `save` is null where nothing differed. `newer`: somebody changed the same `clashes` meanwhile; nothing is saved. */
export type SiteOutcome =
  | { outcome: 'saved'; save: string | null }
  | { outcome: 'newer'; version: number; facts: SiteFacts; mixed: SiteFacts; clashes: string[] }

/**
 * Saves what the editor of version `version` changed; what others changed of other facts meanwhile stays. Of a clash it
 * gives the facts as they are now, and `mixed`, which has the editor's own where both changed them. Throws `PictureGone`.
 */
export async function saveSite(
  db: Kysely<Tables>,
  { version, facts }: { version: number; facts: SiteFacts },
  author: Author,
): Promise<SiteOutcome> {
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx) => {
    const row = await lockRow(trx, siteRecord, 'site')
    if (!row) return { outcome: 'saved', save: await createSite(trx, facts, author) }
    const now = factsOf(row)
    const base = await factsAt(trx, version, row)
    const { changes, mixed, clashes } = merge(base && parts(base), parts(now), parts(facts))
    if (clashes.length > 0) return { outcome: 'newer', version: row.version, facts: now, mixed: whole(mixed), clashes }
    if (Object.keys(changes).length === 0) return { outcome: 'saved', save: null }
    if (changes.wayPicture !== undefined) await holdPicture(trx, facts.wayPicture)
    await change(trx, siteRecord, row, { facts: JSON.stringify(whole(mixed)) }, save)
    return { outcome: 'saved', save: save.id }
  })
}

// What the editor saw, from the history and not from the browser; null where it is not known.
async function factsAt(trx: Transaction<Tables>, version: number, now: SiteRow) {
  if (version === now.version) return factsOf(now)
  if (version === 0) return factsOf(null)
  const row = await readVersion<SiteRow>(trx, { subject: 'site', subjectId: 'site', version })
  return row && factsOf(row)
}

// Each reader of mail is a fact of its own.
function parts({ recipients, ...facts }: SiteFacts): Record<string, unknown> {
  const readers = Object.entries(recipients).map(([name, reader]) => [`recipients.${name}`, reader])
  return { ...facts, ...Object.fromEntries(readers) }
}

function whole(facts: Record<string, unknown>): SiteFacts {
  const [shop, circle, portfolio] = ['shop', 'circle', 'portfolio'].map((name) => facts[`recipients.${name}`])
  return SiteFacts.parse({ ...facts, recipients: { shop, circle, portfolio } })
}

/** When this site's database was first used, in milliseconds since 1970. */
export async function siteBegunAt(db: Kysely<Tables>) {
  const { begunAt } = await db
    .selectFrom('marks')
    .select(({ fn }) => fn.min('at').as('begunAt'))
    .executeTakeFirstOrThrow()
  return Date.parse(begunAt)
}
