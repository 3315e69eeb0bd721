import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connect, openDatabase } from '../../db/open.ts'
import { freshPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { openLine } from '../../db/testing-line.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { createApp } from '../../server/app.ts'
import { browserOf, createTestDependencies, fillSampleSite, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { createInvitation, openShop, owner } from '../../server/testing-shop.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { client, signInAtProvider, startOpenIdProvider } from '../../tests/e2e/openid-provider.ts'
import { addImportedMember } from '../members/imported.server.ts'
import { memberFieldNames } from '../members/member.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'
import { countAttempt } from '../platform/attempts.server.ts'

let provider: Awaited<ReturnType<typeof startOpenIdProvider>>
beforeAll(async () => {
  provider = await startOpenIdProvider()
})
afterAll(() => provider.stop())

const settings = () => ({ google: { ...client, discoveryUrl: provider.discoveryUrl } })
const redirectOf = (response: Response) => [
  response.status,
  response.headers.get('location')?.replace('http://localhost', ''),
]
type Browser = ReturnType<typeof browserOf>
type Site = Awaited<ReturnType<typeof sampleSite>>
type Choice = Parameters<typeof signInAtProvider>[1]

/** Signs in at the test provider as `choice`. Returns the response of the callback. */
async function signInAtGoogle(browser: Browser, choice: Choice, start = '/login/google') {
  const redirect = await browser.get(start)
  const callbackUrl = await signInAtProvider(redirect.headers.get('location') ?? '', choice)
  return browser.get(callbackUrl.slice('http://localhost'.length))
}

/** Signs in at the test provider and follows all redirects. Returns the path and the HTML of the last page. */
async function signInAndFollow(browser: Browser, choice: Choice, start?: string) {
  let response = await signInAtGoogle(browser, choice, start)
  let path = ''
  for (let location = response.headers.get('location'); location; location = response.headers.get('location')) {
    path = location.replace('http://localhost', '')
    response = await browser.get(path)
  }
  return [path, await response.text()] as const
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('Google sign-in', () => {
    test('creates an account without stored tokens, and opens the same account at the next sign-in', async () => {
      const site = await sampleSite(await fresh(), settings())
      const browser = browserOf(site)
      const choice = { email: 'Midori@example.jp', name: '緑', verified: true }
      expect(redirectOf(await signInAtGoogle(browser, choice))).toEqual([302, '/login/finished'])
      expect([...browser.cookies.keys()]).toEqual(['noren.session_token'])
      expect(redirectOf(await browser.get('/login/finished'))).toEqual([302, '/login/welcome'])
      expect(await browser.text('/account')).toContain('midori@example.jp（確認済み')
      await signInAtGoogle(browserOf(site), choice)
      expect(await site.db.selectFrom('accounts').select(['email', 'name', 'emailVerified']).execute()).toEqual([
        { email: 'midori@example.jp', name: '緑', emailVerified: true },
      ])
      const methods = await site.db.selectFrom('signInMethods').selectAll().execute()
      expect(methods).toEqual([
        expect.objectContaining({ provider: 'google', accessToken: null, idToken: null, refreshToken: null }),
      ])
      expect(await site.db.selectFrom('verifications').selectAll().execute()).toEqual([])
      expect(site.mails).toEqual([])
    })

    test('creates an account only for a valid invitation when the circle is hidden', async () => {
      const site = await sampleSite(await fresh(), settings())
      const shop = await openShop(site)
      const knownChoice = { email: 'midori@example.jp', name: '緑', verified: true }
      await signInAtGoogle(browserOf(site), knownChoice)
      const page = await readPageToEdit(site.db, 'tennisrelated')
      const author = { accountId: null, at: new Date(noon).toISOString() }
      await savePage(site.db, 'tennisrelated', { version: page?.version ?? 0, facts: { shown: false } }, author)

      const stranger = { email: 'new@example.jp', name: '新', verified: true }
      for (const start of ['/login/google', '/login/google?for=backup', '/login/google?for=invitation&key=forged'])
        expect(redirectOf(await signInAtGoogle(browserOf(site), stranger, start))[1]).toMatch(
          /[?&]error=signup_disabled/,
        )
      const emails = () => site.db.selectFrom('accounts').select('email').orderBy('email').execute()
      expect(await emails()).toEqual([{ email: knownChoice.email }, { email: owner.email }])
      expect(await browserOf(site).text('/login?problem=noAccount')).toContain('登録されていません')

      const secondBrowser = browserOf(site)
      await signInAtGoogle(secondBrowser, knownChoice)
      expect(await secondBrowser.text('/account')).toContain(knownChoice.email)
      const key = await createInvitation(shop)
      await signInAtGoogle(browserOf(site), stranger, `/login/google?for=invitation&key=${key}`)
      expect(await emails()).toEqual([{ email: knownChoice.email }, { email: stranger.email }, { email: owner.email }])
    })

    test.each(['account', 'backup'])(
      'neither creates an account nor changes the session when a reauthentication for %s chooses another address',
      async (target) => {
        const site = await sampleSite(await fresh(), settings())
        const browser = browserOf(site)
        await signInAtGoogle(browser, { email: 'midori@example.jp', name: '緑', verified: true })
        const [sessionBefore] = browser.cookies.values()
        const [path, html] = await signInAndFollow(
          browser,
          { email: 'other@example.jp', name: '別', verified: true },
          `/login/google?for=${target}`,
        )
        expect(path).toBe(`/${target}?problem=noAccount`)
        expect(html).not.toContain('other@example.jp')
        expect(await site.db.selectFrom('accounts').select('email').execute()).toEqual([{ email: 'midori@example.jp' }])
        expect(await site.db.selectFrom('sessions').select('id').execute()).toHaveLength(1)
        expect([...browser.cookies.values()]).toEqual([sessionBefore])
        expect(await browser.text('/account')).toContain('midori@example.jp（確認済み')
      },
    )

    test.each(['account', 'backup'])(
      'refuses another existing account in a reauthentication for %s, and keeps the session',
      async (target) => {
        const site = await sampleSite(await fresh(), settings())
        const other = { email: 'other@example.jp', name: '別', verified: true }
        await signInAtGoogle(browserOf(site), other)
        const browser = browserOf(site)
        const own = { email: 'midori@example.jp', name: '緑', verified: true }
        await signInAtGoogle(browser, own)
        const cookiesBefore = new Map(browser.cookies)
        const [path, html] = await signInAndFollow(browser, other, `/login/google?for=${target}`)
        expect(path).toBe(`/${target}?problem=otherAccount`)
        if (target === 'account') expect(html).toContain('ログイン中のアカウントとは別のGoogleアカウント')
        expect(browser.cookies).toEqual(cookiesBefore)
        expect(await browser.text('/account')).toContain('midori@example.jp（確認済み')
        expect(await site.db.selectFrom('sessions').select('id').execute()).toHaveLength(2)

        expect((await signInAndFollow(browser, own, `/login/google?for=${target}`))[0]).toBe(`/${target}`)
        expect(browser.cookies).not.toEqual(cookiesBefore)
      },
    )

    onSqlite('does not open a password account when its e-mail address is unverified', async () => {
      const site = await sampleSite(await fresh(), settings())
      await browserOf(site).post('/signupform', hana)
      const browser = browserOf(site)
      const response = await signInAtGoogle(browser, { email: hana.email, name: '別人', verified: true })
      expect(redirectOf(response)).toEqual([302, '/login/finished?error=account_not_linked'])
      expect(redirectOf(await browser.get('/login/finished?error=account_not_linked'))).toEqual([
        302,
        '/login?problem=notJoined',
      ])
      expect(await browser.text('/login?problem=notJoined')).toContain(
        'メールアドレスとパスワードでログインしてください',
      )
      expect(await browser.text('/account')).toContain('ログインしてからご覧ください')
      expect(await site.db.selectFrom('signInMethods').select('provider').execute()).toEqual([
        { provider: 'credential' },
      ])
    })

    test('links a verified password account only when Google has verified the address, and notifies the owner', async () => {
      const site = await sampleSite(await fresh(), settings())
      await browserOf(site).post('/signupform', hana)
      await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
      const rejected = await signInAtGoogle(browserOf(site), { email: hana.email, name: '花', verified: false })
      expect(redirectOf(rejected)).toEqual([302, '/login/finished?error=email_not_found'])
      expect(site.mails).toEqual([])

      const browser = browserOf(site)
      await signInAtGoogle(browser, { email: hana.email, name: '花', verified: true })
      expect(await browser.text('/account')).toContain('パスワード・Google')
      expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
        ['hana@example.jp', '【ダイニング結】Googleアカウントでのログインを追加しました'],
      ])
      expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(302)
      expect(await site.db.selectFrom('accounts').select('name').execute()).toEqual([{ name: '桜井 花' }])
    })

    onSqlite('verifies the e-mail address of a linked account only when Google has verified this address', async () => {
      const site = await sampleSite(await fresh(), settings())
      const choice = { email: 'midori@example.jp', name: '緑', verified: true }
      await signInAtGoogle(browserOf(site), choice)
      for (const [email, emailVerified] of [
        ['other@example.jp', false],
        [choice.email, true],
      ] as const) {
        await site.db.updateTable('accounts').set({ email, emailVerified: false }).execute()
        await signInAtGoogle(browserOf(site), choice)
        expect(await site.db.selectFrom('accounts').select(['email', 'emailVerified']).execute()).toEqual([
          { email, emailVerified },
        ])
      }
    })

    onSqlite('starts no session for a removed account and creates no account for a reserved address', async () => {
      const site = await sampleSite(await fresh(), settings())
      const choice = { email: 'midori@example.jp', name: '緑', verified: true }
      await signInAtGoogle(browserOf(site), choice)
      const { id: accountId } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      await site.db.deleteFrom('sessions').execute()
      await site.db
        .updateTable('accounts')
        .set({ deletedAt: new Date(noon).toISOString() })
        .execute()
      const removed = await signInAtGoogle(browserOf(site), choice)
      expect(redirectOf(removed)).toEqual([302, '/login/finished?error=unable_to_create_session'])

      const email = 'earlier@example.jp'
      const expiresAt = new Date(noon + 1).toISOString()
      await site.db
        .insertInto('mailedLinks')
        .values({ key: 'undo', purpose: 'undo', accountId, email, expiresAt })
        .execute()
      const reserved = await signInAtGoogle(browserOf(site), { ...choice, email })
      expect(redirectOf(reserved)).toEqual([302, '/login/finished?error=unable_to_create_user'])
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual([])
      expect(await site.db.selectFrom('accounts').select('id').execute()).toEqual([{ id: accountId }])
    })

    onSqlite.each([
      [-1, '/login/finished'],
      [0, '/login/finished?error=state_mismatch'],
    ])('accepts the callback until ten minutes have passed (%i ms)', async (difference, expected) => {
      const site = await sampleSite(await fresh(), settings())
      // Another browser has a pending sign-in of its own.
      await browserOf(site).get('/login/google')
      const browser = browserOf(site)
      const redirect = await browser.get('/login/google')
      const choice = { email: 'midori@example.jp', name: '緑', verified: true }
      const callbackUrl = await signInAtProvider(redirect.headers.get('location') ?? '', choice)
      site.clock.now += 10 * 60_000 + difference
      expect(redirectOf(await browser.get(callbackUrl.slice('http://localhost'.length)))).toEqual([302, expected])
    })

    onSqlite('opens the same account at each of four sign-ins', async () => {
      const site = await sampleSite(await fresh(), settings())
      // Another user has a password account. A query without an owner would therefore return a random sign-in method.
      await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      const choice = { email: 'midori@example.jp', name: '緑', verified: true }
      const ids = new Set<string>()
      for (let time = 1; time <= 4; time += 1) {
        const browser = browserOf(site)
        const registrationPage = ['/login/welcome', expect.stringContaining('先にメンバー情報を登録してください')]
        expect(await signInAndFollow(browser, choice)).toEqual(registrationPage)
        expect(await browser.text('/account')).toContain('midori@example.jp（確認済み')
        const last = await site.db.selectFrom('sessions').select('accountId').orderBy('updatedAt', 'desc').execute()
        ids.add(last[0]?.accountId ?? '')
      }
      expect(ids.size).toBe(1)
      expect(await site.db.selectFrom('accounts').select('id').execute()).toHaveLength(2)
    })

    onSqlite(
      'opens the same account at each sign-in when the user has a password or is an imported member',
      async () => {
        const site = await sampleSite(await fresh(), settings())
        await signInBrowser(site, hana)
        await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
        const at = new Date(site.clock.now).toISOString()
        const textFields = Object.fromEntries(memberFieldNames.map((name) => [name, 'あ'])) as Record<string, string>
        const imported = {
          ...textFields,
          id: 'imported',
          email: 'Midori@example.jp',
          accountname: '緑',
          birthday: null,
          realname: null,
        }
        const columns = { nonMemberId: null, administrator: false, admin: true, createdAt: at, updatedAt: at }
        await site.db
          .transaction()
          .execute((trx) => addImportedMember(trx, { ...imported, ...columns } as never, { accountId: null, at }))
        for (const [choice, arrives] of [
          [{ email: hana.email, name: '花', verified: true }, '/login/welcome'],
          [{ email: 'midori@example.jp', name: '緑', verified: true }, '/'],
        ] as const) {
          for (let time = 1; time <= 3; time += 1) {
            const browser = browserOf(site)
            expect((await signInAndFollow(browser, choice))[0]).toBe(arrives)
            expect(await browser.text('/account')).toContain(choice.email)
          }
        }
        const owners = await site.db.selectFrom('members').select(['id', 'accountId']).execute()
        expect(owners).toEqual([{ id: 'imported', accountId: expect.any(String) }])
        expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(302)
      },
    )

    test('ends only the previous session of this browser, as a password sign-in does', async () => {
      const site = await sampleSite(await fresh(), settings())
      const endedSessions: unknown[] = []
      onTestFinished(site.live.subscribe((event) => void endedSessions.push(event)))
      const otherBrowser = await signInBrowser(site, hana)
      const browser = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      const cookiesBefore = new Map(browser.cookies)
      const sessions = () => site.db.selectFrom('sessions').select('id').execute()
      expect((await browser.post('/emaillogin', { ...hana, password: 'not-this-one' })).status).toBe(401)
      expect(await browser.text('/account')).toContain('other@example.jp')
      expect(await sessions()).toHaveLength(2)

      expect((await browser.post('/emaillogin', hana)).status).toBe(302)
      expect(await sessions()).toHaveLength(2)
      await signInAtGoogle(browser, 'cancel')
      expect(await browser.text('/account')).toContain(hana.email)
      await signInAndFollow(browser, { email: 'midori@example.jp', name: '緑', verified: true })
      expect(await browser.text('/account')).toContain('midori@example.jp')
      expect(await sessions()).toHaveLength(2)
      expect(endedSessions).toHaveLength(2)

      const thief = browserOf(site)
      for (const [name, value] of cookiesBefore) thief.cookies.set(name, value)
      expect(await thief.text('/account')).toContain('ログインしてからご覧ください')
      expect(await otherBrowser.text('/account')).toContain(hana.email)
    })

    onSqlite('returns the outcome of a popup to the page that opened the popup', async () => {
      const site = await sampleSite(await fresh(), settings())
      const browser = browserOf(site)
      const popup = '/login/google?window=popup'
      const cancelled = await signInAtGoogle(browser, 'cancel', popup)
      expect(cancelled.headers.get('location')).toMatch(/\/login\/finished\?window=popup&error=access_denied/)
      const html = await browser.text('/login/finished?window=popup&error=access_denied')
      expect(html).toContain('href="/login?problem=cancelled"')
      const arrived = await signInAtGoogle(browser, { email: 'a@example.jp', name: 'あ', verified: true }, popup)
      expect(arrived.headers.get('location')).toMatch(/\/login\/finished\?window=popup$/)
      // A Cross-Origin-Opener-Policy header would separate the popup from the page that opened the popup.
      expect(arrived.headers.get('cross-origin-opener-policy')).toBeNull()
      const finished = await browser.get('/login/finished?window=popup')
      expect(finished.headers.get('cross-origin-opener-policy')).toBeNull()
      expect(await finished.text()).toContain('href="/login/welcome"')
    })

    onSqlite(
      'returns to the backup page after reauthentication, and shows the error when reauthentication fails',
      async () => {
        const site = await sampleSite(await fresh(), settings())
        await site.people()
        const browser = browserOf(site)
        const choice = { email: demoAccounts.administrator.email, name: '結', verified: true }
        await signInAtGoogle(browser, choice)
        const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
        await site.db.updateTable('members').set({ accountId: id }).where('administrator', '=', true).execute()
        const oneHourAgo = new Date(site.clock.now - 60 * 60_000).toISOString()
        await site.db.updateTable('sessions').set({ createdAt: oneHourAgo }).execute()
        const [, start = ''] = /href="(\/login\/google[^"]*)"/.exec(await browser.text('/backup')) ?? []

        const cancelled = await signInAtGoogle(browser, 'cancel', start)
        const finishedPath = (cancelled.headers.get('location') ?? '').replace('http://localhost', '')
        expect(redirectOf(await browser.get(finishedPath))).toEqual([302, '/backup?problem=cancelled'])
        expect(await browser.text('/backup?problem=cancelled')).toContain('Googleでのログインは取り消されました')

        const [path, page] = await signInAndFollow(browser, choice, start)
        expect(path).toBe('/backup')
        expect(page).not.toContain('/login/google')
        const download = await browser.post('/backup', {})
        expect([download.status, await download.text()]).toEqual([200, expect.stringContaining('/backup/file?permit=')])
      },
    )

    onSqlite('accepts the callback only once, and only from the browser that started the sign-in', async () => {
      const site = await sampleSite(await fresh(), settings())
      const browser = browserOf(site)
      const redirect = await browser.get('/login/google')
      const choice = { email: 'b@example.jp', name: 'び', verified: true }
      const callbackUrl = (await signInAtProvider(redirect.headers.get('location') ?? '', choice)).slice(
        'http://localhost'.length,
      )
      const thief = browserOf(site)
      expect(redirectOf(await thief.get(callbackUrl))).toEqual([302, '/login/finished?error=state_mismatch'])
      expect([...thief.cookies]).toEqual([])
      expect(redirectOf(await browser.get(callbackUrl))).toEqual([302, '/login/finished'])
      expect(redirectOf(await browser.get(callbackUrl))).toEqual([302, '/login/finished?error=state_mismatch'])
    })
  })
})

