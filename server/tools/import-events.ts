import { Event, SeriesPlace } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { noSeries } from '../../app/calendar/series.ts'
import {
  type DocumentType,
  dayFrom,
  importEach,
  isObject,
  noteUnusedTimes,
  parseJsonField,
  readerOf,
  resolveTimes,
  shortJson,
  timeNames,
  usableId,
} from './import-reading.ts'

const textNames = ['title', 'content', 'startTime', 'endTime', 'capacity', 'deadline', 'deadlineTime'] as const
const seriesNames = ['seriesId', 'occurrence', 'recurrence', 'changedAlone']
const names = [...textNames, ...seriesNames, 'date', 'attendance', 'membersOnly', ...timeNames]

export const eventImport: DocumentType = {
  names,
  importAll: importEach(async ({ trx, author }, { id, fields }, note) => {
    const isNested = fields.jsonData !== undefined
    const event = isNested ? parseJsonField(fields.jsonData, note) : fields
    if (!isObject(event)) return 'jsonData を読めません。元の文書だけを保存します。'
    const document = readerOf(isNested ? fields : {}, note, ['jsonData', ...timeNames])
    const own = readerOf(event, note, event.id === id ? [...names, 'id'] : names)
    const attendance = own.flag('attendance')
    const texts = own.texts(textNames)
    const parsed = Event.safeParse({
      ...texts,
      day: dayFrom(event.date) ?? '',
      attendance,
      membersOnly: own.flag('membersOnly'),
    })
    if (!parsed.success) return `${parsed.error.issues[0]?.message}（取り込みません。元の文書だけを保存します）`
    for (const name of ['capacity', 'deadline', 'deadlineTime'] as const) {
      if (!attendance && texts[name])
        note(`出欠をとらない予定のため、「${name}」（${shortJson(event[name])}）は取り込みません。`)
    }
    const newId = usableId(id, note)
    const [ownTimes, documentTimes] = [own.times(), document.times()]
    const times = resolveTimes(ownTimes, documentTimes, author.at)
    // An event without a readable series is imported as a single event.
    const { data: series = noSeries } = SeriesPlace.safeParse(event)
    const added = await addEvent(trx, newId, parsed.data, author, { times, series })
    if (!added) return '同じIDの予定がすでにあります。取り込みません。元の文書だけを保存します。'
    noteUnusedTimes(documentTimes, [ownTimes], note)
    return true
  }),
}
