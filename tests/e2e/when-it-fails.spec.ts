import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { navigateInClient } from './navigate-in-client.ts'
import {
  desktop,
  expect,
  getAnnouncements,
  getNotice,
  goOffline,
  goOnline,
  open,
  openHydrated,
  phone,
  stopClock,
  waitForHydration,
} from './visitors.ts'

// A single pattern, because Playwright reads an array of two elements as a fixture with its options.
const expectedErrors = [/Failed to load resource|Error loading route module|Failed to fetch|AbortError/]

/** Asserts that the stylesheet applies, by the background of the page and the layout of the header. */
async function expectStyled(page: Page, where = page.url()) {
  const looks = () =>
    page.evaluate(() => {
      const header = document.querySelector('header')
      return `${getComputedStyle(document.body).backgroundColor} ${header && getComputedStyle(header).display}`
    })
  await expect.poll(looks, where).toMatch(/^rgb\((?:246, 241, 231|21, 24, 29)\) flex$/)
}

const getFocused = (page: Page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName)

test.use({ viewport: phone, expectedErrors })

test('styles and announces the pages that follow a 404 page', async ({ page }) => {
  const addresses = page.locator('link[rel=canonical], meta[property="og:url"]')
  await open(page, '/nowhere')
  await waitForHydration(page)
  await expect(addresses).toHaveCount(0)
  await expectStyled(page)
  await page.getByRole('link', { name: 'ホームへ' }).click()
  await expect(page.getByRole('heading', { name: '店の風景' })).toBeVisible()
  await expectStyled(page)
  await page.getByRole('contentinfo').getByRole('link', { name: 'お問い合わせ' }).click()
  await expect(page).toHaveTitle(/^お問い合わせ/)
  await expectStyled(page)
  await expect(getAnnouncements(page).filter({ hasText: 'お問い合わせ' })).toHaveCount(1)
  expect(await getFocused(page)).toBe('main')
  // The second missing page is opened by a client navigation.
  await page.evaluate(() => history.pushState({}, '', '/tennisrelated/none/view'))
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate', { state: history.state })))
  await expect(page.getByRole('heading', { name: 'お探しのページが見つかりません' })).toBeVisible()
  await expect(page).toHaveTitle('お探しのページが見つかりません | ダイニング結')
  await expect(page.locator('head title')).toHaveCount(1)
  await expect(addresses).toHaveCount(0)
  await expectStyled(page)
  await page.setViewportSize(desktop)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'お問い合わせ' })).toBeVisible()
  await expect(page).toHaveTitle('お問い合わせ | ダイニング結')
  await expect(page.locator('head title')).toHaveCount(1)
  await expectStyled(page)
})

test('opens a page whose fragment is no valid percent-encoding', async ({ page }) => {
  await open(page, '/access')
  await navigateInClient(page, '/dining#100%')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('お料理')
  expect(await getFocused(page)).toBe('main')
})

/** Taps a link, also in the closed menu of a phone. */
const tap = (page: Page, path: string) =>
  page.evaluate((href) => document.querySelector<HTMLElement>(`a[href="${href}"]`)?.click(), path)

test('stays on the page while offline, and follows the link once online', async ({ page, context }) => {
  const why = getNotice(page, 'インターネットにつながっていないようです')
  await open(page, '/access')
  await goOffline(page)
  await page.getByRole('contentinfo').getByRole('link', { name: 'お問い合わせ' }).click()
  await expect(why).toBeInViewport({ ratio: 1 })
  await expect(getAnnouncements(page).filter({ hasText: 'つながりしだい' })).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'アクセス' })).toBeVisible()
  await expectStyled(page)
  // The guest dismisses the notice and stays on the page.
  await page.getByRole('button', { name: 'この画面にとどまる' }).click()
  await expect(why).toBeHidden()

  // A page of the header, a page of the footer, a dark page, and a page with two URLs.
  for (const path of ['/dining', '/memberlist', '/videoproduction', '/home']) {
    if (path === '/videoproduction') await page.setViewportSize(desktop)
    await tap(page, path)
    await expect(why, path).toBeInViewport({ ratio: 1 })
    await context.setOffline(false)
    await expect(page).toHaveURL(path)
    await expect(why, path).toBeHidden()
    await waitForHydration(page)
    await expectStyled(page, path)
    await goOffline(page)
  }
  await context.setOffline(false)
})

