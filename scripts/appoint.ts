import { cleanEmail } from '../app/forms/email-address.ts'
import { appointAdministrator } from '../app/members/administration.server.ts'
import { appointStaff } from '../app/staff/staff.server.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'

prepareProcess()
const email = cleanEmail(process.argv[2] ?? '').toLowerCase()
if (!email) fail('使い方: npm run appoint -- メールアドレス')

const db = await openDatabase().catch((error: Error) => fail(error.message))
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
