import type { Logger } from 'pino'
import { isPostgres } from '../../db/engine.ts'
import type { Db, OutboxRow } from '../../db/tables.ts'
import { repeat } from '../platform/repeat.server.ts'

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

// Delays before the first retry, the second retry and so on. The last delay repeats.
const RETRY_DELAYS_MS = [1, 2, 5, 10, 20, 30, 60].map((minutes) => minutes * MINUTE_MS)
const RETRY_TIMEOUT_MS = 3 * DAY_MS
const NOTICE_RETENTION_MS = 30 * DAY_MS

export type Queue = {
  db: Db
  clock: () => number
  log: Pick<Logger, 'warn' | 'error'>
  channels: readonly OutboxRow['channel'][]
  /** Longer than the timeout of an attempt, so an attempt that exceeds the lease belongs to a dead process. */
  leaseMs: number
  pollIntervalMs: number
  /** Number of rows that are delivered concurrently. */
  batchSize: number
  /**
   * Delivers a row and returns its new values. Returns null if there is no recipient any more, so that the row is
   * deleted.
   */
  deliver: (row: OutboxRow) => Promise<Partial<OutboxRow> | null>
}

/** Returns the columns of a new row, which waits for its first delivery at `dueAt`. Times are ISO 8601 in UTC. */
export function waitingRow(at: string, dueAt = at) {
  return { id: crypto.randomUUID(), state: 'waiting', attempts: 0, dueAt, waitingSince: dueAt, createdAt: at } as const
}

/** Error of a delivery that is not retried if `isFinal`, and otherwise not before `retryAfterMs`. */
export class DeliveryError extends Error {
  isFinal = false
  retryAfterMs = 0
}

/** Delivers rows of the outbox until none is due. Returns the number of attempts. */
export async function deliverDueRows(queue: Queue, signal: AbortSignal) {
  let attempted = 0
  while (!signal.aborted) {
    const rows = await takeDueRows(queue)
    if (rows.length === 0) break
    await Promise.all(rows.map((row) => attemptDelivery(queue, row)))
    attempted += rows.length
  }
  return attempted
}

/** Polls for due rows. Returns a function that stops polling and waits for the current deliveries. */
export function startQueue(queue: Queue) {
  return repeat((signal) => deliverDueRows(queue, signal), {
    every: queue.pollIntervalMs,
    failed: (err) => queue.log.error({ err }, 'outbox read failed'),
  })
}

// The later due time is a lease. Until then, other workers skip the row. If this worker dies, the row becomes due again.
async function takeDueRows({ db, clock, channels, leaseMs, batchSize }: Queue): Promise<OutboxRow[]> {
  const now = clock()
  const due = db
    .selectFrom('outbox')
    .select('id')
    .where('channel', 'in', channels)
    .where('state', '=', 'waiting')
    // No delay is longer than a day, so a later time is from a clock that was ahead.
    .where((row) => row.or([row('dueAt', '<=', iso(now)), row('dueAt', '>', iso(now + DAY_MS + HOUR_MS))]))
    .orderBy('dueAt')
    .limit(batchSize)
  // This read takes no write lock, so polling an empty outbox blocks no writer.
  if (!(await due.executeTakeFirst())) return []
  const unlocked = due.$if(isPostgres(db), (query) => query.forUpdate().skipLocked())
  return db
    .updateTable('outbox')
    .set((row) => ({ dueAt: iso(now + leaseMs), trouble: null, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', unlocked)
    .returningAll()
    .execute()
}

async function attemptDelivery(queue: Queue, row: OutboxRow) {
  const { db, clock, deliver } = queue
  let values: Partial<OutboxRow> | null
  try {
    values = await deliver(row)
  } catch (error) {
    return recordFailure(queue, row, error)
  }
  if (values) await updateRow(db, row, { ...values, doneAt: iso(clock()) })
  else await db.deleteFrom('outbox').where('id', '=', row.id).execute()
  await deleteOldNotices(db, clock())
}

async function recordFailure({ db, clock, log }: Queue, row: OutboxRow, error: unknown) {
  const { id, channel, attempts, waitingSince } = row
  const now = iso(clock())
  const { isFinal, retryAfterMs } = error instanceof DeliveryError ? error : new DeliveryError()
  const isAbandoned = isFinal || clock() - Date.parse(waitingSince) >= RETRY_TIMEOUT_MS
  log.warn({ err: error, [channel]: id, attempts }, `${channel} ${isAbandoned ? 'abandoned' : 'delivery failed'}`)
  const delay = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? MINUTE_MS
  const dueAt = iso(clock() + Math.max(delay, Math.min(retryAfterMs, DAY_MS)))
  const trouble = (error instanceof Error ? error.message : String(error)).slice(0, 300)
  // The inbox lists abandoned e-mails for a manual retry. An abandoned notification is deleted later.
  const doneAt = isAbandoned && channel !== 'mail' ? now : null
  const values = { state: isAbandoned ? 'failed' : 'waiting', dueAt, trouble, doneAt } as const
  // A later time is from a clock that was ahead, and this row would never be abandoned.
  await updateRow(db, row, { ...values, waitingSince: waitingSince < now ? waitingSince : now })
}

async function updateRow(db: Db, { id }: OutboxRow, values: Partial<OutboxRow>) {
  await db.updateTable('outbox').set(values).where('id', '=', id).execute()
}

async function deleteOldNotices(db: Db, now: number) {
  await db
    .deleteFrom('outbox')
    .where('about', 'is', null)
    .where('doneAt', '<', iso(now - NOTICE_RETENTION_MS))
    .execute()
}

function iso(instant: number) {
  return new Date(instant).toISOString()
}
