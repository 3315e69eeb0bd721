import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Mailer } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { accountMail, type Words } from './account-mails.ts'

/** `now` is in milliseconds since 1970. */
export type Around = { db: Kysely<Tables>; mailer: Pick<Mailer, 'verifies'>; origin: string; now: number }

export function aroundOf(context: RequestContext): Around {
  return {
    db: contextOf(context).db,
    mailer: contextOf(context).mailer,
    origin: contextOf(context).mailOrigin,
    now: contextOf(context).clock(),
  }
}

/** Counts mails per mailbox, for all forms together. Tagged addresses, `name+tag@`, are one mailbox (RFC 5233). */
export function countMailTo(context: RequestContext, email: string) {
  const account = email.replace(/\+[^@]*/, '')
  return countAttempt(contextOf(context).db, 'mailbox', { account, now: contextOf(context).clock() })
}

/** Counts a mail of a form without a password. Returns null if the mail may be sent, else the minutes to wait. */
export async function countMail(context: RequestContext, email: string) {
  const who = { account: email, address: contextOf(context).auth.address }
  const wait = await countAttempt(contextOf(context).db, 'mail', { ...who, now: contextOf(context).clock() })
  return wait ?? countMailTo(context, email)
}

/** Enqueues an account mail. Returns its outbox ID. */
export async function post({ db, now }: Pick<Around, 'db' | 'now'>, to: string, words: Words) {
  const { name: shop } = await readSite(db)
  return enqueue(db, accountMail(to, shop, words), { at: new Date(now).toISOString() })
}
