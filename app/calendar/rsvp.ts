import { timeInJapan } from '../dates/japan.ts'
import type { ShownEvent } from './event-format.ts'

export const rsvpLabels = { yes: '参加', no: '不参加', maybe: '未定' } as const
export type Rsvp = keyof typeof rsvpLabels

export function isRsvp(text: string): text is Rsvp {
  return Object.hasOwn(rsvpLabels, text)
}

/**
 * An RSVP and a note that only administrators see. Without `came`, the stored value stays. Null withdraws the RSVP.
 */
export type RsvpValues = { answer: Rsvp; note: string; companions?: number; came?: boolean | null } | null

export const MAX_COMPANIONS = 2

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

/** Whether organisers can record the attendance. `now` is the time in Japan, as 2026-11-28T09:00. */
export function hasBegun({ day, startTime }: Pick<ShownEvent, 'day' | 'startTime'>, now: string) {
  return now >= `${day}T${startTime ?? '00:00'}`
}

/** Returns the recorded attendance. Returns null if the event has been moved to a later start since the record. */
export function cameTo(
  event: Pick<ShownEvent, 'day' | 'startTime'>,
  { came, updatedAt }: { came: boolean | null; updatedAt: string },
) {
  return hasBegun(event, timeInJapan(Date.parse(updatedAt))) ? came : null
}

/** Returns 来た or 来なかった, or an empty string if no organiser has recorded the attendance. */
export function formatCame(came: boolean | null) {
  return came === null ? '' : came ? '来た' : '来なかった'
}

export function eventPeoplePath(eventId: string) {
  return `/calendar/${eventId}/people`
}

/** Returns the name of a party with its companions, as 山田（＋1）, or of a guest, as 佐藤（ゲスト）. */
export function formatParty(party: { name: string; memberId: string | null; companions: number }) {
  if (party.memberId === null) return `${party.name}（ゲスト）`
  return party.companions > 0 ? `${party.name}（＋${party.companions}）` : party.name
}

type RsvpState = { answer: Rsvp | null; companions: number; came: boolean | null; waiting?: number }

/** Returns an RSVP as 参加・お連れ様1名・来た, or 未回答 without an answer. `waiting` is the waitlist position, or 0. */
export function formatRsvp({ answer, companions, came, waiting = 0 }: RsvpState) {
  if (!answer) return '未回答'
  const place = waiting > 0 ? `キャンセル待ち${waiting}番目` : rsvpLabels[answer]
  return [place, companions > 0 && `お連れ様${companions}名`, formatCame(came)].filter(Boolean).join('・')
}

export function seatsOf({ companions = 0 }: { companions?: number }) {
  return 1 + companions
}

/**
 * Splits the `yes` RSVPs into attendees and waitlist in the order of `turn`. A party that does not fit as a whole waits,
 * and nobody overtakes it. Only a party larger than the capacity blocks nobody. A null capacity is unlimited.
 */
export function splitByCapacity<T extends { answer: Rsvp; turn: number; companions?: number }>(
  rsvps: readonly T[],
  capacity: number | null,
) {
  const queue = rsvps.filter(({ answer }) => answer === 'yes').sort((a, b) => a.turn - b.turn)
  const [coming, waiting]: [T[], T[]] = [[], []]
  let free = capacity ?? Number.POSITIVE_INFINITY
  for (const party of queue) {
    const isTooLarge = capacity !== null && seatsOf(party) > capacity
    const fits = seatsOf(party) <= free
    ;(fits ? coming : waiting).push(party)
    if (fits) free -= seatsOf(party)
    else if (!isTooLarge) free = 0
  }
  return { coming, waiting }
}

/** Returns the number of people in the parties. */
export function countSeats(parties: readonly { companions?: number }[]) {
  return parties.reduce((seats, party) => seats + seatsOf(party), 0)
}

/** Returns the intent of the RSVP form. The intent contains the event ID, because a page has a form for each event. */
export function rsvpIntent(eventId: string) {
  return `answer ${eventId}`
}
