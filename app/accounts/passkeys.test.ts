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
import { MAX_PASSKEYS, PASSKEY_REFUSED } from './passkey-forms.ts'
import {
  addPasskey,
  createAuthenticator,
  requestChallenge,
  requestCreation,
  sendCreation,
  sendResponse,
} from './testing-authenticator.ts'

const MINUTE_MS = 60_000
type Site = Awaited<ReturnType<typeof sampleSite>>
type Browser = ReturnType<typeof browserOf>

const isSignedIn = async (browser: Browser) =>
  !(await browser.text('/account')).includes('ログインしてからご覧ください')

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const siteWithHana = async (options: { verifies?: boolean } = {}) => {
    const site = await sampleSite(await fresh(), {}, options)
    const browser = await signInBrowser(site, hana)
    const passkeys = () => site.db.selectFrom('passkeys').selectAll().orderBy('createdAt').execute()
    return { site, browser, passkeys }
  }

  /** Asserts that the response signs nobody in, with the one sentence for all failures. */
  const expectRefused = async (browser: Browser, response: object) => {
    expect(await sendResponse(browser, response)).toEqual({ status: 401, intent: 'passkey', trouble: PASSKEY_REFUSED })
    expect(await isSignedIn(browser)).toBe(false)
  }

  describe('a passkey', () => {
    test('is added after the password, signs in on another browser, and is listed with its last use', async () => {
      const { site, browser, passkeys } = await siteWithHana()
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
      const { site, browser, passkeys } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      for (const counter of [5, 2 ** 32 - 2, 2 ** 32 - 1]) {
        const other = browserOf(site)
        await sendResponse(other, authenticator.sign(await requestChallenge(other), { counter }))
        expect(await isSignedIn(other), `${counter}`).toBe(true)
      }
      expect(await passkeys()).toMatchObject([{ counter: 2 ** 32 - 1 }])
    })

    onSqlite('signs in with the counter 0 of authenticators that do not count', async () => {
      const { site, browser } = await siteWithHana()
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
      const { site, browser, passkeys } = await siteWithHana()
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
      const other = browserOf(site)
      await expectRefused(other, authenticator.sign(await requestChallenge(other)))
    })

    test('is in the data of the account without its key, in a backup, and ends with the account', async () => {
      const { site, browser, passkeys } = await siteWithHana()
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
      const { site, browser } = await siteWithHana()
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
      const { site, browser } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      const sessions = () => site.db.selectFrom('sessions').select('id').execute()
      const before = await sessions()
      await sendResponse(browser, authenticator.sign(await requestChallenge(browser)))
      expect(await isSignedIn(browser)).toBe(true)
      const after = await sessions()
      expect([after.length, after[0]?.id === before[0]?.id]).toEqual([1, false])
    })
  })

  describe('the sign-in with a passkey', () => {
    type Attack = (parts: {
      site: Site
      other: Browser
      authenticator: ReturnType<typeof createAuthenticator>
    }) => Promise<object>

    test.each<[name: string, attack: Attack]>([
      [
        'a forged signature',
        async ({ other, authenticator }) => {
          const challenge = await requestChallenge(other)
          const { response } = createAuthenticator().sign(challenge, { counter: 9 })
          const own = authenticator.sign(challenge, { counter: 9 })
          return { ...own, response: { ...own.response, signature: response.signature } }
        },
      ],
      [
        'the passkey of another account',
        async ({ site, other, authenticator }) => {
          const stranger = await addPasskey(await signInBrowser(site, { ...hana, email: 'stranger@example.jp' }))
          const own = authenticator.sign(await requestChallenge(other))
          return { ...own, id: stranger.id, rawId: stranger.id }
        },
      ],
      [
        'the user handle of another account',
        async ({ site, other, authenticator }) => {
          await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
          const accounts = site.db.selectFrom('accounts').select('id').where('email', '=', 'stranger@example.jp')
          const { id } = await accounts.executeTakeFirstOrThrow()
          return authenticator.sign(await requestChallenge(other), { handle: Buffer.from(id).toString('base64url') })
        },
      ],
      ['an unknown passkey', async ({ other }) => createAuthenticator().sign(await requestChallenge(other))],
      [
        'a used challenge',
        async ({ site, authenticator }) => {
          const first = browserOf(site)
          const challenge = await requestChallenge(first)
          const response = authenticator.sign(challenge)
          const cookies = [...first.cookies]
          await sendResponse(first, response)
          expect(await isSignedIn(first)).toBe(true)
          // The same browser, as if it had not received the response.
          const again = browserOf(site)
          for (const [name, value] of cookies) again.cookies.set(name, value)
          await expectRefused(again, response)
          return authenticator.sign(challenge)
        },
      ],
      [
        'a challenge that a failed sign-in has used',
        async ({ other, authenticator }) => {
          const challenge = await requestChallenge(other)
          await expectRefused(other, authenticator.sign(challenge, { origin: 'https://elsewhere.example' }))
          return authenticator.sign(challenge)
        },
      ],
      [
        'an expired challenge',
        async ({ site, other, authenticator }) => {
          const challenge = await requestChallenge(other)
          site.clock.now += 5 * MINUTE_MS
          return authenticator.sign(challenge)
        },
      ],
      [
        'the challenge of another browser',
        async ({ site, other, authenticator }) => {
          await requestChallenge(other)
          return authenticator.sign(await requestChallenge(browserOf(site)))
        },
      ],
      [
        'a challenge for adding a passkey',
        async ({ site, other, authenticator }) => {
          await requestChallenge(other)
          const { passkey } = await requestCreation(await signInBrowser(site, hana))
          return authenticator.sign(passkey as never)
        },
      ],
      [
        'a challenge of its own',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { challenge: Buffer.alloc(32).toString('base64url') }),
      ],
      [
        'another origin',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { origin: 'https://localhost' }),
      ],
      [
        'another relying party',
        async ({ other, authenticator }) =>
          authenticator.sign(await requestChallenge(other), { rpId: 'elsewhere.example' }),
      ],
      [
        'a user who was present but not verified',
        async ({ other, authenticator }) => authenticator.sign(await requestChallenge(other), { flags: 0x01 }),
      ],
      [
        'a counter that does not increase',
        async ({ other, authenticator }) => authenticator.sign(await requestChallenge(other), { counter: 1 }),
      ],
      ['an incomplete response', async ({ authenticator }) => ({ id: authenticator.id })],
      [
        'an ID that no database stores',
        async ({ other, authenticator }) => ({ ...authenticator.sign(await requestChallenge(other)), id: 'a\u0000' }),
      ],
    ])('is refused for %s', async (_, attack) => {
      const { site, browser, passkeys } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const response = await attack({ site, other, authenticator })
      const before = await passkeys()
      const accounts = await site.db.selectFrom('sessions').select('id').execute()
      await expectRefused(other, response)
      expect(await passkeys()).toEqual(before)
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual(accounts)
    })

    test('admits one of two simultaneous responses to the same challenge', async () => {
      const { site, browser } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const response = authenticator.sign(await requestChallenge(other))
      const replies = await Promise.all([sendResponse(other, response), sendResponse(other, response)])
      expect(replies.map(({ to }) => to ?? 'refused').sort()).toEqual(['/login/welcome', 'refused'])
    })

    onSqlite('limits the attempts with a passkey and the challenges of a network', async () => {
      const { site, browser } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      const other = browserOf(site)
      const challenge = await requestChallenge(other)
      const statuses = []
      for (let attempt = 0; attempt < 11; attempt += 1)
        statuses.push((await sendResponse(other, authenticator.sign(challenge, { origin: 'http://x.example' }))).status)
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
      const limited = await sendResponse(other, authenticator.sign(await requestChallenge(other)))
      expect([limited.status, await isSignedIn(other)]).toEqual([429, false])
      const counted = await site.db.selectFrom('attempts').select('key').execute()
      expect(JSON.stringify(counted)).not.toContain(authenticator.id)

      const far = browserOf(site, { address: '198.51.100.7' })
      for (let request = 0; request < 300; request += 1) await requestChallenge(far)
      expect(await requestChallenge(far)).toBeUndefined()
    })

    onSqlite('requires a verified address if the site verifies addresses', async () => {
      const { site, browser } = await siteWithHana({ verifies: true })
      const authenticator = await addPasskey(browser)
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      const other = browserOf(site)
      await expectRefused(other, authenticator.sign(await requestChallenge(other)))
    })
  })

  describe('adding a passkey', () => {
    test.each<[field: string, value: string, error: string]>([
      ['name', '', '名前を入力してください'],
      ['name', 'あ'.repeat(51), '名前は50文字までです'],
      ['current', '', 'パスワードを入力してください'],
      ['current', 'wrong', '現在のパスワードが正しくありません'],
    ])('rejects the field %s with the value "%s"', async (field, value, error) => {
      const { browser } = await siteWithHana()
      const { status, errors, passkey } = await requestCreation(browser, { [field]: value })
      expect([status, errors?.[field]?.[0], passkey]).toEqual([400, error, undefined])
    })

    type Attack = (parts: { site: Site; browser: Browser }) => Promise<object>
    const create = async (browser: Browser, changes = {}) => {
      const { passkey } = await requestCreation(browser)
      return createAuthenticator().create(passkey as never, changes)
    }

    test.each<[name: string, attack: Attack]>([
      ['another origin', ({ browser }) => create(browser, { origin: 'https://elsewhere.example' })],
      ['another relying party', ({ browser }) => create(browser, { rpId: 'elsewhere.example' })],
      ['a user who was present but not verified', ({ browser }) => create(browser, { flags: 0x41 })],
      [
        'an expired challenge',
        async ({ site, browser }) => {
          const response = await create(browser)
          site.clock.now += 5 * MINUTE_MS
          return response
        },
      ],
      ['the challenge of another session', async ({ site }) => create(await signInBrowser(site, hana))],
      [
        'a challenge of the sign-in',
        async ({ browser }) => {
          const challenge = await requestChallenge(browser)
          return createAuthenticator().create({ ...challenge, user: { id: 'x' } })
        },
      ],
      [
        'a used challenge',
        async ({ site, browser }) => {
          const response = await create(browser)
          await sendCreation(browser, response)
          await site.db.deleteFrom('passkeys').execute()
          return response
        },
      ],
      ['no response', async () => ({})],
    ])('is refused for %s', async (_, attack) => {
      const { site, browser, passkeys } = await siteWithHana()
      const response = await attack({ site, browser })
      const { status, trouble } = await sendCreation(browser, response)
      expect([status, trouble, await passkeys()]).toEqual([
        400,
        'パスキーを追加できませんでした。もう一度お試しください。',
        [],
      ])
    })

    test('is refused for a passkey that another account has', async () => {
      const { site, browser, passkeys } = await siteWithHana()
      const stranger = await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
      const authenticator = await addPasskey(browser)
      const before = await passkeys()
      const { passkey } = await requestCreation(stranger)
      expect((await sendCreation(stranger, authenticator.create(passkey as never))).status).toBe(400)
      expect(await passkeys()).toEqual(before)
    })

    test('is refused when the password has changed since its start', async () => {
      const { site, browser, passkeys } = await siteWithHana()
      const { passkey } = await requestCreation(browser)
      const intruder = browserOf(site)
      for (const [name, value] of browser.cookies) intruder.cookies.set(name, value)
      await browser.post('/account', { intent: 'password', current: hana.password, password: 'slice-low-8' })
      const response = await intruder.post('/account', {
        intent: 'add passkey',
        response: JSON.stringify(createAuthenticator().create(passkey as never)),
      })
      expect([response.status, await passkeys()]).toEqual([401, []])
    })

    onSqlite('requires a recent sign-in when the account has no password', async () => {
      const { site, browser } = await siteWithHana()
      const authenticator = await addPasskey(browser)
      await site.db.updateTable('signInMethods').set({ provider: 'google', password: null }).execute()
      const start = (minutes: number) =>
        site.db
          .updateTable('sessions')
          .set({ createdAt: new Date(noon - minutes * MINUTE_MS).toISOString() })
          .execute()
      await start(11)
      expect(await requestCreation(browser, { current: '' })).toMatchObject({ status: 403 })
      await start(9)
      const { status, passkey } = await requestCreation(browser, { current: '' })
      // The authenticator must not create a second passkey for the account.
      expect([status, JSON.stringify(passkey)]).toEqual([200, expect.stringContaining(authenticator.id)])
    })

    onSqlite('is refused beyond the maximum', async () => {
      const { site, browser, passkeys } = await siteWithHana()
      const { id: accountId } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      const row = { accountId, name: '', publicKey: '', counter: 0, createdAt: '', usedAt: null }
      const rows = Array.from({ length: MAX_PASSKEYS }, (_, index) => ({ ...row, id: `passkey-${index}` }))
      await site.db.insertInto('passkeys').values(rows).execute()
      expect(await requestCreation(browser)).toMatchObject({
        status: 409,
        trouble: expect.stringContaining('20個まで'),
      })
      expect(await passkeys()).toHaveLength(MAX_PASSKEYS)
    })

    onSqlite('requires a verified address if the site verifies addresses', async () => {
      const { site, browser } = await siteWithHana({ verifies: true })
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      const { status, trouble, passkey } = await requestCreation(browser)
      expect([status, trouble, passkey]).toEqual([403, expect.stringContaining('先にメールアドレスを確認'), undefined])
    })
  })

  describe('the e-mails about passkeys', () => {
    test('go to a verified address when a passkey is added or removed', async () => {
      const { site, browser } = await siteWithHana({ verifies: true })
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
      const { site, browser } = await siteWithHana()
      const { id: passkey } = await addPasskey(browser)
      await browser.post('/account', { intent: 'remove passkey', passkey })
      expect(site.mails).toEqual([])
    })
  })

  describe('the passkeys of an account', () => {
    test('end when the owner of an unverified address resets the password', async () => {
      const { site, browser, passkeys } = await siteWithHana()
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
      const { site, browser, passkeys } = await siteWithHana({ verifies: true })
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
    const { site, browser } = await siteWithHana()
    expect(await site.text('/login')).not.toContain('パスキー')
    expect(await site.text('/emaillogin')).not.toContain('パスキー')
    expect(await browser.text('/account')).toContain('対応しているブラウザで追加できます')
  })
})
