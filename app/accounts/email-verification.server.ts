import { isConflict } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type AccountDeps, enqueueAccountMail } from './account-deps.server.ts'
import {
  emailChangedMail,
  emailChangeMail,
  emailChangeRequestedMail,
  emailChangeUndoneMail,
  emailInUseMail,
  emailReservedMail,
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
import { endSessions } from './sessions.server.ts'

type Account = { id: string; email: string }
type TransactionDeps = AccountDeps & { db: Trx }

export async function sendVerification(deps: AccountDeps, account: Account) {
  await inTransaction(deps.db, async (db) => {
    const url = await createMailLink({ ...deps, db }, '/verifyemail', 'verify', account)
    await enqueueAccountMail({ ...deps, db }, account.email, verificationMail(url))
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

/**
 * Runs `work` with a temporary account. If the e-mail address is unknown or already used, the rows are written for this
 * account, so that the timing does not reveal the case.
 */
export async function withTemporaryAccount<T>(trx: Trx, now: number, work: (temporaryId: string) => Promise<T>) {
  const id = crypto.randomUUID()
  const timestamp = new Date(now).toISOString()
  const columns = { name: '', email: `${id}@stand-in.invalid`, emailVerified: false, image: null } as const
  await trx
    .insertInto('accounts')
    .values({ id, ...columns, createdAt: timestamp, updatedAt: timestamp })
    .execute()
  const result = await work(id)
  await trx.deleteFrom('accounts').where('id', '=', id).execute()
  return result
}

export async function resendVerification(deps: AccountDeps, email: string) {
  const account = await deps.db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('email', '=', email)
    .where('emailVerified', '=', false)
    .executeTakeFirst()
  if (account) await sendVerification(deps, account)
}

/**
 * Changes the e-mail address, or only mails a confirmation link if the site verifies addresses. Mails an undo link to a
 * verified previous address. Returns 'taken' for a used address, unless the site verifies addresses.
 */
export async function changeAccountEmail(
  deps: AccountDeps,
  { id, email }: Account,
  isProofCurrent: (trx: Trx) => Promise<boolean>,
) {
  return catchTakenEmail<'changed' | 'mailed' | 'refused' | 'taken'>('taken', () =>
    inTransaction(deps.db, async (db) => {
      if (!(await isProofCurrent(db))) return 'refused'
      if (deps.mailer.verifies) {
        await requestEmailChange({ ...deps, db }, { id, email })
        return 'mailed'
      }
      await setEmail({ ...deps, db }, { id, email }, false)
      return 'changed'
    }),
  )
}

async function requestEmailChange(deps: TransactionDeps, { id, email }: Account) {
  const { db, now } = deps
  const otherAccount = await db.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const isReserved = await isEmailReserved(db, email, { except: id, now })
  const url = await withTemporaryAccount(db, now, (temporaryId) =>
    createMailLink(deps, '/verifyemail', 'change', { id: otherAccount || isReserved ? temporaryId : id, email }),
  )
  await enqueueAccountMail(
    deps,
    email,
    otherAccount ? emailInUseMail : isReserved ? emailReservedMail : emailChangeMail(url),
  )

  const account = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  if (!account.emailVerified) return
  const existingUndoLink = await findUndoLink(db, { id, email }, now)
  const undoUrl = existingUndoLink ? null : await createMailLink(deps, '/undoaddress', 'undo', account)
  await enqueueAccountMail(deps, account.email, emailChangeRequestedMail(email, undoUrl))
}

export function findVerification(db: Db, token: string, now: number) {
  return findMailedLink(db, ['verify', 'change'], token, now)
}

/** Verifies an address by its link. Returns null if the link is invalid or another account has the address. */
export async function verifyEmail(deps: AccountDeps, token: string) {
  return catchTakenEmail<{ email: string; isNew: boolean } | null>(null, () =>
    inTransaction(deps.db, async (db) => {
      const link = await useMailedLink(db, ['verify', 'change'], token, deps.now)
      if (!link) return null
      const account = { id: link.accountId, email: link.email }
      if (link.purpose === 'change') {
        await setEmail({ ...deps, db }, account, true)
        return { email: link.email, isNew: true }
      }
      return (await markEmailVerified(db, account, deps.now)) ? { email: link.email, isNew: false } : null
    }),
  )
}

/** Marks the e-mail address as verified. Returns false if the account now has another address. */
export async function markEmailVerified(trx: Trx, { id, email }: Account, now: number) {
  const account = trx.updateTable('accounts').where('id', '=', id).where('email', '=', email)
  const marked = account.set({ emailVerified: true, updatedAt: new Date(now).toISOString() }).returning('id')
  return (await marked.executeTakeFirst()) !== undefined
}

async function setEmail(deps: TransactionDeps, { id, email }: Account, emailVerified: boolean) {
  const { db, now } = deps
  const previous = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await db
    .updateTable('accounts')
    .set({ email, emailVerified, updatedAt: new Date(now).toISOString() })
    .where('id', '=', id)
    .execute()
  // The update waits for a concurrent release of this address, so the reservation is checked after the update.
  if (await isEmailReserved(db, email, { except: id, now })) throw new EmailTaken()
  await deleteMailedLinks(db, id)
  // A change to an earlier address equals an undo, so the replaced address gets no undo link.
  const existingUndoLink = await findUndoLink(db, { id, email }, now)
  if (existingUndoLink) await deleteUndoLinks(db, id, existingUndoLink)
  if (!previous.emailVerified) return
  const undoUrl = existingUndoLink ? null : await createMailLink(deps, '/undoaddress', 'undo', previous)
  await enqueueAccountMail(deps, previous.email, emailChangedMail(email, undoUrl))
}

/** Thrown in a transaction if another account has or reserves the e-mail address. */
export class EmailTaken extends Error {}

/** Returns `takenResult` if the address is taken. The unique index rejects the second of two concurrent requests. */
export async function catchTakenEmail<T>(takenResult: T, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (!isConflict(error) && !(error instanceof EmailTaken)) throw error
    return takenResult
  }
}

/**
 * Restores the previous e-mail address. Deletes the password, sessions, links, and later Google sign-ins and passkeys,
 * because the author of the change knew the password.
 */
export async function undoEmailChange({ db, now }: AccountDeps, token: string) {
  return catchTakenEmail<'taken' | null | { accountId: string; reset: string }>('taken', () =>
    inTransaction(db, async (trx) => {
      const link = await useMailedLink(trx, ['undo'], token, now)
      if (!link) return null
      const { accountId, email, expiresAt } = link
      const timestamp = new Date(now).toISOString()
      const previous = await trx
        .selectFrom('accounts')
        .selectAll()
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow()
      await trx
        .updateTable('accounts')
        .set({ email, emailVerified: true, updatedAt: timestamp })
        .where('id', '=', accountId)
        .execute()
      const requestedAt = new Date(Date.parse(expiresAt) - MAILED_LINK_TTL_MS.undo).toISOString()
      await trx
        .deleteFrom('signInMethods')
        .where('owner', '=', accountId)
        .where((eb) => eb.or([eb('provider', '=', 'credential'), eb('createdAt', '>=', requestedAt)]))
        .execute()
      const passkeys = trx.deleteFrom('passkeys').where('accountId', '=', accountId)
      await passkeys.where('createdAt', '>=', requestedAt).execute()
      await endSessions(trx, accountId)
      await deleteUndoLinks(trx, accountId, link)
      if (previous.email !== email) await enqueueAccountMail({ db: trx, now }, previous.email, emailChangeUndoneMail)
      return { accountId, reset: await createMailedLink(trx, { purpose: 'reset', accountId, email }, now) }
    }),
  )
}
