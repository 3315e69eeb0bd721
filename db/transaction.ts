import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** What a transaction changed: a record of a subject, as it is now or as it was before it went. */
export type Changed = { subject: string; record: object }

const noted = new WeakMap<Kysely<Tables>, Changed[]>()
const hearers = new WeakMap<Kysely<Tables>, Set<(changes: Changed[]) => void>>()

/**
 * Runs `work` whole or not at all; inside a transaction it joins that one, so that verbs can be put together. What was
 * noted in it is told after the commit, and only then.
 */
export async function inTransaction<T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  const changes: Changed[] = []
  const result = await db.transaction().execute((trx) => {
    noted.set(trx, changes)
    return work(trx)
  })
  for (const hear of hearers.get(db) ?? []) hear(changes)
  return result
}

/** Notes in a transaction what it changes, for those who hear of commits. */
export function noteChange(trx: Transaction<Tables>, change: Changed) {
  noted.get(trx)?.push(change)
}

/** Hears of each commit of this process, and what was noted in it. Returns how to stop. */
export function onCommit(db: Kysely<Tables>, hear: (changes: Changed[]) => void) {
  const all = hearers.get(db) ?? new Set()
  hearers.set(db, all.add(hear))
  return () => all.delete(hear)
}
