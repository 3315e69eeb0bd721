import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { RowChecksum, type TableChecksum } from './rows.ts'

// File format: a JSON header line, all rows as zstd-compressed JSON lines, and the SHA-256 of all bytes before it.

/** Header: `migrations` are those applied to the database, `site` is the site's identity if the database has one. */
export type BackupHeader = {
  noren: 'backup'
  format: number
  madeAt: string
  program: string
  site?: string | undefined
  migrations: string[]
}

type Cell = string | number | null | Uint8Array

export type Batch = { table: string; columns: string[]; rows: Cell[][] }

export type Progress = (doing: '書き出しています' | '確かめています' | '戻しています', done: string) => void

/** Thrown if a backup cannot be made, read or restored. The message is Japanese, for the owner. */
export class InvalidBackup extends Error {}

export const FORMAT = 1
const damaged = 'この控えは壊れています。別の日の控えをお使いください。'
const LONGEST_HEADER = 64 * 1024
const LONGEST_LINE = 256 * 1024 * 1024
const MAX_IN_BATCH = 2 * 1024 * 1024
const MAX_ROWS_IN_BATCH = 200

/** Writes a new file of lines, flushed to the disk. */
export function writeBackup(file: string, header: BackupHeader, lines: AsyncIterable<string>) {
  return pipeline(
    Readable.from(inPieces(lines)),
    createZstdCompress(),
    sealed(`${JSON.stringify(header)}\n`),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  )
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
    yield backupSignature(hash.digest('hex'))
  }
}

/** Returns the last line of a backup, from the SHA-256 of all other bytes. */
export function backupSignature(digest: string) {
  return Buffer.from(`\nsha256 ${digest}\n`)
}
const SEAL_LENGTH = backupSignature('0'.repeat(64)).length
const NEW_LINE = 10

export type OpenedBackup = { file: string; size: number; header: BackupHeader; bodyAt: number }

/** Verifies checksum and format. Throws InvalidBackup or a system error. `progress` receives the share read (0–1). */
export async function openBackup(file: string, progress: (share: number) => void = () => {}): Promise<OpenedBackup> {
  await using handle = await open(file)
  const { size, line } = await firstLine(handle)
  const bodyAt = line.length + 1
  if (size <= bodyAt + SEAL_LENGTH) throw new InvalidBackup(damaged)

  const hash = createHash('sha256')
  const sealed = createReadStream(file, { end: size - SEAL_LENGTH - 1 })
  for await (const chunk of sealed) {
    hash.update(chunk)
    progress(sealed.bytesRead / size)
  }
  const last = Buffer.alloc(SEAL_LENGTH)
  await handle.read(last, 0, SEAL_LENGTH, size - SEAL_LENGTH)
  if (!last.equals(backupSignature(hash.digest('hex')))) throw new InvalidBackup(damaged)
  return { file, size, header: parseHeader(line.toString()), bodyAt }
}

/** Returns the header and size of a backup without verifying its checksum. Throws like `openBackup`. */
export async function readHeader(file: string) {
  await using handle = await open(file)
  const { size, line } = await firstLine(handle)
  return { size, header: parseHeader(line.toString()) }
}

async function firstLine(handle: FileHandle) {
  const { size } = await handle.stat()
  const first = Buffer.alloc(Math.min(size, LONGEST_HEADER))
  await handle.read(first, 0, first.length, 0)
  const line = first.subarray(0, first.indexOf('\n') + 1 || first.length)
  if (line.at(-1) !== NEW_LINE || !line.includes('"noren":"backup"'))
    throw new InvalidBackup('このファイルは、のれんの控えではありません（または、初めの部分が壊れています）。')
  return { size, line: line.subarray(0, -1) }
}

function parseHeader(line: string): BackupHeader {
  const header = parse(line) as BackupHeader
  if (header.format !== FORMAT)
    throw new InvalidBackup(
      `この控えの形式（${String(header.format)}）を、このプログラムは読めません。控えを作った版のプログラムをお使いください。`,
    )
  const { migrations, madeAt, program } = header
  const whole =
    isTextList(migrations) &&
    migrations.length > 0 &&
    typeof program === 'string' &&
    Number.isFinite(Date.parse(madeAt))
  if (!whole) throw new InvalidBackup(damaged)
  return header
}

/** Yields rows in batches and returns all checksums. Throws InvalidBackup if content is missing, surplus or wrong. */
export async function* readBackup(
  { file, size, bodyAt }: OpenedBackup,
  progress: (share: number) => void,
): AsyncGenerator<Batch, TableChecksum[]> {
  const source = createReadStream(file, { start: bodyAt, end: size - SEAL_LENGTH - 1 })
  const unpacked = createZstdDecompress()
  source.once('error', (error) => unpacked.destroy(error))
  const sums: TableChecksum[] = []
  let now: (Batch & { sum: RowChecksum; weight: number }) | null = null
  let complete = false
  try {
    for await (const line of linesIn(source.pipe(unpacked))) {
      if (complete) throw new InvalidBackup(damaged)
      const read = parse(line)
      if (Array.isArray(read)) {
        if (now === null || read.length !== now.columns.length) throw new InvalidBackup(damaged)
        now.sum.add(line)
        now.rows.push(read.map(asCell))
        now.weight += line.length
        if (now.rows.length < MAX_ROWS_IN_BATCH && now.weight < MAX_IN_BATCH) continue
        yield now
        progress((bodyAt + source.bytesRead) / size)
        Object.assign(now, { rows: [], weight: 0 })
        continue
      }
      const { table, columns, end, rows, digest, complete: tables } = read as Record<string, unknown>
      if (typeof table === 'string' && now === null && isTextList(columns)) {
        now = { table, columns, rows: [], sum: new RowChecksum(), weight: 0 }
      } else if (now !== null && end === now.table && rows === now.sum.rows && digest === now.sum.digest) {
        if (now.rows.length > 0) yield now
        sums.push({ table: now.table, rows: now.sum.rows, digest: now.sum.digest })
        now = null
      } else if (now === null && tables === sums.length) {
        complete = true
      } else {
        throw new InvalidBackup(damaged)
      }
    }
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException
    throw code.startsWith('ZSTD') || (code.startsWith('Z_') && !syscall) ? new InvalidBackup(damaged) : error
  } finally {
    source.destroy()
    unpacked.destroy()
  }
  if (!complete) throw new InvalidBackup(damaged)
  return sums
}

async function* linesIn(stream: AsyncIterable<Buffer>) {
  let begun: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    let from = 0
    for (let to = chunk.indexOf(NEW_LINE); to !== -1; to = chunk.indexOf(NEW_LINE, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, to)]).toString()
      begun = []
      length = 0
      from = to + 1
    }
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LONGEST_LINE) throw new InvalidBackup(damaged)
  }
  if (length > 0) throw new InvalidBackup(damaged)
}

function parse(line: string): unknown {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read === 'object' && read !== null) return read
  } catch {
    // Falls through to the error below.
  }
  throw new InvalidBackup(damaged)
}

function asCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const { base64 } = value as { base64?: unknown }
  if (typeof base64 !== 'string') throw new InvalidBackup(damaged)
  return Buffer.from(base64, 'base64')
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
