import { dayInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { languageCode, pathIn } from '../languages/language.ts'
import type { ShownEvent } from './event-format.ts'

type Calendar = { events: ShownEvent[]; hasCircle: boolean; asOf: number }
type Shop = { name: string; url: string; address: object }

/**
 * Returns the shop and its coming events as https://schema.org/Event. Omits events with RSVPs of the circle, because
 * only its members take part, and not at the shop. Also omits events that only members see.
 */
export function eventMetadata<S extends Shop>({ events, hasCircle, asOf }: Calendar, shop: S) {
  const today = dayInJapan(asOf)
  const publicEvents = events.filter(
    ({ day, attendance, membersOnly }) => day >= today && !membersOnly && !(hasCircle && attendance),
  )
  const { name, url, address } = shop
  const graph = publicEvents.map(({ id, title, content, ...times }) => ({
    '@type': 'Event',
    name: title,
    ...(content && { description: content }),
    url: `${url.slice(0, -1)}${pathIn(languageCode(), '/calendar')}?event=${id}`,
    ...datesOf(times),
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    location: { '@type': 'Place', name, address },
    organizer: { '@type': 'Organization', name, url },
  }))
  return [shop, ...(graph.length > 0 ? [{ '@context': 'https://schema.org', '@graph': graph }] : [])]
}

function datesOf({ day, startTime, endTime }: Pick<ShownEvent, 'day' | 'startTime' | 'endTime'>) {
  if (!startTime) return { startDate: day, endDate: day }
  const endDay = endTime && endTime <= startTime ? addDays(day, 1) : day
  return {
    startDate: `${day}T${startTime}:00+09:00`,
    ...(endTime && { endDate: `${endDay}T${endTime}:00+09:00` }),
  }
}
