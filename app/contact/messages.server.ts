import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { runOnce } from '../forms/idempotency.server.ts'
import { mailBody } from '../mail/mail-body.ts'
import { enqueue, retryDelivery } from '../mail/outbox.server.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { recipientKeys } from '../settings/site-words.ts'
import { comparable } from '../ui/comparable.ts'
import { messageAddress } from './inbox-view.ts'
import type { MailMessage } from './message.ts'

type Arrival = {
  address: string | null
  /** Idempotency key of the form. */
  key: string
  spam: boolean
  origin: string
  now: number
}

class TooMany extends Error {}

/** Returns the recipients that visitors can write to: those with a name in the settings. */
export function recipientsOf({ recipientNames }: Pick<SiteSettings, 'recipientNames'>) {
  return recipientKeys.flatMap((key) => (recipientNames[key] ? [{ key, name: recipientNames[key] }] : []))
}

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const HELD_FOR_MS = 30 * DAY
const RESTORABLE_FOR_MS = DAY

/**
 * Stores a message and enqueues its mail. Possible spam, and messages above the site's hourly limit of mails, are held
 * without a mail. Returns 'too many' if the sender's network or the held messages have reached their limit.
 */
export async function receiveMessage(db: Kysely<Tables>, written: MailMessage, arrival: Arrival) {
  const at = new Date(arrival.now).toISOString()
  if (!recipientsOf(await readSite(db)).some(({ key }) => key === written.to)) return 'no recipient' as const
  try {
    return await runOnce(db, { owner: 'mail form', form: 'mail', key: arrival.key, at }, async (trx) => {
      if (await countAttempt(trx, 'message', arrival)) throw new TooMany()
      const isHeld = arrival.spam || (await countAttempt(trx, 'mailedMessage', arrival)) !== null
      if (isHeld && (await countAttempt(trx, 'heldMessage', arrival))) throw new TooMany()
      const id = crypto.randomUUID()
      const { to: recipient, subject, text, from: replyTo } = written
      const expiresAt = isHeld ? heldUntil(at) : null
      const message = { id, recipient, subject, text, replyTo, spam: isHeld, createdAt: at, expiresAt } as const
      const searchText = searchTextOf(message)
      await trx
        .insertInto('messages')
        .values({ ...message, searchText })
        .execute()
      noteChange(trx, 'messages')
      if (!isHeld) await enqueueMessage(trx, message, { at, origin: arrival.origin })
      return 'sent' as const
    })
  } catch (error) {
    // The throw has rolled back the attempt and the idempotency key, so a later submission can succeed.
    if (error instanceof TooMany) return 'too many' as const
    throw error
  }
}

function heldUntil(at: string) {
  return new Date(Date.parse(at) + HELD_FOR_MS).toISOString()
}

/** Returns the search text, normalized so that width and letter case do not matter. */
export function searchTextOf({ subject, replyTo, text }: Pick<Kept, 'subject' | 'replyTo' | 'text'>) {
  return comparable([subject, replyTo ?? '', text].join('\n'))
}

type Kept = { id: string; recipient: MailMessage['to']; subject: string; text: string; replyTo: string | null }

async function enqueueMessage(trx: Transaction<Tables>, message: Kept, { at, origin }: { at: string; origin: string }) {
  const { id, recipient, subject, text, replyTo } = message
  const { name: shop, recipientNames } = await readSite(trx)
  const words = mailBody({
    salutation: `${shop}のお問い合わせフォームから（宛先：${recipientNames[recipient] || recipientNames.shop}）`,
    paragraphs: [text],
    link: { label: '受信箱で開く', url: `${origin}${messageAddress(id)}` },
    signature: replyTo ? `返信先：${replyTo}` : '返信先は書かれていません',
  })
  // A stranger's subject must not look like one of the site's own e-mails.
  const mail = { to: { recipient }, subject: `お問い合わせ：${subject}`, replyTo, ...words }
  await enqueue(trx, mail, { at, about: id })
}

type Act = { at: string; origin: string }

/**
 * Runs `change` in a transaction, and publishes the change if the result is a row. Returns whether messages have changed,
 * false without permission.
 */
async function changeMessages(
  db: Kysely<Tables>,
  visitor: Visitor,
  change: (trx: Transaction<Tables>) => Promise<{ id: string } | undefined>,
) {
  if (!mayReadInbox(visitor)) return false
  return inTransaction(db, async (trx) => {
    const changed = await change(trx)
    if (changed) noteChange(trx, 'messages')
    return changed !== undefined
  })
}

/** Releases a held message as read, and mails it unless it was mailed before. */
export function releaseMessage(db: Kysely<Tables>, visitor: Visitor, id: string, act: Act) {
  return changeMessages(db, visitor, async (trx) => {
    const released = await trx
      .updateTable('messages')
      .set({ spam: false, expiresAt: null, readAt: act.at })
      .where('id', '=', id)
      .where('expiresAt', '>', act.at)
      .returningAll()
      .executeTakeFirst()
    const mails = trx.selectFrom('outbox').select('id').where('about', '=', id).where('recipient', 'is not', null)
    if (released && !(await mails.executeTakeFirst())) await enqueueMessage(trx, released, act)
    return released
  })
}

