import { z } from 'zod'
import type { BookingRow } from '../../db/tables.ts'
import { instantInJapan, minutesOf } from '../dates/japan.ts'
import { isDay } from '../dates/month.ts'
import { cleanEmail, invalidEmail, isPlainEmail } from '../forms/email-address.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { TABLE_PATH } from './table-path.ts'

export type Booking = Omit<BookingRow, 'deletedAt'>
type BookingTimes = Pick<Booking, 'state' | 'day' | 'time' | 'offeredDay' | 'offeredTime'>

export const bookingStates: Record<Booking['state'], string> = {
  asked: 'お返事待ち',
  offered: '別の時間をご案内中',
  accepted: '確定',
  declined: 'お断り',
  cancelled: '取り消し',
}

/** Whether the booking takes seats. A request takes seats until it is declined or cancelled. */
export function takesSeats({ state }: Pick<Booking, 'state'>) {
  return state !== 'declined' && state !== 'cancelled'
}

export function sumGuests(bookings: Pick<Booking, 'party'>[]) {
  return bookings.reduce((sum, { party }) => sum + party, 0)
}

/** Returns the day and time for which the booking takes seats: the offered ones while the guest has not answered. */
export function timeOfBooking({ state, day, time, offeredDay, offeredTime }: BookingTimes) {
  return state === 'offered' && offeredDay && offeredTime ? { day: offeredDay, time: offeredTime } : { day, time }
}

/** Sorts bookings by their times, then in the order in which they were added. */
export function compareTimes(a: Booking, b: Booking) {
  const [one, other] = [timeOfBooking(a), timeOfBooking(b)]
  return (
    one.day.localeCompare(other.day) || one.time.localeCompare(other.time) || a.createdAt.localeCompare(b.createdAt)
  )
}

/** Returns the time of the booking in milliseconds since 1970. */
export function startOfBooking(booking: BookingTimes) {
  const { day, time } = timeOfBooking(booking)
  return instantInJapan(day, minutesOf(time))
}

/** Whether the time of the booking has come at `now` (milliseconds since 1970). */
export function hasPassed(booking: BookingTimes, now: number) {
  return startOfBooking(booking) <= now
}

export const MAX_NAME = 40
export const MAX_TELEPHONE = 30
export const MAX_WISH = 500
export const MAX_REPLY = 1000
export const MAX_PARTY = 200

const CHOOSE_PARTY = '人数を選んでください'
const party = z.coerce.number(CHOOSE_PARTY).int(CHOOSE_PARTY).min(1, CHOOSE_PARTY).max(MAX_PARTY, CHOOSE_PARTY)
const day = z.string('日を選んでください').refine(isDay, '日を選んでください')
const time = z.string('時刻を選んでください').regex(/^(?:[0-3]\d|4[0-7]):[0-5]\d$/, '時刻を選んでください')

const rules = {
  day,
  time,
  party,
  name: textField('お名前', MAX_NAME, cleanLine).min(1, 'お名前を入力してください'),
  telephone: textField('電話番号', MAX_TELEPHONE, cleanLine).default(''),
  wish: textField('ご要望', MAX_WISH).default(''),
}

export const StaffBooking = z.object(rules)
export type StaffBooking = z.infer<typeof StaffBooking>

const email = z
  .string(invalidEmail)
  .overwrite(cleanEmail)
  .refine((typed) => typed === '' || isPlainEmail(typed), invalidEmail)
  .default('')

/** Request of a guest, who gives a telephone number or an e-mail address. */
export const TableRequest = z
  .object({ ...rules, email })
  // The guest sees all errors at once, also if other fields are invalid.
  .refine(({ telephone, email }) => telephone !== '' || email !== '', {
    path: ['telephone'],
    error: '電話番号かメールアドレスを入力してください',
    when: () => true,
  })
  .refine(({ telephone }) => !telephone || isTelephone(telephone), {
    path: ['telephone'],
    error: '電話番号をご確認ください',
    when: () => true,
  })

function isTelephone(typed: string) {
  const digits = typed.normalize('NFKC').replace(/\D/g, '')
  return digits.length >= 9 && digits.length <= 15
}

export type TableRequest = z.infer<typeof TableRequest>

export const TableWish = z.object({ day, time, party })
export type TableWish = z.infer<typeof TableWish>

/** Answer of the shop to a request, or its cancellation of a booking. `reply` is the text to the guest. */
export const TableAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal(['accepted', 'declined', 'cancelled']),
    reply: textField('お返事', MAX_REPLY).default(''),
  }),
  z.object({
    state: z.literal('offered'),
    reply: textField('お返事', MAX_REPLY).default(''),
    offeredDay: day,
    offeredTime: time,
  }),
])
export type TableAnswer = z.infer<typeof TableAnswer>

/** Path of the guest's page. The ID is random, so that only those who know the URL see the page. */
export function guestPath(id: string) {
  return `${TABLE_PATH}/${id}`
}

export function bookingsPath(day: string) {
  return `/tables?day=${day}`
}
