import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import type { Topic } from '../live/topics.ts'
import type { CalendarRule, Visitor } from '../permissions.ts'
import type { Author, RequestContext } from '../request.ts'

/** Columns of every versioned row. Rows with `deletedAt` are soft-deleted; others leave the table. */
export type RecordRow = { version: number; updatedAt: string; deletedAt?: string | null }

/** Creation and change times imported from an older site: ISO 8601 in UTC. */
export type ImportedTimes = { createdAt: string; updatedAt: string }

/** ID and version of the record that the editor loaded. */
export type RecordRef = SeenVersion & { id: string }

export type RecordType<Row extends RecordRow = RecordRow> = {
  subject: string
  table: keyof Tables
  key: string
  topicOf(row: Row): Topic
  /** Returns the reason, in Japanese, if the visitor may not change the record or see its history; null if allowed. */
  refusal(visitor: Visitor, rule: CalendarRule, row: Row): string | null
  /** The only column that `refusal` reads; undefined if all records have the same rule. */
  scope?: keyof Row & string
  describe(row: Row): Record<string, string>
  /** Returns the URLs of the images in a row or revision. Uploads without a use in a record are removed after a day. */
  imagesOf?(row: Row): string[]
  /** Returns the title in the bin. `placeOf` returns the label of the page or list that contained the record. */
  titleOf(row: Row): string
  placeOf(row: Row): string
  urlOf(row: Row): string
  /** Whether the form navigates to `urlOf` after a revert, as after a save. */
  leaves?: boolean
  /** Makes dependent changes in the transaction before every change. Throws a `Rejection` to roll back the save. */
  guard?(trx: Transaction<Tables>, before: Row | null, after: Row | null, author: Author): Promise<void>
  /** Columns that undo, revert and restore never change. */
  immutable?: readonly (keyof Row)[]
  /** Returns the columns to revert, if not all; null if the revert is not allowed. */
  columnsToRevert?(now: Row, then: Row): Partial<Row> | null
  /** Null changes delete the row. Without this method, a row is sample content as long as nothing has changed. */
  sampleLeft?(now: Row, sample: Row): SampleLeft<Row>
  afterRevert?(context: RequestContext, trx: Transaction<Tables>, before: Row | null, after: Row | null): Promise<void>
}

export type SampleLeft<Row> = { count: number; without: Partial<Row> | null }

// biome-ignore lint/suspicious/noExplicitAny: each record type receives only its own rows
export type AnyRecordType = RecordType<any>

export type RecordDependencies = {
  recordTypes: readonly AnyRecordType[]
  readRule(db: Kysely<Tables>): Promise<CalendarRule>
  namesOf(db: Kysely<Tables>, visitor: Visitor, accountIds: string[]): Promise<Map<string, string>>
}

export type Save = Author & { id: string; action: string }

/** Creates a save: the changes of one user action, undone together. */
export function newSave(author: Author, action: string): Save {
  return { ...author, action, id: crypto.randomUUID() }
}
