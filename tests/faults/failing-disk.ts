import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutPower, imageOf } from './power-cut.ts'
import type { Random } from './random.ts'

/** Requirements of these trials. A trial shows them if one of them is missing. */
export const REQUIREMENTS = 'cc, on Linux with glibc'

// Byte offsets in the shared page, as in failing-disk.c: consecutive 64-bit numbers.
const offsets = { full: 0, room: 8, unflushed: 16, failureCount: 24, ahead: 32 }
const PAGE_BYTES = 40

let libraryPath: string | undefined

/** Builds the preloaded library once and returns its path. Returns an empty string if there is no compiler. */
function getLibrary() {
  libraryPath ??= hasCompiler() ? buildLibrary() : ''
  return libraryPath
}

function hasCompiler() {
  return process.platform === 'linux' && spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0
}

function buildLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-disk-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [source, output] = [join(import.meta.dirname, 'failing-disk.c'), join(folder, 'disk.so')]
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', output, source, '-ldl', '-lpthread'], { stdio: 'inherit' })
  return output
}

/** Whether this machine can simulate a failing disk. */
export const canSimulateFaults = () => getLibrary() !== ''

export type Disk = ReturnType<typeof openDisk>

/**
 * Simulates a disk for the files in a folder. A program uses the disk if it runs with the environment variables
 * `settings`.
 */
export function openDisk(folder: string) {
  const logFolder = mkdtempSync(join(tmpdir(), 'noren-trial-notes-'))
  const [page, notes] = [join(logFolder, 'faults'), join(logFolder, 'notes')]
  writeFileSync(page, Buffer.alloc(PAGE_BYTES))
  writeFileSync(notes, '')
  const file = openSync(page, 'r+')
  const number = Buffer.alloc(8)
  const writeValue = (offset: number, value: number) => {
    number.writeBigInt64LE(BigInt(value))
    writeSync(file, number, 0, 8, offset)
  }
  const readValue = (offset: number) => {
    readSync(file, number, 0, 8, offset)
    return Number(number.readBigInt64LE())
  }
  let imageBefore = imageOf(folder)
  return {
    settings: {
      LD_PRELOAD: getLibrary(),
      TRIAL_FOLDER: folder,
      TRIAL_FAULTS: page,
      TRIAL_NOTES: notes,
    },
    /** Limits the free space to this number of bytes. */
    limitSpace(bytes: number) {
      writeValue(offsets.room, bytes)
      writeValue(offsets.full, 1)
    },
    /** Makes every flush fail. */
    failToFlush: () => writeValue(offsets.unflushed, 1),
    /** Ends the disk failures. */
    repair() {
      writeValue(offsets.full, 0)
      writeValue(offsets.unflushed, 0)
    },
    /** Shifts the clock of programs on the disk by this number of seconds. */
    shiftClock: (seconds: number) => writeValue(offsets.ahead, seconds),
    /** Returns the number of failed calls so far. */
    failureCount: () => readValue(offsets.failureCount),
    /** Treats everything written so far as flushed, as after a clean shutdown. */
    markFlushed() {
      truncateSync(notes, 0)
      imageBefore = imageOf(folder)
    },
    /** Leaves the folder in a state that a power cut at this moment could cause. No program may run on the folder. */
    cutPower(random: Random) {
      const dropped = cutPower(folder, { before: imageBefore, notes: readFileSync(notes), random })
      this.markFlushed()
      return dropped
    },
    close() {
      closeSync(file)
      rmSync(logFolder, { recursive: true, force: true })
    },
  }
}
