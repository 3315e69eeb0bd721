import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { often } from '../scripts/abuse.ts'
import { makeBackup, restoreBackup } from './backup.ts'
import { backupSignature, InvalidBackup, readHeader } from './backup-file.ts'
import { untypedTables } from './engine.ts'
import { appliedMigrations, connect, migrate, migrationNames, openDatabase, type Place } from './open.ts'
import { lineOf, onSnapshot, RowChecksum, tableChecksums, tablesOf } from './rows.ts'
import { type Engine, emptyPostgresUrl, engines } from './testing.ts'
import { stepsOf } from './testing-writer.ts'

const now = Date.parse('2026-11-20T12:00:00+09:00')
const backupOptions = { program: '0.1.0', now }
const createFolder = () => mkdtempSync(join(tmpdir(), 'noren-backup-'))

/** Returns the location of a new empty database of this engine. */
async function emptyLocation(engine: Engine): Promise<Place> {
  return {
    url: engine === 'PostgreSQL' ? await emptyPostgresUrl() : undefined,
    file: join(createFolder(), 'new', 'site.db'),
  }
}

async function withDatabase<T>(place: Place, work: (db: Awaited<ReturnType<typeof connect>>) => Promise<T>) {
  const db = await connect(place)
  return work(db).finally(() => db.destroy())
}

const checksumsAt = (place: Place) => withDatabase(place, (db) => onSnapshot(db, tableChecksums))
const isEmpty = (place: Place) =>
  place.url
    ? withDatabase(place, async (db) => (await tablesOf(db)).length === 0)
    : Promise.resolve(!existsSync(place.file))

/** Creates a database with some rows, and a backup of the database. */
async function createBackup(engine: Engine = 'SQLite', { upTo }: { upTo?: string } = {}) {
  const place = await emptyLocation(engine)
  const file = join(createFolder(), 'backups', 'site.noren')
  const { sums } = await withDatabase(place, async (db) => {
    await migrate(db, upTo)
    await write(db, 60)
    return makeBackup(db, file, backupOptions)
  })
  return { place, file, sums }
}

async function write(db: Awaited<ReturnType<typeof connect>>, upTo: number) {
  for (let n = 1; n <= upTo; n += 1) {
    for (const { table, row } of stepsOf(n).filter(({ isDeleted }) => !isDeleted)) {
      await untypedTables(db)
        .insertInto(table)
        .values(row)
        .onConflict((already) => already.columns(keysOf(table, row)).doUpdateSet(row))
        .execute()
    }
  }
}

const keysOf = (table: string, row: object) => Object.keys(row).slice(0, table === 'onceKeys' ? 2 : 1)

/**
 * Computes, without a database, the checksums of the tables after the first `transactions` transactions of the writer.
 */
function sumsAfter(transactions: number) {
  const tables = new Map<string, Map<unknown, string>>()
  // A thousand transactions are enough, because the writer deletes or replaces each row within a thousand transactions.
  for (let n = Math.max(1, transactions - 1000); n <= transactions; n += 1) {
    for (const { table, row, isDeleted } of stepsOf(n)) {
      const rows = tables.get(table) ?? new Map()
      tables.set(table, rows)
      const whole: typeof row = table === 'accounts' ? { ...row, version: 1, deletedAt: null } : row
      const line = lineOf(
        Object.keys(whole)
          .sort()
          .map((name) => whole[name]),
      )
      if (isDeleted) rows.delete(Object.values(row)[0])
      else rows.set(Object.values(row)[0], line)
    }
  }
  return [...tables].map(([table, rows]) => {
    const sum = new RowChecksum()
    for (const line of rows.values()) sum.add(line)
    return { table, rows: sum.rows, digest: sum.digest }
  })
}

