import type { Logger } from 'pino'
import type { Db, OutboxRow } from '../../db/tables.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import type { Mailer, OutgoingMail } from './mailer.server.ts'
import { MINUTE_MS, type Queue, SECOND_MS, waitingRow } from './outbox-queue.server.ts'
import { recipientEmails } from './recipients.server.ts'

type Mail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'replyTo' | 'unsubscribeUrl'> & {
  /** An e-mail address, or a recipient whose e-mail address in the settings is read at delivery. */
  to: string | { recipient: NonNullable<OutboxRow['recipient']> }
}

/**
 * If an e-mail with the same `onceKey` is already in the outbox, the new e-mail is dropped. `about` is the ID of a
 * contact message. `replyId` is the ID of a reply.
 */
type EnqueueOptions = { at: string; onceKey?: string; about?: string | null; replyId?: string }

/** Adds an e-mail to the outbox in the caller's transaction, and returns its ID. It is delivered at least once. */
export async function enqueue(db: Db, mail: Mail, { at, onceKey, about, replyId }: EnqueueOptions) {
  const { to, subject, text, html, replyTo, unsubscribeUrl } = mail
  const recipient = typeof to === 'string' ? { to } : to
  const content = { ...recipient, replyTo, subject, text, html, unsubscribeUrl, about, replyId }
  const row = { ...waitingRow(at), channel: 'mail', onceKey, ...content } as const
  await db
    .insertInto('outbox')
    .values(row)
    .onConflict((conflict) => conflict.column('onceKey').doNothing())
    .execute()
  return row.id
}

export type Delivery = {
  db: Db
  clock: () => number
  mailer: Mailer
  log: Pick<Logger, 'warn' | 'error'>
  /** Used if the settings contain no e-mail address for the recipient and no administrator has a verified address. */
  ownerEmail: string | undefined
}

export function createMailQueue(delivery: Delivery): Queue {
  const { db, clock, log } = delivery
  const timing = { leaseMs: 2 * MINUTE_MS, pollIntervalMs: 2 * SECOND_MS }
  const deliver = (mail: OutboxRow) => deliverMail(delivery, mail)
  return { db, clock, log, channels: ['mail'], ...timing, batchSize: 1, deliver }
}

/** Returns the number of waiting e-mails, and the time since which the oldest one waits (ISO 8601) or null. */
export async function readOutboxQueue(db: Db) {
  const { count, oldestAt } = await db
    .selectFrom('outbox')
    .select(({ fn }) => [fn.countAll().as('count'), fn.min('waitingSince').as('oldestAt')])
    .where('channel', '=', 'mail')
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return { count: Number(count), oldestAt }
}

/** Retries an e-mail now and resets its retry delays, unless a delivery attempt is in progress. */
export async function retryDelivery(db: Db, id: string, at: string) {
  await db
    .updateTable('outbox')
    .set({ state: 'waiting', attempts: 0, dueAt: at, trouble: null, waitingSince: at })
    .where('id', '=', id)
    .where('channel', '=', 'mail')
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['filed', 'failed']),
        eb.and([eb('state', '=', 'waiting'), eb('trouble', 'is not', null)]),
      ]),
    )
    .execute()
}

async function deliverMail(delivery: Delivery, mail: OutboxRow): Promise<Partial<OutboxRow>> {
  const { db, mailer } = delivery
  const site = await readSite(db)
  const to = mail.to ?? (await resolveRecipient(delivery, mail, site.recipients))
  const { id, subject, text, html, replyTo, unsubscribeUrl, createdAt } = mail
  const isAutomatic = mail.about === null
  const date = new Date(createdAt)
  await mailer.send({ id, to, from: site.name, replyTo, subject, text, html, date, isAutomatic, unsubscribeUrl })
  // The links in a notice are only for its recipient, so the text is deleted after delivery.
  const clearedText = mail.about ? {} : { text: '', html: '', unsubscribeUrl: null }
  return { ...clearedText, state: mailer.verifies ? 'sent' : 'filed' }
}

// Returns the e-mail address of the first recipient. Enqueues one separate e-mail for each other recipient.
async function resolveRecipient(delivery: Delivery, mail: OutboxRow, recipients: SiteSettings['recipients']) {
  const { db, clock, mailer, ownerEmail } = delivery
  const [reader, ...others] = await recipientEmails(db, mail.recipient ?? 'shop', { recipients, ownerEmail })
  if (!reader && mailer.verifies) throw new Error('宛先のメールアドレスが設定されていません')
  const at = new Date(clock()).toISOString()
  for (const to of others) {
    await enqueue(db, { ...mail, to }, { at, onceKey: `${mail.onceKey ?? mail.id} ${to}`, about: mail.about })
  }
  return reader ?? `${mail.recipient}@not-set.invalid`
}
