import { resolve } from 'node:path'
import { restoreBackup } from '../db/backup.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { databaseLocationOf } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'
import { showProgress } from './show-progress.ts'

const argument = process.argv[2]
const file = argument && resolve(process.env.INIT_CWD ?? '', argument)
prepareProcess()

try {
  if (!file) throw new Error('使い方: npm run restore -- 控えのファイル')
  const place = databaseLocationOf(readSettings(process.env))
  const { madeAt, rows } = await restoreBackup(file, place, showProgress)
  const madeAtText = new Date(madeAt).toLocaleString('ja-JP', {
    timeZone: 'Asia/Tokyo',
    dateStyle: 'long',
    timeStyle: 'short',
  })
  console.log(
    `${madeAtText}の控えから、${rows.toLocaleString('ja')}件をすべて戻しました。npm start でサイトが開きます。`,
  )
  console.log(`データの場所: ${place.url ? 'PostgreSQL（DATABASE_URL）' : place.file}`)
} catch (error) {
  console.error(errorSentence(error))
  console.error('何も変更していません。')
  process.exit(1)
}
