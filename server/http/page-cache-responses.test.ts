import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addCard } from '../../app/cards/cards.server.ts'
import type { Db } from '../../db/tables.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { createApp } from '../app.ts'
import { fillSampleShop } from '../sample-shop.ts'
import { readSettings } from '../settings.ts'
import { browserOf, createTestDependencies, createTestLive, listenLocally, noon } from '../testing.ts'
import { demoAccounts, openAccounts, registerPeople } from '../tools/demo.ts'
import type { SiteDependencies } from './request-dependencies.ts'

const author = { accountId: null, at: '2026-11-20T03:00:00Z' }
const password = 'irasshaimase'

/**
 * Serves the sample shop on a local port. `fetchPage` returns a response and whether the page cache sent the response.
 */
async function serveSampleShop(db: Db, settings: Partial<SiteDependencies['settings']> = {}) {
  await fillSampleShop(db, { wanted: true, now: noon })
  const clock = { now: noon }
  const logged: { msg: string; count?: number }[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(JSON.parse(line)) })
  const deps = createTestDependencies(db, createTestLive(db))
  const app = createApp({ ...deps, settings: { ...deps.settings, ...settings }, log, clock: () => clock.now })
  const { close, port } = await listenLocally(app)
  onTestFinished(close)
  async function fetchPage(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const before = logged.length
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { 'accept-encoding': 'br', ...headers },
    })
    const [response]: IncomingMessage[] = await once(outgoing.end(), 'response')
    if (!response) throw new Error('Response missing')
    const body = await buffer(response)
    const { date: _, ...responseHeaders } = response.headers
    const isCached = logged.slice(before).some(({ msg }) => msg === 'cached page sent')
    return { status: response.statusCode, headers: responseHeaders, body, isCached }
  }
  return { app, db, clock, logged, fetchPage }
}

/** Signs in and returns the Cookie header of the browser. */
async function cookieOf(app: ReturnType<typeof createApp>, email: string) {
  const browser = browserOf({ app })
  await browser.post('/emaillogin', { email, password })
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite('sends the same bytes and headers from the cache to the next visitor', async () => {
    const { fetchPage } = await serveSampleShop(await fresh())
    const pages = ['/dining', '/dining.data', '/calendar?month=2026-12', '/calendar.ics', '/bussinessdays', '/today']
    for (const path of [...pages, '/privacy', '/nowhere'])
      for (const encoding of ['br', 'gzip', 'identity']) {
        const first = await fetchPage(path, { 'accept-encoding': encoding })
        const second = await fetchPage(path, { 'accept-encoding': encoding })
        const status = path === '/nowhere' ? 404 : 200
        expect([first.status, first.isCached, second.isCached], path).toEqual([status, false, true])
        expect({ ...second, isCached: false }, `${path} in ${encoding}`).toEqual(first)
      }
  })

  onSqlite('returns 304 from the cache when the visitor has the current page', async () => {
    const { fetchPage } = await serveSampleShop(await fresh())
    const { etag = '' } = (await fetchPage('/dining')).headers
    const notModified = await fetchPage('/dining', { 'if-none-match': etag })
    const changed = await fetchPage('/dining', { 'if-none-match': '"other"' })
    expect([notModified.isCached, notModified.status, notModified.body.length, notModified.headers.etag]).toEqual([
      true,
      304,
      0,
      etag,
    ])
    expect(notModified.headers).not.toHaveProperty('content-encoding')
    expect([changed.isCached, changed.status]).toEqual([true, 200])
  })

  test('drops cached pages after a save and after a minute', async () => {
    const { fetchPage, db, clock } = await serveSampleShop(await fresh())
    const read = async () => (await fetchPage('/dining', { 'accept-encoding': 'identity' })).body.toString()
    for (const title of ['一品目', '二品目']) {
      await read()
      await addCard(db, 'dining', { title, content: '新しい' }, author)
      expect(await read()).toContain(title)
    }
    await db.updateTable('cards').set({ title: '名を変えた' }).execute()
    expect(await read()).not.toContain('名を変えた')
    clock.now += 60_000
    expect(await read()).toContain('名を変えた')
  })

  onSqlite('renders a member’s page only for that member', async () => {
    const { app, fetchPage, db } = await serveSampleShop(await fresh())
    await openAccounts(db, password, noon)
    await registerPeople(db, noon)
    const cookie = await cookieOf(app, demoAccounts.administrator.email)
    const asGuest = { 'accept-encoding': 'identity' }
    const guest = await fetchPage('/dining', asGuest)
    const member = await fetchPage('/dining', { ...asGuest, cookie })
    expect(member.isCached).toBe(false)
    expect(member.headers['cache-control']).toBe('private, no-store')
    const name = demoAccounts.administrator.name
    expect([member, guest].map(({ body }) => body.includes(name))).toEqual([true, false])
    const after = await fetchPage('/dining', asGuest)
    expect([after.isCached, after.body.equals(guest.body)]).toEqual([true, true])
    expect((await fetchPage('/dining', { ...asGuest, cookie: '_ga=1; theme=dark' })).isCached).toBe(true)
  })

  onSqlite('caches no response that deletes the cookie of a visitor', async () => {
    const { app, fetchPage, db } = await serveSampleShop(await fresh())
    await openAccounts(db, password, noon)
    const cookie = await cookieOf(app, demoAccounts.signedIn.email)
    await db.deleteFrom('sessions').execute()
    const signedOut = await fetchPage('/dining', { cookie })
    expect(signedOut.headers['set-cookie']).toBeDefined()
    expect(signedOut.headers).not.toHaveProperty('etag')
    const guest = await fetchPage('/dining')
    expect(guest.headers).not.toHaveProperty('set-cookie')
    expect(guest.headers['cache-control']).toBe('no-cache')
  })

  onSqlite('sends no cached page for another method, host or path', async () => {
    const { fetchPage } = await serveSampleShop(await fresh())
    const page = await fetchPage('/dining')
    const head = await fetchPage('/dining', {}, 'HEAD')
    expect([head.isCached, head.body.length, head.headers.etag]).toEqual([false, 0, page.headers.etag])
    expect((await fetchPage('/dining', {}, 'POST')).isCached).toBe(false)
    const elsewhere = await fetchPage('/dining', { host: 'other.example' })
    expect([elsewhere.isCached, elsewhere.status]).toEqual([false, 400])
    const localhost = await fetchPage('/dining', { host: 'localhost:1', 'accept-encoding': 'identity' })
    expect([localhost.isCached, localhost.body.toString().includes('http://localhost:1/dining')]).toEqual([false, true])
    for (const path of ['/dining/new/add', '/dining/', '/login', '/', '/dining/new/add', '/login'])
      expect((await fetchPage(path)).isCached, path).toBe(false)
  })
})

