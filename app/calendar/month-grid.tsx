import { type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { addDays, addMonths, type Day, formatDay, type Month, monthOf, weekdayOf, weeksOf } from '../dates/month.ts'
import { type DayState, formatDayState, formatMinutes } from '../hours/business-day.ts'
import { isJapanese, langOf, languageCode, pathIn, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { graphemes, truncate } from '../ui/characters.ts'
import { formatEventTime, type ShownEvent } from './event-format.ts'
import styles from './month-grid.module.css'
import type { CalendarDialog } from './use-calendar-dialog.ts'

const MAX_EVENTS_SHOWN = 3

type Props = {
  month: Month
  days: DayState[]
  events: ShownEvent[]
  today: Day
  selected: Day | null
  dialog: CalendarDialog
  /** Whether keyboard navigation has led here from another month. If so, the active day receives the focus. */
  takesFocus: boolean
  onSelect: (day: Day, by: 'pointer' | 'keyboard') => void
  /** The target day of keyboard navigation to another month, while that month is being loaded. */
  pendingDay: Day | null
  /**
   * Handles keyboard navigation to another month. `by` is 'keyboard' after Enter, which moves the focus to the day
   * panel.
   */
  onLeaveMonth: (day: Day, by: 'keyboard' | 'arrival') => void
}

/**
 * A month in the ARIA grid pattern: the grid is one tab stop, arrow keys move between days, and Enter selects a day.
 */
export function MonthGrid(props: Props) {
  const { month, days, events, today, selected, dialog } = props
  const { active, body, select, handleKey } = useGridNavigation(props)
  const states = new Map(days.map((each) => [each.day, each]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: software without ARIA support reads a table
    <table className={styles.grid} role="grid" aria-labelledby="month">
      <thead>
        <tr>
          {[...'日月火水木金土'].map((weekday) => (
            <th key={weekday} scope="col" data-mincho aria-label={t(`${weekday}曜日`)}>
              {t(weekday)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {weeksOf(month).map((week) => (
          <tr key={week[0]}>
            {week.map((day) =>
              monthOf(day) === month ? (
                <DayCell
                  key={day}
                  day={day}
                  state={states.get(day)}
                  events={events.filter((event) => event.day === day)}
                  isToday={day === today}
                  isSelected={day === selected}
                  isActive={day === active}
                  onSelect={() => select(day, 'pointer')}
                  dialog={dialog}
                  onKeyDown={(event) => handleKey(day, event)}
                />
              ) : (
                <td key={day} className={`${styles.day} ${styles.outside}`} aria-disabled="true">
                  <span className="visually-hidden">
                    {words(formatDayLabel(day, states.get(day), [], day === today))}
                  </span>
                  <div aria-hidden="true">
                    <DayHead day={day} state={states.get(day)} />
                  </div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function useGridNavigation({ month, today, selected, takesFocus, pendingDay, onSelect, onLeaveMonth }: Props) {
  const initialDay = [selected, today].find((day) => day && monthOf(day) === month) ?? `${month}-01`
  const [visitedDay, setVisitedDay] = useState<Day | null>(null)
  const active = visitedDay ?? initialDay
  const body = useRef<HTMLTableSectionElement>(null)
  const focus = (day: Day) => body.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
  // A layout effect moves the focus before the next paint.
  useLayoutEffect(() => {
    if (takesFocus) focus(active)
  }, [])
  const select = (day: Day, by: 'pointer' | 'keyboard') => {
    setVisitedDay(day)
    onSelect(day, by)
  }
  const handleKey = (focusedDay: Day, event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const isSelection = event.key === 'Enter' || event.key === ' '
    const currentDay = pendingDay ?? focusedDay
    const day = isSelection ? currentDay : findTargetDay(currentDay, event)
    if (!day) return
    event.preventDefault()
    if (monthOf(day) !== month) onLeaveMonth(day, isSelection ? 'keyboard' : 'arrival')
    else if (isSelection) select(day, 'keyboard')
    else {
      setVisitedDay(day)
      focus(day)
    }
  }
  return { active, body, select, handleKey }
}

function findTargetDay(day: Day, { key, shiftKey }: KeyboardEvent): Day | null {
  const month = monthOf(day)
  const nullIfOutside = (other: Day) => (monthOf(other) === month ? other : null)
  const sunday = addDays(day, -weekdayOf(day))
  const monthStep = shiftKey ? 12 : 1
  const targets: Record<string, () => Day> = {
    ArrowLeft: () => addDays(day, -1),
    ArrowRight: () => addDays(day, 1),
    ArrowUp: () => addDays(day, -7),
    ArrowDown: () => addDays(day, 7),
    Home: () => nullIfOutside(sunday) ?? `${month}-01`,
    End: () => nullIfOutside(addDays(sunday, 6)) ?? addDays(`${addMonths(month, 1)}-01`, -1),
    PageUp: () => findSameDate(addMonths(month, -monthStep), day),
    PageDown: () => findSameDate(addMonths(month, monthStep), day),
  }
  return targets[key]?.() ?? null
}

// Returns the same date in another month, or the last day of a shorter month: 31 January leads to 28 February.
function findSameDate(month: Month, day: Day): Day {
  const lastDay = addDays(`${addMonths(month, 1)}-01`, -1)
  const sameDate = `${month}${day.slice(7)}`
  return sameDate < lastDay ? sameDate : lastDay
}

type DayProps = {
  day: Day
  state: DayState | undefined
  events: ShownEvent[]
  isToday: boolean
  isSelected: boolean
  isActive: boolean
  dialog: CalendarDialog
  onSelect: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

function DayCell({ day, state, events, isToday, isSelected, isActive, dialog, onSelect, onKeyDown }: DayProps) {
  const href = pathIn(languageCode(), `/calendar?month=${monthOf(day)}&day=${day}#day`)
  const select = (click: MouseEvent) => {
    // The browser must handle clicks that open a new tab or window.
    if (click.ctrlKey || click.metaKey || click.shiftKey) return
    click.preventDefault()
    onSelect()
  }
  const stateClasses = [isToday && styles.today, state?.state === 'closed' && styles.closed].filter(Boolean).join(' ')
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a table with the role grid is a gridcell
    <td
      className={`${styles.day} ${stateClasses}`}
      data-day={day}
      tabIndex={isActive ? 0 : -1}
      aria-selected={isSelected}
      aria-current={isToday ? 'date' : undefined}
      onClick={select}
      onKeyDown={onKeyDown}
    >
      <span className="visually-hidden">{words(formatDayLabel(day, state, events, isToday))}</span>
      <div aria-hidden="true">
        <DayHead day={day} state={state} href={href} />
        {events.slice(0, MAX_EVENTS_SHOWN).map((event) => (
          <Link
            key={event.id}
            className={styles.event}
            {...dialog.linkTo('event', event.id)}
            tabIndex={-1}
            title={event.title}
            lang={langOf(event.title)}
            onClick={(click) => click.stopPropagation()}
          >
            <AbbreviatedText text={event.title} maxCharacters={8} />
          </Link>
        ))}
        {events.length > MAX_EVENTS_SHOWN && (
          <span className={`${styles.more} ${styles.whole}`}>
            {t('ほか{count}件', { count: events.length - MAX_EVENTS_SHOWN })}
          </span>
        )}
        {events.length > 1 && (
          <span className={`${styles.more} ${styles.short}`}>{t('ほか{count}件', { count: events.length - 1 })}</span>
        )}
      </div>
    </td>
  )
}

function DayHead({ day, state, href }: { day: Day; state: DayState | undefined; href?: string }) {
  const weekday = weekdayOf(day)
  const saturday = weekday === 6 ? styles.saturday : ''
  const colour = weekday === 0 || state?.holiday ? styles.sunday : saturday
  const number = (
    <span className={`${styles.number} ${colour}`} data-mincho>
      {Number(day.slice(8))}
    </span>
  )
  return (
    <>
      {href ? (
        <a href={href} tabIndex={-1} className={styles.link}>
          {number}
        </a>
      ) : (
        number
      )}
      {state?.holiday && (
        <span className={styles.holiday}>
          <AbbreviatedText text={state.holiday} maxCharacters={4} />
        </span>
      )}
      {state && state.state !== 'unknown' && <DayHours state={state} />}
    </>
  )
}

function DayHours({ state }: { state: DayState }) {
  if (state.state === 'closed')
    return (
      <span className={styles.hours}>
        <span className={styles.whole}>
          <span>{words(t(state.label))}</span>
          <DayCause state={state} />
        </span>
        <PhoneText>{t('休')}</PhoneText>
        {state.cause && <PhoneText>{truncate(state.cause.replace(/のため$/, ''), widthOf(4))}</PhoneText>}
      </span>
    )
  return (
    <span className={styles.hours}>
      <b className={styles.whole}>
        <span>{words(t(state.label || '営業'))}</span>
        <DayCause state={state} />
      </b>
      {state.source === 'special day' && (
        <b className={styles.short} aria-hidden="true">
          {t(CHANGED_BADGE)}
        </b>
      )}
      {state.spans.length === 0 && <PhoneText>{t('営業')}</PhoneText>}
      {state.cause && state.spans.length > 0 && (
        <span className={`${styles.whole} ${styles.cause}`}>{t('営業は')}</span>
      )}
      {state.spans.map(({ start, end }) => (
        <span key={start} className={styles.slot}>
          <span>{formatMinutes(start) + t('〜')}</span>
          <wbr />
          <span>{formatMinutes(end)}</span>
        </span>
      ))}
    </span>
  )
}

function DayCause({ state: { cause } }: { state: DayState }) {
  return cause && <span className={styles.cause}>{words(t('（{cause}）', { cause }))}</span>
}

/** The badge that marks an open special day in the phone layout. */
export const CHANGED_BADGE = '時'

function PhoneText({ children }: { children: string }) {
  return (
    <span className={styles.short} aria-hidden="true">
      {words(children)}
    </span>
  )
}

// A Latin letter is half as wide as a Japanese character.
function widthOf(maxCharacters: number) {
  return isJapanese() ? maxCharacters : 2 * maxCharacters
}

function AbbreviatedText({ text, maxCharacters }: { text: string; maxCharacters: number }) {
  const parts = graphemes(text)
  const width = widthOf(maxCharacters)
  if (parts.length <= width) return <span>{words(text)}</span>
  const cutText = parts.slice(0, width).join('')
  return (
    <>
      <span className={styles.whole}>{words(text)}</span>
      <PhoneText>{isJapanese() ? cutText : cutText.replace(/\s+\S*$/, '')}</PhoneText>
    </>
  )
}

function formatDayLabel(day: Day, state: DayState | undefined, events: ShownEvent[], isToday: boolean) {
  const eventLabels = events.map((event) => [formatEventTime(event), event.title].filter(Boolean).join(' '))
  return [
    formatDay(day),
    isToday && t('今日'),
    state?.holiday,
    state && formatDayState(state),
    eventLabels.length > 0 && t('予定 {events}', { events: eventLabels.join(t('、')) }),
  ]
    .filter(Boolean)
    .join(isJapanese() ? ' ' : t('、'))
}
