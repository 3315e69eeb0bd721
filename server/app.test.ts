import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseState } from '../app/records/revisions.server.ts'
import { freshSqlite, onEachEngine } from '../db/testing.ts'
import packageJson from '../package.json' with { type: 'json' }
import { fillSampleShop } from './sample-shop.ts'
import { readSettings } from './settings.ts'
import { cpuTimeOf, noon, sampleSite } from './testing.ts'

const publicPages: [path: string, ...texts: string[]][] = [
  [
    '/',
    ...[
      '朝の湯気と',
      'alt="提灯のともる夕暮れの路地と、店の赤い暖簾"',
      'alt="打ち水をした石畳と、朝の光を受けた店の暖簾"',
    ],
  ],
  ['/home', '朝の湯気と'],
  ['/infomation', '木曜日'],
  ['/dining', '出汁巻き玉子'],
  ['/access', '八坂の塔を目印に'],
  ['/videoproduction', '店の一日を、三分の映像に'],
  ['/municipalarchitect', '眠っていた図面を、探せる台帳に'],
  ['/webdesignincludebackend', '迷わない管理画面'],
  ['/vbacreate', '請求書を、ひと押しで'],
  ['/socialefficiency', '地域の乗り合いバス'],
  ['/tennisrelated', '毎週土曜日の練習会'],
]

onEachEngine((fresh) => {
  test('renders every public page with its title, description, images and structured data', async () => {
    const { get } = await sampleSite(await fresh())
    for (const [path, ...texts] of publicPages) {
      const response = await get(path)
      const html = await response.text()
      expect(response.status, path).toBe(200)
      for (const text of texts) expect(html, path).toContain(text)
      expect(html, path).toMatch(/<title>[^<]*ダイニング結[^<]*<\/title>/)
      expect(html, path).toMatch(/<meta name="description" content="[^"]{20,}"/)
      expect(html, path).toContain('"@type":"Restaurant"')
      expect(html, path).toContain(`<link rel="canonical" href="http://localhost${path === '/home' ? '/' : path}"`)
    }
  })

  test('renders the same page for two anonymous visitors within a minute', async () => {
    const { get } = await sampleSite(await fresh())
    const read = async (cookie: string) => (await get('/dining', { headers: { cookie, 'user-agent': cookie } })).text()
    expect(await read('a=1')).toBe(await read('b=2'))
  })

  test('renders a page without its cards and fails the health check when the cards cannot be read', async () => {
    const { get, db, clock, logged } = await sampleSite(await fresh())
    expect((await get('/api/health')).status).toBe(200)
    await db.schema.dropTable('cards').execute()

    const response = await get('/dining')
    expect(response.status).toBe(200)
    const html = await response.text()
    expect(html).toContain('お料理はただいま準備しております')
    expect(html).not.toContain('cards')
    expect(logged.filter(({ msg }) => msg === 'data fetch error')).toHaveLength(1)
    const health = await get('/api/health')
    expect([health.status, await health.json()]).toEqual([503, { status: 'failing', version: packageJson.version }])
    expect((await get('/readyz')).status).toBe(503)
    expect((await get('/livez')).status).toBe(200)
    clock.now += 60_000
    expect((await get('/api/health')).status).toBe(200)
  })

  test('adds the sample shop, with its dishes in order, to a database only once', async () => {
    const { text, db } = await sampleSite(await fresh())
    const dining = await text('/dining')
    const titles = [...dining.matchAll(/<h2[^>]*>(季節の炊き込みご飯|新そば|わらび餅とお抹茶)/g)].map(
      ([, title]) => title,
    )
    expect(titles).toEqual(['季節の炊き込みご飯', '新そば', 'わらび餅とお抹茶'])
    await db.deleteFrom('cards').execute()
    await fillSampleShop(db, { wanted: true, now: noon })
    expect(await db.selectFrom('cards').selectAll().execute()).toEqual([])
  })

  test('adds no sample shop to a site that started without a sample shop', async () => {
    const db = await fresh()
    await fillSampleShop(db, { wanted: false, now: noon })
    await fillSampleShop(db, { wanted: true, now: noon })
    expect(await db.selectFrom('cards').selectAll().execute()).toEqual([])
    expect(await db.selectFrom('site').selectAll().execute()).toEqual([])
  })

  test('records each card of the sample shop in the history without an author', async () => {
    const { db } = await sampleSite(await fresh())
    const revisions = await db.selectFrom('revisions').selectAll().execute()
    const items = await db.selectFrom('cards').selectAll().execute()
    const revisionByCard = new Map(revisions.map((revision) => [revision.subjectId, revision]))
    expect(items).toHaveLength(9 + 12 + 6 * 4)
    for (const item of items) {
      expect(parseState(revisionByCard.get(item.id)?.after)).toEqual(item)
      expect(revisionByCard.get(item.id)).toMatchObject({
        subject: 'card',
        action: 'sample',
        before: null,
        accountId: null,
      })
    }
  })
})

