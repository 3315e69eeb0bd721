import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { RowChecksum, type TableChecksum } from './rows.ts'

// File format: a JSON header line, all rows as zstd-compressed JSON lines, and the SHA-256 of all bytes before it.

/** Header of a backup. `migrations` names the applied migrations. `site` is the name of the site, if it has a name. */
export type BackupHeader = z.infer<typeof Header>
const Header = z.object({
  noren: z.literal('backup'),
  format: z.number(),
  madeAt: z.string().refine((text) => Number.isFinite(Date.parse(text))),
  program: z.string(),
  site: z.string().optional(),
  migrations: z.array(z.string()).min(1),
})

type Cell = string | number | null | Uint8Array

export type Batch = { table: string; columns: string[]; rows: Cell[][] }

export type Progress = (doing: '書き出しています' | '確認しています' | '戻しています', done: string) => void

/** Error of a backup that cannot be made, read or restored. The message is Japanese, for the owner. */
export class InvalidBackup extends Error {}

export const FORMAT = 1
export const damagedMessage = 'この控えは壊れています。別の日の控えをお使いください。'
const MAX_HEADER_BYTES = 64 * 1024
const MAX_LINE_BYTES = 256 * 1024 * 1024
const MAX_BATCH_LENGTH = 2 * 1024 * 1024
const MAX_ROWS_IN_BATCH = 200

export async function writeBackup(file: string, header: BackupHeader, lines: AsyncIterable<string>) {
  const target = await createFileStream(file)
  await pipeline(
    Readable.from(chunkLines(lines)),
    createZstdCompress(),
    withSignature(`${JSON.stringify(header)}\n`),
    target,
  )
}

/**
 * Creates a file that only its owner can read, and returns a stream into it. Throws if the file exists. A stream that
 * opens its own file may create it after an error, when the caller has already removed it.
 */
export async function createFileStream(file: string) {
  return (await open(file, 'wx', 0o600)).createWriteStream({ flush: true })
}

const CHUNK_LENGTH = 64 * 1024

async function* chunkLines(lines: AsyncIterable<string>) {
  let chunk = ''
  for await (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < CHUNK_LENGTH) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  yield Buffer.from(chunk)
}

