import type { Transaction } from 'kysely'
import { noHours, scheduleRows, weekdays } from '../../app/business-days/business-day.ts'
import { readWeek, saveSpecialDays, saveWeek } from '../../app/business-days/business-days.server.ts'
import { Hours, MOST_REASON, ScheduleRow } from '../../app/business-days/schedule.ts'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { beginningOf } from '../../app/ui/characters.ts'
import type { Tables } from '../../db/tables.ts'
import type { ImportedDocument } from './import-documents.ts'
import { dayFrom, dayOf, instantOf, type Note, noteUnknown, parsed, textOf } from './import-reading.ts'

type Fields = ImportedDocument['fields']
type Way = { at: string; note: Note }

/** Adds the event of a document; 0 where it is none. */
export async function importEvent(trx: Transaction<Tables>, { id, fields }: ImportedDocument, { at, note }: Way) {
  const read = fields.jsonData === undefined ? fields : parsed(fields.jsonData)
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    note('jsonData を読めません。文書の控えだけを残します。')
    return 0
  }
  const event = read as Fields
  noteUnknown({ ...fields, ...event }, eventNames, note)
  const day = dayFrom(event.date)
  const text = (name: string) => textOf(event, name, note)
  const given = Event.safeParse({ ...event, day: day ?? '', title: text('title'), content: text('content') })
  if (!given.success) {
    note(`${given.error.issues[0]?.message}（取り込みません。文書の控えだけを残します）`)
    return 0
  }
  const createdAt = instantOf(event.createdAt ?? fields.createdAt) ?? at
  const added = await addEvent(trx, id, given.data, { accountId: null, at: createdAt })
  if (!added) note('同じ番号のイベントがすでにあります。取り込みません。')
  return added ? 1 : 0
}

const eventNames = [
  ...['id', 'jsonData', 'title', 'content', 'date', 'createdAt', 'updatedAt', 'version'],
  ...['startTime', 'endTime', 'attendance', 'capacity', 'deadline'],
]

/** Saves the newest of the documents as the hours of the week; the others are noted. Returns whose document it was. */
export async function importWeek(trx: Transaction<Tables>, documents: ImportedDocument[], { at, noteOn }: WayOfMany) {
  const [newest, ...others] = newestFirst(documents)
  if (!newest) return []
  for (const other of others) noteOn(other)(`営業時間はひとつだけです。新しいほう（${newest.id}）を取り込みます。`)
  const note = noteOn(newest)
  noteUnknown(newest.fields, ['id', 'schedule', 'createdAt', 'updatedAt', 'version'], note)
  const read = parsed(newest.fields.schedule)
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    note('schedule を読めません。文書の控えだけを残します。')
    return []
  }
  const { version } = await readWeek(trx)
  const schedule = scheduleOf(read as Fields, note)
  const saved = await saveWeek(trx, schedule, { version }, { accountId: null, at })
  if (saved.outcome === 'saved') return [newest]
  note('いまの営業時間を読めないため、上書きしません。サイトの画面でお確かめください。')
  return []
}

type WayOfMany = { at: string; noteOn: (document: ImportedDocument) => Note }

function scheduleOf(read: Fields, note: Note) {
  const rows = new Map<string, ScheduleRow>()
  for (const [name, value] of Object.entries(read)) {
    const row = scheduleRows.find((each) => each === name || each === `${name}日` || each === `${name}曜日`)
    const hours = ScheduleRow.safeParse(value)
    if (name === '年末年始') note('「年末年始」の行は曜日の表にありません。特別な営業日として登録してください。')
    else if (!row) note(`「${name}」という曜日はありません。文書の控えにだけ残します。`)
    else if (!hours.success) note(`「${name}」の行を読めません。`)
    else rows.set(row, hours.data)
  }
  const [first, ...rest] = scheduleRows.map((name): [string, ScheduleRow] => {
    const row = rows.get(name)
    if (row) return [name, row]
    const isWeekday = (weekdays as readonly string[]).includes(name)
    if (isWeekday) note(`「${name}」の行がありません。定休日として取り込みます。`)
    return [name, { ...noHours, open_or_close: isWeekday ? 'close' : 'open' }]
  })
  return Object.fromEntries([first, ...rest].filter((row) => row !== undefined)) as Parameters<typeof saveWeek>[1]
}

/** Saves the special days of all documents, of two on one day the newer; returns the documents that gave any. */
export async function importSpecialDays(
  trx: Transaction<Tables>,
  documents: ImportedDocument[],
  { at, noteOn }: WayOfMany,
) {
  const gave = new Set<ImportedDocument>()
  const taken = new Set<string>()
  for (const document of newestFirst(documents)) {
    const note = noteOn(document)
    noteUnknown(document.fields, ['id', 'schedule', 'createdAt', 'updatedAt', 'version'], note)
    const read = parsed(document.fields.schedule)
    const entries = Array.isArray(read) ? read : null
    if (!entries) note('schedule を読めません。空の一覧として扱い、文書の控えだけを残します。')
    // Of one document, what stands further down was written later.
    for (const entry of (entries ?? []).toReversed() as Fields[]) {
      const day = dayOf(entry?.selectedYear, entry?.selectedMonth, entry?.selectedDay)
      const reason = textOf(entry ?? {}, 'reason', note)
      const hours = Hours.safeParse({ ...noHours, ...entry })
      if (!day || !reason || !hours.success) {
        note(`「${JSON.stringify(entry)?.slice(0, 120)}」を特別な営業日として読めません。文書の控えにだけ残します。`)
        continue
      }
      noteUnknown(entry, specialNames, note)
      if (taken.has(day)) {
        note(`${day} の特別な営業日がふたつあります。新しいほうを取り込みます（こちらは「${reason}」）。`)
        continue
      }
      const saved = await saveSpecialDays(
        trx,
        { days: [day], reason: beginningOf(reason, MOST_REASON), hours: hours.data },
        new Map(),
        { accountId: null, at },
      )
      if (saved.outcome === 'saved') gave.add(document)
      else note(`${day} は、このサイトにすでに登録されています。取り込みません（こちらは「${reason}」）。`)
      taken.add(day)
    }
  }
  return [...gave]
}

const specialNames = [...Object.keys(noHours), 'id', 'selectedYear', 'selectedMonth', 'selectedDay', 'reason']

function newestFirst(documents: ImportedDocument[]) {
  const age = ({ fields }: ImportedDocument) => instantOf(fields.updatedAt) ?? instantOf(fields.createdAt) ?? ''
  return documents.toSorted((a, b) => (age(a) < age(b) ? 1 : age(a) > age(b) ? -1 : 0))
}
