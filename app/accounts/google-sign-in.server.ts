import { z } from 'zod'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { truncate } from '../ui/characters.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { enqueueAccountMail } from './account-deps.server.ts'
import { EmailForm, MAX_NAME_LENGTH } from './account-forms.ts'
import { googleAddedMail } from './account-mails.ts'
import { insertAccount } from './accounts.server.ts'
import type { AuthRequest, AuthSettings } from './auth.server.ts'
import { deleteCookie, readSignedCookie, setSignedCookie } from './cookies.server.ts'
import { markEmailVerified } from './email-verification.server.ts'
import { newToken } from './mailed-links.server.ts'
import { type Claims, createOpenId } from './openid.server.ts'
import { lockAccount } from './password-proof.server.ts'
import { findPending, storePending, usePending } from './pending-sign-ins.server.ts'
import { enterSession, startSession } from './sessions.server.ts'

const CALLBACK_PATH = '/api/auth/callback/google'
const STATE_COOKIE = 'state'
const COOKIE_MAX_AGE = 5 * 60
const STATE_TTL_MS = 10 * 60_000

// The names must not change, because stored rows contain them.
const PendingSignIn = z.object({
  callbackURL: z.string(),
  codeVerifier: z.string(),
  idTokenNonce: z.string(),
  requestSignUp: z.boolean(),
  reauthenticates: z.boolean().default(false),
})
type PendingSignIn = z.infer<typeof PendingSignIn>
/** A reauthentication must not change the account of the session, so it accepts only this account. */
export type GoogleOptions = { registers: boolean; reauthenticates: boolean }
type Profile = { subject: string; email: string | null; name: string }

export function createGoogleSignIn(settings: AuthSettings) {
  const { db, clock } = settings
  const openId = settings.google ? createOpenId(settings.google, settings) : async () => null

  return {
    async start(auth: AuthRequest, returnTo: string, { registers, reauthenticates }: GoogleOptions) {
      const provider = await openId()
      if (!provider) return null
      const [state, nonce, codeVerifier] = [newToken(), newToken(), newToken()]
      const pending: PendingSignIn = {
        callbackURL: returnTo,
        codeVerifier,
        idTokenNonce: nonce,
        requestSignUp: registers,
        reauthenticates,
      }
      await storePending(db, identifierOf(state), JSON.stringify(pending), { now: clock(), ttl: STATE_TTL_MS })
      setSignedCookie(auth, STATE_COOKIE, state, COOKIE_MAX_AGE)
      return provider.signInUrl(`${auth.origin}${CALLBACK_PATH}`, { state, nonce, codeVerifier })
    },

    async finish(auth: AuthRequest) {
      const { search, searchParams } = new URL(auth.request.url)
      const state = searchParams.get('state') ?? ''
      const pending = await findPendingSignIn(db, state)
      const returnTo = pending?.callbackURL ?? '/login/finished'
      const errorUrl = (error: string) =>
        `${returnTo}${returnTo.includes('?') ? '&' : '?'}${new URLSearchParams({ error })}`

      const isOwn = pending !== null && readSignedCookie(auth, STATE_COOKIE) === state
      if (!isOwn) return errorUrl('state_mismatch')
      // Connects before `usePending`, so that a reload can finish the sign-in after a failed connection.
      const provider = await openId()
      if (!provider) return errorUrl('temporarily_unavailable')
      if ((await usePending(db, identifierOf(state), clock())) === null) return errorUrl('state_mismatch')
      deleteCookie(auth, STATE_COOKIE)
      const error = searchParams.get('error')
      if (error) return errorUrl(error)
      const { codeVerifier, idTokenNonce: nonce, requestSignUp: registers, reauthenticates } = pending
      const callbackUrl = new URL(`${auth.origin}${CALLBACK_PATH}${search}`)
      const claims = await provider.fetchClaims(callbackUrl, { state, nonce, codeVerifier })
      if (!claims) return errorUrl('invalid_claims')

      const earlierSession = await auth.session()
      const onlyAccountId = reauthenticates ? earlierSession?.accountId : undefined
      const result = await inTransaction(db, (trx) =>
        signInAs(trx, auth, profileOf(claims), { registers, onlyAccountId }),
      )
      if ('error' in result) return errorUrl(result.error)
      await enterSession(auth, result.token, earlierSession)
      return returnTo
    },
  }
}

