import type { Day } from '../dates/month.ts'
import type { ShownEvent } from './event-words.ts'

/** What a member can answer to an event, and how it is said. */
export const answers = { yes: '参加', no: '不参加', maybe: '未定' } as const
export type Answer = keyof typeof answers

/** Whether the text is an answer. */
export function isAnswer(text: string): text is Answer {
  return Object.hasOwn(answers, text)
}

/** A member's answer with its word to the organisers; null takes the answer back. */
export type GivenAnswer = { answer: Answer; note: string } | null

export const NOTE_LENGTH = 100

/** The day to whose end answers are taken: the deadline, or the day itself where none is set before it. */
export function lastDayToAnswer({ day, deadline }: Pick<ShownEvent, 'day' | 'deadline'>) {
  return deadline && deadline < day ? deadline : day
}

/** Whether no answers are taken any more. */
export function isOver(event: Pick<ShownEvent, 'day' | 'deadline'>, today: Day) {
  return today > lastDayToAnswer(event)
}

/** Who has a place and who waits for one: in the order in which they said that they come. */
export function placesOf<T extends { answer: Answer; turn: number }>(given: readonly T[], capacity: number | null) {
  const inTurn = given.filter(({ answer }) => answer === 'yes').sort((a, b) => a.turn - b.turn)
  const places = capacity ?? inTurn.length
  return { coming: inTurn.slice(0, places), waiting: inTurn.slice(places) }
}

/** What a page shows of the answers to an event; names only, and the notes for administrators. */
export type Participation = {
  eventId: string
  /** Whether who looks answers as well. */
  mayAnswer: boolean
  /** `waiting` counts from one; null for who does not wait. */
  own: { answer: Answer; note: string; version: number; waiting: number | null } | null
  coming: string[]
  waiting: string[]
  maybe: string[]
  notes: { name: string; note: string }[]
}

/** The intent of the form by which an event is answered, which names the event: a page has one form for each. */
export function answering(eventId: string) {
  return `answer ${eventId}`
}
