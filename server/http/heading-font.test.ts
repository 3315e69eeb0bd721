import { expect, test, vi } from 'vitest'
import { decodeCharacters, headingCharacters, headingFontUrl, rangeOf } from '../../app/ui/heading-characters.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../testing.ts'
import { demoAccounts } from '../tools/demo.ts'
import { readDocument } from './document.ts'
import { headingFont } from './heading-font.ts'

test('the text of headings and of what speaks like them is found, nothing else', () => {
  const html = `<head><title>題</title></head><body><p>本文</p><h1 class="x">見<br/><span>出<svg><path d=""/></svg></span>し</h1>
    <div data-mincho="true"><p>物<img src="a"/>語</p></div><p>続き</p><p>文中の data-mincho は別</p>
    <script>"<h2>嘘</h2>"</script><h2>A &amp; B</h2></body>`
  expect(headingFont(readDocument(html).headings).characters.join('')).toBe(
    headingCharacters('見出し物語A&"\'<>B').join(''),
  )
})

test('an address gives back its characters, and only such an address does', () => {
  const characters = headingCharacters('ダイニング結 𠮷野 abc')
  const steps = headingFontUrl(characters).split('=')[1] ?? ''
  expect(decodeCharacters(steps)).toEqual(characters)
  expect(rangeOf(['あ', '𠮷'])).toBe('U+3042,U+20bb7')
  for (const wrong of ['', '0', '1.0', '-5', '9zzzzz', 'x.-1', `${steps}.`, '1.1.'.repeat(1001), 'w', 'é']) {
    expect(decodeCharacters(wrong), wrong).toBeNull()
  }
})

onEachEngine((fresh) => {
  test('a network gets ten new fonts a minute, and those that are kept or that a document of the site names', async () => {
    const site = await sampleSite(await fresh(), {}, { makeFont: async () => font })
    const home = browserOf(site, { address: '2001:db8:0:7::1' })
    for (let i = 0; i < 10; i++) expect((await home.get(fontOf(i))).status).toBe(200)

    const neighbour = browserOf(site, { address: '2001:db8:0:7:ffff::2' })
    const refused = await neighbour.get(fontOf(10))
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('1分ほどおいてから')])
    expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '60', 'cache-control': 'no-store' })

    for (let i = 0; i < 10; i++) expect((await neighbour.get(fontOf(i))).status).toBe(200)
    for (const path of ['/dining', '/calendar', '/unknown']) {
      expect((await home.get(fontNamedBy(await home.get(path)))).status, path).toBe(200)
    }
    expect((await browserOf(site, { address: '2001:db8:0:8::1' }).get(fontOf(10))).status).toBe(200)
    await site.people()
    for (const [person, status] of [
      ['signedIn', 429],
      ['applicant', 429],
      ['approved', 200],
    ] as const) {
      const { accountId } = demoAccounts[person]
      const seen = browserOf(site, { address: '2001:db8:0:7::3', headers: { 'x-test-account': accountId } })
      expect((await seen.get(fontOf(20))).status, person).toBe(status)
    }
    site.clock.now += 60_000
    expect((await neighbour.get(fontOf(11))).status).toBe(200)
  })
})

test('while fonts are being made every other request is answered, and no more than ten wait', async () => {
  const made: string[] = []
  const { promise: go, resolve: letGo } = Promise.withResolvers<void>()
  const makeFont = async (text: string) => {
    made.push(text)
    await go
    return font
  }
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const named = fontNamedBy(await browserOf(site).get('/dining'))
  const waiting = Array.from({ length: 10 }, (_, i) => browserOf(site, { address: `192.0.2.${i}` }).get(fontOf(i)))
  await vi.waitUntil(() => made.length === 10, WAIT)

  expect((await browserOf(site).get('/access')).status).toBe(200)
  const refused = await browserOf(site, { address: '192.0.2.10' }).get(fontOf(10))
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('混み合っています')])
  expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '60', 'cache-control': 'no-store' })
  const own = browserOf(site).get(named)
  await vi.waitUntil(() => made.length === 11, WAIT)

  letGo()
  for (const { status } of await Promise.all([...waiting, own])) expect(status).toBe(200)
  expect((await browserOf(site, { address: '192.0.2.10' }).get(fontOf(10))).status).toBe(200)
})

test('a font that could not be made is not kept, and the next one works', async () => {
  const broken = new Error('The maker of fonts ended with 1')
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  for (const path of [fontNamedBy(await visitor.get('/dining')), fontOf(0)]) {
    makeFont.mockRejectedValueOnce(broken)
    const failed = await visitor.get(path)
    expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining('作成できません')])
    expect(failed.headers.get('cache-control')).toBe('no-store')
    const made = await visitor.get(path)
    expect([made.status, new Uint8Array(await made.arrayBuffer())]).toEqual([200, font])
  }
  expect(site.logged.filter(({ msg }) => msg === 'heading font not made')).toHaveLength(2)
})

test('what documents name is kept however many others are asked for, and of those the latest', async () => {
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  const named = fontNamedBy(await visitor.get('/dining'))
  await visitor.get(named)
  for (let i = 0; i <= 200; i++) await browserOf(site, { address: `192.0.2.${i}` }).get(fontOf(i))

  makeFont.mockClear()
  for (const path of [named, fontOf(1), fontOf(200)]) expect((await visitor.get(path)).status).toBe(200)
  expect(makeFont).not.toHaveBeenCalled()
  await visitor.get(fontOf(0))
  expect(makeFont).toHaveBeenCalledOnce()
})

test('more characters than any page has are no font, unless a page has them', async () => {
  const makeFont = vi.fn(async () => font)
  const site = await sampleSite(await freshSqlite(), {}, { makeFont })
  const visitor = browserOf(site)
  expect((await visitor.get(fontOf(0, 300))).status).toBe(200)
  expect((await visitor.get(fontOf(0, 301))).status).toBe(404)
  expect(makeFont).toHaveBeenCalledOnce()

  await site.db
    .updateTable('cards')
    .set({ title: kanji(0, 301) })
    .where('collection', '=', 'dining')
    .execute()
  expect((await visitor.get(fontNamedBy(await visitor.get('/dining')))).status).toBe(200)
})

test('the font of a page is made once, small, with what a vertical line needs, and not by the thread that serves', async () => {
  const visitor = browserOf(await sampleSite())
  const named = fontNamedBy(await visitor.get('/dining'))
  const before = { thread: process.threadCpuUsage(), process: process.cpuUsage() }
  const made = await visitor.get(named)
  const thread = process.threadCpuUsage(before.thread).user
  expect(thread).toBeLessThan(process.cpuUsage(before.process).user / 2)

  expect(made.headers.get('content-type')).toBe('font/woff2')
  const bytes = Buffer.from(await made.arrayBuffer())
  expect(bytes.toString('latin1', 0, 4)).toBe('wOF2')
  expect(bytes.length).toBeLessThan(25_000)
  expect(bytes.equals(Buffer.from(await (await visitor.get(named)).arrayBuffer()))).toBe(true)
})

const WAIT = { timeout: 30_000 }
const font = Uint8Array.of(1, 2, 3)

/** The address of a font that no page names: of so many characters, another for each number. */
function fontOf(number: number, length = 3) {
  return headingFontUrl([...kanji(number, length)])
}

function kanji(from: number, length: number) {
  return String.fromCodePoint(...Array.from({ length }, (_, i) => 0x6000 + from + i))
}

function fontNamedBy(document: Response) {
  return /<(\/fonts\/[^>]+)>/.exec(document.headers.get('link') ?? '')?.[1] ?? ''
}
