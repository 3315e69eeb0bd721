import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Topic } from '../live/topics.ts'
import type { CalendarRule, Visitor } from '../permissions.ts'
import type { Author, RequestContext } from '../request.ts'

/** What every kept row has; one with `deletedAt` stays in its table when it is deleted, the others leave it. */
export type Kept = { version: number; updatedAt: string; deletedAt?: string | null }

/** When an older site says that a thing was made, and last changed: ISO 8601 in UTC. */
export type Times = { createdAt: string; updatedAt: string }

/** The version of a record in a form, and the IDs of the saves that the form's browser tab says it made. */
export type SeenVersion = { version: number; own?: readonly string[] }

/** A record as its editor saw it. */
export type Seen = SeenVersion & { id: string }

/** What a kind of record says of itself. With this it has a history, an undo, a place in the bin, and is live. */
export type Kind<Row extends Kept = Kept> = {
  /** What the history calls it. */
  subject: string
  table: keyof Tables
  /** The column by which a row is known. */
  key: string
  topicOf(row: Row): Topic
  /** Returns why the visitor may not change it, read its history or undo a save of it, in Japanese; null if they may. */
  refusal(visitor: Visitor, rule: CalendarRule, row: Row): string | null
  /** The only column that `refusal` reads; none if every record of the kind has the same rule. */
  scope?: keyof Row & string
  /** What the history tells of it, by what each part is called. */
  inWords(row: Row): Record<string, string>
  /** What the bin calls it, and where it says that it was. */
  nameOf(row: Row): string
  placeOf(row: Row): string
  /** The page that shows it, where a page without scripts goes on. */
  addressOf(row: Row): string
  /** Whether its form is left for that page once a state was put back, as it is with a save. */
  leaves?: boolean
  /**
   * Runs before every change, in its transaction, and makes what must change with it. Throws a `ChangeRefused` if the
   * change would break what must hold; the whole save is undone then.
   */
  guard?(trx: Transaction<Tables>, before: Row | null, after: Row | null, author: Author): Promise<void>
  /** What no return touches: that stays as it is now. */
  fixed?: readonly (keyof Row)[]
  /** What of a state is put back, where that is not all of it; null where it may not be. */
  keep?(now: Row, then: Row): Partial<Row> | null
  /**
   * What a row still has of the sample shop, given what it was there: how many things, and what is changed so that they are
   * gone; null where the whole row goes. Without this a row is the sample's as long as all of it is.
   */
  sampleLeft?(now: Row, sample: Row): SampleLeft<Row>
  /** What follows from a return, as it would from the same change made by hand. */
  onReturn?(context: RequestContext, trx: Transaction<Tables>, before: Row | null, after: Row | null): Promise<void>
}

export type SampleLeft<Row> = { count: number; without: Partial<Row> | null }

// biome-ignore lint/suspicious/noExplicitAny: each kind has rows of its own, and gets no others
export type AnyKind = Kind<any>

/** All kinds of record, the switch that their refusals need, and the names of accounts that a visitor may see. */
export type Records = {
  kinds: readonly AnyKind[]
  readRule(db: Kysely<Tables>): Promise<CalendarRule>
  namesOf(db: Kysely<Tables>, visitor: Visitor, accountIds: string[]): Promise<Map<string, string>>
}

/** Why a change was not made: a sentence for whoever asked, and its status. */
export class ChangeRefused extends Error {
  readonly status: number
  constructor(sentence: string, status = 409) {
    super(sentence)
    this.status = status
  }
}

/** What all changes of one save have in common. */
export type Save = Author & { id: string; action: string }

/** Begins a save: what its author does with one press of a button, taken back as one. */
export function newSave(author: Author, action: string): Save {
  return { ...author, action, id: crypto.randomUUID() }
}
