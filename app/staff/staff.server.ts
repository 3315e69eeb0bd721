import type { Db, StaffRow, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Outcome } from '../forms/outcome.ts'
import type { Visitor } from '../permissions.ts'
import { advanceSeenVersion, findOwnDeletion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef, type Save } from '../records/record.ts'
import { add, change, lockPresent, remove } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { markFirstAdministrator } from '../settings/roles.server.ts'
import type { Role } from './staff.ts'
import { accountRecord, lockStaffOf, staffRecord } from './staff-records.server.ts'

export async function listStaff(db: Db, visitor: Visitor) {
  const rows = await db
    .selectFrom('staff')
    .innerJoin('accounts', 'accounts.id', 'staff.accountId')
    .select(['staff.id', 'staff.version', 'staff.name', 'role', 'email', 'accountId', 'staff.createdAt'])
    .where('staff.deletedAt', 'is', null)
    .orderBy('staff.createdAt')
    .orderBy('staff.id')
    .execute()
  return rows.map(({ accountId, ...row }) => ({ ...row, own: accountId === visitor?.accountId }))
}

export async function listAccountsWithoutRole(db: Db) {
  const role = (table: 'staff' | 'members') =>
    db.selectFrom(table).select('accountId').where('accountId', 'is not', null).where('deletedAt', 'is', null)
  return db
    .selectFrom('accounts')
    .select(['id', 'version', 'name', 'email', 'createdAt'])
    .where('deletedAt', 'is', null)
    .where('id', 'not in', role('staff'))
    .where('id', 'not in', role('members'))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Soft-deletes an account. Throws a `Rejection` if the account has a role. */
export async function removeAccount(db: Db, seen: RecordRef, author: Author) {
  const save = newSave(author, 'delete')
  return inTransaction(db, async (trx): Promise<Outcome<{ name: string; save: string }>> => {
    const account = await lockPresent(trx, accountRecord, seen.id)
    if (!account || account.version !== (await advanceSeenVersion(trx, accountRecord, seen, author)))
      return { error: 'conflict' }
    await remove(trx, accountRecord, account, save)
    return { ok: { name: accountRecord.titleOf(account), save: save.id } }
  })
}

/** Gives an account a role. Restores former staff and replaces an earlier role. */
export async function addStaff(
  trx: Trx,
  { accountId, name, role }: { accountId: string; name: string; role: Role },
  save: Save,
): Promise<StaffRow> {
  const earlier = await lockStaffOf(trx, accountId)
  if (earlier) return change(trx, staffRecord, earlier, { name, role, deletedAt: null }, save)
  const row = { id: crypto.randomUUID(), accountId, name, role, createdAt: save.at, deletedAt: null }
  return add(trx, staffRecord, row, save)
}

export type StaffAction = RecordRef & ({ deed: 'end' } | { deed: 'give'; role: Role })

/** Changes or ends the role of a staff member. Throws `LastAdministrator` if no administrator would remain. */
export async function manageStaff(db: Db, action: StaffAction, author: Author) {
  const save = newSave(author, action.deed)
  return inTransaction(db, async (trx): Promise<Outcome<{ name: string; save: string | null }>> => {
    const current = await lockPresent(trx, staffRecord, action.id)
    const ownDeletion =
      current || action.deed !== 'end' ? null : await findOwnDeletion(trx, staffRecord, action, author)
    if (ownDeletion) return { ok: { name: (ownDeletion.before as StaffRow).name, save: ownDeletion.saveId } }
    if (!current) return { error: 'missing' }
    const { name } = current
    if (current.version !== (await advanceSeenVersion(trx, staffRecord, action, author))) return { error: 'conflict' }
    if (action.deed === 'end') await remove(trx, staffRecord, current, save)
    else if (action.role === current.role) return { ok: { name, save: null } }
    else await change(trx, staffRecord, current, { role: action.role }, save)
    return { ok: { name, save: save.id } }
  })
}

/** Makes an account an administrator for the command line. Returns the name of the person. */
export async function appointStaff(db: Db, { id: accountId, name }: { id: string; name: string }, at: string) {
  return inTransaction(db, async (trx) => {
    await markFirstAdministrator(trx, at)
    const save = newSave({ accountId: null, at }, 'appoint')
    const earlier = await lockStaffOf(trx, accountId)
    const values = { accountId, name: earlier?.name ?? name, role: 'administration' as const }
    return (await addStaff(trx, values, save)).name
  })
}

/**
 * Deletes the staff row of an account, its history and the invitations that the account has used. Throws
 * `LastAdministrator` if no administrator would remain.
 */
export async function eraseStaff(trx: Trx, author: Author & { accountId: string }) {
  await trx.deleteFrom('invitations').where('usedBy', '=', author.accountId).execute()
  const row = await lockStaffOf(trx, author.accountId)
  if (!row) return
  if (row.deletedAt === null) await remove(trx, staffRecord, row, newSave(author, 'delete'))
  await trx.deleteFrom('staff').where('id', '=', row.id).execute()
  await trx.deleteFrom('revisions').where('subject', '=', 'staff').where('subjectId', '=', row.id).execute()
}
