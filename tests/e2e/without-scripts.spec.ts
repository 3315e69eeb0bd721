import { publicPages } from '../../scripts/start-site.ts'
import { createTestOnOwnSite } from './editors.ts'
import { expect } from './visitors.ts'

/** A separate site, because the tests change it. */
const test = createTestOnOwnSite('site without scripts')
test.use({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })

const phone = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }
const NEEDS_SCRIPTS = '編集するには、ブラウザのJavaScriptを有効にしてください。'
const unlisted = ['/mail', '/memberlist', '/login', '/privacy', '/membercreate', '/emaillogin', '/signupform']

test('reaches every public page from home by visible links on a phone', async ({ page, site }) => {
  const paths = ['/']
  for (const path of paths) {
    const response = await page.goto(path)
    expect(response?.status(), path).toBe(200)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path).toBe(true)
    await expect(page.getByRole('button', { name: 'メニューを開く' })).toBeHidden()
    const links = page.getByRole('banner').getByRole('link')
    await expect(links).toHaveCount(5)
    for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 })
    const visibleLinks = await page
      .locator('a[href^="/"]:visible')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    for (const href of visibleLinks) {
      const path = new URL(href ?? '', page.url()).pathname
      if (!paths.includes(path) && /^\/[a-z]*$/.test(path)) paths.push(path)
    }
  }
  expect(paths).toEqual(
    expect.arrayContaining([...(await publicPages(site)), ...unlisted].filter((path) => !path.startsWith('/p/'))),
  )
})

test('follows the header links of home and marks the current page', async ({ page }) => {
  await page.goto('/')
  for (const name of ['店舗案内', 'お料理', 'アクセス', 'カレンダー', 'ホーム']) {
    const link = page.getByRole('banner').getByRole('link', { name })
    await link.click()
    await expect(link).toHaveAttribute('aria-current', 'page')
  }
  await expect(page).toHaveURL('/home')
})

test('shows only editors the notice that editing needs JavaScript', async ({ owner, openPage }) => {
  const editor = await owner(phone)
  const guest = await openPage(phone)
  for (const [page, count] of [
    [editor, 1],
    [guest, 0],
  ] as const) {
    await page.goto('/calendar')
    // Playwright does not find text in noscript.
    expect((await page.locator('body').innerText()).split(NEEDS_SCRIPTS)).toHaveLength(count + 1)
  }
  await expect(editor.locator('noscript p')).toBeInViewport({ ratio: 1 })
})

test('shows the result of a registration once', async ({ owner }) => {
  const page = await owner(phone)
  for (const [done, text] of Object.entries({ saved: '登録内容を保存しました。', added: '登録しました。' })) {
    await page.goto(`/memberlist?done=${done}`)
    await expect(page.getByText(text, { exact: true })).toHaveCount(1)
    await expect(page.locator('[data-notice=done]')).toHaveText([text])
  }
  await page.goto('/memberlist?done=first')
  await expect(page.locator('[data-notice=done] p')).toBeVisible()
  expect((await page.locator('body').innerText()).split('最初の登録者のため、管理者権限を付与しました')).toHaveLength(2)
})
