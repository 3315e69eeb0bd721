import type { Selectable } from 'kysely'
import type { EventRow } from '../../db/tables.ts'
import { monthOf } from '../dates/month.ts'
import { refusalOfCalendar } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { describeEvent, titleOfEvent } from './event-format.ts'

export const eventRecord: RecordType<Selectable<EventRow>> = {
  subject: 'event',
  table: 'events',
  topicOf: () => 'events',
  refusal: refusalOfCalendar,
  describe: describeEvent,
  titleOf: titleOfEvent,
  placeOf: () => '予定',
  urlOf: ({ day }) => `/calendar?month=${monthOf(day)}`,
}
