import { timeInJapan } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { useToday } from '../dates/use-today.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { useTime } from '../ui/use-time.ts'
import { formatDeadline, formatEventTime, type ShownEvent } from './event-format.ts'
import { isRsvpClosed, MAX_NOTE_LENGTH, type Participation, type Rsvp, rsvpIntent, rsvpLabels } from './rsvp.ts'
import styles from './rsvps.module.css'

type ComingProps = {
  events: ShownEvent[]
  participations: Participation[]
  /** The server time at which the RSVPs were read, in milliseconds since 1970. */
  asOf: number
}

export function ComingEvents({ events, participations, asOf }: ComingProps) {
  const today = useToday(asOf)
  const comingEvents = events.filter(({ day }) => day >= today)
  return (
    <section className={styles.coming} aria-labelledby="participation">
      <h2 id="participation">参加申込</h2>
      {comingEvents.length === 0 && (
        <p>出欠をとる予定はまだありません。予定が決まると、ここからお申し込みいただけます。</p>
      )}
      {comingEvents.map((event) => {
        const participation = participations.find(({ eventId }) => eventId === event.id)
        if (!participation) return null
        return (
          <article key={event.id} className={styles.event} aria-labelledby={`event-${event.id}`}>
            <h3 id={`event-${event.id}`}>{event.title}</h3>
            <p className={styles.when}>
              <span>{`${formatDay(event.day)} ${formatEventTime(event)}`}</span>
              {event.capacity && <span>{`定員${event.capacity}名`}</span>}
              {event.deadline && <span>{`締切${formatDeadline(event)}`}</span>}
            </p>
            <EventRsvps event={event} participation={participation} asOf={asOf} />
          </article>
        )
      })}
    </section>
  )
}

type Props = Pick<ComingProps, 'asOf'> & { event: ShownEvent; participation: Participation }

export function EventRsvps({ event, participation, asOf }: Props) {
  const save = useSave({ intents: [rsvpIntent(event.id)] })
  const { own } = participation
  const isClosed = isRsvpClosed(event, useTime(asOf, timeInJapan))
  return (
    <div className={styles.answers}>
      {participation.mayAnswer && <p className={styles.own}>{formatOwnRsvp(own, isClosed)}</p>}
      {participation.mayAnswer && !isClosed && <RsvpForm event={event} own={own} save={save} />}
      <Outcome save={save} />
      <dl className={styles.names}>
        <NameList
          label="参加"
          names={participation.coming}
          capacity={event.capacity}
          emptyText="まだどなたもいません"
        />
        <NameList label="キャンセル待ち（受付順）" names={participation.waiting} />
        <NameList label="未定" names={participation.maybe} />
        {participation.notes.length > 0 && (
          <div>
            <dt>ひとこと</dt>
            {participation.notes.map(({ name, note }) => (
              <dd key={name}>{`${name}：${note}`}</dd>
            ))}
          </div>
        )}
      </dl>
    </div>
  )
}

function RsvpForm({ event, own, save }: { event: ShownEvent; own: Participation['own']; save: Saving }) {
  return (
    <SaveForm save={save} action="/memberlist" once="">
      <input type="hidden" name="event" value={event.id} />
      <input type="hidden" name="version" value={own?.version ?? 0} />
      <details className={styles.note} open={Boolean(own?.note)}>
        <summary>ひとことを添える</summary>
        <Field label="ひとこと" hint="管理者だけに表示します。">
          {(wiring) => (
            <textarea
              {...wiring}
              key={own?.note}
              name="note"
              rows={2}
              maxLength={maxCodeUnits(MAX_NOTE_LENGTH)}
              defaultValue={own?.note}
            />
          )}
        </Field>
      </details>
      <div className={styles.choices}>
        {(Object.keys(rsvpLabels) as Rsvp[]).map((answer) => (
          <button
            key={answer}
            type="submit"
            name="answer"
            value={answer}
            className={styles.choice}
            aria-pressed={own?.answer === answer}
            aria-disabled={save.busy}
          >
            {rsvpLabels[answer]}
          </button>
        ))}
      </div>
    </SaveForm>
  )
}

type NameListProps = { label: string; names: string[]; capacity?: number | null; emptyText?: string }

function NameList({ label, names, capacity = null, emptyText }: NameListProps) {
  if (names.length === 0 && !emptyText) return null
  return (
    <div>
      <dt>{`${label} ${names.length}名${capacity ? `／${capacity}名` : ''}`}</dt>
      <dd>{names.join('、') || emptyText}</dd>
    </div>
  )
}

function formatOwnRsvp(own: Participation['own'], isClosed: boolean) {
  const closedSentence = isClosed ? '回答の受付は終了しました。' : ''
  if (!own) return closedSentence || 'まだ回答していません。'
  if (own.waiting)
    return `${closedSentence}キャンセル待ちの${own.waiting}番目です。空きが出ると、自動で参加になります。`
  return `${closedSentence}回答：${rsvpLabels[own.answer]}`
}
