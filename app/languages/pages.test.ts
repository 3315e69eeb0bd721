import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'

onEachEngine((fresh) => {
  const createSite = async ({ otherLanguages = true } = {}) => {
    const site = await sampleSite(await fresh())
    const { version } = await readSiteToEdit(site.db)
    const author = { accountId: null, at: new Date(site.clock.now).toISOString() }
    await saveSite(site.db, { version, facts: { otherLanguages } }, author)
    return site
  }

  test.each([
    ['/en', '/'],
    ['/en.data', '/_.data'],
    ['/en/dining', '/dining'],
    ['/en/dining.data?_routes=root', '/dining.data?_routes=root'],
    ['/en/dining?without=%E5%8D%B5', '/dining?without=%E5%8D%B5'],
    ['/en/login', '/login'],
  ])('redirects %s to the Japanese page unless the switch is on', async (path, location) => {
    const { get } = await createSite({ otherLanguages: false })
    const { status, headers } = await get(path)
    expect([status, headers.get('location')]).toEqual([302, location])
    expect((await get(location)).status).toBe(200)
  })

  test('has no unknown pages in other languages when the switch is off', async () => {
    const { get } = await createSite({ otherLanguages: false })
    for (const path of ['/en/nothing', '/en/nothing.data', '/en//evil.example', '/fr/dining'])
      expect((await get(path)).status, path).toBe(404)
  })

  test('gives every link of an English page the prefix of the language', async () => {
    const { get } = await createSite()
    const response = await get('/en/dining')
    expect(response.status).toBe(200)
    const html = await response.text()
    expect(html).toContain('<html lang="en"')
    expect(html).toContain('href="/en/access"')
    expect(html).not.toContain('href="/access"')
    expect(html).toContain('<link rel="canonical" href="http://localhost/en/dining"/>')
    expect((await get('/en')).status).toBe(200)
    expect((await get('/en/dining.data')).status).toBe(200)
    expect((await get('/en/nothing')).status).toBe(404)
  })

  test('serves the data of the English home page at /en.data', async () => {
    const { get, text } = await createSite()
    for (const path of ['/en.data', '/en.data?_routes=root%2Cshop%2Fhome-page'])
      expect((await get(path)).status, path).toBe(200)
    expect(await text('/en.data')).toContain('ダイニング結')
    for (const path of ['/en.dat', '/english.data', '/.data/en.data']) expect((await get(path)).status, path).toBe(404)
  })

  test('redirects to the Japanese page if a page is only in Japanese', async () => {
    const { get, as } = await createSite()
    expect((await get('/en/login?next=1')).headers.get('location')).toBe('/login?next=1')
    expect((await as('administrator', '/en/site')).headers.get('location')).toBe('/site')
    expect((await get('/en//login')).headers.get('location')).not.toBe('//login')
  })

  test('links from unknown pages to the home page in the other language', async () => {
    const { text } = await createSite()
    const linkOf = (html: string) => /<a class="[^"]*language[^"]*" href="([^"]*)"/.exec(html)?.[1]
    expect(linkOf(await text('/nowhere?x=1'))).toBe('/en')
    expect(linkOf(await text('/en/nowhere?x=1'))).toBe('/')
    for (const path of ['/nowhere', '/en/nowhere']) expect(await text(path), path).not.toMatch(/<a [^>]*href="[^"]*\*"/)
    expect(linkOf(await text('/privacy?from=mail'))).toBe('/en/privacy')
  })

  test('links from a missing page of the shop to the home page in the other language', async () => {
    const { db, text } = await createSite()
    await db
      .insertInto('translations')
      .values({
        ...{ id: 'en:pages', language: 'en', group: 'pages', version: 1, updatedAt: '2026-11-20T03:00:00.000Z' },
        texts: JSON.stringify({ 'home.title': { text: 'Home', source: '', at: '2026-11-20T03:00:00.000Z' } }),
      })
      .execute()
    expect(await text('/p/none')).toMatch(/<a class="[^"]*language[^"]*" href="\/en"/)
    expect(await text('/en/p/none')).toMatch(/<a class="[^"]*language[^"]*" href="\/"/)
  })

  test('offers a page in English only if its texts have a translation', async () => {
    const { db, clock, text } = await createSite()
    const alternates = async (path: string) => (await text(path)).match(/hrefLang="[^"]*"/g) ?? []
    expect(await alternates('/privacy')).toEqual(['ja', 'en', 'x-default', 'en'].map((code) => `hrefLang="${code}"`))
    expect(await alternates('/dining')).toEqual([])
    expect(await text('/sitemap.xml')).not.toContain('/en/dining')
    await db
      .insertInto('translations')
      .values({
        ...{ id: 'en:dining', language: 'en', group: 'dining', version: 1, updatedAt: '2026-11-20T03:00:00.000Z' },
        texts: JSON.stringify({ 'some.title': { text: 'Rice', source: 'ご飯', at: '2026-11-20T03:00:00.000Z' } }),
      })
      .execute()
    clock.now += 60_000
    expect(await alternates('/dining')).toEqual(await alternates('/privacy'))
    expect(await alternates('/en/dining')).toContain('hrefLang="ja"')
    expect(await text('/sitemap.xml')).toContain('<loc>http://localhost/en/dining</loc>')
  })

  test('shows administrators the English pages of guests', async () => {
    const { as, text } = await createSite()
    const withoutNonces = (html: string) => html.replace(/nonce="[^"]*"/g, '')
    expect(withoutNonces(await (await as('administrator', '/en/dining')).text())).toBe(
      withoutNonces(await text('/en/dining')),
    )
  })
})
