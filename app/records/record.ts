import type { Db, Tables, Trx } from '../../db/tables.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import type { Topic } from '../live/topics.ts'
import type { CalendarRule, Visitor } from '../permissions.ts'
import type { Author, RequestContext } from '../request.ts'

/** Deletion sets `deletedAt` if the row has this column. Otherwise, deletion removes the row from its table. */
export type RecordRow = { version: number; updatedAt: string; deletedAt?: string | null }

/** Creation and change times imported from an older site: ISO 8601 in UTC. */
export type ImportedTimes = { createdAt: string; updatedAt: string }

/** Pattern of the ID of a new record. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** ID and version of the record that the editor loaded. */
export type RecordRef = SeenVersion & { id: string }

export type RecordType<Row extends RecordRow = RecordRow> = {
  subject: string
  table: keyof Tables
  /** The column of the ID, by default `id`. */
  key?: string
  topicOf(row: Row): Topic
  /** Returns the reason, in Japanese, why the visitor may not change the record or see its history, or null. */
  refusal(visitor: Visitor, rule: CalendarRule, row: Row): string | null
  /** The only column that `refusal` reads. Undefined if all records have the same rule. */
  scope?: keyof Row & string
  /** Returns the values of a record by their Japanese labels. `related` has the names of `relatedNames`. */
  describe(row: Row, related: ReadonlyMap<string, string>): Record<string, string>
  /** Returns the names, by ID, of the records that `describe` refers to. */
  relatedNames?(db: Db): Promise<Map<string, string>>
  /** Returns the URLs of the images in a row or revision. Uploads that no record uses are removed after a day. */
  imagesOf?(row: Row): string[]
  /** Title in the bin. `placeOf` returns the label of the page or list that contained the record. */
  titleOf(row: Row): string
  placeOf(row: Row): string
  urlOf(row: Row): string
  /** Whether a revert navigates to the URL of the record, as a save does. */
  leaves?: boolean
  /** Makes dependent changes before each change of a record. Throws a `Rejection` to roll back the save. */
  guard?(trx: Trx, before: Row | null, after: Row | null, author: Author): Promise<void>
  /** Columns that an undo, a revert or a restore never changes. */
  immutable?: readonly (keyof Row)[]
  /** Returns null if the revert is denied. By default, a revert changes all columns except the `immutable` columns. */
  columnsToRevert?(now: Row, then: Row): Partial<Row> | null
  /**
   * Counts the sample content in a row. `without` has column values that remove the sample content, or is null if the
   * row must be deleted. By default, an unchanged row is sample content.
   */
  sampleLeft?(now: Row, sample: Row): SampleLeft<Row>
  afterRevert?(context: RequestContext, trx: Trx, before: Row | null, after: Row | null): Promise<void>
}

export type SampleLeft<Row> = { count: number; without: Partial<Row> | null }

// biome-ignore lint/suspicious/noExplicitAny: each record type receives only its own rows
export type AnyRecordType = RecordType<any>

export type RecordDependencies = {
  recordTypes: readonly AnyRecordType[]
  readRule(db: Db): Promise<CalendarRule>
  namesOf(db: Db, visitor: Visitor, accountIds: string[]): Promise<Map<string, string>>
}

export type Save = Author & { id: string; action: string }

/** Creates a save, which groups the changes of one user action. All changes of a save are undone together. */
export function newSave(author: Author, action: string): Save {
  return { ...author, action, id: crypto.randomUUID() }
}
