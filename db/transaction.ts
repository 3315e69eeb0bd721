import type { Kysely, Transaction } from 'kysely'
import { isPostgres } from './engine.ts'
import { MOST_CONNECTIONS } from './postgres.ts'
import type { Tables } from './tables.ts'
import { createTurns } from './turns.ts'

const noted = new WeakMap<Kysely<Tables>, string[]>()
const hearers = new WeakMap<Kysely<Tables>, Set<(topics: string[]) => void>>()

/**
 * Runs `work` whole or not at all; inside a transaction it joins that one, so that verbs can be put together. What was
 * noted in it is told after the commit, and only then.
 */
export async function inTransaction<T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  const topics: string[] = []
  const leave = await turnOf(db)
  const result = await db
    .transaction()
    .execute((trx) => {
      noted.set(trx, topics)
      return work(trx)
    })
    .finally(leave)
  for (const hear of hearers.get(db) ?? []) hear(topics)
  return result
}

// Saves that wait for one another leave connections to PostgreSQL for who reads. SQLite has one that writes.
const MOST_SAVES = MOST_CONNECTIONS - 6
const PATIENCE_MS = 5000
const turns = new WeakMap<Kysely<Tables>, ReturnType<typeof createTurns>>()

async function turnOf(db: Kysely<Tables>) {
  if (!isPostgres(db)) return () => {}
  const take = turns.get(db) ?? createTurns(MOST_SAVES, tooBusy)
  turns.set(db, take)
  return take(performance.now() + PATIENCE_MS)
}

function tooBusy() {
  return Object.assign(new Error('Too many saves wait for one another'), { code: '55P03' })
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
