import { mkdirSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { booleanColumns, toStored } from './booleans.ts'
import { OutcomeUnknown } from './failure.ts'
import { createSemaphore, inSlot, type Slot } from './semaphore.ts'
import type { Tables } from './tables.ts'

// Maximum wait for the write lock of another process, or for earlier writes of this process.
const LOCK_TIMEOUT_MS = 5000
const MAX_RETRY_DELAY_MS = 50
const MAX_STATEMENTS = 300

/** Opens an SQLite file, or creates a missing file. A second connection reads, so that pages do not wait for saves. */
export function openSqlite(file: string) {
  if (file === ':memory:') return onSqlite(new SQLite(file))
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const open = () => onSqlite(new SQLite(file, { timeout: 0 }), () => new SQLite(file, { readonly: true, timeout: 0 }))
  return withFullDiskError(file, open)
}

const MIN_FREE_BYTES = 1024 ** 2

/** Runs the work. If the disk is full, throws SQLITE_FULL, because SQLite itself throws IOERR or CANTOPEN. */
export function withFullDiskError<T>(file: string, work: () => T) {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError && /^SQLITE_(?:IOERR|CANTOPEN)/.test(error.code))) throw error
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file))
    const isFull = bavail * bsize < MIN_FREE_BYTES || (files > 0 && ffree === 0)
    throw isFull ? new SQLite.SqliteError(error.message, 'SQLITE_FULL') : error
  }
}

/** Opens Kysely on a connection. Without `openReader`, as for `:memory:`, reads wait in one queue with writes. */
export function onSqlite(writer: SQLite.Database, openReader?: () => SQLite.Database) {
  const version = writer.prepare('select sqlite_version()').pluck().get() as string
  if (version.localeCompare('3.51.0', 'en', { numeric: true }) < 0)
    throw new Error(`Unsupported SQLite version: got ${version}, expected 3.51.0 or newer`)
  writer.pragma('journal_mode = WAL')
  // FULL, not NORMAL, so that a confirmed save survives a power cut.
  writer.pragma('synchronous = FULL')
  writer.pragma('foreign_keys = ON')
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => new SqliteDriver(writer, openReader),
      createQueryCompiler: () => new BooleanQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createAdapter: () => new TransactionalMigrationsAdapter(),
    },
    plugins: [booleanColumns],
  })
}

class BooleanQueryCompiler extends SqliteQueryCompiler {
  protected override addParameter(value: unknown) {
    super.addParameter(toStored(value))
  }
}

class TransactionalMigrationsAdapter extends SqliteAdapter {
  // SQLite can roll back schema changes, so a failed migration leaves nothing behind.
  override get supportsTransactionalDdl() {
    return true
  }
  override get supportsMultipleConnections() {
    return true
  }
}

type Handle = ReturnType<typeof cacheStatements>

// Compiling a statement takes longer than running most statements, and the memory of discarded statements is freed
// late.
function cacheStatements(database: SQLite.Database) {
  const statements = new LRUCache({
    max: MAX_STATEMENTS,
    memoMethod: (text: string) => database.prepare<unknown[]>(text),
  })
  return { database, prepare: (text: string) => statements.memo(text) }
}

class SqliteDriver implements Driver {
  readonly #connections: Connections
  constructor(writer: SQLite.Database, openReader?: () => SQLite.Database) {
    this.#connections = connectionsTo(writer, openReader)
  }
  async init() {}
  async acquireConnection() {
    return new SqliteConnection(this.#connections)
  }
  async beginTransaction(connection: SqliteConnection, { accessMode }: TransactionSettings) {
    await connection.begin(accessMode === 'read only')
  }
  async commitTransaction(connection: SqliteConnection) {
    connection.commit()
  }
  async rollbackTransaction(connection: SqliteConnection) {
    connection.rollBack()
  }
  async releaseConnection() {}
  async destroy() {
    this.#connections.reading?.database.close()
    this.#connections.writing.database.close()
  }
}

type Connections = ReturnType<typeof connectionsTo>

function connectionsTo(writer: SQLite.Database, openReader?: () => SQLite.Database) {
  const writing = cacheStatements(writer)
  const reading = openReader && cacheStatements(openReader())
  return { writing, reading, openReader, slots: createSemaphore(1, LOCK_TIMEOUT_MS, lockedError) }
}

class SqliteConnection implements DatabaseConnection {
  readonly #connections: Connections
  #held: { handle: Handle; release: Slot['release'] } | undefined
  constructor(connections: Connections) {
    this.#connections = connections
  }

