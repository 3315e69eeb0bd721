import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlausible } from '../../app/owner/copies.server.ts'
import { withTimeout } from '../../app/platform/with-timeout.server.ts'
import { InvalidBackup, openBackup } from '../../db/backup-file.ts'
import { errorSentence } from '../error-sentence.ts'
import type { BackupBucket } from '../settings.ts'
import { CopyDamaged, type CopyNightsOptions, NotCopied } from './backup-copies.ts'
import { type BackupEntry, backupFolder, DAY, expiredNames, listNights, parseBackupName } from './backups.ts'
import { decryptToFile, encryptFile } from './encrypted-backup.ts'
import { BucketError, bucketLabel, openBucket } from './s3-bucket.ts'

// Key of a copy: PREFIX/SITE/NAME.SIZE.age. SITE is the identity of the site. SIZE is the size of the object, so that a
// list alone shows whether the object is complete.
const COPY_KEY = /^([\w.-]+)\/(\d{8}-\d{6}-night\.noren)\.(\d+)\.age$/

/** Complete copy in the bucket. `size` is in bytes, encrypted. */
type S3Copy = BackupEntry & { key: string; site: string; size: number }

const siteFolder = (site: string) => site.replaceAll(/[^\w.-]/g, '_')

/** Returns the complete copies in the bucket, oldest first. Without `site`, the copies of all sites. */
export async function listS3Copies(bucket: BackupBucket, site?: string, progress: () => void = () => {}) {
  const { prefix } = bucket
  const copies: S3Copy[] = []
  for await (const { key, size } of openBucket(bucket).list(site ? `${prefix}${siteFolder(site)}/` : prefix)) {
    progress()
    const [, copySite, name, expectedSize] = COPY_KEY.exec(key.slice(prefix.length)) ?? []
    const entry = name && parseBackupName(name)
    if (copySite && entry && Number(expectedSize) === size) copies.push({ ...entry, key, site: copySite, size })
  }
  return copies.sort((a, b) => a.at - b.at)
}

type CopyOptions = Omit<CopyNightsOptions, 'copyFolder'> & { bucket: BackupBucket; site: string }

/** Copies the nightly backups to the bucket. Throws NotCopied or CopyDamaged, but finished copies stay. */
export async function copyNightsToS3(options: CopyOptions) {
  const { dataFolder, bucket, site, now, progress, has } = options
  try {
    const nights = await listNights(backupFolder(dataFolder), now)
    const copies = (await listS3Copies(bucket, site, progress)).filter((copy) => isPlausible(copy.at, now))
    const expired = expiredNames(copies, nights)
    let hasNewCopy = false
    for (const night of nights.filter(({ name }) => !expired.has(name)).reverse()) {
      if (!copies.some(({ name }) => name === night.name)) {
        await uploadBackup(night.name, options)
        hasNewCopy = true
      }
      if (night === nights.at(-1)) await has(night.at)
    }
    const requests = openBucket(bucket)
    for (const { key } of copies.filter(({ name }) => expired.has(name))) await requests.remove(key)
    // Reading costs traffic, so a restart of the site reads nothing.
    const older = copies.filter(({ name }) => !expired.has(name))
    if (hasNewCopy) await verifyOneCopy(older, options)
  } catch (error) {
    if (error instanceof CopyDamaged) throw error
    throw new NotCopied(faultSentence(bucket, error), { cause: error })
  }
}

function faultSentence({ name }: BackupBucket, error: unknown) {
  if (error instanceof NotCopied || error instanceof BucketError) return error.message
  return `${bucketLabel(name)}に控えを送れません（${errorSentence(error).replace(/。$/, '')}）。`
}

async function uploadBackup(name: string, { dataFolder, bucket, site, progress }: CopyOptions) {
  const file = join(backupFolder(dataFolder), name)
  const part = `${file}.${randomUUID()}.part`
  const requests = openBucket(bucket)
  try {
    await openBackup(file, progress)
    const { size, sha256 } = await encryptFile(file, part, bucket.key, progress)
    const key = `${bucket.prefix}${siteFolder(site)}/${name}.${size}.age`
    await requests.put(key, { file: part, size, sha256, progress })
    const stored = await requests.head(key)
    if (stored.size === size && stored.sha256 === sha256) return
    await requests.remove(key)
    throw new NotCopied(
      `${bucketLabel(bucket.name)}が、送った控え（${name}）と違うものを保存しました。別の保管先をお使いください。`,
    )
  } finally {
    await rm(part, { force: true })
  }
}

// Verifies another copy each night.
async function verifyOneCopy(copies: S3Copy[], options: CopyOptions) {
  const copy = copies[Math.floor(options.now / DAY) % copies.length]
  if (!copy) return
  const { sha256, chunks } = await openBucket(options.bucket).get(copy.key, options.progress)
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  if (hash.digest('hex') === sha256) return
  const hasOriginal = existsSync(join(backupFolder(options.dataFolder), copy.name))
  if (hasOriginal) await uploadBackup(copy.name, options)
  throw new CopyDamaged(
    `${bucketLabel(options.bucket.name)}の控え（${copy.name}）が壊れて${
      hasOriginal
        ? 'いたため、送り直しました。'
        : `います。元の控えもないため、送り直せません。保管先から ${copy.key} を削除してください。`
    }`,
  )
}

/**
 * Decrypts a copy into a temporary file, calls `use` with the file, and deletes the file. `name` is SITE/NAME as printed
 * by `npm run restore -- s3`. Throws InvalidBackup or BucketError.
 */
export async function withS3Copy<T>(
  name: string,
  { dataFolder, bucket, progress }: Pick<CopyOptions, 'dataFolder' | 'bucket'> & { progress: (bytes: number) => void },
  use: (file: string) => Promise<T>,
) {
  const copy = (await listS3Copies(bucket)).find((each) => `${each.site}/${each.name}` === name)
  if (!copy)
    throw new InvalidBackup(
      `${bucketLabel(bucket.name)}に、${name} という控えはありません。npm run restore -- s3 で一覧を表示できます。`,
    )
  const folder = backupFolder(dataFolder)
  const newFolders = [folder, dataFolder].filter((path) => !existsSync(path))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = join(folder, `${copy.name}.${randomUUID()}.part`)
  try {
    const { chunks } = await openBucket(bucket).get(copy.key, progress)
    await decryptToFile(chunks, part, bucket.key)
    return await use(part)
  } finally {
    await rm(part, { force: true })
    // After a failure the new folders are empty, and rmdir deletes no other folders.
    for (const created of newFolders) await rmdir(created).catch(() => {})
  }
}

/** Runs `work`. Rejects with NotCopied after `timeout` milliseconds without progress. */
export function inTimeOfBucket<T>({ name }: BackupBucket, timeout: number, work: (progress: () => void) => Promise<T>) {
  return withTimeout(timeout, work, () => {
    throw new NotCopied(
      `${bucketLabel(name)}が応答しません。ネットワークと、設定 BACKUP_S3_ENDPOINT をご確認ください。`,
    )
  })
}
