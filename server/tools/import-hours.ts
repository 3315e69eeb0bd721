import { type DayOfWeek, type Hours, noSlots, scheduleRows, weekdays } from '../../app/hours/business-day.ts'
import { readWeek, saveSpecialDays, saveWeek } from '../../app/hours/business-days.server.ts'
import { MAX_CAUSE, MAX_NOTE } from '../../app/hours/day-texts.ts'
import { hourFields, noHourFields, rowFields } from '../../app/hours/hour-fields.ts'
import { MAX_REASON, StoredHours, StoredSlots } from '../../app/hours/schedule.ts'
import type { ImportedTimes } from '../../app/records/record.ts'
import { truncate } from '../../app/ui/characters.ts'
import {
  ageOf,
  type DocumentType,
  dayOf,
  type Fields,
  type ImportContext,
  type ImportedDocument,
  isObject,
  type Note,
  newestFirst,
  noteUnknownFields,
  noteUnusedTimes,
  parseJsonField,
  readerOf,
  resolveTimes,
  shortJson,
  timeNames,
} from './import-reading.ts'

const scheduleNames = ['id', 'schedule', ...timeNames]

/** Skips the week if an earlier import was as new. */
export const weekImport: DocumentType = {
  names: ['schedule'],
  async importAll(context, documents) {
    const [before] = newestFirst(context.earlier('bussinessDays'))
    let imported: ImportedDocument | null = null
    for (const document of newestFirst(documents)) {
      const note = context.noteOn(document)
      if (imported) note(`営業時間は一つだけです。新しいほう（${imported.id}）を取り込みます。`)
      else if (before && ageOf(document) <= ageOf(before))
        note(`営業時間は一つだけです。前に取り込んだもの（${before.id}）より新しくないため、取り込みません。`)
      else if (await importWeek(context, document, note)) imported = document
    }
    return imported ? [imported] : []
  },
}

async function importWeek({ trx, author }: ImportContext, { fields }: ImportedDocument, note: Note) {
  const document = readerOf(fields, note, scheduleNames)
  const read = parseJsonField(fields.schedule, note)
  if (!isObject(read)) {
    note('schedule を読めません。元の文書だけを保存します。')
    return false
  }
  const { version } = await readWeek(trx)
  const times = resolveTimes(document.times(), {}, author.at)
  const saved = await saveWeek(trx, scheduleOf(read, note), { version }, author, times)
  if (!saved.error) return true
  note('現在の営業時間を読めないため、上書きしません。サイトの画面でご確認ください。')
  return false
}

function scheduleOf(read: Fields, note: Note) {
  const rows = new Map<DayOfWeek, Hours>()
  for (const [name, value] of Object.entries(read)) {
    const row = scheduleRows.find((each) => each === name || each === `${name}日` || each === `${name}曜日`)
    const hours = StoredHours.safeParse(value)
    if (name === 'closedDaysFirst' && typeof value === 'boolean') continue
    if (name === '年末年始')
      note(`「年末年始」の行は曜日の表にありません。特別営業日として登録してください（${shortJson(value)}）。`)
    else if (!row) note(`「${name}」という曜日はありません（${shortJson(value)}）。元の文書にだけ残します。`)
    else if (!hours.success) note(`「${name}」の行を読めません（${shortJson(value)}）。`)
    else {
      if (rows.has(row)) note(`「${row}」の行が二つあります。後に書かれているほう（${name}）を取り込みます。`)
      noteUnknownFields(value as Fields, rowFields, (sentence) => note(`「${name}」の行に、${sentence}`))
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

export const specialDayImport: DocumentType = {
  names: ['schedule'],
  async importAll({ trx, author, noteOn }, documents) {
    const used = new Set<ImportedDocument>()
    const imported = new Set<string>()
    for (const document of newestFirst(documents)) {
      const note = noteOn(document)
      const read = readerOf(document.fields, note, scheduleNames)
      const entries = parseJsonField(document.fields.schedule, note)
      if (!Array.isArray(entries)) note('schedule を読めません。空の一覧として扱い、元の文書だけを保存します。')
      const documentTimes = read.times()
      const entryTimes: Partial<ImportedTimes>[] = []
      // Within a document, later entries are newer.
      for (const entry of Array.isArray(entries) ? entries.toReversed() : []) {
        const special = specialDayIn(entry, note)
        if (!special) continue
        const { day, times, ...values } = special
        const isTaken = imported.has(day)
        imported.add(day)
        const fields = { ...values, days: [day] }
        const save = () =>
          saveSpecialDays(trx, fields, new Map(), author, resolveTimes(times, documentTimes, author.at))
        if (isTaken)
          note(`${day} の特別営業日が二つあります。新しいほうを取り込みます（こちらは ${shortJson(entry)}）。`)
        else if (!(await save()).error) entryTimes.push(times)
        else note(`${day} は、このサイトにすでに登録されています。取り込みません（こちらは ${shortJson(entry)}）。`)
      }
      if (entryTimes.length === 0) continue
      used.add(document)
      noteUnusedTimes(documentTimes, entryTimes, note)
    }
    return [...used]
  },
}

const specialNames = [
  ...hourFields,
  ...['id', 'selectedYear', 'selectedMonth', 'selectedDay', 'reason', 'cause', 'note', ...timeNames],
]

function specialDayIn(entry: unknown, note: Note) {
  const fields = isObject(entry) ? entry : {}
  const day = dayOf(fields.selectedYear, fields.selectedMonth, fields.selectedDay)
  const words = readerOf(fields, note).texts(['reason', 'cause', 'note'])
  const slots = StoredSlots.safeParse({ ...noHourFields, ...fields })
  if (!day || !words.reason || !slots.success) {
    note(`「${shortJson(entry)}」を特別営業日として読めません。元の文書にだけ残します。`)
    return null
  }
  noteUnknownFields(fields, specialNames, (sentence) => note(`${day} の特別営業日に、${sentence}`))
  const shortened = (name: string, text: string, max: number) => {
    const beginning = truncate(text, max)
    if (beginning !== text) note(`${day} の${name}は長いため、はじめの${max}文字を取り込みます（${text}）。`)
    return beginning
  }
  return {
    day,
    reason: shortened('理由', words.reason, MAX_REASON),
    cause: shortened('「cause」', words.cause, MAX_CAUSE),
    note: shortened('「note」', words.note, MAX_NOTE),
    slots: slots.data,
    times: readerOf(fields, (sentence) => note(`${day} の特別営業日の${sentence}`)).times(),
  }
}
