import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { listPushDevices } from '../push/devices.server.ts'
import type { ReadVerifiedEmails } from '../request.ts'
import { readRoles } from '../settings/roles.server.ts'
import { type AccountDeps, enqueueAccountMail, notifyVerifiedAccount } from './account-deps.server.ts'
import {
  alreadySignedUpMail,
  emailReservedMail,
  passwordChangedMail,
  resetMail,
  verificationMail,
} from './account-mails.ts'
import { listApiTokens } from './api-tokens.server.ts'
import { createMailLink, markEmailVerified, withTemporaryAccount } from './email-verification.server.ts'
import { isEmailReserved, useMailedLink } from './mailed-links.server.ts'
import { listPasskeys } from './passkeys.server.ts'
import { hashPassword } from './password-hash.server.ts'
import { isProofCurrent, type PasswordProof } from './password-proof.server.ts'
import { endSessions, MAX_SESSION_MS, type Session } from './sessions.server.ts'

/**
 * Creates an account. If the site verifies addresses, neither the result nor the timing reveals that an address is
 * used. Otherwise returns 'taken' for a used address.
 */
export async function signUp(
  deps: AccountDeps,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<'made' | 'taken' | 'mailed'> {
  const { mailer, origin, now } = deps
  const hash = await hashPassword(password)
  const timestamp = new Date(now).toISOString()
  if (!mailer.verifies) return (await addAccount(deps.db, { name, email, hash }, timestamp)) ? 'made' : 'taken'
  return inTransaction(deps.db, (db) =>
    withTemporaryAccount(db, now, async (temporaryId) => {
      const accountId = await addAccount(db, { name, email, hash, temporaryId }, timestamp)
      const trxDeps = { ...deps, db }
      const isReserved = await isEmailReserved(db, email, { now })
      const url = await createMailLink(trxDeps, '/verifyemail', 'verify', { id: accountId ?? temporaryId, email })
      const mailWithoutLink = isReserved ? emailReservedMail : alreadySignedUpMail(origin)
      await enqueueAccountMail(trxDeps, email, accountId ? verificationMail(url) : mailWithoutLink)
      return 'mailed' as const
    }),
  )
}

type NewAccount = Record<'name' | 'email' | 'hash', string> & { id?: string; temporaryId?: string }

/**
 * Adds an account with a password. Returns its ID, or null if the e-mail address is used or reserved. For null, stores
 * the password with `temporaryId`, so that the timing does not differ.
 */
export async function addAccount(
  db: Db,
  { name, email, hash, id = crypto.randomUUID(), temporaryId }: NewAccount,
  timestamp: string,
) {
  return inTransaction(db, async (trx) => {
    const createdId = await insertAccount(trx, { id, name, email, emailVerified: false }, timestamp)
    const owner = createdId ?? temporaryId
    if (owner) await setPassword(trx, owner, hash, timestamp)
    return createdId
  })
}

/** Inserts an account without a sign-in method. Returns its ID, or null if the e-mail address is used or reserved. */
export async function insertAccount(
  trx: Trx,
  account: { id: string; name: string; email: string; emailVerified: boolean },
  timestamp: string,
) {
  const { id, email } = account
  const inserted = await trx
    .insertInto('accounts')
    .values({ ...account, image: null, createdAt: timestamp, updatedAt: timestamp })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  // The insert waits for a concurrent release of this address, so the reservation is checked after the insert.
  const isReserved = await isEmailReserved(trx, email, { now: Date.parse(timestamp) })
  // The statement runs for every address, so that the timing does not reveal a reserved address.
  const [createdId, rejectedId] = !inserted ? [null, ''] : isReserved ? [null, id] : [id, '']
  await trx.deleteFrom('accounts').where('id', '=', rejectedId).execute()
  return createdId
}

/** Replaces name, e-mail and password of an unverified account. Returns null if the new address is used or reserved. */
export async function overwriteUnverifiedAccount(
  trx: Trx,
  { id, name, email, hash }: Record<'id' | 'name' | 'email' | 'hash', string>,
  timestamp: string,
) {
  const now = Date.parse(timestamp)
  const otherAccount = trx.selectFrom('accounts').select('id').where('email', '=', email).where('id', '!=', id)
  if ((await otherAccount.executeTakeFirst()) || (await isEmailReserved(trx, email, { except: id, now }))) return null
  await endSessions(trx, id)
  await trx.deleteFrom('passkeys').where('accountId', '=', id).execute()
  await trx
    .updateTable('accounts')
    .set({ name, email, emailVerified: false, updatedAt: timestamp })
    .where('id', '=', id)
    .execute()
  await setPassword(trx, id, hash, timestamp)
  return id
}

function setPassword(trx: Trx, owner: string, password: string, timestamp: string) {
  const method = { id: crypto.randomUUID(), owner, provider: 'credential', subject: owner, password } as const
  return trx
    .insertInto('signInMethods')
    .values({ ...method, createdAt: timestamp, updatedAt: timestamp })
    .onConflict((conflict) => conflict.columns(['provider', 'subject']).doUpdateSet({ password, updatedAt: timestamp }))
    .execute()
}

/** Mails a reset link, in equal time for every address. Unverified staff get none: a typo could admit a stranger. */
export async function requestReset(deps: AccountDeps, email: string) {
  await inTransaction(deps.db, async (db) => {
    const account = await db
      .selectFrom('accounts')
      .select(['id', 'emailVerified'])
      .where('email', '=', email)
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    const { staff } = await readRoles(db, account?.id ?? '')
    const mayBeMailed = account && (account.emailVerified || !deps.mailer.verifies || !staff)
    const url = await withTemporaryAccount(db, deps.now, (temporaryId) =>
      createMailLink({ ...deps, db }, '/resetpassword', 'reset', { id: mayBeMailed ? account.id : temporaryId, email }),
    )
    const mail = await enqueueAccountMail({ ...deps, db }, email, resetMail(url))
    await db
      .deleteFrom('outbox')
      .where('id', '=', mayBeMailed ? '' : mail)
      .execute()
  })
}

/**
 * Sets a new password, verifies the e-mail address, ends all sessions and deletes the mailed links. If the address was
 * unverified, also deletes the passkeys, because a stranger may have added them. Returns null if the link is invalid.
 */
export async function resetPassword(deps: AccountDeps, { token, password }: { token: string; password: string }) {
  const { now } = deps
  const timestamp = new Date(now).toISOString()
  const hash = await hashPassword(password)
  return inTransaction(deps.db, async (trx) => {
    const link = await useMailedLink(trx, ['reset'], token, now)
    if (!link) return null
    const { accountId, email } = link
    const account = trx.selectFrom('accounts').select('id').where('id', '=', accountId)
    await trx
      .deleteFrom('passkeys')
      .where('accountId', 'in', account.where('emailVerified', '=', false))
      .execute()
    if (!(await markEmailVerified(trx, { id: accountId, email }, now))) return null
    await setPassword(trx, accountId, hash, timestamp)
    await endSessions(trx, accountId)
    await notifyVerifiedAccount({ ...deps, db: trx }, accountId, passwordChangedMail(deps.origin))
    return accountId
  })
}

/** Changes the password and ends all sessions. Returns false if session or password changed since the verification. */
export async function changePassword(deps: AccountDeps, session: Session, proof: PasswordProof, password: string) {
  const { accountId } = session
  const hash = await hashPassword(password)
  return inTransaction(deps.db, async (db) => {
    if (!(await isProofCurrent(db, session, proof))) return false
    await setPassword(db, accountId, hash, new Date(deps.now).toISOString())
    await endSessions(db, accountId)
    await notifyVerifiedAccount({ ...deps, db }, accountId, passwordChangedMail(deps.origin))
    return true
  })
}

/** Returns sign-in methods, devices and sessions, the current session first. `now` is in milliseconds since 1970. */
export async function readAccount(db: Db, { accountId, id: sessionId }: Session, now: number) {
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
    .orderBy((eb) => eb('id', '=', sessionId), 'desc')
    .orderBy('updatedAt', 'desc')
    .execute()
  const passkeys = await listPasskeys(db, accountId)
  const apiTokens = await listApiTokens(db, accountId)
  const pushDevices = await listPushDevices(db, accountId)
  return { methods, passkeys, apiTokens, pushDevices, sessions }
}

export async function exportAccountData(db: Db, session: Session, now: number) {
  const { accountId } = session
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const members = await db.selectFrom('members').selectAll().where('accountId', '=', accountId).execute()
  const staff = await db.selectFrom('staff').selectAll().where('accountId', '=', accountId).execute()
  const drafts = await db.selectFrom('memberDrafts').selectAll().where('owner', '=', accountId).execute()
  const ownMemberIds = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  const answers = await db.selectFrom('answers').selectAll().where('memberId', 'in', ownMemberIds).execute()
  const mutedMails = await db.selectFrom('mutedMails').selectAll().where('memberId', 'in', ownMemberIds).execute()
  return { account, members, staff, answers, mutedMails, drafts, ...(await readAccount(db, session, now)) }
}

/** Deletes the account's data. Foreign keys also delete the sign-in methods, passkeys, sessions and devices. */
export async function eraseAccount(db: Db, accountId: string) {
  await inTransaction(db, async (trx) => {
    await trx.deleteFrom('onceKeys').where('owner', '=', accountId).execute()
    const email = trx.selectFrom('accounts').select('email').where('id', '=', accountId)
    await trx.deleteFrom('outbox').where('about', 'is', null).where('to', '=', email).execute()
    await trx.deleteFrom('revisions').where('subject', '=', 'account').where('subjectId', '=', accountId).execute()
    await trx.deleteFrom('accounts').where('id', '=', accountId).execute()
  })
}

export function verifiedEmailReader(db: Db): ReadVerifiedEmails {
  return async (ids, trx = db) => {
    if (ids.length === 0) return new Map()
    const verifiedAccounts = trx.selectFrom('accounts').select(['id', 'email']).where('emailVerified', '=', true)
    const rows = await verifiedAccounts.where('id', 'in', ids).execute()
    return new Map(rows.map(({ id, email }) => [id, email]))
  }
}
