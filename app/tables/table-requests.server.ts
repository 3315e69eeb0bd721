import type { Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Booking, hasPassed, type TableRequest, type TableWish, takesSeats } from '../bookings/booking.ts'
import { addBooking, changeBooking, lockDay, readBooking, unanswered } from '../bookings/bookings.server.ts'
import { type Outcome, Rejection } from '../forms/outcome.ts'
import { t } from '../languages/language.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import type { RecordRef } from '../records/record.ts'
import type { Author } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { listTableTimes } from './table-times.server.ts'

type Arrival = { address: string | null; now: number; author: Author }

/** 'full' if too few seats are left, and 'no table' if guests cannot ask for this day, time or number of guests. */
type Refusal = 'full' | 'no table'

class TooManyRequests extends Error {}

/**
 * Stores a request for a table, unless the limits of the shop, the guest's network or e-mail address are reached. A
 * repeated request with the same ID changes nothing. Returns 'asked differently' if its content differs.
 */
export async function askForTable(
  db: Db,
  request: TableRequest & Pick<Booking, 'id' | 'language'>,
  { address, now, author }: Arrival,
): Promise<'asked' | 'asked differently' | 'too many' | Refusal> {
  try {
    return await inTransaction(db, async (trx) => {
      await lockDay(trx, request.day)
      const stored = await readBooking(trx, request.id)
      if (stored) return isSameRequest(stored, request) ? 'asked' : 'asked differently'
      if (await countAttempt(trx, 'tableRequest', { account: request.email, address, now })) throw new TooManyRequests()
      const refusal = await refusalOfTable(trx, request, now)
      if (refusal) return refusal
      await addBooking(trx, { ...request, state: 'asked', byStaff: false }, asGuest(author))
      return 'asked'
    })
  } catch (error) {
    // The thrown error has rolled back the count, which would otherwise grow without end.
    if (error instanceof TooManyRequests) return 'too many'
    throw error
  }
}

function isSameRequest(stored: Booking, request: Partial<Booking>) {
  return Object.entries(request).every(([name, value]) => stored[name as keyof Booking] === value)
}

/** Whether the guest may still change, accept or cancel. */
function mayGuestAnswer(booking: Booking, now: number) {
  return takesSeats(booking) && !hasPassed(booking, now)
}

/** Accepts the time that the shop offers, or cancels the booking, for its guest. */
export function answerOffer(
  db: Db,
  seen: RecordRef,
  answer: 'accept' | 'cancel',
  { now, author }: Omit<Arrival, 'address'>,
) {
  return changeBooking(
    db,
    seen,
    (booking) => {
      if (!mayGuestAnswer(booking, now)) return null
      if (answer === 'cancel') return { state: 'cancelled', reply: '' }
      const { state, offeredDay: day, offeredTime: time } = booking
      return state === 'offered' && day && time
        ? { state: 'accepted', day, time, offeredDay: null, offeredTime: null, reply: '' }
        : null
    },
    asGuest(author),
  )
}

/**
 * Replaces the wish of a guest. The booking becomes an unanswered request. Each change notifies the shop, so the changes
 * of a booking are limited.
 */
export async function changeRequest(
  db: Db,
  seen: RecordRef,
  wish: TableWish,
  { now, author }: Omit<Arrival, 'address'>,
): Promise<Outcome<string> | { ok?: undefined; error: 'full' } | { ok?: undefined; error: 'no table' }> {
  let refusal: Refusal | undefined
  const changed = await changeBooking(
    db,
    seen,
    async (booking, trx) => {
      if (!mayGuestAnswer(booking, now)) return null
      await lockDay(trx, wish.day)
      if (await countAttempt(trx, 'tableChange', { account: booking.id, now }))
        throw new Rejection(t('変更の回数が多すぎます。お手数ですが、お電話でお問い合わせください。'), 429)
      refusal = await refusalOfTable(trx, wish, now, booking.id)
      return refusal ? null : { ...wish, state: 'asked', askedAt: author.at, ...unanswered }
    },
    asGuest(author),
  )
  return refusal ? { error: refusal } : changed
}

// A guest who is signed in has no other rights than others, and stays unnamed in the history.
function asGuest(author: Author): Author {
  return { ...author, accountId: null }
}

async function refusalOfTable(
  trx: Trx,
  { day, time, party }: TableWish,
  now: number,
  except?: string,
): Promise<Refusal | undefined> {
  const times = await listTableTimes(trx, await readSite(trx), { day, party, now, except })
  const found = times.find((each) => each.time === time)
  if (!found) return 'no table'
  return found.isFree ? undefined : 'full'
}
