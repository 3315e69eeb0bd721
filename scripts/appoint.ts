import { cleanEmail } from '../app/forms/email-address.ts'
import { appointAdministrator } from '../app/members/administration.server.ts'
import { appointStaff } from '../app/staff/staff.server.ts'
import { failureOf } from '../db/failure.ts'
import { exitWithUsage, readArguments } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'

const USAGE = 'npm run appoint -- メールアドレス'
const email = cleanEmail(readArguments(USAGE).word ?? '').toLowerCase()
if (!email) exitWithUsage(USAGE)
prepareProcess()

try {
  await using db = await openSite(readSettings(process.env), { serving: false })
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'name', 'emailVerified', 'deletedAt'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!account)
    throw new Error(`「${email}」のアカウントが見つかりません。先にサイトの「新規登録」でアカウントをお作りください。`)
  if (account.deletedAt)
    throw new Error(`「${email}」のアカウントは削除されています。サイトの「ごみ箱」から先に元に戻してください。`)
  const at = new Date().toISOString()
  const name = (await appointAdministrator(db, account.id, at)) ?? (await appointStaff(db, account, at))
  console.log(`${name || email} さん（${email}）を管理者にしました。`)
  if (!account.emailVerified)
    console.log('このメールアドレスは確認されていません。ご本人のアカウントかどうか、ご確認ください。')
} catch (error) {
  const isUnknown = failureOf(error) === 'unknown'
  const failureSentence = isUnknown
    ? '管理者にできたかどうかが分かりません。もう一度お試しください。'
    : '管理者にできませんでした。'
  console.error(`${failureSentence}${errorSentence(error)}`)
  process.exit(1)
}
