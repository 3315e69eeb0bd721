import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * What the identifiers that this site gives away end with: decided once, and kept though the site moves. The host of
 * `publicOrigin`, else a random one: never what a request says of its host, or a guest would decide it.
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
  // Another process may have been faster.
  return (await kept(db))?.name ?? name
}

function kept(db: Kysely<Tables>) {
  return db.selectFrom('identity').select('name').where('id', '=', 'site').executeTakeFirst()
}
