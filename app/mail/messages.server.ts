import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { countAttempt } from '../attempts.server.ts'
import { mayReadInbox, type Visitor } from '../permissions.ts'
import { once } from '../saving/once.server.ts'
import { readSite } from '../site/site.server.ts'
import type { SiteFacts } from '../site/site.ts'
import { recipientKeys } from '../site/site-words.ts'
import { comparable } from '../ui/comparable.ts'
import { messageAddress } from './inbox-view.ts'
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
      const searchText = searchTextOf(message)
      await trx
        .insertInto('messages')
        .values({ ...message, searchText })
        .execute()
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

/** The text by which a message is found: `comparable`, so that any width and case of letters finds it. */
export function searchTextOf({ subject, replyTo, text }: Pick<Kept, 'subject' | 'replyTo' | 'text'>) {
  return comparable([subject, replyTo ?? '', text].join('\n'))
}

type Kept = { id: string; recipient: MailMessage['to']; subject: string; text: string; replyTo: string | null }

async function enqueueMessage(trx: Transaction<Tables>, message: Kept, { at, origin }: { at: string; origin: string }) {
  const { id, recipient, subject, text, replyTo } = message
  const { name: shop, recipientNames } = await readSite(trx)
  const words = letter({
    salutation: `${shop}のお問い合わせフォームから（宛先：${recipientNames[recipient] || recipientNames.shop}）`,
    paragraphs: [text],
    link: { label: '受信箱で開く', url: `${origin}${messageAddress(id)}` },
    signature: replyTo ? `返信先：${replyTo}` : '返信先は書かれていません',
  })
  // A stranger's subject must not look like a mail of the site's own.
  const mail = { to: { recipient }, subject: `お問い合わせ：${subject}`, replyTo, ...words }
  await enqueue(trx, mail, { at, about: id })
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

/** Who gets what a visitor writes back: who reads their messages, else whoever answers, at a proven address; null for nobody. */
export function answersGoTo(
  readers: SiteFacts['recipients'],
  { recipient }: Pick<Kept, 'recipient'>,
  answering: NonNullable<Visitor>,
) {
  return readers[recipient] || readers.shop || (answering.emailVerified ? answering.email : null)
}

/** Answers a message by mail, which is then done; null for whoever may not, 'no address' where the visitor left none. */
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
    await finish(trx, id, at)
    noteChange(trx, 'messages')
    const { name: shop, recipients: readers } = await readSite(trx)
    const words = letter({
      salutation: text,
      paragraphs: [],
      signature: [shop, '', '以下、いただいたお問い合わせです。', message.subject, '', message.text].join('\n'),
    })
    const subject = `Re: ${message.subject}`
    const replyTo = answersGoTo(readers, message, visitor)
    await enqueue(trx, { to: message.replyTo, subject, replyTo, ...words }, { at, about: id, replyId: reply.id })
    return 'answered' as const
  })
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

/** Keeps since when nothing more is to be done for a message, or with null that there is; false for whoever may not. */
export async function markDone(db: Kysely<Tables>, visitor: Visitor, id: string, doneAt: string | null) {
  if (!mayReadInbox(visitor)) return false
  await inTransaction(db, async (trx) => {
    const marked = doneAt === null ? await reopen(trx, id) : await finish(trx, id, doneAt)
    if (marked) noteChange(trx, 'messages')
  })
  return true
}

// Who is done with it has read it.
function finish(trx: Transaction<Tables>, id: string, at: string) {
  return trx
    .updateTable('messages')
    .set(({ fn, val }) => ({ doneAt: fn.coalesce('doneAt', val(at)), readAt: fn.coalesce('readAt', val(at)) }))
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
