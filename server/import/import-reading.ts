import { dayInJapan } from '../../app/days/japan.ts'
import { isDay } from '../../app/days/month.ts'
import { trimmed } from '../../app/ui/blank.ts'
import type { ImportedDocument } from './import-documents.ts'

/** Says what is odd about a document, for the report. */
export type Note = (sentence: string) => void

/** A field as text; what is no text is said to be so. */
export function textOf(fields: ImportedDocument['fields'], name: string, note: Note) {
  const value = fields[name]
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return trimmed(value.replaceAll('\0', ''))
  if (typeof value === 'number') return String(value)
  note(`「${name}」が文字ではありません。空として取り込みます。`)
  return ''
}

/** A field that is true or false: only true itself is true. */
export function flagOf(fields: ImportedDocument['fields'], name: string, note: Note) {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean')
    note(`「${name}」が真偽値ではありません（${JSON.stringify(value)}）。「いいえ」として取り込みます。`)
  return value === true
}

/** A field that is an instant, ISO 8601 in UTC; null where there is none. */
export function instantOf(value: unknown) {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) ? null : new Date(instant).toISOString()
}

/** A day in one of the ways in which the old site wrote it; null where it is none. */
export function dayFrom(value: unknown) {
  if (typeof value !== 'string') return null
  const [, year, month, date] = /^\s*(\d{4})[-/年.](\d{1,2})[-/月.](\d{1,2})日?\s*(?:[（(].*)?$/.exec(value) ?? []
  if (year) return dayOf(year, month, date)
  const instant = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) ? null : dayInJapan(instant)
}

/** A day in three parts, as numbers or text; null where there is no such day. */
export function dayOf(year: unknown, month: unknown, date: unknown) {
  const text = (part: unknown) => (typeof part === 'number' || typeof part === 'string' ? `${part}` : '')
  const day = [text(year).padStart(4, '0'), ...[month, date].map((part) => text(part).padStart(2, '0'))].join('-')
  return isDay(day) ? day : null
}

/** What a field holds as JSON text; undefined where it cannot be read. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Notes the fields that the specification does not know; they stay in the kept copy of the document. */
export function noteUnknown(fields: object, names: readonly string[], note: Note) {
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) note(`知らない項目「${name}」があります。文書の控えにだけ残します。`)
  }
}
