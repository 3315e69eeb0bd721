import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { often } from '../../scripts/abuse.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, readVerifiedEmails, signInBrowser } from '../../server/testing-account.ts'
import { createKey, openShop, owner, staffOf } from '../../server/testing-shop.ts'
import { verifyEmail } from '../accounts/email-verification.server.ts'
import { type MemberFields, memberFieldNames } from '../members/member.ts'
import { registerMember } from '../members/registration.server.ts'
import { hasHadAdministrator, listAdministrators } from '../settings/roles.server.ts'
import { createFirstAdministrator, createSetupKey, promoteFirstAdministrator } from './welcome.server.ts'
import { wizardSteps } from './welcome-step.tsx'

const statusAndLocation = (response: Response) => [response.status, response.headers.get('location')]
const CLOSED = 'このアドレスは、もう使えません。'

afterEach(() => void vi.restoreAllMocks())

type Site = Awaited<ReturnType<typeof sampleSite>>

/** Returns the rows of all tables that the first step of the wizard can change. */
async function readState({ db }: Pick<Site, 'db'>) {
  const tables = ['accounts', 'signInMethods', 'sessions', 'staff', 'members', 'welcomeKeys', 'marks'] as const
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
  return rows
    .flat()
    .map((row) => JSON.stringify(row))
    .sort()
}

const memberFields = (accountname: string) =>
  ({
    ...Object.fromEntries(memberFieldNames.map((name) => [name, name])),
    username: accountname,
    accountname,
  }) as MemberFields

