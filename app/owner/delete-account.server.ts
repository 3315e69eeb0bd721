import { redirect } from 'react-router'
import { inTransaction } from '../../db/transaction.ts'
import { reauthenticate, staleSessionRejection } from '../accounts/account-changes.server.ts'
import { deleteAccountForm } from '../accounts/account-forms.ts'
import { eraseAccount } from '../accounts/accounts.server.ts'
import { isProofCurrent } from '../accounts/password-proof.server.ts'
import type { Session } from '../accounts/sessions.server.ts'
import { isRouterRequest, type Submission } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { eraseMember } from '../members/administration.server.ts'
import { lockMemberOf } from '../members/member-record.server.ts'
import { LastAdministrator } from '../settings/roles.server.ts'
import { eraseStaff } from '../staff/staff.server.ts'
import { lockStaffOf } from '../staff/staff-records.server.ts'

/**
 * Erases the user's account, member record and staff record, and signs out. Throws a `Rejection` for the last
 * administrator.
 */
export async function deleteOwnAccount(submission: Submission, session: Session) {
  const { request, db, author, auth, live } = submission
  const { accountId } = session
  const { proof } = await reauthenticate(submission, session, deleteAccountForm)
  const { at } = author
  await inTransaction(db, async (trx) => {
    // An administrator who deletes the member locks the account last, so another order would cause a deadlock.
    await lockMemberOf(trx, accountId)
    await lockStaffOf(trx, accountId)
    if (!(await isProofCurrent(trx, session, proof))) throw staleSessionRejection()
    await eraseMember(trx, accountId, at)
    await eraseStaff(trx, { accountId, at })
    await eraseAccount(trx, accountId)
  }).catch((error: unknown) => {
    if (!(error instanceof LastAdministrator)) throw error
    throw new Rejection('最後の管理者は退会できません。先にほかの方を管理者にしてください。')
  })
  // The session was erased together with the account, so a failed sign-out has no effect.
  await auth.signOut().catch(() => {})
  live.endStreamsOf(accountId)
  if (!isRouterRequest(request)) throw redirect('/home')
  return { done: '退会の手続きを終えました。' }
}