describe.each([
  ['userinfo', false],
  ['ID token', true],
])('Google sign-in with claims in the %s', (_, inIdToken) => {
  let ownProvider: Awaited<ReturnType<typeof startOpenIdProvider>>
  beforeAll(async () => {
    ownProvider = await startOpenIdProvider({ inIdToken })
  })
  afterEach(() => {
    ownProvider.manners.claims = undefined
  })
  afterAll(() => ownProvider.stop())

  const signInWithClaims = async (site: Site, claims: Record<string, unknown>, email = hana.email) => {
    ownProvider.manners.claims = () => claims
    const browser = browserOf(site)
    const [path, page] = await signInAndFollow(browser, { email, name: '別人', verified: true })
    return { path, page, account: await browser.text('/account') }
  }
  const readAccountRows = async ({ db }: Site) => [
    await db.selectFrom('accounts').selectAll().execute(),
    await db.selectFrom('signInMethods').selectAll().execute(),
    await db.selectFrom('sessions').selectAll().execute(),
  ]

  onEachEngine((fresh, engine) => {
    const onSqlite = test.runIf(engine === 'SQLite')

    const site = async () =>
      sampleSite(await fresh(), { google: { ...client, discoveryUrl: ownProvider.discoveryUrl } })

    onSqlite('neither links nor creates an account unless email_verified is the boolean true', async () => {
      const shop = await site()
      await browserOf(shop).post('/signupform', hana)
      await shop.db.updateTable('accounts').set({ emailVerified: true }).execute()
      const rowsBefore = await readAccountRows(shop)
      const values = inIdToken ? ['true', false] : ['true', 'false', 1, 0, null, false, undefined, ['true'], {}]
      for (const [email, email_verified] of [
        ...values.map((value) => [hana.email, value] as const),
        ['newcomer@example.jp', 'true'] as const,
      ]) {
        const { path, page, account } = await signInWithClaims(shop, { email_verified }, email)
        expect([path, page], String(email_verified)).toEqual([
          '/login?problem=noAddress',
          expect.stringContaining('Googleから、確認済みのメールアドレスを受け取れませんでした'),
        ])
        expect(account).toContain('ログインしてからご覧ください')
      }
      expect(await readAccountRows(shop)).toEqual(rowsBefore)
      expect(shop.mails).toEqual([])
    })

    test('rejects an invalid e-mail address and stores a valid address in lower case', async () => {
      const shop = await site()
      const rowsBefore = await readAccountRows(shop)
      const longEmail = `${'a'.repeat(64)}@${'b.'.repeat(100)}example.jp`
      const emails = ['hana', 5, 'hana@localhost', '"a b"@example.jp', 'a@example.jp,b@example.jp', longEmail, [], '']
      // The address is validated before the database is read.
      for (const email of inIdToken || engine === 'PostgreSQL' ? emails.slice(0, 2) : emails) {
        const { path } = await signInWithClaims(shop, { email })
        expect(path, String(email)).toBe('/login?problem=noAddress')
      }
      expect(await readAccountRows(shop)).toEqual(rowsBefore)
      const { account } = await signInWithClaims(shop, { email: 'Midori@Example.JP' })
      expect(account).toContain('midori@example.jp')
    })

    const names = [
      ['line breaks and control characters', '  緑\u0000\r\n山\u202e\u2028田 ', '緑 山 田'],
      ['3,000 characters', '緑'.repeat(3000), '緑'.repeat(50)],
      ['no visible character', '\n\u200b', 'midori'],
      ['no value', undefined, 'midori'],
      ['an object', { first: '緑' }, 'midori'],
    ] as const
    onSqlite.each(inIdToken ? names.slice(0, 1) : names)(
      'cleans and truncates the name as the sign-up form does: %s',
      async (_, name, expected) => {
        const shop = await site()
        await signInWithClaims(shop, { name, email: 'midori@example.jp' })
        const { db } = shop
        expect(await db.selectFrom('accounts').select('name').execute()).toEqual([{ name: expected }])
      },
    )

    onSqlite('rejects a subject that is missing, empty, too long or not a string', async () => {
      const shop = await site()
      const rowsBefore = await readAccountRows(shop)
      const subjects = [undefined, 5, '', null, 'x'.repeat(256), '緑', {}]
      for (const sub of inIdToken ? subjects.slice(0, 2) : subjects) {
        const { path, page } = await signInWithClaims(shop, { sub })
        expect(path, String(sub)).toBe('/login?problem=other')
        expect(page).toContain('Googleでログインできませんでした')
      }
      expect(await readAccountRows(shop)).toEqual(rowsBefore)
    })

    onSqlite(
      'opens the account of a known subject without changing the account, even if the e-mail address differs',
      async () => {
        const shop = await site()
        const choice = 'midori@example.jp'
        expect((await signInWithClaims(shop, {}, choice)).account).toContain(choice)
        const [accounts, methods] = await readAccountRows(shop)
        for (const claims of [{ email_verified: false }, { email: 'none' }, { email: null }, { email: hana.email }]) {
          expect((await signInWithClaims(shop, claims, choice)).account, JSON.stringify(claims)).toContain(choice)
        }
        expect((await readAccountRows(shop)).slice(0, 2)).toEqual([accounts, methods])
      },
    )
  })
})

