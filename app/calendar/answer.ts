import type { Day } from '../dates/month.ts'
import type { ShownEvent } from './event-words.ts'

export const answers = { yes: '参加', no: '不参加', maybe: '未定' } as const
export type Answer = keyof typeof answers

export function isAnswer(text: string): text is Answer {
  return Object.hasOwn(answers, text)
}

/** An RSVP and its note to the administrators; null withdraws the RSVP. */
export type GivenAnswer = { answer: Answer; note: string } | null

export const NOTE_LENGTH = 100

/** Returns the last day for RSVPs: the deadline if it precedes the event, otherwise the event's day. */
export function lastDayToAnswer({ day, deadline }: Pick<ShownEvent, 'day' | 'deadline'>) {
  return deadline && deadline < day ? deadline : day
}

export function isOver(event: Pick<ShownEvent, 'day' | 'deadline'>, today: Day) {
  return today > lastDayToAnswer(event)
}

/** Splits the `yes` RSVPs into attendees and waitlist, first come first served; a null capacity is unlimited. */
export function placesOf<T extends { answer: Answer; turn: number }>(given: readonly T[], capacity: number | null) {
  const inTurn = given.filter(({ answer }) => answer === 'yes').sort((a, b) => a.turn - b.turn)
  const places = capacity ?? inTurn.length
  return { coming: inTurn.slice(0, places), waiting: inTurn.slice(places) }
}

export type Participation = {
  eventId: string
  mayAnswer: boolean
  /** `waiting` is the waitlist position from 1, or null if not waitlisted. */
  own: { answer: Answer; note: string; version: number; waiting: number | null } | null
  coming: string[]
  waiting: string[]
  maybe: string[]
  notes: { name: string; note: string }[]
}

/** Returns the intent of the RSVP form; contains the event ID, because a page has one form per event. */
export function answering(eventId: string) {
  return `answer ${eventId}`
}
