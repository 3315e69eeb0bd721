import { existsSync } from 'node:fs'
import { failureOf } from '../db/failure.ts'
import { exitWithUsage, readArguments, resolvePath } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'
import { type ImportReport, importExport } from '../server/tools/import.ts'
import { readExport } from '../server/tools/import-documents.ts'

const USAGE = 'npm run import -- フォルダーかファイル [--dry-run]'
const { word, options } = readArguments(USAGE, { options: ['dry-run'] })
const dryRun = options.includes('dry-run')
if (!word) exitWithUsage(USAGE)
const path = resolvePath(word)
if (!existsSync(path)) exitWithUsage(USAGE)
prepareProcess()

let report: ImportReport | undefined
try {
  const settings = readSettings(process.env)
  const found = readExport(path)
  if (found.documents.length === 0)
    throw new Error(
      ['取り込める文書がありません。書き出した JSON の場所をご確認ください。', ...found.oddities].join('\n'),
    )
  const db = await openSite(settings, { serving: false })
  report = await importExport(db, found, { dryRun, now: Date.now(), onProgress: console.error })
  printReport(report)
  await db.destroy()
} catch (error) {
  console.error(`${failureSentence(error)}${errorSentence(error)}`)
  process.exit(1)
}

function printReport({ documents, stored, already, leftOut, notKept, oddities }: ImportReport) {
  for (const oddity of oddities) console.log(oddity)
  const done = [
    `${dryRun ? '取り込めるもの' : '取り込んだもの'} ${stored}件`,
    `前に取り込んだもの ${already}件`,
    `元の文書だけを保存したもの ${leftOut}件`,
    `取り込まないもの ${notKept}件`,
  ]
  console.log(`\n文書 ${documents}件: ${done.join('、')}。気になる点 ${oddities.length}件。`)
  if (dryRun) console.log('確認だけを行いました。サイトの内容は変更していません。')
}

function failureSentence(error: unknown) {
  if (report) return '上のとおりに終わりましたが、後片付けに失敗しました。'
  return failureOf(error) === 'unknown'
    ? '取り込めたかどうかが分かりません。もう一度、同じものを取り込んでください。すでに取り込んだものは、重複しません。'
    : '取り込めませんでした。サイトの内容は変更していません。'
}
