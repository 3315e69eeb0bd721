import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { hireByInvitation, openShop, owner } from '../../server/testing-shop.ts'
import { removeAccountIntent } from './staff.ts'

const minoru = { name: '土鍋 実', email: 'minoru@example.jp', password: 'minoru-low-7' }

onEachEngine((fresh) => {
  async function shop() {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const stranger = await signInBrowser(site, hana)
    const staff = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    const accountOf = (email: string) =>
      site.db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
    const remove = async (browser: typeof adminBrowser, email: string) => {
      const { id, version } = await accountOf(email)
      return browser.post('/staff', { intent: removeAccountIntent(id), id, version: String(version) })
    }
    const lastSave = async () => {
      const last = site.db.selectFrom('revisions').select('saveId').where('subject', '=', 'account')
      return (await last.orderBy('version', 'desc').executeTakeFirstOrThrow()).saveId ?? ''
    }
    return { ...site, adminBrowser, stranger, staff, accountOf, remove, lastSave }
  }

  test('lists accounts without a role only to administrators', async () => {
    const { adminBrowser, staff, stranger } = await shop()
    const section = (await adminBrowser.text('/staff')).split('権限のないアカウント')[1] ?? ''
    expect(section).toContain(hana.email)
    for (const { email } of [owner, minoru]) expect(section.split('</ul>')[0]).not.toContain(email)
    expect(await staff.text('/staff')).not.toContain(hana.email)
    expect(await stranger.text('/staff')).not.toContain('権限のないアカウント')
  })

  test('ends the sessions of a removed account and rejects sign-in until the account is restored', async () => {
    const { adminBrowser, stranger, remove, lastSave, app } = await shop()
    const response = await remove(adminBrowser, hana.email)
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('アカウントを削除しました。'),
    ])
    expect(await stranger.text('/account')).toContain('ログインしてからご覧ください')
    expect((await adminBrowser.text('/staff')).split('<script')[0]).not.toContain(hana.email)
    const browser = browserOf({ app })
    expect((await browser.post('/emaillogin', hana)).status).toBe(401)
    expect(await browser.text('/account')).toContain('ログインしてからご覧ください')

    expect(await adminBrowser.text('/bin')).toContain(hana.name)
    expect((await adminBrowser.post('/undo', { save: await lastSave() })).status).toBe(200)
    expect((await browser.post('/emaillogin', hana)).status).toBe(302)
    expect(await browser.text('/account')).toContain(hana.email)
  })

  test('restores a removed account from the bin', async () => {
    const { adminBrowser, remove, accountOf, app } = await shop()
    await remove(adminBrowser, hana.email)
    const { id } = await accountOf(hana.email)
    expect((await adminBrowser.post('/bin', { kind: 'account', id })).status).toBe(200)
    expect((await browserOf({ app }).post('/emaillogin', hana)).status).toBe(302)
  })

  test('rejects the removal of an account that has a role', async () => {
    const { adminBrowser, staff, stranger, remove, accountOf } = await shop()
    expect((await remove(adminBrowser, minoru.email)).status).toBe(409)
    expect((await remove(adminBrowser, owner.email)).status).toBe(409)
    for (const browser of [staff, stranger]) expect((await remove(browser, hana.email)).status).toBe(403)
    for (const { email } of [minoru, owner, hana]) expect(await accountOf(email)).toMatchObject({ deletedAt: null })
    expect((await staff.get('/account')).status).toBe(200)
  })

  test('sends no e-mail for a password reset to a removed account', async () => {
    const { adminBrowser, remove, mails, app } = await shop()
    await remove(adminBrowser, hana.email)
    await browserOf({ app }).post('/resetpassword', { intent: 'request', email: hana.email })
    expect(mails.filter(({ to }) => to === hana.email)).toEqual([])
  })

  test('erases the history of an account when its owner deletes the account', async () => {
    const { adminBrowser, remove, lastSave, app, db } = await shop()
    await remove(adminBrowser, hana.email)
    await adminBrowser.post('/undo', { save: await lastSave() })
    const browser = browserOf({ app })
    await browser.post('/emaillogin', hana)
    await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
    expect(await db.selectFrom('revisions').select('id').where('subject', '=', 'account').execute()).toEqual([])
    expect((await adminBrowser.text('/bin')).includes(hana.email)).toBe(false)
  })
})
