import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { type PasswordProof, passwordHashOf } from './password-proof.server.ts'
import type { Session } from './sessions.server.ts'

const LASTS_MS = 5 * 60_000
const PERMIT = /^(\d{1,15})\.([\w-]{43})$/

type World = { db: Kysely<Tables>; clock: () => number; secret: string }

/** Returns a signed token that is invalid for another session and after a password change. */
export function createReauthToken({ clock, secret }: World, purpose: string, { id }: Session, { hash }: PasswordProof) {
  const until = clock() + LASTS_MS
  return `${until}.${signed(secret, [purpose, until, id, hash])}`
}

export async function isReauthToken({ db, clock, secret }: World, purpose: string, session: Session, permit: string) {
  const [, until = '0', signature = ''] = PERMIT.exec(permit) ?? []
  if (Number(until) <= clock()) return false
  const expected = signed(secret, [purpose, Number(until), session.id, await passwordHashOf(db, session.accountId)])
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
}

function signed(secret: string, what: (string | number | null)[]) {
  return createHmac('sha256', secret)
    .update(`permit ${JSON.stringify(what)}`)
    .digest('base64url')
}
