import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { MailedLinkRow, Tables } from '../../db/tables.ts'

const HOUR = 60 * 60_000
const lasts = { verify: 24 * HOUR, reset: HOUR }

type Purpose = MailedLinkRow['purpose']

/** Makes the token of a link to be mailed to `email`; an earlier one for the same purpose opens nothing any more. */
export async function makeMailedLink(
  db: Kysely<Tables>,
  link: { purpose: Purpose; accountId: string; email: string },
  now: number,
) {
  const token = randomBytes(32).toString('base64url')
  await db
    .deleteFrom('mailedLinks')
    .where((is) =>
      is.or([
        is.and({ accountId: link.accountId, purpose: link.purpose }),
        is('expiresAt', '<=', new Date(now).toISOString()),
      ]),
    )
    .execute()
  const expiresAt = new Date(now + lasts[link.purpose]).toISOString()
  await db
    .insertInto('mailedLinks')
    .values({ ...link, key: keyOf(token), expiresAt })
    .execute()
  return token
}

/** Whose link this is, if it still opens; it stays usable. */
export async function findMailedLink(db: Kysely<Tables>, purpose: Purpose, token: string, now: number) {
  const link = await db
    .selectFrom('mailedLinks')
    .select(['accountId', 'email'])
    .where('key', '=', keyOf(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', new Date(now).toISOString())
    .executeTakeFirst()
  return link ?? null
}

/** Uses a link up: of two who use it at once, one gets it. */
export async function useMailedLink(db: Kysely<Tables>, purpose: Purpose, token: string, now: number) {
  const link = await db
    .deleteFrom('mailedLinks')
    .where('key', '=', keyOf(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', new Date(now).toISOString())
    .returning(['accountId', 'email'])
    .executeTakeFirst()
  return link ?? null
}

// Who reads the database, or a copy of it, cannot open the links.
function keyOf(token: string) {
  return createHash('sha256').update(token).digest('base64url')
}
