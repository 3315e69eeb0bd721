import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

const noted = new WeakMap<Kysely<Tables>, string[]>()
const hearers = new WeakMap<Kysely<Tables>, Set<(topics: string[]) => void>>()

/**
 * Runs `work` whole or not at all; inside a transaction it joins that one, so that verbs can be put together. What was
 * noted in it is told after the commit, and only then.
 */
export async function inTransaction<T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  const topics: string[] = []
  const result = await db.transaction().execute((trx) => {
    noted.set(trx, topics)
    return work(trx)
  })
  for (const hear of hearers.get(db) ?? []) hear(topics)
  return result
}

/** Notes in a transaction that it changes something under this topic, for those who hear of commits. */
export function noteChange(trx: Transaction<Tables>, topic: string) {
  noted.get(trx)?.push(topic)
}

/** Hears of each commit of this process, and the topics that were noted in it. Returns how to stop. */
export function onCommit(db: Kysely<Tables>, hear: (topics: string[]) => void) {
  const all = hearers.get(db) ?? new Set()
  hearers.set(db, all.add(hear))
  return () => all.delete(hear)
}
