import { listEventsWithRsvps, readEventForMembers } from '../calendar/events.server.ts'
import { dayInJapan, formatDateAndTime } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { selectActiveMembers } from '../members/member-mails.server.ts'
import { compareMembers } from '../members/members.server.ts'
import { openPage } from '../pages/pages.server.ts'
import { refusalOfOrganising } from '../permissions.ts'
import { UUID } from '../records/record.ts'
import { contextOf } from '../request.ts'
import disclosure from '../ui/disclosure.module.css'
import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/message-page.ts'
import { CircleMessage, describeAudience, hasRsvpLink, MAX_CHOSEN, prepareMessage } from './circle-message.ts'
import { readAudience, sendCircleMessage } from './circle-messages.server.ts'
import styles from './message.module.css'
import { MessageForm, type MessageResult } from './message-form.tsx'

const MAX_LISTED = 50

export async function loader({ context, url }: Route.LoaderArgs) {
  await openPage(context, 'memberlist')
  const { db, clock, visitor, mailer, records } = contextOf(context)
  assertAllowed(refusalOfOrganising(visitor))
  const today = dayInJapan(clock())
  const nearest = await listEventsWithRsvps(db, today, visitor)
  // The calendar also links to events that are not among the nearest.
  const requested = await readEventForMembers(db, url.searchParams.get('event') ?? '')
  const event = requested?.attendance && requested.day >= today ? requested : null
  const events = event && !nearest.some(({ id }) => id === event.id) ? [...nearest, event] : nearest
  const audience = url.searchParams.get('to') ?? 'all'
  const newestFirst = db.selectFrom('circleMessages').selectAll().orderBy('createdAt', 'desc').orderBy('id')
  const sent = await newestFirst.limit(MAX_LISTED).execute()
  const authorIds = sent.flatMap(({ accountId }) => accountId ?? [])
  const names = await records.namesOf(db, visitor, authorIds)
  return {
    events: events.map(({ id, title, day }): [string, string] => [id, `${title}（${formatDay(day)}）`]),
    members: (await selectActiveMembers(db).execute()).sort(compareMembers),
    values: { audience, event: event?.id ?? '', ...prepareMessage(audience, event, clock()) },
    sent: sent.map(({ accountId, createdAt, ...message }) => ({
      ...message,
      author: names.get(accountId ?? '') ?? '管理者',
      time: formatDateAndTime(createdAt),
    })),
    sends: mailer.verifies,
  }
}

export const action = formAction<MessageResult>(
  {
    fields: ['intent', 'id', 'audience', 'event', 'member', 'subject', 'text'],
    several: { member: MAX_CHOSEN },
    refusal: refusalOfOrganising,
    repeats: ['audience', 'event', 'subject', 'text'],
  },
  async (submission) => {
    const { context, db, clock, form, field, intent, author, readVerifiedEmails, secret, mailOrigin } = submission
    await openPage(context, 'memberlist')
    const values = Object.fromEntries(form) as Record<string, string>
    const message = parseValues(CircleMessage, { ...values, member: form.getAll('member') })
    const deps = { readVerifiedEmails, secret, origin: mailOrigin }
    const id = UUID.test(field('id')) ? field('id') : null
    if (intent === 'preview') {
      const { event, recipients, unverified, muted } = await readAudience(db, message, deps)
      const names = (members: { username: string }[]) => members.map(({ username }) => username).join('、')
      const lost = { unverified: names(unverified), muted: names(muted) }
      const audience = describeAudience(message.audience, event)
      const hasLink = hasRsvpLink(event, clock())
      const preview = { id: id ?? crypto.randomUUID(), audience, count: recipients.length, hasLink, ...lost }
      return { values, preview }
    }
    if (!id) throw new Rejection('もう一度、人数を確認してからお送りください。', 400)
    const key = submissionKeyOf(submission, 'circle message', id)
    const count = await runOnce(db, key, (trx) => sendCircleMessage(trx, message, author, deps))
    return { done: `${count}名にメールをお送りします。` }
  },
)

export const handle = { cache: 'none', title: 'メンバーへの連絡' }

export default function MessagePage({ loaderData }: Route.ComponentProps) {
  const { sent, sends, values } = loaderData
  const save = useSave<MessageResult>({ resets: true })
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メンバーへの連絡" english="Message" />
      {!sends && (
        <Notice>{`このサイトにはメールを送る設定がまだないため、連絡は届きません。設定は、${OPERATOR}にご依頼ください。`}</Notice>
      )}
      <MessageForm {...loaderData} save={save} values={save.settled?.values ?? values} />
      <Outcome save={save} />
      {sent.length > 0 && (
        <section className={page.section} aria-labelledby="sent">
          <h2 id="sent">これまでの連絡</h2>
          <ul className={styles.sent}>
            {sent.map(({ id, audience, subject, text, recipients, author, time }) => (
              <li key={id}>
                <details className={disclosure.disclosure}>
                  <summary>{subject}</summary>
                  <p className={styles.text}>{text}</p>
                </details>
                <p className={styles.hint}>{`${time}、${author} さんから ${audience}（${recipients}名）`}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
