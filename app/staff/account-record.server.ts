import type { Selectable } from 'kysely'
import type { AccountRow } from '../../db/tables.ts'
import { endSessions } from '../accounts/sessions.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { readRoles } from '../settings/roles.server.ts'
import { lockStaffOf } from './staff-record.server.ts'

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
