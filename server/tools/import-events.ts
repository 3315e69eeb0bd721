import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import {
  dayFrom,
  type ImportedKind,
  inShort,
  isObject,
  noteUnused,
  oneByOne,
  parsed,
  readerOf,
  timeNames,
  timesOf,
  usableId,
} from './import-reading.ts'

const words = ['title', 'content', 'startTime', 'endTime', 'capacity', 'deadline'] as const
const names = [...words, 'date', 'attendance', ...timeNames]

export const eventImport: ImportedKind = {
  names,
  importAll: oneByOne(async ({ trx, author }, { id, fields }, note) => {
    const isInside = fields.jsonData !== undefined
    const event = isInside ? parsed(fields.jsonData, note) : fields
    if (!isObject(event)) {
      note('jsonData を読めません。元の文書だけを保存します。')
      return false
    }
    const document = readerOf(isInside ? fields : {}, note, ['jsonData', ...timeNames])
    const own = readerOf(event, note, event.id === id ? [...names, 'id'] : names)
    const attendance = own.flag('attendance')
    const texts = own.texts(words)
    const given = Event.safeParse({ ...texts, day: dayFrom(event.date) ?? '', attendance })
    if (!given.success) {
      note(`${given.error.issues[0]?.message}（取り込みません。元の文書だけを保存します）`)
      return false
    }
    for (const name of ['capacity', 'deadline'] as const) {
      if (!attendance && texts[name])
        note(`出欠をとらない予定のため、「${name}」（${inShort(event[name])}）は取り込みません。`)
    }
    const usable = usableId(id, note)
    const [mine, around] = [own.times(), document.times()]
    const added = await addEvent(trx, usable, given.data, author, timesOf(mine, around, author.at))
    if (!added) note('同じIDの予定がすでにあります。取り込みません。元の文書だけを保存します。')
    else noteUnused(around, [mine], note)
    return added !== null
  }),
}
