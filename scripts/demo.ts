import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../db/open.ts'
import { enterProjectFolder } from '../server/project-folder.ts'
import { settingNames } from '../server/settings.ts'

enterProjectFolder()
const folder = mkdtempSync(join(tmpdir(), 'noren-demo-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// The settings of the real site would send its notifications and use its secrets.
for (const name of settingNames) if (!['PORT', 'HOLIDAYS_URL', 'LOG_LEVEL'].includes(name)) process.env[name] = ''
process.env.DATA_DIR = folder
process.env.NODE_ENV = 'production'

// React reads NODE_ENV when it is first imported, so this import follows the assignment of NODE_ENV.
const { fillSampleShopWithMenu } = await import('../server/sample-menu.ts')
const { demoAccounts, hireStaff, openAccounts, registerPeople } = await import('../server/tools/demo.ts')

const PASSWORD = 'irasshaimase'
const db = await openDatabase({ file: join(folder, 'site.db') })
await fillSampleShopWithMenu(db, { wanted: true, now: Date.now() })
await openAccounts(db, PASSWORD, Date.now())
await registerPeople(db, Date.now())
await hireStaff(db, Date.now())
await db.destroy()

console.log(`デモ用のアカウント（パスワードはすべて ${PASSWORD} です）`)
for (const { name, email } of Object.values(demoAccounts)) console.log(`  ${name}  ${email}`)
await import('../server/main.ts')