test.each(engines)(
  'restores one consistent state on both engines when another process writes during the backup of a %s database',
  async (engine) => {
    const place = await emptyLocation(engine)
    const writer = spawn(process.execPath, ['db/testing-writer.ts', place.url ?? '', place.file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(async () => {
      writer.kill('SIGKILL')
      await once(writer, 'close')
    })
    await once(writer.stdout, 'data')
    const written = (db: Awaited<ReturnType<typeof connect>>) =>
      db
        .selectFrom('marks')
        .select('at')
        .where('name', '=', 'written')
        .executeTakeFirstOrThrow()
        .then(({ at }) => Number(at))

    const db = await connect(place)
    for (let time = 1; time <= often(2, 10); time += 1) {
      const file = join(createFolder(), `${time}.noren`)
      const before = await written(db)
      await makeBackup(db, file, backupOptions)
      const after = await written(db)
      for (const target of engines) {
        const restored = await emptyLocation(target)
        await restoreBackup(file, restored)
        const mark = await withDatabase(restored, written)
        expect(mark).toBeGreaterThanOrEqual(before)
        expect(mark).toBeLessThan(after)
        expect(await checksumsAt(restored)).toEqual(expect.arrayContaining(sumsAfter(mark)))
      }
    }
    await db.destroy()
  },
)

test('preserves all rows when a backup is restored from SQLite to PostgreSQL and back', async () => {
  const { file, sums } = await createBackup('SQLite')
  const [postgres, sqlite] = [await emptyLocation('PostgreSQL'), await emptyLocation('SQLite')]
  await restoreBackup(file, postgres)
  const again = join(createFolder(), 'again.noren')
  await withDatabase(postgres, (db) => makeBackup(db, again, backupOptions))
  await restoreBackup(again, sqlite)
  expect(await checksumsAt(postgres)).toEqual(sums)
  expect(await checksumsAt(sqlite)).toEqual(sums)
})

test('refuses a restore when leftover files of another database are present', async () => {
  const { file } = await createBackup()
  const place = await emptyLocation('SQLite')
  mkdirSync(dirname(place.file))
  for (const left of ['-wal', '-shm', '-journal'].map((end) => `${place.file}${end}`)) {
    writeFileSync(left, 'left')
    await expect(restoreBackup(file, place), left).rejects.toThrow('空の場所にだけ')
    expect(readFileSync(left, 'utf8')).toBe('left')
    rmSync(left)
  }
})

test('creates a private backup file with a header and no other files', async () => {
  const { file } = await createBackup()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(file, '..'))).toEqual(['site.noren'])
  const [header = ''] = readFileSync(file, 'latin1').split('\n')
  expect(JSON.parse(header)).toEqual({
    noren: 'backup',
    format: 1,
    madeAt: '2026-11-20T03:00:00.000Z',
    program: '0.1.0',
    migrations: migrationNames,
  })
})

test('reads the site name from the header of a backup', async () => {
  const place = await emptyLocation('SQLite')
  const file = join(createFolder(), 'a.noren')
  await withDatabase(place, async (db) => {
    await migrate(db)
    await db.insertInto('identity').values({ id: 'site', name: 'example.jp' }).execute()
    await makeBackup(db, file, backupOptions)
  })
  expect(await readHeader(file)).toMatchObject({ size: statSync(file).size, header: { site: 'example.jp' } })
  expect((await readHeader((await createBackup()).file)).header.site).toBeUndefined()
  for (const other of ['', 'a', '\n', '{"noren":"backup"}', '{"noren":"export"}\n'.repeat(9000)]) {
    writeFileSync(file, other)
    await expect(readHeader(file), other.slice(0, 30)).rejects.toThrow(InvalidBackup)
  }
})

test('leaves no file if the backup fails', async () => {
  const place = await emptyLocation('SQLite')
  const folder = createFolder()
  await withDatabase(place, async (db) => {
    await expect(makeBackup(db, join(folder, 'a.noren'), backupOptions)).rejects.toThrow('データベースが空です')
    await migrate(db)
    await untypedTables(db).schema.createTable('stranger').addColumn('id', 'text').execute()
    await expect(makeBackup(db, join(folder, 'a.noren'), backupOptions)).rejects.toThrow(InvalidBackup)
  })
  expect(readdirSync(folder)).toEqual([])
})

