import type { ApiTokenRow, Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Rejection } from '../forms/outcome.ts'
import { type ApiTokenScope, MAX_API_TOKENS } from './account-forms.ts'
import { hashToken, newToken } from './mailed-links.server.ts'
import { isProofCurrent, type PasswordProof } from './password-proof.server.ts'
import type { Session } from './sessions.server.ts'

// Secret scanners find tokens by this prefix.
const PREFIX = 'noren_'
const CALLS_WITH_TOKENS = /^\/api\/(?:collections|mail|upload|delete|live)(?:\/|$)/
const HOUR_MS = 60 * 60_000
const MAX_REQUESTS_PER_MINUTE = 300

/**
 * Returns the bearer token of a JSON call, also if it is invalid. Returns null for a request without a token and for
 * all other URLs, because pages accept only the session cookie.
 */
export function bearerTokenOf(request: Request) {
  const token = /^bearer(?: +(.*))?$/i.exec(request.headers.get('authorization') ?? '')
  const isCall = token && CALLS_WITH_TOKENS.test(decodeURI(new URL(request.url).pathname))
  return isCall ? (token[1] ?? '') : null
}

/** Returns the token and its account, or null if the token is unknown or the account has been removed. */
export async function findApiToken(db: Db, token: string) {
  const found = await db
    .selectFrom('apiTokens')
    .innerJoin('accounts', 'accounts.id', 'apiTokens.accountId')
    .select(['apiTokens.id', 'scope', 'usedAt', 'accountId', 'accounts.name', 'email', 'emailVerified'])
    .where('hash', '=', hashToken(token))
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return found ?? null
}

/** Creates a token. Returns null if session or password have changed. Throws a `Rejection` if there are too many. */
export async function createApiToken(
  db: Db,
  { session, proof, now }: { session: Session; proof: PasswordProof; now: number },
  { name, scope }: { name: string; scope: ApiTokenScope },
) {
  const { accountId } = session
  return inTransaction(db, async (trx) => {
    if (!(await isProofCurrent(trx, session, proof))) return null
    if ((await listApiTokens(trx, accountId)).length >= MAX_API_TOKENS) throw new Rejection(TOO_MANY)
    const token = `${PREFIX}${newToken()}`
    const createdAt = new Date(now).toISOString()
    await trx
      .insertInto('apiTokens')
      .values({ id: crypto.randomUUID(), hash: hashToken(token), accountId, name, scope, createdAt, usedAt: null })
      .execute()
    return token
  })
}

const TOO_MANY = `トークンは${MAX_API_TOKENS}個まで作れます。使っていないトークンを取り消してから、もう一度お試しください。`

export async function listApiTokens(db: Db, accountId: string) {
  return db
    .selectFrom('apiTokens')
    .select(['id', 'name', 'scope', 'createdAt', 'usedAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function revokeApiToken(db: Db, accountId: string, id: string) {
  await db.deleteFrom('apiTokens').where('id', '=', id).where('accountId', '=', accountId).execute()
}

/** Stores the time of the token's use at most once an hour, so that few requests write to the database. */
export async function recordApiTokenUse(db: Db, token: Pick<ApiTokenRow, 'id' | 'usedAt'>, now: number) {
  const { id, usedAt } = token
  const anHourAgo = new Date(now - HOUR_MS).toISOString()
  if (usedAt !== null && usedAt > anHourAgo) return
  await db
    .updateTable('apiTokens')
    .set({ usedAt: new Date(now).toISOString() })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('usedAt', 'is', null), eb('usedAt', '<=', anHourAgo)]))
    .execute()
}

/** Returns a function that counts a request of a token and returns whether the token is within its rate limit. */
export function createApiTokenLimit(clock: () => number) {
  const counts = new Map<string, number>()
  let minute = 0
  return (id: string) => {
    const currentMinute = Math.floor(clock() / 60_000)
    if (currentMinute !== minute) counts.clear()
    minute = currentMinute
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count <= MAX_REQUESTS_PER_MINUTE
  }
}
