import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { makeBackup } from '../db/backup.ts'
import { isPostgres } from '../db/engine.ts'
import { connect } from '../db/open.ts'
import type { Tables } from '../db/tables.ts'
import packageJson from '../package.json' with { type: 'json' }
import { inOneSentence } from '../server/in-one-sentence.ts'
import { backupFile, isDue, listBackups, tidyBackups } from '../server/nightly-backups.ts'
import { placeOf } from '../server/open-site.ts'
import { readSettings } from '../server/settings.ts'
import { showProgress } from './show-progress.ts'

// Makes a backup of the site, which goes on serving meanwhile. The site itself asks for the one of the night.
const asked = process.argv[2]
const askedFile = asked && resolve(process.env.INIT_CWD ?? '', asked)
process.chdir(join(import.meta.dirname, '..'))
if (existsSync('.env')) process.loadEnvFile('.env')
// What members have told is for nobody else on this machine.
process.umask(0o077)

try {
  const { databaseUrl, dataFolder } = readSettings(process.env)
  const place = placeOf({ databaseUrl, dataFolder })
  if (!databaseUrl && !existsSync(place.file)) throw new Error(`データベースがありません: ${place.file}`)
  const db = await connect(place)
  await (asked === '--night'
    ? backUpTonight(db, dataFolder)
    : backUp(db, askedFile ?? backupFile(dataFolder, 'hand', Date.now())))
  await db.destroy()
} catch (error) {
  console.error(`控えを作れませんでした。${inOneSentence(error)}`)
  process.exit(1)
}

async function backUp(db: Kysely<Tables>, file: string) {
  if (existsSync(file)) throw new Error(`同じ名前のファイルがあります: ${file}`)
  const { rows } = await makeBackup(db, file, { program: packageJson.version, now: Date.now(), progress: showProgress })
  console.log(`控えを作り、戻せることを確かめました（${rows.toLocaleString('ja')}件）: ${file}`)
}

async function backUpTonight(db: Kysely<Tables>, dataFolder: string) {
  await ifNobodyElse(db, async () => {
    const last = (await listBackups(dataFolder)).findLast(({ night }) => night)
    if (last && !isDue(last.at, Date.now())) return
    await backUp(db, backupFile(dataFolder, 'night', Date.now()))
    await tidyBackups(dataFolder, Date.now())
  })
}

// Several processes may serve a PostgreSQL; each looks at the same minute whether a backup is due.
async function ifNobodyElse(db: Kysely<Tables>, work: () => Promise<void>) {
  if (!isPostgres(db)) return work()
  await db.connection().execute(async (held) => {
    const { rows } = await sql<{ ours: boolean }>`
      select pg_try_advisory_lock(hashtext('noren backup')) as ours`.execute(held)
    if (rows[0]?.ours) await work()
  })
}
