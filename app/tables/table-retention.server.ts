import type { Kysely } from 'kysely'
import type { BookingRow, Tables } from '../../db/tables.ts'
import { inTransaction, noteChange } from '../../db/transaction.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays } from '../dates/month.ts'
import { lockRow } from '../records/records.server.ts'
import { readSite } from '../settings/site.server.ts'
import { onceKeyPrefix } from './table-notices.server.ts'

/**
 * Deletes the bookings whose visit is longer ago than the retention in the settings, with their history and e-mails,
 * also from the bin. `now` is in milliseconds since 1970.
 */
export async function deleteOldBookings(db: Kysely<Tables>, now: number) {
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
