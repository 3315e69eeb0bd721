import { existsSync, readdirSync } from 'node:fs'
import { exitWithUsage, readArguments, resolvePath } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'
import { exportSite } from '../server/tools/export.ts'

const USAGE = 'npm run export -- 空のフォルダー'
const { word } = readArguments(USAGE)
if (!word) exitWithUsage(USAGE)
const folder = resolvePath(word)
prepareProcess()

try {
  if (existsSync(folder) && readdirSync(folder).length > 0) exitWithUsage(USAGE)
  await using db = await openSite(readSettings(process.env), { serving: false })
  const { documents, pictures } = await exportSite(db, folder)
  console.log(`文書 ${documents}件と写真 ${pictures}枚を ${folder} に書き出しました。`)
  console.log('メンバーの連絡先が入っています。人に渡すときは、ご注意ください。')
} catch (error) {
  console.error(`書き出せませんでした。${errorSentence(error)}`)
  process.exit(1)
}
