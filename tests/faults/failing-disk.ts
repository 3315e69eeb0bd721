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

/** Requirements of these trials, shown if one is missing. */
export const NEEDS = 'cc, on Linux with glibc'

// Byte offsets in the shared page, as in failing-disk.c: consecutive 64-bit numbers.
const at = { full: 0, room: 8, unflushed: 16, failed: 24, ahead: 32 }
const PAGE_BYTES = 40

let built: string | undefined

/** Returns the path of the preloaded library, built once, or an empty string without a compiler. */
function library() {
  built ??= hasCompiler() ? build() : ''
  return built
}

function hasCompiler() {
  return process.platform === 'linux' && spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0
}

function build() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-disk-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [source, made] = [join(import.meta.dirname, 'failing-disk.c'), join(folder, 'disk.so')]
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', made, source, '-ldl', '-lpthread'], { stdio: 'inherit' })
  return made
}

/** Whether this machine can simulate a failing disk. */
export const canFail = () => library() !== ''

export type Disk = ReturnType<typeof openDisk>

/** Simulates a disk under a folder. A program uses the disk if it runs with the environment variables `settings`. */
export function openDisk(folder: string) {
  const own = mkdtempSync(join(tmpdir(), 'noren-trial-notes-'))
  const [page, notes] = [join(own, 'faults'), join(own, 'notes')]
  writeFileSync(page, Buffer.alloc(PAGE_BYTES))
  writeFileSync(notes, '')
  const file = openSync(page, 'r+')
  const number = Buffer.alloc(8)
  const put = (place: number, value: number) => {
    number.writeBigInt64LE(BigInt(value))
    writeSync(file, number, 0, 8, place)
  }
  const get = (place: number) => {
    readSync(file, number, 0, 8, place)
    return Number(number.readBigInt64LE())
  }
  let before = imageOf(folder)
  return {
    settings: {
      LD_PRELOAD: library(),
      TRIAL_FOLDER: folder,
      TRIAL_FAULTS: page,
      TRIAL_NOTES: notes,
    },
    /** Limits the free space to this number of bytes. */
    fill(bytes: number) {
      put(at.room, bytes)
      put(at.full, 1)
    },
    /** Makes every flush fail. */
    failToFlush: () => put(at.unflushed, 1),
    /** Ends the disk failures. */
    mend() {
      put(at.full, 0)
      put(at.unflushed, 0)
    },
    /** Shifts the clock of programs on the disk by this number of seconds. */
    putClockOn: (seconds: number) => put(at.ahead, seconds),
    /** Returns the number of failed calls so far. */
    failed: () => get(at.failed),
    /** Treats everything written so far as flushed, as after a clean shutdown. */
    settle() {
      truncateSync(notes, 0)
      before = imageOf(folder)
    },
    /** Leaves the folder in a state that a power cut at this moment could cause. No program may run on the folder. */
    cutPower(random: Random) {
      const dropped = cutPower(folder, { before, notes: readFileSync(notes), random })
      this.settle()
      return dropped
    },
    close() {
      closeSync(file)
      rmSync(own, { recursive: true, force: true })
    },
  }
}