function withSignature(header: string) {
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

export function backupSignature(digest: string) {
  return Buffer.from(`\nsha256 ${digest}\n`)
}
const SIGNATURE_LENGTH = backupSignature('0'.repeat(64)).length
const NEW_LINE = 10

export type OpenedBackup = { file: string; size: number; header: BackupHeader; bodyAt: number }

/**
 * Opens a backup and verifies its checksum. Throws InvalidBackup or a system error. `progress` receives the share of
 * the file that has been read (0–1).
 */
export async function openBackup(file: string, progress: (share: number) => void = () => {}): Promise<OpenedBackup> {
  await using handle = await open(file)
  const { size, line } = await readFirstLine(handle)
  const bodyAt = line.length + 1
  if (size <= bodyAt + SIGNATURE_LENGTH) throw new InvalidBackup(damagedMessage)

  const hash = createHash('sha256')
  const signedBytes = createReadStream(file, { end: size - SIGNATURE_LENGTH - 1 })
  for await (const chunk of signedBytes) {
    hash.update(chunk)
    progress(signedBytes.bytesRead / size)
  }
  const last = Buffer.alloc(SIGNATURE_LENGTH)
  await handle.read(last, 0, SIGNATURE_LENGTH, size - SIGNATURE_LENGTH)
  if (!last.equals(backupSignature(hash.digest('hex')))) throw new InvalidBackup(damagedMessage)
  return { file, size, header: parseHeader(line.toString()), bodyAt }
}

/** Reads the header without verifying the checksum. Throws InvalidBackup or a system error. */
export async function readHeader(file: string) {
  await using handle = await open(file)
  const { size, line } = await readFirstLine(handle)
  return { size, header: parseHeader(line.toString()) }
}

async function readFirstLine(handle: FileHandle) {
  const { size } = await handle.stat()
  const first = Buffer.alloc(Math.min(size, MAX_HEADER_BYTES))
  await handle.read(first, 0, first.length, 0)
  const line = first.subarray(0, first.indexOf('\n') + 1 || first.length)
  if (line.at(-1) !== NEW_LINE || !line.includes('"noren":"backup"'))
    throw new InvalidBackup('このファイルは、のれんの控えではありません（または、初めの部分が壊れています）。')
  return { size, line: line.subarray(0, -1) }
}

function parseHeader(line: string): BackupHeader {
  const read = parse(line) as BackupHeader
  if (read.format !== FORMAT)
    throw new InvalidBackup(
      `この控えの形式（${String(read.format)}）を、このプログラムでは読めません。控えを作った版のプログラムをお使いください。`,
    )
  const { data: header } = Header.safeParse(read)
  if (!header) throw new InvalidBackup(damagedMessage)
  return header
}

/** Yields the rows and returns all checksums. Throws InvalidBackup if content is missing, surplus or wrong. */
export async function* readBackup(
  { file, size, bodyAt }: OpenedBackup,
  progress: (share: number) => void,
): AsyncGenerator<Batch, TableChecksum[]> {
  const source = createReadStream(file, { start: bodyAt, end: size - SIGNATURE_LENGTH - 1 })
  const decompressed = createZstdDecompress()
  source.once('error', (error) => decompressed.destroy(error))
  const sums: TableChecksum[] = []
  let current: (Batch & { sum: RowChecksum; weight: number }) | null = null
  let complete = false
  try {
    for await (const line of splitLines(source.pipe(decompressed))) {
      if (complete) throw new InvalidBackup(damagedMessage)
      const read = parse(line)
      if (Array.isArray(read)) {
        if (current === null || read.length !== current.columns.length) throw new InvalidBackup(damagedMessage)
        current.sum.add(line)
        current.rows.push(read.map(parseCell))
        current.weight += line.length
        if (current.rows.length < MAX_ROWS_IN_BATCH && current.weight < MAX_BATCH_LENGTH) continue
        yield current
        progress((bodyAt + source.bytesRead) / size)
        Object.assign(current, { rows: [], weight: 0 })
        continue
      }
      const { table, columns, end, rows, digest, complete: tables } = read as Record<string, unknown>
      if (typeof table === 'string' && current === null && isTextList(columns)) {
        current = { table, columns, rows: [], sum: new RowChecksum(), weight: 0 }
      } else if (
        current !== null &&
        end === current.table &&
        rows === current.sum.rows &&
        digest === current.sum.digest
      ) {
        if (current.rows.length > 0) yield current
        sums.push({ table: current.table, rows: current.sum.rows, digest: current.sum.digest })
        current = null
      } else if (current === null && tables === sums.length) {
        complete = true
      } else {
        throw new InvalidBackup(damagedMessage)
      }
    }
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException
    throw code.startsWith('ZSTD') || (code.startsWith('Z_') && !syscall) ? new InvalidBackup(damagedMessage) : error
  } finally {
    source.destroy()
    decompressed.destroy()
  }
  if (!complete) throw new InvalidBackup(damagedMessage)
  return sums
}

async function* splitLines(stream: AsyncIterable<Buffer>) {
  let pending: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    let from = 0
    for (let to = chunk.indexOf(NEW_LINE); to !== -1; to = chunk.indexOf(NEW_LINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, to)]).toString()
      pending = []
      length = 0
      from = to + 1
    }
    pending.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > MAX_LINE_BYTES) throw new InvalidBackup(damagedMessage)
  }
  if (length > 0) throw new InvalidBackup(damagedMessage)
}

function parse(line: string): unknown {
  try {
    const read: unknown = JSON.parse(line)
    if (typeof read === 'object' && read !== null) return read
  } catch {
    // Invalid JSON causes the error below.
  }
  throw new InvalidBackup(damagedMessage)
}

function parseCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const { base64 } = value as { base64?: unknown }
  if (typeof base64 !== 'string') throw new InvalidBackup(damagedMessage)
  return Buffer.from(base64, 'base64')
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
