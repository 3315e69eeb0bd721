import { lock } from '../../db/engine.ts'
import type { BookingRow, Db, Trx } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { dayInJapan, minutesOf } from '../dates/japan.ts'
import { addDays, type Day } from '../dates/month.ts'
import type { Outcome } from '../forms/outcome.ts'
import { advanceSeenVersion } from '../records/own-saves.server.ts'
import { newSave, type RecordRef } from '../records/record.ts'
import { add, change, lockPresent, lockRow } from '../records/records.server.ts'
import type { Author } from '../request.ts'
import {
  type Booking,
  compareTimes,
  hasPassed,
  type StaffBooking,
  sumGuests,
  type TableRequest,
  takesSeats,
  timeOfBooking,
} from './booking.ts'
import { bookingRecord } from './booking-record.server.ts'

/** Returns a booking, or null if it is missing or in the bin. */
export async function readBooking(db: Db, id: string): Promise<Booking | null> {
  const row = await present(db).where('id', '=', id).executeTakeFirst()
  return row ? toBooking(row) : null
}

/** Returns the bookings from `first` to `last` inclusive, in the order of their times. */
export async function listBookings(db: Db, first: Day, last: Day = '9999'): Promise<Booking[]> {
  const rows = await present(db)
    .where((eb) => eb.or([eb.between('day', first, last), eb.between('offeredDay', first, last)]))
    .execute()
  const isListed = ({ day }: { day: Day }) => day >= first && day <= last
  return rows
    .map(toBooking)
    .filter((booking) => isListed(timeOfBooking(booking)))
    .sort(compareTimes)
}

/** Returns the requests from today that the shop has not answered, and those of last night that are still to come. */
export async function listUnanswered(db: Db, now: number): Promise<Booking[]> {
  const today = dayInJapan(now)
  const rows = await present(db).where('state', '=', 'asked').where('day', '>=', addDays(today, -1)).execute()
  return rows
    .map(toBooking)
    .filter((request) => request.day >= today || !hasPassed(request, now))
    .sort(compareTimes)
}

function present(db: Db) {
  return db.selectFrom('bookings').selectAll().where('deletedAt', 'is', null)
}

function toBooking({ deletedAt: _, ...row }: BookingRow): Booking {
  return row
}

/** Counts the guests of the bookings that take seats, on the whole day and per half hour of arrival. */
export async function readGuestCounts(db: Db, day: Day, except?: string) {
  const taken = (await listBookings(db, day, day)).filter((booking) => takesSeats(booking) && booking.id !== except)
  const byHalfHour = Map.groupBy(taken, (booking) => halfHourOf(minutesOf(timeOfBooking(booking).time)))
  return {
    onDay: sumGuests(taken),
    inHalfHour: (minutes: number) => sumGuests(byHalfHour.get(halfHourOf(minutes)) ?? []),
  }
}

function halfHourOf(minutes: number) {
  return Math.floor(minutes / 30)
}

/** Makes saves of bookings on this day wait for each other, so that together they keep the limits. */
export function lockDay(trx: Trx, day: Day) {
  return lock(trx, `bookings of ${day}`)
}

type NewBooking = (StaffBooking | TableRequest) &
  Pick<Booking, 'id' | 'state' | 'byStaff'> &
  Partial<Pick<Booking, 'language'>>

/** Columns of a request that the shop has not answered. */
export const unanswered = { offeredDay: null, offeredTime: null, reply: '', remindedAt: null, givenUpAt: null }

/** Adds a booking. If the ID already exists, the result is null. Otherwise, it is the save ID. */
export function addBooking(db: Db, booking: NewBooking, author: Author) {
  const save = newSave(author, 'add')
  return inTransaction(db, async (trx) => {
    if (await lockRow(trx, bookingRecord, booking.id)) return null
    const columns = { email: '', language: '', ...unanswered, ...booking, came: null, deletedAt: null }
    await add<BookingRow>(trx, bookingRecord, { ...columns, askedAt: author.at, createdAt: author.at }, save)
    return save.id
  })
}

/** Changes a booking as `changesOf` returns, or not at all if the result is null. Returns the save ID. */
export function changeBooking(
  db: Db,
  seen: RecordRef,
  changesOf: (booking: Booking, trx: Trx) => Partial<Booking> | null | Promise<Partial<Booking> | null>,
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
