import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/tables.ts'
import { isWithinTtl } from '../platform/is-within-ttl.ts'
import { type PasswordProof, passwordHashOf } from './password-proof.server.ts'
import type { Session } from './sessions.server.ts'

const TOKEN_TTL_MS = 5 * 60_000
const TOKEN = /^(\d{1,15})\.([\w-]{43})$/

type Deps = { db: Db; clock: () => number; secret: string }

/** Returns a signed token for one session and one purpose. A password change invalidates the token. */
export function createReauthToken({ clock, secret }: Deps, purpose: string, { id }: Session, { hash }: PasswordProof) {
  const expiresAt = clock() + TOKEN_TTL_MS
  return `${expiresAt}.${sign(secret, [purpose, expiresAt, id, hash])}`
}

export async function isReauthToken({ db, clock, secret }: Deps, purpose: string, session: Session, token: string) {
  const [, expiresAt = '0', signature = ''] = TOKEN.exec(token) ?? []
  if (!isWithinTtl(Number(expiresAt) - TOKEN_TTL_MS, TOKEN_TTL_MS, clock())) return false
  const expected = sign(secret, [purpose, Number(expiresAt), session.id, await passwordHashOf(db, session.accountId)])
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
}

function sign(secret: string, parts: (string | number | null)[]) {
  return createHmac('sha256', secret)
    .update(`permit ${JSON.stringify(parts)}`)
    .digest('base64url')
}
