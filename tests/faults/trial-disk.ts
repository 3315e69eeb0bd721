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
import { cutPower, imageOf } from './trial-power-cut.ts'
import type { Random } from './trial-random.ts'

/** What these trials need, and what is said where it is missing. */
export const NEEDS = 'cc, on Linux with glibc'

// The shared page, as trial-disk.c has it: 64-bit numbers, one after the other.
const at = { full: 0, room: 8, unflushed: 16, failed: 24, ahead: 32 }
const PAGE_BYTES = 40

let built: string | undefined

/** The interposed library, built once; empty where it cannot be. */
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
  const [source, made] = [join(import.meta.dirname, 'trial-disk.c'), join(folder, 'disk.so')]
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', made, source, '-ldl', '-lpthread'], { stdio: 'inherit' })
  return made
}

/** Whether a disk can be made to fail here. */
export const canFail = () => library() !== ''

export type Disk = ReturnType<typeof openDisk>

/** A disk under a folder that fails when it is told to; a program stands on it with these `settings`. */
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
    /** From now on so many bytes have room, and no more. */
    fill(bytes: number) {
      put(at.room, bytes)
      put(at.full, 1)
    },
    /** From now on no flush succeeds. */
    failToFlush: () => put(at.unflushed, 1),
    /** All is well again. */
    mend() {
      put(at.full, 0)
      put(at.unflushed, 0)
    },
    /** Puts the clock of who stands on it so many seconds on, or back. */
    putClockOn: (seconds: number) => put(at.ahead, seconds),
    /** How often it has failed so far. */
    failed: () => get(at.failed),
    /** Forgets what was written until now, as after a clean end: it counts as flushed. */
    settle() {
      truncateSync(notes, 0)
      before = imageOf(folder)
    },
    /** Leaves in the folder, on which nobody stands, what a power cut at this moment might have left. */
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
