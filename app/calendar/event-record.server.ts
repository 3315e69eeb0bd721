import type { Selectable } from 'kysely'
import type { EventRow } from '../../db/tables.ts'
import { dayWithYearInWords, monthOf } from '../dates/month.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { Kind } from '../records/record.ts'
import { eventInWords } from './event-words.ts'

export const eventRecord: Kind<Selectable<EventRow>> = {
  subject: 'event',
  table: 'events',
  key: 'id',
  topicOf: () => 'events',
  refusal: refusalOfCalendar,
  inWords: eventInWords,
  nameOf: ({ title, day }) => `${title}（${dayWithYearInWords(day)}）`,
  placeOf: () => '予定',
  addressOf: ({ day }) => `/calendar?month=${monthOf(day)}`,
}
