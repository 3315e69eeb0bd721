import { restoreBackup } from '../db/backup.ts'
import { failureOf } from '../db/failure.ts'
import type { Place } from '../db/open.ts'
import { exitWithUsage, readArguments, resolvePath } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { databaseLocationOf } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { type BackupBucket, readSettings } from '../server/settings.ts'
import { bucketLabel } from '../server/tasks/s3-bucket.ts'
import { listS3Copies, withS3Copy } from '../server/tasks/s3-copies.ts'
import { showProgress } from './show-progress.ts'

// `s3` lists the copies in the bucket, and `s3:SITE/NAME` restores a copy. Every other argument is a file.
const USAGE = 'npm run restore -- 控えのファイル（クラウドの保管先の一覧は npm run restore -- s3）'
const argument = readArguments(USAGE).word
if (!argument) exitWithUsage(USAGE)
const file = resolvePath(argument)
prepareProcess()

try {
  const settings = readSettings(process.env)
  const place = databaseLocationOf(settings)
  if (argument === 's3') await printCopies(bucketOf(settings))
  else if (argument.startsWith('s3:')) {
    const options = { dataFolder: settings.dataFolder, bucket: bucketOf(settings), progress: reportDownload() }
    await withS3Copy(argument.slice('s3:'.length), options, (copy) => restore(copy, place))
  } else await restore(file, place)
} catch (error) {
  console.error(errorSentence(error))
  console.error(
    failureOf(error) === 'unknown'
      ? '戻せたかどうかが分かりません。npm start で開いて、内容をご確認ください。'
      : '何も変更していません。',
  )
  process.exit(1)
}

function bucketOf({ backupBucket }: { backupBucket: BackupBucket | null }) {
  if (!backupBucket)
    throw new Error('設定 BACKUP_S3_BUCKET などがありません。控えを送ったクラウドの保管先を .env に書いてください。')
  return backupBucket
}

async function printCopies(bucket: BackupBucket) {
  const copies = await listS3Copies(bucket)
  if (copies.length === 0) console.log(`${bucketLabel(bucket.name)}に、控えはありません。`)
  else console.log(`${bucketLabel(bucket.name)}の控え（新しい順）。行をそのまま実行すると、その控えから戻します。`)
  for (const { site, name, size } of copies.reverse())
    console.log(`npm run restore -- s3:${site}/${name}    # ${formatMegabytes(size)}`)
}

function reportDownload() {
  let received = 0
  return (bytes: number) => {
    received += bytes
    showProgress('受け取っています', formatMegabytes(received))
  }
}

function formatMegabytes(bytes: number) {
  return `${(bytes / 1024 ** 2).toLocaleString('ja', { maximumFractionDigits: 1 })} MB`
}

async function restore(file: string, place: Place) {
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
}
