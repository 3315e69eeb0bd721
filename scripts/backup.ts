import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { noteCopy, noteCopyFailure } from '../app/owner/copies.server.ts'
import { makeBackup } from '../db/backup.ts'
import { isPostgres } from '../db/engine.ts'
import { appliedMigrations, connect, migrationNames } from '../db/open.ts'
import type { Db } from '../db/tables.ts'
import packageJson from '../package.json' with { type: 'json' }
import { readArguments, resolvePath } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { databaseLocationOf } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { type BackupBucket, readSettings } from '../server/settings.ts'
import { CopyDamaged, copyNights, inTime, isElsewhere, NotCopied } from '../server/tasks/backup-copies.ts'
import { backupFile, isDue, lastNight, tidyBackups } from '../server/tasks/backups.ts'
import { bucketLabel } from '../server/tasks/s3-bucket.ts'
import { copyNightsToS3, inTimeOfBucket } from '../server/tasks/s3-copies.ts'
import { showProgress } from './show-progress.ts'

// The site runs this script with `--night` every night, with `--copy` for the copy in the second folder, and with
// `--copy-s3` for the copy in the bucket.
const { word, options } = readArguments('npm run backup -- [ファイル]', { options: ['night', 'copy', 'copy-s3'] })
const askedFile = word && resolvePath(word)
prepareProcess()
const COPY_TIMEOUT_MS = 2 * 60_000

try {
  const { databaseUrl, dataFolder, backupCopyFolder, backupBucket } = readSettings(process.env)
  const place = databaseLocationOf({ databaseUrl, dataFolder })
  if (!databaseUrl && !existsSync(place.file)) throw new Error(`データベースがありません: ${place.file}`)
  const db = await connect(place)
  if (options.includes('night')) await backUpTonight(db, dataFolder)
  else if (options.includes('copy')) await copyToSecondFolder(db, { dataFolder, copyFolder: backupCopyFolder })
  else if (options.includes('copy-s3')) await copyToBucket(db, dataFolder, backupBucket)
  else await backUpByHand(db, askedFile || backupFile(dataFolder, 'hand', Date.now()), dataFolder)
  await db.destroy()
} catch (error) {
  const isCopyError = error instanceof NotCopied || error instanceof CopyDamaged
  console.error(isCopyError ? error.message : `控えを作れませんでした。${errorSentence(error)}`)
  process.exit(1)
}

async function backUpByHand(db: Db, file: string, dataFolder: string) {
  const madeAt = Date.now()
  await backUp(db, file)
  const isUpToDate = (await appliedMigrations(db)).length === migrationNames.length
  // With PostgreSQL, this machine may have no data folder.
  if (!isUpToDate || !existsSync(dataFolder)) return
  if (!(await isElsewhere({ dataFolder, copyFolder: dirname(file) }))) return
  await noteCopy(db, 'hand', { madeAt }).catch((error) =>
    console.error(`控えが別のディスクにできたことを、サイトに記録できませんでした。${errorSentence(error)}`),
  )
}

async function backUp(db: Db, file: string) {
  if (existsSync(file)) throw new Error(`同じ名前のファイルがあります: ${file}`)
  const { rows } = await makeBackup(db, file, { program: packageJson.version, now: Date.now(), progress: showProgress })
  console.log(`控えを作り、戻せることを確認しました（${rows.toLocaleString('ja')}件）: ${file}`)
}

async function backUpTonight(db: Db, dataFolder: string) {
  const busy = 'ほかのプロセスが今夜の控えを作っているため、ここでは作りません。'
  await runIfLockFree(db, { name: 'noren backup', busy }, async () => {
    const last = await lastNight(dataFolder, Date.now())
    if (last && !isDue(last.at, Date.now())) return
    await backUp(db, backupFile(dataFolder, 'night', Date.now()))
    await tidyBackups(dataFolder, Date.now())
  })
}

type Lock = { name: string; busy: string }

type Folders = { dataFolder: string; copyFolder: string | null }

async function copyToSecondFolder(db: Db, { dataFolder, copyFolder }: Folders) {
  if (!copyFolder) throw new NotCopied('設定 BACKUP_COPY_DIR がありません。控えの二つ目の場所を書いてください。')
  await copyElsewhere(db, dataFolder, {
    ...{ way: 'folder', lock: 'noren backup copies', label: `二つ目の場所（${copyFolder}）` },
    copy: (site, has) =>
      inTime(copyFolder, COPY_TIMEOUT_MS, (progress) =>
        copyNights({ dataFolder, copyFolder, site, now: Date.now(), progress, has }),
      ),
  })
}

async function copyToBucket(db: Db, dataFolder: string, bucket: BackupBucket | null) {
  if (!bucket)
    throw new NotCopied('設定 BACKUP_S3_BUCKET などがありません。控えを送るクラウドの保管先を書いてください。')
  await copyElsewhere(db, dataFolder, {
    ...{ way: 's3', lock: 'noren backup copies to S3', label: bucketLabel(bucket.name) },
    copy: (site, has) => {
      if (!site) throw new NotCopied('サイトをまだ一度も起動していないため、送る控えがありません。')
      return inTimeOfBucket(bucket, COPY_TIMEOUT_MS, (progress) =>
        copyNightsToS3({ dataFolder, bucket, site, now: Date.now(), progress, has }),
      )
    },
  })
}

type Target = {
  way: 'folder' | 's3'
  lock: string
  label: string
  copy: (site: string | undefined, has: (madeAt: number) => Promise<void>) => Promise<void>
}

async function copyElsewhere(db: Db, dataFolder: string, { way, lock, label, copy }: Target) {
  const busy = 'ほかのプロセスが控えをコピーしているため、ここではコピーしません。'
  await runIfLockFree(db, { name: lock, busy }, async () => {
    try {
      const identity = await db.selectFrom('identity').select('name').executeTakeFirst()
      await copy(identity?.name, (madeAt) => noteCopy(db, way, { madeAt }))
      await noteCopyFailure(db, way, null)
      console.log(
        (await lastNight(dataFolder, Date.now()))
          ? `${label}に、毎晩の控えがそろっています。`
          : `${label}は使えます。毎晩の控えがまだないため、何もコピーしていません（最初の夜のあとにコピーします）。`,
      )
    } catch (error) {
      if (error instanceof NotCopied) await noteCopyFailure(db, way, error.message)
      throw error
    }
  })
}

// Processes that share a PostgreSQL start this work in the same minute. A transaction holds the lock, because behind a
// pooler a session lock may outlive its client.
async function runIfLockFree(db: Db, { name, busy }: Lock, work: () => Promise<void>) {
  if (!isPostgres(db)) return work()
  const transaction = await db.startTransaction().execute()
  try {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
    const { rows } = await sql<{ ours: boolean }>`
      select pg_try_advisory_xact_lock(hashtext(${name})) as ours`.execute(transaction)
    if (rows[0]?.ours) await work()
    else console.error(busy)
  } finally {
    await transaction.rollback().execute()
  }
}