test('redirects an alternative path to the page with its query, and returns 404 for an unknown path', async () => {
  const { app } = await sampleSite()
  const redirectOf = async (path: string) => {
    const response = await app.request(`http://localhost${path}`)
    return [response.status, response.headers.get('location')]
  }
  expect(await redirectOf('/dining/?a=b')).toEqual([308, '/dining?a=b'])
  expect(await redirectOf('//elsewhere.example/')).toEqual([308, '/elsewhere.example'])
  expect(await redirectOf('/information?a=b')).toEqual([301, '/infomation?a=b'])
  expect(await redirectOf('/businessdays')).toEqual([301, '/bussinessdays'])
  expect(await redirectOf('/assets/none.js')).toEqual([404, null])
  expect(await redirectOf('/tennisrelated/none/any')).toEqual([404, null])
  const unknown = await app.request('http://localhost/unknown')
  expect(unknown.status).toBe(404)
  expect(await unknown.text()).toContain('お探しのページが見つかりません')
})

test('redirects a path of 60,000 slashes in linear time', async () => {
  const { app } = await sampleSite()
  const path = `/a${'/'.repeat(60_000)}b/`
  const requestSlashes = async () =>
    expect((await app.request(`http://localhost${path}`)).headers.get('location')).toBe('/a/b')
  // A search in quadratic time would need three seconds.
  expect(await cpuTimeOf(requestSlashes)).toBeLessThan(1000)
})

test('highlights a card on its page when the URL contains the ID of the card', async () => {
  const { get, db } = await sampleSite()
  const cards = db.selectFrom('cards').select('id').where('collection', '=', 'tennisrelated')
  const { id } = await cards.executeTakeFirstOrThrow()
  const response = await get(`/tennisrelated/${id}/show`)
  expect(response.status).toBe(200)
  expect(await response.text()).toMatch(new RegExp(`id="card-${id}" class="[^"]*pointed`))
})

test('sends the security headers with every response, including errors and images', async () => {
  const { get } = await sampleSite()
  for (const path of ['/', '/unknown', '/assets/none.js', '/art/none.jpg', '/api/health', '/robots.txt', '/dining/']) {
    const { headers } = await get(path)
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('referrer-policy'), path).toBe('strict-origin-when-cross-origin')
    expect(headers.get('content-security-policy'), path).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin-allow-popups')
    expect(headers.get('permissions-policy'), path).toBe('camera=(), microphone=(), geolocation=()')
    expect(headers.get('strict-transport-security'), path).toBeNull()
  }
})

test('allows other sites to embed only images', async () => {
  const { app } = await sampleSite()
  const policyOf = async (path: string) =>
    (await app.request(`http://localhost${path}`)).headers.get('cross-origin-resource-policy')
  const pictures = ['/art/story-alley-800.jpg', '/pictures/none-800.jpg', '/seal/none/share.jpg', '/favicon.ico']
  for (const path of pictures) expect(await policyOf(path), path).toBe('cross-origin')
  const own = ['/', '/dining.data', '/unknown', '/dining/', '/assets/none.js', '/fonts/heading.woff2', '/calendar.ics']
  for (const path of [...own, '/api/health', '/robots.txt', '/manifest.webmanifest', '/artless', '/backup/file'])
    expect(await policyOf(path), path).toBe('same-origin')
})

test('forbids caching of every response when the URL contains a secret', async () => {
  const { get } = await sampleSite()
  const token = 'x'.repeat(43)
  const secret = { method: 'POST', headers: { origin: 'http://localhost' }, body: new URLSearchParams({ token }) }
  for (const path of ['/resetpassword', '/verifyemail', '/undoaddress', '/invitation', '/welcome', '/dining'])
    for (const end of ['', '.data', '/', '/unknown'])
      for (const name of ['token', 'key'])
        for (const init of [{}, { method: 'HEAD' }, secret]) {
          const { headers, status } = await get(`${path}${end}?${name}=${token}`, init)
          expect(headers.get('cache-control'), `${status} ${path}${end}?${name}`).toBe('private, no-store')
        }
  const backup = await get(`/backup/file?permit=${token}`)
  expect(backup.headers.get('cache-control')).toBe('private, no-store')
  const callback = await get(`/api/auth/callback/google?code=${token}&state=a`)
  expect([callback.status, callback.headers.get('cache-control')]).toEqual([302, 'private, no-store'])
})