  async begin(isReadOnly: boolean) {
    const { writing, openReader, slots } = this.#connections
    // A snapshot needs a separate connection. On the shared connection, it would make all other reads stale.
    if (isReadOnly && openReader) {
      const handle = cacheStatements(openReader())
      this.#held = { handle, release: () => handle.database.close() }
      handle.prepare('begin').run()
      return
    }
    // A deferred transaction that begins with a read may fail at its first write. Taking the write lock at once avoids
    // this failure.
    const { release, until } = await slots.take()
    try {
      await retryWhileLocked(until, () => writing.prepare(isReadOnly ? 'begin' : 'begin immediate').run())
    } catch (error) {
      release(false)
      throw error
    }
    this.#held = { handle: writing, release }
  }

  commit() {
    withFlushError(() => this.#held?.handle.prepare('commit').run())
    this.#release()
  }

  rollBack() {
    try {
      // If the disk is full, SQLite has already rolled back the transaction.
      if (this.#held?.handle.database.inTransaction) this.#held.handle.prepare('rollback').run()
    } finally {
      this.#release()
    }
  }

  #release() {
    this.#held?.release(true)
    this.#held = undefined
  }

  async executeQuery<R>(query: CompiledQuery) {
    const { writing, reading, slots } = this.#connections
    if (this.#held) return run<R>(this.#held.handle, query)
    if (/^\s*pragma\b/i.test(query.sql)) return run<R>(writing, query)
    const until = performance.now() + LOCK_TIMEOUT_MS
    if (reading && isReadOnly(reading, query)) return retryWhileLocked(until, () => run<R>(reading, query))
    return inSlot(slots, (until) => retryWhileLocked(until, () => run<R>(writing, query)))
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery) {
    const handle = this.#held?.handle ?? this.#connections.writing
    for (const row of handle.prepare(sql).iterate(parameters)) yield { rows: [row as R] }
  }
}

function isReadOnly(handle: Handle, { query, sql }: CompiledQuery) {
  return SelectQueryNode.is(query) || (query.kind === 'RawNode' && handle.prepare(sql).readonly)
}

function run<R>(handle: Handle, { sql, parameters }: CompiledQuery) {
  const statement = handle.prepare(sql)
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes, lastInsertRowid } = withFlushError(() => statement.run(parameters))
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
}

// If a change was written but its flush failed, the change may still be present after a crash and a restart.
function withFlushError<T>(work: () => T) {
  try {
    return work()
  } catch (error) {
    const isWritten = error instanceof SQLite.SqliteError && error.code === 'SQLITE_IOERR_FSYNC'
    throw isWritten ? new OutcomeUnknown('SQLite change written but not flushed', { cause: error }) : error
  }
}

// Retries with pauses, because SQLite's own busy timeout would block the whole process.
async function retryWhileLocked<T>(until: number, work: () => T): Promise<T> {
  for (let ms = 1; ; ms = Math.min(2 * ms, MAX_RETRY_DELAY_MS)) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error) || performance.now() + ms > until) throw error
      await pause(ms)
    }
  }
}

function isLocked(error: unknown) {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

function lockedError() {
  return new SQLite.SqliteError('database is locked', 'SQLITE_BUSY')
}
