import { type KeyboardEvent, type MouseEvent, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { addDays, addMonths, type Day, formatDay, type Month, monthOf, weekdayOf, weeksOf } from '../dates/month.ts'
import { type DayState, formatDayState, formatMinutes } from '../hours/business-day.ts'
import { graphemes, truncate } from '../ui/characters.ts'
import { formatEventTime, type ShownEvent } from './event-words.ts'
import styles from './month-grid.module.css'
import type { Opened } from './use-opened.ts'

const EVENTS_SHOWN = 3

type Props = {
  month: Month
  days: DayState[]
  events: ShownEvent[]
  today: Day
  selected: Day | null
  labelledBy: string
  opened: Opened
  /** Whether keyboard navigation led here from another month; the active day then receives the focus. */
  arrives: boolean
  onSelect: (day: Day, by: 'pointer' | 'keyboard') => void
  /** The target day of keyboard navigation to another month, until that month is rendered. */
  leavingFor: Day | null
  /** Handles keyboard navigation to another month; `by` is 'keyboard' after Enter, which focuses the day panel. */
  onLeave: (day: Day, by: 'keyboard' | 'arrival') => void
}

/** A month in the ARIA grid pattern: one tab stop, arrow keys move between days, Enter selects. */
export function MonthGrid(props: Props) {
  const { month, days, events, today, selected, labelledBy, opened } = props
  const { active, body, select, press } = useWalk(props)
  const states = new Map(days.map((each) => [each.day, each]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: software without ARIA support reads a table
    <table className={styles.grid} role="grid" aria-labelledby={labelledBy}>
      <thead>
        <tr>
          {[...'日月火水木金土'].map((weekday) => (
            <th key={weekday} scope="col" data-mincho aria-label={`${weekday}曜日`}>
              {weekday}
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
                  opened={opened}
                  onKeyDown={(event) => press(day, event)}
                />
              ) : (
                <td key={day} className={`${styles.day} ${styles.outside}`} aria-disabled="true">
                  <span className="visually-hidden">{dayWithEverything(day, states.get(day), [], day === today)}</span>
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

function useWalk({ month, today, selected, arrives, leavingFor, onSelect, onLeave }: Props) {
  const standing = [selected, today].find((day) => day && monthOf(day) === month) ?? `${month}-01`
  const [walkedTo, setActive] = useState<Day | null>(null)
  const active = walkedTo ?? standing
  const body = useRef<HTMLTableSectionElement>(null)
  const focus = (day: Day) => body.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus()
  // A layout effect, so that the focus is set before the next paint.
  useLayoutEffect(() => {
    if (arrives) focus(active)
  }, [])
  const select = (day: Day, by: 'pointer' | 'keyboard') => {
    setActive(day)
    onSelect(day, by)
  }
  const press = (from: Day, event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const selects = event.key === 'Enter' || event.key === ' '
    const here = leavingFor ?? from
    const day = selects ? here : dayByKey(here, event)
    if (!day) return
    event.preventDefault()
    if (monthOf(day) !== month) onLeave(day, selects ? 'keyboard' : 'arrival')
    else if (selects) select(day, 'keyboard')
    else {
      setActive(day)
      focus(day)
    }
  }
  return { active, body, select, press }
}

function dayByKey(day: Day, { key, shiftKey }: KeyboardEvent): Day | null {
  const month = monthOf(day)
  const inMonth = (other: Day) => (monthOf(other) === month ? other : null)
  const sunday = addDays(day, -weekdayOf(day))
  const months = shiftKey ? 12 : 1
  const targets: Record<string, () => Day> = {
    ArrowLeft: () => addDays(day, -1),
    ArrowRight: () => addDays(day, 1),
    ArrowUp: () => addDays(day, -7),
    ArrowDown: () => addDays(day, 7),
    Home: () => inMonth(sunday) ?? `${month}-01`,
    End: () => inMonth(addDays(sunday, 6)) ?? addDays(`${addMonths(month, 1)}-01`, -1),
    PageUp: () => sameDayIn(addMonths(month, -months), day),
    PageDown: () => sameDayIn(addMonths(month, months), day),
  }
  return targets[key]?.() ?? null
}

// Returns the last day of a shorter month: 31 January leads to 28 February.
function sameDayIn(month: Month, day: Day): Day {
  const last = addDays(`${addMonths(month, 1)}-01`, -1)
  const same = `${month}${day.slice(7)}`
  return same < last ? same : last
}

type DayProps = {
  day: Day
  state: DayState | undefined
  events: ShownEvent[]
  isToday: boolean
  isSelected: boolean
  isActive: boolean
  opened: Opened
  onSelect: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

function DayCell({ day, state, events, isToday, isSelected, isActive, opened, onSelect, onKeyDown }: DayProps) {
  const address = `/calendar?month=${monthOf(day)}&day=${day}#day`
  const select = (click: MouseEvent) => {
    // The browser handles clicks that open a new tab or window.
    if (click.ctrlKey || click.metaKey || click.shiftKey) return
    click.preventDefault()
    onSelect()
  }
  const kind = [isToday && styles.today, state?.state === 'closed' && styles.closed].filter(Boolean).join(' ')
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a table with the role grid is a gridcell
    <td
      className={`${styles.day} ${kind}`}
      data-day={day}
      tabIndex={isActive ? 0 : -1}
      aria-selected={isSelected}
      aria-current={isToday ? 'date' : undefined}
      onClick={select}
      onKeyDown={onKeyDown}
    >
      <span className="visually-hidden">{dayWithEverything(day, state, events, isToday)}</span>
      <div aria-hidden="true">
        <DayHead day={day} state={state} address={address} />
        {events.slice(0, EVENTS_SHOWN).map((event) => (
          <Link
            key={event.id}
            className={styles.event}
            {...opened.linkTo('event', event.id)}
            tabIndex={-1}
            title={event.title}
            onClick={(click) => click.stopPropagation()}
          >
            <Shortened text={event.title} most={8} />
          </Link>
        ))}
        {events.length > EVENTS_SHOWN && (
          <span className={`${styles.more} ${styles.whole}`}>{`ほか${events.length - EVENTS_SHOWN}件`}</span>
        )}
        {events.length > 1 && <span className={`${styles.more} ${styles.short}`}>{`ほか${events.length - 1}件`}</span>}
      </div>
    </td>
  )
}

function DayHead({ day, state, address }: { day: Day; state: DayState | undefined; address?: string }) {
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
      {address ? (
        <a href={address} tabIndex={-1} className={styles.link}>
          {number}
        </a>
      ) : (
        number
      )}
      {state?.holiday && (
        <span className={styles.holiday}>
          <Shortened text={state.holiday} most={4} />
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
          <span>{state.label}</span>
          <Cause of={state} />
        </span>
        <Short>休</Short>
        {state.cause && <Short>{truncate(state.cause.replace(/のため$/, ''), 4)}</Short>}
      </span>
    )
  return (
    <span className={styles.hours}>
      <b className={styles.whole}>
        <span>{state.label || '営業'}</span>
        <Cause of={state} />
      </b>
      {state.source === 'special day' && (
        <b className={styles.short} aria-hidden="true">
          {CHANGED}
        </b>
      )}
      {state.spans.length === 0 && <Short>営業</Short>}
      {state.cause && state.spans.length > 0 && <span className={`${styles.whole} ${styles.cause}`}>営業は</span>}
      {state.spans.map(({ start, end }) => (
        <span key={start} className={styles.slot}>
          <span>{`${formatMinutes(start)}〜`}</span>
          <wbr />
          <span>{formatMinutes(end)}</span>
        </span>
      ))}
    </span>
  )
}

function Cause({ of: { cause } }: { of: DayState }) {
  return cause && <span className={styles.cause}>{`（${cause}）`}</span>
}

/** The badge of an open special day in the phone layout. */
export const CHANGED = '時'

/** Renders text of the phone layout, hidden from screen readers. */
function Short({ children }: { children: string }) {
  return (
    <span className={styles.short} aria-hidden="true">
      {children}
    </span>
  )
}

function Shortened({ text, most }: { text: string; most: number }) {
  const parts = graphemes(text)
  if (parts.length <= most) return <span>{text}</span>
  return (
    <>
      <span className={styles.whole}>{text}</span>
      <Short>{parts.slice(0, most).join('')}</Short>
    </>
  )
}

function dayWithEverything(day: Day, state: DayState | undefined, events: ShownEvent[], isToday: boolean) {
  const said = events.map((event) => [formatEventTime(event), event.title].filter(Boolean).join(' '))
  return [
    formatDay(day),
    isToday && '今日',
    state?.holiday,
    state && formatDayState(state),
    said.length > 0 && `予定 ${said.join('、')}`,
  ]
    .filter(Boolean)
    .join(' ')
}
