import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { isPostgres, untypedTables } from './engine.ts'
import type { Db } from './tables.ts'

/** Table with its sorted `columns`, so that both engines return the same order. `heavy` tables have BLOB columns. */
export type Shape = { table: string; columns: string[]; heavy: boolean }

/** Returns all tables except the migration tables. Referenced tables precede the tables that refer to them. */
export async function tablesOf(db: Db): Promise<Shape[]> {
  const { schema } = isPostgres(db)
    ? ((await sql<{ schema: string }>`select current_schema() as schema`.execute(db)).rows[0] ?? { schema: '' })
    : { schema: undefined }
  const found = await db.introspection.getTables()
  const shapes = found
    .filter((table) => !table.isView && table.schema === schema)
    .map(({ name, columns }) => ({
      table: name,
      columns: columns.map((column) => column.name).sort(),
      heavy: columns.some(({ dataType }) => /^(?:bytea|blob)$/i.test(dataType)),
    }))
    .sort((a, b) => (a.table < b.table ? -1 : 1))
  return sortParentsFirst(shapes, await readReferences(db))
}

function sortParentsFirst(shapes: Shape[], references: { child: string; parent: string }[]) {
  const sorted: Shape[] = []
  const visited = new Set<string>()
  const visit = (shape: Shape) => {
    if (visited.has(shape.table)) return
    visited.add(shape.table)
    for (const { child, parent } of references) {
      const before = child === shape.table && shapes.find(({ table }) => table === parent)
      if (before) visit(before)
    }
    sorted.push(shape)
  }
  shapes.forEach(visit)
  return sorted
}

async function readReferences(db: Db) {
  const { rows } = isPostgres(db)
    ? await sql<{ child: string; parent: string }>`
        select c.relname as child, p.relname as parent from pg_constraint r
        join pg_class c on c.oid = r.conrelid join pg_class p on p.oid = r.confrelid where r.contype = 'f'`.execute(db)
    : await sql<{ child: string; parent: string }>`
        select m.name as child, f."table" as parent from sqlite_master m
        join pragma_foreign_key_list(m.name) f where m.type = 'table'`.execute(db)
  return rows
}

// A cursor limits the number of rows in memory. Fewer `heavy` rows are read at once, because they contain images.
const ROWS_AT_ONCE = 500
const HEAVY_ROWS_AT_ONCE = 8

async function* linesOfTable(trx: Db, { table, columns, heavy }: Shape) {
  // Without the plugins, booleans are read as the stored values 0 and 1.
  const stored = trx.withoutPlugins()
  const query = untypedTables(stored).selectFrom(table).select(columns)
  const line = (row: Record<string, unknown>) => lineOf(columns.map((name) => row[name]))
  if (!isPostgres(trx)) {
    for await (const row of query.stream()) yield line(row)
    return
  }
  await sql`declare rows no scroll cursor for ${query}`.execute(stored)
  const fetch = sql<Record<string, unknown>>`fetch ${sql.lit(heavy ? HEAVY_ROWS_AT_ONCE : ROWS_AT_ONCE)} from rows`
  for (let batch = await fetch.execute(stored); batch.rows.length > 0; batch = await fetch.execute(stored)) {
    for (const row of batch.rows) yield line(row)
  }
  await sql`close rows`.execute(stored)
}

/** Checksum of a table. The digest depends neither on the row order nor on the engine. */
export type TableChecksum = { table: string; rows: number; digest: string }

export function lineOf(row: readonly unknown[]) {
  return JSON.stringify(row.map(toJsonCell))
}

function toJsonCell(cell: unknown) {
  if (cell === null || typeof cell === 'string' || Number.isFinite(cell)) return cell
  if (cell instanceof Uint8Array) return { base64: Buffer.from(cell).toString('base64') }
  throw new Error(`Unsupported backup value: got ${typeof cell}, expected text, number, bytes or null`)
}

export class RowChecksum {
  rows = 0
  #sum = 0n
  add(line: string) {
    this.rows += 1
    this.#sum += BigInt(`0x${createHash('sha256').update(line).digest('hex')}`)
  }
  get digest() {
    return BigInt.asUintN(256, this.#sum).toString(16).padStart(64, '0')
  }
}

/** Yields the lines of all tables, and adds the checksum of each table to `sums`. `trx` must be a transaction. */
export async function* readLines(trx: Db, sums: TableChecksum[]) {
  for (const shape of await tablesOf(trx)) {
    const { table, columns } = shape
    yield JSON.stringify({ table, columns })
    const sum = new RowChecksum()
    for await (const line of linesOfTable(trx, shape)) {
      sum.add(line)
      yield line
    }
    const { rows, digest } = sum
    yield JSON.stringify({ end: table, rows, digest })
    sums.push({ table, rows, digest })
  }
  yield JSON.stringify({ complete: sums.length })
}

export async function tableChecksums(trx: Db) {
  const sums: TableChecksum[] = []
  for await (const _ of readLines(trx, sums));
  return sums
}

export function onSnapshot<T>(db: Db, read: (trx: Db) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read)
}
