import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import { startSiteWithSetupKey } from '../first-evening.ts'
import { photograph } from '../photograph.ts'
import { startBreakableProxy } from './breakable-line.ts'
import { engines } from './engines.ts'
import { Tab } from './tab.ts'

type Setup = { tab: Tab; line: Awaited<ReturnType<typeof startBreakableProxy>>; welcome: string; photo: string }

const test = base.extend<object, Setup & { place: Setup }>({
  place: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern here
    async ({}, use, { project }) => {
      await using site = await startSiteWithSetupKey({ SAMPLE_SHOP: 'yes' })
      const line = await startBreakableProxy(site.address)
      const engine = await engines[project.name]?.()
      if (!engine) throw new Error(`Unknown engine "${project.name}": expected Firefox or WebKit`)
      const folder = mkdtempSync(join(tmpdir(), 'noren-browsers-'))
      const photo = join(folder, 'dish.jpg')
      writeFileSync(photo, (await photograph()).buffer)
      try {
        await use({ tab: new Tab(engine.send, line.origin), line, welcome: site.welcome, photo })
      } finally {
        await engine.stop()
        line.stop()
        rmSync(folder, { recursive: true })
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  tab: [({ place }, use) => use(place.tab), { scope: 'worker' }],
  line: [({ place }, use) => use(place.line), { scope: 'worker' }],
  welcome: [({ place }, use) => use(place.welcome), { scope: 'worker' }],
  photo: [({ place }, use) => use(place.photo), { scope: 'worker' }],
})

// The later tests sign in as the owner that the first test creates.
test.describe.configure({ mode: 'serial' })

test.afterEach(async ({ tab }, { status, expectedStatus }) => {
  if (status !== expectedStatus) console.log(await tab.run(() => location.href).catch(String), await tab.text())
})

const owner = { name: '葵 太郎', email: 'aoi@example.com', password: 'tadaima-55' }

test('sets up a shop with the setup wizard', async ({ tab, welcome, photo }) => {
  await tab.open(welcome)
  await tab.fill('お名前', owner.name)
  await tab.fill('メールアドレス', owner.email)
  await tab.fill('パスワード', owner.password)
  await tab.click('button', '次へ')
  await tab.expectPath('/welcome/shop')
  await tab.fill('店名', '京めし 葵')
  await tab.fill('電話番号', '075-123-4567')
  await tab.click('button', '保存して、次へ')
  await tab.expectPath('/welcome/hours')
  await tab.choose('開始の時', '11')
  await tab.choose('終了の時', '21')
  await tab.click('button', '保存して、次へ')
  await tab.expectPath('/welcome/pictures')
  await tab.type(await tab.find('input[type=file]'), photo)
  await tab.click('dialog button', '使う')
  await tab.expect(() => document.querySelector('dialog') === null)
  await tab.click('button', '保存して、次へ')
  await tab.expectPath('/welcome/pages')
  await tab.click('button', '保存して、サイトを見る')
  await tab.expectPath('/')
  await tab.expectText('はじめての設定が終わりました。')
  await tab.expect(() => document.querySelector('header')?.innerText.includes('京めし 葵'))
})

test('signs the owner out and in again', async ({ tab }) => {
  await tab.open('/logout')
  await tab.expect(() => document.querySelector('nav[aria-label="管理メニュー"]') === null)
  await tab.open('/emaillogin')
  await tab.fill('メールアドレス', owner.email)
  await tab.fill('パスワード', owner.password)
  await tab.click('main button[type=submit]', 'ログイン')
  await tab.expect(() => document.querySelector('nav[aria-label="管理メニュー"]') !== null)
})

test('adds a dish with a photograph to the page', async ({ tab, photo }) => {
  await tab.open('/firestoreservice?databasename=dining')
  await tab.type(await tab.find('input[type=file]'), photo)
  await tab.click('dialog button', 'この写真を使う')
  await tab.expect(() => document.querySelector('dialog') === null)
  await tab.fill('品名', '葵定食')
  await tab.fill('内容', '日替わりです')
  await tab.fill('価格', '980')
  await tab.click('button', '追加する')
  await tab.expectPath('/dining')
  await tab.expect(() => {
    const article = [...document.querySelectorAll('article')].find((each) => each.innerText.includes('葵定食'))
    article?.scrollIntoView()
    const image = article?.querySelector('img')
    return /^\/pictures\/[0-9a-f]{32}/.test(image?.getAttribute('src') ?? '') && (image?.naturalWidth ?? 0) > 0
  })
})

test('publishes a text written in the editor', async ({ tab }) => {
  await tab.open('/pages')
  await tab.click('summary', '新しいページを作成する')
  await tab.fill('ページのタイトル', '出汁のとりかた')
  await tab.fill('アドレス', 'dashi')
  await tab.click('button', '作成して書きはじめる')
  await tab.click('[contenteditable=true]')
  await tab.press('昆布と鰹の二つです。\uE007水から入れます。')
  await tab.click('button', '見出し')
  await tab.click('label', 'このページを公開する')
  await tab.click('button', '保存する')
  await tab.expectText('保存しました。')
  await tab.open('/p/dashi')
  await tab.expect(() => document.querySelector('main h2')?.textContent === '水から入れます。')
  await tab.expect(() => [...document.querySelectorAll('main p')].some((p) => p.textContent === '昆布と鰹の二つです。'))
})

test('stays on the page with a notice while offline, and follows the link once online', async ({ tab, line }) => {
  await tab.open('/access')
  line.cut()
  await tab.click('footer a', 'お問い合わせ')
  await tab.expectText('インターネットにつながっていないようです')
  await tab.expect(() => document.querySelector('h1')?.textContent?.includes('アクセス'))
  // A guest who dismisses the notice can follow the same link later.
  await tab.click('button', 'この画面にとどまる')
  line.join()
  await tab.click('footer a', 'お問い合わせ')
  await tab.expectPath('/mail')
  await tab.expect(() => document.querySelector('h1')?.textContent?.includes('お問い合わせ'))
  await tab.open('/access')
  line.cut()
  await tab.click('footer a', 'メンバー一覧')
  await tab.expectText('インターネットにつながっていないようです')
  line.join()
  await tab.expectPath('/memberlist')
  await tab.expect(() => document.querySelector('h1')?.textContent?.includes('メンバー一覧'))
})

test('navigates between pages, and prefetches the previous and the next month', async ({ tab }) => {
  await tab.open('/logout')
  await tab.expect(() => document.querySelector('nav[aria-label="管理メニュー"]') === null)
  await tab.open('/')
  for (const [name, path] of [
    ['店舗案内', '/infomation'],
    ['お料理', '/dining'],
    ['アクセス', '/access'],
    ['カレンダー', '/calendar'],
  ] as const) {
    await tab.click('header a', name)
    await tab.expectPath(path)
    await tab.expect((label) => document.querySelector('header a[aria-current]')?.textContent?.includes(label), name)
    expect(await tab.run(() => document.querySelectorAll('main h1').length)).toBe(1)
  }
  await tab.open('/mail')
  await tab.hover('header a', 'お料理')
  await tab.expect(() => performance.getEntriesByName(new URL('/dining.data', location.href).href).length > 0)
  await tab.open('/calendar?month=2031-05')
  for (const month of ['2031-04', '2031-06'])
    await tab.expect(
      (path) => performance.getEntriesByName(new URL(path, location.href).href).length > 0,
      `/calendar.data?month=${month}`,
    )
  await tab.click('main a', '次の月')
  await tab.expect(() => document.querySelector('h1')?.textContent?.includes('2031年6月'))
  expect(await tab.run(() => document.querySelectorAll('link[rel=prefetch]').length)).toBe(0)
})
