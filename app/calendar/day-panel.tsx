import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { type Day, formatDay } from '../dates/month.ts'
import { type DayState, formatDayState } from '../hours/business-day.ts'
import { UnbrokenTimes } from '../hours/unbroken-times.tsx'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { isComposing } from '../ui/is-composing.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import styles from './day-panel.module.css'
import { formatEventTime, type ShownEvent } from './event-format.ts'
import { useCalendarData } from './use-calendar-data.ts'
import type { CalendarDialog } from './use-calendar-dialog.ts'

const AddEvent = lazyComponent(async () => (await import('./add-event.tsx')).default)

type Props = {
  day: Day
  state: DayState | undefined
  events: ShownEvent[]
  dialog: CalendarDialog
  takesFocus: boolean
  onUse: () => void
  onLeave: () => void
}

export function DayPanel({ day, state, events, dialog, takesFocus, onUse, onLeave }: Props) {
  const { mayEdit, seesControls } = useCalendarData()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const hours = state && formatDayState(state)
  return (
    <section
      id="day"
      className={styles.panel}
      aria-labelledby="day-heading"
      onFocus={onUse}
      onKeyDown={({ key, nativeEvent }) => {
        // Escape during an IME composition only cancels the composition.
        if (key === 'Escape' && !isComposing(nativeEvent)) onLeave()
      }}
    >
      <h2 id="day-heading" ref={heading} tabIndex={-1}>
        <span>{formatDay(day)}</span>
        {state?.holiday && <small className={styles.holiday}>{words(state.holiday)}</small>}
      </h2>
      {hours && (
        <p className={state?.state === 'open' ? styles.open : styles.closed}>
          <UnbrokenTimes text={hours} />
        </p>
      )}
      {state?.note && <p className={styles.note}>{words(state.note)}</p>}
      {mayEdit && (
        <p className={styles.settings}>
          <Link to={`/bussinessdays?table=special&day=${day}`}>この日の営業を変更する</Link>
        </p>
      )}
      {events.length > 0 ? (
        <ul className={styles.events}>
          {events.map((event) => (
            <li key={event.id}>
              <Link {...dialog.linkTo('event', event.id)}>
                <span className={styles.time}>{formatEventTime(event) || t('終日')}</span>
                <span>{words(event.title)}</span>
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>{t('予定はありません。')}</p>
      )}
      {seesControls && <AddEvent day={day} />}
    </section>
  )
}