test('allows only the inline scripts of the page in its content security policy', async () => {
  const { get } = await sampleSite()
  const response = await get('/dining')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain('; frame-src https://www.youtube-nocookie.com/embed/ https://www.google.com/maps;')
  const inline = [...(await response.text()).matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  expect(inline.length).toBeGreaterThan(3)
  for (const [, body = ''] of inline) {
    expect(policy).toContain(`'sha256-${createHash('sha256').update(body).digest('base64')}'`)
  }
})

test('sends Strict-Transport-Security only when PUBLIC_ORIGIN is an HTTPS URL', async () => {
  const db = await freshSqlite()
  const { app } = await sampleSite(db, { publicOrigin: 'https://example.jp' })
  const response = await app.request('http://127.0.0.1:3000/dining', { headers: { host: 'example.jp' } })
  expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  expect(await response.text()).toContain('<link rel="canonical" href="https://example.jp/dining"')
  const httpSite = await sampleSite(db, { publicOrigin: 'http://example.jp' })
  expect((await httpSite.app.request('http://example.jp/')).headers.get('strict-transport-security')).toBeNull()
})

const publicSite = () =>
  sampleSite(undefined, readSettings({ PUBLIC_ORIGIN: 'https://example.jp', TRUSTED_PROXY: '10.0.0.1' }))

test.each([
  ['www.example.jp', '/dining?a=b&c=%E6%97%A5'],
  ['www.example.jp:3000', '/'],
  ['old-shop.example', '/dining.data?_routes=a'],
  ['203.0.113.5', '/calendar.ics'],
  ['[2001:db8::1]:3000', '/art/story-alley-800.jpg'],
  ['example.jp.evil.example', '//evil.example/'],
  ['my-example.jp', '/resetpassword?token=secret'],
  ['sub.example.jp', '/api/collections/dining'],
])('redirects from %s%s to the same path of PUBLIC_ORIGIN', async (host, path) => {
  const { app } = await publicSite()
  for (const method of ['GET', 'HEAD']) {
    const response = await app.request(new Request(`http://${host}${path}`, { method }))
    expect([response.status, response.headers.get('location')]).toEqual([308, `https://example.jp${path}`])
    // A cached redirect would remain in browsers after a mistake in the proxy settings is corrected.
    expect(response.headers.get('cache-control')).toMatch(/no-store/)
  }
})

test.each([
  'example.jp',
  'EXAMPLE.jp',
  'example.jp.',
  // A proxy that terminates TLS may forward another port.
  'example.jp:8443',
  // Some proxies replace the visitor's Host by an internal host, so that a redirect would be endless.
  'localhost:3000',
  '127.0.0.1:3000',
  '[::1]:3000',
  '0.0.0.0:3000',
  'noren:3000',
  'noren_upstream',
  '10.1.2.3',
  '172.17.0.2:3000',
  '192.168.1.5',
  '169.254.1.1',
  '100.64.0.1',
  '[fd00::1]',
  '[fe80::1]',
  'noren.local',
  'noren.default.svc.cluster.local:3000',
  'noren.railway.internal',
  'noren.home.arpa',
  'noren.localhost',
])('serves the page under %s when PUBLIC_ORIGIN is https://example.jp', async (host) => {
  const { app } = await publicSite()
  const response = await app.request(`http://${host}/dining`)
  expect([response.status, response.headers.get('location')]).toEqual([200, null])
  expect(await response.text()).toContain('<link rel="canonical" href="https://example.jp/dining"')
})

test('uses X-Forwarded-Host for redirects only when a trusted proxy sends the header', async () => {
  const { app } = await publicSite()
  const requestStatus = async (host: string, forwarded: string, sender: string) => {
    const init = { headers: { 'x-forwarded-host': forwarded } }
    const incoming = { socket: { remoteAddress: sender } }
    return (await app.request(`http://${host}/dining`, init, { incoming })).status
  }
  expect(await requestStatus('127.0.0.1:3000', 'www.example.jp', '10.0.0.1')).toBe(308)
  expect(await requestStatus('127.0.0.1:3000', 'www.example.jp', '::ffff:10.0.0.1')).toBe(308)
  expect(await requestStatus('example.jp', 'www.example.jp, example.jp', '10.0.0.1')).toBe(308)
  for (const forwarded of ['example.jp', 'example.jp:443', 'example.jp, proxy.internal', 'noren:3000', 'no host', ''])
    expect(await requestStatus('origin.example.net', forwarded, '10.0.0.1'), forwarded).toBe(
      forwarded === '' ? 308 : 200,
    )
  expect(await requestStatus('example.jp', 'www.example.jp', '203.0.113.5')).toBe(200)
  expect(await requestStatus('www.example.jp', 'example.jp', '203.0.113.5')).toBe(308)
})

test('accepts health checks, but no forms, under a host other than that of PUBLIC_ORIGIN', async () => {
  const { app } = await publicSite()
  for (const path of ['/livez', '/readyz', '/api/health'])
    expect((await app.request(`http://203.0.113.5${path}`)).status, path).toBe(200)
  const headers = { origin: 'http://www.example.jp' }
  const form = { method: 'POST', headers, body: new URLSearchParams({ to: 'shop' }) }
  expect((await app.request('http://www.example.jp/mail', form)).status).toBe(403)
  expect((await app.request('http://www.example.jp/mail', { ...form, headers: {} })).status).not.toBe(308)
})

test('sends a Cache-Control header that depends on the type of the file', async () => {
  const { get } = await sampleSite()
  const cacheControlOf = async (path: string) => (await get(path)).headers.get('cache-control')
  const link = (await get('/dining')).headers.get('link') ?? ''
  const [font = ''] = /\/fonts\/heading\.woff2\?steps=[^>"]+/.exec(link) ?? []
  expect(await cacheControlOf(font)).toBe('public, max-age=31536000, immutable')
  expect(await cacheControlOf('/art/story-alley-800.jpg')).toBe('public, max-age=86400')
  for (const path of ['/livez', '/readyz', '/api/health']) expect(await cacheControlOf(path), path).toBe('no-store')
  for (const path of ['/dining', '/dining.data', '/unknown', '/calendar.ics'])
    expect(await cacheControlOf(path), path).toBe('no-cache')
  const missing = ['/art/none.png', '/assets/none.js', '/fonts/heading.woff2', '/pictures/none-800.jpg']
  for (const path of [...missing, '/seal/none/share.jpg']) expect(await cacheControlOf(path), path).toBe('no-store')
})

test('rejects a JSON call before its body is read when Content-Length exceeds the limit', async () => {
  const { people, as, db, logged } = await sampleSite()
  await people()
  const send = async (path: string, bytes: number) => {
    const headers = { origin: 'http://localhost', 'content-type': 'application/json', 'content-length': String(bytes) }
    const response = await as('administrator', path, { method: 'POST', headers, body: '{}' })
    if (response.status === 413) expect(await response.text()).toContain('大きすぎます')
    return response.status
  }
  for (const [path, maxBytes] of [
    ['/api/mail', 512 * 1024],
    ['/api/delete', 4096],
    ['/api/collections/dining', 256 * 1024],
  ] as const) {
    expect(await send(path, maxBytes), path).not.toBe(413)
    expect(await send(path, maxBytes + 1), path).toBe(413)
  }
  expect(await db.selectFrom('messages').selectAll().execute()).toEqual([])
  expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
})

test('shows the reference number of a logged error, but not its cause', async () => {
  const { get, db, logged } = await sampleSite()
  await db.schema.dropTable('pictureFiles').execute()
  const response = await get(`/pictures/${'0'.repeat(32)}-800.jpg`)
  const text = await response.text()
  expect(response.status).toBe(500)
  const [, reference] = /ページを表示できませんでした（受付番号 ([\da-f]{8})）/.exec(text) ?? []
  expect(logged).toContainEqual(expect.objectContaining({ msg: 'request failed', reference }))
  expect(text).not.toContain('pictureFiles')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
})

test('rejects a foreign Host only when the site listens on a loopback address', async () => {
  const { app, db } = await sampleSite()
  expect((await app.request('http://rebound.example/dining')).status).toBe(400)
  for (const host of ['localhost:3000', '127.0.0.1:8080', '[::1]:3000']) {
    expect((await app.request(`http://${host}/dining`)).status, host).toBe(200)
  }
  const opened = await sampleSite(db, { host: '0.0.0.0' })
  for (const host of ['192.168.1.5:3000', 'shop.example'])
    expect((await opened.app.request(`http://${host}/dining`)).status, host).toBe(200)
})

test.each([
  ['foreign', { origin: 'https://elsewhere.example' }],
  ['null', { origin: 'null' }],
  ['of another port', { origin: 'http://localhost:81' }],
  ['missing, from another site', { 'sec-fetch-site': 'cross-site' }],
  ['missing, from a neighbour', { 'sec-fetch-site': 'same-site' }],
])('rejects a write request whose Origin is %s', async (_, headers) => {
  const { get } = await sampleSite()
  for (const path of ['/mail', '/api/upload', '/logout', '/unknown']) {
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) {
      const response = await get(path, { method, headers })
      expect(response.status, `${method} ${path}`).toBe(403)
    }
  }
})

test('accepts GET and HEAD requests that pages of other sites send', async () => {
  const { get } = await sampleSite()
  const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  for (const method of ['GET', 'HEAD']) expect((await get('/dining', { method, headers })).status, method).toBe(200)
})

test('returns 304 when the browser has the current page', async () => {
  const { get } = await sampleSite()
  const first = await get('/dining')
  const etag = first.headers.get('etag') ?? ''
  const notModified = await get('/dining', { headers: { 'if-none-match': etag } })
  expect([notModified.status, await notModified.text()]).toEqual([304, ''])
  const other = await get('/dining', { headers: { 'if-none-match': 'W/"another"' } })
  expect([other.status, other.headers.get('etag')]).toEqual([200, etag])
  const unknown = await get('/unknown')
  expect(unknown.headers.get('etag')).toBeNull()
  expect(notModified.headers.get('content-security-policy')).toBe(first.headers.get('content-security-policy'))
})

test('sends the headers of GET without a body when the method is HEAD', async () => {
  const { get } = await sampleSite()
  const head = await get('/dining', { method: 'HEAD' })
  expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries((await get('/dining')).headers))
  expect(await head.text()).toBe('')
})

