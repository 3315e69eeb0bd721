import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { isPlausible } from '../../app/owner/copies.server.ts'
import { repeat } from '../../app/platform/repeat.server.ts'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import { createFileStream, InvalidBackup, openBackup, readHeader } from '../../db/backup-file.ts'
import { failureOf } from '../../db/failure.ts'
import { flushFolder } from '../../db/flush-folder.ts'
import { errorSentence } from '../error-sentence.ts'
import {
  type BackupEntry,
  backupFolder,
  expiredNames,
  HOUR,
  isAbandoned,
  lastNight,
  listNights,
  MINUTE,
} from './backups.ts'

/** Error when the backups were not copied. The message is Japanese, for the owner. */
export class NotCopied extends Error {}

/** Error when a copy is damaged, but all other work is complete. The message is Japanese, for the owner. */
export class CopyDamaged extends Error {}

type Folders = { dataFolder: string; copyFolder: string }

export async function isElsewhere({ dataFolder, copyFolder }: Folders) {
  const [data, copies] = await Promise.all([stat(dataFolder), stat(copyFolder)])
  return data.dev !== copies.dev
}

/** Returns a Japanese sentence with the fault of the second folder and the remedy, or null if the folder is usable. */
export async function faultOfCopyFolder(folders: Folders) {
  const { copyFolder } = folders
  const label = `控えの二つ目の場所（${copyFolder}）`
  try {
    if (!(await stat(copyFolder)).isDirectory())
      return `${label}がフォルダーではありません。設定 BACKUP_COPY_DIR をお直しください。`
    if (!(await isElsewhere(folders)))
      return `${label}が、データと同じディスクの中です。ディスクの故障に備えられないため、コピーしていません。USBメモリーなどがつながっているか、設定 BACKUP_COPY_DIR が別のディスクの場所かをご確認ください。`
    await access(copyFolder, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return faultSentence(copyFolder, error)
  }
}

function faultSentence(copyFolder: string, error: unknown) {
  const label = `控えの二つ目の場所（${copyFolder}）`
  if (error instanceof NotCopied) return error.message
  const { code = '', path = copyFolder } = error as NodeJS.ErrnoException
  const fallbackSentence = `${label}にコピーできません（${errorSentence(error).replace(/。$/, '')}）。接続と、故障していないかをご確認ください。`
  if (!path.startsWith(copyFolder)) return fallbackSentence
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `${label}が見つかりません。USBメモリーなどがつながっているかをご確認ください。`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${label}に書き込めません。フォルダーの所有者と、サイトが書き込めること（systemd なら ReadWritePaths）をご確認ください。`
  if (failureOf(error) === 'full')
    return `${label}に空きがありません。不要なファイルを削除するか、大きなものに替えてください。`
  return fallbackSentence
}

export type CopyNightsOptions = Folders & {
  /** Identity of this site. Only copies of this site are deleted from the second folder or the bucket. */
  site: string | undefined
  now: number
  progress: () => void
  /** Called with the time of the newest nightly backup once its copy is complete. */
  has: (madeAt: number) => Promise<void>
}

type OwnCopiesOptions = Pick<CopyNightsOptions, 'copyFolder' | 'site' | 'now'>

/** Copies the nightly backups to the second folder. Throws NotCopied or CopyDamaged, but finished copies stay. */
export async function copyNights(options: CopyNightsOptions) {
  const { copyFolder, dataFolder, now, progress, has } = options
  try {
    const fault = await faultOfCopyFolder(options)
    if (fault) throw new NotCopied(fault)
    const nights = await nightsIn(backupFolder(dataFolder), now)
    const copies = await ownCopiesIn(nights, options)
    const expired = expiredNames(copies, nights)
    for (const night of nights.filter(({ name }) => !expired.has(name)).reverse()) {
      progress()
      if (!copies.some((copy) => isSameFile(copy, night))) await copyBackup(night, options)
      if (night === nights.at(-1)) await has(night.at)
    }
    for (const { name } of copies.filter(({ name }) => expired.has(name))) await rm(join(copyFolder, name))
    await deleteUnfinished(options)
    await verifyOldestCopy(nights, options)
  } catch (error) {
    if (error instanceof CopyDamaged) throw error
    throw new NotCopied(faultSentence(copyFolder, error), { cause: error })
  }
}

/** Nightly backup. `checkedAt` is when a copy was made or last verified, in milliseconds since 1970. */
type Night = BackupEntry & { size: number; checkedAt: number }

const isSameFile = (a: Night, b: Night) => a.name === b.name && a.size === b.size

async function nightsIn(folder: string, now: number): Promise<Night[]> {
  return Promise.all(
    (await listNights(folder, now)).map(async (night) => {
      const { size, mtimeMs } = await stat(join(folder, night.name))
      // If a clock was ahead at the last check, the copy counts as unchecked since its night.
      return { ...night, size, checkedAt: isPlausible(mtimeMs, now) ? mtimeMs : night.at }
    }),
  )
}

/** Returns the time of the oldest check of a copy, or null if there are no copies of this site. */
export async function oldestCheck(options: OwnCopiesOptions & Folders) {
  const own = await ownCopiesIn(await nightsIn(backupFolder(options.dataFolder), options.now), options)
  return own.length > 0 ? Math.min(...own.map(({ checkedAt }) => checkedAt)) : null
}

export async function listDamagedCopies(copyFolder: string) {
  return (await readdir(copyFolder)).filter((name) => name.endsWith(`-night.noren${DAMAGED_SUFFIX}`))
}

const DAMAGED_SUFFIX = '.damaged'
const CHECK_INTERVAL = 12 * HOUR

// The modification time of a copy is the time of its last check. This time moves together with the copy. If a network
// share rejects the time, a later night verifies the copy again.
async function storeCheck(file: string, now: number) {
  await utimes(file, now / 1000, now / 1000).catch(() => {})
}

async function verifyOldestCopy(nights: Night[], options: CopyNightsOptions) {
  const { dataFolder, copyFolder, now, progress } = options
  const own = await ownCopiesIn(nights, options)
  const [oldest] = own.sort((a, b) => a.checkedAt - b.checkedAt)
  if (!oldest || now - oldest.checkedAt < CHECK_INTERVAL) return
  const file = join(copyFolder, oldest.name)
  try {
    await openBackup(file, progress)
    await storeCheck(file, now)
  } catch (error) {
    if (!(error instanceof InvalidBackup) && (error as NodeJS.ErrnoException).code !== 'EIO') throw error
    const original = nights.find((night) => isSameFile(night, oldest))
    // A damaged original must not replace the copy.
    if (original) await openBackup(join(backupFolder(dataFolder), original.name), progress)
    await rename(file, `${file}${DAMAGED_SUFFIX}`)
    if (original) await copyBackup(original, options)
    const resultSentence = original
      ? 'いたため、コピーし直しました。'
      : 'います。元の控えもないため、コピーし直せません。'
    throw new CopyDamaged(
      `控えの二つ目の場所（${copyFolder}）の控え（${oldest.name}）が壊れて${resultSentence}故障の可能性があります。別のUSBメモリーなどに替えてください。`,
    )
  }
}

// The folder may contain backups of other sites and files of other people.
async function ownCopiesIn(nights: Night[], { copyFolder, site, now }: OwnCopiesOptions) {
  const found = await nightsIn(copyFolder, now)
  const own = await Promise.all(
    found.map(
      async (night) =>
        nights.some((each) => isSameFile(each, night)) || belongsToSite(site, join(copyFolder, night.name)),
    ),
  )
  return found.filter((_, place) => own[place])
}

async function belongsToSite(site: string | undefined, file: string) {
  const found = await readHeader(file).catch(() => null)
  return site !== undefined && found?.header.site === site
}

async function copyBackup({ name, size }: Night, { dataFolder, copyFolder, site, now, progress }: CopyNightsOptions) {
  const target = join(copyFolder, name)
  const { blocks, bavail, bsize } = await statfs(copyFolder)
  // Some network shares report no size.
  if (blocks > 0 && bavail * bsize < size)
    throw Object.assign(new Error(`No space for backup ${name}: got ${bavail * bsize} bytes, expected ${size}`), {
      code: 'ENOSPC',
    })
  const existing = await stat(target).catch(() => null)
  if (existing && !(await belongsToSite(site, target)))
    throw new NotCopied(
      `${target} は、このサイトの控えではありません。別の場所に移すか、設定 BACKUP_COPY_DIR を別のフォルダーにしてください。`,
    )
  const part = `${target}.${randomUUID()}.part`
  try {
    const copyStream = await createFileStream(part)
    await pipeline(createReadStream(join(backupFolder(dataFolder), name)).on('data', progress), copyStream)
    const copy = await openBackup(part, progress)
    if (copy.size !== size)
      throw new Error(`Backup ${name} changed while it was copied: got ${copy.size} bytes, expected ${size}`)
    await storeCheck(part, now)
    await rename(part, target)
    // Some network shares cannot flush a folder.
    await flushFolder(copyFolder).catch(() => {})
  } finally {
    await rm(part, { force: true })
  }
}

async function deleteUnfinished({ copyFolder, site, now }: CopyNightsOptions) {
  for (const name of await readdir(copyFolder)) {
    if (!/-night\.noren\.[\w-]+\.part$/.test(name)) continue
    const path = join(copyFolder, name)
    if (isAbandoned(await stat(path), now) && (await belongsToSite(site, path))) await rm(path)
  }
}

/** Rejects with NotCopied after `timeout` milliseconds without progress, because a share may be gone for good. */
export function inTime<T>(copyFolder: string, timeout: number, work: (progress: () => void) => Promise<T>) {
  return withTimeout(timeout, work, () => {
    throw new NotCopied(`控えの二つ目の場所（${copyFolder}）が応答しません。接続をご確認ください。`)
  })
}

type CopyTask = {
  dataFolder: string
  /** Target of the copies in log messages. */
  target: string
  log: Pick<Logger, 'error'>
  copy: (stopping: AbortSignal) => Promise<void>
}

/** Copies each nightly backup. Retries failures hourly, but logs only one failure per night. */
export function startCopyingNights({ dataFolder, target, log, copy }: CopyTask) {
  // `copied` is undefined at first, which equals neither a file name nor ''. So the first run always copies.
  let [copied, loggedFor, last]: (string | undefined)[] = []
  const copyIfNew = async (stopping: AbortSignal) => {
    last = (await lastNight(dataFolder, Date.now()))?.name ?? ''
    if (last === copied) return
    await copy(stopping)
    copied = last
  }
  return repeat(copyIfNew, {
    every: 10 * MINUTE,
    afterFailure: HOUR,
    failed: (err) => {
      if (loggedFor !== last) log.error({ err }, `backup not copied to ${target}`)
      loggedFor = last
    },
  })
}
