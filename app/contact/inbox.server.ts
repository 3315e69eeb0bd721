import { type SqlBool, sql } from 'kysely'
import type { Db, OutboxRow } from '../../db/tables.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { comparable } from '../ui/comparable.ts'
import type { InboxView } from './inbox-view.ts'
import { languageLine } from './messages.server.ts'

/** Counts the unread messages except spam. Returns 0 if the visitor may not read the inbox. */
export async function countUnread(db: Db, visitor: Visitor) {
  return mayReadInbox(visitor) ? countRows(selectMessages(db, { show: 'unread', sought: '' }, '')) : 0
}

export const PAGE_SIZE = 20

export type MailProgress = Pick<OutboxRow, 'id' | 'state' | 'attempts' | 'dueAt' | 'trouble'>

export const emptyInbox = { messages: [], notices: [], count: 0, held: 0, page: 1, pages: 1 }

/**
 * Returns one page of the inbox, or an empty page if the visitor has no permission. `held` is the number of quarantined
 * messages that expire after `now` (ISO 8601).
 */
export async function listMessages(db: Db, visitor: Visitor, view: InboxView, now: string) {
  if (!mayReadInbox(visitor)) return emptyInbox
  const query = selectMessages(db, view, now)
  const count = await countRows(query)
  const held = await countRows(selectMessages(db, { show: 'spam', sought: '' }, now))
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE))
  const page = Math.min((await findPage(query, view.message)) ?? view.page, pages)
  const rows = await query
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(PAGE_SIZE)
    .offset((page - 1) * PAGE_SIZE)
    .execute()
  // The empty string makes the list non-empty, because PostgreSQL rejects an empty list.
  const ids = ['', ...rows.map(({ id }) => id)]
  const mailQuery = db
    .selectFrom('outbox')
    .select(['id', 'about', 'replyId', 'recipient', 'to', 'subject', 'state', 'attempts', 'dueAt', 'trouble'])
    .where('channel', '=', 'mail')
  const messageMails = await mailQuery.where('about', 'in', ids).execute()
  const replies = await db
    .selectFrom('messageReplies')
    .selectAll()
    .where('messageId', 'in', ids)
    .orderBy('createdAt')
    .execute()
  const notices = await mailQuery
    .where('about', 'is', null)
    .where('state', 'in', ['waiting', 'failed'])
    .where('trouble', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(PAGE_SIZE)
    .execute()
  const findProgress = (id: string, replyId: string | null): MailProgress | null =>
    messageMails.find((mail) => mail.about === id && mail.replyId === replyId && (replyId || mail.recipient)) ?? null
  const messages = rows.map(({ searchText: _, ...message }) => ({
    ...message,
    language: languageLine(message.language),
    progress: findProgress(message.id, null),
    replies: replies
      .filter(({ messageId }) => messageId === message.id)
      .map(({ id, text, createdAt }) => ({ id, text, createdAt, progress: findProgress(message.id, id) })),
  }))
  return { messages, notices, count, held, page, pages }
}

// Only the spam filter shows spam. Otherwise an attacker could flood the other lists.
function selectMessages(db: Db, { show, sought }: Omit<InboxView, 'page'>, now: string) {
  const messages = db.selectFrom('messages')
  const all = messages.where('spam', '=', false)
  const filtered = {
    all,
    unread: all.where('readAt', 'is', null),
    open: all.where('doneAt', 'is', null),
    done: all.where('doneAt', 'is not', null),
    spam: messages.where('spam', '=', true).where('expiresAt', '>', now),
  }[show]
  const words = comparable(sought).split(/\s+/).filter(Boolean)
  return words.reduce((query, word) => query.where(containsWord(word)), filtered)
}

// Returns the page that contains a message. The list is sorted by date from newest to oldest, then by ID.
async function findPage(query: ReturnType<typeof selectMessages>, message: string | undefined) {
  if (!message) return null
  const { createdAt } = (await query.select('createdAt').where('id', '=', message).executeTakeFirst()) ?? {}
  if (!createdAt) return null
  const earlierRows = query.where(({ eb, and, or }) =>
    or([eb('createdAt', '>', createdAt), and([eb('createdAt', '=', createdAt), eb('id', '<', message)])]),
  )
  return Math.floor((await countRows(earlierRows)) / PAGE_SIZE) + 1
}

async function countRows(query: ReturnType<typeof selectMessages>) {
  const { count } = await query.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

function containsWord(word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`${sql.ref('searchText')} like ${pattern} escape '\\'`
}
