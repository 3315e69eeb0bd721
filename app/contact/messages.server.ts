import type { Selectable } from 'kysely'
import type { Logger } from 'pino'
import type { Db, MessageRow, Trx } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { runOnce, type SubmissionKey } from '../forms/idempotency.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { tooManyMessages } from '../forms/too-many-messages.ts'
import { isJapanese, languageCode } from '../languages/language.ts'
import { mailBody } from '../mail/mail-body.ts'
import { enqueue, retryDelivery } from '../mail/outbox.server.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { type Attempt, countAttempt } from '../platform/attempts.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { formatTelephones } from '../platform/telephone.server.ts'
import { enqueueNotification } from '../push/notifications.server.ts'
import { readSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { recipientKeys } from '../settings/site-words.ts'
import { comparable } from '../ui/comparable.ts'
import { messageUrl } from './inbox-view.ts'
import { type MailMessage, NO_RECIPIENT } from './message.ts'

type Arrival = { address: string | null; spam: boolean; origin: string; now: number }

/** Returns the recipients that have a name in the settings. Visitors can write to these recipients. */
export function listRecipients({ recipientNames }: Pick<SiteSettings, 'recipientNames'>) {
  return recipientKeys.flatMap((key) => (recipientNames[key] ? [{ key, name: recipientNames[key] }] : []))
}

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const SPAM_RETENTION_MS = 30 * DAY
const RESTORE_PERIOD_MS = DAY

/**
 * Stores a message and enqueues its e-mail. Possible spam is quarantined without an e-mail, and so is a message above
 * the site's hourly limit of e-mails. Throws a `Rejection` if the recipient is unknown, or if the sender's network or the
 * number of quarantined messages has reached a limit.
 */
export function receiveMessage(db: Db, fields: MailMessage, arrival: Arrival) {
  const at = new Date(arrival.now).toISOString()
  return inTransaction(db, async (trx) => {
    const site = await readSite(trx)
    if (!listRecipients(site).some(({ key }) => key === fields.to))
      throw new Rejection({ errors: { to: [NO_RECIPIENT] } }, 400)
    const isOverLimit = async (kind: Attempt) => (await countAttempt(trx, kind, arrival)) !== null
    // The rejection also rolls back the attempts, so the form can succeed when it is sent again.
    const checkLimit = async (kind: Attempt) => {
      if (await isOverLimit(kind)) throw new Rejection(tooManyMessages(formatTelephones(site.telephone)), 429)
    }
    await checkLimit('message')
    const isHeld = arrival.spam || (await isOverLimit('mailedMessage'))
    if (isHeld) await checkLimit('heldMessage')
    const id = crypto.randomUUID()
    const { to: recipient, subject, text, from: replyTo } = fields
    const language = isJapanese() ? '' : languageCode()
    const message = { id, recipient, subject, text, replyTo, language }
    const state = { spam: isHeld, createdAt: at, expiresAt: isHeld ? holdExpiry(at) : null }
    // Normalized, so that a search ignores full or half width and letter case.
    const searchText = comparable([subject, replyTo ?? '', text].join('\n'))
    await trx
      .insertInto('messages')
      .values({ ...message, ...state, searchText })
      .execute()
    noteChange(trx, 'messages')
    if (isHeld) return
    await enqueueMessage(trx, message, { at, origin: arrival.origin })
    // A lock screen shows the notification, so it contains nothing of the message.
    const notification = { title: 'お問い合わせが届きました', body: '受信箱でご確認ください。', path: messageUrl(id) }
    await enqueueNotification(trx, { kind: 'inquiry', ...notification }, { at })
  })
}

function holdExpiry(at: string) {
  return new Date(Date.parse(at) + SPAM_RETENTION_MS).toISOString()
}

type StoredMessage = Pick<Selectable<MessageRow>, 'id' | 'recipient' | 'subject' | 'text' | 'replyTo' | 'language'>

/** Returns the line about a foreign language of a message, or '' if the form was in Japanese. */
export function languageLine(language: string) {
  return language && `言語：${new Intl.DisplayNames('ja', { type: 'language' }).of(language)}`
}

type ActionContext = { at: string; origin: string }

async function enqueueMessage(trx: Trx, message: StoredMessage, { at, origin }: ActionContext) {
  const { id, recipient, subject, text, replyTo, language } = message
  const { name: shop, recipientNames } = await readSite(trx)
  const body = mailBody({
    salutation: `${shop}のお問い合わせフォームから（宛先：${recipientNames[recipient] || recipientNames.shop}）`,
    paragraphs: [text],
    link: { label: '受信箱で開く', url: `${origin}${messageUrl(id)}` },
    signature: [replyTo ? `返信先：${replyTo}` : '返信先は書かれていません', languageLine(language)]
      .filter(Boolean)
      .join('\n'),
  })
  // The prefix shows that a stranger wrote the subject, so that the e-mail looks unlike those of the site.
  const mail = { to: { recipient }, subject: `お問い合わせ：${subject}`, replyTo, ...body }
  await enqueue(trx, mail, { at, about: id })
}

/** Runs the change and publishes it if the result is a row. Returns false if nothing has changed or is permitted. */
async function changeMessages(db: Db, visitor: Visitor, change: (trx: Trx) => Promise<{ id: string } | undefined>) {
  if (!mayReadInbox(visitor)) return false
  return inTransaction(db, async (trx) => {
    const changed = await change(trx)
    if (changed) noteChange(trx, 'messages')
    return changed !== undefined
  })
}

/** Releases a quarantined message and marks it read. Sends the message by e-mail unless it has been sent before. */
export function releaseMessage(db: Db, visitor: Visitor, id: string, action: ActionContext) {
  return changeMessages(db, visitor, async (trx) => {
    const released = await trx
      .updateTable('messages')
      .set({ spam: false, expiresAt: null, readAt: action.at })
      .where('id', '=', id)
      .where('expiresAt', '>', action.at)
      .returningAll()
      .executeTakeFirst()
    const mails = trx.selectFrom('outbox').select('id').where('about', '=', id).where('recipient', 'is not', null)
    if (released && !(await mails.executeTakeFirst())) await enqueueMessage(trx, released, action)
    return released
  })
}

/** Quarantines a message without a reply and marks it unread. Deletes its e-mail unless it is sent or being sent. */
export function quarantineMessage(db: Db, visitor: Visitor, id: string, at: string) {
  return changeMessages(db, visitor, async (trx) => {
    const heldRow = await trx
      .updateTable('messages')
      .set({ spam: true, expiresAt: holdExpiry(at), readAt: null })
      .where('id', '=', id)
      .where('spam', '=', false)
      .where('id', 'not in', trx.selectFrom('messageReplies').select('messageId'))
      .returning('id')
      .executeTakeFirst()
    if (!heldRow) return
    await trx
      .deleteFrom('outbox')
      .where('about', '=', id)
      .where('recipient', 'is not', null)
      .where((eb) => eb.or([eb('attempts', '=', 0), eb('trouble', 'is not', null)]))
      .execute()
    return heldRow
  })
}

/** Soft-deletes quarantined messages, or restores them within a day. */
export function markDeleted(
  db: Db,
  visitor: Visitor,
  ids: string[],
  { at, deleted }: { at: string; deleted: boolean },
) {
  return changeMessages(db, visitor, (trx) =>
    trx
      .updateTable('messages')
      .set({ expiresAt: deleted ? at : holdExpiry(at) })
      .where('id', 'in', ['', ...ids])
      .where('expiresAt', deleted ? '>' : '<=', at)
      .returning('id')
      .executeTakeFirst(),
  )
}

type ExpiryDeps = { db: Db; clock: () => number; log: Pick<Logger, 'error'> }

/** Deletes expired messages now and every hour. Returns a function that stops and waits for the current run. */
export function startMessageExpiry({ db, clock, log }: ExpiryDeps) {
  return repeat(() => deleteExpiredMessages(db, clock()), {
    every: HOUR,
    failed: (err) => log.error({ err }, 'message expiry failed'),
  })
}

/** Deletes the quarantined messages that can no longer be restored, and their e-mails. */
export async function deleteExpiredMessages(db: Db, now: number) {
  await inTransaction(db, async (trx) => {
    const before = new Date(now - RESTORE_PERIOD_MS).toISOString()
    const expired = trx.selectFrom('messages').select('id').where('spam', '=', true).where('expiresAt', '<', before)
    await trx.deleteFrom('outbox').where('about', 'in', expired).execute()
    await trx.deleteFrom('messages').where('id', 'in', expired).execute()
  })
}

export async function resendMail(db: Db, visitor: Visitor, mail: string, at: string) {
  if (!mayReadInbox(visitor)) return false
  await retryDelivery(db, mail, at)
  return true
}

/** Returns the Reply-To address: the recipient's in the settings, else the verified one of the author, else null. */
export function replyToEmail(
  recipientEmails: SiteSettings['recipients'],
  { recipient }: Pick<StoredMessage, 'recipient'>,
  author: NonNullable<Visitor>,
) {
  return recipientEmails[recipient] || recipientEmails.shop || (author.emailVerified ? author.email : null)
}

/**
 * Replies by e-mail and marks the message done. Returns null if the visitor has no permission. Throws a `Rejection` if
 * the message has no reply address.
 */
export async function replyToMessage(
  db: Db,
  visitor: Visitor,
  { id, text }: { id: string; text: string },
  submissionKey: SubmissionKey,
) {
  if (!visitor || !mayReadInbox(visitor)) return null
  const { at } = submissionKey
  return runOnce(db, submissionKey, async (trx) => {
    const message = await trx.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst()
    if (!message?.replyTo) throw new Rejection('返信先が書かれていないため、返信できません。')
    const reply = { id: crypto.randomUUID(), messageId: id, text, accountId: visitor.accountId, createdAt: at }
    await trx.insertInto('messageReplies').values(reply).execute()
    await setDone(trx, id, at)
    noteChange(trx, 'messages')
    const { name: shop, recipients: recipientEmails } = await readSite(trx)
    const body = mailBody({
      salutation: text,
      paragraphs: [],
      signature: [shop, '', '以下、いただいたお問い合わせです。', message.subject, '', message.text].join('\n'),
    })
    const subject = `Re: ${message.subject}`
    const replyTo = replyToEmail(recipientEmails, message, visitor)
    await enqueue(trx, { to: message.replyTo, subject, replyTo, ...body }, { at, about: id, replyId: reply.id })
    return 'answered' as const
  })
}

/** Marks messages read at `readAt`, or unread if `readAt` is null. */
export function markRead(db: Db, visitor: Visitor, ids: string[], readAt: string | null) {
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

/** Marks a message done at `doneAt`, or open if `doneAt` is null. */
export function markDone(db: Db, visitor: Visitor, id: string, doneAt: string | null) {
  return changeMessages(db, visitor, (trx) => {
    if (doneAt !== null) return setDone(trx, id, doneAt)
    return trx
      .updateTable('messages')
      .set({ doneAt: null })
      .where('id', '=', id)
      .where('doneAt', 'is not', null)
      .returning('id')
      .executeTakeFirst()
  })
}

// Also marks the message read and ends its quarantine.
function setDone(trx: Trx, id: string, at: string) {
  return trx
    .updateTable('messages')
    .set(({ fn, val }) => ({
      doneAt: fn.coalesce('doneAt', val(at)),
      readAt: fn.coalesce('readAt', val(at)),
      spam: false,
      expiresAt: null,
    }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('doneAt', 'is', null), eb('readAt', 'is', null)]))
    .returning('id')
    .executeTakeFirst()
}
