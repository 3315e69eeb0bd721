import type { Kysely } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Mailer, Message } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { type Accounts, clockKey, dbKey, mailerKey, originKey, type RequestContext } from '../request.ts'
import { readSite } from '../site/site.server.ts'
import { alreadySignedUpMail, resetMail, verificationMail } from './account-mails.ts'
import { findMailedLink, makeMailedLink, useMailedLink } from './mailed-links.server.ts'
import { hashPassword, verifyPassword } from './password-hash.server.ts'

/** What the verbs here need of the world around them; `now` in milliseconds since 1970. */
export type Around = { db: Kysely<Tables>; mailer: Pick<Mailer, 'verifies'>; origin: string; now: number }

/** The world around one request. */
export function aroundOf(context: RequestContext): Around {
  return {
    db: context.get(dbKey),
    mailer: context.get(mailerKey),
    origin: context.get(originKey),
    now: context.get(clockKey)(),
  }
}

function post({ db, now }: Around, message: Message) {
  return enqueue(db, message, { at: new Date(now).toISOString() })
}

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
  return inTransaction(around.db, async (db) => {
    const accountId = await addAccount(db, { name, email, hash }, new Date(now).toISOString())
    if (!mailer.verifies) return accountId ? 'made' : 'taken'
    if (accountId) {
      await sendVerification({ ...around, db }, { id: accountId, name, email })
    } else {
      const owner = await db.selectFrom('accounts').select('name').where('email', '=', email).executeTakeFirstOrThrow()
      const { name: shop } = await readSite(db)
      await post({ ...around, db }, alreadySignedUpMail({ to: email, name: owner.name, shop }, origin))
    }
    return 'mailed'
  })
}

/** Makes an account whose password has this hash and returns its id; null where the address has one already. */
export async function addAccount(
  db: Kysely<Tables>,
  { name, email, hash, id = crypto.randomUUID() }: Record<'name' | 'email' | 'hash', string> & { id?: string },
  at: string,
) {
  return inTransaction(db, async (trx) => {
    const added = await trx
      .insertInto('accounts')
      .values({ id, name, email, emailVerified: 0, image: null, createdAt: at, updatedAt: at })
      .onConflict((already) => already.column('email').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) return null
    await trx
      .insertInto('signInMethods')
      .values(passwordMethod(id, hash, at))
      .execute()
    return id
  })
}

