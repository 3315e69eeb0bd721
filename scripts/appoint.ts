import { cleanEmail } from '../app/forms/email-address.ts'
import { appointAdministrator } from '../app/members/administration.server.ts'
import { appointStaff } from '../app/staff/staff.server.ts'
import { exitWithUsage, readArguments } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'

const USAGE = 'npm run appoint -- メールアドレス'
const email = cleanEmail(readArguments(USAGE).word ?? '').toLowerCase()
if (!email) exitWithUsage(USAGE)
prepareProcess()

const db = await openDatabase().catch((error) => fail(errorSentence(error)))
const account = await db
  .selectFrom('accounts')
  .select(['id', 'name', 'emailVerified'])
  .where('email', '=', email)
  .executeTakeFirst()
if (!account) fail(`「${email}」のアカウントが見つかりません。先にサイトの「新規登録」でアカウントをお作りください。`)
const at = new Date().toISOString()
const name = (await appointAdministrator(db, account.id, at)) ?? (await appointStaff(db, account, at))
await db.destroy()

console.log(`${name || email} さん（${email}）を管理者にしました。`)
if (!account.emailVerified)
  console.log('このメールアドレスは確認されていません。ご本人のアカウントかどうか、ご確認ください。')

async function openDatabase() {
  return openSite(readSettings(process.env), { serving: false })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
