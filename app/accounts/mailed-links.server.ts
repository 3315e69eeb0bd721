import { createHash, randomBytes } from 'node:crypto'
import type { Db, MailedLinkRow, Trx } from '../../db/tables.ts'
import { isWithinTtl } from '../platform/is-within-ttl.ts'
import { lockAccount } from './password-proof.server.ts'

const HOUR_MS = 60 * 60_000
export const MAILED_LINK_TTL_MS = { verify: 24 * HOUR_MS, change: 24 * HOUR_MS, reset: HOUR_MS, undo: 7 * 24 * HOUR_MS }

type Purpose = MailedLinkRow['purpose']

/**
 * Creates a link and returns its token. Deletes an earlier link for the same purpose, except undo links, because each
 * undo link undoes another change.
 */
export async function createMailedLink(
  db: Db,
  link: { purpose: Purpose; accountId: string; email: string },
  now: number,
) {
  const token = newToken()
  await db
    .deleteFrom('mailedLinks')
    .where((eb) =>
      eb.or([
        eb.and({ accountId: link.accountId, purpose: link.purpose }).and('purpose', '!=', 'undo'),
        eb('expiresAt', '<=', new Date(now).toISOString()),
      ]),
    )
    .execute()
  const expiresAt = new Date(now + MAILED_LINK_TTL_MS[link.purpose]).toISOString()
  await db
    .insertInto('mailedLinks')
    .values({ ...link, key: hashToken(token), expiresAt })
    .execute()
  return token
}

export async function findMailedLink(db: Db, purposes: Purpose[], token: string, now: number) {
  const link = await db
    .selectFrom('mailedLinks')
    .selectAll()
    .where('key', '=', hashToken(token))
    .where('purpose', 'in', purposes)
    .executeTakeFirst()
  return link && isValid(link, now) ? link : null
}

function isValid({ purpose, expiresAt }: MailedLinkRow, now: number) {
  const ttl = MAILED_LINK_TTL_MS[purpose]
  return isWithinTtl(Date.parse(expiresAt) - ttl, ttl, now)
}

export async function useMailedLink(trx: Trx, purposes: Purpose[], token: string, now: number) {
  const candidate = await findMailedLink(trx, purposes, token, now)
  if (!candidate) return null
  // Waits for a concurrent use of the account's other links, because that use may delete this link.
  await lockAccount(trx, candidate.accountId)
  const link = await trx.deleteFrom('mailedLinks').where('key', '=', candidate.key).returningAll().executeTakeFirst()
  return link ?? null
}

export async function deleteMailedLinks(trx: Trx, accountId: string) {
  await lockAccount(trx, accountId)
  await trx.deleteFrom('mailedLinks').where('accountId', '=', accountId).where('purpose', '!=', 'undo').execute()
}

export async function findUndoLink(db: Db, { id, email }: { id: string; email: string }, now: number) {
  return (await listUndoLinks(db, email, now)).find(({ accountId }) => accountId === id) ?? null
}

/** Whether an undo link of an account other than `except` would restore the e-mail address. */
export async function isEmailReserved(db: Db, email: string, { except = '', now }: { except?: string; now: number }) {
  return (await listUndoLinks(db, email, now)).some(({ accountId }) => accountId !== except)
}

async function listUndoLinks(db: Db, email: string, now: number) {
  const links = db.selectFrom('mailedLinks').selectAll().where('purpose', '=', 'undo').where('email', '=', email)
  return (await links.orderBy('expiresAt').execute()).filter((link) => isValid(link, now))
}

/** Deletes undo links that expire at `expiresAt` or later, because such a link may restore an intruder's address. */
export async function deleteUndoLinks(trx: Trx, accountId: string, { expiresAt }: { expiresAt: string }) {
  await trx
    .deleteFrom('mailedLinks')
    .where('purpose', '=', 'undo')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>=', expiresAt)
    .execute()
}

export function newToken() {
  return randomBytes(32).toString('base64url')
}

/** Returns the token's hash. Only hashes are stored, so that a copy of the database contains no usable link. */
export function hashToken(token: string) {
  return createHash('sha256').update(token).digest('base64url')
}
