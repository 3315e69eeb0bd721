import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeBackup, restoreBackup } from '../../db/backup.ts'
import { openDatabase } from '../../db/open.ts'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import { redirectOf } from '../../server/testing-shop.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import {
  addPasskey,
  createAuthenticator,
  expectRefused,
  isSignedIn,
  MINUTE_MS,
  requestChallenge,
  requestCreation,
  sendCreation,
  sendResponse,
  siteWithHana,
} from './testing-authenticator.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('a passkey', () => {
    test('is added after the password, signs in on another browser, and is listed with its last use', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      expect(await browser.text('/account')).toContain('（パスワードでログイン）')
      const authenticator = await addPasskey(browser)
      expect(await passkeys()).toMatchObject([{ id: authenticator.id, name: '電話', counter: 1, usedAt: null }])
      expect(await browser.text('/account')).toMatch(/電話<br\/>.*2026年11月20日 12:00に追加、未使用/s)

      site.clock.now = noon + 60 * MINUTE_MS
      const other = browserOf(site, { headers: { 'user-agent': 'Mozilla/5.0 (iPhone) Safari' } })
      const challenge = await requestChallenge(other)
      expect(JSON.stringify(challenge)).not.toContain(authenticator.id)
      expect(await sendResponse(other, authenticator.sign(challenge))).toMatchObject({
        status: 200,
        to: '/login/welcome',
      })
      const account = await other.text('/account')
      expect(account).toContain('桜井 花 さん（パスワード・パスキーでログイン）')
      expect(account).toContain('最後のログインは2026年11月20日 13:00')
      expect(account).toContain('iPhone・Safari（この端末）')
      expect(await site.db.selectFrom('verifications').selectAll().execute()).toEqual([])
    })

    test('signs in again and again, with a counter above 31 bits', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      for (const counter of [5, 2 ** 32 - 2, 2 ** 32 - 1]) {
        const other = browserOf(site)
        await sendResponse(other, authenticator.sign(await requestChallenge(other), { counter }))
        expect(await isSignedIn(other), `${counter}`).toBe(true)
      }
      expect(await passkeys()).toMatchObject([{ counter: 2 ** 32 - 1 }])
    })

    onSqlite('signs in with the counter 0 of authenticators that do not count', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const authenticator = createAuthenticator()
      const { passkey } = await requestCreation(browser)
      await sendCreation(browser, authenticator.create(passkey as never, { counter: 0 }))
      for (let turn = 0; turn < 2; turn += 1) {
        const other = browserOf(site)
        await sendResponse(other, authenticator.sign(await requestChallenge(other), { counter: 0 }))
        expect(await isSignedIn(other)).toBe(true)
      }
    })

    test('is renamed and removed only by its account, and signs nobody in afterwards', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const passkey = authenticator.id
      const stranger = await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
      for (const intent of ['rename passkey', 'remove passkey'])
        expect((await stranger.post('/account', { intent, passkey, name: '盗' })).status, intent).toBe(404)
      expect(await passkeys()).toMatchObject([{ name: '電話' }])
      const renamed = await browser.post('/account', {
        intent: 'rename passkey',
        passkey,
        name: ' 台所の\tタブレット ',
      })
      expect(await renamed.text()).toContain('名前を変更しました。')
      expect(await passkeys()).toMatchObject([{ name: '台所の タブレット' }])
      const unnamed = await browser.post('/account', { intent: 'rename passkey', passkey, name: '' })
      expect([unnamed.status, await unnamed.text()]).toEqual([400, expect.stringContaining('名前を入力してください')])

      const removed = await browser.post('/account', { intent: 'remove passkey', passkey })
      expect(await removed.text()).toContain('パスキーを削除しました。')
      expect(await passkeys()).toEqual([])
      // The open page of another device still shows the passkey, so it must load its data again.
      const repeated = await browser.post('/account.data', { intent: 'remove passkey', passkey })
      expect([repeated.status, await repeated.text()]).toEqual([404, expect.stringContaining('isOutdated')])
      const other = browserOf(site)
      await expectRefused(other, authenticator.sign(await requestChallenge(other)))
    })

    test('is in the data of the account without its key, in a backup, and ends with the account', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const exported = await browser.text('/account/data')
      expect(JSON.parse(exported).passkeys).toEqual([
        { id: authenticator.id, name: '電話', createdAt: new Date(noon).toISOString(), usedAt: null },
      ])
      const folder = mkdtempSync(join(tmpdir(), 'noren-passkeys-'))
      const file = join(folder, 'taken.noren')
      await makeBackup(site.db, file, { program: '0.1.0', now: noon })
      await restoreBackup(file, { file: join(folder, 'site.db') })
      const restored = await openDatabase({ file: join(folder, 'site.db') })
      onTestFinished(() => restored.destroy())
      const restoredSite = await sampleSite(restored)
      const other = browserOf(restoredSite)
      await sendResponse(other, authenticator.sign(await requestChallenge(other)))
      expect(await other.text('/account')).toContain('桜井 花 さん')

      await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
      expect(await passkeys()).toEqual([])
      const late = browserOf(site)
      await expectRefused(late, authenticator.sign(await requestChallenge(late)))
    })

    test('signs nobody in while an administrator has removed the account', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const setDeletedAt = (deletedAt: string | null) => site.db.updateTable('accounts').set({ deletedAt }).execute()
      await setDeletedAt(new Date(noon).toISOString())
      const other = browserOf(site)
      await expectRefused(other, authenticator.sign(await requestChallenge(other)))
      await setDeletedAt(null)
      await sendResponse(other, authenticator.sign(await requestChallenge(other)))
      expect(await isSignedIn(other)).toBe(true)
    })

    test('ends the earlier session of its browser', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const authenticator = await addPasskey(browser)
      const sessions = () => site.db.selectFrom('sessions').select('id').execute()
      const before = await sessions()
      await sendResponse(browser, authenticator.sign(await requestChallenge(browser)))
      expect(await isSignedIn(browser)).toBe(true)
      const after = await sessions()
      expect([after.length, after[0]?.id === before[0]?.id]).toEqual([1, false])
    })
  })

  describe('the e-mails about passkeys', () => {
    test('go to a verified address when a passkey is added or removed', async () => {
      const { site, browser } = await siteWithHana(await fresh(), { verifies: true })
      const before = site.mails.length
      const { id: passkey } = await addPasskey(browser)
      await browser.post('/account', { intent: 'rename passkey', passkey, name: '別名' })
      await browser.post('/account', { intent: 'remove passkey', passkey })
      await browser.post('/account', { intent: 'remove passkey', passkey })
      expect(site.mails.slice(before).map(({ to, subject }) => [to, subject])).toEqual([
        [hana.email, '【ダイニング結】パスキーを追加しました'],
        [hana.email, '【ダイニング結】パスキーを削除しました'],
      ])
      expect(site.mails.at(-1)?.text).toContain('http://localhost/account')
    })

    onSqlite('do not go to an unverified address', async () => {
      const { site, browser } = await siteWithHana(await fresh())
      const { id: passkey } = await addPasskey(browser)
      await browser.post('/account', { intent: 'remove passkey', passkey })
      expect(site.mails).toEqual([])
    })
  })

  describe('the passkeys of an account', () => {
    test('end when the owner of an unverified address resets the password', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      await addPasskey(browser)
      const reset = async (password: string) => {
        await browserOf(site).post('/resetpassword', { email: hana.email })
        const token = findToken(findLink(site.mails.at(-1)))
        expect(redirectOf(await browserOf(site).post('/resetpassword', { token, password }))[1]).toContain(
          'newpassword',
        )
      }
      await reset('slice-low-8')
      expect(await passkeys()).toEqual([])
      // The reset has verified the address, so that the next reset keeps the passkeys.
      const again = browserOf(site)
      await again.post('/emaillogin', { email: hana.email, password: 'slice-low-8' })
      await addPasskey(again, { current: 'slice-low-8' })
      await reset('slice-low-9')
      expect(await passkeys()).toHaveLength(1)
    })

    test('end with the undo of a change of the e-mail address if they were added since', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh(), { verifies: true })
      const early = await addPasskey(browser)
      site.clock.now += MINUTE_MS
      await browser.post('/account', { intent: 'email', email: 'other@example.jp', current: hana.password })
      site.clock.now += MINUTE_MS
      await addPasskey(browser)
      const undo = findLink(site.mails.findLast(({ to, text }) => to === hana.email && text.includes('/undoaddress')))
      await browserOf(site).post('/undoaddress', { token: findToken(undo) })
      expect((await passkeys()).map(({ id }) => id)).toEqual([early.id])
    })

    onSqlite('are recommended to administrators without a passkey, and to nobody else', async () => {
      const site = await sampleSite(await fresh())
      await site.people()
      await site.staff()
      await openAccounts(site.db, hana.password, noon)
      const signIn = async (person: keyof typeof demoAccounts) => {
        const browser = browserOf(site)
        await browser.post('/emaillogin', { email: demoAccounts[person].email, password: hana.password })
        return browser
      }
      const hint = 'パスキーの追加をおすすめ'
      const administrator = await signIn('administrator')
      expect(await administrator.text('/account')).toContain(hint)
      expect(await (await signIn('approved')).text('/account')).not.toContain(hint)
      await addPasskey(administrator)
      expect(await administrator.text('/account')).not.toContain(hint)
    })
  })

  onSqlite('pages without scripts offer no passkey', async () => {
    const { site, browser } = await siteWithHana(await fresh())
    expect(await site.text('/login')).not.toContain('パスキー')
    expect(await site.text('/emaillogin')).not.toContain('パスキー')
    expect(await browser.text('/account')).toContain('対応しているブラウザで追加できます')
  })
})
