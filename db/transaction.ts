import { AsyncLocalStorage } from 'node:async_hooks'
import { type Kysely, sql, type Transaction } from 'kysely'
import { CHANNEL, type Message } from './channel.ts'
import { isPostgres } from './engine.ts'
import { MOST_CONNECTIONS } from './postgres.ts'
import type { Tables } from './tables.ts'
import { createTurns, inTurn } from './turns.ts'

/** A commit, by the mark that is its own, and what was noted in it. */
export type Commit = { mark: string; topics: string[] }

const noted = new WeakMap<Kysely<Tables>, Set<string>>()
const hearers = new WeakMap<Kysely<Tables>, Set<(commit: Commit) => void>>()
const marking = new AsyncLocalStorage<{ mark: string | null }>()

/**
 * Runs `work` whole or not at all; inside a transaction it joins that one, so that verbs can be put together. What was
 * noted in it is told after the commit, and only then: to other processes by the commit itself.
 */
export async function inTransaction<T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  const mark = crypto.randomUUID()
  const topics = new Set<string>()
  const marked = marking.getStore()
  const transaction = () =>
    db.transaction().execute(async (trx) => {
      noted.set(trx, topics)
      const done = await work(trx)
      if (topics.size > 0 && isPostgres(db)) {
        await tellWithCommit(trx, { mark, topics: [...topics] })
        // From here on it may have come about, whether its answer comes or not.
        if (marked) marked.mark = mark
      }
      return done
    })
  const result = await (isPostgres(db) ? inTurn(turnsOf(db), transaction) : transaction())
  for (const hear of hearers.get(db) ?? []) hear({ mark, topics: [...topics] })
  return result
}

async function tellWithCommit(trx: Transaction<Tables>, message: Message) {
  await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(trx)
}

/** Does the work, and gives the mark of the last commit in it that other processes are told of; null where there is none. */
export async function withMark<T>(work: () => Promise<T>): Promise<{ done: T; mark: string | null }> {
  const marked = { mark: null }
  const done = await marking.run(marked, work)
  return { done, mark: marked.mark }
}

// Saves that wait for one another leave connections to PostgreSQL for who reads. SQLite has one that writes.
const MOST_SAVES = MOST_CONNECTIONS - 6
const PATIENCE_MS = 5000
const turns = new WeakMap<Kysely<Tables>, ReturnType<typeof createTurns>>()

function turnsOf(db: Kysely<Tables>) {
  const take = turns.get(db) ?? createTurns(MOST_SAVES, PATIENCE_MS, tooBusy)
  turns.set(db, take)
  return take
}

function tooBusy() {
  return Object.assign(new Error('Too many saves wait for one another'), { code: '55P03' })
}

/** Notes in a transaction that it changes something under this topic, for those who hear of commits. */
export function noteChange(trx: Transaction<Tables>, topic: string) {
  noted.get(trx)?.add(topic)
}

/** Hears of each commit of this process. Returns how to stop. */
export function onCommit(db: Kysely<Tables>, hear: (commit: Commit) => void) {
  const all = hearers.get(db) ?? new Set()
  hearers.set(db, all.add(hear))
  return () => all.delete(hear)
}
