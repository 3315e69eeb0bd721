import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Page } from '@playwright/test'
import { oldestBrowsers } from '../../scripts/oldest-browsers.ts'
import { publicPages } from '../../scripts/start-site.ts'
import { test as editorTest } from './editors.ts'
import { deleteApis, newerApis, newerApisIn, newerFeaturesIn } from './newer-features.ts'
import { photograph } from './photograph.ts'
import { closeAlert, fillMemberForm, followAlertToRegistration, signInByMail, signUp } from './registering.ts'
import { expect, fillIn, getNotice, open, openHydrated, phone, pressAndRead, startSite } from './visitors.ts'

const TESTED_BEFORE_USE = [
  // React and this site use these members of the Navigation API.
  ...['canIntercept', 'currentEntry', 'entry', 'transition', 'navigationType', 'userInitiated'],
  // React uses these methods for view transitions.
  ...['startViewTransition', 'skipTransition'],
  // The text editor Squire uses these members.
  ...['caretPositionFromPoint', 'offsetNode'],
  // Zod uses this method.
  'URL.canParse',
]

// Chrome supports AbortSignal.timeout since version 103, but with another error until version 124.
const PARTLY_OLDER = ['AbortSignal.timeout']

// Names that equal a newer API, but belong to other objects, or to attributes and styles that React sets.
const OTHER_THINGS = [
  ...['address', 'changed', 'check', 'component', 'deleted', 'fetchPriority', 'format', 'imageSizes', 'isComposing'],
  ...['margin', 'marginBottom', 'marginLeft', 'marginRight', 'marginTop', 'minHeight', 'movementX', 'movementY'],
  ...['popover', 'priority', 'suffix', 'take in writing', 'toArray in reorder-list'],
]

// If the browser lacks these features, a page looks plainer, but no content is missing or hidden.
const DECORATION = [
  'properties.text-wrap',
  ...['balance', 'pretty', 'stable', 'wrap'].map((value) => `properties.text-wrap.${value}`),
  ...['properties.mask', 'properties.word-break.auto-phrase', 'properties.accent-color'],
  'properties.print-color-adjust',
  ...['properties.print-color-adjust.exact', 'properties.scrollbar-gutter', 'properties.scrollbar-gutter.stable'],
  ...['properties.scrollbar-width', 'properties.scrollbar-width.none', 'at-rules.page'],
  ...['selectors.view-transition-old', 'selectors.view-transition-new'],
  // Used only on pages when JavaScript is disabled.
  'at-rules.media.scripting',
]

const makeOld = (page: Page) =>
  page.addInitScript(
    deleteApis,
    newerApis.filter(({ owner, name }) => !PARTLY_OLDER.includes(`${owner}.${name}`)),
  )

const test = editorTest.extend({
  openPage: ({ openPage }, use) =>
    use(async (options) => {
      const page = await openPage(options)
      await makeOld(page)
      return page
    }),
})

test.describe('the client code', () => {
  const files = clientFiles()

  test('uses no API that any of the oldest browsers lacks', () => {
    const scripts = files.filter((file) => file.endsWith('.js'))
    const allowed = new Set([...TESTED_BEFORE_USE, ...PARTLY_OLDER, ...OTHER_THINGS])
    const newerNames = scripts.flatMap((file) =>
      newerApisIn(readFileSync(file, 'utf8')).map((name) => [
        name,
        `${name} in ${basename(file).split(/-[\w-]{8}\.js$/)[0]}`,
      ]),
    )
    expect(scripts.length).toBeGreaterThan(50)
    expect(newerNames.filter((names) => !names.some((name) => allowed.has(name)))).toEqual([])
  })

  test('uses newer CSS features only for decoration', () => {
    const [stylesheet = ''] = files.filter((file) => file.endsWith('.css'))
    const newerFeatures = newerFeaturesIn(readFileSync(stylesheet, 'utf8'))
    expect(newerFeatures.filter((feature) => !DECORATION.includes(feature))).toEqual([])
  })

  test('is rejected when a newer API or CSS feature appears in the code', () => {
    const script = `URL.parse(a); Promise.withResolvers(); Object.groupBy(a, b); new Set().union(a); window.scheduler
      a.checkVisibility(); AbortSignal.any(a); new CloseWatcher(); a.at(1); structuredClone(a); URL.createObjectURL(a)`
    expect(newerApisIn(script).sort()).toEqual([
      'AbortSignal.any',
      'CloseWatcher',
      'URL.parse',
      'checkVisibility',
      'groupBy',
      'scheduler',
      'union',
      'withResolvers',
    ])
    const stylesheet = `@starting-style { a { color: light-dark(red, blue) } } b { field-sizing: content; c { top: 0 } }
      d:open { text-box-trim: trim-both }`
    expect(newerFeaturesIn(stylesheet).sort()).toEqual([
      'at-rules.starting-style',
      'properties.field-sizing',
      'properties.field-sizing.content',
      'properties.text-box-trim',
      'properties.text-box-trim.trim-both',
      'selectors.nesting',
      'selectors.open',
      'types.color.light-dark',
    ])
  })
})

