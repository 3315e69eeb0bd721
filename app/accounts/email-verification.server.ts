import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type AccountDeps, enqueueAccountMail } from './account-deps.server.ts'
import {
  addressChangeAskedMail,
  addressChangedMail,
  addressGivenBackMail,
  addressInUseMail,
  addressKeptMail,
  newAddressMail,
  verificationMail,
} from './account-mails.ts'
import {
  createMailedLink,
  deleteMailedLinks,
  deleteUndoLinks,
  findMailedLink,
  findUndoLink,
  isEmailReserved,
  MAILED_LINK_TTL_MS,
  useMailedLink,
} from './mailed-links.server.ts'
import { withTemporaryAccount } from './temporary-account.server.ts'

type Account = { id: string; email: string }
type Within = AccountDeps & { db: Transaction<Tables> }

export async function sendVerification(around: AccountDeps, account: Account) {
  await inTransaction(around.db, async (db) => {
    const url = await createMailLink({ ...around, db }, '/verifyemail', 'verify', account)
    await enqueueAccountMail({ ...around, db }, account.email, verificationMail(url))
  })
}

export async function createMailLink(
  { db, origin, now }: AccountDeps,
  path: string,
  purpose: keyof typeof MAILED_LINK_TTL_MS,
  { id, email }: Account,
) {
  return `${origin}${path}?token=${await createMailedLink(db, { purpose, accountId: id, email }, now)}`
}

export async function resendVerification(around: AccountDeps, email: string) {
  const account = await around.db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('email', '=', email)
    .where('emailVerified', '=', false)
    .executeTakeFirst()
  if (account) await sendVerification(around, account)
}

/**
 * Changes the account's e-mail. With mail, the change waits for verification, and the response is the same for a used
 * e-mail. Without mail, the change is immediate and unverified; returns 'taken' if another account has the e-mail.
 * Notifies a verified previous e-mail address with an undo link. Returns 'refused' if `stillProven` returns false.
 */
export async function changeAccountEmail(
  around: AccountDeps,
  { id, email }: Account,
  stillProven: (trx: Transaction<Tables>) => Promise<boolean>,
) {
  return unlessTaken<'changed' | 'mailed' | 'refused' | 'taken'>('taken', () =>
    inTransaction(around.db, async (db) => {
      if (!(await stillProven(db))) return 'refused'
      if (around.mailer.verifies) {
        await askForAddress({ ...around, db }, { id, email })
        return 'mailed'
      }
      await setAddress({ ...around, db }, { id, email }, false)
      return 'changed'
    }),
  )
}

async function askForAddress(around: Within, { id, email }: Account) {
  const { db, now } = around
  const other = await db.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const kept = await isEmailReserved(db, email, { except: id, now })
  const url = await withTemporaryAccount(db, now, (standIn) =>
    createMailLink(around, '/verifyemail', 'change', { id: other || kept ? standIn : id, email }),
  )
  await enqueueAccountMail(around, email, other ? addressInUseMail : kept ? addressKeptMail : newAddressMail(url))

  const account = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  if (!account.emailVerified) return
  const back = await findUndoLink(db, { id, email }, now)
  const undo = back ? null : await createMailLink(around, '/undoaddress', 'undo', account)
  await enqueueAccountMail(around, account.email, addressChangeAskedMail(email, undo))
}

/** Returns an unexpired /verifyemail link, for the account's current or new e-mail. */
export function findVerification(db: Kysely<Tables>, token: string, now: number) {
  return findMailedLink(db, ['verify', 'change'], token, now)
}

/** Uses a /verifyemail link. Returns null if the link is invalid or another account has the e-mail. */
export async function verifyEmail(around: AccountDeps, token: string) {
  return unlessTaken<{ email: string; isNew: boolean } | null>(null, () =>
    inTransaction(around.db, async (db) => {
      const link = await useMailedLink(db, ['verify', 'change'], token, around.now)
      if (!link) return null
      const account = { id: link.accountId, email: link.email }
      if (link.purpose === 'change') {
        await setAddress({ ...around, db }, account, true)
        return { email: link.email, isNew: true }
      }
      const proven = await db
        .updateTable('accounts')
        .set({ emailVerified: true, updatedAt: new Date(around.now).toISOString() })
        .where('id', '=', account.id)
        .where('email', '=', account.email)
        .returning('email')
        .executeTakeFirst()
      return proven ? { ...proven, isNew: false } : null
    }),
  )
}

// Throws if another account has or reserves the e-mail.
async function setAddress(around: Within, { id, email }: Account, emailVerified: boolean) {
  const { db, now } = around
  const before = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await db
    .updateTable('accounts')
    .set({ email, emailVerified, updatedAt: new Date(now).toISOString() })
    .where('id', '=', id)
    .execute()
  // The update waits for a concurrent transaction that releases this e-mail, so the check follows the update.
  if (await isEmailReserved(db, email, { except: id, now })) throw new Kept()
  await deleteMailedLinks(db, id)
  // A change to an earlier e-mail equals an undo, so the replaced e-mail gets no undo link.
  const back = await findUndoLink(db, { id, email }, now)
  if (back) await deleteUndoLinks(db, id, back)
  if (!before.emailVerified) return
  const undo = back ? null : await createMailLink(around, '/undoaddress', 'undo', before)
  await enqueueAccountMail(around, before.email, addressChangedMail(email, undo))
}

class Kept extends Error {}

// The unique index on `email` rejects the second account, even if both requests are concurrent.
async function unlessTaken<T>(otherwise: T, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (!isConflict(error) && !(error instanceof Kept)) throw error
    return otherwise
  }
}

/**
 * Restores an earlier e-mail. The author of the change knew the password, so the password, all sessions, all links and
 * later Google sign-ins are deleted. Returns the account ID and a password reset token. Returns null for an invalid
 * link and 'taken' if another account has the e-mail.
 */
export async function undoEmailChange({ db, now }: AccountDeps, token: string) {
  return unlessTaken<'taken' | null | { accountId: string; reset: string }>('taken', () =>
    inTransaction(db, async (trx) => {
      const link = await useMailedLink(trx, ['undo'], token, now)
      if (!link) return null
      const { accountId, email, expiresAt } = link
      const at = new Date(now).toISOString()
      const before = await trx.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
      await trx
        .updateTable('accounts')
        .set({ email, emailVerified: true, updatedAt: at })
        .where('id', '=', accountId)
        .execute()
      const since = new Date(Date.parse(expiresAt) - MAILED_LINK_TTL_MS.undo).toISOString()
      await trx
        .deleteFrom('signInMethods')
        .where('owner', '=', accountId)
        .where((is) => is.or([is('provider', '=', 'credential'), is('createdAt', '>=', since)]))
        .execute()
      await trx.deleteFrom('sessions').where('accountId', '=', accountId).execute()
      await deleteMailedLinks(trx, accountId)
      await deleteUndoLinks(trx, accountId, link)
      if (before.email !== email) await enqueueAccountMail({ db: trx, now }, before.email, addressGivenBackMail)
      return { accountId, reset: await createMailedLink(trx, { purpose: 'reset', accountId, email }, now) }
    }),
  )
}
