import { lock } from '../../db/engine.ts'
import type { StaffRow, Trx } from '../../db/tables.ts'
import { endSessions } from '../accounts/sessions.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { lockRow } from '../records/records.server.ts'
import { assertOtherAdministrator } from '../settings/roles.server.ts'
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
