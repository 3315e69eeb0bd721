import type { Kysely, Transaction } from 'kysely'
import type { SiteRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readRevision, readVersion, recordRevision } from '../records/revisions.server.ts'
import type { Author } from '../request.ts'
import { SiteFacts } from './site.ts'

/** The shop's facts; the defaults where none were saved. */
export async function readSite(db: Kysely<Tables>): Promise<SiteFacts> {
  return (await readSiteToEdit(db)).facts
}

/** The facts and their version, 0 where none were saved. */
export async function readSiteToEdit(db: Kysely<Tables>) {
  const row = await siteRow(db)
  return { version: row?.version ?? 0, facts: factsOf(row) }
}

/** Saves the first facts of a new site; null where there are some already, and nothing is changed. Gives the revision. */
export async function createSite(db: Kysely<Tables>, facts: SiteFacts, author: Author) {
  return inTransaction(db, async (trx) => {
    const row = { id: 'site' as const, version: 1, facts: JSON.stringify(facts), updatedAt: author.at }
    const created = await trx
      .insertInto('site')
      .values(row)
      .onConflict((already) => already.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!created) return null
    return recordRevision(trx, { subject: 'site', subjectId: 'site', action: 'add', before: null, after: row }, author)
  })
}

/** `revision` is null where nothing differed. `newer`: somebody changed the same `clashes` meanwhile; nothing is saved. */
export type SiteOutcome =
  | { outcome: 'saved'; revision: string | null }
  | { outcome: 'newer'; version: number; facts: SiteFacts; mixed: SiteFacts; clashes: string[] }

/**
 * Saves what the editor of version `version` changed; what others changed of other facts meanwhile stays. Of a clash it
 * gives the facts as they are now, and `mixed`, which has the editor's own where both changed them.
 */
export async function saveSite(
  db: Kysely<Tables>,
  { version, facts }: { version: number; facts: SiteFacts },
  author: Author,
): Promise<SiteOutcome> {
  return inTransaction(db, async (trx) => {
    const created = version === 0 ? await createSite(trx, facts, author) : null
    if (created) return { outcome: 'saved', revision: created }
    const row = await lockedRow(trx)
    const now = factsOf(row)
    const { mixed, clashes } = merge(await factsAt(trx, version, row), now, facts)
    if (clashes.length > 0) return { outcome: 'newer', version: row?.version ?? 0, facts: now, mixed, clashes }
    return { outcome: 'saved', revision: await write(trx, row, mixed, { action: 'save', author }) }
  })
}

/** Makes the facts again what they were right after a revision; `missing` where there is no such revision. */
export async function putBackSite(db: Kysely<Tables>, revisionId: string, author: Author) {
  return inTransaction(db, async (trx) => {
    const then = (await readRevision(trx, 'site', revisionId))?.after as SiteRow | null | undefined
    const row = await lockedRow(trx)
    if (!then || !row) return { outcome: 'missing' as const }
    const revision = await write(trx, row, factsOf(then), { action: 'put back', author })
    return { outcome: 'saved' as const, revision }
  })
}

async function write(
  trx: Transaction<Tables>,
  before: SiteRow | undefined,
  facts: SiteFacts,
  { action, author }: { action: string; author: Author },
) {
  if (!before || JSON.stringify(facts) === JSON.stringify(factsOf(before))) return null
  const after = { ...before, version: before.version + 1, facts: JSON.stringify(facts), updatedAt: author.at }
  await trx.updateTable('site').set(after).execute()
  return recordRevision(trx, { subject: 'site', subjectId: 'site', action, before, after }, author)
}

/** The facts kept in a row, or in what the history keeps of one. */
export function factsOf(row: Pick<SiteRow, 'facts'> | undefined): SiteFacts {
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}

function siteRow(db: Kysely<Tables>) {
  return db.selectFrom('site').selectAll().where('id', '=', 'site').executeTakeFirst()
}

// Who comes second waits here for who came first, and then reads what that one has written.
async function lockedRow(trx: Transaction<Tables>) {
  await trx
    .updateTable('site')
    .set((row) => ({ version: row.ref('version') }))
    .execute()
  return siteRow(trx)
}

// What the editor saw, from the history and not from the browser; null where it is not known.
async function factsAt(trx: Transaction<Tables>, version: number, now: SiteRow | undefined) {
  if (version === now?.version) return factsOf(now)
  if (version === 0) return factsOf(undefined)
  const row = await readVersion<SiteRow>(trx, { subject: 'site', subjectId: 'site', version })
  return row ? factsOf(row) : null
}

function merge(base: SiteFacts | null, now: SiteFacts, mine: SiteFacts) {
  const mixed = { ...parts(now) }
  const clashes: string[] = []
  for (const [name, own] of Object.entries(parts(mine))) {
    const [was, is] = [base && JSON.stringify(parts(base)[name]), JSON.stringify(parts(now)[name])]
    const wanted = JSON.stringify(own)
    if (wanted === was || wanted === is) continue
    mixed[name] = own
    if (is !== was) clashes.push(name)
  }
  return { mixed: whole(mixed), clashes }
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
