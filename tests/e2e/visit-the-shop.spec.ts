import type { Locator, Page } from '@playwright/test'
import { expectFitsAtDoubleTextSize, testedViewports } from './large-letters.ts'
import {
  desktop,
  expect,
  expectAccessible,
  getAnnouncements,
  navigate,
  open,
  phone,
  stopClock,
  test,
  waitForViewTransition,
} from './visitors.ts'

const missingPage = '/nowhere'
/** The paths of all other public pages, in two groups, because each network may request only a few heading fonts. */
const publicPages = {
  'of the shop': [
    '/',
    '/home',
    '/infomation',
    '/dining',
    '/access',
    '/calendar',
    '/tennisrelated',
    '/mail',
    '/accessibility',
  ],
  'of the portfolio and the accounts': [
    ...['/videoproduction', '/municipalarchitect', '/webdesignincludebackend', '/vbacreate', '/socialefficiency'],
    ...['/memberlist', '/login', '/emaillogin', '/signupform', '/privacy'],
  ],
}
// These pages consist of the same components as another page, in the same colours.
const pagesLikeOthers = ['/home', '/webdesignincludebackend', '/vbacreate', '/socialefficiency', '/memberlist']
// On a desktop, each of these pages has a layout or colours of its own.
const desktopLayouts = ['/', '/infomation', '/calendar', '/municipalarchitect']

test.describe('every public page', () => {
  test.use({ viewport: phone, expectedErrors: [new RegExp(` status of 404 .*${missingPage}$`)] })
  async function expectAccessibleAndFitting(page: Page, path: string) {
    // The site makes one heading font at a time, and rejects requests if too many fonts wait.
    await expect(page.locator('[data-font-waits]')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(page.locator('button', { hasText: 'ログアウト' })).toHaveCount(0)
    if (!pagesLikeOthers.includes(path)) await expectAccessible(page)
    if (desktopLayouts.includes(path)) {
      await page.setViewportSize(desktop)
      await expectAccessible(page)
    }
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    await expectFitsAtDoubleTextSize(page, desktopLayouts.includes(path) ? testedViewports : [phone])
  }

  for (const [group, [firstPath = '', ...otherPaths]] of Object.entries(publicPages))
    test(`${group} announces its title, has the focus after a navigation, passes axe and fits every screen`, async ({
      page,
    }) => {
      expect((await open(page, firstPath))?.status()).toBe(200)
      await expectAccessibleAndFitting(page, firstPath)
      for (const path of otherPaths) {
        await test.step(path, async () => {
          await page.evaluate(() => document.documentElement.removeAttribute('style'))
          await page.setViewportSize(phone)
          await navigate(page, path)
          await expect(page.locator('#main')).toBeFocused()
          await expect(getAnnouncements(page)).toHaveText([await page.title()])
          await expectAccessibleAndFitting(page, path)
        })
      }
    })

  test('passes axe and fits every screen when the page is missing', async ({ page }) => {
    expect((await open(page, missingPage))?.status()).toBe(404)
    await expectAccessibleAndFitting(page, missingPage)
  })
})

const navigation = (page: Page) => page.getByRole('navigation', { name: '主なページ' })
const shopName = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'ダイニング結' })

test('scrolls to the card of a card URL on a phone and a desktop', async ({ page }) => {
  for (const [path, viewport] of [
    ['/tennisrelated', phone],
    ['/webdesignincludebackend', desktop],
    ['/socialefficiency', phone],
  ] as const) {
    const html = await (await page.request.get(path)).text()
    const id = [...html.matchAll(/<article[^>]* id="card-([^"]+)"/g)].at(-1)?.[1]
    await page.setViewportSize(viewport)
    await page.goto(`${path}/${id}/view`)
    await expect(page.locator(`[id="card-${id}"]`), path).toBeInViewport({ ratio: 0.5 })
    expect(await page.evaluate(() => scrollY), path).toBeGreaterThan(0)
  }
})

