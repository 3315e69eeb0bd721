import type { KyselyPlugin } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OutcomeUnknown } from '../db/failure.ts'
import { connect, openDatabase } from '../db/open.ts'
import type { Db } from '../db/tables.ts'
import { freshPostgresUrl, freshSqlite, onEachEngine, onServer } from '../db/testing.ts'
import { untilWaiting } from '../db/testing-at-once.ts'
import { openLine } from '../db/testing-line.ts'
import { withoutWaiting } from '../db/testing-timers.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { inTransaction } from '../db/transaction.ts'
import { createApp } from './app.ts'
import { DATABASE_TIMEOUTS } from './http/health.ts'
import { browserOf, createTestDependencies, fillSampleSite, jsonCall, noon, sampleSite } from './testing.ts'
import { hana, signInBrowser } from './testing-account.ts'

/** Creates the sample site on a PostgreSQL connection that can be interrupted. */
async function siteOverLine() {
  const url = await freshPostgresUrl()
  await fillSampleSite(url)
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
  const app = createApp({
    ...createTestDependencies(db, live),
    clock: () => clock.now,
    databaseTimeouts: DATABASE_TIMEOUTS,
  })
  const browser = browserOf({ app })
  const request = async (path: string, init?: RequestInit) => {
    const response = await app.request(`http://localhost${path}`, init)
    return { status: response.status, text: await response.text(), response }
  }
  return { db, clock, line, request, browser }
}

const message = jsonCall({ to: 'shop', from: 'a@example.jp', subject: '席', text: '四名です。' })

/** Returns the HTTP status and the `status` of the health response. */
async function readHealth({ get }: Pick<Awaited<ReturnType<typeof sampleSite>>, 'get'>) {
  const response = await get('/api/health')
  return [response.status, ((await response.json()) as { status: string }).status]
}

test.each(['hold', 'break'] as const)(
  'shows the last version of a page, with its time, when the database connection fails (%s)',
  async (lineFault) => {
    const { request, clock, line, db } = await siteOverLine()
    // On a busy machine, the database may seem away for a moment.
    const recover = (check: () => Promise<void>) => vi.waitFor(check, WAIT_OPTIONS)
    await recover(async () => {
      const before = await request('/dining')
      expect(before.text).toContain('出汁巻き玉子')
      expect(before.text).not.toContain('現在のページを表示しています')
    })
    await recover(async () => expect((await request('/api/health')).status).toBe(200))

    line[lineFault]()
    clock.now += 60_000
    for (const cookie of ['', 'noren.session_token=x.y']) {
      const shown = await request('/dining', { headers: { cookie } })
      expect([shown.status, shown.response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(shown.text).toContain('出汁巻き玉子')
      expect(shown.text).toContain('2026/11/20 12:00 現在のページを表示しています。</aside></body>')
    }
    const health = await request('/api/health')
    expect([health.status, JSON.parse(health.text).status]).toEqual([503, 'failing'])
    expect((await request('/livez')).status).toBe(200)
    // A page that was never rendered has no last version.
    const neverRendered = await request('/access')
    expect([neverRendered.status, neverRendered.response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(neverRendered.text).toContain('ページを表示できませんでした')
    const sent = await request('/api/mail', message)
    expect(sent.status).toBe(503)
    expect(sent.text).toContain('データベースにつながらないため、受け付けられません')

    line.resume()
    line.mend()
    await recover(async () => expect((await request('/api/health')).status).toBe(200))
    await recover(async () => {
      const after = await request('/dining')
      expect(after.text).toContain('出汁巻き玉子')
      expect(after.text).not.toContain('現在のページを表示しています')
    })
    await recover(async () => expect((await request('/api/mail', message)).status).toBe(200))
    expect(await db.selectFrom('messages').selectAll().execute()).toHaveLength(1)
  },
)

const UNREACHABLE = 'ただいまデータベースにつながらないため、受け付けられません'

test.each(['hold', 'break'] as const)(
  'shows signed-in visitors that the database is unreachable when the connection fails (%s)',
  async (lineFault) => {
    const { line, browser } = await siteOverLine()
    expect((await browser.post('/signupform', hana)).status).toBe(302)
    await vi.waitFor(async () => expect((await browser.get('/account')).status).toBe(200), WAIT_OPTIONS)
    const cookies = new Map(browser.cookies)

    line[lineFault]()
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
      expect(text, path).toContain(UNREACHABLE)
      expect(text, path).not.toMatch(/失敗しました|表示できませんでした/)
      // The form preserves the typed text if the response is one line of Japanese.
      if (path.includes('.data')) expect(text).toMatch(/^[^<\n]*$/)
    }

    line.resume()
    line.mend()
    await vi.waitFor(async () => expect((await browser.get('/account')).status).toBe(200), WAIT_OPTIONS)
    expect(browser.cookies).toEqual(cookies)
    expect(await browser.text('/account')).toContain(hana.email)
  },
)

/** Locks the database in a transaction. Returns a function that ends the transaction. */
function lockDatabase(db: Db) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const lockingTransaction = inTransaction(db, () => promise)
  return () => {
    resolve()
    return lockingTransaction
  }
}

test('preserves a session and shows the cause when signing out fails', async () => {
  const site = await sampleSite()
  const browser = await signInBrowser(site, hana)
  const release = lockDatabase(site.db)
  const response = await withoutWaiting(() => browser.post('/logout', {}))
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('ただいま混み合っているため')])
  await release()
  expect(await browser.text('/account')).toContain(hana.email)
})

