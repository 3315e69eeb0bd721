import { bookingRecord } from '../bookings/booking-record.server.ts'
import { eventRecord } from '../calendar/event-record.server.ts'
import { guestRecord } from '../calendar/guests.server.ts'
import { cardRecord } from '../cards/card-record.server.ts'
import { specialDayRecord, weekRecord } from '../hours/hours-records.server.ts'
import { memberRecord } from '../members/member-record.server.ts'
import { noticeRecord } from '../notices/notice-record.server.ts'
import { pageRecord } from '../pages/page-record.server.ts'
import type { AnyRecordType } from '../records/record.ts'
import { sectionRecord } from '../sections/section-record.server.ts'
import { siteRecord } from '../settings/site-record.server.ts'
import { accountRecord, staffRecord } from '../staff/staff-records.server.ts'
import { translationRecord } from '../translations/translation-record.server.ts'

export const recordTypes: readonly AnyRecordType[] = [
  cardRecord,
  sectionRecord,
  eventRecord,
  guestRecord,
  bookingRecord,
  weekRecord,
  specialDayRecord,
  memberRecord,
  staffRecord,
  accountRecord,
  siteRecord,
  noticeRecord,
  pageRecord,
  translationRecord,
]
