import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { addAccount } from '../app/accounts/accounts.server.ts'
import { openDatabase } from '../db/open.ts'
import { browserOf, sampleSite } from '../server/testing.ts'
import { runScript } from '../server/testing-process.ts'

test('makes the account with this e-mail address an administrator', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noren-appoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const db = await openDatabase({ file: join(folder, 'site.db') })
  onTestFinished(() => db.destroy())
  const site = await sampleSite(db)
  for (const email of ['tabino@example.jp', 'sakurai@example.jp']) {
    await browserOf(site).post('/signupform', { name: '誰か', email, password: 'toss-high-9' })
  }
  await site.people()
  const { id } = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', 'sakurai@example.jp')
    .executeTakeFirstOrThrow()
  await db.updateTable('members').set({ accountId: id }).where('accountId', '=', 'demo-approved').execute()
  const administrators = async () => {
    const rows = await db.selectFrom('members').select('username').where('administrator', '=', true).execute()
    return rows.map(({ username }) => username).sort()
  }

  const appoint = (...words: string[]) => runScript('appoint', words, { DATA_DIR: folder })
  const output = [await appoint(), await appoint('nobody@example.jp')]
  expect(output).toEqual([
    { code: 1, output: expect.stringContaining('使い方') },
    { code: 1, output: expect.stringContaining('「nobody@example.jp」のアカウントが見つかりません') },
  ])
  expect(await administrators()).toEqual(['暖簾 結'])
  const result = await appoint(' Sakurai@Example.JP ')
  expect(result.output).toContain('桜井 花 さん（sakurai@example.jp）を管理者にしました')
  expect(result.output).toContain('このメールアドレスは確認されていません')
  expect([result.code, await administrators()]).toEqual([0, ['暖簾 結', '桜井 花'].sort()])

  // An appointed account without a member becomes a staff member.
  const readStaff = () => db.selectFrom('staff').select(['name', 'role']).execute()
  expect(await readStaff()).toEqual([])
  await db.updateTable('accounts').set({ emailVerified: true }).where('email', '=', 'tabino@example.jp').execute()
  const { output: outputOfVerified } = await appoint('tabino@example.jp')
  expect(outputOfVerified).toContain('誰か さん（tabino@example.jp）を管理者にしました')
  expect(outputOfVerified).not.toContain('確認されていません')
  expect(await readStaff()).toEqual([{ name: '誰か', role: 'administration' }])
  expect(await administrators()).toEqual(['暖簾 結', '桜井 花'].sort())
})

/** Opens a site with the account `hana@example.jp`. */
async function siteWithAccount() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-appoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const db = await openDatabase({ file: join(folder, 'site.db') })
  onTestFinished(() => db.destroy())
  await addAccount(db, { id: 'a', name: '花', email: 'hana@example.jp', hash: 'none' }, new Date().toISOString())
  return { db, appoint: () => runScript('appoint', ['hana@example.jp'], { DATA_DIR: folder }) }
}

test('prints one sentence when the database fails after it was opened', async () => {
  const { db, appoint } = await siteWithAccount()
  await sql`create trigger failing before insert on staff begin select raise(abort, 'no staff today'); end`.execute(db)
  expect(await appoint()).toEqual({ code: 1, output: '管理者にできませんでした。no staff today\n' })
})

test('refuses a removed account, which cannot sign in', async () => {
  const { db, appoint } = await siteWithAccount()
  await db.updateTable('accounts').set({ deletedAt: new Date().toISOString() }).execute()
  expect(await appoint()).toEqual({
    code: 1,
    output: expect.stringContaining('「hana@example.jp」のアカウントは削除されています。'),
  })
  expect(await db.selectFrom('staff').selectAll().execute()).toEqual([])
})