test('sends no cached page when the visitor must be redirected', async () => {
  const settings = readSettings({ PUBLIC_ORIGIN: 'https://example.jp', TRUSTED_PROXY: '127.0.0.1' })
  const { fetchPage } = await serveSampleShop(await freshSqlite(), settings)
  const visit = async (headers: Record<string, string>) => {
    const { status, headers: responseHeaders, isCached } = await fetchPage('/dining', headers)
    return [status, responseHeaders.location, isCached]
  }
  const [target, directHeaders] = ['https://example.jp/dining', { host: 'example.jp' }]
  for (const host of ['127.0.0.1:3000', 'example.jp']) {
    const proxyHeaders = { host, 'x-forwarded-host': 'example.jp' }
    expect(await visit(proxyHeaders)).toEqual([200, undefined, false])
    expect(await visit(proxyHeaders)).toEqual([200, undefined, true])
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await visit({ host, 'x-forwarded-host': 'www.example.jp' })).toEqual([308, target, false])
  }
  expect(await visit(directHeaders)).toEqual([200, undefined, false])
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await visit({ host: 'www.example.jp' })).toEqual([308, target, false])
  expect(await visit(directHeaders)).toEqual([200, undefined, true])
})

test('logs the number of cached responses once a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { fetchPage, logged } = await serveSampleShop(await freshSqlite())
  const counts = () => logged.filter(({ msg }) => msg === 'cached pages sent').map(({ count }) => count)
  for (let time = 0; time < 4; time += 1) await fetchPage('/dining')
  vi.advanceTimersByTime(59_999)
  expect(counts()).toEqual([])
  vi.advanceTimersByTime(1)
  await fetchPage('/dining')
  vi.advanceTimersByTime(60_000)
  // The first response was rendered, and has its own log line.
  expect(counts()).toEqual([3, 1])
})