test('renders every internal link of the header and the footer as a link of the router', async () => {
  for (const file of ['site-header', 'site-footer']) {
    const source = readFileSync(`app/chrome/${file}.tsx`, 'utf8')
    expect(source, file).toMatch(/<(?:Nav)?Link\b/)
    expect(source, file).not.toContain('reloadDocument')
    // A plain link leads to another site.
    for (const [plainLink] of source.matchAll(/<a\b[^>]*>/g)) expect(plainLink, file).toContain('target="_blank"')
  }
})

test('stays on the page while offline when the browser has no Navigation API', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'navigation'))
  await open(page, '/access')
  await goOffline(page)
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'お問い合わせ' })
  await link.click()
  await expect(getNotice(page, 'インターネットにつながっていないようです')).toBeVisible()
  await page.getByRole('button', { name: 'この画面にとどまる' }).click()
  await expect(page.getByRole('heading', { name: 'アクセス' })).toBeVisible()
  await goOnline(page)
  await link.click()
  await expect(page.getByRole('heading', { name: 'お問い合わせ' })).toBeVisible()
})

test('stays on the page when the data of the next page fail to load, and retries until the data load', async ({
  page,
}) => {
  await stopClock(page)
  await open(page, '/access')
  let requests = 0
  await page.route(/\/dining\.data/, (route) => {
    requests += 1
    return requests <= 2 ? route.fulfill({ status: 500, body: '申し訳ございません。' }) : route.continue()
  })
  await tap(page, '/dining')
  const why = getNotice(page, 'お選びのページを、まだ開けません')
  await expect(why).toBeInViewport({ ratio: 1 })
  await page.setViewportSize(desktop)
  await expect(why).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('heading', { name: 'アクセス' })).toBeVisible()
  expect(requests).toBe(1)
  // The page starts the timer of its next retry after it has read the response.
  const retry = async () => {
    await page.clock.runFor(1000)
    return requests
  }
  await expect.poll(retry).toBe(3)
  await expect(page.getByRole('heading', { name: 'お料理', exact: true })).toBeVisible()
  await expect(why).toBeHidden()
  expect(requests).toBe(3)
  await expectStyled(page)
})

test('loads the next page as a document when its script is missing after an update', async ({ page }) => {
  await openHydrated(page, '/access')
  let gone = true
  await page.route(/\/assets\/mail-page.*\.js/, (route) =>
    gone ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  )
  const loaded = page.waitForRequest((request) => request.isNavigationRequest() && request.url().endsWith('/mail'))
  await page.getByRole('contentinfo').getByRole('link', { name: 'お問い合わせ' }).click()
  await loaded
  gone = false
  await expect(page.getByRole('heading', { name: 'お問い合わせ' })).toBeVisible()
  await expectStyled(page)
})

test('shows the offline notice when a link is tapped during another navigation', async ({ page }) => {
  await page.route('**/videoproduction.data', (route) => route.abort())
  await openHydrated(page, '/privacy')
  const why = getNotice(page, 'インターネットにつながっていないようです')
  for (const delay of [0, 4, 8, 12, 15, 18]) {
    await page.evaluate((ms) => {
      const tap = (to: string) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click()
      const push = history.pushState
      history.pushState = function (...entry) {
        push.apply(this, entry)
        history.pushState = push
        if (location.pathname === '/dining') setTimeout(() => tap('/videoproduction'), ms)
      }
      tap('/dining')
    }, delay)
    await expect(why, `after ${delay} ms`).toBeVisible()
    await page.getByRole('button', { name: 'この画面にとどまる' }).click()
    await expect(why).toBeHidden()
    await tap(page, '/privacy')
    await expect(page).toHaveURL('/privacy')
    await expect(page).toHaveTitle(/^プライバシー/)
  }
})
