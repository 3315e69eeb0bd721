import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from './tables.ts'

/** Between the processes on one database: what one sends, each other one hears. */
export type Channel = {
  send(text: string): void
  /** `missed`: something happened of which this process was not told. */
  listen(hear: { text(text: string): void; missed(): void }): void
  close(): Promise<void>
}
type Place = { db: Kysely<Tables>; log: Logger }
type Hearing = Parameters<Channel['listen']>[0]

/** The channel of the database at this address; of the SQLite file where there is none. */
export function openChannel(url: string | undefined, place: Place): Channel {
  return url ? overPostgres(url, place) : besideSqlite(place)
}

const NAME = 'noren'
const FIRST_PAUSE_MS = 100
// What others change meanwhile is not shown here until it is back.
const LONGEST_PAUSE_MS = 1000

function overPostgres(connectionString: string, { db, log }: Place): Channel {
  const self = crypto.randomUUID()
  let hearing: Hearing | undefined
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = FIRST_PAUSE_MS
  let closed = false

  async function connect(again: boolean) {
    const { Client } = (await import('pg')).default
    if (closed) return
    const next = new Client({ connectionString, keepAlive: true, keepAliveInitialDelayMillis: 10_000 })
    client = next
    // The end of the connection follows, and is what counts.
    next.on('error', (error) => log.warn({ err: error }, 'database channel'))
    next.on('notification', ({ payload = '' }) => {
      if (!payload.startsWith(self)) hearing?.text(payload.slice(self.length))
    })
    try {
      await next.connect()
      await next.query(`listen ${NAME}`)
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'database channel')
      next.end().catch(() => {})
      return later()
    }
    next.once('end', later)
    pause = FIRST_PAUSE_MS
    if (again) hearing?.missed()
  }

  function later() {
    if (closed) return
    timer = setTimeout(() => void connect(true), pause).unref()
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }

  return {
    send(text) {
      sql`select pg_notify(${NAME}, ${self + text})`
        .execute(db)
        .catch((error) => log.warn({ err: error }, 'database channel'))
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

// A file has no messages; but it counts the commits of its other connections.
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
      // What it could not see now it sees the next time.
      const lookAgain = () => void look().catch(() => {})
      timer = setInterval(lookAgain, LOOK_EVERY_MS).unref()
      lookAgain()
    },
    async close() {
      clearInterval(timer)
    },
  }
}
