import type { Selectable } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { AccountRow, StaffRow, Trx } from '../../db/tables.ts'
import { endSessions } from '../accounts/sessions.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { lockRow } from '../records/records.server.ts'
import { assertOtherAdministrator, readRoles } from '../settings/roles.server.ts'
import { roles } from './staff.ts'

/** The record type of staff. A revert never changes the owner of a staff record. */
export const staffRecord: RecordType<StaffRow> = {
  subject: 'staff',
  table: 'staff',
  topicOf: () => 'members',
  refusal: refusalOfAdministration,
  describe: ({ name, role }) => ({ お名前: name, 権限: roles[role].label }),
  titleOf: ({ name }) => `${name} さん`,
  placeOf: () => 'スタッフ',
  urlOf: () => '/staff',
  immutable: ['accountId'],
  async guard(trx, before, after) {
    if (before?.role === 'administration' && after?.role !== 'administration')
      await assertOtherAdministrator(trx, before)
    if (before && !after) await endSessions(trx, before.accountId)
  },
}

/** Locks and returns the staff row of an account, even for former staff. Returns null if there is no staff row. */
export async function lockStaffOf(trx: Trx, accountId: string) {
  await lock(trx, `staff of ${accountId}`)
  const row = await trx.selectFrom('staff').select('id').where('accountId', '=', accountId).executeTakeFirst()
  return row ? lockRow(trx, staffRecord, row.id) : null
}

/** Record type of accounts. Administrators can only remove and restore them. */
export const accountRecord: RecordType<Selectable<AccountRow>> = {
  subject: 'account',
  table: 'accounts',
  topicOf: () => 'members',
  refusal: refusalOfAdministration,
  describe: ({ name, email }) => ({ お名前: name, メールアドレス: email }),
  titleOf: ({ name, email }) => name || email,
  placeOf: () => 'アカウント',
  urlOf: () => '/staff',
  immutable: ['name', 'email', 'emailVerified', 'image', 'createdAt'],
  async guard(trx, before, after) {
    if (!before || after) return
    await lockStaffOf(trx, before.id)
    const { member, staff } = await readRoles(trx, before.id)
    if (member || staff) throw new Rejection(HAS_ROLE)
    await endSessions(trx, before.id)
  },
}

const HAS_ROLE =
  'この方はスタッフかメンバーとして登録されているため、アカウントを削除できません。先にその登録を外してください。'
