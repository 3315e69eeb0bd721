import type { Kysely, KyselyPlugin } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OutcomeUnknown } from '../db/failure.ts'
import { connect, openDatabase } from '../db/open.ts'
import type { Tables } from '../db/tables.ts'
import { freshPostgresUrl, freshSqlite, onEachEngine, onServer } from '../db/testing.ts'
import { untilWaiting } from '../db/testing-at-once.ts'
import { openLine } from '../db/testing-line.ts'
import { inTransaction } from '../db/transaction.ts'
import { createApp } from './app.ts'
import { browserOf, jsonCall, noon, quietWorld, sampleSite } from './testing.ts'
import { hana, signedInOn } from './testing-account.ts'

/** The sample site on a PostgreSQL whose line can fail. */
async function siteOverLine() {
  const url = await freshPostgresUrl()
  const line = await openLine(url)
  const db = await connect({ url: line.url, file: '' }, { serving: true })
  onTestFinished(async () => {
    line.mend()
    line.resume()
    await db.destroy()
    line.close()
  })
  const { live } = await sampleSite(db)
  const clock = { now: noon }
  const app = createApp({ ...quietWorld(db, live), clock: () => clock.now })
  const browser = browserOf({ app })
  const answered = async (path: string, init?: RequestInit) => {
    const began = performance.now()
    const response = await app.request(`http://localhost${path}`, init)
    return { status: response.status, text: await response.text(), ms: performance.now() - began, response }
  }
  return { db, clock, line, answered, browser }
}

const message = jsonCall({ to: 'shop', from: 'a@example.jp', subject: '席', text: '四名です。' })

/** The status of the answer about the health of a site, and the word in it. */
async function healthOf({ get }: Pick<Awaited<ReturnType<typeof sampleSite>>, 'get'>) {
  const response = await get('/api/health')
  return [response.status, ((await response.json()) as { status: string }).status]
}

