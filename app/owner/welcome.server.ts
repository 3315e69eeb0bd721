import type { Kysely, Transaction } from 'kysely'
import { isConflict } from '../../db/conflict.ts'
import { lock } from '../../db/lock.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { addAccount, renewAccount } from '../accounts/accounts.server.ts'
import { sendVerification } from '../accounts/addresses.server.ts'
import type { Around } from '../accounts/around.server.ts'
import { keyOf, newToken } from '../accounts/mailed-links.server.ts'
import { hashPassword } from '../accounts/password-hash.server.ts'
import { lockAccount } from '../accounts/proof.server.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { hasHadAdministrator, markFirstAdministrator, rolesOf } from '../settings/roles.server.ts'
import { addStaff } from '../staff/staff.server.ts'

/** Makes a key to /welcome in place of any earlier one; null where the site has had an administrator. */
export async function makeWelcomeKey(db: Kysely<Tables>, now: number) {
  return inTransaction(db, async (trx) => {
    await lock(trx, 'welcome')
    if (await hasHadAdministrator(trx)) return null
    const token = newToken()
    await trx.deleteFrom('welcomeKeys').execute()
    await trx
      .insertInto('welcomeKeys')
      .values({ key: keyOf(token), accountId: null, createdAt: new Date(now).toISOString() })
      .execute()
    return token
  })
}

/**
 * What a key opens: the place of the first administrator or, for as long as the address of who took it by this key is not
 * proven, that place once more. Null where it opens nothing.
 */
export async function whatKeyOpens(db: Kysely<Tables>, token: string, { verifies }: { verifies: boolean }) {
  const found = await db
    .selectFrom('welcomeKeys')
    .select('accountId')
    .where('key', '=', keyOf(token))
    .executeTakeFirst()
  if (!found) return null
  const { accountId } = found
  if (accountId === null) return (await hasHadAdministrator(db)) ? null : { accountId: null, name: '', email: '' }
  const account = await db
    .selectFrom('accounts')
    .select(['name', 'email', 'emailVerified'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!verifies || !account || account.emailVerified) return null
  const { staff } = await rolesOf(db, accountId)
  return staff?.role === 'administration' ? { accountId, name: account.name, email: account.email } : null
}

type Owner = { name: string; email: string; password: string }

/** Makes an account the first administrator by a key. 'closed': the key opens nothing; 'taken': another has the address. */
export async function takeFirstPlace(
  around: Around,
  token: string,
  owner: Owner,
): Promise<'administrator' | 'closed' | 'taken'> {
  const { name, email, password } = owner
  const hash = await hashPassword(password)
  const at = new Date(around.now).toISOString()
  const { verifies } = around.mailer
  try {
    return await inTransaction(around.db, async (trx) => {
      const open = await lockKey(trx, token, { verifies })
      if (!open || (open.accountId === null && !(await markFirstAdministrator(trx, at)))) return 'closed'
      const known = { name, email, hash }
      const id = open.accountId
        ? await renewAccount(trx, { id: open.accountId, ...known }, at)
        : await addAccount(trx, known, at)
      if (id === null) throw new Taken()
      await makeAdministrator(trx, { accountId: id, name }, at)
      if (verifies) {
        await keepFor(trx, token, id)
        await sendVerification({ ...around, db: trx }, { id, email })
      }
      return 'administrator'
    })
  } catch (error) {
    // Of two that take one address in the same instant, the index refuses the second.
    if (error instanceof Taken || isConflict(error)) return 'taken'
    throw error
  }
}

/** Makes whoever is signed in the first administrator by a key; false where it opens nothing. */
export async function takeFirstPlaceAs(
  { db, now }: Pick<Around, 'db' | 'now'>,
  token: string,
  { accountId, name }: Pick<NonNullable<Visitor>, 'accountId' | 'name'>,
) {
  const at = new Date(now).toISOString()
  return inTransaction(db, async (trx) => {
    const open = await lockKey(trx, token, { verifies: false })
    if (!open || !(await markFirstAdministrator(trx, at))) return false
    await makeAdministrator(trx, { accountId, name }, at)
    return true
  })
}

class Taken extends Error {}

async function lockKey(trx: Transaction<Tables>, token: string, rules: { verifies: boolean }) {
  await lock(trx, 'welcome')
  const open = await whatKeyOpens(trx, token, rules)
  if (!open?.accountId) return open
  // Whoever proves the address in this instant has done it by then.
  await lockAccount(trx, open.accountId)
  return whatKeyOpens(trx, token, rules)
}

async function makeAdministrator(
  trx: Transaction<Tables>,
  { accountId, name }: { accountId: string; name: string },
  at: string,
) {
  await addStaff(trx, { accountId, name, role: 'administration' }, newSave({ accountId, at }, 'welcome'))
}

// Without mail it is nobody's, and for good: whoever finds it in an old log opens nothing by it, also once mail is set up.
async function keepFor(trx: Transaction<Tables>, token: string, accountId: string) {
  await trx.updateTable('welcomeKeys').set({ accountId }).where('key', '=', keyOf(token)).execute()
}
