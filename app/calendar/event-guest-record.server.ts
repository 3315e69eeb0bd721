import type { EventGuestRow } from '../../db/tables.ts'
import { refusalOfRsvps } from '../permissions.ts'
import type { RecordType } from '../records/record.ts'
import { cameLabels, eventPeoplePath } from './rsvp.ts'

/** The record type of the guests without an account whom organisers add to an event. */
export const eventGuestRecord: RecordType<EventGuestRow> = {
  subject: 'eventGuest',
  table: 'eventGuests',
  key: 'id',
  topicOf: () => 'answers',
  refusal: refusalOfRsvps,
  describe: ({ name, came }) => ({ お名前: name, 来場: cameLabels[String(came)] ?? '' }),
  titleOf: ({ name }) => `${name} さん`,
  placeOf: () => '出欠のゲスト',
  urlOf: ({ eventId }) => eventPeoplePath(eventId),
}
