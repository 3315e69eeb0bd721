import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Returns the suffix of published identifiers, stable if the site moves: the host of `publicOrigin`, else a random
 * UUID. Never the Host header, which a guest could choose.
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
