import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from './tables.ts'

/** What goes between processes: the topics that a commit changed, or a text. By its mark it is known, and told once. */
export type Message = { mark: string } & ({ topics: string[] } | { text: string })

/** Between the processes on one database: what one sends, or commits, each one hears, this one too. */
export type Channel = {
  send(message: Message): void
  /** `missed`: something happened of which this process was not told. */
  listen(hear: { message(message: Message): void; missed(): void }): void
  close(): Promise<void>
}
type Place = { db: Kysely<Tables>; log: Logger }
type Hearing = Parameters<Channel['listen']>[0]

/** The channel of the database at this address; of the SQLite file where there is none. */
export function openChannel(url: string | undefined, place: Place): Channel {
  return url ? overPostgres(url, place) : besideSqlite(place)
}

/** Its name in a PostgreSQL. */
export const CHANNEL = 'noren'

const FIRST_PAUSE_MS = 100
// What others change meanwhile is not shown here until it is back.
const LONGEST_PAUSE_MS = 1000
// A connection that breaks somewhere on its way says nothing of it: it is asked again and again.
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
    // The end of the connection follows, and is what counts.
    next.on('error', (error) => log.warn({ err: error }, 'database channel'))
    next.on('notification', ({ payload = '' }) => hearing?.message(JSON.parse(payload)))
    const hear = () => next.query(`listen ${CHANNEL}`)
    try {
      await next.connect()
      await hear()
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'database channel')
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
      sql`select pg_notify(${CHANNEL}, ${JSON.stringify(message)})`
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