test.describe('the navigation', () => {
  test('links all pages together with the footer, and changes the page without a reload', async ({ page }) => {
    const documents: string[] = []
    const stylesheets: string[] = []
    const cacheHeaders = new Set<string | undefined>()
    page.on('response', (response) => {
      if (response.url().includes('/assets/')) cacheHeaders.add(response.headers()['cache-control'])
    })
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
      if (request.resourceType() === 'stylesheet') stylesheets.push(request.url())
    })
    await open(page, '/')
    await expect(page).toHaveTitle('ダイニング結 | 京都の朝ごはんとお昼')
    const links = navigation(page).getByRole('link')
    await expect(links).toHaveText([
      'ホームHome',
      '店舗案内Infomation',
      'お料理Dining',
      'アクセスAccess',
      'カレンダーCalendar',
    ])
    await expect(navigation(page).locator('[lang=en]')).toHaveText([
      'Home',
      'Infomation',
      'Dining',
      'Access',
      'Calendar',
    ])
    expect(await getHrefs(links)).toEqual(['/home', '/infomation', '/dining', '/access', '/calendar'])
    const otherLinks = page.getByRole('contentinfo').getByRole('navigation').getByRole('link')
    expect(await getHrefs(otherLinks)).toEqual([
      '/videoproduction',
      '/municipalarchitect',
      '/webdesignincludebackend',
      '/vbacreate',
      '/socialefficiency',
      '/tennisrelated',
      '/mail',
      '/memberlist',
      '/login',
      '/privacy',
    ])
    for (const [name, title] of [
      ['店舗案内', '店舗案内'],
      ['お料理', 'お料理'],
      ['アクセス', 'アクセス'],
      ['カレンダー', /^\d{4}年\d{1,2}月/],
    ] as const) {
      await navigation(page).getByRole('link', { name }).click()
      await expect(page).toHaveTitle(typeof title === 'string' ? `${title} | ダイニング結` : title)
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
      await expect(navigation(page).getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
    }
    await otherLinks.getByText('テニスサークル').click()
    await expect(page).toHaveTitle('テニスサークル | ダイニング結')
    await waitForViewTransition(page)
    await page.goBack()
    await expect(page).toHaveTitle(/^\d{4}年\d{1,2}月/)
    expect(documents).toEqual(['/'])
    // The document contains its own styles, and one stylesheet with all styles loads later.
    expect(stylesheets).toEqual([expect.stringMatching(/\/assets\/style-[\w-]+\.css$/)])
    // Asset URLs contain a hash, so the browser never requests an asset again.
    expect([...cacheHeaders]).toEqual(['public, max-age=31536000, immutable'])
  })
})

test.describe('the shop name', () => {
  test('opens the login page only when the Shift key is pressed', async ({ page }) => {
    const requests: string[] = []
    await open(page, '/access')
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await shopName(page).click()
    await shopName(page).press('Enter')
    await waitForRoundTrip(page)
    // The page opens its live stream when the browser is idle.
    expect(requests.filter((path) => path !== '/api/live')).toEqual(['/robots.txt'])
    await expect(page).toHaveURL('/access')

    const popups: Page[] = []
    page.on('popup', (popup) => popups.push(popup))
    await shopName(page).click({ modifiers: ['Shift'] })
    await expect(page).toHaveURL('/login')
    await expect(page).toHaveTitle(/^会員ログイン/)
    expect(popups).toEqual([])

    await page.goBack()
    await expect(page).toHaveURL('/access')
    // The focus moves to the content when the title is announced.
    await expect(page.locator('[data-announcements] p').last()).toHaveText(/^アクセス/)
    await shopName(page).press('Shift+Enter')
    await expect(page).toHaveURL('/login')
  })
})

