import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { repeat } from '../../app/platform/repeat.server.ts'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import { InvalidBackup, openBackup, readHeader } from '../../db/backup-file.ts'
import { failureOf } from '../../db/failure.ts'
import { flushFolder } from '../../db/flush-folder.ts'
import { errorSentence } from '../error-sentence.ts'
import { backupFolder, DAY, HOUR, type Kept, keptIn, lastNight, MINUTE, outlived } from './backups.ts'

/** The backups were not copied; the message is a Japanese sentence for the owner. */
export class NotCopied extends Error {}

/** A copy is damaged, but the rest was done; the message is a Japanese sentence for the owner. */
export class CopyRotten extends Error {}

type Folders = { dataFolder: string; copyFolder: string }

export async function isElsewhere({ dataFolder, copyFolder }: Folders) {
  const [own, other] = await Promise.all([stat(dataFolder), stat(copyFolder)])
  return own.dev !== other.dev
}

/** Returns the problem of the second folder in Japanese, with its remedy; null if it can take backups. */
export async function faultOfCopyFolder(folders: Folders) {
  const { copyFolder } = folders
  const named = `控えの二つ目の場所（${copyFolder}）`
  try {
    if (!(await stat(copyFolder)).isDirectory())
      return `${named}がフォルダーではありません。設定 BACKUP_COPY_DIR をお直しください。`
    if (!(await isElsewhere(folders)))
      return `${named}が、データと同じディスクの中です。ディスクの故障に備えられないため、コピーしていません。USBメモリーなどがつながっているか、設定 BACKUP_COPY_DIR が別のディスクの場所かをご確認ください。`
    await access(copyFolder, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return faultInWords(copyFolder, error)
  }
}

function faultInWords(copyFolder: string, error: unknown) {
  const named = `控えの二つ目の場所（${copyFolder}）`
  if (error instanceof NotCopied) return error.message
  const { code = '', path = copyFolder } = error as NodeJS.ErrnoException
  const otherwise = `${named}にコピーできません（${errorSentence(error).replace(/。$/, '')}）。接続と、故障していないかをご確認ください。`
  if (!path.startsWith(copyFolder)) return otherwise
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `${named}が見つかりません。USBメモリーなどがつながっているかをご確認ください。`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${named}に書き込めません。フォルダーの所有者と、サイトが書き込めること（systemd なら ReadWritePaths）をご確認ください。`
  if (failureOf(error) === 'full')
    return `${named}に空きがありません。不要なファイルを削除するか、大きなものに替えてください。`
  return otherwise
}

type Copying = Folders & {
  /** Identity of the site, if any; only its own copies are deleted from the second folder. */
  site: string | undefined
  now: number
  progress: () => void
  /** Called with the time of the newest nightly backup once its copy is complete. */
  has: (madeAt: number) => Promise<void>
}

/** Copies the retained nightly backups and verifies one copy. Throws NotCopied or CopyRotten; finished copies stay. */
export async function copyNights(copying: Copying) {
  const { copyFolder, dataFolder, progress, has } = copying
  try {
    const fault = await faultOfCopyFolder(copying)
    if (fault) throw new NotCopied(fault)
    const here = await nightsIn(backupFolder(dataFolder))
    const there = await ownNightsIn(copyFolder, here, copying.site)
    const all = new Map([...there, ...here].map((night) => [night.name, night]))
    const gone = new Set(outlived([...all.values()].sort((a, b) => a.at - b.at)).map(({ name }) => name))
    for (const night of here.filter(({ name }) => !gone.has(name)).reverse()) {
      progress()
      if (!there.some((copy) => isSame(copy, night))) await copyWhole(night, copying)
      if (night === here.at(-1)) await has(night.at)
    }
    for (const { name } of there.filter(({ name }) => gone.has(name))) await rm(join(copyFolder, name))
    await forgetUnfinished(copying)
    await checkOneCopy(here, copying)
  } catch (error) {
    if (error instanceof CopyRotten) throw error
    throw new NotCopied(faultInWords(copyFolder, error), { cause: error })
  }
}

/** `checkedAt` is the time when the file was written or last verified, in milliseconds since 1970. */
type Night = Kept & { size: number; checkedAt: number }

const isSame = (one: Night, other: Night) => one.name === other.name && one.size === other.size

async function nightsIn(folder: string): Promise<Night[]> {
  const nights = (await keptIn(folder)).filter(({ night }) => night)
  return Promise.all(
    nights.map(async (night) => {
      const { size, mtimeMs } = await stat(join(folder, night.name))
      return { ...night, size, checkedAt: mtimeMs }
    }),
  )
}

/** Returns the time of the oldest check among the copies of this site; null if there are none. */
export async function oldestCheck({ dataFolder, copyFolder }: Folders, site: string | undefined) {
  const own = await ownNightsIn(copyFolder, await nightsIn(backupFolder(dataFolder)), site)
  return own.length > 0 ? Math.min(...own.map(({ checkedAt }) => checkedAt)) : null
}

export async function rottenIn(copyFolder: string) {
  return (await readdir(copyFolder)).filter((name) => name.endsWith(`-night.noren${ROTTEN}`))
}

const ROTTEN = '.damaged'
const CHECKED_AFTER = 12 * HOUR

// The modification time of a copy stores its last check, so that it travels with the copy.
async function checkOneCopy(here: Night[], copying: Copying) {
  const { dataFolder, copyFolder, site, now, progress } = copying
  const own = await ownNightsIn(copyFolder, here, site)
  const [oldest] = own.sort((a, b) => a.checkedAt - b.checkedAt)
  if (!oldest || now - oldest.checkedAt < CHECKED_AFTER) return
  const file = join(copyFolder, oldest.name)
  try {
    await openBackup(file, progress)
    // If the share refuses, the next night verifies this copy again.
    await utimes(file, now / 1000, now / 1000).catch(() => {})
  } catch (error) {
    if (!(error instanceof InvalidBackup) && (error as NodeJS.ErrnoException).code !== 'EIO') throw error
    const original = here.find((night) => isSame(night, oldest))
    // A damaged original must not replace the copy.
    if (original) await openBackup(join(backupFolder(dataFolder), original.name), progress)
    await rename(file, `${file}${ROTTEN}`)
    if (original) await copyWhole(original, copying)
    const done = original ? 'いたため、コピーし直しました。' : 'います。元の控えもないため、コピーし直せません。'
    throw new CopyRotten(
      `控えの二つ目の場所（${copyFolder}）の控え（${oldest.name}）が壊れて${done}故障の可能性があります。別のUSBメモリーなどに替えてください。`,
    )
  }
}

// The folder may contain backups of other sites and files of other people.
async function ownNightsIn(copyFolder: string, here: Night[], site: string | undefined) {
  const found = await nightsIn(copyFolder)
  const own = await Promise.all(
    found.map(async (night) => here.some((each) => isSame(each, night)) || isOf(site, join(copyFolder, night.name))),
  )
  return found.filter((_, place) => own[place])
}

async function isOf(site: string | undefined, file: string) {
  const found = await readHeader(file).catch(() => null)
  return site !== undefined && found?.header.site === site
}

async function copyWhole({ name, size }: Night, { dataFolder, copyFolder, site, progress }: Copying) {
  const to = join(copyFolder, name)
  const { blocks, bavail, bsize } = await statfs(copyFolder)
  // Some shares report no size.
  if (blocks > 0 && bavail * bsize < size) throw Object.assign(new Error(`${name} has no room`), { code: 'ENOSPC' })
  const taken = await stat(to).catch(() => null)
  if (taken && !(await isOf(site, to)))
    throw new NotCopied(
      `${to} は、このサイトの控えではありません。別の場所に移すか、設定 BACKUP_COPY_DIR を別のフォルダーにしてください。`,
    )
  const part = `${to}.${randomUUID()}.part`
  try {
    await pipeline(
      createReadStream(join(backupFolder(dataFolder), name)).on('data', progress),
      createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
    )
    // `openBackup` verifies the digest in the last line.
    const copy = await openBackup(part, progress)
    if (copy.size !== size) throw new Error(`${name} became another`)
    await rename(part, to)
    // Some shares cannot flush a folder.
    await flushFolder(copyFolder).catch(() => {})
  } finally {
    await rm(part, { force: true })
  }
}

async function forgetUnfinished({ copyFolder, site, now }: Copying) {
  for (const name of await readdir(copyFolder)) {
    if (!/-night\.noren\.[\w-]+\.part$/.test(name)) continue
    const path = join(copyFolder, name)
    if (now - (await stat(path)).mtimeMs > DAY && (await isOf(site, path))) await rm(path)
  }
}

/** Rejects with NotCopied after `timeout` milliseconds without progress: a share may be gone for good. */
export function inTime<T>(copyFolder: string, timeout: number, work: (progress: () => void) => Promise<T>) {
  return withTimeout(timeout, work, () => {
    throw new NotCopied(`控えの二つ目の場所（${copyFolder}）が応答しません。接続をご確認ください。`)
  })
}

type Copies = {
  dataFolder: string
  log: Pick<Logger, 'error'>
  copy: (stopping: AbortSignal) => Promise<void>
}

/** Copies at the start and after each nightly backup. Failures are retried hourly, but logged once per night. */
export function startCopyingNights({ dataFolder, log, copy }: Copies) {
  // Undefined equals no file name, nor '' for none, so the first run always copies.
  let [done, said, last]: (string | undefined)[] = []
  const look = async (stopping: AbortSignal) => {
    last = (await lastNight(dataFolder))?.name ?? ''
    if (last === done) return
    await copy(stopping)
    done = last
  }
  return repeat(look, {
    every: 10 * MINUTE,
    afterFailure: HOUR,
    failed: (err) => {
      if (said !== last) log.error({ err }, 'backup not copied to the second folder')
      said = last
    },
  })
}
