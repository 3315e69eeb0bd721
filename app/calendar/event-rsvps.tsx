import { timeInJapan } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { useToday } from '../dates/use-today.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import { useStoredValue } from '../forms/use-stored-value.ts'
import { LinkButton } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import disclosure from '../ui/disclosure.module.css'
import { Field, namedOptions } from '../ui/field.tsx'
import { useTime } from '../ui/use-time.ts'
import { formatDeadline, formatEventTime, type ShownEvent } from './event-format.ts'
import {
  eventPeoplePath,
  isRsvpClosed,
  MAX_COMPANIONS,
  MAX_NOTE_LENGTH,
  type Rsvp,
  rsvpIntent,
  rsvpLabels,
} from './rsvp.ts'
import styles from './rsvps.module.css'
import type { Participation } from './rsvps.server.ts'

type ComingProps = {
  events: ShownEvent[]
  participations: Participation[]
  /** The server time at which the RSVPs were read, in milliseconds since 1970. */
  asOf: number
  /** Whether the visitor organises the events. */
  organises: boolean
}

export function ComingEvents({ events, participations, asOf, organises }: ComingProps) {
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
            <EventFacts event={event} />
            <EventRsvps event={event} participation={participation} asOf={asOf} />
            {organises && <OrganiserLinks event={event} asOf={asOf} />}
          </article>
        )
      })}
    </section>
  )
}

export function EventFacts({ event }: { event: ShownEvent }) {
  return (
    <p className={styles.when}>
      <span>{`${formatDay(event.day)} ${formatEventTime(event)}`}</span>
      {event.capacity && <span>{`定員${event.capacity}名`}</span>}
      {event.deadline && <span>{`締切${formatDeadline(event)}`}</span>}
    </p>
  )
}

/** The links of organisers to the people of an event, and to a message to those who have not answered. */
export function OrganiserLinks({ event, asOf }: Pick<ComingProps, 'asOf'> & { event: ShownEvent }) {
  const isClosed = isRsvpClosed(event, useTime(asOf, timeInJapan))
  return (
    <p className={styles.organise}>
      {!isClosed && (
        <LinkButton to={`/memberlist/message?to=unanswered&event=${event.id}`}>回答していない方に連絡する</LinkButton>
      )}
      <LinkButton to={eventPeoplePath(event.id)} aria-label={`${event.title}：出欠をまとめる`}>
        出欠をまとめる
      </LinkButton>
    </p>
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
          seats={participation.seats.coming}
          capacity={event.capacity}
          emptyText="まだどなたもいません"
        />
        <NameList label="キャンセル待ち（受付順）" names={participation.waiting} seats={participation.seats.waiting} />
        <NameList label="未定" names={participation.maybe} seats={participation.maybe.length} />
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

type FormProps = {
  event: ShownEvent
  own: Participation['own']
  save: Saving
  action?: string
  /** The initial idempotency key for pages without JavaScript. */
  once?: string
}

export function RsvpForm({ event, own, save, action = '/memberlist', once = '' }: FormProps) {
  const companions = useStoredValue<HTMLSelectElement>(String(own?.companions ?? 0), save)
  const note = useStoredValue<HTMLTextAreaElement>(own?.note ?? '', save)
  const mayGrow = own?.answer === 'yes' && own.companions < MAX_COMPANIONS
  return (
    <SaveForm save={save} action={action} once={once} hiddenFields={{ event: event.id, version: own?.version ?? 0 }}>
      <details className={`${disclosure.disclosure} ${styles.note}`} open={Boolean(own?.note || own?.companions)}>
        <summary>お連れ様・ひとことを添える</summary>
        <Field label="お連れ様" hint={mayGrow && '増やすと、受付の順番は最後になります。'}>
          {(wiring) => (
            <select {...wiring} ref={companions} name="companions" defaultValue={own?.companions ?? 0}>
              {namedOptions(companionOptions)}
            </select>
          )}
        </Field>
        <Field label="ひとこと" hint="管理者だけに表示します。">
          {(wiring) => (
            <textarea
              {...wiring}
              ref={note}
              name="note"
              rows={2}
              maxLength={maxCodeUnits(MAX_NOTE_LENGTH)}
              defaultValue={own?.note}
            />
          )}
        </Field>
      </details>
      <Choices name="answer" choices={rsvpChoices(own?.answer ?? null)} save={save} />
    </SaveForm>
  )
}

export type Choice = [value: string, label: string, isPressed: boolean]

export function rsvpChoices(answer: Rsvp | null) {
  return Object.entries(rsvpLabels).map(([value, label]): Choice => [value, label, value === answer])
}

/** Submit buttons for the values of a field. At most one button is pressed. */
export function Choices({ name, choices, save }: { name: string; choices: Choice[]; save: Saving }) {
  return (
    <div className={styles.choices}>
      {choices.map(([value, label, isPressed]) => (
        <button
          key={label}
          type="submit"
          name={name}
          value={value}
          className={styles.choice}
          aria-pressed={isPressed}
          aria-disabled={save.busy}
          formNoValidate
        >
          {label}
        </button>
      ))}
    </div>
  )
}

export const companionOptions = Array.from({ length: MAX_COMPANIONS + 1 }, (_, count): [string, string] => [
  String(count),
  count === 0 ? 'なし' : `${count}名`,
])

type NameListProps = {
  label: string
  names: string[]
  seats: number
  capacity?: number | null
  emptyText?: string | undefined
}

export function NameList({ label, names, seats, capacity = null, emptyText }: NameListProps) {
  if (names.length === 0 && !emptyText) return null
  return (
    <div>
      <dt>{`${label} ${seats}名${capacity ? `／${capacity}名` : ''}`}</dt>
      <dd>{names.join('、') || emptyText}</dd>
    </div>
  )
}

export function formatOwnRsvp(own: Participation['own'], isClosed: boolean) {
  const closedSentence = isClosed ? '回答の受付は終了しました。' : ''
  if (!own) return closedSentence || 'まだ回答していません。'
  if (own.waiting)
    return `${closedSentence}キャンセル待ちの${own.waiting}番目です。空きが出ると、自動で参加になります。`
  const companions = own.companions > 0 ? `（お連れ様${own.companions}名）` : ''
  return `${closedSentence}回答：${rsvpLabels[own.answer]}${companions}`
}
