import type { Db } from '../../db/tables.ts'

/**
 * Returns the suffix of published identifiers: the host of `publicOrigin` at the first call, or a random UUID. The
 * suffix is stored and stays the same if the site moves. Never uses the Host header, which a client can choose.
 */
export async function identityOf(db: Db, publicOrigin: string | undefined) {
  const identity = db.selectFrom('identity').select('name').where('id', '=', 'site')
  const stored = await identity.executeTakeFirst()
  if (stored) return stored.name
  const name = publicOrigin ? new URL(publicOrigin).host : crypto.randomUUID()
  await db
    .insertInto('identity')
    .values({ id: 'site', name })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  // Another process may have stored a suffix first.
  return (await identity.executeTakeFirstOrThrow()).name
}
