import type { Locator, Page } from '@playwright/test'
import { expectWholeWithLargeLetters } from './large-letters.ts'
import { axe, desk, expect, open, phone, stopClock, test } from './visitors.ts'

const nowhere = '/nowhere'
const publicPages = [
  '/',
  '/infomation',
  '/dining',
  '/access',
  '/videoproduction',
  '/municipalarchitect',
  '/tennisrelated',
  '/calendar',
  '/mail',
  '/login',
  '/emaillogin',
  '/signupform',
  '/privacy',
  nowhere,
]
// Made like another: what axe says of that one on a wide screen, it would say of these.
const alike = ['/home', '/webdesignincludebackend', '/vbacreate', '/socialefficiency']

test.describe('every public page', () => {
  test.use({
    expectedNoise: [new RegExp(` status of 404 .*${nowhere}$`)],
  })

  for (const path of [...publicPages, ...alike]) {
    test(`${path} is readable by everyone, on any screen`, async ({ page }) => {
      await page.setViewportSize(phone)
      const response = await open(page, path)
      expect(response?.status()).toBe(path === nowhere ? 404 : 200)
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      await expect(page.locator('button', { hasText: 'ログアウト' })).toHaveCount(0)
      await axe(page)

      await page.setViewportSize(desk)
      if (!alike.includes(path)) await axe(page)

      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
      await expectWholeWithLargeLetters(page)
    })
  }
})

const navigation = (page: Page) => page.getByRole('navigation', { name: '主なページ' })

for (const viewport of [phone, desk]) {
  test(`an address that points at a card shows it, ${viewport.width} px wide`, async ({ page }) => {
    await page.setViewportSize(viewport)
    for (const path of ['/tennisrelated', '/webdesignincludebackend', '/socialefficiency']) {
      await page.goto(path)
      const id = (await page.locator('article').last().getAttribute('id')) ?? ''
      await page.goto(`${path}/${id.replace('card-', '')}/view`)
      await expect(page.locator(`[id="${id}"]`), path).toBeInViewport({ ratio: 0.5 })
      expect(await page.evaluate(() => scrollY), path).toBeGreaterThan(0)
    }
  })
}

