import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  isAbortedTransactionError,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely'
import type pg from 'pg'
import { failureOf, OutcomeUnknown, READ_ONLY } from './failure.ts'
import type { Tables } from './tables.ts'

// What a statement, a lock or an open transaction may take while a person waits, in milliseconds.
const patience = { lock_timeout: 5000, statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 }
const CONNECTS_WITHIN_MS = 5000
/** To one PostgreSQL from one process; those that nobody needs are closed. */
export const MOST_CONNECTIONS = 26

/**
 * Opens a PostgreSQL. One that is `serving` gives up what takes too long, and knows when the database is away: then
 * nothing waits for it.
 */
export async function openPostgres(connectionString: string, { serving }: { serving: boolean }) {
  const { Client, Pool, types } = (await import('pg')).default
  // bigint (what count() returns) as number, as on SQLite
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format as 'text')
  const pool = new Pool({
    connectionString,
    types: { getTypeParser } as pg.CustomTypesConfig,
    connectionTimeoutMillis: CONNECTS_WITHIN_MS,
    max: MOST_CONNECTIONS,
  })
  // A connection that breaks is replaced by the pool, and its query fails; unheard, its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const makeClient = () =>
    new Client({ connectionString, connectionTimeoutMillis: ANSWERS_WITHIN_MS, query_timeout: ANSWERS_WITHIN_MS })
  return new Kysely<Tables>({
    dialect: new TellingDialect(
      serving ? { pool: watched(pool, makeClient), onCreateConnection: setTimeouts } : { pool },
    ),
  })
}

// Sets them by a query, since a pooler refuses timeouts among the startup parameters. Kysely never releases a connection
// whose creation throws; a broken connection fails its first query as well.
async function setTimeouts(connection: DatabaseConnection) {
  const settings = Object.entries(patience).map(([name, ms]) => `set_config('${name}', '${ms}', false)`)
  await connection.executeQuery(CompiledQuery.raw(`select ${settings.join()}`)).catch(() => {})
}

const TRANSACTION_POOLER =
  'データベースの前にあるプーラー（PgBouncerなど）が、接続をトランザクションごとに使い回しています。画面への知らせや待ち時間の上限がきかないため、この設定ではサイトを始められません。設定 DATABASE_URL にPostgreSQLそのもののアドレスを書くか、プーラーをセッションごと（pool_mode = session）にしてください。'

/**
 * Throws if a site cannot be served from this PostgreSQL although it answers: the error of a write if it is read-only,
 * and a sentence for the owner if a pooler gives the server to others after each transaction.
 */
export async function checkServing(connectionString: string) {
  const { Client } = (await import('pg')).default
  const makeClient = () =>
    new Client({ connectionString, connectionTimeoutMillis: CONNECTS_WITHIN_MS }).on('error', () => {})
  const [listener, sender] = [makeClient(), makeClient()]
  try {
    await listener.connect()
    const { rows } = await listener.query('show transaction_read_only')
    if (rows[0].transaction_read_only === 'on')
      throw Object.assign(new Error('The database is read-only'), { code: READ_ONLY })
    await sender.connect()
    await listener.query('listen noren_check')
    // A transaction pooler never delivers the notification: an idle client has no server.
    const heard = once(listener, 'notification', { signal: AbortSignal.timeout(CONNECTS_WITHIN_MS) })
    const delivered = heard.catch(() => {
      throw new Error(TRANSACTION_POOLER)
    })
    await Promise.all([sender.query('notify noren_check'), delivered])
  } finally {
    await Promise.allSettled([listener.end(), sender.end()])
  }
}

class TellingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }
  override createDriver() {
    return new TellingDriver(this.#config)
  }
}

class TellingDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection) {
    try {
      await super.commitTransaction(connection as never)
    } catch (error) {
      const isCut = !isAbortedTransactionError(error) && failureOf(error) === 'away'
      throw isCut ? new OutcomeUnknown('The answer to a commit did not come', { cause: error }) : error
    }
  }
  override async rollbackTransaction(connection: DatabaseConnection) {
    // One that is cut is rolled back by the database: why it was begun to be is what counts.
    await super.rollbackTransaction(connection as never).catch(() => {})
  }
}

const ANSWERS_WITHIN_MS = 1500
const LOOKS_EVERY_MS = 1000
const LOOKS_WHILE_AWAY_EVERY_MS = 250

/** The pool, for as long as the database answers a question of our own; while it does not, what asked it is told at once. */
function watched(pool: pg.Pool, makeClient: () => pg.Client) {
  const sockets = new Set<Socket>()
  pool.on('connect', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    sockets.add(stream)
    stream.once('close', () => sockets.delete(stream))
  })
  const stopping = new AbortController()
  let away = false
  let client: pg.Client | undefined

  async function ask() {
    try {
      if (!client) {
        client = makeClient().on('error', () => {})
        await client.connect()
      }
      await client.query('select 1')
      return true
    } catch {
      client?.end().catch(() => {})
      client = undefined
      return false
    }
  }

  async function look() {
    while (!stopping.signal.aborted) {
      // Twice: a machine that was busy may have been late itself.
      away = !((await ask()) || (await ask()))
      if (away) for (const socket of sockets) socket.destroy()
      const ms = away ? LOOKS_WHILE_AWAY_EVERY_MS : LOOKS_EVERY_MS
      await pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
    await client?.end().catch(() => {})
  }
  const looking = look()

  return {
    options: pool.options,
    connect: async () => {
      if (away) throw Object.assign(new Error('The database is away'), { code: '57P03' })
      return pool.connect()
    },
    async end() {
      stopping.abort()
      await Promise.all([looking, pool.end()])
    },
  }
}
