import { lock } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { AccountDeps } from '../accounts/account-deps.server.ts'
import { addAccount, overwriteUnverifiedAccount } from '../accounts/accounts.server.ts'
import { catchTakenEmail, EmailTaken, sendVerification } from '../accounts/email-verification.server.ts'
import { hashToken, newToken } from '../accounts/mailed-links.server.ts'
import { hashPassword } from '../accounts/password-hash.server.ts'
import { lockAccount } from '../accounts/password-proof.server.ts'
import type { Visitor } from '../permissions.ts'
import { newSave } from '../records/record.ts'
import { hasHadAdministrator, markFirstAdministrator, readRoles } from '../settings/roles.server.ts'
import { addStaff } from '../staff/staff.server.ts'

/** Creates a setup key and deletes earlier keys. Returns null if the site has had an administrator. */
export async function createSetupKey(db: Db, now: number) {
  return inTransaction(db, async (trx) => {
    await lock(trx, 'welcome')
    if (await hasHadAdministrator(trx)) return null
    const token = newToken()
    await trx.deleteFrom('welcomeKeys').execute()
    await trx
      .insertInto('welcomeKeys')
      .values({ key: hashToken(token), accountId: null, createdAt: new Date(now).toISOString() })
      .execute()
    return token
  })
}

/**
 * Resolves a setup key. `accountId` is null before the first administrator exists. Afterwards, `accountId` is the
 * account of the first administrator. The key can change this account until the e-mail address is verified. Returns
 * null if the key is not valid.
 */
export async function resolveSetupKey(db: Db, token: string, { verifies }: { verifies: boolean }) {
  const found = await db
    .selectFrom('welcomeKeys')
    .select('accountId')
    .where('key', '=', hashToken(token))
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
  const { staff } = await readRoles(db, accountId)
  return staff?.role === 'administration' ? { accountId, name: account.name, email: account.email } : null
}

/**
 * Creates or changes the first administrator. Returns 'closed' if the key is not valid, or 'taken' if another account
 * has the e-mail address.
 */
export async function createFirstAdministrator(
  deps: AccountDeps,
  token: string,
  { name, email, password }: Record<'name' | 'email' | 'password', string>,
) {
  const hash = await hashPassword(password)
  const at = new Date(deps.now).toISOString()
  const { verifies } = deps.mailer
  return catchTakenEmail<'administrator' | 'closed' | 'taken'>('taken', () =>
    inTransaction(deps.db, async (trx) => {
      const setup = await lockKey(trx, token, { verifies })
      if (!setup || (setup.accountId === null && !(await markFirstAdministrator(trx, at)))) return 'closed'
      const account = { name, email, hash }
      const id = setup.accountId
        ? await overwriteUnverifiedAccount(trx, { id: setup.accountId, ...account }, at)
        : await addAccount(trx, account, at)
      if (id === null) throw new EmailTaken()
      await addAdministrator(trx, { accountId: id, name }, at)
      if (verifies) {
        // Without mail, the key is not bound. A key from an old log would otherwise become valid when mail is set up.
        await trx.updateTable('welcomeKeys').set({ accountId: id }).where('key', '=', hashToken(token)).execute()
        await sendVerification({ ...deps, db: trx }, { id, email })
      }
      return 'administrator'
    }),
  )
}

/** Makes a signed-in user the first administrator. Returns false if the key is not valid. */
export async function promoteFirstAdministrator(
  { db, now }: Pick<AccountDeps, 'db' | 'now'>,
  token: string,
  { accountId, name }: Pick<NonNullable<Visitor>, 'accountId' | 'name'>,
) {
  const at = new Date(now).toISOString()
  return inTransaction(db, async (trx) => {
    const setup = await lockKey(trx, token, { verifies: false })
    if (!setup || !(await markFirstAdministrator(trx, at))) return false
    await addAdministrator(trx, { accountId, name }, at)
    return true
  })
}

async function lockKey(trx: Trx, token: string, rules: { verifies: boolean }) {
  await lock(trx, 'welcome')
  const setup = await resolveSetupKey(trx, token, rules)
  if (!setup?.accountId) return setup
  // The lock waits for a concurrent verification of the e-mail address, so the key is checked again.
  await lockAccount(trx, setup.accountId)
  return resolveSetupKey(trx, token, rules)
}

function addAdministrator(trx: Trx, account: { accountId: string; name: string }, at: string) {
  return addStaff(trx, { ...account, role: 'administration' }, newSave({ accountId: account.accountId, at }, 'welcome'))
}
