import { cleanEmail } from '../app/forms/email-address.ts'
import { appointAdministrator } from '../app/members/administration.server.ts'
import { appointStaff } from '../app/staff/staff.server.ts'
import { openSite } from '../server/open-site.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { readSettings } from '../server/settings.ts'

// Makes an administrator from the server, in case the site has none.
prepareProcess()
const mail = cleanEmail(process.argv[2] ?? '').toLowerCase()
if (!mail) stop('使い方: npm run appoint -- メールアドレス')

const db = await open().catch((error: Error) => stop(error.message))
const account = await db
  .selectFrom('accounts')
  .select(['id', 'name', 'emailVerified'])
  .where('email', '=', mail)
  .executeTakeFirst()
if (!account) stop(`「${mail}」のアカウントが見つかりません。先にサイトの「新規登録」でアカウントをお作りください。`)
const at = new Date().toISOString()
const name = (await appointAdministrator(db, account.id, at)) ?? (await appointStaff(db, account, at))
await db.destroy()

console.log(`${name || mail} さん（${mail}）を管理者にしました。`)
if (!account.emailVerified)
  console.log('このメールアドレスは確認されていません。ご本人のアカウントかどうか、ご確認ください。')

async function open() {
  return openSite(readSettings(process.env), { serving: false })
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