describe('Google sign-in', () => {
  test('rejects userinfo whose subject differs from the ID token', async () => {
    const site = await createSite(settings())
    onTestFinished(() => {
      provider.manners.claims = undefined
    })
    provider.manners.claims = (path) => (path === '/me' ? { sub: 'somebody-else' } : {})
    const [path] = await signInAndFollow(browserOf(site), { email: 'midori@example.jp', name: '緑', verified: true })
    expect(path).toBe('/login?problem=other')
    expect(await site.db.selectFrom('accounts').select('id').execute()).toEqual([])
  })

  const createSite = async (settings: Parameters<typeof sampleSite>[1]) => {
    const db = await openDatabase({ file: ':memory:' })
    onTestFinished(() => db.destroy())
    return sampleSite(db, settings)
  }

  test('shows an error while Google is unreachable, and works when Google is reachable again', async () => {
    let reachable = false
    const discovery = createServer((_, response) => {
      response.writeHead(reachable ? 302 : 503, { location: provider.discoveryUrl }).end()
    })
    await once(discovery.listen(0, '127.0.0.1'), 'listening')
    const { port } = discovery.address() as { port: number }
    onTestFinished(() => void discovery.close())

    const site = await createSite({ google: { ...client, discoveryUrl: `http://127.0.0.1:${port}/` } })
    const browser = browserOf(site)
    expect(redirectOf(await browser.get('/login/google'))).toEqual([302, '/login/finished?problem=unreachable'])
    expect(redirectOf(await browser.get('/login/finished?problem=unreachable'))).toEqual([
      302,
      '/login?problem=unreachable',
    ])
    expect(await browser.text('/login?problem=unreachable')).toContain('ただいまGoogleにつながりません')
    expect(redirectOf(await browser.post('/signupform', hana))).toEqual([302, '/login/welcome'])
    reachable = true
    site.clock.now += 30_000
    expect((await browser.get('/login/google')).headers.get('location')).toContain(provider.issuer)
  })

  test('connects to Google when the clock is set back after a failed connection', async () => {
    const site = await createSite({ google: { ...client, discoveryUrl: 'http://127.0.0.1:9/' } })
    const startSignIn = () => browserOf(site).get('/login/google')
    const countRequests = () => site.logged.filter(({ msg }) => msg === 'OpenID request failed').length
    await startSignIn()
    await startSignIn()
    expect(countRequests()).toBe(1)
    site.clock.now -= 24 * 60 * 60_000
    await startSignIn()
    expect(countRequests()).toBe(2)
  })

  describe('while the OpenID provider accepts connections without responding', () => {
    // Lets the test trigger the timeouts of requests to the provider.
    const mockTimeouts = () => {
      const controllers: AbortController[] = []
      const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
        const controller = new AbortController()
        controllers.push(controller)
        return controller.signal
      })
      onTestFinished(() => spy.mockRestore())
      return () => {
        for (const controller of controllers) controller.abort(new DOMException('timed out', 'TimeoutError'))
      }
    }

    const silentProvider = async () => {
      let requestCount = 0
      const server = createServer(() => {
        requestCount += 1
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      const { port } = server.address() as { port: number }
      return { discoveryUrl: `http://127.0.0.1:${port}/`, requestCount: () => requestCount }
    }

    test('makes only one connection attempt for 50 sign-ins, and the next attempt 30 seconds after the failure', async () => {
      const endTimeouts = mockTimeouts()
      const { discoveryUrl, requestCount } = await silentProvider()
      const site = await createSite({ google: { ...client, discoveryUrl } })
      const pendingSignIns = Array.from({ length: 50 }, (_, index) => {
        const path = index % 2 ? '/login/google' : '/login/google?window=popup'
        return browserOf(site, { address: `192.0.2.${index}` }).get(path)
      })
      const firstSignIn = Promise.race(pendingSignIns).then(() => 'a sign-in')
      await vi.waitUntil(() => requestCount() > 0, WAIT_OPTIONS)
      for (const path of ['/membercreate', '/account', '/backup', '/staff', '/login/google.data']) {
        const page = browserOf(site, { address: '198.51.100.1' })
          .get(path)
          .then(({ status }) => status)
        expect(await Promise.race([page, firstSignIn]), path).toBe(path.endsWith('.data') ? 404 : 200)
      }
      endTimeouts()
      const responses = await Promise.all(pendingSignIns)
      expect(new Set(responses.map((response) => response.headers.get('location')))).toEqual(
        new Set(['/login/finished?problem=unreachable', '/login/finished?window=popup&problem=unreachable']),
      )
      expect(requestCount()).toBe(1)

      site.clock.now += 29_999
      expect(redirectOf(await browserOf(site).get('/login/google'))).toEqual([
        302,
        '/login/finished?problem=unreachable',
      ])
      expect(requestCount()).toBe(1)
      site.clock.now += 1
      const secondAttempt = browserOf(site).get('/login/google')
      await vi.waitUntil(() => requestCount() === 2, WAIT_OPTIONS)
      endTimeouts()
      expect(redirectOf(await secondAttempt)).toEqual([302, '/login/finished?problem=unreachable'])
      const logged = site.logged.filter(({ msg }) => msg === 'OpenID request failed')
      expect(logged).toHaveLength(2)
    })

    test.each(['/token', '/me', '/jwks'])('ends the callback with an error when %s times out', async (path) => {
      const endTimeouts = mockTimeouts()
      const ownProvider = await startOpenIdProvider()
      onTestFinished(() => ownProvider.stop())
      const site = await createSite({ google: { ...client, discoveryUrl: ownProvider.discoveryUrl } })
      const browser = browserOf(site)
      const redirect = await browser.get('/login/google')
      const choice = { email: 'midori@example.jp', name: '緑', verified: true }
      const callbackUrl = await signInAtProvider(redirect.headers.get('location') ?? '', choice)
      ownProvider.manners.silentAt = path
      const providerRequested = new Promise((resolve) =>
        ownProvider.server.on('request', ({ url }) => url === path && resolve(url)),
      )
      const response = browser.get(callbackUrl.slice('http://localhost'.length))
      await providerRequested
      expect((await browserOf(site).get('/membercreate')).status).toBe(200)
      endTimeouts()
      const finished = (await response).headers.get('location')?.replace('http://localhost', '') ?? ''
      const problem = (await browser.get(finished)).headers.get('location') ?? ''
      expect(await browser.text(problem)).toContain('Googleでログインできませんでした')
      expect(await site.db.selectFrom('accounts').select('id').execute()).toEqual([])
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual([])
    })
  })

  test('is rate-limited per network', async () => {
    const site = await createSite(settings())
    const now = site.clock.now
    for (let attempt = 0; attempt < 100; attempt++) await countAttempt(site.db, 'google', { address: '192.0.2.1', now })
    const redirectFor = async (address: string) => redirectOf(await browserOf(site, { address }).get('/login/google'))
    expect(await redirectFor('192.0.2.1')).toEqual([302, '/login/finished?problem=tries'])
    expect(await redirectFor('192.0.2.2')).toEqual([302, expect.stringContaining(provider.issuer)])
    expect(await browserOf(site).text('/login?problem=tries')).toContain('お試しの回数が多すぎます')
  })

  test('has no button when Google is not configured', async () => {
    const site = await createSite({ google: null })
    const html = await browserOf(site).text('/login')
    expect(html).not.toContain('Googleアカウントでログイン')
    expect(html).toMatch(/href="\/emaillogin"[^>]*>メールアドレスでログイン/)
    expect(html).toMatch(/href="\/signupform"[^>]*>新規登録/)
    expect(redirectOf(await browserOf(site).get('/login/google'))).toEqual([302, '/login/finished?problem=noKey'])
  })

  // User-Agent headers of real apps.
  const phoneIos = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const safari = `${phoneIos} Version/18.6 Mobile/15E148 Safari/604.1`
  const android = (build: string) =>
    `Mozilla/5.0 (Linux; Android 15; Pixel 8 ${build}) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.7339.51 Mobile Safari/537.36`
  const plainAndroid = 'Build/AP4A.250205.002'
  const webView = android(`${plainAndroid}; wv`)
  const IN_APP_ERROR = 'Googleがログインを受け付けません'

  test.each([
    ['LINE', 'http://localhost', 'Mozilla/5.0 (iPhone) Safari Line/13.1.0', 'ブラウザで開く</a>'],
    ['Instagram', 'http://localhost', 'Mozilla/5.0 Instagram 300.0', IN_APP_ERROR],
    ['Facebook', 'http://localhost', 'Mozilla/5.0 [FBAN/FBIOS;FBAV/400]', IN_APP_ERROR],
    [
      'Threads',
      'http://localhost',
      `${phoneIos} Mobile/22G86 Barcelona 395.0.0.18.70 (iPhone16,1; iOS 18_6; ja_JP)`,
      IN_APP_ERROR,
    ],
    ['X on iOS', 'http://localhost', `${phoneIos} Mobile/15E148 Twitter for iPhone/11.12`, IN_APP_ERROR],
    ['X on Android', 'http://localhost', `${android(plainAndroid)} TwitterAndroid`, IN_APP_ERROR],
    ['Yahoo! JAPAN on iOS', 'http://localhost', `${safari} YJApp-IOS jp.co.yahoo.ipn.appli/4.140.0`, IN_APP_ERROR],
    [
      'Yahoo! JAPAN on Android',
      'http://localhost',
      `${android(plainAndroid)} YJApp-ANDROID jp.co.yahoo.android.yjtop/3.180`,
      IN_APP_ERROR,
    ],
    [
      'TikTok',
      'http://localhost',
      `${phoneIos} Mobile/22G86 musical_ly_41.2.0 JsSdk/2.0 BytedanceWebview/d8a21c6`,
      IN_APP_ERROR,
    ],
    ['TikTok in Asia', 'http://localhost', `${android(plainAndroid)} trill_410204 AppName/trill`, IN_APP_ERROR],
    [
      'WeChat',
      'http://localhost',
      `${phoneIos} Mobile/15E148 MicroMessenger/8.0.60(0x18003c2f) NetType/WIFI`,
      IN_APP_ERROR,
    ],
    ['KakaoTalk', 'http://localhost', `${phoneIos} Mobile/15E148 KAKAOTALK/25.7.0 (INAPP)`, IN_APP_ERROR],
    ['the WebView of another Android app', 'http://localhost', webView, IN_APP_ERROR],
    ['a browser at an origin that Google rejects', 'http://192.168.1.5:3000', '', 'Googleに登録されていないため'],
  ])('is disabled and shows the reason in %s', async (_, origin, agent, text) => {
    const site = await createSite({ host: '0.0.0.0', google: settings().google })
    const html = await browserOf(site, { origin, headers: { 'user-agent': agent } }).text('/login')
    expect(html).toContain(text)
    expect(html).toMatch(/<button[^>]*aria-disabled="true"[^>]*>Googleアカウントでログイン/)
    expect(html).not.toContain('href="/login/google"')
    expect(html).toMatch(/href="\/emaillogin"[^>]*>メールアドレスでログイン/)
    expect(html).toMatch(/href="\/signupform"[^>]*>新規登録/)
  })

  test.each([
    ['Safari', safari],
    ['a web app on the home screen of iOS', `${phoneIos} Mobile/15E148`],
    ['Chrome on iOS', `${phoneIos} CriOS/140.0.7339.39 Mobile/15E148 Safari/604.1`],
    ['the Google app', `${phoneIos} GSA/384.0.804213507 Mobile/15E148 Safari/604.1`],
    ['Chrome on Android', android('').replace(' )', ')').replace('Version/4.0 ', '')],
    ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0'],
    ['Samsung Internet', android('').replace(' )', ')').replace('Version/4.0', 'SamsungBrowser/28.0')],
  ])('is offered in %s', async (_, agent) => {
    const site = await createSite({ google: settings().google })
    const html = await browserOf(site, { headers: { 'user-agent': agent } }).text('/login')
    expect(html).toContain('href="/login/google"')
    expect(html).not.toContain(IN_APP_ERROR)
  })

  test('returns 503 while the database is unreachable at the callback, and succeeds afterwards', async () => {
    const url = await freshPostgresUrl()
    await fillSampleSite(url)
    const connection = await openLine(url)
    const db = await connect({ url: connection.url, file: '' }, { serving: true })
    onTestFinished(async () => {
      await db.destroy()
      connection.close()
    })
    const { live } = await sampleSite(db)
    const dependencies = createTestDependencies(db, live)
    const browser = browserOf({
      app: createApp({ ...dependencies, settings: { ...dependencies.settings, ...settings() } }),
    })
    const redirect = await browser.get('/login/google')
    const choice = { email: 'midori@example.jp', name: '緑', verified: true }
    const callbackUrl = (await signInAtProvider(redirect.headers.get('location') ?? '', choice)).slice(
      'http://localhost'.length,
    )
    connection.break()
    const rejected = await browser.get(callbackUrl)
    expect([rejected.status, rejected.headers.get('content-type')]).toEqual([503, 'text/plain; charset=UTF-8'])
    expect(await rejected.text()).toContain('ただいまデータベースにつながらないため')
    connection.mend()
    await vi.waitFor(() => db.selectFrom('marks').select('name').execute(), WAIT_OPTIONS)
    expect(redirectOf(await browser.get(callbackUrl))).toEqual([302, '/login/finished'])
  })
})