function profileOf({ sub, email, email_verified, name }: Claims): Profile {
  // Some providers send the text "false", so only the boolean true counts as verified.
  const verified = email_verified === true ? EmailForm.safeParse({ email }).data?.email : undefined
  const displayName = cleanLine(typeof name === 'string' ? name : '') || (verified?.split('@')[0] ?? '')
  return { subject: sub, email: verified ?? null, name: truncate(displayName, MAX_NAME_LENGTH) }
}

async function signInAs(
  trx: Trx,
  auth: AuthRequest,
  profile: Profile,
  { registers, onlyAccountId }: { registers: boolean; onlyAccountId: string | undefined },
): Promise<{ token: string } | { error: string }> {
  const now = auth.settings.clock()
  const timestamp = new Date(now).toISOString()
  const unlockedAccount = await findAccount(trx, profile)
  if (unlockedAccount) await lockAccount(trx, unlockedAccount.id)
  // Reads the account again, because the account may have changed before the lock.
  const account = unlockedAccount && (await findAccount(trx, profile))
  const { email, name } = profile
  if (!account && !email) return { error: 'email_not_found' }
  if (account && onlyAccountId !== undefined && account.id !== onlyAccountId) return { error: 'other_account' }
  if (account && !account.isLinked && !account.emailVerified) return { error: 'account_not_linked' }
  if (!account && !registers) return { error: 'signup_disabled' }

  const newAccount = { id: crypto.randomUUID(), name, email: email ?? '', emailVerified: true } as const
  const accountId = account ? account.id : await insertAccount(trx, newAccount, timestamp)
  if (accountId === null) return { error: 'unable_to_create_user' }
  const token = await startSession(trx, auth, accountId)
  if (token === null) return { error: 'unable_to_create_session' }
  if (!account?.isLinked) await linkGoogle(trx, auth, { accountId, ...profile }, timestamp)
  else if (!account.emailVerified && email) await markEmailVerified(trx, { id: accountId, email }, now)
  return { token }
}

async function findAccount(trx: Trx, { subject, email }: Profile) {
  const accounts = trx.selectFrom('accounts').select(['accounts.id', 'email', 'emailVerified'])
  const linkedAccount = await accounts
    .innerJoin('signInMethods', 'owner', 'accounts.id')
    .where('provider', '=', 'google')
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (linkedAccount) return { ...linkedAccount, isLinked: true }
  const sameEmailAccount = email ? await accounts.where('email', '=', email).executeTakeFirst() : undefined
  return sameEmailAccount ? { ...sameEmailAccount, isLinked: false } : null
}

/** Adds Google as a sign-in method. Notifies the account's owner if the account already has another sign-in method. */
async function linkGoogle(
  trx: Trx,
  { origin, settings: { clock, mailOriginOf } }: AuthRequest,
  { accountId: owner, subject, email }: Profile & { accountId: string },
  timestamp: string,
) {
  const methods = trx.selectFrom('signInMethods').select('id').where('owner', '=', owner)
  const hasOtherMethod = (await methods.executeTakeFirst()) !== undefined
  await trx
    .insertInto('signInMethods')
    .values({ id: crypto.randomUUID(), owner, provider: 'google', subject, createdAt: timestamp, updatedAt: timestamp })
    .execute()
  if (hasOtherMethod && email)
    await enqueueAccountMail({ db: trx, now: clock() }, email, googleAddedMail(mailOriginOf(origin)))
}

const identifierOf = (state: string) => `auth-state:${state}`

async function findPendingSignIn(db: Db, state: string) {
  const value = await findPending(db, identifierOf(state))
  return value === null ? null : PendingSignIn.parse(JSON.parse(value))
}
