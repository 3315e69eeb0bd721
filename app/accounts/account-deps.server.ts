import type { Db } from '../../db/tables.ts'
import { Rejection } from '../forms/outcome.ts'
import { shopMail } from '../mail/mail-body.ts'
import type { Mailer } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { type Attempt, countAttempt, tooManyAttempts } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import type { MailContent } from './account-mails.ts'

/** `now` is in milliseconds since 1970. */
export type AccountDeps = { db: Db; mailer: Pick<Mailer, 'verifies'>; origin: string; now: number }

export function accountDepsOf(context: RequestContext): AccountDeps {
  const { db, mailer, mailOrigin: origin, clock } = contextOf(context)
  return { db, mailer, origin, now: clock() }
}

/** Counts an attempt for the visitor's network and for `account`. Returns the minutes to wait, or null for no wait. */
export function countVisitorAttempt(context: RequestContext, kind: Attempt, account: string | null) {
  const { db, auth, clock } = contextOf(context)
  return countAttempt(db, kind, { account, address: auth.address, now: clock() })
}

/** Counts a mail to a mailbox, whichever form sends it. A tag, `name+tag@`, does not change the mailbox (RFC 5233). */
export function countMailboxAttempt(context: RequestContext, email: string) {
  return countVisitorAttempt(context, 'mailbox', email.replace(/\+[^@]*/, ''))
}

export async function countMailAttempt(context: RequestContext, email: string) {
  return (await countVisitorAttempt(context, 'mail', email)) ?? countMailboxAttempt(context, email)
}

export function assertNoWait(minutes: number | null) {
  if (minutes) throw new Rejection(tooManyAttempts(minutes), 429)
}

/** Stores a mail. The salutation contains no name, because a stranger may have typed the name. */
export async function enqueueAccountMail(
  { db, now }: Pick<AccountDeps, 'db' | 'now'>,
  to: string,
  content: MailContent,
) {
  const { name: shop } = await readSite(db)
  const mail = shopMail(shop, { ...content, salutation: `${to} 様` })
  return enqueue(db, { to, ...mail }, { at: new Date(now).toISOString() })
}

/** Sends a mail to the account. Sends none to an unverified address, because the address may belong to a stranger. */
export async function notifyVerifiedAccount(deps: AccountDeps, accountId: string, mail: MailContent) {
  const account = await deps.db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .where('emailVerified', '=', true)
    .executeTakeFirst()
  if (account) await enqueueAccountMail(deps, account.email, mail)
}
