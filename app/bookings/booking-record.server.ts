import type { BookingRow } from '../../db/tables.ts'
import { formatDay } from '../dates/month.ts'
import { refusalOfBookings } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { bookingStates, bookingsPath } from './booking.ts'

export const bookingRecord: RecordType<BookingRow> = {
  subject: 'booking',
  table: 'bookings',
  topicOf: () => 'bookings',
  refusal: refusalOfBookings,
  describe: ({ day, time, party, name, telephone, email, wish, state, reply, offeredDay, offeredTime, came }) => ({
    日時: `${formatDay(day)} ${time}`,
    人数: `${party}名`,
    お名前: name,
    電話番号: telephone,
    メールアドレス: email,
    ご要望: wish,
    状態: bookingStates[state],
    別の時間: offeredDay ? `${formatDay(offeredDay)} ${offeredTime}` : '',
    お返事: reply,
    来店: came === null ? '' : came ? '来店' : '来店なし',
  }),
  titleOf: ({ day, time, name, party }) => `${formatDay(day)} ${time} ${name} 様（${party}名）`,
  placeOf: () => 'お席',
  urlOf: ({ day }) => bookingsPath(day),
  immutable: ['language', 'byStaff', 'createdAt', 'remindedAt', 'givenUpAt'],
}
