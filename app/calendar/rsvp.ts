import type { Day } from '../dates/month.ts'
import type { ShownEvent } from './event-words.ts'

export const rsvpLabels = { yes: '参加', no: '不参加', maybe: '未定' } as const
export type Rsvp = keyof typeof rsvpLabels

export function isRsvp(text: string): text is Rsvp {
  return Object.hasOwn(rsvpLabels, text)
}

/** An RSVP and its note to the administrators; null withdraws the RSVP. */
export type GivenRsvp = { answer: Rsvp; note: string } | null

export const NOTE_LENGTH = 100

/** Returns the last day for RSVPs: the deadline if it precedes the event, otherwise the event's day. */
export function rsvpDeadline({ day, deadline }: Pick<ShownEvent, 'day' | 'deadline'>) {
  return deadline && deadline < day ? deadline : day
}

export function isRsvpClosed(event: Pick<ShownEvent, 'day' | 'deadline'>, today: Day) {
  return today > rsvpDeadline(event)
}

/** Splits the `yes` RSVPs into attendees and waitlist, first come first served; a null capacity is unlimited. */
export function splitByCapacity<T extends { answer: Rsvp; turn: number }>(
  given: readonly T[],
  capacity: number | null,
) {
  const inTurn = given.filter(({ answer }) => answer === 'yes').sort((a, b) => a.turn - b.turn)
  const places = capacity ?? inTurn.length
  return { coming: inTurn.slice(0, places), waiting: inTurn.slice(places) }
}

export type Participation = {
  eventId: string
  mayAnswer: boolean
  /** `waiting` is the waitlist position from 1, or null if not waitlisted. */
  own: { answer: Rsvp; note: string; version: number; waiting: number | null } | null
  coming: string[]
  waiting: string[]
  maybe: string[]
  notes: { name: string; note: string }[]
}

/** Returns the intent of the RSVP form; contains the event ID, because a page has one form per event. */
export function rsvpIntent(eventId: string) {
  return `answer ${eventId}`
}