test.describe('the navigation', () => {
  test('has five links, which lead from page to page without loading the site again', async ({ page }) => {
    const documents: string[] = []
    const stylesheets: string[] = []
    const kept = new Set<string | undefined>()
    page.on('response', (response) => {
      if (response.url().includes('/assets/')) kept.add(response.headers()['cache-control'])
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
    expect(await addressesOf(links)).toEqual(['/home', '/infomation', '/dining', '/access', '/calendar'])
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
    await page.goBack()
    await expect(page).toHaveTitle('アクセス | ダイニング結')
    expect(documents).toEqual(['/'])
    // Its own styles are in the document; those of all others come once, behind it.
    expect(stylesheets).toEqual([expect.stringMatching(/\/assets\/style-[\w-]+\.css$/)])
    // Their addresses change with what they say: the browser never asks for one again.
    expect([...kept]).toEqual(['public, max-age=31536000, immutable'])
  })

  test('leaves the other pages to the footer', async ({ page }) => {
    await open(page, '/')
    const links = page.getByRole('contentinfo').getByRole('navigation').getByRole('link')
    const addresses = await addressesOf(links)
    expect(addresses).toEqual([
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
    for (const address of addresses) expect((await page.request.get(address ?? '')).status(), `${address}`).toBe(200)
    await links.getByText('テニスサークル').click()
    await expect(page).toHaveTitle('テニスサークル | ダイニング結')
  })
})

test.describe("the shop's name", () => {
  const shopName = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'ダイニング結' })

  test('does nothing when clicked, and leads to the login with the shift key', async ({ page }) => {
    const asked: string[] = []
    await open(page, '/access')
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await shopName(page).click()
    await shopName(page).press('Enter')
    await askTheServer(page)
    // The page listens for changes when it has time to.
    expect(asked.filter((path) => path !== '/api/live')).toEqual(['/robots.txt'])
    await expect(page).toHaveURL('/access')

    const popups: Page[] = []
    page.on('popup', (popup) => popups.push(popup))
    await shopName(page).click({ modifiers: ['Shift'] })
    await expect(page).toHaveURL('/login')
    expect(popups).toEqual([])

    await page.goBack()
    await expect(page).toHaveURL('/access')
    // With its title the focus goes to where the page begins.
    await expect(page.locator('[data-announcements] p').last()).toHaveText(/^アクセス/)
    await shopName(page).press('Shift+Enter')
    await expect(page).toHaveURL('/login')
  })

  test.describe('on a touch screen', () => {
    test.use({ viewport: phone, hasTouch: true })

    test('leads to the login when touched for long', async ({ page }) => {
      await stopClock(page)
      await open(page, '/access')
      await shopName(page).tap()
      await page.clock.runFor(10_000)
      await askTheServer(page)
      await expect(page).toHaveURL('/access')

      const { x, y } = await middleOf(shopName(page))
      const finger = await page.context().newCDPSession(page)
      await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
      await page.clock.runFor(1000)
      await expect(page).toHaveURL('/login')
      await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
      await expect(page).toHaveURL('/login')
    })
  })
})

test.describe('the menu of a small screen', () => {
  test.use({ viewport: phone })
  const opener = (page: Page) => page.getByRole('button', { name: 'メニューを開く' })
  const dining = (page: Page) => navigation(page).getByRole('link', { name: 'お料理' })

  test('stands in for the links below 900 px, and closes five seconds after it was opened', async ({ page }) => {
    await stopClock(page)
    await open(page, '/access')
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
  })

  test('starts its five seconds again with each touch, pointer move and key in the header', async ({ page }) => {
    await stopClock(page)
    await open(page, '/access')
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
    // Beside the header nothing starts again.
    await page.getByRole('main').dispatchEvent('pointermove')
    await page.clock.runFor(100)
    await expect(dining(page)).toBeHidden()
  })

  test('has no timer when a key or assistive technology opens it', async ({ page }) => {
    await stopClock(page)
    await open(page, '/access')
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
  })

  test('closes by Tab at the end, its button, Escape and a link, not by time', async ({ page }) => {
    await stopClock(page)
    await open(page, '/access')
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
    // This Escape gives up the kana that are being composed.
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

    await opener(page).click()
    await page.clock.resume()
    await dining(page).click()
    await expect(page).toHaveTitle('お料理 | ダイニング結')
    await expect(dining(page)).toBeHidden()
  })
})

test.describe('the cards', () => {
  const asIntroduction = { 649: 1, 650: 2, 1199: 2, 1200: 3, 1599: 3, 1600: 4 }
  const asVideo = { 649: 1, 650: 2, 1569: 2, 1570: 3, 1649: 3, 1650: 4 }
  const grids = [
    { path: '/dining', cards: 12, columnsAt: asIntroduction },
    { path: '/vbacreate', cards: 4, columnsAt: asIntroduction },
    { path: '/videoproduction', cards: 4, columnsAt: asVideo },
  ]

  for (const { path, cards, columnsAt } of grids) {
    test(`of ${path} lie in as many columns as the window is wide for, the last row full`, async ({ page }) => {
      await open(page, path)
      const grid = page.getByRole('main').getByRole('list')
      for (const [width, columns] of Object.entries(columnsAt)) {
        await page.setViewportSize({ width: Number(width), height: 900 })
        const fullRows = Array.from({ length: Math.ceil(cards / columns) }, () => columns)
        expect(await cardsPerRow(grid), `at ${width} px`).toEqual(fullRows)
        await expect(grid.getByRole('listitem')).toHaveCount(cards)
      }
    })
  }

  test('lead to their link wherever they are clicked', async ({ page }) => {
    const card = page.getByRole('article').filter({ hasText: '毎週土曜日の練習会' })
    const parts = [
      card.getByRole('heading'),
      card.getByText('朝の九時から二時間'),
      card.getByRole('img'),
      card.getByRole('link', { name: '具体例を確認する' }),
    ]
    for (const part of parts) {
      await open(page, '/tennisrelated')
      await part.scrollIntoViewIfNeeded()
      const { x, y } = await middleOf(part)
      await page.mouse.click(x, y)
      await expect(page).toHaveURL('/calendar')
    }
  })
})

test.describe('the film behind a page', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } })

  for (const path of ['/infomation', '/videoproduction', '/tennisrelated']) {
    test(`of ${path} is stopped and started by its button, on a phone and on a desk`, async ({ page }) => {
      await page.setViewportSize(phone)
      await open(page, path)
      const film = page.locator('video')
      for (const viewport of [phone, desk]) {
        await page.setViewportSize(viewport)
        await expect(film, path).toHaveJSProperty('paused', false)
        await page.getByRole('button', { name: '映像を止める' }).click()
        await expect(film, path).toHaveJSProperty('paused', true)
        await page.getByRole('button', { name: '映像を動かす' }).click()
        await expect(film, path).toHaveJSProperty('paused', false)
        await expect(film, path).toHaveJSProperty('muted', true)
        await expect(film, path).toHaveJSProperty('loop', true)
      }
    })
  }
})