test.describe('the header of a touch screen', () => {
  test.use({ viewport: phone, hasTouch: true })
  const opener = (page: Page) => page.getByRole('button', { name: 'メニューを開く' })
  const dining = (page: Page) => navigation(page).getByRole('link', { name: 'お料理' })

  test('closes its menu after five idle seconds, by key and by click, and opens the login page on a long press', async ({
    page,
  }) => {
    await stopClock(page)
    await open(page, '/access')

    await test.step('replaces the header links below 900 px, and closes after five seconds', async () => {
      await page.setViewportSize({ width: 900, height: 900 })
      await expect(opener(page)).toBeHidden()
      await expect(dining(page)).toBeVisible()
      await page.setViewportSize({ width: 899, height: 900 })
      await expect(opener(page)).toBeVisible()
      await expect(dining(page)).toBeHidden()

      for (const _ of ['once', 'again']) {
        await opener(page).click()
        await expect(navigation(page).getByRole('link')).toHaveCount(5)
        await page.clock.runFor(4999)
        await expect(dining(page)).toBeVisible()
        await page.clock.runFor(1)
        await expect(dining(page)).toBeHidden()
      }
      await page.setViewportSize(phone)
    })

    await test.step('restarts the timer at each touch, pointer move and key in the header', async () => {
      await opener(page).click()
      const header = page.getByRole('banner')
      const touches = [
        () => page.mouse.move(100, 150),
        () => page.mouse.move(120, 160),
        () => dining(page).dispatchEvent('pointerdown', { pointerType: 'touch' }),
        () => header.dispatchEvent('keydown', { key: 'a' }),
      ]
      for (const touch of touches) {
        await page.clock.runFor(4900)
        await expect(dining(page)).toBeVisible()
        await touch()
      }
      await page.clock.runFor(4900)
      await expect(dining(page)).toBeVisible()
      // Movements outside the header do not restart the timer.
      await page.getByRole('main').dispatchEvent('pointermove')
      await page.clock.runFor(100)
      await expect(dining(page)).toBeHidden()
    })

    await test.step('has no timer when a key or assistive technology opens the menu', async () => {
      await opener(page).press('Enter')
      await page.clock.runFor(60_000)
      await expect(dining(page)).toBeVisible()
      await page.mouse.move(100, 150)
      await page.clock.runFor(60_000)
      await expect(dining(page)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(dining(page)).toBeHidden()

      await opener(page).dispatchEvent('click', { detail: 0 })
      await page.clock.runFor(60_000)
      await expect(dining(page)).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(dining(page)).toBeHidden()
    })

    await test.step('closes on Tab after the last link, on Escape, and on a click of its button', async () => {
      await opener(page).press('Enter')
      await page.keyboard.press('Tab')
      await expect(navigation(page).getByRole('link', { name: 'ホーム' })).toBeFocused()
      await page.clock.runFor(60_000)
      for (const name of ['店舗案内', 'お料理', 'アクセス', 'カレンダー']) {
        await page.keyboard.press('Tab')
        await expect(navigation(page).getByRole('link', { name })).toBeFocused()
      }
      await page.keyboard.press('Tab')
      await expect(dining(page)).toBeHidden()

      await opener(page).click()
      await page.getByRole('button', { name: 'メニューを閉じる' }).click()
      await expect(dining(page)).toBeHidden()

      await opener(page).press('Enter')
      await page.keyboard.press('Tab')
      // This Escape cancels the composition of the IME.
      await page.evaluate(() => {
        for (const composing of [{ isComposing: true }, { keyCode: 229 }])
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, ...composing }),
          )
      })
      await expect(navigation(page).getByRole('link', { name: 'ホーム' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(dining(page)).toBeHidden()
      await expect(opener(page)).toBeFocused()
    })

    await test.step('opens the login page on a long press of the shop name', async () => {
      await shopName(page).tap()
      await page.clock.runFor(10_000)
      await waitForRoundTrip(page)
      await expect(page).toHaveURL('/access')

      const { x, y } = await getCenter(shopName(page))
      const finger = await page.context().newCDPSession(page)
      await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
      await page.clock.runFor(1000)
      await expect(page).toHaveURL('/login')
      await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
      await expect(page).toHaveTitle(/^会員ログイン/)
      await expect(page).toHaveURL('/login')
    })

    await test.step('closes the menu on a click of a link', async () => {
      // The menu stays open after a key, but closes after five seconds without the pointer.
      await opener(page).press('Enter')
      await page.clock.resume()
      await dining(page).click()
      await expect(page).toHaveTitle('お料理 | ダイニング結')
      await expect(dining(page)).toBeHidden()
    })
  })
})

test.describe('the cards', () => {
  const asIntroduction = { 649: 1, 650: 2, 1199: 2, 1200: 3, 1599: 3, 1600: 4 }
  const asVideo = { 649: 1, 650: 2, 1569: 2, 1570: 3, 1649: 3, 1650: 4 }
  const grids = [
    { path: '/vbacreate', cards: 4, columnsAt: asIntroduction },
    { path: '/videoproduction', cards: 4, columnsAt: asVideo },
  ]

  test('fill every row at each breakpoint', async ({ page }) => {
    const grid = page.getByRole('main').getByRole('list')
    for (const { path, cards, columnsAt } of grids) {
      await open(page, path)
      for (const [width, columns] of Object.entries(columnsAt)) {
        await page.setViewportSize({ width: Number(width), height: 900 })
        const fullRows = Array.from({ length: Math.ceil(cards / columns) }, () => columns)
        expect(await countCardsPerRow(grid), `${path} at ${width} px`).toEqual(fullRows)
        await expect(grid.getByRole('listitem')).toHaveCount(cards)
      }
    }
  })

  test('open their link wherever they are clicked', async ({ page }) => {
    await open(page, '/tennisrelated')
    const card = page.getByRole('article').filter({ hasText: '毎週土曜日の練習会' })
    const parts = [
      card.getByRole('heading'),
      card.getByText('朝の九時から二時間'),
      card.getByRole('img'),
      card.getByRole('link', { name: '具体例を確認する' }),
    ]
    for (const part of parts) {
      await part.scrollIntoViewIfNeeded()
      const getLinkAtCenter = (element: Element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return document
          .elementFromPoint(x + width / 2, y + height / 2)
          ?.closest('a')
          ?.getAttribute('href')
      }
      expect(await part.evaluate(getLinkAtCenter)).toBe('/calendar')
    }
    const { x, y } = await getCenter(card.getByText('朝の九時から二時間'))
    await page.mouse.click(x, y)
    await expect(page).toHaveURL('/calendar')
  })
})

test.describe('the film behind a page', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } })

  test('stops and starts by its button on a phone and a desktop', async ({ page }) => {
    await open(page, '/infomation')
    const film = page.locator('video')
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport)
      await expect(film).toHaveJSProperty('paused', false)
      await page.getByRole('button', { name: '映像を止める' }).click()
      await expect(film).toHaveJSProperty('paused', true)
      await page.getByRole('button', { name: '映像を動かす' }).click()
      await expect(film).toHaveJSProperty('paused', false)
      await expect(film).toHaveJSProperty('muted', true)
      await expect(film).toHaveJSProperty('loop', true)
    }
  })
})

