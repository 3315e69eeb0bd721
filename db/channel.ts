import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from './tables.ts'

/**
 * Message between processes: the topics that a commit changed, or a text. Receivers drop a repeated message ID
 * (`mark`).
 */
export type Message = { mark: string } & ({ topics: string[] } | { text: string })

/** Channel between the processes that share one database. Over PostgreSQL, a process also receives its own messages. */
export type Channel = {
  send(message: Message): void
  /** Passes each message to `message`, and calls `missed` if messages may have been lost. */
  listen(hear: { message(message: Message): void; missed(): void }): void
  close(): Promise<void>
}
type Place = { db: Kysely<Tables>; log: Logger }
type Hearing = Parameters<Channel['listen']>[0]

export function openChannel(url: string | undefined, place: Place): Channel {
  return url ? overPostgres(url, place) : besideSqlite(place)
}

const CHANNEL = 'noren'

/** Sends a message over this PostgreSQL, at the commit if `db` is a transaction. */
export function notify(db: Kysely<Tables>, message: Message) {
  return sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`.execute(db)
}

const FIRST_PAUSE_MS = 100
// Until the channel reconnects, changes of other processes are not shown.
const LONGEST_PAUSE_MS = 1000
// A broken connection may raise no error, so it is checked at this interval.
const LOOKS_EVERY_MS = 5000
const ANSWERS_WITHIN_MS = 4000

function overPostgres(connectionString: string, { db, log }: Place): Channel {
  let hearing: Hearing | undefined
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = FIRST_PAUSE_MS
  let closed = false

  async function connect(again: boolean) {
    const { Client } = (await import('pg')).default
    if (closed) return
    const next = new Client({
      connectionString,
      connectionTimeoutMillis: ANSWERS_WITHIN_MS,
      query_timeout: ANSWERS_WITHIN_MS,
    })
    client = next
    // The 'end' event follows and schedules the reconnection.
    next.on('error', (error) => log.warn({ err: error }, 'database channel failed'))
    next.on('notification', ({ payload = '' }) => hearing?.message(JSON.parse(payload)))
    const hear = () => next.query(`listen ${CHANNEL}`)
    try {
      await next.connect()
      await hear()
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'database channel failed')
      next.end().catch(() => {})
      return later()
    }
    const looking = setInterval(() => void hear().catch(() => next.end()), LOOKS_EVERY_MS).unref()
    next.once('end', () => {
      clearInterval(looking)
      later()
    })
    pause = FIRST_PAUSE_MS
    if (again) hearing?.missed()
  }

  function later() {
    if (closed) return
    timer = setTimeout(() => void connect(true), pause).unref()
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }

  return {
    send(message) {
      notify(db, message).catch((error) => log.warn({ err: error }, 'database channel failed'))
    },
    listen(hear) {
      hearing = hear
      void connect(false)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}

const LOOK_EVERY_MS = 250

// SQLite has no messages, but `data_version` changes with commits of other connections.
function besideSqlite({ db }: Place): Channel {
  let timer: NodeJS.Timeout | undefined
  return {
    send() {},
    listen({ missed }) {
      let known: number | undefined
      const look = async () => {
        const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db)
        const version = rows[0]?.data_version
        if (known !== undefined && version !== known) missed()
        known = version
      }
      const lookAgain = () => void look().catch(() => {})
      timer = setInterval(lookAgain, LOOK_EVERY_MS).unref()
      lookAgain()
    },
    async close() {
      clearInterval(timer)
    },
  }
}
