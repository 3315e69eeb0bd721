import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { type DayState, dayStateInWords } from '../business-days/business-day.ts'
import { type Day, dayInWords } from '../days/month.ts'
import { newKey } from '../saving/once-key.tsx'
import { Refused } from '../saving/refused.tsx'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './day-panel.module.css'
import { EventFields } from './event-form.tsx'
import { eventTimeInWords, type ShownEvent } from './event-words.ts'
import type { Opened } from './use-opened.ts'

type Props = {
  day: Day
  state: DayState | undefined
  events: ShownEvent[]
  mayEdit: boolean
  seesControls: boolean
  refusal: string
  sendsMail: boolean
  /** The id of the event to be added, where there are no scripts that make one. */
  newId: string
  opened: Opened
  /** Whether the keyboard asked for the day: it goes on here. */
  takesFocus: boolean
  onUse: () => void
  onLeave: () => void
}

/** A day spelled out: its hours, its events, and the form that adds one. */
export function DayPanel(props: Props) {
  const { day, state, events, mayEdit, seesControls, opened, takesFocus, onUse, onLeave } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const hours = state && dayStateInWords(state)
  return (
    <section
      id="day"
      className={styles.panel}
      aria-labelledby="day-heading"
      onFocus={onUse}
      onKeyDown={({ key, nativeEvent }) => {
        // This Escape gives up what is being composed.
        if (key === 'Escape' && !nativeEvent.isComposing) onLeave()
      }}
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
              <Link {...opened.linkTo('event', event.id)}>
                <span className={styles.time}>{eventTimeInWords(event) || '終日'}</span>
                <span>{event.title}</span>
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>予定はありません。</p>
      )}
      {seesControls && <AddEvent {...props} />}
    </section>
  )
}

function AddEvent({ day, mayEdit, refusal, sendsMail, newId }: Props) {
  const { id, renew } = useEventId(newId)
  const save = useSave({ intents: ['add'], resets: true, onDone: renew })
  return (
    <details className={mayEdit ? styles.add : `${styles.add} ${styles.quiet}`} open={mayEdit}>
      <summary>予定を追加する</summary>
      {!mayEdit && <Refused sentence={refusal} />}
      <SaveForm save={save} validates>
        <fieldset disabled={!mayEdit} className={styles.fields}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="day" value={day} />
          <EventFields values={save.answer?.values ?? {}} errors={save.errors} sendsMail={sendsMail} />
          <SubmitButton name="intent" value="add" busy={save.busy}>
            追加する
          </SubmitButton>
        </fieldset>
      </SaveForm>
      <Outcome save={save} />
    </details>
  )
}

/** The id of the event to be added: sent twice it is added once, and no two of them have the same. */
function useEventId(first: string) {
  const [id, setId] = useState(first)
  const renew = () => setId(newKey().replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'))
  useEffect(renew, [])
  return { id, renew }
}
