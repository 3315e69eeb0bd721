import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { MAX_PASSKEYS } from './account-forms.ts'
import {
  addPasskey,
  type Browser,
  createAuthenticator,
  MINUTE_MS,
  requestChallenge,
  requestCreation,
  type Site,
  sendCreation,
  siteWithHana,
} from './testing-authenticator.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('adding a passkey', () => {
    test.each<[field: string, value: string, error: string]>([
      ['name', '', '名前を入力してください'],
      ['name', 'あ'.repeat(51), '名前は50文字までです'],
      ['current', '', 'パスワードを入力してください'],
      ['current', 'wrong', '現在のパスワードが正しくありません'],
    ])('rejects the field %s with the value "%s"', async (field, value, error) => {
      const { browser } = await siteWithHana(await fresh())
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
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const response = await attack({ site, browser })
      const { status, trouble } = await sendCreation(browser, response)
      expect([status, trouble, await passkeys()]).toEqual([
        400,
        'パスキーを追加できませんでした。もう一度お試しください。',
        [],
      ])
    })

    test('is refused for a passkey that another account has', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
      const stranger = await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
      const authenticator = await addPasskey(browser)
      const before = await passkeys()
      const { passkey } = await requestCreation(stranger)
      expect((await sendCreation(stranger, authenticator.create(passkey as never))).status).toBe(400)
      expect(await passkeys()).toEqual(before)
    })

    test('is refused when the password has changed since its start', async () => {
      const { site, browser, passkeys } = await siteWithHana(await fresh())
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
      const { site, browser } = await siteWithHana(await fresh())
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
      const { site, browser, passkeys } = await siteWithHana(await fresh())
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
      const { site, browser } = await siteWithHana(await fresh(), { verifies: true })
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      const { status, trouble, passkey } = await requestCreation(browser)
      expect([status, trouble, passkey]).toEqual([403, expect.stringContaining('先にメールアドレスを確認'), undefined])
    })
  })
})
