import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import type { SaveResult, Undo } from '../forms/save-result.ts'
import { mayReadInbox, refusalOfAdministration } from '../permissions.ts'
import { splitAtTelephones } from '../platform/telephone.server.ts'
import { contextOf, readOr } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { readTables } from '../tables/bookings-of-staff.server.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { Pager } from '../ui/pager.tsx'
import type { Route } from './+types/inbox-page.ts'
import styles from './inbox.module.css'
import { emptyInbox, listMessages, PAGE_SIZE } from './inbox.server.ts'
import { ActionButton, DeliveryState, Message, ResendButton } from './inbox-message.tsx'
import { InboxSearch } from './inbox-search.tsx'
import { filterLabels, inboxUrl, parseInboxView } from './inbox-view.ts'
import { MailReply } from './message.ts'
import {
  markDeleted,
  markDone,
  markRead,
  quarantineMessage,
  releaseMessage,
  replyToEmail,
  replyToMessage,
  resendMail,
} from './messages.server.ts'
import { replyLink } from './reply-link.ts'
import { isUnread, useReadMarking } from './use-read-marking.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock, mailer } = contextOf(context)
  assertAllowed(mayReadInbox(visitor) ? null : 'お問い合わせは、管理者だけがご覧いただけます。')
  const view = parseInboxView(url.searchParams)
  const { page, ...inbox } = await readOr(context, emptyInbox, () =>
    listMessages(db, visitor, view, new Date(clock()).toISOString()),
  )
  const site = await readSite(db)
  const sends = mailer.verifies
  const messages = inbox.messages.map((message) => {
    const { replyTo } = message
    return {
      ...message,
      text: splitAtTelephones(message.text),
      // The e-mail address that receives the response if the sender responds to a reply.
      answersGoTo: visitor && sends ? replyToEmail(site.recipients, message, visitor) : null,
      replyLink: replyTo && !sends ? replyLink({ ...message, replyTo, shop: site.name }) : null,
    }
  })
  const tables = await readTables(context)
  return {
    ...inbox,
    ...(tables && { requests: tables.requests }),
    messages,
    view: { ...view, page },
    names: site.recipientNames,
    sends,
  }
}

export const action = formAction<SaveResult>(
  {
    fields: ['deed', 'message', 'mail', 'text', 'once'],
    several: { message: PAGE_SIZE },
    intentOf: (field) => field('deed'),
    refusal: refusalOfAdministration,
  },
  async (submission) => {
    const { db, visitor, mailer, mailOrigin, url, form, field, intent } = submission
    const { at } = submission.author
    // The form of an undo contains its message IDs in one field, separated by spaces.
    const sentIds = form.getAll('message').flatMap((each) => String(each).split(' '))
    const ids = sentIds.slice(0, PAGE_SIZE)
    const [id = ''] = ids
    const undo = (deed: string): Undo => ({ action: `/inbox${url.search}`, fields: { deed, message: ids.join(' ') } })
    const sends = mailer.verifies
    switch (intent) {
      case 'reply': {
        if (!sends) throw new Rejection(MAIL_DISABLED)
        const { text } = parseFields(MailReply, form)
        await replyToMessage(db, visitor, { id, text }, submissionKeyOf(submission, `reply ${id}`))
        return { done: '返信を受け付けました。' }
      }
      case 'send on': {
        await releaseMessage(db, visitor, id, { at, origin: mailOrigin })
        const done = `「${filterLabels.spam}」から外しました。`
        return { done: sends ? `${done}これからメールで送ります。` : done, undo: undo('hold') }
      }
      case 'hold':
        await quarantineMessage(db, visitor, id, at)
        return { done: `「${filterLabels.spam}」に戻しました。`, undo: undo('send on') }
      case 'delete':
        await markDeleted(db, visitor, ids, { at, deleted: true })
        return { done: '削除しました。', undo: undo('restore') }
      case 'restore':
        if (!(await markDeleted(db, visitor, ids, { at, deleted: false })))
          throw new Rejection('すでに削除されているため、元に戻せません。')
        return { done: '元に戻しました。', undo: undo('delete') }
      case 'resend':
        await resendMail(db, visitor, field('mail'), at)
        return { done: 'もう一度送ります。' }
      case 'read':
        await markRead(db, visitor, ids, at)
        return { done: '既読にしました。' }
      case 'unread':
        await markRead(db, visitor, ids, null)
        return { done: '未読に戻しました。' }
      case 'done':
        await markDone(db, visitor, id, at)
        return { done: '対応済みにしました。', undo: undo('reopen') }
      case 'reopen':
        await markDone(db, visitor, id, null)
        return { done: '未対応に戻しました。', undo: undo('done') }
      default:
        throw new Rejection('操作を選び直してください。', 400)
    }
  },
)

const MAIL_DISABLED =
  'このサイトにはメールを送る設定がないため、返信は送信されません。「メールソフトで返信する」からお送りください。'

export const handle = { cache: 'browser', title: '受信箱' }

const Requests = lazyComponent(async () => (await import('../tables/booking-card.tsx')).Requests)

export default function InboxPage({ loaderData }: Route.ComponentProps) {
  const { messages, names, notices, count, held, view, pages, sends } = loaderData
  const { show } = view
  const leaves = show === 'unread' || show === 'open' || show === 'spam'
  const readIds = useReadMarking(messages, show)
  const unread = messages.filter(isUnread).map(({ id }) => id)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="受信箱" english="Inbox" />
      {!sends && (
        <Notice>
          <p>{`このサイトにはメールを送る設定がまだないため、お問い合わせはこの画面だけに残ります。設定は、${OPERATOR}にご依頼ください。`}</p>
          <p>「メールソフトで返信する」から返信し、送信後に「対応済みにする」を押してください。</p>
        </Notice>
      )}
      {loaderData.requests && <Requests requests={loaderData.requests} />}
      {notices.length > 0 && <FailedNotices notices={notices} sends={sends} />}
      <InboxSearch view={view} count={count} held={held} />
      {show === 'unread' && unread.length > 1 && (
        <ActionButton deed="read" message={unread}>
          表示中のものをすべて既読にする
        </ActionButton>
      )}
      {show === 'spam' && messages.length > 1 && (
        <ActionButton deed="delete" message={messages.map(({ id }) => id)}>
          表示中のものをすべて削除する
        </ActionButton>
      )}
      <ul className={styles.messages}>
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            name={names[message.recipient] || names.shop}
            sends={sends}
            isNew={readIds.includes(message.id)}
            leaves={leaves}
          />
        ))}
      </ul>
      <Pager
        label="ほかのお問い合わせ"
        page={view.page}
        pages={pages}
        to={(number) => inboxUrl({ ...view, page: number })}
      />
    </div>
  )
}

type Inbox = Route.ComponentProps['loaderData']

function FailedNotices({ notices, sends }: Pick<Inbox, 'notices' | 'sends'>) {
  return (
    <section className={styles.notices} aria-labelledby="notices">
      <h2 id="notices">未配信の通知</h2>
      <ul>
        {notices.map((notice) => (
          <li key={notice.id}>
            <p>{`${notice.subject}（${notice.to} 宛）`}</p>
            <p className={styles.facts}>
              <DeliveryState progress={notice} />
            </p>
            <ResendButton progress={notice} message="" sends={sends} />
          </li>
        ))}
      </ul>
    </section>
  )
}