test.describe('third-party content', () => {
  test.use({ expectedErrors: [/^requested https:\/\/www\.(youtube-nocookie|google)\.com\//] })

  test('loads only when a video or the map is tapped', async ({ page, site }) => {
    const requests = await recordForeignRequests(page, site)
    await open(page, '/videoproduction')
    const card = page.getByRole('article').filter({ hasText: '店の一日を、三分の映像に' })
    await card.scrollIntoViewIfNeeded()
    await waitForRoundTrip(page)
    expect(requests).toEqual([])

    await card.getByRole('button', { name: '再生する' }).click()
    await expect(card.getByTitle('店の一日を、三分の映像に')).toBeVisible()
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    await navigate(page, '/access')
    await expect(page.getByRole('button', { name: '地図を表示する' })).toBeVisible()
    await waitForRoundTrip(page)
    const video = 'https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ'
    expect(requests).toEqual([video])

    await page.getByRole('button', { name: '地図を表示する' }).click()
    await expect(page.getByTitle('ダイニング結の地図')).toBeVisible()
    await expect.poll(() => requests.length).toBeGreaterThan(1)
    await waitForRoundTrip(page)
    expect(requests).toEqual([video, 'https://www.google.com/maps'])
  })
})

test.describe('headings whose font fails to load', () => {
  test.use({ expectedErrors: [/ status of 429 .*heading\.woff2/] })

  test('use the system mincho, and retry the font only at the next navigation', async ({ page }) => {
    // A page whose headings are complete, so that it requests no further font.
    await open(page, '/privacy')
    await expect(page.locator('[data-font-waits]')).toHaveCount(0)
    const requests: string[] = []
    await page.route('**/fonts/heading.woff2?*', (route) => {
      requests.push(route.request().url())
      return route.fulfill({ status: 429 })
    })
    const parking = page.getByRole('heading', { name: '駐車場' })
    await navigation(page).getByRole('link', { name: 'アクセス' }).click()
    await expect(parking).toHaveAttribute('data-font-waits')
    expect(await parking.evaluate((heading) => getComputedStyle(heading).fontFamily)).not.toContain('Shippori')
    await page.evaluate(() => document.body.append(document.createElement('p')))
    await waitForRoundTrip(page)
    expect(requests).toHaveLength(1)

    await page.unroute('**/fonts/heading.woff2?*')
    const [failedUrl] = requests
    const fontResponse = page.waitForResponse((response) => response.url() === failedUrl && response.ok())
    await navigation(page).getByRole('link', { name: 'ホーム' }).click()
    await expect(page).toHaveTitle('ダイニング結 | 京都の朝ごはんとお昼')
    await navigation(page).getByRole('link', { name: 'アクセス' }).click()
    await fontResponse
    await expect(page.locator('[data-font-waits]')).toHaveCount(0)
    expect(await parking.evaluate((heading) => getComputedStyle(heading).fontFamily)).toContain('Shippori')
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('shows all dishes, and the first slide of the story', async ({ page }) => {
    await page.goto('/dining')
    const dishes = page.getByRole('main').getByRole('heading', { level: 2 })
    await expect(dishes).toHaveCount(12)
    await expect(dishes.first()).toHaveText('季節の炊き込みご飯')
    await expect(dishes.first()).toBeVisible()
    await expect(page.getByRole('button', { name: '再生する' })).toHaveCount(0)

    await page.goto('/')
    const lines = page.getByRole('group', { name: '3枚中1枚目' }).getByRole('paragraph')
    await expect(lines).toHaveText(['たくさんの人の', '笑顔が見たくて'])
    for (const line of await lines.all()) {
      await expect(line).toBeInViewport()
      await expect(line.locator('span')).toHaveCSS('opacity', '1')
    }
  })
})

function getHrefs(links: Locator) {
  return links.evaluateAll((elements) => elements.map((element) => element.getAttribute('href')))
}

/** Waits for a round trip to the server. Afterwards, all pending requests have been sent. */
async function waitForRoundTrip(page: Page) {
  await page.evaluate(async () => void (await fetch('/robots.txt')))
}

async function getCenter(locator: Locator) {
  const box = await locator.boundingBox()
  if (!box) throw new Error(`Expected ${locator} to be visible`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

function countCardsPerRow(grid: Locator) {
  return grid.evaluate((list) => {
    const visibleCards = [...list.children].filter((card) => card.checkVisibility())
    return Object.values(Object.groupBy(visibleCards, (card) => Math.round(card.getBoundingClientRect().top))).map(
      (row) => row?.length,
    )
  })
}

/** Fulfils every request to another site with an empty page. Returns the list of the requested URLs. */
async function recordForeignRequests(page: Page, site: string) {
  const requests: string[] = []
  await page.route(
    (url) => url.origin !== site,
    (route) => {
      const { origin, pathname } = new URL(route.request().url())
      requests.push(`${origin}${pathname}`)
      return route.fulfill({ contentType: 'text/html', body: '' })
    },
  )
  return requests
}