/** Holds an unanswered message as unread spam. Deletes its mail unless the mail was sent or is being sent. */
export function quarantineMessage(db: Kysely<Tables>, visitor: Visitor, id: string, at: string) {
  return changeMessages(db, visitor, async (trx) => {
    const held = await trx
      .updateTable('messages')
      .set({ spam: true, expiresAt: heldUntil(at), readAt: null })
      .where('id', '=', id)
      .where('spam', '=', false)
      .where('id', 'not in', trx.selectFrom('messageReplies').select('messageId'))
      .returning('id')
      .executeTakeFirst()
    if (!held) return
    await trx
      .deleteFrom('outbox')
      .where('about', '=', id)
      .where('recipient', 'is not', null)
      .where((is) => is.or([is('attempts', '=', 0), is('trouble', 'is not', null)]))
      .execute()
    return held
  })
}

/** Deletes held messages, or restores them within a day. */
export function markDeleted(
  db: Kysely<Tables>,
  visitor: Visitor,
  ids: string[],
  { at, deleted }: { at: string; deleted: boolean },
) {
  return changeMessages(db, visitor, (trx) =>
    trx
      .updateTable('messages')
      .set({ expiresAt: deleted ? at : heldUntil(at) })
      .where('id', 'in', ['', ...ids])
      .where('expiresAt', deleted ? '>' : '<=', at)
      .returning('id')
      .executeTakeFirst(),
  )
}

type Expiring = { db: Kysely<Tables>; clock: () => number; log: Pick<Logger, 'error'> }

/** Deletes expired messages now and every hour. Returns a function that stops the timer after the current run. */
export function startMessageExpiry({ db, clock, log }: Expiring) {
  return repeat(() => deleteExpiredMessages(db, clock()), {
    every: HOUR,
    failed: (err) => log.error({ err }, 'message expiry failed'),
  })
}

/** Deletes the held messages that can no longer be restored, with their mails. */
export async function deleteExpiredMessages(db: Kysely<Tables>, now: number) {
  await inTransaction(db, async (trx) => {
    const before = new Date(now - RESTORABLE_FOR_MS).toISOString()
    const expired = trx.selectFrom('messages').select('id').where('spam', '=', true).where('expiresAt', '<', before)
    await trx.deleteFrom('outbox').where('about', 'in', expired).execute()
    await trx.deleteFrom('messages').where('id', 'in', expired).execute()
  })
}

export async function resendMail(db: Kysely<Tables>, visitor: Visitor, mail: string, at: string) {
  if (!mayReadInbox(visitor)) return false
  await retryDelivery(db, mail, at)
  return true
}

/** Returns the Reply-To address of a reply: from the settings, else the author's verified one, else null. */
export function replyToEmail(
  readers: SiteSettings['recipients'],
  { recipient }: Pick<Kept, 'recipient'>,
  answering: NonNullable<Visitor>,
) {
  return readers[recipient] || readers.shop || (answering.emailVerified ? answering.email : null)
}

/**
 * Replies by e-mail and marks the message done. Returns null without permission, or 'no address' if the visitor left no
 * e-mail address.
 */
export async function replyToMessage(
  db: Kysely<Tables>,
  visitor: Visitor,
  { id, text }: { id: string; text: string },
  { at, key }: { at: string; key: string },
) {
  if (!visitor || !mayReadInbox(visitor)) return null
  return runOnce(db, { owner: visitor.accountId, form: `reply ${id}`, key, at }, async (trx) => {
    const message = await trx.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst()
    if (!message?.replyTo) return 'no address' as const
    const reply = { id: crypto.randomUUID(), messageId: id, text, accountId: visitor.accountId, createdAt: at }
    await trx.insertInto('messageReplies').values(reply).execute()
    await finish(trx, id, at)
    noteChange(trx, 'messages')
    const { name: shop, recipients: readers } = await readSite(trx)
    const words = mailBody({
      salutation: text,
      paragraphs: [],
      signature: [shop, '', '以下、いただいたお問い合わせです。', message.subject, '', message.text].join('\n'),
    })
    const subject = `Re: ${message.subject}`
    const replyTo = replyToEmail(readers, message, visitor)
    await enqueue(trx, { to: message.replyTo, subject, replyTo, ...words }, { at, about: id, replyId: reply.id })
    return 'answered' as const
  })
}

/** Marks messages read at `readAt`, or unread if null. */
export function markRead(db: Kysely<Tables>, visitor: Visitor, ids: string[], readAt: string | null) {
  return changeMessages(db, visitor, (trx) =>
    trx
      .updateTable('messages')
      .set({ readAt })
      .where('id', 'in', ['', ...ids])
      .where('readAt', readAt === null ? 'is not' : 'is', null)
      .where('spam', '=', false)
      .returning('id')
      .executeTakeFirst(),
  )
}

/** Marks a message done at `doneAt`, or open if null. */
export function markDone(db: Kysely<Tables>, visitor: Visitor, id: string, doneAt: string | null) {
  return changeMessages(db, visitor, (trx) => (doneAt === null ? reopen(trx, id) : finish(trx, id, doneAt)))
}

// A message that is done is also read, and no spam.
function finish(trx: Transaction<Tables>, id: string, at: string) {
  return trx
    .updateTable('messages')
    .set(({ fn, val }) => ({
      doneAt: fn.coalesce('doneAt', val(at)),
      readAt: fn.coalesce('readAt', val(at)),
      spam: false,
      expiresAt: null,
    }))
    .where('id', '=', id)
    .where((is) => is.or([is('doneAt', 'is', null), is('readAt', 'is', null)]))
    .returning('id')
    .executeTakeFirst()
}

function reopen(trx: Transaction<Tables>, id: string) {
  return trx
    .updateTable('messages')
    .set({ doneAt: null })
    .where('id', '=', id)
    .where('doneAt', 'is not', null)
    .returning('id')
    .executeTakeFirst()
}
