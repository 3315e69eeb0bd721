import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type BackupHeader,
  type Batch,
  FORMAT,
  InvalidBackup,
  type OpenedBackup,
  openBackup,
  type Progress,
  readBackup,
  writeBackup,
} from './backup-file.ts'
import { untypedTables } from './engine.ts'
import { flushFolder } from './flush-folder.ts'
import { appliedMigrations, connect, migrate, migrationNames, type Place } from './open.ts'
import { onSnapshot, readLines, type TableChecksum, tableChecksums, tablesOf } from './rows.ts'
import type { Db } from './tables.ts'

type BackupOptions = { program: string; now: number; progress?: Progress }

/** Makes a backup and tests its restore. If a step fails, throws and leaves no file. */
export async function makeBackup(db: Db, file: string, { program, now, progress = () => {} }: BackupOptions) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.${randomUUID()}.part`
  const trialFile = `${part}.db`
  try {
    const sums = await onSnapshot(db, (trx) => write(trx, part, { program, now, progress }))
    await restoreBackup(part, { file: trialFile }, progress)
    await rename(part, file)
    await flushFolder(dirname(file))
    return { rows: sums.reduce((all, { rows }) => all + rows, 0), sums }
  } finally {
    for (const left of [part, trialFile, `${trialFile}-wal`, `${trialFile}-shm`]) await rm(left, { force: true })
  }
}

async function write(trx: Db, file: string, { program, now, progress }: Required<BackupOptions>) {
  const migrations = await appliedMigrations(trx)
  if (migrations.length === 0) throw new InvalidBackup('データベースが空です。控えを作るデータがありません。')
  const madeAt = new Date(now).toISOString()
  const identity = migrations.includes('0015-identity')
    ? await trx.selectFrom('identity').select('name').executeTakeFirst()
    : undefined
  const header: BackupHeader = { noren: 'backup', format: FORMAT, madeAt, program, site: identity?.name, migrations }
  const sums: TableChecksum[] = []
  await writeBackup(file, header, reportRows(readLines(trx, sums), progress))
  return sums
}

async function* reportRows(lines: AsyncIterable<string>, progress: Progress) {
  let rows = 0
  for await (const line of lines) {
    yield line
    if (line.startsWith('[')) rows += 1
    if (rows % 100 === 0 && rows > 0) progress('書き出しています', `${rows.toLocaleString('ja')}件`)
  }
}

const notEmptyMessage =
  '戻す先に、すでにデータがあります。控えは空の場所にだけ戻せます。データの置き場所（PostgreSQLならデータベース）を新しくしてください。'

/** Restores a backup into an empty location, completely or not at all, and migrates the database. */
export async function restoreBackup(file: string, place: Place, progress: Progress = () => {}) {
  const { backup, sums } = await checkBackup(file, progress)
  const existingFiles = place.url ? [] : databaseFiles(place).filter((path) => existsSync(path))
  // SQLite would apply leftover -wal or -journal files of another database to the new one.
  if (existingFiles.length > 0 && !existsSync(place.file)) throw new InvalidBackup(notEmptyMessage)
  const db = await connect(place)
  try {
    if ((await appliedMigrations(db)).length > 0 || (await tablesOf(db)).length > 0)
      throw new InvalidBackup(notEmptyMessage)
    await db.transaction().execute(async (trx) => {
      await migrate(trx, backup.header.migrations.at(-1))
      // Migrations may have inserted rows that the backup does not contain.
      for (const { table } of (await tablesOf(trx)).reverse()) await untypedTables(trx).deleteFrom(table).execute()
      for await (const batch of readBackup(backup, reportPercent(progress, '戻しています'))) await insert(trx, batch)
      // Reads the rows back, because the database may store other values than it received.
      if (!isDeepStrictEqual(new Set(await tableChecksums(trx)), new Set(sums)))
        throw new Error('The rows came back changed')
      await migrate(trx)
    })
  } catch (error) {
    await db.destroy()
    if (!place.url && existingFiles.length === 0)
      for (const path of databaseFiles(place)) await rm(path, { force: true })
    throw error
  }
  await db.destroy()
  return { madeAt: backup.header.madeAt, rows: sums.reduce((all, { rows }) => all + rows, 0), sums }
}

/** Verifies a backup. Throws InvalidBackup if the file is damaged or this program cannot restore it. */
export async function checkBackup(file: string, progress: Progress = () => {}) {
  const report = reportPercent(progress, '確認しています')
  const backup = await openBackup(file, (share) => report(share / 2))
  const expected = await expectedTables(backup)
  const batches = readBackup(backup, (share) => report((1 + share) / 2))
  let read = await batches.next()
  while (!read.done) {
    const { table, columns } = read.value
    if (expected.get(table) !== columns.join()) throw new InvalidBackup(unknownTablesMessage)
    read = await batches.next()
  }
  const missing = read.value.length !== expected.size || read.value.some(({ table }) => !expected.has(table))
  if (missing) throw new InvalidBackup(unknownTablesMessage)
  return { backup, sums: read.value }
}

const unknownTablesMessage = 'この控えの中身は、その版のサイトのものではありません。別の日の控えをお使いください。'

async function expectedTables({ header: { migrations } }: OpenedBackup) {
  if (migrations.some((name, place) => name !== migrationNames[place]))
    throw new InvalidBackup(
      'この控えは、このプログラムより新しい版のサイトのものです。プログラムを更新してから、もう一度お試しください。',
    )
  const empty = await connect({ file: ':memory:' })
  await migrate(empty, migrations.at(-1))
  const shapes = await tablesOf(empty)
  await empty.destroy()
  return new Map(shapes.map(({ table, columns }) => [table, columns.join()]))
}

// SQLite allows 32,766 values in a statement, PostgreSQL 65,535.
const MAX_VALUES = 30_000

async function insert(trx: Db, { table, columns, rows }: Batch) {
  const rowsPerInsert = Math.floor(MAX_VALUES / columns.length)
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const batch = rows.slice(from, from + rowsPerInsert)
    const values = batch.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place]])))
    await untypedTables(trx).insertInto(table).values(values).execute()
  }
}

function databaseFiles({ file }: Place) {
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]
}

function reportPercent(progress: Progress, doing: Parameters<Progress>[0]) {
  return (share: number) => progress(doing, `${Math.floor(share * 100)}%`)
}
