import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from './random.ts'

// A sector is written completely or not at all.
const SECTOR = 512

type Write = { at: number; bytes: Buffer } | { length: number }
/** File with its flushed content and the writes since its last flush. */
type File = { flushed: Buffer; length: number; pending: Write[] }
type NameChange = { path: string; file: File | null }
/** Files under a folder by path and by inode number. */
export type Image = { names: Map<string, File>; numbers: Map<number, File> }

/** Reads the files under a folder and treats all of them as flushed. */
export function imageOf(folder: string): Image {
  const image: Image = { names: new Map(), numbers: new Map() }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const flushed = readFileSync(path)
    const file = { flushed, length: flushed.length, pending: [] }
    image.names.set(path, file)
    image.numbers.set(statSync(path).ino, file)
  }
  return image
}

type PowerCut = { before: Image; notes: Buffer; random: Random }

/**
 * Rewrites a folder as a power cut may leave it, from an earlier image and the log since then. Flushed content stays.
 * Chance decides about the other writes: none, all, all up to a moment, or some sectors survive. Names that were
 * flushed stay. Later changes of names survive up to a random change. Returns the number of dropped writes.
 */
export function cutPower(folder: string, { before, notes, random }: PowerCut) {
  const { survivingNames, pendingNames, files } = replay(before, notes)
  const survivors = pendingNames.slice(0, random.between(0, pendingNames.length))
  for (const { path, file } of survivors) applyName(survivingNames, path, file)
  let droppedWrites = 0
  for (const file of files) droppedWrites += resolvePending(file, random)
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true })
  for (const [path, { flushed, length }] of survivingNames) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, flushed.subarray(0, length), { mode: 0o600 })
  }
  return droppedWrites
}

const HEAD_BYTES = 32

function* notesIn(bytes: Buffer) {
  for (let from = 0; from + HEAD_BYTES <= bytes.length; ) {
    const readField = (place: number) => Number(bytes.readBigInt64LE(from + 8 * place))
    const end = from + HEAD_BYTES + readField(3)
    // The last entry of a killed process may be incomplete.
    if (end > bytes.length) return
    yield {
      what: String.fromCharCode(readField(0)),
      number: readField(1),
      at: readField(2),
      bytes: bytes.subarray(from + HEAD_BYTES, end),
    }
    from = end
  }
}

function replay({ names, numbers }: Image, notes: Buffer) {
  const survivingNames = new Map(names)
  const currentNames = new Map(names)
  const filesByNumber = new Map(numbers)
  const files = new Set(names.values())
  const pendingNames: NameChange[] = []
  // The change of a name is certain only after its file or folder has been flushed.
  const setName = (path: string, file: File | null) => {
    applyName(currentNames, path, file)
    pendingNames.push({ path, file })
  }
  // The file system journals changes of names in order, so a flush of one change also flushes all earlier changes.
  const flushNames = (isRequested: (change: NameChange) => boolean) => {
    const count = pendingNames.findLastIndex(isRequested) + 1
    for (const { path, file } of pendingNames.splice(0, count)) applyName(survivingNames, path, file)
  }
  for (const { what, number, at, bytes } of notesIn(notes)) {
    const [path = '', newPath = ''] = 'NULRD'.includes(what) ? bytes.toString().split('\n') : []
    const file = filesByNumber.get(number)
    if (what === 'N') {
      const newFile = { flushed: Buffer.alloc(0), length: 0, pending: [] }
      files.add(newFile)
      filesByNumber.set(number, newFile)
      setName(path, newFile)
    } else if (what === 'U') setName(path, null)
    else if (what === 'L') setName(newPath, currentNames.get(path) ?? null)
    else if (what === 'R') {
      const moved = currentNames.get(path) ?? null
      setName(newPath, moved)
      setName(path, null)
    } else if (what === 'D') flushNames((change) => dirname(change.path) === path)
    else if (what === 'W') file?.pending.push({ at, bytes })
    else if (what === 'T') file?.pending.push({ length: at })
    else if (what === 'S' && file) {
      for (const write of file.pending) apply(file, write)
      file.pending = []
      flushNames((change) => change.file === file)
    }
  }
  return { survivingNames, pendingNames, files }
}

function applyName(names: Map<string, File>, path: string, file: File | null) {
  if (file) names.set(path, file)
  else names.delete(path)
}

function apply(file: File, write: Write) {
  if ('length' in write) {
    grow(file, write.length)
    file.flushed.fill(0, write.length, file.length)
    file.length = write.length
    return
  }
  const end = write.at + write.bytes.length
  grow(file, end)
  file.length = Math.max(file.length, end)
  write.bytes.copy(file.flushed, write.at)
}

function grow(file: File, length: number) {
  if (length <= file.flushed.length) return
  const larger = Buffer.alloc(2 * length)
  file.flushed.copy(larger)
  file.flushed = larger
}

function resolvePending(file: File, random: Random) {
  const { pending } = file
  file.pending = []
  if (pending.length === 0) return 0
  const mode = random.pick(['nothing', 'all', 'until', 'sectors'] as const) ?? 'all'
  const until = { nothing: 0, all: pending.length, until: random.between(0, pending.length), sectors: pending.length }
  const survivors = pending.slice(0, until[mode])
  const written = (write: Write) => (mode === 'sectors' && 'bytes' in write ? sectorsOf(write, random) : [write])
  for (const write of survivors.flatMap(written)) apply(file, write)
  return mode === 'all' ? 0 : pending.length - (mode === 'sectors' ? 0 : survivors.length)
}

function sectorsOf({ at, bytes }: { at: number; bytes: Buffer }, random: Random) {
  const count = Math.ceil(bytes.length / SECTOR)
  const all = Array.from({ length: count }, (_, index) => ({
    at: at + index * SECTOR,
    bytes: bytes.subarray(index * SECTOR, (index + 1) * SECTOR),
  }))
  return all.filter(() => random.chance(0.5))
}
