import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { sectionOfSite } from '../../server/testing-forms.ts'
import { importExport } from '../../server/tools/import.ts'
import { readExport } from '../../server/tools/import-documents.ts'
import { readSiteToEdit } from '../settings/site.server.ts'
import { readCard } from './cards.server.ts'

const prices = ['1200', '1,200', '１，２００', '1200円', '¥1200', '￥1,200', '１２００円', ' ¥ 1,200 円 ', '\\1,200']
const invalidPrices = [
  '1,20',
  '12-00',
  '1,2000',
  ',120',
  '12,00円',
  '1200ドル',
  '円',
  '¥',
  '0x4b0',
  '1e3',
  '千二百',
  '1 200',
]

const urlsWithoutScheme = [
  ['example.com/abc', 'https://example.com/abc'],
  ['www.example.jp', 'https://www.example.jp'],
  [' shop.example.co.jp/a?b=c#d ', 'https://shop.example.co.jp/a?b=c#d'],
  ['日本語.jp', 'https://日本語.jp'],
] as const
const invalidUrls = [
  ...['javascript:alert(1)', 'data:text/html,x', 'javascript.x:alert(1)', '//example.com', 'dining', 'a@example.jp'],
  ...['example.com:8080/x', 'example.com\\x', 'exa mple.com', '1.5', '.com', 'example.', '//javascript:alert(1)'],
]
const videoUrls = [
  'youtu.be/aqz-KE-bpKQ',
  'youtube.com/watch?v=aqz-KE-bpKQ',
  'www.youtube.com/watch?v=aqz-KE-bpKQ&t=3s',
  'm.youtube.com/watch?v=aqz-KE-bpKQ',
]
const invalidVideoUrls = [
  'javascript:https://youtu.be/aqz-KE-bpKQ',
  '//youtu.be/aqz-KE-bpKQ',
  'x:y@youtu.be/aqz-KE-bpKQ',
  'youtu.be/',
]

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const submitForm = async (collection: string, fields: Record<string, string>, path = '/firestoreservice') => {
      sample.clock.now += 1000
      const response = await sample.post('administrator', `${path}?databasename=${collection}`, {
        ...{ intent: 'add', title: '題', content: '中身' },
        ...fields,
      })
      const [, id = ''] = (response.headers.get('location') ?? '').split('#card-')
      return { status: response.status, html: await response.text(), item: await readCard(sample.db, id) }
    }
    const postJson = async (collection: string, fields: object) => {
      const response = await sample.as('administrator', `/api/collections/${collection}`, {
        method: 'POST',
        headers: { origin: 'http://localhost', 'content-type': 'application/json' },
        body: JSON.stringify({ title: '題', content: '中身', ...fields }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    return { ...sample, submitForm, postJson }
  }

  onSqlite('accepts prices with yen signs, separators and full-width digits', async () => {
    const { submitForm, postJson } = await createSite()
    for (const price of prices) {
      expect([price, (await submitForm('dining', { price })).item?.price]).toEqual([price, '1200'])
      expect([price, (await postJson('dining', { price })).body.price]).toEqual([price, 1200])
    }
    for (const price of invalidPrices) {
      const { status, html } = await submitForm('dining', { price })
      expect([price, status, html.includes('価格は円の数字で入力してください')]).toEqual([price, 400, true])
      const { body } = await postJson('dining', { price })
      expect([price, body.error]).toEqual([price, '価格は円の数字で入力してください'])
    }
    for (const [price, sentence] of [
      ['-1', '価格は0円以上で入力してください'],
      ['1,000,001円', '価格は100万円までです'],
    ] as const)
      expect((await submitForm('dining', { price })).html).toContain(sentence)
    expect((await submitForm('dining', { price: ' 　' })).item?.price).toBe('')
  })

  test('imports prices with yen signs, separators and full-width digits', async () => {
    const db = await fresh()
    const dish = { title: '鯛', content: '出汁で' }
    const cards = {
      'dining.json': [...prices, ...invalidPrices].map((price, n) => ({ ...dish, id: `dish-${n}`, price })),
    }
    await importFiles(db, cards)
    for (const [n] of prices.entries()) expect((await readCard(db, `dish-${n}`))?.price).toBe('1200')
    for (const [n] of invalidPrices.entries()) expect((await readCard(db, `dish-${prices.length + n}`))?.price).toBe('')
  })

  onSqlite('suggests https:// for a link without a scheme, and rejects script URLs', async () => {
    const { db, submitForm, postJson, post, as } = await createSite()
    const savedSite = await readSiteToEdit(db)
    for (const [typed, suggestion] of urlsWithoutScheme) {
      const { status, html } = await submitForm('vbacreate', { linkUrl: typed })
      expect([typed, status]).toEqual([typed, 400])
      expect(html).toContain(`「${suggestion}」ではありませんか`)
      expect((await submitForm('vbacreate', { linkUrl: suggestion })).item?.linkUrl).toBe(suggestion)
      expect((await postJson('vbacreate', { linkUrl: typed })).body.error).toContain(`「${suggestion}」`)

      const shop = sectionOfSite(savedSite, { 'links.0.name': '予約', 'links.0.url': typed })
      const response = await post('administrator', '/site', shop)
      expect([typed, response.status]).toEqual([typed, 400])
      expect(await response.text()).toContain(`「${suggestion}」ではありませんか`)
    }
    for (const typed of invalidUrls) {
      const { status, html } = await submitForm('vbacreate', { linkUrl: typed })
      expect([typed, status]).toEqual([typed, 400])
      for (const text of [html, JSON.stringify((await postJson('vbacreate', { linkUrl: typed })).body)]) {
        expect(text).toContain('リンクは https:// などで始まるアドレスか、このサイトのページを入力してください')
        expect(text).not.toContain('https://javascript')
        expect(text).not.toContain('https://data')
      }
    }
    expect(await (await as('guest', '/vbacreate')).text()).not.toContain('javascript:')
  })

  onSqlite('accepts a YouTube URL without https://', async () => {
    const { submitForm, postJson, as } = await createSite()
    for (const typed of videoUrls) {
      const { item } = await submitForm('videoproduction', { youtubeUrl: typed })
      expect([typed, item?.youtubeUrl]).toEqual([typed, `https://${typed}`])
      expect((await postJson('videoproduction', { youtubeUrl: typed })).body.youtubeUrl).toBe(`https://${typed}`)
      const page = await (await as('guest', `/videoproduction`)).text()
      expect(page.split('再生する（YouTubeにつながります）').length).toBeGreaterThan(1)
    }
    for (const typed of invalidVideoUrls)
      expect((await submitForm('videoproduction', { youtubeUrl: typed })).html).toContain(
        'YouTubeの動画のアドレスを入力してください',
      )
    const db = await fresh()
    const imported = { id: 'film', title: '店の朝', content: '仕込み', youtubeUrl: videoUrls[0] }
    const { oddities } = await importFiles(db, { 'videoproduction.json': [imported] })
    expect((await readCard(db, 'film'))?.youtubeUrl).toBe(`https://${videoUrls[0]}`)
    expect(oddities.join()).not.toContain('YouTube')
  })

  async function importFiles(db: Awaited<ReturnType<typeof fresh>>, files: Record<string, object[]>) {
    const folder = mkdtempSync(join(tmpdir(), 'noren-values-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [name, documents] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(documents))
    return importExport(db, readExport(folder), { dryRun: false, now: noon })
  }
})