test('shows that the database is read-only when a visitor saves or signs in', async () => {
  const url = await freshPostgresUrl()
  const writable = await openDatabase({ url, file: '' })
  const { live } = await sampleSite(writable)
  await browserOf({ app: createApp(createTestDependencies(writable, live)) }).post('/signupform', hana)
  await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const db = await connect({ url, file: '' }, { serving: true })
  onTestFinished(async () => void (await Promise.all([db.destroy(), writable.destroy()])))
  const site = { app: createApp(createTestDependencies(db, live)) }
  const visitor = browserOf(site)
  for (const sent of [
    visitor.post('/emaillogin', hana),
    visitor.send('/api/mail', message),
    visitor.post('/signupform', { ...hana, email: 'new@example.jp' }),
  ]) {
    const response = await sent
    const text = await response.text()
    expect(response.status).toBe(507)
    expect(text).toContain('データベースが読み取り専用になっているため、受け付けられませんでした')
    expect(text).not.toMatch(/ディスク|失敗しました/)
  }
  expect((await visitor.get('/dining')).status).toBe(200)
  expect(await (await visitor.get('/api/health')).json()).toMatchObject({ status: 'unwritable' })
})

test('rejects a save with a busy message when another save holds the lock too long', async () => {
  const { as, db } = await sampleSite()
  const release = lockDatabase(db)
  const sent = await withoutWaiting(() => as('guest', '/api/mail', message))
  expect([sent.status, await sent.text()]).toEqual([503, expect.stringContaining('ただいま混み合っているため')])
  await release()
  expect(await db.selectFrom('messages').selectAll().execute()).toEqual([])
})

test('renders pages and stores messages while fifteen saves wait for the same row', async () => {
  const url = await freshPostgresUrl()
  const otherConnection = await openDatabase({ url, file: '' })
  // Not a serving connection, because a busy machine may need longer than its lock timeout.
  const db = await connect({ url, file: '' })
  onTestFinished(async () => void (await Promise.all([db.destroy(), otherConnection.destroy()])))
  const { as, people, clock } = await sampleSite(db)
  await people()
  const dishes = db.selectFrom('cards').select(['id', 'version']).where('collection', '=', 'dining').orderBy('id')
  const { id, version } = await dishes.executeTakeFirstOrThrow()
  const lockingTransaction = await otherConnection.startTransaction().execute()
  await lockingTransaction.updateTable('cards').set({ title: '待たせる' }).where('id', '=', id).execute()
  // Fifteen connections that open at once may exceed their time limit.
  const opened = []
  while (opened.length < 15) opened.push(await db.startTransaction().execute())
  await Promise.all(opened.map((transaction) => transaction.rollback().execute()))
  const saves = Array.from({ length: 15 }, (_, n) =>
    as('administrator', `/api/collections/dining/${id}`, jsonCall({ version, title: `${n}番目` }, 'PATCH')),
  )
  await untilWaiting(otherConnection, 15)
  for (const [path, init] of [
    ['/dining', {}],
    ['/calendar', {}],
    ['/api/health', {}],
    ['/api/mail', message],
  ] as const) {
    clock.now += 60_000
    const { status } = await as(path === '/calendar' ? 'administrator' : 'guest', path, init)
    expect([path, status]).toEqual([path, 200])
  }
  await lockingTransaction.rollback().execute()
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
])('shows in the form and the health check that the disk %s, until a write succeeds', async (_, error, sentence) => {
  let isHealthy = true
  const failingPlugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (isHealthy || node.kind === 'SelectQueryNode') return node
      throw error
    },
    transformResult: async ({ result }) => result,
  }
  const site = await sampleSite((await freshSqlite()).withPlugin(failingPlugin))
  const { as } = site
  isHealthy = false
  const refused = await as('guest', '/api/mail', message)
  expect([refused.status, await refused.text()]).toEqual([507, expect.stringContaining(sentence)])
  expect(await readHealth(site)).toEqual([507, 'unwritable'])
  expect((await as('guest', '/dining')).status).toBe(200)
  isHealthy = true
  expect((await as('guest', '/api/mail', message)).status).toBe(200)
  expect(await readHealth(site)).toEqual([200, 'ok'])
})

test('reports no failure in the health check after the clock was set back', async () => {
  let isHealthy = true
  const failingPlugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (!isHealthy && node.kind !== 'SelectQueryNode')
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const site = await sampleSite((await freshSqlite()).withPlugin(failingPlugin))
  isHealthy = false
  expect((await site.as('guest', '/api/mail', message)).status).toBe(507)
  site.clock.now -= 24 * 60 * 60_000
  expect(await readHealth(site)).toEqual([200, 'ok'])
})

onEachEngine((fresh) => {
  test('reports a full disk in the health check, and on /today only to administrators', async () => {
    const site = await sampleSite(await fresh())
    const { as, people, space } = site
    await people()
    const today = async (who: 'administrator' | 'approved') => (await as(who, '/today')).text()
    expect(await readHealth(site)).toEqual([200, 'ok'])
    expect(await today('administrator')).not.toContain('ディスクの空き')
    Object.assign(space, { free: 300 * 1024 ** 2, needed: 500 * 1024 ** 2 })
    expect(await readHealth(site)).toEqual([200, 'ok'])
    expect(await today('administrator')).toContain('ディスクの空きが 300 MB です。')
    expect(await today('approved')).not.toContain('ディスクの空き')
    space.free = 4096
    expect(await readHealth(site)).toEqual([507, 'full'])
    space.free = 1e12
    expect(await readHealth(site)).toEqual([200, 'ok'])
  })
})
