import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Page } from '@playwright/test'
import { oldestBrowsers } from '../../scripts/oldest-browsers.ts'
import { publicPages } from '../../scripts/start-site.ts'
import { test as editorTest } from './editors.ts'
import { deleteApis, newerApis, newerApisIn, newerFeaturesIn } from './newer-features.ts'
import { photograph } from './photograph.ts'
import { fillMemberForm, followAlertToRegistration, signInByMail, signUp } from './registering.ts'
import { expect, fillIn, getNotice, navigate, open, openHydrated, phone, pressAndRead } from './visitors.ts'

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
  ...['properties.field-sizing', 'properties.field-sizing.content'],
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
  // A visitor who opens all pages within seconds exceeds the rate limit of the heading fonts.
  test.use({ expectedErrors: [/ status of 429 .*\/fonts\/heading\.woff2/] })

  test('hydrates a page and renders every public page', async ({ page, site }) => {
    const paths = await publicPages(site)
    expect(paths.length).toBeGreaterThan(10)
    const [first = '', ...others] = paths
    for (const path of ['/membercreate', first]) {
      await openHydrated(page, path)
      await expect(page.locator('h1').first()).not.toHaveText('ページを表示できませんでした')
    }
    for (const path of [...others, '/login', '/emaillogin']) {
      await navigate(page, path)
      await expect(page.locator('h1').first()).not.toHaveText('ページを表示できませんでした')
    }
    expect(await page.evaluate(() => 'parse' in URL)).toBe(false)
  })

  test('lets a guest use the menu, the calendar and the contact form', async ({ page }) => {
    await page.setViewportSize(phone)
    await open(page, '/')
    await page.getByRole('button', { name: 'メニュー' }).click()
    await page.getByRole('navigation', { name: '主なページ' }).getByRole('link', { name: 'カレンダー' }).click()
    await expect(page).toHaveURL('/calendar')
    const month = await page.getByRole('grid').getAttribute('aria-label')
    await page.getByRole('link', { name: '次の月' }).click()
    await expect(page.getByRole('grid')).not.toHaveAttribute('aria-label', `${month}`)

    await page.getByRole('link', { name: 'お問い合わせ' }).click()
    await page.getByLabel('宛先').selectOption('お店')
    await fillIn(page, { 件名: '席のご相談👨‍👩‍👧', 本文: '来週の土曜日に、五名で伺えますか。' })
    // A person takes longer than this test.
    await page.locator('[name=shownAt]').evaluate((field: HTMLInputElement) => {
      field.value = String(Number(field.value) - 5000)
    })
    await pressAndRead(page, '送信する', '送信しました')
  })

  test('lets a member sign up, register, sign out and sign in again', async ({ page }) => {
    const id = crypto.randomUUID().slice(0, 8)
    const email = `${id}@example.jp`
    await signUp(page, '桜井 花', email)
    await followAlertToRegistration(page)
    await fillMemberForm(page, '桜井 花', id)
    await page.getByRole('button', { name: '上記の内容で登録する' }).click()
    await expect(getNotice(page, 'メンバー登録を受け付けました。')).toBeVisible()
    await open(page, '/login')
    await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
    await expect(page).toHaveURL(/\/home$|\/$/)
    await open(page, '/emaillogin')
    await signInByMail(page, email)
    await expect(page).toHaveURL('/')
  })

  test('lets the owner add a dish with a cropped photograph and publish a page of the text editor', async ({
    owner,
    request,
    site,
  }) => {
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

    const path = `mukashi-${Date.now()}`
    await navigate(page, '/pages')
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
    const html = await (await request.get(`${site}/p/${path}`)).text()
    expect(html).toMatch(/昆布を水に(?:<\/span>)?<(b|strong)>ひと晩<\/\1>/)
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
