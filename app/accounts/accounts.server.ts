import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { ProvenAddresses } from '../request.ts'
import { rolesOf } from '../settings/roles.server.ts'
import { readSite } from '../settings/site.server.ts'
import {
  addressKeptMail,
  alreadySignedUpMail,
  passwordChangedMail,
  resetMail,
  verificationMail,
} from './account-mails.ts'
import { linkTo } from './addresses.server.ts'
import { type Around, post } from './around.server.ts'
import { SESSION_LASTS_AT_MOST, type Session } from './auth.server.ts'
import { endSessions } from './end-sessions.server.ts'
import { findMailedLink, isKept, useMailedLink } from './mailed-links.server.ts'
import { hashPassword } from './password-hash.server.ts'
import { provePassword, stillHolds } from './proof.server.ts'
import { withStandIn } from './stand-in.server.ts'

/**
 * A new account with a password. Where mail is set up, the answer and the work are the same for a used address: its
 * owner is told by mail. Where it is not, 'taken' says so.
 */
export async function signUp(
  around: Around,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<'made' | 'taken' | 'mailed'> {
  const { mailer, origin, now } = around
  const hash = await hashPassword(password)
  const at = new Date(now).toISOString()
  if (!mailer.verifies) return (await addAccount(around.db, { name, email, hash }, at)) ? 'made' : 'taken'
  return inTransaction(around.db, (db) =>
    withStandIn(db, now, async (standIn) => {
      const accountId = await addAccount(db, { name, email, hash, standIn }, at)
      const within = { ...around, db }
      const to = { to: email, shop: (await readSite(db)).name }
      const kept = await isKept(db, email, { now })
      const url = await linkTo(within, '/verifyemail', 'verify', { id: accountId ?? standIn, email })
      const otherwise = kept ? addressKeptMail(to) : alreadySignedUpMail(to, origin)
      await post(within, accountId ? verificationMail(to, url) : otherwise)
      return 'mailed' as const
    }),
  )
}

type NewAccount = Record<'name' | 'email' | 'hash', string> & { id?: string; standIn?: string }

/**
 * Makes an account whose password has this hash and returns its id; null where the address has one, or is kept for one: then
 * the `standIn` gets the password.
 */
export async function addAccount(
  db: Kysely<Tables>,
  { name, email, hash, id = crypto.randomUUID(), standIn }: NewAccount,
  at: string,
) {
  return inTransaction(db, async (trx) => {
    const added = await trx
      .insertInto('accounts')
      .values({ id, name, email, emailVerified: 0, image: null, createdAt: at, updatedAt: at })
      .onConflict((already) => already.column('email').doNothing())
      .returning('id')
      .executeTakeFirst()
    // After the account: whoever gave the address up in the same instant has done it by then.
    const kept = await isKept(trx, email, { now: Date.parse(at) })
    // Deletes for every address, so that the work is the same.
    const [made, unwanted] = !added ? [null, ''] : kept ? [null, id] : [id, '']
    await trx.deleteFrom('accounts').where('id', '=', unwanted).execute()
    const owner = made ?? standIn
    if (owner) {
      await trx
        .insertInto('signInMethods')
        .values(passwordMethod(owner, hash, at))
        .execute()
    }
    return made
  })
}

/**
 * Gives an account whose address was never proven another name, address and password, and ends its sessions and links. Gives
 * its id, null where the address is another's, or kept for one.
 */
export async function renewAccount(
  trx: Transaction<Tables>,
  { id, name, email, hash }: Record<'id' | 'name' | 'email' | 'hash', string>,
  at: string,
) {
  const now = Date.parse(at)
  const other = trx.selectFrom('accounts').select('id').where('email', '=', email).where('id', '!=', id)
  if ((await other.executeTakeFirst()) || (await isKept(trx, email, { except: id, now }))) return null
  await endSessions(trx, id)
  await trx.updateTable('accounts').set({ name, email, emailVerified: 0, updatedAt: at }).where('id', '=', id).execute()
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
  const nothing = { accessToken: null, refreshToken: null, idToken: null, scope: null }
  return {
    id: crypto.randomUUID(),
    owner,
    provider: 'credential' as const,
    subject: owner,
    password,
    ...nothing,
    accessTokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/**
 * Mails the link for a new password, if the address has an account; not to an address that nobody has proven yet where
 * the account is of the shop: a stranger's, mistyped, would get the shop with it. The work is the same for every address.
 */
export async function requestReset(around: Around, email: string) {
  await inTransaction(around.db, async (db) => {
    const account = await db
      .selectFrom('accounts')
      .select(['id', 'emailVerified'])
      .where('email', '=', email)
      .where('deletedAt', 'is', null)
      .executeTakeFirst()
    const { staff } = await rolesOf(db, account?.id ?? '')
    const mayBeMailed = account && (account.emailVerified || !around.mailer.verifies || !staff)
    const { name: shop } = await readSite(db)
    const url = await withStandIn(db, around.now, (standIn) =>
      linkTo({ ...around, db }, '/resetpassword', 'reset', { id: mayBeMailed ? account.id : standIn, email }),
    )
    const mail = await post({ ...around, db }, resetMail({ to: email, shop }, url))
    await db
      .deleteFrom('outbox')
      .where('id', '=', mayBeMailed ? '' : mail)
      .execute()
  })
}

/** The address whose password a reset link changes, null where it no longer opens. */
export async function addressOfReset(db: Kysely<Tables>, token: string, now: number) {
  const link = await findMailedLink(db, ['reset'], token, now)
  return link?.email ?? null
}

/**
 * Sets the password by a reset link, and ends every session and every other link; the mail has proven the address, which
 * is told. Gives the account, null where the link no longer opens.
 */
export async function resetPassword(around: Around, { token, password }: { token: string; password: string }) {
  const { now } = around
  const at = new Date(now).toISOString()
  const hash = await hashPassword(password)
  return inTransaction(around.db, async (trx) => {
    const link = await useMailedLink(trx, ['reset'], token, now)
    if (!link) return null
    const { accountId, email } = link
    const same = await trx
      .updateTable('accounts')
      .set({ emailVerified: 1, updatedAt: at })
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

async function tellOfNewPassword({ db, ...around }: Around, accountId: string) {
  const account = await db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .where('emailVerified', '=', 1)
    .executeTakeFirst()
  if (!account) return
  const { name: shop } = await readSite(db)
  await post({ ...around, db }, passwordChangedMail({ to: account.email, shop }, around.origin))
}

/**
 * Changes the password, and ends every session and every link; the address, where it is proven, is told. False where
 * `current` is not the password, or was until just now.
 */
export async function changePassword(
  around: Around,
  session: Session,
  { current, password }: { current: string; password: string },
) {
  const { accountId } = session
  const proof = await provePassword(around.db, accountId, current)
  if (!proof?.hash) return false
  const hash = await hashPassword(password)
  return inTransaction(around.db, async (db) => {
    if (!(await stillHolds(db, session, proof))) return false
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

/** How an account signs in, and where it is signed in now, the device that asks first; `now` in milliseconds since 1970. */
export async function accountOf(db: Kysely<Tables>, { accountId, id: sessionId }: Session, now: number) {
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
    .where('createdAt', '>', new Date(now - SESSION_LASTS_AT_MOST).toISOString())
    .orderBy('updatedAt', 'desc')
    .execute()
  const first = (id: string) => (id === sessionId ? 0 : 1)
  return { methods, sessions: sessions.sort((a, b) => first(a.id) - first(b.id)) }
}

/** Everything that is kept of a person, without the secrets that only serve to sign in. */
export async function dataOf(db: Kysely<Tables>, session: Session, now: number) {
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
  return { account, members, staff, answers, drafts, ...(await accountOf(db, session, now)) }
}

/** Takes everything of an account out of the database: how it signs in and where it is signed in go with it. */
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

/** Returns a function that reads verified e-mail addresses from this database. */
export function provenAddressesIn(db: Kysely<Tables>): ProvenAddresses {
  return async (ids, within = db) => {
    if (ids.length === 0) return new Map()
    const proven = within.selectFrom('accounts').select(['id', 'email']).where('emailVerified', '=', 1)
    const rows = await proven.where('id', 'in', ids).execute()
    return new Map(rows.map(({ id, email }) => [id, email]))
  }
}
