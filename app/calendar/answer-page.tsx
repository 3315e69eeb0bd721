import { data } from 'react-router'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { contextOf } from '../request.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/answer-page.ts'
import { readAnswerLink } from './answer-link.server.ts'
import { EventFacts, formatOwnRsvp, RsvpForm } from './event-rsvps.tsx'
import { rsvpFields, saveRsvpForm } from './rsvp-form.server.ts'
import styles from './rsvps.module.css'
import { readParticipations } from './rsvps.server.ts'

const refusals = {
  404: 'このリンクは使えません。アドレスの途中が切れていないか、ご確認ください。',
  410: 'このリンクは、もう使えません。予定が終わったか、出欠の受付かメンバーの登録が終わっています。',
}

// Opening the link saves nothing, because mail programs and messengers open links too. Only a button saves an RSVP.
export async function loader({ context, url }: Route.LoaderArgs) {
  const token = url.searchParams.get('token') ?? ''
  const link = await readAnswerLink(contextOf(context), token)
  if (typeof link === 'number') return data({ refusal: refusals[link], answer: null }, link)
  const { event, visitor } = link
  const [participation] = await readParticipations(contextOf(context).db, visitor, [event])
  const own = participation?.own ?? null
  return { refusal: null, answer: { token, event, username: visitor.name, own, once: crypto.randomUUID() } }
}

export const action = formAction({ fields: rsvpFields }, async (submission) => {
  const { url, field, author } = submission
  const token = url.searchParams.get('token') ?? ''
  const link = await readAnswerLink(submission, token)
  if (typeof link === 'number') throw new Rejection(refusals[link], link)
  const { event, visitor, accountId } = link
  const { undo, ...result } = await saveRsvpForm({
    ...submission,
    visitor,
    author: { ...author, accountId },
    field: (name) => (name === 'event' ? event.id : field(name)),
  })
  return { ...result, undo: { ...undo, action: answerPath(token) } }
})

function answerPath(token: string) {
  return `/answer?token=${token}`
}

export const handle = { cache: 'none', title: '出欠の回答', hasShortForms: true }

export default function AnswerPage({ loaderData: { refusal, answer } }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="出欠の回答" english="RSVP" />
      {/* Another link in the same tab has a form of its own. */}
      {answer ? <Answer key={answer.token} {...answer} /> : <Notice kind="trouble">{refusal}</Notice>}
    </div>
  )
}

function Answer({ token, event, username, own, once }: NonNullable<Route.ComponentProps['loaderData']['answer']>) {
  // Guests have no toast.
  const save = useSave({ isReportedHere: true })
  return (
    <section className={styles.coming} aria-labelledby="event">
      <h2 id="event">{event.title}</h2>
      <EventFacts event={event} />
      {event.content && <p className={styles.content}>{event.content}</p>}
      <p className={styles.person}>{`${username} さんの回答`}</p>
      <p className={styles.own}>{formatOwnRsvp(own, false)}</p>
      <RsvpForm event={event} own={own} save={save} action={answerPath(token)} once={once} />
      <Outcome save={save} />
    </section>
  )
}
