import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Returns the suffix of published identifiers: the host of `publicOrigin` at the first call, or a random UUID. Stored, so
 * that the suffix stays the same if the site moves. Never uses the Host header, which a client can choose.
 */
export async function identityOf(db: Kysely<Tables>, publicOrigin: string | undefined) {
  const known = await kept(db)
  if (known) return known.name
  const name = publicOrigin ? new URL(publicOrigin).host : crypto.randomUUID()
  await db
    .insertInto('identity')
    .values({ id: 'site', name })
    .onConflict((already) => already.column('id').doNothing())
    .execute()
  // Another process may have inserted a name first.
  return (await kept(db))?.name ?? name
}

function kept(db: Kysely<Tables>) {
  return db.selectFrom('identity').select('name').where('id', '=', 'site').executeTakeFirst()
}
