import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from './tables.ts'

/** Message between processes. Receivers drop a message if its ID (`mark`) is repeated. */
export type Message = { mark: string } & ({ topics: string[] } | { text: string })

/** Channel for messages between processes. On PostgreSQL, a process also receives its own messages. */
export type Channel = {
  send(message: Message): void
  /** Subscribes a listener. Calls `missed` if messages may have been lost. */
  listen(listener: { message(message: Message): void; missed(): void }): void
  close(): Promise<void>
}
type ChannelDependencies = { db: Db; log: Logger }
type Listener = Parameters<Channel['listen']>[0]

export function openChannel(url: string | undefined, dependencies: ChannelDependencies): Channel {
  return url ? openPostgresChannel(url, dependencies) : openSqliteChannel(dependencies)
}

const CHANNEL = 'noren'

/** Sends a message on PostgreSQL. If `db` is a transaction, the message is sent at the commit. */
export function notify(db: Db, message: Message) {
  return sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(db)
}

const MIN_RETRY_DELAY_MS = 100
// This maximum is short, because changes of other processes are not shown until the channel reconnects.
const MAX_RETRY_DELAY_MS = 1000
// A broken connection may raise no error, so it is checked at this interval.
const CHECK_INTERVAL_MS = 5000
const RESPONSE_TIMEOUT_MS = 4000

function openPostgresChannel(connectionString: string, { db, log }: ChannelDependencies): Channel {
  let listener: Listener | undefined
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let retryDelayMs = MIN_RETRY_DELAY_MS
  let isClosed = false

  async function connect(isReconnect: boolean) {
    const { Client } = (await import('pg')).default
    if (isClosed) return
    const next = new Client({
      connectionString,
      connectionTimeoutMillis: RESPONSE_TIMEOUT_MS,
      query_timeout: RESPONSE_TIMEOUT_MS,
    })
    client = next
    // An 'end' event follows each 'error' event and schedules the reconnection.
    next.on('error', (error) => log.warn({ err: error }, 'database channel failed'))
    next.on('notification', ({ payload = '' }) => listener?.message(JSON.parse(payload)))
    const subscribe = () => next.query(`listen ${CHANNEL}`)
    try {
      await next.connect()
      await subscribe()
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'database channel failed')
      next.end().catch(() => {})
      return scheduleReconnect()
    }
    const checkTimer = setInterval(() => void subscribe().catch(() => next.end()), CHECK_INTERVAL_MS).unref()
    next.once('end', () => {
      clearInterval(checkTimer)
      scheduleReconnect()
    })
    retryDelayMs = MIN_RETRY_DELAY_MS
    if (isReconnect) listener?.missed()
  }

  function scheduleReconnect() {
    if (isClosed) return
    timer = setTimeout(() => void connect(true), retryDelayMs).unref()
    retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_DELAY_MS)
  }

  return {
    send(message) {
      notify(db, message).catch((error) => log.warn({ err: error }, 'database channel failed'))
    },
    listen(newListener) {
      listener = newListener
      void connect(false)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}

const POLL_INTERVAL_MS = 250

// SQLite cannot send messages, but `data_version` changes when another connection commits.
function openSqliteChannel({ db }: ChannelDependencies): Channel {
  let timer: NodeJS.Timeout | undefined
  return {
    send() {},
    listen({ missed }) {
      let lastVersion: number | undefined
      const poll = async () => {
        const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db)
        const version = rows[0]?.data_version
        if (lastVersion !== undefined && version !== lastVersion) missed()
        lastVersion = version
      }
      const pollOrIgnore = () => void poll().catch(() => {})
      timer = setInterval(pollOrIgnore, POLL_INTERVAL_MS).unref()
      pollOrIgnore()
    },
    async close() {
      clearInterval(timer)
    },
  }
}
