import { isIPv6 } from 'node:net'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { networkOf } from '../platform/network.ts'
import type { AuthRequest } from './auth.server.ts'
import { deleteCookie, readSignedCookie, setSignedCookie } from './cookies.server.ts'
import { deleteMailedLinks, newToken } from './mailed-links.server.ts'

/** `begunAt` is in milliseconds since 1970. */
export type Session = {
  id: string
  accountId: string
  name: string
  email: string
  emailVerified: boolean
  begunAt: number
}

const COOKIE = 'session_token'
const DAY_MS = 24 * 60 * 60_000
const IDLE_TIMEOUT_MS = 30 * DAY_MS

export const MAX_SESSION_MS = 90 * DAY_MS

/**
 * Returns the browser's session and extends it at most once a day. Deletes an expired session and its cookie, but the
 * browser still receives notifications.
 */
export async function readSession(auth: AuthRequest): Promise<Session | null> {
  const token = readSignedCookie(auth, COOKIE)
  if (!token) return null
  const { db, clock } = auth.settings
  const session = await db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.accountId')
    .select(['sessions.id', 'accountId', 'name', 'email', 'emailVerified', 'expiresAt', 'sessions.createdAt'])
    .where('token', '=', token)
    .executeTakeFirst()
  const begunAt = Date.parse(session?.createdAt ?? '')
  const age = clock() - begunAt
  // A session that begins a day later is from a clock that was ahead, and would last too long.
  const isWithinMaxAge = age > -DAY_MS && age <= MAX_SESSION_MS
  if (!session || !isWithinMaxAge || !(await extendSession(auth, token, Date.parse(session.expiresAt)))) {
    await db.deleteFrom('sessions').where('token', '=', token).execute()
    deleteCookie(auth, COOKIE)
    return null
  }
  const { id, accountId, name, email, emailVerified } = session
  return { id, accountId, name, email, emailVerified, begunAt }
}

async function extendSession(auth: AuthRequest, token: string, expiresAt: number) {
  const remaining = expiresAt - Date.now()
  if (remaining <= 0) return false
  // A later end is from a clock that was ahead.
  if (remaining > IDLE_TIMEOUT_MS - DAY_MS && remaining <= IDLE_TIMEOUT_MS) return true
  const rows = auth.settings.db.updateTable('sessions').set(createTimestamps()).where('token', '=', token)
  const isExtended = (await rows.returning('id').executeTakeFirst()) !== undefined
  if (isExtended) setSessionCookie(auth, token)
  return isExtended
}

/** Stores a new session. Returns the session token for `enterSession`, or null if the account has been removed. */
export async function startSession(trx: Trx, { request, address: ip, settings }: AuthRequest, accountId: string) {
  const account = trx.selectFrom('accounts').select('id').where('id', '=', accountId).where('deletedAt', 'is', null)
  if (!(await account.executeTakeFirst())) return null
  const token = newToken()
  const timestamps = { ...createTimestamps(), createdAt: new Date(settings.clock()).toISOString() }
  const client = { ipAddress: truncateIp(ip), userAgent: request.headers.get('user-agent') ?? '' }
  await trx
    .insertInto('sessions')
    .values({ id: crypto.randomUUID(), token, accountId, ...client, ...timestamps })
    .execute()
  return token
}

/**
 * Sets the cookie of a new session. Ends the earlier session, because its replaced cookie would stay valid. The browser
 * still receives the notifications of the same account.
 */
export async function enterSession(auth: AuthRequest, token: string, earlierSession: Session | null) {
  setSessionCookie(auth, token)
  if (!earlierSession) return
  const { db, onSessionEnded } = auth.settings
  const { id: sessionId, accountId } = earlierSession
  const isEnded = await inTransaction(db, async (trx) => {
    const session = trx.selectFrom('sessions').where('token', '=', token).where('accountId', '=', accountId)
    const { id } = (await session.select('id').executeTakeFirst()) ?? { id: sessionId }
    await trx.updateTable('pushDevices').set({ sessionId: id }).where('sessionId', '=', sessionId).execute()
    return endSessions(trx, accountId, { sessionId })
  })
  if (isEnded) onSessionEnded(accountId)
}

export async function endSession(auth: AuthRequest) {
  const session = await auth.session()
  if (session) await endSessions(auth.settings.db, session.accountId, { sessionId: session.id })
  deleteCookie(auth, COOKIE)
}

/**
 * Ends one session of an account, and the notifications of its browser. If `sessionId` is missing, ends all sessions and
 * notifications except those of `except`, deletes mailed links and revokes API tokens. Returns whether a session ended.
 */
export async function endSessions(
  db: Db,
  accountId: string,
  { sessionId, except = '' }: { sessionId?: string; except?: string } = {},
) {
  return inTransaction(db, async (trx) => {
    if (sessionId === undefined) {
      await deleteMailedLinks(trx, accountId)
      await trx.deleteFrom('apiTokens').where('accountId', '=', accountId).execute()
    }
    const sessions = trx.deleteFrom('sessions').where('accountId', '=', accountId).where('id', '!=', except)
    const devices = trx.deleteFrom('pushDevices').where('accountId', '=', accountId).where('sessionId', '!=', except)
    const ended = sessionId === undefined ? sessions : sessions.where('id', '=', sessionId)
    const isEnded = (await ended.returning('id').executeTakeFirst()) !== undefined
    await (sessionId === undefined ? devices : devices.where('sessionId', '=', sessionId)).execute()
    return isEnded
  })
}

function setSessionCookie(auth: AuthRequest, token: string) {
  setSignedCookie(auth, COOKIE, token, IDLE_TIMEOUT_MS / 1000)
}

// Uses real time instead of `clock`, because the browser deletes the cookie by real time.
function createTimestamps() {
  const now = Date.now()
  return { updatedAt: new Date(now).toISOString(), expiresAt: new Date(now + IDLE_TIMEOUT_MS).toISOString() }
}

// Omits the second half of an IPv6 address, because that half can identify the device on other sites.
function truncateIp(ip: string | null) {
  if (!ip || !isIPv6(ip)) return ip ?? ''
  const groups = networkOf(ip).split(':')
  return [...groups, '', '', '', ''].map((group) => group.padStart(4, '0')).join(':')
}