function register(db: Db, name: string) {
  const at = new Date(noon).toISOString()
  const account = { accountId: name, name, email: `${name}@example.jp`, emailVerified: true, member: null, staff: null }
  return registerMember(db, account, memberFields(name), {
    form: { owner: name, form: 'member', key: '', at },
    rules: { ownerEmail: undefined, requiresVerifiedEmail: false },
    around: { notify: async () => {}, readVerifiedEmails: async () => new Map(), origin: '' },
  })
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('makes the first user of the setup key the administrator and stores only a hash of the key', async () => {
    const site = await sampleSite(await fresh())
    const key = await createKey(site)
    expect(key).toMatch(/^[\w-]{43}$/)
    expect(JSON.stringify(await site.db.selectFrom('welcomeKeys').selectAll().execute())).not.toContain(key)

    const browser = browserOf(site)
    const page = await browser.get(`/welcome?key=${key}`)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')])
    const html = await page.text()
    for (const shown of ['お名前', 'メールアドレス', 'パスワード', 'name="robots" content="noindex']) {
      expect(html).toContain(shown)
    }
    const response = await browser.post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
    expect(statusAndLocation(response)).toEqual([302, '/welcome/shop'])
    expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })
    expect(await site.db.selectFrom('members').select('id').execute()).toEqual([])
    expect(await browser.text('/staff')).toContain(owner.email)
    expect(await browser.text('/site')).toContain('保存')
    expect(statusAndLocation(await browser.get('/login/welcome'))).toEqual([302, '/'])
    // The log does not contain the key either.
    expect(JSON.stringify(site.logged)).not.toContain(key)
  })

  onSqlite('shows the number and subject of each wizard step in the page title', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    const paths = [`/welcome?key=${await createKey(site)}`, ...wizardSteps.slice(1).map(({ path }) => path)]
    for (const [index, path] of paths.entries())
      expect(await browser.text(path)).toContain(`<title>はじめての設定 ${index + 1}/5 ${wizardSteps[index]?.title} |`)
  })

  onSqlite('invalidates the setup key after its first use when no mail is configured', async () => {
    const db = await fresh()
    const site = await sampleSite(db)
    const key = await createKey(site)
    await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
    for (const laterSite of [site, await sampleSite(db, {}, { verifies: true })]) {
      const before = await readState(site)
      const stranger = browserOf(laterSite)
      expect(await stranger.text(`/welcome?key=${key}`)).toContain(CLOSED)
      const repeated = await stranger.post(`/welcome?key=${key}`, { intent: 'begin', key, ...hana })
      expect([repeated.status, await repeated.text()]).toEqual([410, expect.stringContaining(CLOSED)])
      expect(await readState(site)).toEqual(before)
      expect(stranger.cookies.size).toBe(0)
    }
    expect(await createSetupKey(db, noon)).toBeNull()
  })

  test('accepts the setup key until the verification of the e-mail address when mail is configured', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const key = await createKey(site)
    const first = browserOf(site)
    const mistyped = { ...owner, email: 'ovner@example.jp' }
    expect(statusAndLocation(await first.post(`/welcome?key=${key}`, { intent: 'begin', key, ...mistyped }))).toEqual([
      302,
      '/welcome/shop',
    ])
    expect(await first.text('/staff')).toContain(mistyped.email)
    const wrongLink = findLink(site.mails.at(-1))
    expect(site.mails.map(({ to }) => to)).toEqual([mistyped.email])
    const account = await site.db.selectFrom('accounts').select(['id', 'emailVerified']).executeTakeFirstOrThrow()

    const second = browserOf(site)
    expect(await second.text(`/welcome?key=${key}`)).toContain(mistyped.email)
    const corrected = { ...owner, password: 'another-low-8' }
    expect(statusAndLocation(await second.post(`/welcome?key=${key}`, { intent: 'begin', key, ...corrected }))).toEqual(
      [302, '/welcome/shop'],
    )
    expect(await second.text('/staff')).toContain(owner.email)
    const accounts = await site.db.selectFrom('accounts').select(['id', 'email', 'emailVerified']).execute()
    expect(accounts).toEqual([{ id: account.id, email: owner.email, emailVerified: false }])
    expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })

    // The earlier session, password and verification link are invalid.
    expect(await first.text('/staff')).not.toContain(owner.email)
    for (const old of [mistyped, { ...mistyped, password: corrected.password }, owner]) {
      expect((await browserOf(site).post('/emaillogin', old)).status).toBe(401)
    }
    const stranger = { token: findToken(wrongLink), current: mistyped.password }
    expect((await browserOf(site).post('/verifyemail', stranger)).status).toBe(410)
    expect(await readVerifiedEmails(site.db)).toEqual([])

    expect((await second.post('/verifyemail', { token: findToken(findLink(site.mails.at(-1))) })).status).toBe(200)
    expect(await readVerifiedEmails(site.db)).toEqual([owner.email])
    const before = await readState(site)
    expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...hana })).status).toBe(410)
    expect(await browserOf(site).text(`/welcome?key=${key}`)).toContain(CLOSED)
    expect(await readState(site)).toEqual(before)
    expect(statusAndLocation(await browserOf(site).post('/emaillogin', corrected))).toEqual([302, '/login/welcome'])
  })

  onSqlite('invalidates a used setup key when mail is no longer configured', async () => {
    const db = await fresh()
    const site = await sampleSite(db, {}, { verifies: true })
    const key = await createKey(site)
    await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
    const later = await sampleSite(db)
    expect(await browserOf(later).text(`/welcome?key=${key}`)).toContain(CLOSED)
    expect((await browserOf(later).post(`/welcome?key=${key}`, { intent: 'begin', key, ...hana })).status).toBe(410)
  })

  test('preserves the account when its e-mail address is verified during a second use of the setup key', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const key = await createKey(site)
    await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
    const deps = { db: site.db, mailer: { verifies: true }, origin: 'http://localhost', now: noon }
    const outcome = await overtaken(
      site.db,
      (trx) => verifyEmail({ ...deps, db: trx }, findToken(findLink(site.mails.at(-1)))),
      () => createFirstAdministrator(deps, key, hana),
    )
    expect(outcome).toBe('closed')
    expect(await readVerifiedEmails(site.db)).toEqual([owner.email])
  })

  onSqlite('rejects the setup key when its user is no longer an administrator', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const key = await createKey(site)
    await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
    for (const changed of [{ role: 'editing' as const }, { role: 'administration' as const, deletedAt: 'then' }]) {
      await site.db.updateTable('staff').set(changed).execute()
      expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...hana })).status).toBe(410)
    }
    expect(await staffOf(site.db)).toEqual({})
  })

  test('rejects the e-mail address of another account with a field error', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      await signInBrowser(site, hana)
      const key = await createKey(site)
      const expectRejection = async () => {
        const before = await readState(site)
        const response = await browserOf(site).post(`/welcome?key=${key}`, {
          intent: 'begin',
          key,
          ...owner,
          email: hana.email,
        })
        const html = await response.text()
        expect([response.status, html]).toEqual([409, expect.stringContaining('すでに登録されています')])
        expect(html).not.toContain(owner.password)
        expect(await readState(site)).toEqual(before)
      }
      await expectRejection()
      expect(await hasHadAdministrator(site.db)).toBe(false)
      await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
      expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })
      if (!verifies) continue
      await expectRejection()
      // The account reserves its earlier address.
      const account = { email: 'changed@example.jp' }
      await site.db.updateTable('accounts').set(account).where('email', '=', hana.email).execute()
      const accounts = site.db.selectFrom('accounts').select('id').where('email', '=', account.email)
      const { id: accountId } = await accounts.executeTakeFirstOrThrow()
      const expiresAt = new Date(site.clock.now + 1).toISOString()
      const undoLink = { key: 'undo', purpose: 'undo', accountId, email: hana.email, expiresAt } as const
      await site.db.insertInto('mailedLinks').values(undoLink).execute()
      await expectRejection()
    }
  })

  onSqlite('rejects a missing or invalid field with a field error', async () => {
    const site = await sampleSite(await fresh())
    const key = await createKey(site)
    const before = await readState(site)
    for (const [invalid, message] of [
      [{ name: ' ' }, 'お名前を入力してください'],
      [{ email: 'no address' }, 'メールアドレス'],
      [{ password: 'x' }, 'パスワードは次のように'],
      [{ password: 'password1' }, '広く知られているため'],
    ] as const) {
      const response = await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner, ...invalid })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
    }
    const foreign = await browserOf(site).send('/welcome', {
      method: 'POST',
      body: new URLSearchParams({ intent: 'begin', key, ...owner }),
      headers: { origin: 'https://elsewhere.example' },
    })
    expect([400, 403]).toContain(foreign.status)
    expect(await readState(site)).toEqual(before)
  })

  onSqlite('hashes no password when the setup key is missing or outdated', async () => {
    const site = await sampleSite(await fresh())
    const old = await createKey(site)
    const key = await createKey(site)
    expect(await browserOf(site).text('/welcome')).toContain('サイトを起動した画面')
    const passwordWorker = vi.spyOn(Worker.prototype, 'postMessage')
    for (const guess of ['', old, key.slice(0, -1), `${key}x`.repeat(500)]) {
      const response = await browserOf(site).post(`/welcome?key=${guess}`, { intent: 'begin', key: guess, ...owner })
      expect(response.status).toBe(410)
    }
    expect(passwordWorker).not.toHaveBeenCalled()
    expect(await staffOf(site.db)).toEqual({})
  })

  onSqlite('accepts only the configured e-mail address of the owner', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: owner.email })
    const key = await createKey(site)
    expect(await browserOf(site).text(`/welcome?key=${key}`)).toContain(owner.email)
    const other = await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...hana })
    expect([other.status, await other.text()]).toEqual([
      400,
      expect.stringContaining('前もって決められたメールアドレス'),
    ])
    const signedIn = await signInBrowser(site, hana)
    expect((await signedIn.post(`/welcome?key=${key}`, { intent: 'as oneself', key })).status).toBe(403)
    expect([await staffOf(site.db), await hasHadAdministrator(site.db)]).toEqual([{}, false])
    const typed = { ...owner, email: ' Owner@Example.JP ' }
    expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...typed })).status).toBe(302)
    expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })
  })

  onSqlite('makes a signed-in user the administrator when the setup key is used for the first time', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signInBrowser(site, hana)
    const key = await createKey(site)
    expect(await browser.text(`/welcome?key=${key}`)).toContain('このアカウントが、サイトの管理者になります')
    expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'as oneself', key })).status).toBe(401)
    expect(statusAndLocation(await browser.post(`/welcome?key=${key}`, { intent: 'as oneself', key }))).toEqual([
      302,
      '/welcome/shop',
    ])
    expect(await staffOf(site.db)).toEqual({ [hana.name]: 'administration' })
    for (const intent of ['as oneself', 'begin']) {
      const other = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      expect((await other.post(`/welcome?key=${key}`, { intent, key, ...owner })).status).toBe(410)
    }
    expect(await staffOf(site.db)).toEqual({ [hana.name]: 'administration' })
  })

  test('creates the first administrator only once, by registration or by the setup key', async () => {
    const site = await sampleSite(await fresh())
    const key = await createKey(site)
    expect(await register(site.db, 'yui')).toMatchObject({ first: true })
    expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })).status).toBe(410)
    expect(await browserOf(site).text('/welcome')).toContain(CLOSED)
    expect(await site.db.selectFrom('accounts').select('id').execute()).toEqual([])

    const other = await sampleSite(await fresh())
    await openShop(other)
    expect(await register(other.db, 'yui')).toMatchObject({ first: false })
    expect(await listAdministrators(other.db)).toHaveLength(1)
  })

  test('creates no account by the setup key when a concurrent registration creates the first administrator', async () => {
    const db = await fresh()
    const key = (await createSetupKey(db, noon)) ?? ''
    const deps = { db, mailer: { verifies: false }, origin: 'http://localhost', now: noon }
    const outcome = await overtaken(
      db,
      (trx) => register(trx, 'yui'),
      () => createFirstAdministrator(deps, key, owner),
    )
    expect(outcome).toBe('closed')
    expect(await listAdministrators(db)).toEqual(['yui'])
    expect(await db.selectFrom('accounts').select('id').execute()).toEqual([])
  })

  test('creates no setup key when the first administrator is created at the same moment', async () => {
    const db = await fresh()
    const key = (await createSetupKey(db, noon)) ?? ''
    const outcome = await overtaken(
      db,
      (trx) => promoteFirstAdministrator({ db: trx, now: noon }, key, { accountId: 'one', name: '一' }),
      () => createSetupKey(db, noon),
    )
    expect(outcome).toBeNull()
  })

  test('creates only one administrator when registrations and setup-key requests are concurrent', async () => {
    const db = await fresh()
    for (let round = 0; round < often(3, 1000); round++) {
      for (const table of ['members', 'staff', 'revisions', 'marks', 'onceKeys'] as const) {
        await db.deleteFrom(table).execute()
      }
      const key = (await createSetupKey(db, noon)) ?? ''
      const attempt = (index: number) => {
        const [accountId, name] = [`a${index}`, `a${index}`]
        return index % 2 === 0
          ? promoteFirstAdministrator({ db, now: noon }, key, { accountId, name })
          : register(db, name)
      }
      const results = await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(index)))
      const administrators = results.filter(
        (result) => result === true || (typeof result === 'object' && 'first' in result && result.first),
      )
      expect(administrators, `round ${round}`).toHaveLength(1)
      expect(await listAdministrators(db), `round ${round}`).toHaveLength(1)
      expect(await db.selectFrom('members').select('id').execute()).toHaveLength(10)
    }
  })

  test('creates only one administrator account when the setup key is used ten times at once', async () => {
    const site = await sampleSite(await fresh())
    const key = await createKey(site)
    const people = Array.from({ length: 10 }, (_, index) => ({ ...owner, email: `owner${index % 9}@example.jp` }))
    const responses = await Promise.all(
      people.map((one) => browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...one })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([302, ...Array(9).fill(410)])
    expect(await listAdministrators(site.db)).toHaveLength(1)
    expect(await site.db.selectFrom('accounts').select('id').execute()).toHaveLength(1)
  })
})
