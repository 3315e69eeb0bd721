import { useEffect, useRef } from 'react'
import { Form, Link } from 'react-router'
import { type DayState, dayStateInWords } from '../business-days/business-day.ts'
import { Refused } from '../site/refused.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { EventAnswer } from './calendar-answer.ts'
import styles from './day-panel.module.css'
import { EventFields } from './event-form.tsx'
import { eventTimeInWords, type ShownEvent } from './event-words.ts'
import { type Day, dayInWords } from './month.ts'

type Props = {
  day: Day
  state: DayState | undefined
  events: ShownEvent[]
  mayEdit: boolean
  seesControls: boolean
  refusal: string
  sendsMail: boolean
  /** The id of the event to be added: sent twice, it is added once. */
  newId: string
  answer: EventAnswer | undefined
  busy: boolean
  /** Whether the keyboard asked for the day: it goes on here. */
  takesFocus: boolean
  onOpen: (event: ShownEvent) => void
  onLeave: () => void
}

/** A day spelled out: its hours, its events, and the form that adds one. */
export function DayPanel(props: Props) {
  const { day, state, events, mayEdit, seesControls, refusal, sendsMail, newId, answer, busy, takesFocus } = props
  const { onOpen, onLeave } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const hours = state && dayStateInWords(state)
  const adding = answer?.intent === 'add' ? answer : undefined
  return (
    <section
      id="day"
      className={styles.panel}
      aria-labelledby="day-heading"
      onKeyDown={(event) => event.key === 'Escape' && onLeave()}
    >
      <h2 id="day-heading" ref={heading} tabIndex={-1}>
        {dayInWords(day)}
        {state?.holiday && <small className={styles.holiday}>{state.holiday}</small>}
      </h2>
      {hours && <p className={state?.state === 'open' ? styles.open : styles.closed}>{hours}</p>}
      {mayEdit && (
        <p className={styles.settings}>
          <Link to={`/bussinessdays?table=special&day=${day}`}>この日の営業を変える</Link>
        </p>
      )}
      {events.length > 0 ? (
        <ul className={styles.events}>
          {events.map((event) => (
            <li key={event.id}>
              <button type="button" onClick={() => onOpen(event)}>
                <span className={styles.time}>{eventTimeInWords(event) || '終日'}</span>
                <span>{event.title}</span>
              </button>
              <noscript>
                <p className={styles.content}>{event.content}</p>
              </noscript>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>予定はありません。</p>
      )}
      {seesControls && (
        <details className={mayEdit ? styles.add : `${styles.add} ${styles.quiet}`} open={mayEdit}>
          <summary>予定を追加する</summary>
          {!mayEdit && <Refused sentence={refusal} />}
          {(adding?.refusal ?? adding?.failed) && <Notice kind="trouble">{adding?.refusal ?? adding?.failed}</Notice>}
          <Form method="post" preventScrollReset key={newId}>
            <fieldset disabled={!mayEdit} className={styles.fields}>
              <input type="hidden" name="id" value={newId} />
              <input type="hidden" name="day" value={day} />
              <EventFields values={adding?.values ?? {}} errors={adding?.errors} sendsMail={sendsMail} />
              <SubmitButton name="intent" value="add" busy={busy}>
                追加する
              </SubmitButton>
            </fieldset>
          </Form>
        </details>
      )}
    </section>
  )
}
