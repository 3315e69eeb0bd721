import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { rolesOf } from '../settings/roles.server.ts'
import { type AccountDeps, enqueueAccountMail } from './account-deps.server.ts'
import {
  addressKeptMail,
  alreadySignedUpMail,
  passwordChangedMail,
  resetMail,
  verificationMail,
} from './account-mails.ts'
import { createMailLink } from './email-verification.server.ts'
import { isEmailReserved, useMailedLink } from './mailed-links.server.ts'
import { hashPassword } from './password-hash.server.ts'
import { checkPassword, isProofCurrent } from './password-proof.server.ts'
import { endSessions, MAX_SESSION_MS, type Session } from './sessions.server.ts'
import { withTemporaryAccount } from './temporary-account.server.ts'

/**
 * Creates an account. If the site verifies e-mails, mails a link; result and timing then do not reveal a used e-mail.
 * Otherwise returns 'taken' for a used e-mail.
 */
export async function signUp(
  around: AccountDeps,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<'made' | 'taken' | 'mailed'> {
  const { mailer, origin, now } = around
  const hash = await hashPassword(password)
  const at = new Date(now).toISOString()
  if (!mailer.verifies) return (await addAccount(around.db, { name, email, hash }, at)) ? 'made' : 'taken'
  return inTransaction(around.db, (db) =>
    withTemporaryAccount(db, now, async (standIn) => {
      const accountId = await addAccount(db, { name, email, hash, standIn }, at)
      const within = { ...around, db }
      const kept = await isEmailReserved(db, email, { now })
      const url = await createMailLink(within, '/verifyemail', 'verify', { id: accountId ?? standIn, email })
      const otherwise = kept ? addressKeptMail : alreadySignedUpMail(origin)
      await enqueueAccountMail(within, email, accountId ? verificationMail(url) : otherwise)
      return 'mailed' as const
    }),
  )
}

type NewAccount = Record<'name' | 'email' | 'hash', string> & { id?: string; standIn?: string }

/**
 * Creates an account with a password. Returns its ID, or null if the e-mail is used or reserved. Then adds the password
 * to the temporary account `standIn`, to do the same work.
 */
export async function addAccount(
  db: Kysely<Tables>,
  { name, email, hash, id = crypto.randomUUID(), standIn }: NewAccount,
  at: string,
) {
  return inTransaction(db, async (trx) => {
    const made = await insertAccount(trx, { id, name, email, emailVerified: false }, at)
    const owner = made ?? standIn
    if (owner) {
      const method = passwordMethod(owner, hash, at)
      await trx.insertInto('signInMethods').values(method).execute()
    }
    return made
  })
}

/** Inserts an account without a sign-in method. Returns its ID, or null if the e-mail is used or reserved. */
export async function insertAccount(
  trx: Transaction<Tables>,
  account: { id: string; name: string; email: string; emailVerified: boolean },
  at: string,
) {
  const { id, email } = account
  const added = await trx
    .insertInto('accounts')
    .values({ ...account, image: null, createdAt: at, updatedAt: at })
    .onConflict((already) => already.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  // The insert waits for a concurrent transaction that releases this e-mail, so the check follows the insert.
  const kept = await isEmailReserved(trx, email, { now: Date.parse(at) })
  // Runs for every e-mail, so that the timing reveals nothing.
  const [made, unwanted] = !added ? [null, ''] : kept ? [null, id] : [id, '']
  await trx.deleteFrom('accounts').where('id', '=', unwanted).execute()
  return made
}

/** Replaces name, e-mail and password of an unverified account. Returns null if the e-mail is used or reserved. */
export async function overwriteUnverifiedAccount(
  trx: Transaction<Tables>,
  { id, name, email, hash }: Record<'id' | 'name' | 'email' | 'hash', string>,
  at: string,
) {
  const now = Date.parse(at)
  const other = trx.selectFrom('accounts').select('id').where('email', '=', email).where('id', '!=', id)
  if ((await other.executeTakeFirst()) || (await isEmailReserved(trx, email, { except: id, now }))) return null
  await endSessions(trx, id)
  await trx
    .updateTable('accounts')
    .set({ name, email, emailVerified: false, updatedAt: at })
    .where('id', '=', id)
    .execute()
  await setPassword(trx, id, hash, at)
  return id
}

function setPassword(trx: Transaction<Tables>, accountId: string, hash: string, at: string) {
  return trx
    .insertInto('signInMethods')
    .values(passwordMethod(accountId, hash, at))
    .onConflict((already) => already.columns(['provider', 'subject']).doUpdateSet({ password: hash, updatedAt: at }))
    .execute()
}

function passwordMethod(owner: string, password: string, at: string) {
  const provider = 'credential' as const
  return { id: crypto.randomUUID(), owner, provider, subject: owner, password, createdAt: at, updatedAt: at }
}

/**
 * Mails a password reset link. Does the same work for every e-mail, so that the timing reveals nothing. Staff with an
 * unverified e-mail get no link, because a mistyped e-mail could admit a stranger.
 */
export async function requestReset(around: AccountDeps, email: string) {
  await inTransaction(around.db, async (db) => {
    const account = await db
      .selectFrom('accounts')
      .select(['id', 'emailVerified'])
      .where('email', '=', email)
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    const { staff } = await rolesOf(db, account?.id ?? '')
    const mayBeMailed = account && (account.emailVerified || !around.mailer.verifies || !staff)
    const url = await withTemporaryAccount(db, around.now, (standIn) =>
      createMailLink({ ...around, db }, '/resetpassword', 'reset', { id: mayBeMailed ? account.id : standIn, email }),
    )
    const mail = await enqueueAccountMail({ ...around, db }, email, resetMail(url))
    await db
      .deleteFrom('outbox')
      .where('id', '=', mayBeMailed ? '' : mail)
      .execute()
  })
}

/** Sets the password, verifies the e-mail, ends all sessions and deletes all links. Returns null for an invalid link. */
export async function resetPassword(around: AccountDeps, { token, password }: { token: string; password: string }) {
  const { now } = around
  const at = new Date(now).toISOString()
  const hash = await hashPassword(password)
  return inTransaction(around.db, async (trx) => {
    const link = await useMailedLink(trx, ['reset'], token, now)
    if (!link) return null
    const { accountId, email } = link
    const same = await trx
      .updateTable('accounts')
      .set({ emailVerified: true, updatedAt: at })
      .where('id', '=', accountId)
      .where('email', '=', email)
      .returning('id')
      .executeTakeFirst()
    if (!same) return null
    await setPassword(trx, accountId, hash, at)
    await endSessions(trx, accountId)
    await tellOfNewPassword({ ...around, db: trx }, accountId)
    return accountId
  })
}

async function tellOfNewPassword(around: AccountDeps, accountId: string) {
  const account = await around.db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .where('emailVerified', '=', true)
    .executeTakeFirst()
  if (account) await enqueueAccountMail(around, account.email, passwordChangedMail(around.origin))
}

/**
 * Changes the password, ends all sessions, deletes all links and notifies a verified e-mail. Returns false if `current`
 * is wrong or has changed during the verification.
 */
export async function changePassword(
  around: AccountDeps,
  session: Session,
  { current, password }: { current: string; password: string },
) {
  const { accountId } = session
  const proof = await checkPassword(around.db, accountId, current)
  if (!proof?.hash) return false
  const hash = await hashPassword(password)
  return inTransaction(around.db, async (db) => {
    if (!(await isProofCurrent(db, session, proof))) return false
    await db
      .updateTable('signInMethods')
      .set({ password: hash, updatedAt: new Date(around.now).toISOString() })
      .where('owner', '=', accountId)
      .where('provider', '=', 'credential')
      .execute()
    await endSessions(db, accountId)
    await tellOfNewPassword({ ...around, db }, accountId)
    return true
  })
}

/** Returns the sign-in methods and sessions, the current session first. `now` is in milliseconds since 1970. */
export async function readAccount(db: Kysely<Tables>, { accountId, id: sessionId }: Session, now: number) {
  const methods = await db
    .selectFrom('signInMethods')
    .select(['provider', 'createdAt'])
    .where('owner', '=', accountId)
    .orderBy('createdAt')
    .execute()
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', new Date(now).toISOString())
    .where('createdAt', '>', new Date(now - MAX_SESSION_MS).toISOString())
    .orderBy('updatedAt', 'desc')
    .execute()
  const first = (id: string) => (id === sessionId ? 0 : 1)
  return { methods, sessions: sessions.sort((a, b) => first(a.id) - first(b.id)) }
}

export async function exportAccountData(db: Kysely<Tables>, session: Session, now: number) {
  const { accountId } = session
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const members = await db.selectFrom('members').selectAll().where('accountId', '=', accountId).execute()
  const staff = await db.selectFrom('staff').selectAll().where('accountId', '=', accountId).execute()
  const drafts = await db.selectFrom('memberDrafts').selectAll().where('owner', '=', accountId).execute()
  const own = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  const answers = await db.selectFrom('answers').selectAll().where('memberId', 'in', own).execute()
  return { account, members, staff, answers, drafts, ...(await readAccount(db, session, now)) }
}

/** Deletes the account's data. Foreign keys cascade to sign-in methods and sessions. */
export async function eraseAccount(db: Kysely<Tables>, accountId: string) {
  await inTransaction(db, async (trx) => {
    await trx.deleteFrom('onceKeys').where('owner', '=', accountId).execute()
    const email = trx.selectFrom('accounts').select('email').where('id', '=', accountId)
    await trx.deleteFrom('outbox').where('about', 'is', null).where('to', '=', email).execute()
    const ofAccount = trx.deleteFrom('revisions').where('subject', '=', 'account')
    await ofAccount.where('subjectId', '=', accountId).execute()
    await trx.deleteFrom('accounts').where('id', '=', accountId).execute()
  })
}

export function verifiedEmailReader(db: Kysely<Tables>): ReadVerifiedEmails {
  return async (ids, within = db) => {
    if (ids.length === 0) return new Map()
    const proven = within.selectFrom('accounts').select(['id', 'email']).where('emailVerified', '=', true)
    const rows = await proven.where('id', 'in', ids).execute()
    return new Map(rows.map(({ id, email }) => [id, email]))
  }
}
