import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackup } from '../db/backup.ts'
import { openDatabase, type Place } from '../db/open.ts'
import packageJson from '../package.json' with { type: 'json' }
import { secretFile } from './secret.ts'
import type { Settings } from './settings.ts'
import { backupFile, backupFolder, listBackups } from './tasks/backups.ts'

type Where = Pick<Settings, 'dataFolder' | 'databaseUrl'>

export function placeOf({ dataFolder, databaseUrl }: Where): Place {
  return { url: databaseUrl, file: join(dataFolder, 'site.db') }
}

/** Opens and migrates the database, after a backup. Throws if the database of an existing site is missing. */
export async function openSite(settings: Where, { serving }: { serving: boolean }) {
  const place = placeOf(settings)
  const isThere = place.url || (existsSync(place.file) && statSync(place.file).size > 0)
  if (!isThere && existsSync(secretFile(settings.dataFolder))) throw new Error(await databaseLost(settings))
  if (!place.url) closeToOthers(place.file)
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

// Earlier versions created a database that all users of the machine could read. The doctor reports any left open.
function closeToOthers(file: string) {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(part, 0o600)
    } catch {}
  }
}

// A new database would have no owner, and the first visitor could take over the site.
async function databaseLost({ dataFolder, databaseUrl }: Where) {
  const { file } = placeOf({ dataFolder, databaseUrl })
  const last = (await listBackups(dataFolder)).slice(-3).reverse()
  const backups = last.map(({ name }) => `\n  npm run restore -- ${join(backupFolder(dataFolder), name)}`)
  return [
    `ここにはサイトがありましたが、データベース（${file}）がないか空です。新しいサイトとしては起動しません。`,
    backups.length > 0
      ? `控えから戻すには、次のどれか（上ほど新しい控えです）を実行してください。${backups.join('')}`
      : `控えは ${backupFolder(dataFolder)} に見つかりません。ほかに控えがあれば npm run restore -- 控えのファイル で戻してください。`,
    `データを破棄して新しく始めるときだけ、${secretFile(dataFolder)} を別の場所に移してください。`,
  ].join('\n')
}
