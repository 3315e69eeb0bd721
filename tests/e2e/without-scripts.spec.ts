import { publicPages } from '../../scripts/start-site.ts'
import { test as editorTest } from './editors.ts'
import { test as baseTest, expect, phone } from './visitors.ts'

const options = { javaScriptEnabled: false, viewport: phone }
const test = baseTest.extend({})
test.use(options)
editorTest.use(options)

const NEEDS_SCRIPTS = '編集するには、ブラウザのJavaScriptを有効にしてください。'
const unlisted = ['/mail', '/memberlist', '/login', '/privacy', '/membercreate', '/emaillogin', '/signupform']

test('reaches every public page from home by visible links on a phone, and marks the current page in the header', async ({
  page,
  site,
}) => {
  const paths = ['/']
  for (const path of paths) {
    const response = await page.goto(path)
    expect(response?.status(), path).toBe(200)
    const { isWider, hasMenuButton, headerLinks, visibleLinks } = await page.evaluate(readLinks)
    const headerPaths = ['/home', '/infomation', '/dining', '/access', '/calendar']
    expect(isWider, path).toBe(false)
    expect(hasMenuButton, path).toBe(false)
    expect(headerLinks, path).toEqual(
      headerPaths.map((href) => ({
        href,
        isClickable: true,
        isCurrent: href === (path === '/' ? '/home' : path),
      })),
    )
    for (const href of visibleLinks) {
      const { pathname } = new URL(href, page.url())
      if (!paths.includes(pathname) && /^\/[a-z]*$/.test(pathname)) paths.push(pathname)
    }
  }
  expect(paths).toEqual(
    expect.arrayContaining([...(await publicPages(site)), ...unlisted].filter((path) => !path.startsWith('/p/'))),
  )
})

/**
 * Returns whether the page overflows, whether the menu button is visible, the links of the header, and
 * the visible links to this site. Runs in the page.
 */
function readLinks() {
  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0
  const isClickable = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const topmost = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    const isInViewport = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
    return isVisible(element) && isInViewport && element.contains(topmost)
  }
  return {
    isWider: document.documentElement.scrollWidth > innerWidth,
    hasMenuButton: [...document.querySelectorAll('button')].some(
      (button) => button.textContent?.includes('メニューを開く') && isVisible(button),
    ),
    headerLinks: [...document.querySelectorAll('header a')].map((link) => ({
      href: link.getAttribute('href'),
      isClickable: isClickable(link),
      isCurrent: link.getAttribute('aria-current') === 'page',
    })),
    visibleLinks: [...document.querySelectorAll('a[href^="/"]')]
      .filter(isVisible)
      .map((link) => link.getAttribute('href') ?? ''),
  }
}

editorTest('shows only editors the notice that editing needs JavaScript', async ({ owner, openPage }) => {
  const editor = await owner(options)
  const guest = await openPage(options)
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

editorTest('shows the result of a registration once', async ({ owner }) => {
  const page = await owner(options)
  for (const [done, text] of Object.entries({ saved: '登録内容を保存しました。', added: '登録しました。' })) {
    await page.goto(`/memberlist?done=${done}`)
    await expect(page.getByText(text, { exact: true })).toHaveCount(1)
    await expect(page.locator('[data-notice=done]')).toHaveText([text])
  }
  await page.goto('/memberlist?done=first')
  await expect(page.locator('[data-notice=done] p')).toBeVisible()
  expect((await page.locator('body').innerText()).split('最初の登録者のため、管理者権限を付与しました')).toHaveLength(2)
})
