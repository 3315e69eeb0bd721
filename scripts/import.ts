import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pino from 'pino'
import { createLive } from '../app/live/announce.server.ts'
import { openChannel } from '../db/channel.ts'
import { importExport } from '../server/import/import.ts'
import { readExport } from '../server/import/import-documents.ts'
import { openSite } from '../server/open-site.ts'
import { readSettings } from '../server/settings.ts'

// Brings the documents of an older site in; with --dry-run it only says what would become of them.
const [given] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const dryRun = process.argv.includes('--dry-run')
if (!given || !existsSync(given)) {
  console.error('使い方: npm run import -- フォルダーかファイル [--dry-run]')
  process.exit(1)
}
const path = resolve(given)
process.chdir(join(import.meta.dirname, '..'))
if (existsSync('.env')) process.loadEnvFile('.env')

try {
  const settings = readSettings(process.env)
  const found = readExport(path)
  if (found.documents.length === 0)
    throw new Error('取り込める文書がありません。書き出した JSON の場所をお確かめください。')
  const db = await openSite(settings, { serving: false })
  // A site that is running shows what is new at once.
  const live = createLive(db, openChannel(settings.databaseUrl, { db, log: pino({ level: 'silent' }) }))
  const report = await importExport(db, found, { dryRun, now: Date.now(), onProgress: console.error })
  await live.close()
  await db.destroy()

  for (const oddity of report.oddities) console.log(oddity)
  console.log(
    `\n文書 ${report.documents}件: ${dryRun ? '取り込めるもの' : '取り込んだもの'} ${report.stored}件、前に取り込んだもの ${report.already}件、控えだけのもの ${report.leftOut}件。気になる点 ${report.oddities.length}件。`,
  )
  if (dryRun) console.log('確かめただけです。何も変えていません。')
} catch (error) {
  console.error(`取り込めませんでした。何も変えていません。${(error as Error).message}`)
  process.exit(1)
}
