import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Logger } from 'pino'
import { dayInJapan, formatTimestamp } from '../../app/dates/japan.ts'
import { daysFrom, monthOf } from '../../app/dates/month.ts'
import { isPlausible } from '../../app/owner/copies.server.ts'
import { repeat } from '../../app/platform/repeat.server.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export function backupFolder(dataFolder: string) {
  return join(dataFolder, 'backups')
}

type Occasion = 'night' | 'hand' | `before-${string}`

/** Returns the path of a backup file. The name contains the time in Japan. */
export function backupFile(dataFolder: string, occasion: Occasion, now: number) {
  return join(backupFolder(dataFolder), `${formatTimestamp(now)}-${occasion}.noren`)
}

/** Backup in a folder. `at` is in milliseconds since 1970. */
export type BackupEntry = { name: string; at: number; night: boolean }

/** Returns the backups in a folder, oldest first, or [] if the folder does not exist. */
export async function listBackups(folder: string): Promise<BackupEntry[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.sort().flatMap((name) => parseBackupName(name) ?? [])
}

/** Returns the nightly backups in a folder, oldest first, without those that a clock ahead of time has dated. */
export async function listNights(folder: string, now: number) {
  return (await listBackups(folder)).filter(({ night, at }) => night && isPlausible(at, now))
}

export function parseBackupName(name: string): BackupEntry | null {
  const [, year, month, day, hour, minute, second, occasion] =
    /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-([\w-]+)\.noren$/.exec(name) ?? []
  if (!occasion) return null
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}+09:00`)
  return { name, at, night: occasion === 'night' }
}

export async function lastNight(dataFolder: string, now: number) {
  return (await listNights(backupFolder(dataFolder), now)).at(-1)
}

/** Returns the time of the last backup in milliseconds since 1970, or null if there is no backup. */
export async function lastBackup(dataFolder: string, now: number) {
  return (await listBackups(backupFolder(dataFolder))).findLast(({ at }) => isPlausible(at, now))?.at ?? null
}

const NIGHT_START = 3 * HOUR + 30 * MINUTE

/** Whether a backup is due, at 03:30 in Japan. `since` is the time of the last backup, else of the site's creation. */
export function isDue(since: number, now: number) {
  return since < Date.parse(`${dayInJapan(now - NIGHT_START)}T03:30+09:00`)
}

/**
 * Returns the names of the backups to delete from the originals and from their copies. The last backup of each day, week
 * and month is retained, for 7 days, 4 weeks and 6 months.
 */
export function expiredNames(...lists: BackupEntry[][]) {
  const nights = lists.flat().sort((a, b) => a.at - b.at)
  const expired = new Set(nights.map(({ name }) => name))
  for (const [maxCount, period] of [
    [7, dayInJapan],
    [4, weekInJapan],
    [6, monthInJapan],
  ] as const) {
    const newest = new Map(nights.map((night) => [period(night.at), night.name]))
    for (const name of [...newest.values()].slice(-maxCount)) expired.delete(name)
  }
  return expired
}

const FIRST_MONDAY = '1970-01-05'
const weekInJapan = (at: number) => Math.floor(daysFrom(FIRST_MONDAY, dayInJapan(at)) / 7)
const monthInJapan = (at: number) => monthOf(dayInJapan(at))

export async function tidyBackups(dataFolder: string, now: number) {
  const folder = backupFolder(dataFolder)
  for (const name of expiredNames(await listNights(folder, now))) await rm(join(folder, name))
  for (const name of await readdir(folder)) {
    if (!/\.noren\.[\w-]+\.part/.test(name)) continue
    const path = join(folder, name)
    if (isAbandoned(await stat(path), now)) await rm(path, { recursive: true })
  }
}

/** Whether an unfinished file is abandoned. If a clock was ahead, its time is in the future. */
export function isAbandoned({ mtimeMs }: { mtimeMs: number }, now: number) {
  return Math.abs(now - mtimeMs) > DAY
}

type NightlyBackups = {
  dataFolder: string
  /** Time of the site's creation, in milliseconds since 1970. The first backup is due on the following night. */
  begunAt: number
  clock: () => number
  log: Pick<Logger, 'error'>
  make: (stopping: AbortSignal) => Promise<void>
}

export function startNightlyBackups({ dataFolder, begunAt, clock, log, make }: NightlyBackups) {
  const makeIfDue = async (stopping: AbortSignal) => {
    const now = clock()
    // The clock may have been ahead when the site was created.
    const since = (await lastNight(dataFolder, now))?.at ?? (isPlausible(begunAt, now) ? begunAt : 0)
    if (isDue(since, now)) await make(stopping)
  }
  return repeat(makeIfDue, {
    every: 10 * MINUTE,
    afterFailure: HOUR,
    failed: (err) => log.error({ err }, 'nightly backup failed'),
  })
}

/** Makes a backup and returns the open file. Deletes the file, so that nothing remains if the reader disconnects. */
export async function freshBackup(dataFolder: string, make: (file: string) => Promise<unknown>): Promise<FileHandle> {
  const folder = join(backupFolder(dataFolder), `download.noren.${randomUUID()}.part`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const file = join(folder, 'site.noren')
    await make(file)
    return await open(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Makes a backup in a child process, so that visitors do not wait. Rejects with its error output. */
export async function backUpInAnotherProcess(argument: string, signal: AbortSignal, log?: Pick<Logger, 'info'>) {
  const child = spawn(process.execPath, ['scripts/backup.ts', argument], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  const errorLines: string[] = []
  createInterface(child.stderr).on('line', (line) => errorLines.push(line))
  await new Promise<void>((resolve, reject) => {
    let failed: Error | undefined
    child.once('error', (error) => {
      failed = error
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(
            failed ?? new Error(errorLines.join('\n') || `Backup process failed: got exit code ${code}, expected 0`),
          ),
    )
  })
  if (errorLines.length > 0) log?.info({ output: errorLines.join('\n') }, 'backup left to another process')
}
