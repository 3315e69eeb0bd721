import { listEventsWithRsvps } from '../calendar/events.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { selectApprovedMembers } from '../members/member-mails.server.ts'
import { openPage } from '../pages/pages.server.ts'
import { refusalOfMessages } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/message-page.ts'
import { CircleMessage, describeAudience, isAudience, MAX_CHOSEN, prepareMessage } from './circle-message.ts'
import { listCircleMessages, readAudience, sendCircleMessage } from './circle-messages.server.ts'
import { MessageEditor, MessagePreview, type MessageResult } from './message-form.tsx'
import { SentMessages } from './sent-messages.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  await openPage(context, 'memberlist')
  const { db, clock, visitor, mailer, records } = contextOf(context)
  assertAllowed(refusalOfMessages(visitor))
  const events = await listEventsWithRsvps(db, dayInJapan(clock()))
  const to = url.searchParams.get('to') ?? ''
  const event = events.find(({ id }) => id === url.searchParams.get('event')) ?? null
  const audience = isAudience(to) ? to : 'all'
  const sent = await listCircleMessages(db)
  const names = await records.namesOf(
    db,
    visitor,
    sent.flatMap(({ accountId }) => accountId ?? []),
  )
  return {
    events: events.map(({ id, title, day }) => ({ id, name: `${title}（${formatDay(day)}）` })),
    members: await selectApprovedMembers(db).select(['id', 'username']).orderBy('username').orderBy('id').execute(),
    values: { audience, event: event?.id ?? '', member: '', ...prepareMessage(audience, event) },
    sent: sent.map(({ accountId, ...message }) => ({ ...message, author: names.get(accountId ?? '') ?? '管理者' })),
    sends: mailer.verifies,
  }
}

export const action = formAction<MessageResult>(
  {
    fields: ['intent', 'id', 'audience', 'event', 'member', 'subject', 'text'],
    several: { member: MAX_CHOSEN },
    refusal: refusalOfMessages,
  },
  async (submission) => {
    const { context, form, field, intent } = submission
    await openPage(context, 'memberlist')
    const member = form.getAll('member').map(String)
    const typed = { ...Object.fromEntries(form), member }
    const values = {
      ...Object.fromEntries(['audience', 'event', 'subject', 'text'].map((name) => [name, field(name)])),
      member: member.join(' '),
    }
    if (intent === 'edit') return { values }
    try {
      const message = parseValues(CircleMessage, typed)
      return intent === 'send' ? await send(submission, message) : { values, preview: await preview(context, message) }
    } catch (error) {
      throw error instanceof Rejection ? new Rejection({ ...error.result, values }, error.status) : error
    }
  },
)

async function preview(context: RequestContext, message: CircleMessage) {
  const { db } = contextOf(context)
  const { event, recipients, unverified, muted } = await readAudience(db, message, mailDepsOf(context))
  return {
    id: crypto.randomUUID(),
    audience: describeAudience(message.audience, event),
    hasLink: event !== null,
    count: recipients.length,
    unverified: unverified.map(({ username }) => username),
    muted: muted.map(({ username }) => username),
  }
}

async function send({ context, db, field, author }: Submission, message: CircleMessage): Promise<MessageResult> {
  const id = field('id')
  if (!UUID.test(id)) throw new Rejection('もう一度、内容を確認してからお送りください。', 400)
  const count = await sendCircleMessage(db, { ...message, id }, author, mailDepsOf(context))
  return { done: `${count}名にメールをお送りします。` }
}

function mailDepsOf(context: RequestContext) {
  const { readVerifiedEmails, secret, mailOrigin: origin } = contextOf(context)
  return { readVerifiedEmails, secret, origin }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

export const handle = { cache: 'none', title: 'メンバーへの連絡' }

export default function MessagePage({ loaderData }: Route.ComponentProps) {
  const { sent, sends, values } = loaderData
  const save = useSave<MessageResult>()
  const { preview, values: typed } = save.answer ?? {}
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メンバーへの連絡" english="Message" />
      {!sends && (
        <Notice>{`このサイトにはメールを送る設定がまだないため、連絡は届きません。設定は、${OPERATOR}にご依頼ください。`}</Notice>
      )}
      {preview && typed ? (
        <MessagePreview save={save} preview={preview} values={typed} />
      ) : (
        <MessageEditor save={save} {...loaderData} values={typed ?? values} />
      )}
      <Outcome save={save} />
      <SentMessages sent={sent} />
    </div>
  )
}