describe.each(engines)('on %s', (engine) => {
  test('restores a backup of an older version and migrates it to the current version', async () => {
    const { file, sums } = await createBackup(engine, { upTo: '0004-members' })
    const place = await emptyLocation(engine)
    await restoreBackup(file, place)
    const restored = await withDatabase(place, async (db) => {
      expect(await appliedMigrations(db)).toEqual(migrationNames)
      return onSnapshot(db, tableChecksums)
    })
    for (const sum of sums.filter(({ rows }) => rows > 0)) {
      // A later migration adds columns to this table.
      const isWider = sum.table === 'accounts'
      expect(restored).toContainEqual(isWider ? { ...sum, digest: expect.any(String) } : sum)
    }
  })

  test('refuses a restore over an existing site and leaves the site unchanged', async () => {
    const { file, place, sums } = await createBackup(engine)
    await withDatabase(place, (db) => db.updateTable('marks').set({ at: 'later' }).execute())
    const before = await checksumsAt(place)
    expect(before).not.toEqual(sums)
    await expect(restoreBackup(file, place)).rejects.toThrow('空の場所にだけ')
    expect(await checksumsAt(place)).toEqual(before)
  })

  test('leaves the target empty when the database rejects a row', async () => {
    const { file } = await createBackup(engine)
    rewrite(file, (lines) => {
      const position = lines.findIndex((line) => line.startsWith('{"table":"marks"'))
      const sum = new RowChecksum()
      for (const line of [lines[position + 1], lines[position + 1]]) sum.add(line ?? '')
      const end = JSON.stringify({ end: 'marks', rows: sum.rows, digest: sum.digest })
      return lines.toSpliced(position + 2, 1, lines[position + 1] ?? '', end)
    })
    const empty = await emptyLocation(engine)
    await expect(restoreBackup(file, empty)).rejects.toThrow(/unique/i)
    expect(await isEmpty(empty)).toBe(true)
  })

  test('leaves the target empty when a restored row differs from the backup', async () => {
    const { file } = await createBackup(engine)
    rewrite(file, (lines) => {
      const position = lines.findIndex((line) => line.startsWith('{"table":"attempts"'))
      const line = (lines[position + 1] ?? '').replace(/\d+/, '"$&"')
      const sum = new RowChecksum()
      sum.add(line)
      const end = JSON.stringify({ end: 'attempts', rows: sum.rows, digest: sum.digest })
      return lines.toSpliced(position + 1, 2, line, end)
    })
    const empty = await emptyLocation(engine)
    await expect(restoreBackup(file, empty)).rejects.toThrow('came back changed')
    expect(await isEmpty(empty)).toBe(true)
  })

  test('migrates nothing when the backup before the migration fails', async () => {
    const { place } = await createBackup(engine, { upTo: '0004-members' })
    const next = migrationNames[4] ?? ''
    const seen: string[] = []
    const noSpace = async (_: unknown, name: string) => {
      seen.push(name)
      throw new Error('no space left')
    }
    await expect(openDatabase({ ...place, beforeMigrating: noSpace })).rejects.toThrow('no space left')
    expect(await withDatabase(place, appliedMigrations)).toEqual(migrationNames.slice(0, 4))
    const migrated = await openDatabase({ ...place, beforeMigrating: async (_, name) => void seen.push(name) })
    await migrated.destroy()
    await (await openDatabase({ ...place, beforeMigrating: noSpace })).destroy()
    await (await openDatabase({ ...(await emptyLocation(engine)), beforeMigrating: noSpace })).destroy()
    expect(seen).toEqual([next, next])
  })

  test('leaves a database of a newer program version unchanged', async () => {
    const { place, sums } = await createBackup(engine)
    const newer = { name: '9999-newer', timestamp: new Date(now).toISOString() }
    await withDatabase(place, (db) => untypedTables(db).insertInto('kysely_migration').values(newer).execute())
    const backups: string[] = []
    const beforeMigrating = async (_: unknown, next: string) => void backups.push(next)
    await expect(openDatabase({ ...place, beforeMigrating })).rejects.toThrow('新しい版のものです（9999-newer）')
    expect([backups, await checksumsAt(place)]).toEqual([[], sums])
  })
})

