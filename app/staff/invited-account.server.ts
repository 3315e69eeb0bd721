import { isConflict } from '../../db/engine.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { AccountDeps } from '../accounts/account-deps.server.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { sendVerification } from '../accounts/email-verification.server.ts'
import { hashPassword } from '../accounts/password-hash.server.ts'
import { applyInvitation, type InvitationRejection, lockInvitation } from './invitations.server.ts'

/**
 * Creates an account that accepts an invitation. Returns null if the account has been created, otherwise the reason. If
 * the site sends e-mails, the account can sign in again only after its e-mail address is verified.
 */
export async function signUpByInvitation(
  deps: AccountDeps,
  token: string,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<InvitationRejection | 'taken' | null> {
  const { now } = deps
  const hash = await hashPassword(password)
  try {
    return await inTransaction(deps.db, async (trx) => {
      const invitation = await lockInvitation(trx, null, token, now)
      if (invitation.state !== 'open') return invitation.state
      const id = await addAccount(trx, { name, email, hash }, new Date(now).toISOString())
      if (id === null) return 'taken'
      await applyInvitation(trx, invitation, { accountId: id, name }, now)
      if (deps.mailer.verifies) await sendVerification({ ...deps, db: trx }, { id, email })
      return null
    })
  } catch (error) {
    if (isConflict(error)) return 'taken'
    throw error
  }
}
