import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readSite } from '../settings/site.server.ts'
import {
  addressChangeAskedMail,
  addressChangedMail,
  addressGivenBackMail,
  addressInUseMail,
  addressKeptMail,
  newAddressMail,
  verificationMail,
} from './account-mails.ts'
import { type Around, post } from './around.server.ts'
import {
  endMailedLinks,
  endWaysBack,
  findMailedLink,
  findWayBack,
  isKept,
  lasts,
  makeMailedLink,
  useMailedLink,
} from './mailed-links.server.ts'
import { withStandIn } from './stand-in.server.ts'

type Account = { id: string; email: string }
/** Within a transaction. */
type Within = Around & { db: Transaction<Tables> }

/** Mails the link that proves the account's address. */
export async function sendVerification(around: Around, account: Account) {
  await inTransaction(around.db, async (db) => {
    const { name: shop } = await readSite(db)
    const url = await linkTo({ ...around, db }, '/verifyemail', 'verify', account)
    await post({ ...around, db }, verificationMail({ to: account.email, shop }, url))
  })
}

/** Makes a link to be mailed. */
export async function linkTo(
  { db, origin, now }: Around,
  path: string,
  purpose: keyof typeof lasts,
  { id, email }: Account,
) {
  return `${origin}${path}?token=${await makeMailedLink(db, { purpose, accountId: id, email }, now)}`
}

/** Sends the verification once more to an account that has not used it; nothing for any other address. */
export async function sendVerificationAgain(around: Around, email: string) {
  const account = await around.db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('email', '=', email)
    .where('emailVerified', '=', 0)
    .executeTakeFirst()
  if (account) await sendVerification(around, account)
}

/**
 * Changes the address. With mail it changes when the new one is proven, and a used one gets the same answer; without,
 * it changes at once, unproven, and 'taken' says that it is another's. The address it had, where that was proven, is
 * told, with a link that gives the account back. 'refused' where what was `proven` does not hold any more.
 */
export async function changeAddress(
  around: Around,
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
      await setAddress({ ...around, db }, { id, email }, 0)
      return 'changed'
    }),
  )
}

async function askForAddress(around: Within, { id, email }: Account) {
  const { db, now } = around
  const { name: shop } = await readSite(db)
  const to = { to: email, shop }
  const other = await db.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const kept = await isKept(db, email, { except: id, now })
  const url = await withStandIn(db, now, (standIn) =>
    linkTo(around, '/verifyemail', 'change', { id: other || kept ? standIn : id, email }),
  )
  await post(around, other ? addressInUseMail(to) : kept ? addressKeptMail(to) : newAddressMail(to, url))

  const account = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  if (!account.emailVerified) return
  const back = await findWayBack(db, { id, email }, now)
  const undo = back ? null : await linkTo(around, '/undoaddress', 'undo', account)
  await post(around, addressChangeAskedMail({ to: account.email, shop }, email, undo))
}

/** What a link of /verifyemail proves, while it opens: the account's address, or one that it is to change to. */
export function findProof(db: Kysely<Tables>, token: string, now: number) {
  return findMailedLink(db, ['verify', 'change'], token, now)
}

/**
 * Uses such a link; gives the address that is now proven, and whether it is new. Null where the link no longer opens or
 * the address is another's.
 */
export async function proveAddress(around: Around, token: string) {
  return unlessTaken<{ email: string; isNew: boolean } | null>(null, () =>
    inTransaction(around.db, async (db) => {
      const link = await useMailedLink(db, ['verify', 'change'], token, around.now)
      if (!link) return null
      const account = { id: link.accountId, email: link.email }
      if (link.purpose === 'change') {
        await setAddress({ ...around, db }, account, 1)
        return { email: link.email, isNew: true }
      }
      const proven = await db
        .updateTable('accounts')
        .set({ emailVerified: 1, updatedAt: new Date(around.now).toISOString() })
        .where('id', '=', account.id)
        .where('email', '=', account.email)
        .returning('email')
        .executeTakeFirst()
      return proven ? { ...proven, isNew: false } : null
    }),
  )
}

// Throws where the address is another's, or kept for one that had it.
async function setAddress(around: Within, { id, email }: Account, emailVerified: 0 | 1) {
  const { db, now } = around
  const before = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await db
    .updateTable('accounts')
    .set({ email, emailVerified, updatedAt: new Date(now).toISOString() })
    .where('id', '=', id)
    .execute()
  // After the change: whoever gave the address up in the same instant has done it by then.
  if (await isKept(db, email, { except: id, now })) throw new Kept()
  await endMailedLinks(db, id)
  // To an address that it had it goes back as by the link: the one in between gets no way back of its own.
  const back = await findWayBack(db, { id, email }, now)
  if (back) await endWaysBack(db, id, back)
  if (!before.emailVerified) return
  const { name: shop } = await readSite(db)
  const undo = back ? null : await linkTo(around, '/undoaddress', 'undo', before)
  await post(around, addressChangedMail({ to: before.email, shop }, email, undo))
}

class Kept extends Error {}

// No two accounts have one address: the index refuses the second, also of two that come in the same instant.
async function unlessTaken<T>(otherwise: T, work: () => Promise<T>) {
  try {
    return await work()
  } catch (error) {
    if (!isConflict(error) && !(error instanceof Kept)) throw error
    return otherwise
  }
}

/** The address that such a link gives the account back to, while it opens. */
export async function addressOfUndo(db: Kysely<Tables>, token: string, now: number) {
  return (await findMailedLink(db, ['undo'], token, now))?.email ?? null
}

/**
 * Gives the account back to an address that it had: whoever asked for the change knew the password, so that opens
 * nothing any more, every device is signed out, and what came since goes: links, and sign-in by Google. Gives the account
 * and a token to choose a new password by; null where the link no longer opens, 'taken' where the address is another's.
 */
export async function undoAddressChange({ db, now }: Around, token: string) {
  return unlessTaken<'taken' | null | { accountId: string; reset: string }>('taken', () =>
    inTransaction(db, async (trx) => {
      const link = await useMailedLink(trx, ['undo'], token, now)
      if (!link) return null
      const { accountId, email, expiresAt } = link
      const at = new Date(now).toISOString()
      const before = await trx.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
      await trx
        .updateTable('accounts')
        .set({ email, emailVerified: 1, updatedAt: at })
        .where('id', '=', accountId)
        .execute()
      const since = new Date(Date.parse(expiresAt) - lasts.undo).toISOString()
      await trx
        .deleteFrom('signInMethods')
        .where('owner', '=', accountId)
        .where((is) => is.or([is('provider', '=', 'credential'), is('createdAt', '>=', since)]))
        .execute()
      await trx.deleteFrom('sessions').where('accountId', '=', accountId).execute()
      await endMailedLinks(trx, accountId)
      await endWaysBack(trx, accountId, link)
      if (before.email !== email) {
        const { name: shop } = await readSite(trx)
        await post({ db: trx, now }, addressGivenBackMail({ to: before.email, shop }))
      }
      return { accountId, reset: await makeMailedLink(trx, { purpose: 'reset', accountId, email }, now) }
    }),
  )
}