function passwordMethod(accountId: string, password: string, at: string) {
  const nothing = { accessToken: null, refreshToken: null, idToken: null, scope: null }
  return {
    id: crypto.randomUUID(),
    accountId,
    provider: 'credential' as const,
    subject: accountId,
    password,
    ...nothing,
    accessTokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Mails the link that proves `email` to be this account's; its address changes to that when the link is used. */
export async function sendVerification(around: Around, account: { id: string; name: string; email: string }) {
  const { origin, now } = around
  await inTransaction(around.db, async (db) => {
    const { name: shop } = await readSite(db)
    const link = { purpose: 'verify' as const, accountId: account.id, email: account.email }
    const url = `${origin}/verifyemail?token=${await makeMailedLink(db, link, now)}`
    await post({ ...around, db }, verificationMail({ to: account.email, name: account.name, shop }, url))
  })
}

/** Sends the verification once more to an account that has not used it; nothing for any other address. */
export async function sendVerificationAgain(around: Around, email: string) {
  const account = await around.db
    .selectFrom('accounts')
    .select(['id', 'name', 'email'])
    .where('email', '=', email)
    .where('emailVerified', '=', 0)
    .executeTakeFirst()
  if (account) await sendVerification(around, account)
}

/** Uses a verification link; the address that is now proven, null where the link no longer opens or the address is another's. */
export async function verifyEmail(db: Kysely<Tables>, token: string, now: number) {
  const proven = inTransaction(db, async (trx) => {
    const link = await useMailedLink(trx, 'verify', token, now)
    if (!link) return null
    await trx
      .updateTable('accounts')
      .set({ email: link.email, emailVerified: 1, updatedAt: new Date(now).toISOString() })
      .where('id', '=', link.accountId)
      .execute()
    return link.email
  })
  return unlessTaken(proven, null)
}

// No two accounts have one address: the index refuses the second, also of two that come in the same instant.
async function unlessTaken<T, Otherwise>(work: Promise<T>, otherwise: Otherwise) {
  try {
    return await work
  } catch (error) {
    if (!isConflict(error)) throw error
    return otherwise
  }
}

/** Mails the link for a new password, if the address has an account. */
export async function requestReset(around: Around, email: string) {
  const { db, origin, now } = around
  const account = await db.selectFrom('accounts').select(['id', 'name']).where('email', '=', email).executeTakeFirst()
  if (!account) return
  await inTransaction(db, async (trx) => {
    const { name: shop } = await readSite(trx)
    const token = await makeMailedLink(trx, { purpose: 'reset', accountId: account.id, email }, now)
    const url = `${origin}/resetpassword?token=${token}`
    await post({ ...around, db: trx }, resetMail({ to: email, name: account.name, shop }, url))
  })
}

/** The address whose password a reset link changes, null where it no longer opens. */
export async function addressOfReset(db: Kysely<Tables>, token: string, now: number) {
  const link = await findMailedLink(db, 'reset', token, now)
  return link?.email ?? null
}

/** Sets the password by a reset link and ends every session; the mail has proven the address. Gives the account, null where the link no longer opens. */
export async function resetPassword(
  db: Kysely<Tables>,
  { token, password }: { token: string; password: string },
  now: number,
) {
  const at = new Date(now).toISOString()
  const hash = await hashPassword(password)
  return inTransaction(db, async (trx) => {
    const link = await useMailedLink(trx, 'reset', token, now)
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
    await trx
      .insertInto('signInMethods')
      .values(passwordMethod(accountId, hash, at))
      .onConflict((already) => already.columns(['provider', 'subject']).doUpdateSet({ password: hash, updatedAt: at }))
      .execute()
    await trx.deleteFrom('sessions').where('accountId', '=', accountId).execute()
    return accountId
  })
}

/**
 * Changes the address. With mail it changes when the new one is proven, and a used one gets the same answer; without,
 * it changes at once, unproven, and 'taken' says that it is another's.
 */
export async function changeEmail(
  around: Around,
  account: { id: string; name: string; email: string },
): Promise<'changed' | 'taken' | 'mailed'> {
  const { db, mailer, origin, now } = around
  if (!mailer.verifies) {
    const changed = db
      .updateTable('accounts')
      .set({ email: account.email, emailVerified: 0, updatedAt: new Date(now).toISOString() })
      .where('id', '=', account.id)
      .execute()
      .then(() => 'changed' as const)
    return unlessTaken(changed, 'taken')
  }
  const owner = await db
    .selectFrom('accounts')
    .select('name')
    .where('email', '=', account.email)
    .where('id', '!=', account.id)
    .executeTakeFirst()
  if (owner) {
    const { name: shop } = await readSite(db)
    await post(around, alreadySignedUpMail({ to: account.email, name: owner.name, shop }, origin))
  } else {
    await sendVerification(around, account)
  }
  return 'mailed'
}

/** Whether this is the account's password; an account without one has nothing to prove. */
export async function passwordIs(db: Kysely<Tables>, accountId: string, password = '') {
  const method = await db
    .selectFrom('signInMethods')
    .select('password')
    .where('accountId', '=', accountId)
    .where('provider', '=', 'credential')
    .executeTakeFirst()
  return !method?.password || verifyPassword({ password, hash: method.password })
}

/** How an account signs in, and where it is signed in now, the device that asks first. */
export async function accountOf(db: Kysely<Tables>, accountId: string, sessionId: string) {
  const methods = await db
    .selectFrom('signInMethods')
    .select(['provider', 'createdAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .execute()
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('accountId', '=', accountId)
    .orderBy('updatedAt', 'desc')
    .execute()
  const first = (id: string) => (id === sessionId ? 0 : 1)
  return { methods, sessions: sessions.sort((a, b) => first(a.id) - first(b.id)) }
}

/** Signs out one device of an account, or, without `sessionId`, all but the one that asks. */
export async function endSessions(
  db: Kysely<Tables>,
  accountId: string,
  { sessionId, except }: { sessionId?: string; except: string },
) {
  let sessions = db.deleteFrom('sessions').where('accountId', '=', accountId).where('id', '!=', except)
  if (sessionId !== undefined) sessions = sessions.where('id', '=', sessionId)
  await sessions.execute()
}

/** Everything that is kept of a person, without the secrets that only serve to sign in. */
export async function dataOf(db: Kysely<Tables>, accountId: string, sessionId: string) {
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const members = await db.selectFrom('members').selectAll().where('accountId', '=', accountId).execute()
  const drafts = await db.selectFrom('memberDrafts').selectAll().where('owner', '=', accountId).execute()
  const own = db.selectFrom('members').select('id').where('accountId', '=', accountId)
  const answers = await db.selectFrom('answers').selectAll().where('memberId', 'in', own).execute()
  return { account, members, answers, drafts, ...(await accountOf(db, accountId, sessionId)) }
}

/** Takes everything of an account out of the database: how it signs in and where it is signed in go with it. */
export async function eraseAccount(db: Kysely<Tables>, accountId: string) {
  await inTransaction(db, async (trx) => {
    await trx.deleteFrom('onceKeys').where('owner', '=', accountId).execute()
    const email = trx.selectFrom('accounts').select('email').where('id', '=', accountId)
    await trx.deleteFrom('outbox').where('about', 'is', null).where('to', '=', email).execute()
    await trx.deleteFrom('accounts').where('id', '=', accountId).execute()
  })
}

/** What the circle asks of the accounts, answered from the database. */
export function accountsIn(db: Kysely<Tables>): Accounts {
  return {
    provenAddresses: async (ids, within = db) => {
      if (ids.length === 0) return new Map()
      const proven = within.selectFrom('accounts').select(['id', 'email']).where('emailVerified', '=', 1)
      const rows = await proven.where('id', 'in', ids).execute()
      return new Map(rows.map(({ id, email }) => [id, email]))
    },
    endSessions: async (accountId) => {
      await db.deleteFrom('sessions').where('accountId', '=', accountId).execute()
    },
  }
}
