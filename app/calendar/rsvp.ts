import type { ShownEvent } from './event-format.ts'

export const rsvpLabels = { yes: '参加', no: '不参加', maybe: '未定' } as const
export type Rsvp = keyof typeof rsvpLabels

export function isRsvp(text: string): text is Rsvp {
  return Object.hasOwn(rsvpLabels, text)
}

/** An RSVP and a note that only administrators see. Null withdraws the RSVP. */
export type RsvpValues = { answer: Rsvp; note: string } | null

export const MAX_NOTE_LENGTH = 100

/**
 * Returns the last day for RSVPs: the deadline if the deadline is earlier than the event, otherwise the day of the
 * event.
 */
export function rsvpDeadline({ day, deadline }: Pick<ShownEvent, 'day' | 'deadline'>) {
  return deadline && deadline < day ? deadline : day
}

/** Whether RSVPs are closed. `now` is a time in Japan (YYYY-MM-DDTHH:MM), or the start of a day (YYYY-MM-DD). */
export function isRsvpClosed(event: Pick<ShownEvent, 'day' | 'deadline'> & Partial<ShownEvent>, now: string) {
  return now >= `${rsvpDeadline(event)}T${event.deadlineTime ?? '24:00'}`
}

/** Splits the `yes` RSVPs into attendees and waitlist in the order of `turn`. A null capacity is unlimited. */
export function splitByCapacity<T extends { answer: Rsvp; turn: number }>(
  rsvps: readonly T[],
  capacity: number | null,
) {
  const queue = rsvps.filter(({ answer }) => answer === 'yes').sort((a, b) => a.turn - b.turn)
  const spots = capacity ?? queue.length
  return { coming: queue.slice(0, spots), waiting: queue.slice(spots) }
}

export type Participation = {
  eventId: string
  mayAnswer: boolean
  /** `waiting` is the waitlist position from 1, or null if the member is not on the waitlist. */
  own: { answer: Rsvp; note: string; version: number; waiting: number | null } | null
  coming: string[]
  waiting: string[]
  maybe: string[]
  notes: { name: string; note: string }[]
}

/** Returns the intent of the RSVP form. The intent contains the event ID, because a page has a form for each event. */
export function rsvpIntent(eventId: string) {
  return `answer ${eventId}`
}
