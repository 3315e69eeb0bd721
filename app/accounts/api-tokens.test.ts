import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { demoAccounts, openAccounts, type Person } from '../../server/tools/demo.ts'
import { listCards } from '../cards/cards.server.ts'
import { MAX_API_TOKENS } from './account-forms.ts'
import { createApiToken } from './api-tokens.server.ts'
import { signInErrors } from './sign-in-errors.ts'

const password = 'miso-soup-12'
const HOUR_MS = 60 * 60_000
type Browser = ReturnType<typeof browserOf>
type Site = Awaited<ReturnType<typeof sampleSite>>

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const siteWithPeople = async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await site.staff()
    await openAccounts(site.db, password, noon)
    const signIn = async (person: keyof typeof demoAccounts) => {
      const browser = browserOf(site)
      await browser.post('/emaillogin', { email: demoAccounts[person].email, password })
      return browser
    }
    const tokens = () => site.db.selectFrom('apiTokens').selectAll().orderBy('createdAt').execute()
    return { ...site, signIn, tokens }
  }

  const createToken = async (browser: Browser, fields: Record<string, string> = {}) => {
    const form = { intent: 'create token', name: 'レジ', scope: 'write', current: password, ...fields }
    const response = await browser.post('/account', form)
    const html = await response.text()
    return { status: response.status, html, token: /noren_[\w-]{43}(?=")/.exec(html)?.[0] ?? '' }
  }

  /** Sends a JSON call with the token and without cookies. */
  const call = ({ app }: Pick<Site, 'app'>, token: string, path: string, init: RequestInit = {}) =>
    app.request(`http://localhost/api/${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        ...(init.body && { 'content-type': 'application/json' }),
        ...init.headers,
      },
    })
  const addDish = (site: Pick<Site, 'app'>, token: string, headers = {}) =>
    call(site, token, 'collections/dining', { method: 'POST', body: '{"title":"おでん"}', headers })

  describe('an API token', () => {
    test('is shown once, is stored as a hash, and writes with the name of its administrator', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const { status, html, token } = await createToken(browser)
      expect([status, token]).toEqual([200, expect.stringMatching(/^noren_[\w-]{43}$/)])
      expect(html).toContain('もう一度は表示されません')
      const page = await browser.text('/account')
      expect(page).toContain('レジ（読み取りと書き込み）')
      expect(page).toContain('未使用')
      expect(page).not.toContain(token)
      const [stored] = await site.tokens()
      expect(stored).toMatchObject({ name: 'レジ', scope: 'write', accountId: 'demo-manager', usedAt: null })
      expect(JSON.stringify([stored, site.logged])).not.toContain(token.slice(6))

      const created = await addDish(site, token)
      expect([created.status, created.headers.getSetCookie().filter((cookie) => !cookie.includes('.saved='))]).toEqual([
        201,
        [],
      ])
      const { id } = await created.json()
      const revision = site.db.selectFrom('revisions').select('accountId').where('subjectId', '=', id)
      expect(await revision.execute()).toEqual([{ accountId: 'demo-manager' }])
      expect(await browser.text('/account')).toContain('最後の使用は2026年11月20日 12:00ごろ')
      const exported = await (await browser.get('/account/data')).text()
      expect(exported).toContain('レジ')
      expect(exported).not.toContain(stored?.hash)
    })

    test('needs no Origin, and never uses the session cookie of its request', async () => {
      const site = await siteWithPeople()
      const manager = await site.signIn('manager')
      const { token } = await createToken(manager)
      const cookie = [...manager.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const elsewhere = { origin: 'https://elsewhere.example' }
      expect((await addDish(site, token, elsewhere)).status).toBe(201)
      const before = await listCards(site.db, 'dining')
      for (const wrong of ['', 'noren_', `${token}x`, 'noren_'.padEnd(49, 'a'), token.toUpperCase()]) {
        const response = await addDish(site, wrong, { cookie })
        expect([response.status, response.headers.get('www-authenticate')], wrong).toEqual([
          401,
          'Bearer error="invalid_token"',
        ])
        expect((await call(site, wrong, '%63ollections/dining', { headers: { cookie } })).status, wrong).toBe(401)
      }
      // Other schemes are not tokens: the cookie and its check of the Origin apply.
      const basic = { cookie, authorization: 'Basic bm9yZW46eA==' }
      expect((await addDish(site, token, { ...basic, ...elsewhere })).status).toBe(403)
      expect(await listCards(site.db, 'dining')).toEqual(before)
      // The hidden fields of members appear for the person of the token, not for the person of the cookie.
      const approved = await site.signIn('approved')
      const otherCookie = [...approved.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const members = await (
        await call(site, token, 'collections/members', { headers: { cookie: otherCookie } })
      ).json()
      expect(members).toHaveLength(3)
    })

    onSqlite('opens no page and submits no form', async () => {
      const site = await siteWithPeople()
      const { token } = await createToken(await site.signIn('manager'))
      const headers = { authorization: `Bearer ${token}` }
      expect(await site.text('/account', { headers })).toContain('ログインしてからご覧ください')
      expect(await site.text('/inbox', { headers })).toContain('管理者だけがご覧いただけます')
      const body = new URLSearchParams({ intent: 'revoke token' })
      const send = (origin: string) =>
        site.get('/account', { method: 'POST', body, headers: { ...headers, origin } }).then(({ status }) => status)
      expect([await send('http://localhost'), await send('https://elsewhere.example')]).toEqual([401, 403])
      expect((await site.get('/backup/file', { headers })).status).toBe(401)
    })

    test('ends at once for all processes when it is revoked', async () => {
      const site = await siteWithPeople()
      const otherProcess = await sampleSite(site.db)
      const browser = await site.signIn('manager')
      const { token } = await createToken(browser)
      const [{ id = '' } = {}] = await site.tokens()
      const other = await createToken(browser, { name: '台帳', scope: 'read' })
      expect((await call(otherProcess, token, 'collections/members')).status).toBe(200)
      // Another administrator cannot revoke the token.
      await (await site.signIn('administrator')).post('/account', { intent: 'revoke token', token: id })
      expect(await site.tokens()).toHaveLength(2)
      const revoked = await browser.post('/account', { intent: 'revoke token', token: id })
      expect([revoked.status, await revoked.text()]).toEqual([
        200,
        expect.stringContaining('トークンを取り消しました。'),
      ])
      expect((await call(otherProcess, token, 'collections/members')).status).toBe(401)
      expect((await call(site, token, 'collections/members')).status).toBe(401)
      expect((await call(site, other.token, 'collections/members')).status).toBe(200)
      expect((await browser.post('/account', { intent: 'revoke token', token: id })).status).toBe(200)
    })

    test.each<
      [reason: string, end: (site: Awaited<ReturnType<typeof siteWithPeople>>, browser: Browser) => Promise<unknown>]
    >([
      [
        'password',
        (_, browser) => browser.post('/account', { intent: 'password', current: password, password: 'slice-low-8' }),
      ],
      ['other devices', (_, browser) => browser.post('/account', { intent: 'other devices' })],
      [
        'removal from the staff',
        async (site) => {
          const staff = site.db.selectFrom('staff').selectAll().where('accountId', '=', 'demo-manager')
          const { id, version } = await staff.executeTakeFirstOrThrow()
          const form = { intent: `end ${id}`, id, version: `${version}` }
          await site.post('administrator', '/staff', form)
          const removal = site.db.selectFrom('revisions').select('saveId').where('action', '=', 'end')
          const { saveId: save } = await removal.executeTakeFirstOrThrow()
          // The undo restores the staff member, but not the token.
          expect((await site.post('administrator', '/undo', { save })).status).toBe(200)
          expect(await staff.where('deletedAt', 'is', null).execute()).toHaveLength(1)
        },
      ],
      [
        'closing the account',
        (_, browser) => browser.post('/account', { intent: 'leave', agreed: 'on', current: password }),
      ],
    ])('ends permanently after this change of its account: %s', async (_, end) => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const { token } = await createToken(browser)
      await end(site, browser)
      expect((await call(site, token, 'collections/members')).status).toBe(401)
      expect(await site.tokens()).toEqual([])
    })

    onSqlite('stays valid when one other device is signed out', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const { token } = await createToken(browser)
      const { id: device } = await site.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
      await site.signIn('manager')
      await browser.post('/account', { intent: 'device', device })
      expect((await call(site, token, 'collections/members')).status).toBe(200)
    })

    onSqlite('grants nothing while its person is no administrator', async () => {
      const site = await siteWithPeople()
      const { token } = await createToken(await site.signIn('manager'))
      const setRole = (role: 'editing' | 'administration') =>
        site.db.updateTable('staff').set({ role }).where('accountId', '=', 'demo-manager').execute()
      await setRole('editing')
      for (const response of [await addDish(site, token), await call(site, token, 'collections/dining')])
        expect(response.status).toBe(401)
      await setRole('administration')
      expect((await addDish(site, token)).status).toBe(201)
    })

    onSqlite('is refused every write when it may only read, and streams to its person', async () => {
      const site = await siteWithPeople()
      const { token } = await createToken(await site.signIn('manager'), { scope: 'read' })
      for (const path of ['collections/dining', 'mail', 'upload', 'delete'])
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const response = await call(site, token, path, { method, body: '{}' })
          expect([response.status, response.headers.get('www-authenticate')], `${method} ${path}`).toEqual([
            403,
            'Bearer error="insufficient_scope"',
          ])
          expect((await response.json()).error).toContain('読み取り専用')
        }
      const { status, body } = await call(site, token, 'live?topics=messages')
      expect(status).toBe(200)
      await body?.cancel()
    })

    onSqlite('ends the streams that it has opened when it is revoked', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const { token } = await createToken(browser, { scope: 'read' })
      const stream = await call(site, token, 'live?topics=messages')
      const [{ id = '' } = {}] = await site.tokens()
      await browser.post('/account', { intent: 'revoke token', token: id })
      // The text is complete only when the server ends the stream.
      expect(await stream.text()).toContain('data:')
    })

    test('stores the time of its use at most once an hour', async () => {
      const site = await siteWithPeople()
      const { token } = await createToken(await site.signIn('manager'))
      const usedAt = async () => (await site.tokens())[0]?.usedAt
      const read = async (minutes: number) => {
        site.clock.now = noon + minutes * 60_000
        await Promise.all(Array.from({ length: 8 }, () => call(site, token, 'collections/dining')))
        return usedAt()
      }
      expect([await read(0), await read(30), await read(59), await read(60)]).toEqual(
        [0, 0, 0, HOUR_MS].map((ms) => new Date(noon + ms).toISOString()),
      )
    })

    onSqlite('has a rate limit of its own', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const [first, second] = [await createToken(browser), await createToken(browser)]
      const statuses = []
      for (let request = 0; request < 301; request += 1)
        statuses.push((await call(site, first.token, 'collections/none')).status)
      expect([statuses.filter((status) => status === 404).length, statuses.at(-1)]).toEqual([300, 429])
      const limited = await addDish(site, first.token)
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60'])
      expect((await addDish(site, second.token)).status).toBe(201)
      site.clock.now += 60_000
      expect((await addDish(site, first.token)).status).toBe(201)
    })
  })

  describe('the form for API tokens', () => {
    test.each<Person>(['signedIn', 'applicant', 'approved', 'editor'])('rejects the visitor "%s"', async (person) => {
      const site = await siteWithPeople()
      const browser = await site.signIn(person as keyof typeof demoAccounts)
      expect(await browser.text('/account')).not.toContain('APIトークン')
      const { status, token } = await createToken(browser)
      expect([status, token, await site.tokens()]).toEqual([403, '', []])
    })

    onSqlite.each<[field: string, value: string, error: string]>([
      ['name', '', '名前を入力してください'],
      ['name', 'あ'.repeat(51), '名前は50文字までです'],
      ['scope', 'all', 'どちらかをお選びください'],
      ['current', '', 'パスワードを入力してください'],
      ['current', 'wrong', '現在のパスワードが正しくありません'],
    ])('rejects the field %s with the value "%s"', async (field, value, error) => {
      const site = await siteWithPeople()
      const { status, html } = await createToken(await site.signIn('manager'), { [field]: value })
      expect([status, html, await site.tokens()]).toEqual([400, expect.stringContaining(error), []])
    })

    onSqlite('requires a recent sign-in when the account has no password', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const methods = site.db.updateTable('signInMethods').set({ provider: 'google', password: null })
      await methods.where('owner', '=', 'demo-manager').execute()
      const startSession = (minutes: number) =>
        site.db
          .updateTable('sessions')
          .set({ createdAt: new Date(noon - minutes * 60_000).toISOString() })
          .execute()
      await startSession(10)
      expect(await browser.text('/account')).toContain('href="/login/google?for=account"')
      const { status, html } = await createToken(browser, { current: '' })
      expect([status, html, await site.tokens()]).toEqual([403, expect.stringContaining('もう一度ログインして'), []])
      await startSession(9)
      expect(await browser.text('/account')).not.toContain('/login/google')
      expect((await createToken(browser, { current: '' })).token).not.toBe('')
      expect(await browser.text('/account?problem=unreachable')).toContain(signInErrors.unreachable)
    })

    test('creates no token above the maximum, also if the forms arrive together', async () => {
      const site = await siteWithPeople()
      const browser = await site.signIn('manager')
      const session = { ...(await site.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()) }
      const { password: hash } = await site.db
        .selectFrom('signInMethods')
        .select('password')
        .where('owner', '=', 'demo-manager')
        .executeTakeFirstOrThrow()
      const owner = { session: { ...demoAccounts.manager, id: session.id, begunAt: noon }, proof: { hash }, now: noon }
      const create = () => createApiToken(site.db, owner, { name: '台帳', scope: 'read' })
      const results = await Promise.allSettled(Array.from({ length: MAX_API_TOKENS + 3 }, create))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_API_TOKENS)
      const { status, html } = await createToken(browser)
      expect([status, html]).toEqual([409, expect.stringContaining('トークンは20個まで作れます')])
      expect(await site.tokens()).toHaveLength(MAX_API_TOKENS)
    })
  })
})
