import { lock } from '../../db/engine.ts'
import type { MemberRow, Trx } from '../../db/tables.ts'
import { endSessions } from '../accounts/sessions.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { refusalOfAdministration } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { lockRow } from '../records/records.server.ts'
import { contextOf } from '../request.ts'
import { assertOtherAdministrator } from '../settings/roles.server.ts'
import { deleteDraft } from './drafts.server.ts'
import { accountnameKey, memberFieldNames, memberFields } from './member.ts'
import { announceApproval, memberNoticesOf } from './member-notices.server.ts'

/** The record type of members. A revert never changes the account or the data from an older site. */
export const memberRecord: RecordType<MemberRow> = {
  subject: 'member',
  table: 'members',
  topicOf: () => 'members',
  refusal: refusalOfAdministration,
  describe: (row) => ({
    ...Object.fromEntries(memberFieldNames.map((name) => [memberFields[name].label, row[name]])),
    参加の承認: row.admin ? '承認する' : '承認しない',
    管理者: row.administrator ? '管理者にする' : '管理者にしない',
    休会: row.resting ? '休会中' : '',
  }),
  titleOf: ({ username }) => `${username} さん`,
  placeOf: () => 'メンバー',
  urlOf: () => '/memberlist',
  async guard(trx, before, after) {
    if (before && isSiteAdministrator(before) && !(after && isSiteAdministrator(after)))
      await assertOtherAdministrator(trx, before)
    if (after && after.accountnameKey !== before?.accountnameKey) {
      // A concurrent change to the same name waits, and then finds that the name is taken.
      await lock(trx, `account name ${after.accountnameKey}`)
      if (await isAccountnameTaken(trx, after.accountname, after.id)) throw new AccountnameTaken()
    }
    if (before?.accountId && !after) await endSessions(trx, before.accountId)
  },
  immutable: ['accountId', 'nonMemberId', 'birthday', 'realname'],
  // A member without an account cannot sign in, so a revert must not make such a member administrator.
  columnsToRevert: (now, then) =>
    now.deletedAt ? null : { ...then, administrator: now.accountId !== null && then.administrator },
  async afterRevert(context, trx, before, after) {
    if (!before || !after) return
    await announceApproval(trx, before, after, memberNoticesOf(context))
    // The visitor's draft is outdated, because it was based on the state before the revert.
    const { accountId = '' } = contextOf(context).visitor ?? {}
    await deleteDraft(trx, accountId, after.id)
  },
}

export class AccountnameTaken extends Rejection {
  constructor() {
    super('同じアカウント名の方がいるため、元に戻せません。先にその方のアカウント名を変更してください。')
  }
}

function isSiteAdministrator({ administrator, accountId }: MemberRow) {
  return administrator && accountId !== null
}

/** Whether another member has this account name in any width or letter case. Members in the bin do not count. */
export async function isAccountnameTaken(trx: Pick<Trx, 'selectFrom'>, accountname: string, exceptId = '') {
  const other = await trx
    .selectFrom('members')
    .select('id')
    .where('accountnameKey', '=', accountnameKey(accountname))
    .where('deletedAt', 'is', null)
    .where('id', '!=', exceptId)
    .executeTakeFirst()
  return other !== undefined
}

/**
 * Locks the registration of an account. Returns its locked member, even in the bin, or null if the account has no member.
 */
export async function lockMemberOf(trx: Trx, accountId: string) {
  await lock(trx, `member of ${accountId}`)
  const row = await trx.selectFrom('members').select('id').where('accountId', '=', accountId).executeTakeFirst()
  return row ? lockRow(trx, memberRecord, row.id) : null
}
