import { type Kysely, type SqlBool, sql } from 'kysely'
import type { OutboxRow, Tables } from '../../db/tables.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { comparable } from '../ui/comparable.ts'
import type { InboxView } from './inbox-view.ts'

/** Counts the unread messages without spam. Returns 0 if the visitor may not read the inbox. */
export async function countUnread(db: Kysely<Tables>, visitor: Visitor) {
  return mayReadInbox(visitor) ? countIn(messagesIn(db, { show: 'unread', sought: '' }, '')) : 0
}

export const PAGE_SIZE = 20

export type MailProgress = Pick<OutboxRow, 'id' | 'state' | 'attempts' | 'dueAt' | 'trouble'>

export const emptyInbox = { messages: [], notices: [], count: 0, held: 0, page: 1, pages: 1 }

/**
 * Returns one page of the inbox, or an empty inbox without permission. `held` counts the spam that expires after `now`
 * (ISO 8601).
 */
export async function listMessages(db: Kysely<Tables>, visitor: Visitor, view: InboxView, now: string) {
  if (!mayReadInbox(visitor)) return emptyInbox
  const found = messagesIn(db, view, now)
  const count = await countIn(found)
  const held = await countIn(messagesIn(db, { show: 'spam', sought: '' }, now))
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE))
  const page = Math.min((await pageWith(found, view.message)) ?? view.page, pages)
  const rows = await found
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(PAGE_SIZE)
    .offset((page - 1) * PAGE_SIZE)
    .execute()
  // PostgreSQL accepts no empty list.
  const ids = ['', ...rows.map(({ id }) => id)]
  const mails = db
    .selectFrom('outbox')
    .select(['id', 'about', 'replyId', 'recipient', 'to', 'subject', 'state', 'attempts', 'dueAt', 'trouble'])
  const sent = await mails.where('about', 'in', ids).execute()
  const replies = await db
    .selectFrom('messageReplies')
    .selectAll()
    .where('messageId', 'in', ids)
    .orderBy('createdAt')
    .execute()
  const notices = await mails
    .where('about', 'is', null)
    .where('state', 'in', ['waiting', 'failed'])
    .where('trouble', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(PAGE_SIZE)
    .execute()
  const progressOf = (id: string, replyId: string | null): MailProgress | null =>
    sent.find((mail) => mail.about === id && mail.replyId === replyId && (replyId || mail.recipient)) ?? null
  const messages = rows.map(({ searchText: _, ...message }) => ({
    ...message,
    progress: progressOf(message.id, null),
    replies: replies
      .filter(({ messageId }) => messageId === message.id)
      .map(({ id, text, createdAt }) => ({ id, text, createdAt, progress: progressOf(message.id, id) })),
  }))
  return { messages, notices, count, held, page, pages }
}

// Spam appears in no other list, or an attacker could flood them all.
function messagesIn(db: Kysely<Tables>, { show, sought }: Omit<InboxView, 'page'>, now: string) {
  const messages = db.selectFrom('messages')
  const all = messages.where('spam', '=', false)
  const found = {
    all,
    unread: all.where('readAt', 'is', null),
    open: all.where('doneAt', 'is', null),
    done: all.where('doneAt', 'is not', null),
    spam: messages.where('spam', '=', true).where('expiresAt', '>', now),
  }[show]
  const words = comparable(sought).split(/\s+/).filter(Boolean)
  return words.reduce((query, word) => query.where(holds(word)), found)
}

// Returns the page that contains a message. The list is sorted by date, newest first, then by ID.
async function pageWith(found: ReturnType<typeof messagesIn>, message: string | undefined) {
  if (!message) return null
  const { createdAt } = (await found.select('createdAt').where('id', '=', message).executeTakeFirst()) ?? {}
  if (!createdAt) return null
  const before = found.where(({ eb, and, or }) =>
    or([eb('createdAt', '>', createdAt), and([eb('createdAt', '=', createdAt), eb('id', '<', message)])]),
  )
  return Math.floor((await countIn(before)) / PAGE_SIZE) + 1
}

async function countIn(found: ReturnType<typeof messagesIn>) {
  const { count } = await found.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

function holds(word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`${sql.ref('searchText')} like ${pattern} escape '\\'`
}
