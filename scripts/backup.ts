import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { noteCopy, noteCopyFailure } from '../app/owner/copies.server.ts'
import { makeBackup } from '../db/backup.ts'
import { isPostgres } from '../db/engine.ts'
import { appliedMigrations, connect, migrationNames } from '../db/open.ts'
import type { Tables } from '../db/tables.ts'
import packageJson from '../package.json' with { type: 'json' }
import { errorSentence } from '../server/error-sentence.ts'
import { databaseLocationOf } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'
import { CopyDamaged, copyNights, inTime, isElsewhere, NotCopied } from '../server/tasks/backup-copies.ts'
import { backupFile, isDue, lastNight, tidyBackups } from '../server/tasks/backups.ts'
import { showProgress } from './show-progress.ts'

// The site calls it with `--night`, and with `--copy` for the second folder.
const argument = process.argv[2]
const askedFile = argument && resolve(process.env.INIT_CWD ?? '', argument)
prepareProcess()
const COPY_TIMEOUT_MS = 2 * 60_000

try {
  const { databaseUrl, dataFolder, backupCopyFolder } = readSettings(process.env)
  const place = databaseLocationOf({ databaseUrl, dataFolder })
  if (!databaseUrl && !existsSync(place.file)) throw new Error(`データベースがありません: ${place.file}`)
  const db = await connect(place)
  if (argument === '--night') await backUpTonight(db, dataFolder)
  else if (argument === '--copy') await copyToSecondFolder(db, { dataFolder, copyFolder: backupCopyFolder })
  else await backUpByHand(db, askedFile ?? backupFile(dataFolder, 'hand', Date.now()), dataFolder)
  await db.destroy()
} catch (error) {
  const isCopyError = error instanceof NotCopied || error instanceof CopyDamaged
  console.error(isCopyError ? error.message : `控えを作れませんでした。${errorSentence(error)}`)
  process.exit(1)
}

async function backUpByHand(db: Kysely<Tables>, file: string, dataFolder: string) {
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

async function backUp(db: Kysely<Tables>, file: string) {
  if (existsSync(file)) throw new Error(`同じ名前のファイルがあります: ${file}`)
  const { rows } = await makeBackup(db, file, { program: packageJson.version, now: Date.now(), progress: showProgress })
  console.log(`控えを作り、戻せることを確認しました（${rows.toLocaleString('ja')}件）: ${file}`)
}

async function backUpTonight(db: Kysely<Tables>, dataFolder: string) {
  const busy = 'ほかのプロセスが今夜の控えを作っているため、ここでは作りません。'
  await runIfLockFree(db, { name: 'noren backup', busy }, async () => {
    const last = await lastNight(dataFolder)
    if (last && !isDue(last.at, Date.now())) return
    await backUp(db, backupFile(dataFolder, 'night', Date.now()))
    await tidyBackups(dataFolder, Date.now())
  })
}

type Lock = { name: string; busy: string }

type Folders = { dataFolder: string; copyFolder: string | null }

async function copyToSecondFolder(db: Kysely<Tables>, { dataFolder, copyFolder }: Folders) {
  if (!copyFolder) throw new NotCopied('設定 BACKUP_COPY_DIR がありません。控えの二つ目の場所を書いてください。')
  const busy = 'ほかのプロセスが控えをコピーしているため、ここではコピーしません。'
  await runIfLockFree(db, { name: 'noren backup copies', busy }, async () => {
    try {
      const identity = await db.selectFrom('identity').select('name').executeTakeFirst()
      const has = (madeAt: number) => noteCopy(db, 'folder', { madeAt })
      await inTime(copyFolder, COPY_TIMEOUT_MS, (progress) =>
        copyNights({ dataFolder, copyFolder, site: identity?.name, now: Date.now(), progress, has }),
      )
      await noteCopyFailure(db, null)
      console.log(
        (await lastNight(dataFolder))
          ? `二つ目の場所に、毎晩の控えがそろっています: ${copyFolder}`
          : `二つ目の場所は使えます。毎晩の控えがまだないため、何もコピーしていません（最初の夜のあとにコピーします）: ${copyFolder}`,
      )
    } catch (error) {
      if (error instanceof NotCopied) await noteCopyFailure(db, error.message)
      throw error
    }
  })
}

// Processes that share a PostgreSQL do this at the same minute. Behind a pooler, a session lock may outlive its client.
async function runIfLockFree(db: Kysely<Tables>, { name, busy }: Lock, work: () => Promise<void>) {
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
