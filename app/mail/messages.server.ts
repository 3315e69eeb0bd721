import type { Kysely, Transaction } from 'kysely'
import type { OutboxRow, Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { countAttempt } from '../attempts.server.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { once } from '../saving/once.server.ts'
import { readSite } from '../site/site.server.ts'
import type { SiteFacts } from '../site/site.ts'
import { recipientKeys } from '../site/site-words.ts'
import { letter } from './letter.ts'
import type { MailMessage } from './message.ts'
import { enqueue, tryAgain } from './outbox.server.ts'

type Arrival = {
  /** The network address it comes from, null where it is not known. */
  address: string | null
  /** The once-only key of the form. */
  key: string
  spam: boolean
  origin: string
  now: number
}

class TooMany extends Error {}

/** Whom visitors of this site can write to, by what its owner calls them. */
export function recipientsOf({ recipientNames }: Pick<SiteFacts, 'recipientNames'>) {
  return recipientKeys.flatMap((key) => (recipientNames[key] ? [{ key, name: recipientNames[key] }] : []))
}

/** Receives a message: kept, and with it the mail to its recipient, unless it is held as spam. */
export async function receiveMessage(db: Kysely<Tables>, written: MailMessage, arrival: Arrival) {
  const at = new Date(arrival.now).toISOString()
  if (!recipientsOf(await readSite(db)).some(({ key }) => key === written.to)) return 'no recipient' as const
  try {
    return await once(db, { owner: 'mail form', form: 'mail', key: arrival.key, at }, async (trx) => {
      if (await countAttempt(trx, 'message', arrival)) throw new TooMany()
      const id = crypto.randomUUID()
      const { to: recipient, subject, text, from: replyTo } = written
      const message = { id, recipient, subject, text, replyTo, spam: arrival.spam ? 1 : 0, createdAt: at } as const
      await trx.insertInto('messages').values(message).execute()
      noteChange(trx, 'messages')
      if (!arrival.spam) await enqueueMessage(trx, message, { at, origin: arrival.origin })
      return 'sent' as const
    })
  } catch (error) {
    // Thrown, so that it is not counted and the form's key stays free for when there is room again.
    if (error instanceof TooMany) return 'too many' as const
    throw error
  }
}

type Kept = { id: string; recipient: MailMessage['to']; subject: string; text: string; replyTo: string | null }

async function enqueueMessage(trx: Transaction<Tables>, message: Kept, { at, origin }: { at: string; origin: string }) {
  const { id, recipient, subject, text, replyTo } = message
  const { name: shop, recipientNames } = await readSite(trx)
  const words = letter({
    salutation: `${shop}のお問い合わせフォームから（宛先：${recipientNames[recipient] || recipientNames.shop}）`,
    paragraphs: [text],
    link: { label: '受信箱で開く', url: `${origin}/inbox#message-${id}` },
    signature: replyTo ? `返信先：${replyTo}` : '返信先は書かれていません',
  })
  await enqueue(trx, { to: { recipient }, subject, replyTo, ...words }, { at, about: id })
}

type Act = { at: string; origin: string }

/** Sends a held message on, which whoever says so has read; false for whoever may not. */
export async function sendMessageOn(db: Kysely<Tables>, visitor: Visitor, id: string, act: Act) {
  if (!mayReadInbox(visitor)) return false
  await inTransaction(db, async (trx) => {
    const released = await trx
      .updateTable('messages')
      .set({ spam: 0, readAt: act.at })
      .where('id', '=', id)
      .where('spam', '=', 1)
      .returningAll()
      .executeTakeFirst()
    if (!released) return
    noteChange(trx, 'messages')
    await enqueueMessage(trx, released, act)
  })
  return true
}

/** Tries a mail of the outbox again now; false for whoever may not. */
export async function resend(db: Kysely<Tables>, visitor: Visitor, mail: string, at: string) {
  if (!mayReadInbox(visitor)) return false
  await tryAgain(db, mail, at)
  return true
}

/** Answers a message by mail; null for whoever may not, 'no address' where the visitor left none. */
export async function replyToMessage(
  db: Kysely<Tables>,
  visitor: Visitor,
  { id, text }: { id: string; text: string },
  { at, key }: { at: string; key: string },
) {
  if (!visitor || !mayReadInbox(visitor)) return null
  return once(db, { owner: visitor.accountId, form: `reply ${id}`, key, at }, async (trx) => {
    const message = await trx.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst()
    if (!message?.replyTo) return 'no address' as const
    const reply = { id: crypto.randomUUID(), messageId: id, text, accountId: visitor.accountId, createdAt: at }
    await trx.insertInto('messageReplies').values(reply).execute()
    await trx.updateTable('messages').set({ readAt: at }).where('id', '=', id).where('readAt', 'is', null).execute()
    noteChange(trx, 'messages')
    const { name: shop, recipients: readers } = await readSite(trx)
    const words = letter({
      salutation: text,
      paragraphs: [],
      signature: [shop, '', '以下、いただいたお問い合わせです。', message.subject, '', message.text].join('\n'),
    })
    const subject = `Re: ${message.subject}`
    const replyTo = readers[message.recipient] || readers.shop || null
    await enqueue(trx, { to: message.replyTo, subject, replyTo, ...words }, { at, about: id, replyId: reply.id })
    return 'answered' as const
  })
}

/** How many messages nobody has opened yet, without what is held as spam; 0 for whoever may not read them. */
export async function countUnread(db: Kysely<Tables>, visitor: Visitor) {
  if (!mayReadInbox(visitor)) return 0
  const { count } = await db
    .selectFrom('messages')
    .select(db.fn.countAll<number>().as('count'))
    .where('readAt', 'is', null)
    .where('spam', '=', 0)
    .executeTakeFirstOrThrow()
  return count
}

/** Keeps when these messages were opened, or with null that they are to be opened again; false for whoever may not. */
export async function markRead(db: Kysely<Tables>, visitor: Visitor, ids: string[], readAt: string | null) {
  if (!mayReadInbox(visitor)) return false
  await inTransaction(db, async (trx) => {
    const marked = await trx
      .updateTable('messages')
      .set({ readAt })
      .where('id', 'in', ['', ...ids])
      .where('readAt', readAt === null ? 'is not' : 'is', null)
      .where('spam', '=', 0)
      .returning('id')
      .execute()
    if (marked.length > 0) noteChange(trx, 'messages')
  })
  return true
}

/** How many messages a page of the inbox has. */
export const PAGE = 20

/** What a mail of the outbox has come to, for the inbox. */
export type MailProgress = Pick<OutboxRow, 'id' | 'state' | 'attempts' | 'dueAt' | 'trouble' | 'doneAt'>

/** The messages, the newest first, each with what became of it and its answers; nothing for whoever may not read them. */
export async function listMessages(db: Kysely<Tables>, visitor: Visitor, asked: number) {
  if (!mayReadInbox(visitor)) return { messages: [], notices: [], page: 1, pages: 1 }
  const { count } = await db
    .selectFrom('messages')
    .select(db.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const pages = Math.max(1, Math.ceil(count / PAGE))
  const page = Math.min(Math.max(1, asked), pages)
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(PAGE)
    .offset((page - 1) * PAGE)
    .execute()
  const ids = rows.map(({ id }) => id)
  const mails = db
    .selectFrom('outbox')
    .select([
      'id',
      'about',
      'replyId',
      'recipient',
      'to',
      'subject',
      'state',
      'attempts',
      'dueAt',
      'trouble',
      'doneAt',
      'createdAt',
    ])
  const sent = ids.length === 0 ? [] : await mails.where('about', 'in', ids).execute()
  const replies =
    ids.length === 0
      ? []
      : await db.selectFrom('messageReplies').selectAll().where('messageId', 'in', ids).orderBy('createdAt').execute()
  const notices = await mails
    .where('about', 'is', null)
    .where('state', 'in', ['waiting', 'failed'])
    .where('trouble', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(PAGE)
    .execute()
  const progressOf = (id: string, replyId: string | null): MailProgress | null =>
    sent.find((mail) => mail.about === id && mail.replyId === replyId && (replyId || mail.recipient)) ?? null
  const messages = rows.map((message) => ({
    ...message,
    progress: progressOf(message.id, null),
    replies: replies
      .filter(({ messageId }) => messageId === message.id)
      .map(({ id, text, createdAt }) => ({ id, text, createdAt, progress: progressOf(message.id, id) })),
  }))
  return { messages, notices, page, pages }
}
