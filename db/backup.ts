import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import type { Kysely } from 'kysely'
import { type BackupHeader, BackupRefused, FORMAT, type Progress, RowSum, seal, type TableSum } from './backup-file.ts'
import { flushFolder } from './flush-folder.ts'
import { appliedMigrations } from './open.ts'
import { restoreBackup } from './restore.ts'
import { atOneInstant, linesOfTable, tablesOf } from './rows.ts'
import type { Tables } from './tables.ts'

type Making = { program: string; now: number; progress?: Progress }

/** Writes a snapshot of all tables to `file` after a trial restore. If a step fails, throws and leaves no file. */
export async function makeBackup(db: Kysely<Tables>, file: string, { program, now, progress = () => {} }: Making) {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const part = `${file}.${randomUUID()}.part`
  const trial = `${part}.db`
  try {
    const sums = await atOneInstant(db, (trx) => write(trx, part, { program, now, progress }))
    await restoreBackup(part, { file: trial }, progress)
    await rename(part, file)
    await flushFolder(dirname(file))
    return { rows: sums.reduce((all, { rows }) => all + rows, 0), sums }
  } finally {
    for (const left of [part, trial, `${trial}-wal`, `${trial}-shm`]) await rm(left, { force: true })
  }
}

async function write(trx: Kysely<Tables>, part: string, { program, now, progress }: Required<Making>) {
  const migrations = await appliedMigrations(trx)
  if (migrations.length === 0) throw new BackupRefused('データベースが空です。控えるものがありません。')
  const madeAt = new Date(now).toISOString()
  const identity = migrations.includes('0015-identity')
    ? await trx.selectFrom('identity').select('name').executeTakeFirst()
    : undefined
  const header: BackupHeader = { noren: 'backup', format: FORMAT, madeAt, program, site: identity?.name, migrations }
  const sums: TableSum[] = []
  await pipeline(
    Readable.from(inPieces(linesOf(trx, sums, progress))),
    createZstdCompress(),
    sealed(`${JSON.stringify(header)}\n`),
    createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return sums
}

async function* linesOf(trx: Kysely<Tables>, sums: TableSum[], progress: Progress) {
  let all = 0
  for (const shape of await tablesOf(trx)) {
    const { table, columns } = shape
    yield JSON.stringify({ table, columns })
    const sum = new RowSum()
    for await (const line of linesOfTable(trx, shape)) {
      sum.add(line)
      yield line
      all += 1
      if (all % 100 === 0) progress('書き出しています', `${all.toLocaleString('ja')}件`)
    }
    const { rows, digest } = sum
    yield JSON.stringify({ end: table, rows, digest })
    sums.push({ table, rows, digest })
  }
  yield JSON.stringify({ complete: sums.length })
}

const PIECE = 64 * 1024

async function* inPieces(lines: AsyncIterable<string>) {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}

function sealed(header: string) {
  return async function* (body: AsyncIterable<Buffer>) {
    const hash = createHash('sha256').update(header)
    yield Buffer.from(header)
    for await (const chunk of body) {
      hash.update(chunk)
      yield chunk
    }
    yield seal(hash.digest('hex'))
  }
}
