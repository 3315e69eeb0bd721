import type { Kysely, Transaction } from 'kysely'
import { lock } from '../../db/engine.ts'
import type { BookingRow, Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Day } from '../dates/month.ts'
import type { Outcome } from '../forms/outcome.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import { type Booking, minutesOf, type StaffBooking, type TableRequest, takesSeats, timeOfBooking } from './booking.ts'
import { bookingRecord } from './booking-record.server.ts'

/** Returns a booking, or null if it is missing or in the bin. */
export async function readBooking(db: Kysely<Tables>, id: string): Promise<Booking | null> {
  const row = await present(db).where('id', '=', id).executeTakeFirst()
  return row ? toBooking(row) : null
}

/** Returns the bookings from `first` to `last` inclusive, in the order of their times. */
export async function listBookings(db: Kysely<Tables>, first: Day, last: Day = '9999'): Promise<Booking[]> {
  const rows = await present(db)
    .where((eb) =>
      eb.or([
        eb.and([eb('day', '>=', first), eb('day', '<=', last)]),
        eb.and([eb('offeredDay', '>=', first), eb('offeredDay', '<=', last)]),
      ]),
    )
    .execute()
  return rows
    .map(toBooking)
    .filter((booking) => timeOfBooking(booking).day >= first && timeOfBooking(booking).day <= last)
    .sort(compareTimes)
}

/** Returns the requests that the shop has not answered, in the order of their times. */
export async function listUnanswered(db: Kysely<Tables>, today: Day): Promise<Booking[]> {
  const rows = await present(db).where('state', '=', 'asked').where('day', '>=', today).execute()
  return rows.map(toBooking).sort(compareTimes)
}

function present(db: Kysely<Tables>) {
  return db.selectFrom('bookings').selectAll().where('deletedAt', 'is', null)
}

function toBooking({ deletedAt: _, ...row }: BookingRow): Booking {
  return row
}

function compareTimes(a: Booking, b: Booking) {
  const [one, other] = [timeOfBooking(a), timeOfBooking(b)]
  return (
    one.day.localeCompare(other.day) || one.time.localeCompare(other.time) || a.createdAt.localeCompare(b.createdAt)
  )
}

const HALF_HOUR = 30

/** Counts the guests of the bookings that take seats, on the whole day and per half hour of arrival. */
export async function countGuests(db: Kysely<Tables>, day: Day, except = '') {
  const taken = (await listBookings(db, day, day)).filter((booking) => takesSeats(booking) && booking.id !== except)
  const byHalfHour = new Map<number, number>()
  for (const booking of taken) {
    const halfHour = halfHourOf(minutesOf(timeOfBooking(booking).time))
    byHalfHour.set(halfHour, (byHalfHour.get(halfHour) ?? 0) + booking.party)
  }
  return {
    onDay: taken.reduce((sum, { party }) => sum + party, 0),
    inHalfHour: (minutes: number) => byHalfHour.get(halfHourOf(minutes)) ?? 0,
  }
}

function halfHourOf(minutes: number) {
  return Math.floor(minutes / HALF_HOUR)
}

/** Makes saves of bookings on this day wait for each other, so that together they keep the limits. */
export function lockDay(trx: Transaction<Tables>, day: Day) {
  return lock(trx, `bookings of ${day}`)
}

type NewBooking = (StaffBooking | TableRequest) &
  Pick<Booking, 'id' | 'state' | 'byStaff'> &
  Partial<Pick<Booking, 'language'>>

/** Adds a booking. If the ID already exists, the result is null. Otherwise, it is the save ID. */
export function addBooking(db: Kysely<Tables>, booking: NewBooking, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, bookingRecord, booking.id)) return null
    const unset = { offeredDay: null, offeredTime: null, came: null, remindedAt: null, givenUpAt: null }
    const times = { askedAt: author.at, createdAt: author.at, deletedAt: null }
    await add<BookingRow>(
      trx,
      bookingRecord,
      { email: '', language: '', reply: '', ...booking, ...unset, ...times },
      save,
    )
    return save.id
  })
}

/**
 * Changes a booking. `changesOf` returns the changes of the current booking, or null if they are not possible in its
 * state. Returns the save ID.
 */
export function changeBooking(
  db: Kysely<Tables>,
  seen: RecordRef,
  changesOf: (booking: Booking, trx: Transaction<Tables>) => Partial<Booking> | null | Promise<Partial<Booking> | null>,
  author: Author,
) {
  const save = newSave(author, 'save')
  return inTransaction(db, async (trx): Promise<Outcome<string>> => {
    const row = await lockPresent(trx, bookingRecord, seen.id)
    if (!row) return { error: 'missing' }
    if (row.version !== (await advanceSeenVersion(trx, bookingRecord, seen, author))) return { error: 'conflict' }
    const changes = await changesOf(row, trx)
    if (!changes) return { error: 'conflict' }
    await change<BookingRow>(trx, bookingRecord, row, changes, save)
    return { ok: save.id }
  })
}
