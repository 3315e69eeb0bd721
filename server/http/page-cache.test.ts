import { type KyselyPlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import { addCard } from '../../app/cards/cards.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createApp } from '../app.ts'
import { createTestDependencies, createTestLive, sampleSite } from '../testing.ts'
import { textPage } from './compress.ts'
import { PageCache } from './page-cache.ts'

const author = { accountId: null, at: '2026-11-20T03:00:00Z' }
type Site = Awaited<ReturnType<typeof sampleSite>>

/** Whether the cache serves the request. If so, the page does not show a change without a commit event. */
async function isServedFromCache(
  { app, db }: Pick<Site, 'app' | 'db'>,
  path: string,
  headers: Record<string, string> = {},
) {
  const read = async () => (await app.request(`http://localhost${path}`, { headers })).text()
  await read()
  const title = `t${crypto.randomUUID().slice(0, 8)}`
  await db.updateTable('cards').set({ title }).where('collection', '=', 'dining').execute()
  return !(await read()).includes(title)
}

onEachEngine((fresh) => {
  test('caches a page until the next save', async () => {
    const site = await sampleSite(await fresh())
    expect(await isServedFromCache(site, '/dining')).toBe(true)
    for (const title of ['一品目', '二品目', '三品目']) {
      await addCard(site.db, 'dining', { title, content: '新しい' }, author)
      for (const path of ['/dining', '/dining.data']) expect(await site.text(path), path).toContain(title)
    }
  })

  test('shows a save when the database responds late', async () => {
    let isLate = false
    const delay: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (isLate) await new Promise((resolve) => setTimeout(resolve, 300))
        return result
      },
    }
    const { db, text } = await sampleSite((await fresh()).withPlugin(delay))
    await text('/dining')
    await addCard(db, 'dining', { title: '一品目', content: '新しい' }, author)
    isLate = true
    expect(await text('/dining')).toContain('一品目')
  })

  test('drops cached pages after a commit without a topic', async () => {
    const { text, db } = await sampleSite(await fresh())
    await text('/dining')
    await inTransaction(db, (trx) => trx.deleteFrom('cards').execute())
    expect(await text('/dining')).toContain('ただいま準備しております')
  })

  test('renders pages of signed-in visitors without caching them', async () => {
    const { db, live, text } = await sampleSite(await fresh())
    const administrator: Visitor = {
      accountId: 'aoi',
      name: 'あおい',
      email: 'aoi@example.jp',
      emailVerified: true,
      member: { id: 'm1', administrator: true, admin: true },
      staff: null,
    }
    const app = createApp({
      ...createTestDependencies(db, live),
      visitorOf: async (_, request) => (request.headers.has('x-administrator') ? administrator : null),
    })
    const read = async (headers: Record<string, string>) =>
      (await app.request('http://localhost/dining', { headers })).text()
    const own = await read({ 'x-administrator': 'yes' })
    expect(own).toContain('あおい')
    const guest = await read({})
    expect(guest).not.toContain('あおい')
    expect(guest).toBe(await text('/dining'))
    expect(await read({ 'x-administrator': 'yes' })).toBe(own)
    expect(await isServedFromCache({ app, db }, '/dining', { 'x-administrator': 'yes' })).toBe(false)
  })

  test('drops cached pages when a minute ends', async () => {
    const { text, db, clock } = await sampleSite(await fresh())
    const read = () => text('/dining')
    await read()
    await db.updateTable('cards').set({ title: '名を変えた' }).execute()
    expect(await read()).not.toContain('名を変えた')
    clock.now += 60_000
    expect(await read()).toContain('名を変えた')
  })
})

test('serves cached pages despite foreign cookies, credentials and unknown query parameters', async () => {
  const site = await sampleSite()
  expect(await isServedFromCache(site, '/dining', { cookie: 'x=1; better-auth.session_token=nobody' })).toBe(true)
  expect(await isServedFromCache(site, '/dining', { authorization: 'Bearer x' })).toBe(true)
  expect(await isServedFromCache(site, `/dining?x=${'1'.repeat(2000)}`)).toBe(true)
  expect(await isServedFromCache(site, '/dining?utm_source=letter&fbclid=1')).toBe(true)
  expect(await isServedFromCache(site, '/dining.data?_routes=shop%2Fdining-page,x')).toBe(true)
  expect(await isServedFromCache(site, '/dining/new/add')).toBe(false)
})

test('renders one 404 page for all unknown paths', async () => {
  const { get, db } = await sampleSite()
  const first = await get('/some/where')
  await db.updateTable('site').set({ facts: '{}' }).execute()
  const second = await get('/else/where')
  expect([first.status, second.status]).toEqual([404, 404])
  const text = await first.text()
  expect(await second.text()).toBe(text)
  expect(text).toContain('お探しのページが見つかりません')
  expect((await get('/some/where.data')).status).toBe(404)
})

test('rejects a rendering when a hundred renderings wait, but still serves cached pages', async () => {
  const { get } = await sampleSite()
  await get('/dining')
  const order: string[] = []
  const fresh = Array.from({ length: 120 }, async (_, index) => {
    const response = await get(`/login?problem=${index}`)
    order.push(`${response.status}`)
    return response
  })
  const cachedRequest = get('/dining').then(({ status }) => order.push(`kept ${status}`))
  const [responses] = await Promise.all([Promise.all(fresh), cachedRequest])
  const refused = responses.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ headers }) => headers.get('retry-after') === '5')).toBe(true)
  expect(await refused[0]?.text()).toContain('混み合っています')
  expect(responses.filter(({ status }) => status === 200).length).toBe(120 - refused.length)
  expect(order.indexOf('kept 200')).toBeLessThan(order.indexOf('200') + 20)
  expect((await get('/login')).status).toBe(200)
})

