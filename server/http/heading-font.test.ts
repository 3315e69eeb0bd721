import { expect, test, vi } from 'vitest'
import { decodeCharacters, headingCharacters, headingFontUrl, rangeOf } from '../../app/ui/heading-characters.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { browserOf, sampleSite } from '../testing.ts'
import { demoAccounts } from '../tools/demo.ts'
import { readDocument } from './document.ts'
import { headingFont } from './heading-font.ts'

test('collects only the characters of headings and data-mincho elements', () => {
  const html = `<head><title>題</title></head><body><p>本文</p><h1 class="x">見<br/><span>出<svg><path d=""/></svg></span>し</h1>
    <div data-mincho="true"><p>物<img src="a"/>語</p></div><p>続き</p><p>文中の data-mincho は別</p>
    <script>"<h2>嘘</h2>"</script><h2>A &amp; B</h2></body>`
  expect(headingFont(readDocument(html).headings).characters.join('')).toBe(
    headingCharacters('見出し物語A&"\'<>B').join(''),
  )
})

test('decodes the characters of a font URL, and rejects other text', () => {
  const characters = headingCharacters('ダイニング結 𠮷野 abc')
  const steps = headingFontUrl(characters).split('=')[1] ?? ''
  expect(decodeCharacters(steps)).toEqual(characters)
  expect(rangeOf(['あ', '𠮷'])).toBe('U+3042,U+20bb7')
  for (const wrong of ['', '0', '1.0', '-5', '9zzzzz', 'x.-1', `${steps}.`, '1.1.'.repeat(1001), 'w', 'é']) {
    expect(decodeCharacters(wrong), wrong).toBeNull()
  }
})

onEachEngine((fresh) => {
  test('limits a network to ten new fonts a minute, except cached fonts and fonts of the site’s documents', async () => {
    const site = await sampleSite(await fresh(), {}, { makeFont: async () => font })
    const home = browserOf(site, { address: '2001:db8:0:7::1' })
    for (let i = 0; i < 10; i++) expect((await home.get(unusedFontUrl(i))).status).toBe(200)

    const neighbour = browserOf(site, { address: '2001:db8:0:7:ffff::2' })
    const refused = await neighbour.get(unusedFontUrl(10))
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('1分ほどおいてから')])
    expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '60', 'cache-control': 'no-store' })

    for (let i = 0; i < 10; i++) expect((await neighbour.get(unusedFontUrl(i))).status).toBe(200)
    for (const path of ['/dining', '/calendar', '/unknown']) {
      expect((await home.get(documentFontUrl(await home.get(path)))).status, path).toBe(200)
    }
    expect((await browserOf(site, { address: '2001:db8:0:8::1' }).get(unusedFontUrl(10))).status).toBe(200)
    await site.people()
    for (const [person, status] of [
      ['signedIn', 429],
      ['applicant', 429],
      ['approved', 200],
    ] as const) {
      const { accountId } = demoAccounts[person]
      const browser = browserOf(site, { address: '2001:db8:0:7::3', headers: { 'x-test-account': accountId } })
      expect((await browser.get(unusedFontUrl(20))).status, person).toBe(status)
    }
    site.clock.now += 60_000
    expect((await neighbour.get(unusedFontUrl(11))).status).toBe(200)
  })
})

test('rejects an eleventh font, but serves other requests, while ten fonts are made', async () => {
  const texts: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const makeFont = async (text: string) => {
    texts.push(text)
    await released
    return font
  }
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const documentFont = documentFontUrl(await browserOf(site).get('/dining'))
  const waiting = Array.from({ length: 10 }, (_, i) =>
    browserOf(site, { address: `192.0.2.${i}` }).get(unusedFontUrl(i)),
  )
  await vi.waitUntil(() => texts.length === 10, WAIT_OPTIONS)

  expect((await browserOf(site).get('/access')).status).toBe(200)
  const refused = await browserOf(site, { address: '192.0.2.10' }).get(unusedFontUrl(10))
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('混み合っています')])
  expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '60', 'cache-control': 'no-store' })
  const own = browserOf(site).get(documentFont)
  await vi.waitUntil(() => texts.length === 11, WAIT_OPTIONS)

  release()
  for (const { status } of await Promise.all([...waiting, own])) expect(status).toBe(200)
  expect((await browserOf(site, { address: '192.0.2.10' }).get(unusedFontUrl(10))).status).toBe(200)
})

test('retries a failed font at the next request', async () => {
  const failure = new Error('Worker exited with code 1')
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  for (const path of [documentFontUrl(await visitor.get('/dining')), unusedFontUrl(0)]) {
    makeFont.mockRejectedValueOnce(failure)
    const failed = await visitor.get(path)
    expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining('作成できません')])
    expect(failed.headers.get('cache-control')).toBe('no-store')
    const retried = await visitor.get(path)
    expect([retried.status, new Uint8Array(await retried.arrayBuffer())]).toEqual([200, font])
  }
  expect(site.logged.filter(({ msg }) => msg === 'heading font not made')).toHaveLength(2)
})

test('caches the fonts of documents, and the latest 200 other fonts', async () => {
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  const documentFont = documentFontUrl(await visitor.get('/dining'))
  await visitor.get(documentFont)
  for (let i = 0; i <= 200; i++) await browserOf(site, { address: `192.0.2.${i}` }).get(unusedFontUrl(i))

  makeFont.mockClear()
  for (const path of [documentFont, unusedFontUrl(1), unusedFontUrl(200)])
    expect((await visitor.get(path)).status).toBe(200)
  expect(makeFont).not.toHaveBeenCalled()
  await visitor.get(unusedFontUrl(0))
  expect(makeFont).toHaveBeenCalledOnce()
})

test('rejects a font with more than 300 characters, unless a document of the site needs the font', async () => {
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  expect((await visitor.get(unusedFontUrl(0, 300))).status).toBe(200)
  expect((await visitor.get(unusedFontUrl(0, 301))).status).toBe(404)
  expect(makeFont).toHaveBeenCalledOnce()

  await site.db
    .updateTable('cards')
    .set({ title: kanji(0, 301) })
    .where('collection', '=', 'dining')
    .execute()
  expect((await visitor.get(documentFontUrl(await visitor.get('/dining')))).status).toBe(200)
})

test('makes the font of a page once, with less than 25 KB, in a worker thread', async () => {
  const visitor = browserOf(await sampleSite())
  const documentFont = documentFontUrl(await visitor.get('/dining'))
  const before = { thread: process.threadCpuUsage(), process: process.cpuUsage() }
  const response = await visitor.get(documentFont)
  const thread = process.threadCpuUsage(before.thread).user
  expect(thread).toBeLessThan(process.cpuUsage(before.process).user / 2)

  expect(response.headers.get('content-type')).toBe('font/woff2')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.toString('latin1', 0, 4)).toBe('wOF2')
  expect(bytes.length).toBeLessThan(25_000)
  expect(bytes.equals(Buffer.from(await (await visitor.get(documentFont)).arrayBuffer()))).toBe(true)
})

const font = Uint8Array.of(1, 2, 3)

/** Returns the URL of a font with `length` characters that no page uses. Each `number` has a different font. */
function unusedFontUrl(number: number, length = 3) {
  return headingFontUrl([...kanji(number, length)])
}

function kanji(from: number, length: number) {
  return String.fromCodePoint(...Array.from({ length }, (_, i) => 0x6000 + from + i))
}

function documentFontUrl(document: Response) {
  return /<(\/fonts\/[^>]+)>/.exec(document.headers.get('link') ?? '')?.[1] ?? ''
}
