import type { Transaction } from 'kysely'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import type { Tables } from '../../db/tables.ts'
import {
  dayFrom,
  flagOf,
  type ImportedDocument,
  inShort,
  isObject,
  isUsableId,
  type Note,
  newIdInWords,
  noteUnknown,
  noteUnused,
  parsed,
  textOf,
  timeNames,
  timesIn,
  timesOf,
} from './import-reading.ts'

export const eventNames = [
  ...['title', 'content', 'date', 'startTime', 'endTime', 'attendance', 'capacity', 'deadline', ...timeNames],
]

export async function importEvent(
  trx: Transaction<Tables>,
  { id, fields }: ImportedDocument,
  { at, note }: { at: string; note: Note },
) {
  const isInside = fields.jsonData !== undefined
  const event = isInside ? parsed(fields.jsonData, note) : fields
  if (!isObject(event)) {
    note('jsonData を読めません。文書の控えだけを残します。')
    return 0
  }
  if (isInside) noteUnknown(fields, ['jsonData', ...timeNames], note)
  const { id: own, ...unknown } = event
  noteUnknown(own === id ? unknown : event, eventNames, note)
  const text = (name: string) => textOf(event, name, note)
  const attendance = flagOf(event, 'attendance', note)
  const words = ['title', 'content', 'startTime', 'endTime', 'capacity', 'deadline']
  const given = Event.safeParse({
    ...Object.fromEntries(words.map((name) => [name, text(name)])),
    day: dayFrom(event.date) ?? '',
    attendance,
  })
  if (!given.success) {
    note(`${given.error.issues[0]?.message}（取り込みません。文書の控えだけを残します）`)
    return 0
  }
  for (const name of ['capacity', 'deadline']) {
    if (!attendance && text(name))
      note(`出欠をとらない予定なので、「${name}」（${inShort(event[name])}）は取り込みません。`)
  }
  const usable = isUsableId(id)
  if (!usable) note(newIdInWords(id))
  const [mine, around] = [timesIn(event, note), isInside ? timesIn(fields, note) : {}]
  const times = timesOf(mine, around, at)
  const added = await addEvent(trx, usable ? id : crypto.randomUUID(), given.data, { accountId: null, at }, times)
  if (!added) note('同じ番号のイベントがすでにあります。取り込みません。文書の控えだけを残します。')
  else noteUnused(around, [mine], note)
  return added ? 1 : 0
}