test('sends a cached page with the headers of a rendered page', async () => {
  const { get } = await sampleSite()
  const read = async (headers: Record<string, string> = {}) => {
    const response = await get('/dining', { headers })
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  }
  const first = await read()
  expect(await read()).toEqual(first)
  expect(first.headers['content-security-policy']).toContain("script-src 'self' 'sha256-")
  expect((await read({ 'if-none-match': first.headers.etag ?? '' })).status).toBe(304)
  const head = await get('/dining', { method: 'HEAD' })
  expect([Object.fromEntries(head.headers), await head.text()]).toEqual([first.headers, ''])
})

test('does not cache a page whose cards cannot be read', async () => {
  const { text, db } = await sampleSite()
  await sql`alter table "cards" rename to "away"`.execute(db)
  const empty = /<p[^>]*>お料理はただいま準備しております/
  for (const _ of [1, 2]) expect(await text('/dining')).toMatch(empty)
  await sql`alter table "away" rename to "cards"`.execute(db)
  expect(await text('/dining')).not.toMatch(empty)
})

const createCache = async () => {
  const db = await freshSqlite()
  const live = createTestLive(db)
  const pages = new PageCache(createTestDependencies(db, live))
  const renderings: { url: string; done: (keep?: boolean) => void; fail: () => void }[] = []
  const get = (url: string, text = 'a page', saved = false) =>
    pages.get(
      { url, isOneOfMany: url.includes('?'), isDaily: false },
      () =>
        new Promise((resolve, reject) => {
          const page = textPage(text, 200, new Headers({ 'content-type': 'text/html' }))
          renderings.push({
            url,
            done: (keep = true) => resolve({ page, keep }),
            fail: () => reject(new Error('not made')),
          })
        }),
      { saved },
    )
  return { live, renderings, get }
}

test('renders a page once for concurrent requests', async () => {
  const { get, renderings } = await createCache()
  const pending = Array.from({ length: 20 }, () => get('/a'))
  await Promise.resolve()
  renderings[0]?.done()
  await Promise.all([...pending, get('/a')])
  expect(renderings).toHaveLength(1)
})

test('does not cache a page whose rendering began before a change', async () => {
  const { get, renderings, live } = await createCache()
  const before = get('/a')
  live.publish('dining')
  const after = get('/a')
  expect(renderings).toHaveLength(2)
  renderings[1]?.done()
  renderings[0]?.done()
  const [old, current] = await Promise.all([before, after])
  expect(await get('/a')).toBe(current)
  expect(current).not.toBe(old)
  expect(renderings).toHaveLength(2)
})

test('renders a page again when its rendering failed or may not be cached', async () => {
  const { get, renderings } = await createCache()
  const failing = get('/a')
  renderings[0]?.fail()
  await expect(failing).rejects.toThrow('not made')
  const passing = get('/a')
  renderings[1]?.done(false)
  await passing
  void get('/a')
  expect(renderings).toHaveLength(3)
})

test('sends no older page after a visitor’s save, even if rendering fails', async () => {
  const { get, renderings, live } = await createCache()
  const read = async (saved: boolean, keep = false) => {
    const pending = get('/a', keep ? '<body>whole</body>' : '<body>without its cards</body>', saved)
    renderings.at(-1)?.done(keep)
    return (await pending)?.page.text().replace(/<aside.*aside>/, '')
  }
  expect(await read(false, true)).toBe('<body>whole</body>')
  live.publish('dining')
  expect([await read(false), await read(true)]).toEqual(['<body>whole</body>', '<body>without its cards</body>'])
  // A page that was rendered after the last change contains the save.
  expect(await read(false, true)).toBe('<body>whole</body>')
  live.publish('dining')
  expect(await read(true, true)).toBe('<body>whole</body>')
})

test('drops the least recently used page with a query when the cache is full', async () => {
  const { get, renderings } = await createCache()
  const big = 'x'.repeat(1.75 * 1024 * 1024)
  const keep = async (url: string) => {
    const pending = get(url, big)
    renderings.at(-1)?.done()
    await pending
  }
  for (const url of ['/', '/?1', '/?2', '/?3']) await keep(url)
  await get('/?1')
  await keep('/?4')
  const renderedCount = renderings.length
  for (const url of ['/?1', '/?3', '/?4', '/']) await get(url)
  expect(renderings).toHaveLength(renderedCount)
  void get('/?2', big)
  expect(renderings).toHaveLength(renderedCount + 1)
})

test('drops no cached page in favour of a page that became stale during its rendering', async () => {
  const { get, renderings, live } = await createCache()
  const big = 'x'.repeat(2.25 * 1024 * 1024)
  const keep = async (url: string, meanwhile = () => {}) => {
    const pending = get(url, big)
    meanwhile()
    renderings.at(-1)?.done()
    await pending
  }
  // To free space, the cache drops only pages with a query.
  await keep('/old', () => live.publish('dining'))
  for (const url of ['/?1', '/?2', '/?3']) await keep(url)
  for (const url of ['/?1', '/?2', '/?3']) void get(url)
  expect(renderings).toHaveLength(4)
})
