import type { Logger } from 'pino'
import type { BookingRow, Db, Trx } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { startOfBooking } from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import { listUnanswered } from '../bookings/bookings.server.ts'
import { dayInJapan, instantInJapan } from '../dates/japan.ts'
import { addDays, daysFrom } from '../dates/month.ts'
import { readDays } from '../hours/business-days.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { lockPresent, lockRow } from '../records/records.server.ts'
import { readSite } from '../settings/site.server.ts'
import { enqueueGuestMail, type NoticeDependencies, notifyShop, onceKeyPrefix } from './table-notices.server.ts'

const MINUTE_MS = 60_000
/** The step is due after `openMinutes` without a reply, or `minutesBefore` the time of the booking. */
const REMINDER = { openMinutes: 60, minutesBefore: 120 }
const GIVING_UP = { openMinutes: 180, minutesBefore: 60 }

type Dependencies = NoticeDependencies & { db: Db }

/** Sends reminders and deletes old bookings each minute. Returns a function that stops and awaits the current run. */
export function startTableTasks({ log, ...deps }: Dependencies & { log: Pick<Logger, 'error'> }) {
  const run = () => Promise.all([sendTableReminders(deps), deleteOldBookings(deps.db, deps.clock())])
  return repeat(run, { every: MINUTE_MS, failed: (err) => log.error({ err }, 'table tasks failed') })
}

/** Reminds the shop of a request once, then asks the guest to telephone. Only minutes of opening hours count. */
export async function sendTableReminders(deps: Dependencies) {
  const { db, clock } = deps
  const requests = await listUnanswered(db, clock())
  for (const { id, givenUpAt } of requests)
    if (!givenUpAt) await inTransaction(db, (trx) => sendDueSteps(trx, id, deps))
}

async function sendDueSteps(trx: Trx, id: string, deps: NoticeDependencies) {
  const now = deps.clock()
  const booking = await lockPresent(trx, bookingRecord, id)
  const site = await readSite(trx)
  if (booking?.state !== 'asked' || !site.takesTableRequests) return
  const minutesLeft = (startOfBooking(booking) - now) / MINUTE_MS
  if (minutesLeft <= 0) return
  const openMinutes = await countOpenMinutes(trx, Date.parse(booking.askedAt), now)
  const isDue = (step: typeof REMINDER) => openMinutes >= step.openMinutes || minutesLeft <= step.minutesBefore
  const isReminded = !booking.remindedAt && isDue(REMINDER)
  const isGivenUp = !booking.givenUpAt && isDue(GIVING_UP)
  if (!isReminded && !isGivenUp) return
  const notice = { booking, site, event: `unanswered ${booking.askedAt}` }
  if (isReminded) await notifyShop(trx, 'unanswered', notice, deps)
  if (isGivenUp) await enqueueGuestMail(trx, 'unanswered', notice, deps)
  const at = new Date(now).toISOString()
  // No person makes this change, so the history has no entry.
  await trx
    .updateTable('bookings')
    .set({ ...(isReminded && { remindedAt: at }), ...(isGivenUp && { givenUpAt: at }) })
    .where('id', '=', id)
    .execute()
  noteChange(trx, bookingRecord.topicOf(booking))
}

/** Returns the minutes between two instants (milliseconds since 1970) in which the shop is open. */
async function countOpenMinutes(db: Db, from: number, until: number) {
  const first = addDays(dayInJapan(from), -1)
  const days = await readDays(db, first, daysFrom(first, dayInJapan(until)) + 1)
  let openMs = 0
  for (const { day, spans } of days)
    for (const { start, end } of spans) {
      const [opens, closes] = [instantInJapan(day, start), instantInJapan(day, end)]
      openMs += Math.max(0, Math.min(closes, until) - Math.max(opens, from))
    }
  return openMs / MINUTE_MS
}

/**
 * Deletes the bookings whose visit is longer ago than the retention in the settings, with their history and e-mails,
 * also from the bin. `now` is in milliseconds since 1970.
 */
export async function deleteOldBookings(db: Db, now: number) {
  const firstRetainedDay = addDays(dayInJapan(now), -(await readSite(db)).tableRetentionDays)
  const isOld = ({ day, offeredDay }: Pick<BookingRow, 'day' | 'offeredDay'>) =>
    day < firstRetainedDay && (offeredDay ?? '') < firstRetainedDay
  const past = db.selectFrom('bookings').select(['id', 'day', 'offeredDay']).where('day', '<', firstRetainedDay)
  for (const { id } of (await past.execute()).filter(isOld))
    await inTransaction(db, async (trx) => {
      // A concurrent save would otherwise add a revision after the deletion.
      const row = await lockRow(trx, bookingRecord, id)
      if (!row || !isOld(row)) return
      const { subject, topicOf } = bookingRecord
      await trx.deleteFrom('revisions').where('subject', '=', subject).where('subjectId', '=', id).execute()
      await trx
        .deleteFrom('outbox')
        .where('onceKey', 'like', `${onceKeyPrefix(id)}%`)
        .execute()
      await trx.deleteFrom('bookings').where('id', '=', id).execute()
      noteChange(trx, topicOf(row))
    })
}