/** Changes the lines of a backup and recomputes the checksum. */
function rewrite(file: string, change: (lines: string[]) => string[], changeHeader = (line: string) => line) {
  const bytes = readFileSync(file)
  const bodyAt = bytes.indexOf('\n') + 1
  const body = zstdDecompressSync(bytes.subarray(bodyAt, bytes.length - backupSignature('0'.repeat(64)).length))
  const lines = change(body.toString().split('\n').slice(0, -1))
  const header = changeHeader(bytes.subarray(0, bodyAt - 1).toString())
  const written = Buffer.concat([
    Buffer.from(`${header}\n`),
    zstdCompressSync(Buffer.from(lines.map((line) => `${line}\n`).join(''))),
  ])
  writeFileSync(file, Buffer.concat([written, backupSignature(createHash('sha256').update(written).digest('hex'))]))
}

describe('a damaged or foreign file', () => {
  let whole: string
  let bytes: Buffer
  beforeAll(async () => {
    whole = (await createBackup()).file
    bytes = readFileSync(whole)
  })

  async function expectRejection(damaged: Buffer | string, what: string) {
    const file = typeof damaged === 'string' ? damaged : join(createFolder(), 'damaged.noren')
    if (typeof damaged !== 'string') writeFileSync(file, damaged)
    const folder = createFolder()
    await expect(restoreBackup(file, { file: join(folder, 'new', 'site.db') }), what).rejects.toThrow(InvalidBackup)
    expect(readdirSync(folder), what).toEqual([])
  }

  test('is rejected when the file is truncated, at 70 different lengths', async () => {
    for (let time = 0; time < 70; time += 1) {
      const length = time < 10 ? bytes.length - time - 1 : Math.floor((bytes.length * (time - 10)) / 60)
      await expectRejection(bytes.subarray(0, length), `cut to ${length}`)
    }
  })

  test('is rejected when one bit is flipped, at 100 different positions', async () => {
    for (let time = 0; time < 100; time += 1) {
      const flipped = Buffer.from(bytes)
      // Covers every bit of the header and the checksum, and a sample of all other bits.
      const position = time < 20 ? time : time < 40 ? bytes.length - 1 - (time - 20) * 4 : (time * 7919) % bytes.length
      flipped[position] = (flipped[position] ?? 0) ^ (1 << (time % 8))
      await expectRejection(flipped, `bit ${time % 8} of byte ${position}`)
    }
  })

  const replaceInHeader = (from: RegExp | string, to: string) => (line: string) => line.replace(from, to)
  const replaceInLine = (from: RegExp, to: string) => (lines: string[]) => {
    const position = lines.findIndex((line) => from.test(line))
    return lines.with(position, lines[position]?.replace(from, to) ?? '')
  }
  const unchanged = (lines: string[]) => lines
  const withoutLines = (from: RegExp) => (lines: string[]) => lines.filter((line) => !from.test(line))
  const marks = /^\{"table":"marks"/
  const known = JSON.stringify(migrationNames)
  const forgedBackups: [string, (lines: string[]) => string[], ((line: string) => string)?][] = [
    ['a later format', unchanged, replaceInHeader('"format":1', '"format":2')],
    ['an earlier format', unchanged, replaceInHeader('"format":1', '"format":0')],
    ['a format in words', unchanged, replaceInHeader('"format":1', '"format":"1"')],
    ['no format', unchanged, replaceInHeader('"format":1,', '')],
    ['no migrations', unchanged, replaceInHeader(known, '[]')],
    ['migrations that are no list', unchanged, replaceInHeader(known, '"all"')],
    ['migrations that are no names', unchanged, replaceInHeader(known, '[1,2]')],
    ['a newer migration', unchanged, replaceInHeader(/\]\}$/, ',"9999-newer"]}')],
    ['another migration', unchanged, replaceInHeader('0002-calendar', '0002-diary')],
    ['a migration left out', unchanged, replaceInHeader('"0002-calendar",', '')],
    [
      'migrations out of order',
      unchanged,
      replaceInHeader('"0001-content","0002-calendar"', '"0002-calendar","0001-content"'),
    ],
    ['older migrations than its rows', unchanged, replaceInHeader(/,"0013[^\]]*\]\}$/, ']}')],
    ['no time', unchanged, replaceInHeader(/"madeAt":"[^"]*"/, '"madeAt":"yesterday"')],
    ['no program', unchanged, replaceInHeader('"program":"0.1.0",', '')],
    ['another kind of file', unchanged, replaceInHeader('"noren":"backup"', '"noren":"export"')],
    ['a header that is no JSON', unchanged, replaceInHeader('{', '[')],
    ['no rows at all', () => []],
    ['no end', (lines) => lines.slice(0, -1)],
    ['something after the end', (lines) => [...lines, '{"table":"more","columns":[]}']],
    ['a second end', (lines) => [...lines, lines.at(-1) ?? '']],
    ['a wrong count of tables', (lines) => lines.with(-1, '{"complete":1}')],
    [
      'a row too few',
      (lines) =>
        lines.toSpliced(
          lines.findIndex((line) => line.startsWith('["')),
          1,
        ),
    ],
    [
      'a row twice',
      (lines) => {
        const position = lines.findIndex((line) => line.startsWith('["'))
        return lines.toSpliced(position, 0, lines[position] ?? '')
      },
    ],
    ['a changed row', replaceInLine(/1番目/, '2番目')],
    ['a row with a value too many', replaceInLine(/^\["/, '["","')],
    ['a value that is a list', replaceInLine(/^\["[^"]*"/, '[[]')],
    ['a table without its end', withoutLines(/^\{"end":"marks"/)],
    [
      'a table left out',
      (lines) => {
        const from = lines.findIndex((line) => marks.test(line))
        const to = lines.findIndex((line) => /^\{"end":"marks"/.test(line))
        return lines
          .toSpliced(from, to - from + 1)
          .with(-1, `{"complete":${JSON.parse(lines.at(-1) ?? '').complete - 1}}`)
      },
    ],
    ['a table that the site does not have', (lines) => lines.map((line) => line.replaceAll('"marks"', '"stranger"'))],
    ['columns that the table does not have', replaceInLine(/"columns":\["at","name"\]/, '"columns":["at","nickname"]')],
  ]

  test.each(forgedBackups)(
    'is rejected because of %s, although its checksum is valid',
    async (what, change, changeHeader) => {
      const file = join(createFolder(), 'forged.noren')
      writeFileSync(file, bytes)
      rewrite(file, change, changeHeader)
      expect(readFileSync(file).equals(bytes)).toBe(false)
      await expectRejection(file, what)
    },
  )

  test('is restored when its content is intact and only its checksum was recomputed', async () => {
    const file = join(createFolder(), 'same.noren')
    writeFileSync(file, bytes)
    rewrite(file, unchanged)
    await restoreBackup(file, await emptyLocation('SQLite'))
  })

  test('is rejected because of truncated or uncompressed rows, although its checksum is valid', async () => {
    const bodyAt = bytes.indexOf('\n') + 1
    const end = bytes.length - backupSignature('0'.repeat(64)).length
    const bodies = {
      cut: bytes.subarray(bodyAt, end - 20),
      empty: Buffer.alloc(0),
      unpacked: zstdDecompressSync(bytes.subarray(bodyAt, end)),
      flipped: Buffer.from(bytes.subarray(bodyAt, end)).fill(0xa5, 100, 120),
    }
    for (const [what, body] of Object.entries(bodies)) {
      const written = Buffer.concat([bytes.subarray(0, bodyAt), body])
      const sealed = backupSignature(createHash('sha256').update(written).digest('hex'))
      await expectRejection(Buffer.concat([written, sealed]), what)
    }
  })

  test('leaves a PostgreSQL database empty', async () => {
    const place = await emptyLocation('PostgreSQL')
    const file = join(createFolder(), 'cut.noren')
    writeFileSync(file, bytes.subarray(0, -1))
    await expect(restoreBackup(file, place)).rejects.toThrow(InvalidBackup)
    expect(await isEmpty(place)).toBe(true)
  })
})
