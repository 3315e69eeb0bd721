import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Author } from '../history/revision.ts'
import { recordRevision } from '../history/revisions.server.ts'
import { SiteFacts } from './site.ts'

/** The shop's facts; the defaults where none were saved. */
export async function readSite(db: Kysely<Tables>): Promise<SiteFacts> {
  const row = await db.selectFrom('site').select('facts').where('id', '=', 'site').executeTakeFirst()
  return SiteFacts.parse(row ? JSON.parse(row.facts) : {})
}

/** Saves the first facts of a new site; false where there are some already, and nothing is changed. */
export async function createSite(db: Kysely<Tables>, facts: SiteFacts, author: Author) {
  return inTransaction(db, async (trx) => {
    const row = { id: 'site' as const, version: 1, facts: JSON.stringify(facts), updatedAt: author.at }
    const created = await trx
      .insertInto('site')
      .values(row)
      .onConflict((already) => already.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!created) return false
    await recordRevision(trx, { subject: 'site', subjectId: 'site', action: 'add', before: null, after: row }, author)
    return true
  })
}

/** When this site's database was first used, in milliseconds since 1970. */
export async function siteBegunAt(db: Kysely<Tables>) {
  const { begunAt } = await db
    .selectFrom('marks')
    .select(({ fn }) => fn.min('at').as('begunAt'))
    .executeTakeFirstOrThrow()
  return Date.parse(begunAt)
}
