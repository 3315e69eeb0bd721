import { join } from 'node:path'
import { makeBackup } from '../db/backup.ts'
import { openDatabase, type Place } from '../db/open.ts'
import packageJson from '../package.json' with { type: 'json' }
import { backupFile } from './nightly-backups.ts'
import type { Settings } from './settings.ts'

type Where = Pick<Settings, 'dataFolder' | 'databaseUrl'>

/** Where the database of these settings is. */
export function placeOf({ dataFolder, databaseUrl }: Where): Place {
  return { url: databaseUrl, file: join(dataFolder, 'site.db') }
}

/** The site's migrated database, `serving` people or not; before it is migrated, a backup of it is made. */
export function openSite(settings: Where, { serving }: { serving: boolean }) {
  return openDatabase({
    ...placeOf(settings),
    serving,
    beforeMigrating: async (db, next) => {
      const file = backupFile(settings.dataFolder, `before-${next}`, Date.now())
      await makeBackup(db, file, { program: packageJson.version, now: Date.now() })
      console.log(`データベースを新しい形に改める前に、控えを作りました: ${file}`)
    },
  })
}