test.describe('what other companies serve', () => {
  test.use({ expectedNoise: [/^asked https:\/\/www\.(youtube-nocookie|google)\.com\//] })

  test('comes only when a video is tapped', async ({ page, site }) => {
    const asked = await recordForeignRequests(page, site)
    await open(page, '/videoproduction')
    const card = page.getByRole('article').filter({ hasText: '店の一日を、三分の映像に' })
    await card.scrollIntoViewIfNeeded()
    await askTheServer(page)
    expect(asked).toEqual([])

    await card.getByRole('button', { name: '再生する' }).click()
    await expect(card.getByTitle('店の一日を、三分の映像に')).toBeVisible()
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    await askTheServer(page)
    expect(asked).toEqual(['https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ'])
  })

  test('comes only when the map is tapped', async ({ page, site }) => {
    const asked = await recordForeignRequests(page, site)
    await open(page, '/access')
    await askTheServer(page)
    expect(asked).toEqual([])

    await page.getByRole('button', { name: '地図を表示する' }).click()
    await expect(page.getByTitle('ダイニング結の地図')).toBeVisible()
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    await askTheServer(page)
    expect(asked).toEqual(['https://www.google.com/maps'])
  })
})

test.describe('headings whose font is refused', () => {
  test.use({ expectedNoise: [/ status of 429 .*heading\.woff2/] })

  test('stand whole in the system mincho, and ask again after another navigation only', async ({ page }) => {
    await open(page, '/')
    const asked: string[] = []
    await page.route('**/fonts/heading.woff2?*', (route) => {
      asked.push(route.request().url())
      return route.fulfill({ status: 429 })
    })
    const parking = page.getByRole('heading', { name: '駐車場' })
    await navigation(page).getByRole('link', { name: 'アクセス' }).click()
    await expect(parking).toHaveAttribute('data-font-waits')
    expect(await parking.evaluate((heading) => getComputedStyle(heading).fontFamily)).not.toContain('Shippori')
    await page.evaluate(() => document.body.append(document.createElement('p')))
    await askTheServer(page)
    expect(asked).toHaveLength(1)

    await page.unroute('**/fonts/heading.woff2?*')
    const [refused] = asked
    const came = page.waitForResponse((response) => response.url() === refused && response.ok())
    await navigation(page).getByRole('link', { name: 'ホーム' }).click()
    await expect(page).toHaveTitle('ダイニング結 | 京都の朝ごはんとお昼')
    await navigation(page).getByRole('link', { name: 'アクセス' }).click()
    await came
    await expect(page.locator('[data-font-waits]')).toHaveCount(0)
    expect(await parking.evaluate((heading) => getComputedStyle(heading).fontFamily)).toContain('Shippori')
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the dishes are there', async ({ page }) => {
    await page.goto('/dining')
    const dishes = page.getByRole('main').getByRole('heading', { level: 2 })
    await expect(dishes).toHaveCount(12)
    await expect(dishes.first()).toHaveText('季節の炊き込みご飯')
    await expect(dishes.first()).toBeVisible()
    await expect(page.getByRole('button', { name: '再生する' })).toHaveCount(0)
  })

  test('the story begins', async ({ page }) => {
    await page.goto('/')
    const lines = page.getByRole('group', { name: '3枚中1枚目' }).getByRole('paragraph')
    await expect(lines).toHaveText(['たくさんの人の', '笑顔が見たくて'])
    for (const line of await lines.all()) {
      await expect(line).toBeInViewport()
      await expect(line.locator('span')).toHaveCSS('opacity', '1')
    }
  })
})

function addressesOf(links: Locator) {
  return links.evaluateAll((elements) => elements.map((element) => element.getAttribute('href')))
}

/** Goes to the server and back: what the page was about to ask before has been asked by then. */
async function askTheServer(page: Page) {
  await page.evaluate(async () => void (await fetch('/robots.txt')))
}

async function middleOf(locator: Locator) {
  const box = await locator.boundingBox()
  if (!box) throw new Error(`${locator} is not to be seen`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

function cardsPerRow(grid: Locator) {
  return grid.evaluate((list) => {
    const shown = [...list.children].filter((card) => card.checkVisibility())
    return Object.values(Object.groupBy(shown, (card) => Math.round(card.getBoundingClientRect().top))).map(
      (row) => row?.length,
    )
  })
}

/** Answers for everyone but the site, with an empty page, and lists what was asked. */
async function recordForeignRequests(page: Page, site: string) {
  const asked: string[] = []
  await page.route(
    (url) => url.origin !== site,
    (route) => {
      const { origin, pathname } = new URL(route.request().url())
      asked.push(`${origin}${pathname}`)
      return route.fulfill({ contentType: 'text/html', body: '' })
    },
  )
  return asked
}
