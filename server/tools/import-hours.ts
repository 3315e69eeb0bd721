import type { Transaction } from 'kysely'
import { type DayOfWeek, type Hours, noSlots, scheduleRows, weekdays } from '../../app/hours/business-day.ts'
import { readWeek, saveSpecialDays, saveWeek } from '../../app/hours/business-days.server.ts'
import { MAX_CAUSE, MAX_NOTE } from '../../app/hours/day-words.ts'
import { hourFields, noHourFields, rowFields } from '../../app/hours/hour-fields.ts'
import { MAX_REASON, StoredHours, StoredSlots } from '../../app/hours/schedule.ts'
import type { Times } from '../../app/records/record.ts'
import { beginningOf } from '../../app/ui/characters.ts'
import type { Tables } from '../../db/tables.ts'
import {
  ageOf,
  dayOf,
  type Fields,
  type ImportedDocument,
  inShort,
  isObject,
  type Note,
  newestFirst,
  noteUnknown,
  noteUnused,
  parsed,
  textOf,
  timeNames,
  timesIn,
  timesOf,
} from './import-reading.ts'

type Way = { at: string; noteOn: (document: ImportedDocument) => Note; earlier: ImportedDocument[] }

/** Saves the newest readable document as the weekly hours, unless an `earlier` one is as new, and returns it. */
export async function importWeek(
  trx: Transaction<Tables>,
  documents: ImportedDocument[],
  { at, noteOn, earlier }: Way,
) {
  const [before] = newestFirst(earlier)
  let taken: ImportedDocument | null = null
  for (const document of newestFirst(documents)) {
    const note = noteOn(document)
    if (taken) note(`営業時間はひとつだけです。新しいほう（${taken.id}）を取り込みます。`)
    else if (before && ageOf(document) <= ageOf(before))
      note(`営業時間はひとつだけです。前に取り込んだもの（${before.id}）より新しくないため、取り込みません。`)
    else if (await saveOne(trx, document, at, note)) taken = document
  }
  return taken ? [taken] : []
}

async function saveOne(trx: Transaction<Tables>, { fields }: ImportedDocument, at: string, note: Note) {
  noteUnknown(fields, ['id', 'schedule', ...timeNames], note)
  const read = parsed(fields.schedule, note)
  if (!isObject(read)) {
    note('schedule を読めません。文書の控えだけを残します。')
    return false
  }
  const { version } = await readWeek(trx)
  const schedule = scheduleOf(read, note)
  const times = timesOf(timesIn(fields, note), {}, at)
  const saved = await saveWeek(trx, schedule, { version }, { accountId: null, at }, times)
  if (saved.outcome === 'saved') return true
  note('いまの営業時間を読めないため、上書きしません。サイトの画面でお確かめください。')
  return false
}

function scheduleOf(read: Fields, note: Note) {
  const rows = new Map<DayOfWeek, Hours>()
  for (const [name, value] of Object.entries(read)) {
    const row = scheduleRows.find((each) => each === name || each === `${name}日` || each === `${name}曜日`)
    const hours = StoredHours.safeParse(value)
    if (name === 'closedDaysFirst' && typeof value === 'boolean') continue
    if (name === '年末年始')
      note(`「年末年始」の行は曜日の表にありません。特別な営業日として登録してください（${inShort(value)}）。`)
    else if (!row) note(`「${name}」という曜日はありません（${inShort(value)}）。文書の控えにだけ残します。`)
    else if (!hours.success) note(`「${name}」の行を読めません（${inShort(value)}）。`)
    else {
      if (rows.has(row)) note(`「${row}」の行が二つあります。後に書かれているほう（${name}）を取り込みます。`)
      noteUnknown(value as Fields, rowFields, (sentence) => note(`「${name}」の行に、${sentence}`))
      rows.set(row, hours.data)
    }
  }
  for (const name of scheduleRows.filter((each) => !rows.has(each))) {
    const isWeekday = (weekdays as readonly string[]).includes(name)
    if (isWeekday) note(`「${name}」の行がありません。定休日として取り込みます。`)
    rows.set(name, { open: !isWeekday, slots: noSlots })
  }
  const { closedDaysFirst } = read
  return {
    ...Object.fromEntries(scheduleRows.map((name) => [name, rows.get(name)])),
    ...(typeof closedDaysFirst === 'boolean' && { closedDaysFirst }),
  } as Parameters<typeof saveWeek>[1]
}

/** Saves the special days, the newer of two for one day. Returns the documents with a saved day. */
export async function importSpecialDays(
  trx: Transaction<Tables>,
  documents: ImportedDocument[],
  { at, noteOn }: Omit<Way, 'earlier'>,
) {
  const gave = new Set<ImportedDocument>()
  const taken = new Set<string>()
  for (const document of newestFirst(documents)) {
    const note = noteOn(document)
    noteUnknown(document.fields, ['id', 'schedule', ...timeNames], note)
    const read = parsed(document.fields.schedule, note)
    const entries = Array.isArray(read) ? read : null
    if (!entries) note('schedule を読めません。空の一覧として扱い、文書の控えだけを残します。')
    const around = timesIn(document.fields, note)
    const own: Partial<Times>[] = []
    // Within a document, later entries are newer.
    for (const special of (entries ?? []).toReversed().flatMap((entry) => specialDayIn(entry, note) ?? [])) {
      if (taken.has(special.day)) {
        note(
          `${special.day} の特別な営業日がふたつあります。新しいほうを取り込みます（こちらは ${inShort(special.entry)}）。`,
        )
        continue
      }
      taken.add(special.day)
      const { day } = special
      const times = timesOf(special.times, around, at)
      const saved = await saveSpecialDays(trx, { ...special, days: [day] }, new Map(), { accountId: null, at }, times)
      if (saved.outcome === 'saved') {
        gave.add(document)
        own.push(special.times)
      } else
        note(`${day} は、このサイトにすでに登録されています。取り込みません（こちらは ${inShort(special.entry)}）。`)
    }
    if (own.length > 0) noteUnused(around, own, note)
  }
  return [...gave]
}

const specialNames = [
  ...hourFields,
  ...['id', 'selectedYear', 'selectedMonth', 'selectedDay', 'reason', 'cause', 'note', ...timeNames],
]

function specialDayIn(entry: unknown, note: Note) {
  const fields = isObject(entry) ? entry : {}
  const day = dayOf(fields.selectedYear, fields.selectedMonth, fields.selectedDay)
  const whole = textOf(fields, 'reason', note)
  const slots = StoredSlots.safeParse({ ...noHourFields, ...fields })
  if (!day || !whole || !slots.success) {
    note(`「${inShort(entry)}」を特別な営業日として読めません。文書の控えにだけ残します。`)
    return null
  }
  noteUnknown(fields, specialNames, (sentence) => note(`${day} の特別な営業日に、${sentence}`))
  const shortened = (name: string, text: string, max: number) => {
    const beginning = beginningOf(text, max)
    if (beginning !== text) note(`${day} の${name}は長いため、はじめの${max}文字を取り込みます（${text}）。`)
    return beginning
  }
  const reason = shortened('理由', whole, MAX_REASON)
  const cause = shortened('「cause」', textOf(fields, 'cause', note), MAX_CAUSE)
  const sentence = shortened('「note」', textOf(fields, 'note', note), MAX_NOTE)
  const times = timesIn(fields, (sentence) => note(`${day} の特別な営業日の${sentence}`))
  return { entry, day, reason, cause, note: sentence, slots: slots.data, times }
}
