import { AsyncLocalStorage } from 'node:async_hooks'
import { notify } from './channel.ts'
import { isPostgres } from './engine.ts'
import { MAX_CONNECTIONS } from './postgres.ts'
import { createSemaphore, inSlot, type Semaphore } from './semaphore.ts'
import type { Db, Trx } from './tables.ts'

export type Commit = { mark: string; topics: string[] }

const topicsByTransaction = new WeakMap<Db, Set<string>>()
const commitListeners = new WeakMap<Db, Set<(commit: Commit) => void>>()
const commitMarkStorage = new AsyncLocalStorage<{ mark: string | null }>()

const commitHooks = new WeakMap<Db, (trx: Trx) => Promise<void>>()

/** Sets the work before the commit of each transaction. If the work fails, the transaction is rolled back. */
export function beforeCommit(db: Db, work: (trx: Trx) => Promise<void>) {
  commitHooks.set(db, work)
}

/**
 * Runs the work in a transaction, or in `db` if it is a transaction. Publishes the topics after the commit. On
 * PostgreSQL, NOTIFY publishes the topics to other processes.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Trx)
  const mark = crypto.randomUUID()
  const topics = new Set<string>()
  const markHolder = commitMarkStorage.getStore()
  const transaction = () =>
    db.transaction().execute(async (trx) => {
      topicsByTransaction.set(trx, topics)
      const done = await work(trx)
      await commitHooks.get(db)?.(trx)
      if (topics.size > 0 && isPostgres(db)) {
        await notify(trx, { mark, topics: [...topics] })
        // From here on, the commit may take effect even if its response is lost.
        if (markHolder) markHolder.mark = mark
      }
      return done
    })
  const result = await (isPostgres(db) ? inSlot(semaphoreOf(db), transaction) : transaction())
  for (const listener of commitListeners.get(db) ?? []) listener({ mark, topics: [...topics] })
  return result
}

/** Runs the work. `mark` is the ID of its last commit that other processes receive, or null without such a commit. */
export async function withCommitMark<T>(work: () => Promise<T>): Promise<{ done: T; mark: string | null }> {
  const markHolder = { mark: null }
  const done = await commitMarkStorage.run(markHolder, work)
  return { done, mark: markHolder.mark }
}

// Concurrent saves must leave PostgreSQL connections for reads. SQLite needs no limit, because it has one writer.
const MAX_SAVES = MAX_CONNECTIONS - 6
const SLOT_TIMEOUT_MS = 5000
const semaphores = new WeakMap<Db, Semaphore>()

const tooManySavesError = () => Object.assign(new Error('Too many concurrent saves'), { code: '55P03' })

function semaphoreOf(db: Db) {
  const semaphore = semaphores.get(db) ?? createSemaphore(MAX_SAVES, SLOT_TIMEOUT_MS, tooManySavesError)
  semaphores.set(db, semaphore)
  return semaphore
}

export function noteChange(trx: Trx, topic: string) {
  topicsByTransaction.get(trx)?.add(topic)
}

export function onCommit(db: Db, listener: (commit: Commit) => void) {
  const all = commitListeners.get(db) ?? new Set()
  commitListeners.set(db, all.add(listener))
  return () => all.delete(listener)
}
