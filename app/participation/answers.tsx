import { useFetcher } from 'react-router'
import { eventTimeInWords, type ShownEvent } from '../calendar/event-words.ts'
import { dayInWords } from '../calendar/month.ts'
import button from '../ui/button.module.css'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from '../saving/once-key.tsx'
import { type Answer, answers, NOTE_LENGTH, type Participation, type Taken } from './answer.ts'
import styles from './answers.module.css'

/** What the server said; `unanswered` where it could not be reached. */
type Sent = Partial<Taken> & { unanswered?: boolean }

type ComingProps = {
  events: ShownEvent[]
  participations: Participation[]
  /** What was answered to a form that was sent without scripts. */
  sent: Taken | undefined
}

/** The coming events that ask who comes, each with its answers. */
export function ComingEvents({ events, participations, sent }: ComingProps) {
  return (
    <section className={styles.coming} aria-labelledby="participation">
      <h2 id="participation">参加申込</h2>
      {events.length === 0 && <p>出欠をとる予定はまだありません。予定が決まると、ここからお申し込みいただけます。</p>}
      {events.map((event) => {
        const participation = participations.find(({ eventId }) => eventId === event.id)
        if (!participation) return null
        return (
          <article key={event.id} className={styles.event} aria-labelledby={`event-${event.id}`}>
            <h3 id={`event-${event.id}`}>{event.title}</h3>
            <p className={styles.when}>
              <span>{`${dayInWords(event.day)} ${eventTimeInWords(event)}`}</span>
              {event.capacity && <span>定員{event.capacity}名</span>}
              {event.deadline && <span>締切{dayInWords(event.deadline)}</span>}
            </p>
            <EventAnswers
              event={event}
              participation={participation}
              sent={sent?.event === event.id ? sent : undefined}
            />
          </article>
        )
      })}
    </section>
  )
}

type Props = { event: ShownEvent; participation: Participation; sent?: Taken | undefined }

/** Who comes to an event, and the member's own answer. */
export function EventAnswers({ event, participation, sent }: Props) {
  const fetcher = useFetcher<Sent>()
  const busy = fetcher.state !== 'idle'
  const said: Sent | undefined = fetcher.data ?? sent
  const { own, over } = participation
  return (
    <div className={styles.answers}>
      <p className={styles.own}>{ownInWords(participation)}</p>
      {said?.trouble && <Notice kind="trouble">{said.trouble}</Notice>}
      {said?.done && (
        <Notice kind="done">
          <fetcher.Form method="post" action="/memberlist" className={styles.done}>
            <span>{said.done}</span>
            {said.undo !== undefined && !over && (
              <>
                <Seen event={event} own={own} />
                <input type="hidden" name="note" value={said.undo?.note ?? ''} />
                <button
                  type="submit"
                  name="answer"
                  value={said.undo?.answer ?? ''}
                  className={button.button}
                  aria-disabled={busy}
                >
                  元に戻す
                </button>
              </>
            )}
          </fetcher.Form>
        </Notice>
      )}
      {!over && (
        <fetcher.Form method="post" action="/memberlist">
          <Seen event={event} own={own} />
          <OnceKey answer={said?.unanswered ? undefined : said} />
          <details className={styles.note} open={Boolean(own?.note)}>
            <summary>ひとことを添える</summary>
            <Field label="ひとこと" hint="管理者だけが読みます。">
              {(wiring) => (
                <textarea
                  {...wiring}
                  key={own?.note}
                  name="note"
                  rows={2}
                  maxLength={NOTE_LENGTH}
                  defaultValue={own?.note}
                />
              )}
            </Field>
          </details>
          <div className={styles.choices}>
            {(Object.keys(answers) as Answer[]).map((answer) => (
              <button
                key={answer}
                type="submit"
                name="answer"
                value={answer}
                className={styles.choice}
                aria-pressed={own?.answer === answer}
                aria-disabled={busy}
                onClick={(click) => busy && click.preventDefault()}
              >
                {answers[answer]}
              </button>
            ))}
          </div>
        </fetcher.Form>
      )}
      <dl className={styles.names}>
        <Names label="参加" names={participation.coming} of={event.capacity} none="まだいません" />
        <Names label="空席待ち（順）" names={participation.waiting} />
        <Names label="未定" names={participation.maybe} />
        {participation.notes.length > 0 && (
          <div>
            <dt>ひとこと</dt>
            {participation.notes.map(({ name, note }) => (
              <dd key={name}>
                {name}：{note}
              </dd>
            ))}
          </div>
        )}
      </dl>
    </div>
  )
}

function Seen({ event, own }: { event: ShownEvent; own: Participation['own'] }) {
  return (
    <>
      <input type="hidden" name="event" value={event.id} />
      <input type="hidden" name="version" value={own?.version ?? 0} />
    </>
  )
}

type NamesProps = { label: string; names: string[]; of?: number | null; none?: string }

function Names({ label, names, of = null, none }: NamesProps) {
  if (names.length === 0 && !none) return null
  return (
    <div>
      <dt>{`${label} ${names.length}名${of ? `／${of}名` : ''}`}</dt>
      <dd>{names.join('、') || none}</dd>
    </div>
  )
}

function ownInWords({ own, over }: Participation) {
  const closed = over ? 'お答えは締め切りました。' : ''
  if (!own) return closed || 'まだお答えになっていません。'
  if (own.waiting) return `${closed}空席待ちの${own.waiting}番目です。空きが出ると、自動で参加になります。`
  return `${closed}お答え：${answers[own.answer]}`
}
