import { addDays, type Day, daysFrom, weekdayOf } from '../dates/month.ts'
import type { ShownEvent } from './event-format.ts'
import { escapeText, formatAllDay, formatDate, formatUtc, formatUtcTime } from './icalendar.ts'
import { listOccurrences, type SeriesRecurrence } from './series.ts'

export type FeedSite = { origin: string; identity: string; hasCircle: boolean }
type Occurrence = ShownEvent & { occurrence: Day; recurrence: SeriesRecurrence }

/** Returns the lines of an event. Its times are in UTC, unless `formatTime` formats them with a time zone. */
export function formatEvent(
  event: ShownEvent,
  { origin, identity, hasCircle }: FeedSite,
  formatTime = (day: Day, time: string) => `:${formatUtcTime(day, time)}`,
  moreLines: string[] = [],
) {
  const { id, version, updatedAt, day, startTime, endTime, title, content, attendance } = event
  const deadline = hasCircle && attendance && formatRelativeDeadline(event)
  const description = [content, deadline && `出欠の締切：${deadline}`].filter(Boolean).join('\n')
  const endDay = endTime && startTime && endTime <= startTime ? addDays(day, 1) : day
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(id)}@${identity}`,
    `SEQUENCE:${version - 1}`,
    `DTSTAMP:${formatUtc(updatedAt)}`,
    ...(startTime ? [`DTSTART${formatTime(day, startTime)}`] : formatAllDay(day)),
    ...(startTime && endTime ? [`DTEND${formatTime(endDay, endTime)}`] : []),
    ...moreLines,
    `SUMMARY:${escapeText(title)}`,
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    `URL:${origin}/calendar?day=${day}`,
    'END:VEVENT',
  ]
}

/**
 * Returns the lines of a series, sorted by occurrence: an event with a recurrence rule, whose exceptions are the days
 * without an event, and each event that differs from the others. `count` is the number of changes, `last` their last
 * time.
 */
export function formatSeries(
  events: ShownEvent[],
  { count, last, ...site }: FeedSite & { count: number; last: string },
) {
  return splitSeries(events as Occurrence[]).flatMap(({ main, part, days }, index) => {
    const [first, end] = [part[0] as Occurrence, part.at(-1) as Occurrence]
    const id = `series-${first.seriesId}${index === 0 ? '' : `-${first.id}`}`
    const format = (event: ShownEvent, lines: string[]) =>
      formatEvent({ ...event, id, version: count + 1, updatedAt: last }, site, formatTimeInJapan, lines)
    if (part.length === 1) return format(first, [])
    const { startTime } = main
    const formatDay = (day: Day) => (startTime ? formatTimeInJapan(day, startTime) : `;VALUE=DATE:${formatDate(day)}`)
    const until = startTime ? formatUtcTime(end.occurrence, startTime) : formatDate(end.occurrence)
    const missing = [...days].filter((day) => day < end.occurrence)
    const differing = part.filter((event) => event.day !== event.occurrence || contentOf(event) !== contentOf(main))
    return [
      ...format({ ...main, day: first.occurrence }, [
        `RRULE:${formatRule(first)};UNTIL=${until}`,
        ...missing.map((day) => `EXDATE${formatDay(day)}`),
      ]),
      ...differing.flatMap((event) => format(event, [`RECURRENCE-ID${formatDay(event.occurrence)}`])),
    ]
  })
}

type Part = { main: Occurrence; part: Occurrence[]; days: Set<Day> }

/**
 * Splits a series where its recurrence or content changes. An event that was changed alone does not split it. `main` has
 * the content of the part, and `days` are the further days of its recurrence.
 */
function splitSeries(events: Occurrence[]) {
  const parts: Part[] = []
  const last = events.at(-1)?.occurrence ?? ''
  for (const event of events) {
    const { occurrence, recurrence, changedAlone } = event
    const current = parts.at(-1)
    const isAlike =
      !current || changedAlone || current.main.changedAlone || contentOf(current.main) === contentOf(event)
    if (current?.main.recurrence === recurrence && isAlike && current.days.delete(occurrence)) {
      current.part.push(event)
      if (current.main.changedAlone) current.main = event
    } else {
      const [, ...days] = listOccurrences(recurrence, occurrence, last)
      parts.push({ main: event, part: [event], days: new Set(days) })
    }
  }
  return parts
}

function contentOf(event: ShownEvent) {
  const { title, content, startTime, endTime } = event
  return JSON.stringify([title, content, startTime, endTime, formatRelativeDeadline(event)])
}

function formatRelativeDeadline({ day, deadline, deadlineTime }: ShownEvent) {
  if (!deadline) return ''
  const count = daysFrom(deadline, day)
  return `${count > 0 ? `${count}日前` : '当日'}${deadlineTime ? `の${deadlineTime}` : ''}`
}

/** Returns the recurrence of an event as the value of RRULE, without its end. */
export function formatRule({ recurrence, occurrence }: Pick<Occurrence, 'recurrence' | 'occurrence'>) {
  if (recurrence === '毎週') return 'FREQ=WEEKLY'
  if (recurrence === '隔週') return 'FREQ=WEEKLY;INTERVAL=2'
  const weekday = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][weekdayOf(occurrence)]
  return `FREQ=MONTHLY;BYDAY=${recurrence === '最終' ? -1 : recurrence.slice(1)}${weekday}`
}

function formatTimeInJapan(day: Day, time: string) {
  return `;TZID=Asia/Tokyo:${formatDate(day)}T${time.replace(':', '')}00`
}
