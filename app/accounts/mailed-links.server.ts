import { createHash, randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { MailedLinkRow, Tables } from '../../db/tables.ts'
import { lockAccount } from './proof.server.ts'

const HOUR = 60 * 60_000
/** For how long each link opens, in milliseconds. */
export const lasts = { verify: 24 * HOUR, change: 24 * HOUR, reset: HOUR, undo: 7 * 24 * HOUR }

type Purpose = MailedLinkRow['purpose']

/**
 * Makes the token of a link to be mailed to `email`. An earlier one for the same purpose opens nothing any more, but one
 * that gives the account back: each of those leads to another address, or to the same from an earlier day.
 */
export async function makeMailedLink(
  db: Kysely<Tables>,
  link: { purpose: Purpose; accountId: string; email: string },
  now: number,
) {
  const token = newToken()
  await db
    .deleteFrom('mailedLinks')
    .where((is) =>
      is.or([
        is.and({ accountId: link.accountId, purpose: link.purpose }).and('purpose', '!=', 'undo'),
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

/** The link of one of these purposes, if it still opens; it stays usable. */
export async function findMailedLink(db: Kysely<Tables>, purposes: Purpose[], token: string, now: number) {
  const link = await db
    .selectFrom('mailedLinks')
    .selectAll()
    .where('key', '=', keyOf(token))
    .where('purpose', 'in', purposes)
    .where('expiresAt', '>', new Date(now).toISOString())
    .executeTakeFirst()
  return link ?? null
}

/** Uses a link up: of two who use it at once, one gets it. */
export async function useMailedLink(trx: Transaction<Tables>, purposes: Purpose[], token: string, now: number) {
  const found = await findMailedLink(trx, purposes, token, now)
  if (!found) return null
  // Of two links of one account, the second waits for what the first one does, and may find itself ended by it.
  await lockAccount(trx, found.accountId)
  const link = await trx.deleteFrom('mailedLinks').where('key', '=', found.key).returningAll().executeTakeFirst()
  return link ?? null
}

/** Ends every link that opens or changes the account; those that give it back outlive this. */
export async function endMailedLinks(trx: Transaction<Tables>, accountId: string) {
  await lockAccount(trx, accountId)
  await trx.deleteFrom('mailedLinks').where('accountId', '=', accountId).where('purpose', '!=', 'undo').execute()
}

/** The account's earliest link that still gives it back to this address. */
export async function findWayBack(db: Kysely<Tables>, { id, email }: { id: string; email: string }, now: number) {
  const own = waysBackTo(db, email, now).where('accountId', '=', id)
  return (await own.select('expiresAt').orderBy('expiresAt').executeTakeFirst()) ?? null
}

/** Whether an address is kept for another account than `except`, which had it and may take it back. */
export async function isKept(
  db: Kysely<Tables>,
  email: string,
  { except = '', now }: { except?: string; now: number },
) {
  const others = waysBackTo(db, email, now).where('accountId', '!=', except)
  return (await others.select('key').executeTakeFirst()) !== undefined
}

function waysBackTo(db: Kysely<Tables>, email: string, now: number) {
  return db
    .selectFrom('mailedLinks')
    .where('purpose', '=', 'undo')
    .where('email', '=', email)
    .where('expiresAt', '>', new Date(now).toISOString())
}

/** Ends the account's ways back from that one on: those of later changes lead to addresses of whoever made them. */
export async function endWaysBack(trx: Transaction<Tables>, accountId: string, { expiresAt }: { expiresAt: string }) {
  await trx
    .deleteFrom('mailedLinks')
    .where('purpose', '=', 'undo')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>=', expiresAt)
    .execute()
}

/** What a link carries that opens something for whoever has it: nobody guesses it. */
export function newToken() {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a token: who reads the database, or a copy of it, cannot open the link. */
export function keyOf(token: string) {
  return createHash('sha256').update(token).digest('base64url')
}