test('compresses a page with an encoding that the browser accepts', async () => {
  const { app } = await sampleSite()
  const bytes = async (accepted: string) => {
    const response = await app.request('http://localhost/dining', { headers: { 'accept-encoding': accepted } })
    const { headers } = response
    return { headers, encoding: headers.get('content-encoding'), body: Buffer.from(await response.arrayBuffer()) }
  }
  const plain = await bytes('')
  const br = await bytes('gzip, deflate, br')
  const gzip = await bytes('gzip, br;q=0')
  expect([plain.encoding, br.encoding, gzip.encoding]).toEqual([null, 'br', 'gzip'])
  expect(brotliDecompressSync(br.body)).toEqual(plain.body)
  expect(gunzipSync(gzip.body)).toEqual(plain.body)
  expect(br.body.length).toBeLessThan(plain.body.length / 3)
  expect((await bytes('br;q=0.5')).encoding).toBe('br')
  for (const { headers, body } of [plain, br, gzip]) {
    expect([headers.get('content-length'), headers.get('vary')]).toEqual([String(body.length), 'accept-encoding'])
  }
})

test('lists the public pages in the sitemap, and includes the shop name in the web manifest', async () => {
  const { text, get } = await sampleSite()
  const map = await text('/sitemap.xml')
  expect(map.match(/<loc>/g)).toHaveLength(12)
  for (const path of ['/', '/infomation', '/calendar', '/tennisrelated'])
    expect(map).toContain(`<loc>http://localhost${path}</loc>`)
  const manifest = await (await get('/manifest.webmanifest')).json()
  expect(manifest).toMatchObject({ name: 'ダイニング結', lang: 'ja', id: '/', start_url: '/' })
  expect([manifest.display, manifest.display_override]).toEqual(['standalone', ['minimal-ui']])
  for (const [path, type] of Object.entries({
    '/robots.txt': 'text/plain; charset=utf-8',
    '/sitemap.xml': 'application/xml; charset=utf-8',
    '/manifest.webmanifest': 'application/manifest+json; charset=utf-8',
  }))
    expect((await get(path)).headers.get('content-type')?.toLowerCase(), path).toBe(type)
})

test('logs status 499 and no error when the client has disconnected', async () => {
  const site = await sampleSite()
  await site.people()
  // Mocks `console.error` after the creation of the site, because an unbuilt site prints an error during its creation.
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => consoleError.mockRestore())
  await site.as('approved', '/account', { signal: AbortSignal.abort() })
  expect(site.logged).toMatchObject([{ path: '/account', status: 499, msg: 'request' }])
  expect(consoleError).not.toHaveBeenCalled()
})

test('logs one line per request, without the query, the cookies and the user agent', async () => {
  const { get, logged } = await sampleSite()
  await get('/dining?name=secret', { headers: { 'user-agent': 'someone', cookie: 'id=1' } })
  const lines = logged.filter(({ msg }) => msg === 'request')
  expect(lines).toEqual([expect.objectContaining({ method: 'GET', path: '/dining', status: 200 })])
  expect(JSON.stringify(lines)).not.toMatch(/secret|someone|id=1/)
})
