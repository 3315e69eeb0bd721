import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Mailer, Message } from '../mail/mailer.server.ts'
import { mailerKey } from '../mail/mailer-key.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { clockKey, dbKey, mailOriginKey, type RequestContext } from '../request.ts'

/** What the verbs here need of the world around them; `now` in milliseconds since 1970. */
export type Around = { db: Kysely<Tables>; mailer: Pick<Mailer, 'verifies'>; origin: string; now: number }

/** The world around one request. */
export function aroundOf(context: RequestContext): Around {
  return {
    db: context.get(dbKey),
    mailer: context.get(mailerKey),
    origin: context.get(mailOriginKey),
    now: context.get(clockKey)(),
  }
}

/** Puts a mail into the outbox, in the transaction that `db` may be. */
export function post({ db, now }: Pick<Around, 'db' | 'now'>, message: Message) {
  return enqueue(db, message, { at: new Date(now).toISOString() })
}
