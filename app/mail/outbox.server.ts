import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isPostgres } from '../../db/engine.ts'
import type { OutboxRow, Tables } from '../../db/tables.ts'
import { repeat } from '../platform/repeat.server.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import type { Mailer, OutgoingMail } from './mailer.server.ts'
import { recipientEmails } from './recipients.server.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

// The lease is longer than the mailer's timeout, so an attempt that exceeds the lease belongs to a dead process.
const LEASE_MS = 2 * MINUTE
// Delays before the first retry, the second retry and so on. The last delay repeats.
const RETRY_DELAYS_MS = [1, 2, 5, 10, 20, 30, 60].map((minutes) => minutes * MINUTE)
const RETRY_TIMEOUT_MS = 3 * DAY
const NOTICE_RETENTION_MS = 30 * DAY
const POLL_INTERVAL_MS = 2 * SECOND

type Mail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'replyTo' | 'unsubscribeUrl'> & {
  /** An e-mail address, or a recipient whose e-mail address in the settings is read at delivery. */
  to: string | { recipient: NonNullable<OutboxRow['recipient']> }
}

/**
 * If an e-mail with the same `onceKey` is already in the outbox, the new e-mail is dropped. `about` is the ID of a
 * contact message. `replyId` is the ID of a reply.
 */
type EnqueueOptions = { at: string; onceKey?: string; about?: string; replyId?: string }

/**
 * Adds an e-mail to the outbox in the caller's transaction. The e-mail is delivered at least once. Returns the e-mail
 * ID.
 */
export async function enqueue(db: Kysely<Tables>, mail: Mail, { at, onceKey, about, replyId }: EnqueueOptions) {
  const id = crypto.randomUUID()
  const { to, subject, text, html, replyTo, unsubscribeUrl } = mail
  await db
    .insertInto('outbox')
    .values({
      id,
      channel: 'mail',
      kind: null,
      link: null,
      onceKey: onceKey ?? null,
      about: about ?? null,
      replyId: replyId ?? null,
      ...(typeof to === 'string' ? { to } : to),
      replyTo: replyTo ?? null,
      subject,
      text,
      html,
      unsubscribeUrl: unsubscribeUrl ?? null,
      state: 'waiting',
      attempts: 0,
      dueAt: at,
      waitingSince: at,
      createdAt: at,
    })
    .onConflict((conflict) => conflict.column('onceKey').doNothing())
    .execute()
  return id
}

export type Delivery = {
  db: Kysely<Tables>
  clock: () => number
  mailer: Mailer
  log: Pick<Logger, 'warn' | 'error'>
  /** Used if the settings contain no e-mail address for the recipient and no administrator has a verified address. */
  ownerEmail: string | undefined
}

export async function deliverDue(delivery: Delivery, signal: AbortSignal) {
  let attempted = 0
  for (; !signal.aborted; attempted += 1) {
    const mail = await takeDueMail(delivery)
    if (!mail) break
    await attemptDelivery(delivery, mail)
  }
  return attempted
}

/** Polls for due e-mails. Returns a function that stops polling and waits for the current delivery. */
export function startDelivery(delivery: Delivery) {
  return repeat((signal) => deliverDue(delivery, signal), {
    every: POLL_INTERVAL_MS,
    failed: (err) => delivery.log.error({ err }, 'outbox read failed'),
  })
}

/** Returns the number of waiting e-mails, and the time since which the oldest one waits (ISO 8601) or null. */
export async function readOutboxQueue(db: Kysely<Tables>) {
  const { count, oldestAt } = await db
    .selectFrom('outbox')
    .select(({ fn }) => [fn.countAll().as('count'), fn.min('waitingSince').as('oldestAt')])
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return { count: Number(count), oldestAt }
}

/** Retries an e-mail now and resets its retry delays, unless a delivery attempt is in progress. */
export async function retryDelivery(db: Kysely<Tables>, id: string, at: string) {
  await db
    .updateTable('outbox')
    .set({ state: 'waiting', attempts: 0, dueAt: at, trouble: null, waitingSince: at })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['filed', 'failed']),
        eb.and([eb('state', '=', 'waiting'), eb('trouble', 'is not', null)]),
      ]),
    )
    .execute()
}

