import { mkdirSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { OutcomeUnknown } from './failure.ts'
import type { Tables } from './tables.ts'
import { createTurns, inTurn, type Turn } from './turns.ts'

// How long a write waits for another process to end its own, or for those before it in this one.
const PATIENCE_MS = 5000
const LONGEST_PAUSE_MS = 50
const MOST_STATEMENTS = 300

/** Opens an SQLite file, made if missing: one connection writes, another reads, so that no page waits for a save. */
export function openSqlite(file: string) {
  if (file === ':memory:') return onSqlite(new SQLite(file))
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const open = () => onSqlite(new SQLite(file, { timeout: 0 }), () => new SQLite(file, { readonly: true, timeout: 0 }))
  return namingFullDisk(file, open)
}

const LEAST_FREE_BYTES = 1024 ** 2

/** Runs the work on a file. Throws SQLITE_FULL if its disk is full: SQLite calls it an I/O error or a file it cannot open. */
export function namingFullDisk<T>(file: string, work: () => T) {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError && /^SQLITE_(?:IOERR|CANTOPEN)/.test(error.code))) throw error
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file))
    const isFull = bavail * bsize < LEAST_FREE_BYTES || (files > 0 && ffree === 0)
    throw isFull ? new SQLite.SqliteError(error.message, 'SQLITE_FULL') : error
  }
}

/**
 * The database of an open SQLite, with all that this site asks of one. Where no other connection can be opened, as to one
 * in memory, the one that writes also reads, in its turn.
 */
export function onSqlite(writer: SQLite.Database, openReader?: () => SQLite.Database) {
  const version = writer.prepare('select sqlite_version()').pluck().get() as string
  if (!isAtLeast(version, '3.51.0')) throw new Error(`SQLite ${version} is too old: 3.51.0 or newer is needed`)
  writer.pragma('journal_mode = WAL')
  // FULL, not NORMAL: what was answered with success survives a power cut.
  writer.pragma('synchronous = FULL')
  writer.pragma('foreign_keys = ON')
  return new Kysely<Tables>({ dialect: new TwoConnections(new SqliteDriver(writer, openReader)) })
}

class TwoConnections implements Dialect {
  readonly #driver: Driver
  constructor(driver: Driver) {
    this.#driver = driver
  }
  createDriver() {
    return this.#driver
  }
  createQueryCompiler() {
    return new SqliteQueryCompiler()
  }
  createIntrospector(db: Kysely<unknown>) {
    return new SqliteIntrospector(db)
  }
  createAdapter() {
    return new WholeMigrationsAdapter()
  }
}

class WholeMigrationsAdapter extends SqliteAdapter {
  // SQLite takes back a changed table as it does a changed row: a migration that fails leaves nothing.
  override get supportsTransactionalDdl() {
    return true
  }
  override get supportsMultipleConnections() {
    return true
  }
}

/** An open SQLite with its compiled statements. */
type Handle = ReturnType<typeof keepingStatements>

// Compiled once: that takes longer than most statements run, and the memory of those thrown away comes back late.
function keepingStatements(database: SQLite.Database) {
  const kept = new Map<string, SQLite.Statement<unknown[]>>()
  return {
    database,
    prepare(text: string) {
      const statement = kept.get(text) ?? database.prepare(text)
      kept.delete(text)
      kept.set(text, statement)
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_STATEMENTS) break
        kept.delete(oldest)
      }
      return statement
    },
  }
}

class SqliteDriver implements Driver {
  readonly #connections: Connections
  constructor(writer: SQLite.Database, openReader?: () => SQLite.Database) {
    const writing = keepingStatements(writer)
    const reading = openReader ? keepingStatements(openReader()) : null
    this.#connections = { writing, reading, openReader, turn: createTurns(1, PATIENCE_MS, locked) }
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

type Connections = {
  writing: Handle
  reading: Handle | null
  openReader: (() => SQLite.Database) | undefined
  turn: ReturnType<typeof createTurns>
}

class SqliteConnection implements DatabaseConnection {
  readonly #connections: Connections
  /** What a transaction works on, and how it leaves it to others. */
  #held: { handle: Handle; leave: Turn['leave'] } | undefined
  constructor(connections: Connections) {
    this.#connections = connections
  }

  async begin(onlyReads: boolean) {
    const { writing, openReader, turn } = this.#connections
    // A snapshot of its own: what others read meanwhile is as new as ever.
    if (onlyReads && openReader) {
      const handle = keepingStatements(openReader())
      this.#held = { handle, leave: () => handle.database.close() }
      handle.prepare('begin').run()
      return
    }
    // A deferred transaction that reads first may fail when it comes to write; taking the write lock at once cannot.
    const { leave, until } = await turn()
    try {
      await patiently(until, () => writing.prepare(onlyReads ? 'begin' : 'begin immediate').run())
    } catch (error) {
      leave(false)
      throw error
    }
    this.#held = { handle: writing, leave }
  }

  commit() {
    flushed(() => this.#held?.handle.prepare('commit').run())
    this.#leave()
  }

  rollBack() {
    try {
      // Where the disk is full SQLite has done so by itself.
      if (this.#held?.handle.database.inTransaction) this.#held.handle.prepare('rollback').run()
    } finally {
      this.#leave()
    }
  }

  #leave() {
    this.#held?.leave(true)
    this.#held = undefined
  }

  async executeQuery<R>(query: CompiledQuery) {
    const { writing, reading, turn } = this.#connections
    if (this.#held) return run<R>(this.#held.handle, query)
    // What is asked of the connection itself is asked of the one that writes.
    if (/^\s*pragma\b/i.test(query.sql)) return run<R>(writing, query)
    const until = performance.now() + PATIENCE_MS
    if (reading && onlyReads(reading, query)) return patiently(until, () => run<R>(reading, query))
    return inTurn(turn, (until) => patiently(until, () => run<R>(writing, query)))
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery) {
    const handle = this.#held?.handle ?? this.#connections.writing
    for (const row of handle.prepare(sql).iterate(parameters)) yield { rows: [row as R] }
  }
}

function onlyReads(handle: Handle, { query, sql }: CompiledQuery) {
  return SelectQueryNode.is(query) || (query.kind === 'RawNode' && handle.prepare(sql).readonly)
}

function run<R>(handle: Handle, { sql, parameters }: CompiledQuery) {
  const statement = handle.prepare(sql)
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes, lastInsertRowid } = flushed(() => statement.run(parameters))
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] }
}

// What was written when its flush failed, a start after a crash may find.
function flushed<T>(work: () => T) {
  try {
    return work()
  } catch (error) {
    const isWritten = error instanceof SQLite.SqliteError && error.code === 'SQLITE_IOERR_FSYNC'
    throw isWritten ? new OutcomeUnknown('A change was written and not flushed', { cause: error }) : error
  }
}

// SQLite's own wait would keep the whole process from answering anyone.
async function patiently<T>(until: number, work: () => T): Promise<T> {
  for (let ms = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
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

function locked() {
  return new SQLite.SqliteError('database is locked', 'SQLITE_BUSY')
}

function isAtLeast(version: string, least: string) {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0
}
