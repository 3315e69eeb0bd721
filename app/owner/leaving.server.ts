import { inTransaction } from '../../db/transaction.ts'
import { askPassword, type Sent, signInAgain } from '../accounts/account-changes.server.ts'
import { LeaveForm } from '../accounts/account-forms.ts'
import { eraseAccount } from '../accounts/accounts.server.ts'
import { stillHolds } from '../accounts/proof.server.ts'
import type { Session } from '../accounts/sessions.server.ts'
import { answered } from '../forms/answered.server.ts'
import { readFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { eraseMember } from '../members/administration.server.ts'
import { contextOf } from '../request.ts'
import { LastAdministrator } from '../settings/roles.server.ts'
import { eraseStaff } from '../staff/staff.server.ts'

/** Erases the account with its member and staff records and signs out; 409 for the last administrator. */
export async function leaveForGood({ form, request, context }: Sent, session: Session) {
  const { accountId } = session
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent: 'leave', ...said }, status)
  const read = readFields(LeaveForm, form)
  if (read.errors) return answer(400, { errors: read.errors })
  const { db, clock, auth, live } = contextOf(context)
  const { proof, refusal } = await askPassword(context, accountId, read.value.current)
  if (refusal) return answer(...refusal)
  try {
    const left = await inTransaction(db, async (trx) => {
      if (!(await stillHolds(trx, session, proof))) return false
      const at = new Date(clock()).toISOString()
      await eraseMember(trx, accountId, at)
      await eraseStaff(trx, { accountId, at })
      await eraseAccount(trx, accountId)
      return true
    })
    if (!left) return answer(401, { trouble: signInAgain, signIn: true })
  } catch (error) {
    if (!(error instanceof LastAdministrator)) throw error
    return answer(409, { trouble: '最後の管理者は退会できません。先にほかの方を管理者にしてください。' })
  }
  // The session was erased with the account, so a failure changes nothing.
  await auth.signOut().catch(() => {})
  live.endStreamsOf(accountId)
  return answered(request, { intent: 'leave', done: '退会の手続きを終えました。' }, 200, '/home')
}