// The later due time is a lease. Until then, other workers skip the e-mail. If this worker dies, the e-mail becomes due
// again.
async function takeDueMail({ db, clock }: Delivery): Promise<OutboxRow | null> {
  const now = clock()
  const due = db
    .selectFrom('outbox')
    .select('id')
    .where('state', '=', 'waiting')
    .where('dueAt', '<=', iso(now))
    .orderBy('dueAt')
    .limit(1)
  // This read takes no write lock, so polling an empty outbox blocks no writer.
  if (!(await due.executeTakeFirst())) return null
  const mail = await db
    .updateTable('outbox')
    .set((row) => ({ dueAt: iso(now + LEASE_MS), trouble: null, attempts: row('attempts', '+', 1) }))
    .where(
      'id',
      '=',
      due.$if(isPostgres(db), (query) => query.forUpdate().skipLocked()),
    )
    .returningAll()
    .executeTakeFirst()
  return mail ?? null
}

async function attemptDelivery(delivery: Delivery, mail: OutboxRow) {
  const { db, clock, mailer, log } = delivery
  try {
    const site = await readSite(db)
    const to = mail.to ?? (await resolveRecipient(delivery, mail, site.recipients))
    const { id, subject, text, html, replyTo, unsubscribeUrl, createdAt } = mail
    const isAutomatic = mail.about === null
    const date = new Date(createdAt)
    await mailer.send({ id, to, from: site.name, replyTo, subject, text, html, date, isAutomatic, unsubscribeUrl })
  } catch (error) {
    const isAbandoned = clock() - Date.parse(mail.waitingSince) >= RETRY_TIMEOUT_MS
    log.warn(
      { err: error, mail: mail.id, attempts: mail.attempts },
      isAbandoned ? 'mail abandoned' : 'mail delivery failed',
    )
    const delay = RETRY_DELAYS_MS[Math.min(mail.attempts, RETRY_DELAYS_MS.length) - 1] ?? MINUTE
    const trouble = (error instanceof Error ? error.message : String(error)).slice(0, 300)
    return updateMail(db, mail, { state: isAbandoned ? 'failed' : 'waiting', dueAt: iso(clock() + delay), trouble })
  }
  // The links in a notice are only for its recipient, so the text is deleted after delivery.
  const clearedText = mail.about ? {} : { text: '', html: '', unsubscribeUrl: null }
  await updateMail(db, mail, { ...clearedText, state: mailer.verifies ? 'sent' : 'filed', doneAt: iso(clock()) })
  await deleteOldNotices(db, clock())
}

// Returns the e-mail address of the first recipient. Enqueues one separate e-mail for each other recipient.
async function resolveRecipient(delivery: Delivery, mail: OutboxRow, recipients: SiteSettings['recipients']) {
  const { db, clock, mailer, ownerEmail } = delivery
  const [reader, ...others] = await recipientEmails(db, mail.recipient ?? 'shop', { recipients, ownerEmail })
  if (!reader && mailer.verifies) throw new Error('宛先のメールアドレスが設定されていません')
  const at = iso(clock())
  for (const to of others)
    await enqueue(db, { ...mail, to }, { at, onceKey: `${mail.id} ${to}`, ...(mail.about && { about: mail.about }) })
  return reader ?? `${mail.recipient}@not-set.invalid`
}

async function updateMail(db: Kysely<Tables>, { id }: OutboxRow, values: Partial<OutboxRow>) {
  await db.updateTable('outbox').set(values).where('id', '=', id).execute()
}

async function deleteOldNotices(db: Kysely<Tables>, now: number) {
  await db
    .deleteFrom('outbox')
    .where('about', 'is', null)
    .where('doneAt', '<', iso(now - NOTICE_RETENTION_MS))
    .execute()
}

function iso(instant: number) {
  return new Date(instant).toISOString()
}
