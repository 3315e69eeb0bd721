import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  isAbortedTransactionError,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { booleanColumns, toStored } from './booleans.ts'
import { failureOf, OutcomeUnknown, READ_ONLY } from './failure.ts'
import type { Tables } from './tables.ts'

// In milliseconds. The timeouts are short, because visitors wait for these requests.
const timeouts = { lock_timeout: 5000, statement_timeout: 10_000, idle_in_transaction_session_timeout: 15_000 }
const CONNECT_TIMEOUT_MS = 5000
export const MAX_CONNECTIONS = 26

/** Opens PostgreSQL. `serving` sets timeouts, and fails queries at once while the database is unreachable. */
export async function openPostgres(connectionString: string, { serving }: { serving: boolean }) {
  const { Client, Pool, types } = (await import('pg')).default
  // Parses bigint as a number, because count() returns a bigint on PostgreSQL and a number on SQLite.
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format as 'text')
  const pool = new Pool({
    connectionString,
    types: { getTypeParser } as pg.CustomTypesConfig,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: MAX_CONNECTIONS,
  })
  // The pool replaces a broken connection, and the query of that connection fails. An unhandled error event would end
  // the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const makeClient = () =>
    new Client({ connectionString, connectionTimeoutMillis: RESPONSE_TIMEOUT_MS, query_timeout: RESPONSE_TIMEOUT_MS })
  const config = serving ? { pool: withHealthCheck(pool, makeClient), onCreateConnection: setTimeouts } : { pool }
  class OutcomeDialect extends PostgresDialect {
    override createDriver() {
      return new OutcomeDriver(config)
    }
    override createQueryCompiler() {
      return new BooleanQueryCompiler()
    }
  }
  return new Kysely<Tables>({ dialect: new OutcomeDialect(config), plugins: [booleanColumns] })
}

// A pooler rejects timeouts as startup parameters, so a query sets the timeouts. Errors are ignored, because Kysely
// never releases a connection if its creation throws. After an error, the first query fails as well.
async function setTimeouts(connection: DatabaseConnection) {
  const settings = Object.entries(timeouts).map(([name, ms]) => `set_config('${name}', '${ms}', false)`)
  await connection.executeQuery(CompiledQuery.raw(`select ${settings.join()}`)).catch(() => {})
}

const TRANSACTION_POOLER =
  'データベースの前にあるプーラー（PgBouncerなど）が、接続をトランザクションごとに使い回しています。画面の自動更新や待ち時間の上限が働かないため、この設定ではサイトを起動できません。設定 DATABASE_URL にPostgreSQLそのもののアドレスを書くか、プーラーをセッションごと（pool_mode = session）にしてください。'

/**
 * Checks that a database can serve the site. Throws an error with the code `READ_ONLY` if PostgreSQL is read-only.
 * Throws a Japanese message if PostgreSQL is behind a transaction pooler.
 */
export async function checkServing(connectionString: string) {
  const { Client } = (await import('pg')).default
  const makeClient = () =>
    new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }).on('error', () => {})
  const [listener, sender] = [makeClient(), makeClient()]
  try {
    await listener.connect()
    const { rows } = await listener.query('show transaction_read_only')
    if (rows[0].transaction_read_only === 'on')
      throw Object.assign(new Error('PostgreSQL is read-only'), { code: READ_ONLY })
    await sender.connect()
    await listener.query('listen noren_check')
    // A transaction pooler never delivers the notification, because an idle client has no server connection.
    const notification = once(listener, 'notification', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    const delivered = notification.catch(() => {
      throw new Error(TRANSACTION_POOLER)
    })
    await Promise.all([sender.query('notify noren_check'), delivered])
  } finally {
    await Promise.allSettled([listener.end(), sender.end()])
  }
}

class BooleanQueryCompiler extends PostgresQueryCompiler {
  protected override addParameter(value: unknown) {
    super.addParameter(toStored(value))
  }
}

class OutcomeDriver extends PostgresDriver {
  override async commitTransaction(connection: DatabaseConnection) {
    try {
      await super.commitTransaction(connection as never)
    } catch (error) {
      const isDisconnected = !isAbortedTransactionError(error) && failureOf(error) === 'away'
      throw isDisconnected ? new OutcomeUnknown('PostgreSQL commit response lost', { cause: error }) : error
    }
  }
  override async rollbackTransaction(connection: DatabaseConnection) {
    // The database rolls back the transaction of a broken connection itself. The caller needs the error that caused the
    // rollback.
    await super.rollbackTransaction(connection as never).catch(() => {})
  }
}

const RESPONSE_TIMEOUT_MS = 1500
const CHECK_INTERVAL_MS = 1000
const RETRY_INTERVAL_MS = 250

/** Adds a health check to a pool. While the check fails, open sockets are destroyed and new queries fail at once. */
function withHealthCheck(pool: pg.Pool, makeClient: () => pg.Client) {
  const sockets = new Set<Socket>()
  pool.on('connect', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    sockets.add(stream)
    stream.once('close', () => sockets.delete(stream))
  })
  const stopping = new AbortController()
  let isAway = false
  let client: pg.Client | undefined

  async function isReachable() {
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

  async function monitor() {
    while (!stopping.signal.aborted) {
      // Makes two attempts, because a busy machine may have delayed the first attempt.
      isAway = !((await isReachable()) || (await isReachable()))
      if (isAway) for (const socket of sockets) socket.destroy()
      const ms = isAway ? RETRY_INTERVAL_MS : CHECK_INTERVAL_MS
      await pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
    await client?.end().catch(() => {})
  }
  const monitoring = monitor()

  return {
    options: pool.options,
    connect: async () => {
      if (isAway) throw Object.assign(new Error('PostgreSQL unreachable'), { code: '57P03' })
      return pool.connect()
    },
    async end() {
      stopping.abort()
      await Promise.all([monitoring, pool.end()])
    },
  }
}
