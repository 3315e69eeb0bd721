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

/** Backs up before it migrates. Throws if the database of an existing site is missing. */
export async function openSite(settings: DatabaseSettings, { serving }: { serving: boolean }) {
  const place = databaseLocationOf(settings)
  const hasDatabase = place.url || (existsSync(place.file) && statSync(place.file).size > 0)
  if (!hasDatabase && existsSync(secretFile(settings.dataFolder))) throw new Error(await lostDatabaseSentence(settings))
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

// Earlier versions created a database that all users of the machine could read. The doctor reports failures here.
function restrictAccess(file: string) {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(part, 0o600)
    } catch {}
  }
}

// A new database would have no owner, and the first visitor could take over the site.
async function lostDatabaseSentence({ dataFolder, databaseUrl }: DatabaseSettings) {
  const { file } = databaseLocationOf({ dataFolder, databaseUrl })
  const newest = (await listBackups(dataFolder)).slice(-3).reverse()
  const backups = newest.map(({ name }) => `\n  npm run restore -- ${join(backupFolder(dataFolder), name)}`)
  return [
    `ここにはサイトがありましたが、データベース（${file}）がないか空です。新しいサイトとしては起動しません。`,
    backups.length > 0
      ? `控えから戻すには、次のどれか（上ほど新しい控えです）を実行してください。${backups.join('')}`
      : `控えは ${backupFolder(dataFolder)} に見つかりません。ほかに控えがあれば npm run restore -- 控えのファイル で戻してください。`,
    `データを破棄して新しく始めるときだけ、${secretFile(dataFolder)} を別の場所に移してください。`,
  ].join('\n')
}