test.each(['hold', 'break'] as const)(
  'where the line to the database is in %s, the last page is shown with its time, and health tells',
  async (fault) => {
    const { answered, clock, line, db } = await siteOverLine()
    const before = await answered('/dining')
    expect(before.text).toContain('出汁巻き玉子')
    expect(before.text).not.toContain('現在のページを表示しています')
    expect((await answered('/api/health')).status).toBe(200)

    line[fault]()
    clock.now += 60_000
    for (const cookie of ['', 'noren.session_token=x.y']) {
      const shown = await answered('/dining', { headers: { cookie } })
      expect([shown.status, shown.response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(shown.text).toContain('出汁巻き玉子')
      expect(shown.text).toContain('2026/11/20 12:00 現在のページを表示しています。</aside></body>')
      // Sooner than the database is known to be away.
      expect(shown.ms).toBeLessThan(2500)
    }
    const health = await answered('/api/health')
    expect([health.status, JSON.parse(health.text).status]).toEqual([503, 'failing'])
    expect(health.ms).toBeLessThan(2500)
    // What nobody has read before cannot be shown, and is not made up.
    const never = await answered('/access')
    expect([never.status, never.response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(never.text).toContain('ページを表示できませんでした')
    const sent = await answered('/api/mail', message)
    expect(sent.status).toBe(503)
    expect(sent.text).toContain('データベースにつながらないため、受け付けられません')

    line.resume()
    line.mend()
    await vi.waitFor(async () => expect((await answered('/api/health')).status).toBe(200), 10_000)
    const after = await answered('/dining')
    expect(after.text).toContain('出汁巻き玉子')
    expect(after.text).not.toContain('現在のページを表示しています')
    expect((await answered('/api/mail', message)).status).toBe(200)
    expect(await db.selectFrom('messages').selectAll().execute()).toHaveLength(1)
  },
)

const AWAY = 'ただいまデータベースにつながらないため、受け付けられません'

test.each(['hold', 'break'] as const)(
  'tells people who are signed in that the database is away when its line is in %s',
  async (fault) => {
    const { line, browser } = await siteOverLine()
    expect((await browser.post('/signupform', hana)).status).toBe(302)
    expect((await browser.get('/account')).status).toBe(200)
    const cookies = new Map(browser.cookies)

    line[fault]()
    const typed = { intent: 'add', title: '秋の新しいお料理', version: '0' }
    for (const [path, init] of [
      ['/account', {}],
      ['/api/live?topics=dining', {}],
      ['/firestoreservice.data?databasename=dining', { body: new URLSearchParams(typed) }],
      ['/firestoreservice?databasename=dining', { body: new URLSearchParams(typed) }],
      ['/api/collections/dining', jsonCall(typed)],
      ['/api/upload', { body: new FormData() }],
      ['/emaillogin', { body: new URLSearchParams(hana) }],
      ['/logout', { body: new URLSearchParams() }],
    ] as const) {
      const method = 'body' in init ? 'POST' : 'GET'
      const response = await browser.send(path, { method, headers: { origin: 'http://localhost' }, ...init })
      const text = await response.text()
      expect([path, response.status]).toEqual([path, 503])
      expect(text, path).toContain(AWAY)
      expect(text, path).not.toMatch(/失敗しました|表示できませんでした/)
      // The form keeps what was typed when the answer is one line of Japanese.
      if (path.includes('.data')) expect(text).toMatch(/^[^<\n]*$/)
    }

    line.resume()
    line.mend()
    await vi.waitFor(async () => expect((await browser.get('/account')).status).toBe(200), 10_000)
    expect(browser.cookies).toEqual(cookies)
    expect(await browser.text('/account')).toContain(hana.email)
  },
)

/** Holds the database in a transaction; returns how to end it. */
function hold(db: Kysely<Tables>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const holding = inTransaction(db, () => promise)
  return () => {
    resolve()
    return holding
  }
}

test('keeps a session that cannot be ended, and says why', async () => {
  const site = await sampleSite()
  const browser = await signedInOn(site, hana)
  const letGo = hold(site.db)
  const answer = await browser.post('/logout', {})
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('ただいま混み合っているため')])
  await letGo()
  expect(await browser.text('/account')).toContain(hana.email)
})

test('tells who saves and who signs in that a PostgreSQL is read-only', async () => {
  const url = await freshPostgresUrl()
  const writable = await openDatabase({ url, file: '' })
  const { live } = await sampleSite(writable)
  await browserOf({ app: createApp(quietWorld(writable, live)) }).post('/signupform', hana)
  await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const db = await connect({ url, file: '' }, { serving: true })
  onTestFinished(async () => void (await Promise.all([db.destroy(), writable.destroy()])))
  const site = { app: createApp(quietWorld(db, live)) }
  const visitor = browserOf(site)
  for (const sent of [
    visitor.post('/emaillogin', hana),
    visitor.send('/api/mail', message),
    visitor.post('/signupform', { ...hana, email: 'new@example.jp' }),
  ]) {
    const answer = await sent
    const text = await answer.text()
    expect(answer.status).toBe(507)
    expect(text).toContain('データベースが読み取り専用になっているため、受け付けられませんでした')
    expect(text).not.toMatch(/ディスク|失敗しました/)
  }
  expect((await visitor.get('/dining')).status).toBe(200)
  expect(await (await visitor.get('/api/health')).json()).toMatchObject({ status: 'unwritable' })
})

test('a save that another one kept waiting for too long says so, and changes nothing', async () => {
  const { as, db } = await sampleSite()
  const letGo = hold(db)
  const sent = await as('guest', '/api/mail', message)
  expect([sent.status, await sent.text()]).toEqual([503, expect.stringContaining('ただいま混み合っているため')])
  await letGo()
  expect(await db.selectFrom('messages').selectAll().execute()).toEqual([])
})

test('while fifteen saves wait for one row, fresh pages and messages do not', async () => {
  const url = await freshPostgresUrl()
  const beside = await openDatabase({ url, file: '' })
  const db = await connect({ url, file: '' }, { serving: true })
  onTestFinished(async () => void (await Promise.all([db.destroy(), beside.destroy()])))
  const { as, people, clock } = await sampleSite(db)
  await people()
  const dishes = db.selectFrom('cards').select(['id', 'version']).where('collection', '=', 'dining').orderBy('id')
  const { id, version } = await dishes.executeTakeFirstOrThrow()
  const holding = await beside.startTransaction().execute()
  await holding.updateTable('cards').set({ title: '待たせる' }).where('id', '=', id).execute()
  const saves = Array.from({ length: 15 }, (_, n) =>
    as('administrator', `/api/collections/dining/${id}`, jsonCall({ version, title: `${n}番目` }, 'PATCH')),
  )
  await untilWaiting(beside, 15)
  for (const [path, init] of [
    ['/dining', {}],
    ['/calendar', {}],
    ['/api/health', {}],
    ['/api/mail', message],
  ] as const) {
    clock.now += 60_000
    const began = performance.now()
    const { status } = await as(path === '/calendar' ? 'administrator' : 'guest', path, init)
    expect([path, status]).toEqual([path, 200])
    expect(performance.now() - began, path).toBeLessThan(4000)
  }
  await holding.rollback().execute()
  const statuses = (await Promise.all(saves)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, ...Array(14).fill(409)])
})

test.each([
  [
    'cannot be written',
    Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' }),
    'ディスクに書き込めないため、受け付けられませんでした',
  ],
  [
    'cannot be flushed',
    new OutcomeUnknown('Not flushed', {
      cause: Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' }),
    }),
    '受け付けられたかどうかを確認できませんでした',
  ],
])('health and the form report a disk that %s until one can', async (_, error, sentence) => {
  let isWell = true
  const failing: KyselyPlugin = {
    transformQuery({ node }) {
      if (isWell || node.kind === 'SelectQueryNode') return node
      throw error
    },
    transformResult: async ({ result }) => result,
  }
  const site = await sampleSite((await freshSqlite()).withPlugin(failing))
  const { as } = site
  isWell = false
  const refused = await as('guest', '/api/mail', message)
  expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining(sentence)])
  expect(await healthOf(site)).toEqual([507, 'unwritable'])
  expect((await as('guest', '/dining')).status).toBe(200)
  isWell = true
  expect((await as('guest', '/api/mail', message)).status).toBe(200)
  expect(await healthOf(site)).toEqual([200, 'ok'])
})

onEachEngine((fresh) => {
  test('a full disk is told by health, and by /today to administrators alone, until there is room', async () => {
    const site = await sampleSite(await fresh())
    const { as, people, space } = site
    await people()
    const today = async (who: 'administrator' | 'approved') => (await as(who, '/today')).text()
    expect(await healthOf(site)).toEqual([200, 'ok'])
    expect(await today('administrator')).not.toContain('ディスクの空き')
    Object.assign(space, { free: 300 * 1024 ** 2, needed: 500 * 1024 ** 2 })
    expect(await healthOf(site)).toEqual([200, 'ok'])
    expect(await today('administrator')).toContain('ディスクの空きが 300 MB です。')
    expect(await today('approved')).not.toContain('ディスクの空き')
    space.free = 4096
    expect(await healthOf(site)).toEqual([507, 'full'])
    space.free = 1e12
    expect(await healthOf(site)).toEqual([200, 'ok'])
  })
})
