import { isConflict } from '../../db/engine.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { AccountDeps } from '../accounts/account-deps.server.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import { sendVerification } from '../accounts/email-verification.server.ts'
import { hashPassword } from '../accounts/password-hash.server.ts'
import { lockInvitation, type NotInvited, useInvitation } from './invitations.server.ts'

/**
 * Creates an account that accepts an invitation. Returns null on success, or the reason for the failure. If the site
 * sends mail, the account can sign in again only after its e-mail address is verified.
 */
export async function signUpByInvitation(
  around: AccountDeps,
  token: string,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<NotInvited | 'taken' | null> {
  const { now } = around
  const hash = await hashPassword(password)
  try {
    return await inTransaction(around.db, async (trx) => {
      const invited = await lockInvitation(trx, null, token, now)
      if (invited.state !== 'open') return invited.state
      const id = await addAccount(trx, { name, email, hash }, new Date(now).toISOString())
      if (id === null) return 'taken'
      await useInvitation(trx, invited, { accountId: id, name }, now)
      if (around.mailer.verifies) await sendVerification({ ...around, db: trx }, { id, email })
      return null
    })
  } catch (error) {
    if (isConflict(error)) return 'taken'
    throw error
  }
}
