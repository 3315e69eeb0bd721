import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackup } from '../db/backup.ts'
import { openDatabase, type Place } from '../db/open.ts'
import packageJson from '../package.json' with { type: 'json' }
import { secretFile } from './secret.ts'
import type { Settings } from './settings.ts'
import { backupFile, backupFolder, listBackups } from './tasks/backups.ts'

type DatabaseSettings = Pick<Settings, 'dataFolder' | 'databaseUrl'>

export function databaseLocationOf({ dataFolder, databaseUrl }: DatabaseSettings): Place {
  return { url: databaseUrl, file: join(dataFolder, 'site.db') }
}

/** Opens the database of a site, with a backup before migrations. Throws if an existing site has lost its database. */
export async function openSite(settings: DatabaseSettings, { serving }: { serving: boolean }) {
  const place = databaseLocationOf(settings)
  const hasDatabase = place.url || (existsSync(place.file) && statSync(place.file).size > 0)
  if (!hasDatabase) await checkNeverOpened(settings)
  if (!place.url) restrictAccess(place.file)
  return openDatabase({
    ...place,
    serving,
    beforeMigrating: async (db, next) => {
      const file = backupFile(settings.dataFolder, `before-${next}`, Date.now())
      await makeBackup(db, file, { program: packageJson.version, now: Date.now() })
      console.log(`データベースを更新する前に、控えを作りました: ${file}`)
    },
  })
}

// Earlier versions created a database that all users of the machine could read. If this change fails, the doctor reports
// the files that other users can still read.
function restrictAccess(file: string) {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(part, 0o600)
    } catch {}
  }
}

// Throws if the data folder belongs to an existing site. A new database would have no owner, so the first visitor could
// take over the site. A site with the setting SECRET has backups, but no secret file.
async function checkNeverOpened(settings: DatabaseSettings) {
  const { dataFolder } = settings
  const newest = (await listBackups(backupFolder(dataFolder))).slice(-3).reverse()
  if (newest.length === 0 && !existsSync(secretFile(dataFolder))) return
  const backups = newest.map(({ name }) => `\n  npm run restore -- ${join(backupFolder(dataFolder), name)}`)
  const sentences = [
    `ここにはサイトがありましたが、データベース（${databaseLocationOf(settings).file}）がないか空です。新しいサイトとしては起動しません。`,
    backups.length > 0
      ? `控えから戻すには、次のどれか（上ほど新しい控えです）を実行してください。${backups.join('')}`
      : `控えは ${backupFolder(dataFolder)} に見つかりません。ほかに控えがあれば npm run restore -- 控えのファイル で戻してください。`,
    `データを破棄して新しく始めるときだけ、${dataFolder} の中身を別の場所に移してください。`,
  ]
  throw new Error(sentences.join('\n'))
}