test('lists the oldest browsers in the README', () => {
  const { chrome, edge, firefox, safari, ios } = oldestBrowsers
  const sentence = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox} and Safari ${safari} (iOS ${ios})`
  expect(readFileSync('README.md', 'utf8').replaceAll(/\s+/g, ' ')).toContain(sentence)
})

test.describe('in a browser without the newer APIs', () => {
  test('hydrates every public page', async ({ page, site }) => {
    const paths = await publicPages(site)
    expect(paths.length).toBeGreaterThan(10)
    for (const path of [...paths, '/login', '/emaillogin', '/membercreate']) {
      await openHydrated(page, path)
      await expect(page.locator('h1').first()).not.toHaveText('ページを表示できませんでした')
    }
    expect(await page.evaluate(() => 'parse' in URL)).toBe(false)
  })

  test('lets a guest use the menu, the calendar and the contact form', async ({ page }) => {
    await page.setViewportSize(phone)
    await open(page, '/')
    const openedAt = Date.now()
    await page.getByRole('button', { name: 'メニュー' }).click()
    await page.getByRole('navigation', { name: '主なページ' }).getByRole('link', { name: 'カレンダー' }).click()
    await expect(page).toHaveURL('/calendar')
    const month = await page.getByRole('grid').getAttribute('aria-label')
    await page.getByRole('link', { name: '次の月' }).click()
    await expect(page.getByRole('grid')).not.toHaveAttribute('aria-label', `${month}`)

    await page.getByRole('link', { name: 'お問い合わせ' }).click()
    await page.getByLabel('宛先').selectOption('お店')
    await fillIn(page, { 件名: '席のご相談👨‍👩‍👧', 本文: '来週の土曜日に、五名で伺えますか。' })
    await expect.poll(() => Date.now() - openedAt, 'as long as a person takes').toBeGreaterThan(3000)
    await pressAndRead(page, '送信する', '送信しました')
  })

  test('lets a member sign up, register, sign out and sign in again', async ({ browser }) => {
    const { service, stop } = await startSite()
    const context = await browser.newContext({ baseURL: service.url, locale: 'ja-JP', timezoneId: 'Asia/Tokyo' })
    const page = await context.newPage()
    await makeOld(page)
    await signUp(page, '桜井 花', 'hana@example.jp')
    await followAlertToRegistration(page)
    await fillMemberForm(page, '桜井 花', 'はな')
    await page.getByRole('button', { name: '上記の内容で登録する' }).click()
    await closeAlert(page, '最初の登録者のため、管理者権限を付与しました')
    await open(page, '/login')
    await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
    await expect(page).toHaveURL(/\/home$|\/$/)
    await open(page, '/emaillogin')
    await signInByMail(page, 'hana@example.jp')
    await expect(page).toHaveURL('/')
    await context.close()
    await stop()
  })

  test('lets the owner add a dish with a cropped photograph', async ({ owner }) => {
    const page = await owner()
    await open(page, '/firestoreservice?databasename=dining')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await photograph())
    await page.getByRole('dialog', { name: '写真を切り抜く' }).getByRole('button', { name: 'この写真を使う' }).click()
    await expect(page.getByRole('img', { name: '現在の写真' })).toBeVisible()
    const name = `秋刀魚の塩焼き ${Date.now()}`
    await fillIn(page, { 品名: name, 内容: '脂ののった一尾です。' })
    await page.getByRole('button', { name: '追加する' }).click()
    await expect(page).toHaveURL(/\/dining/)
    await expect(page.getByRole('article').filter({ hasText: name }).locator('img')).toBeVisible()
  })

  test('lets the owner publish a page written in the text editor', async ({ owner, openPage }) => {
    const page = await owner()
    const path = `mukashi-${Date.now()}`
    await open(page, '/pages')
    await page.getByText('新しいページを作成する').click()
    await fillIn(page, { ページのタイトル: '昔ながらの道具', アドレス: path })
    await page.getByRole('button', { name: '作成して書きはじめる' }).click()
    const paper = page.getByRole('textbox', { name: '本文' })
    await expect(paper).toHaveAttribute('contenteditable')
    await paper.focus()
    await page.keyboard.type('昆布を水に')
    await page.keyboard.press('ControlOrMeta+b')
    await page.keyboard.type('ひと晩')
    await page.getByLabel('このページを公開する').check()
    await page.getByRole('button', { name: '保存する' }).click()
    await expect(getNotice(page, '保存しました').first()).toBeVisible()
    const guest = await openPage()
    await open(guest, `/p/${path}`)
    await expect(guest.getByText('昆布を水にひと晩')).toBeVisible()
    await expect(guest.locator('main b, main strong')).toHaveText('ひと晩')
  })
})

// Returns the files of the last build by following the names in the bundles. The folder also contains earlier builds.
function clientFiles() {
  const files = new Set<string>()
  const add = (text: string) => {
    for (const [name] of text.matchAll(/[\w.-]+\.(?:js|css)\b/g)) {
      const file = `build/client/assets/${name}`
      if (files.has(file) || !existsSync(file)) continue
      files.add(file)
      add(readFileSync(file, 'utf8'))
    }
  }
  for (const name of readdirSync('build/server', { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.js')) add(readFileSync(`build/server/${name}`, 'utf8'))
  return [...files]
}
