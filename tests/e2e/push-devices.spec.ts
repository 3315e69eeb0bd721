import type { Browser, Page, Worker } from '@playwright/test'
import { type DemoPerson, signIn, signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import {
  test as baseTest,
  clearAnnouncements,
  delayRequests,
  expect,
  expectAccessibleOnPhoneAndDesktop,
  getAnnouncements,
  getNotice,
  type OpenPage,
  open,
  phone,
  pressAndRead,
  startSite,
} from './visitors.ts'

/** A test on a site with the people of the demo. */
const test = baseTest.extend({
  site: async ({ startOnce }, use) => {
    const { url } = await startOnce('site with push devices', async () => {
      const site = await startSite()
      await signInDemoPeople({ address: site.service.url, dataFolder: site.service.folder })
      return site
    })
    await use(url)
  },
})

test.use({ viewport: phone, expectedErrors: [/status of 4\d\d|ERR_FAILED/] })

// The end of all sessions removes the devices that the next test would otherwise list.
test.afterEach(async ({ page, site }) => {
  const headers = { origin: site }
  await page.request.post(`${site}/account`, { form: { intent: 'other devices' }, headers })
  await page.request.post(`${site}/logout`, { headers })
})

type Fakes = { permission?: NotificationPermission; asked?: number; fails?: boolean }

/**
 * Replaces the push service in a page, because the tests have no connection to one. The subscriptions have real keys.
 * Headless browsers deny notifications, so the permission is replaced too.
 */
function fakePushService() {
  type Stored = { endpoint: string; key: string; keys: Record<string, string> }
  const state: Fakes = Object.assign(window, { asked: 0 })
  const toBase64Url = (bytes: Iterable<number>) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  const fromBase64Url = (text: string) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  const subscriptionOf = ({ endpoint, key, keys }: Stored) => ({
    endpoint,
    options: { applicationServerKey: fromBase64Url(key).buffer },
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      localStorage.removeItem('subscription')
      return true
    },
  })
  Object.defineProperty(Notification, 'permission', { get: () => state.permission ?? 'granted' })
  Notification.requestPermission = async () => {
    state.asked = (state.asked ?? 0) + 1
    return Notification.permission
  }
  PushManager.prototype.getSubscription = async () => {
    const stored = localStorage.getItem('subscription')
    return stored === null ? null : (subscriptionOf(JSON.parse(stored)) as never)
  }
  PushManager.prototype.subscribe = async (options = {}) => {
    if (state.fails) throw new DOMException('Registration failed - push service error', 'AbortError')
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
    const p256dh = toBase64Url(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
    const auth = toBase64Url(crypto.getRandomValues(new Uint8Array(16)))
    const endpoint = `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`
    const stored = { endpoint, key: String(options.applicationServerKey), keys: { p256dh, auth } }
    localStorage.setItem('subscription', JSON.stringify(stored))
    return subscriptionOf(stored) as never
  }
}

async function addSession(page: Page, site: string, person: DemoPerson) {
  const cookies = (await signIn(site, person)).split('; ').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('='), url: site }
  })
  await page.context().addCookies(cookies)
}

/** Opens the account page of a person whose browser receives push notifications. */
async function openAccount(page: Page, site: string, person: DemoPerson = 'manager') {
  await page.addInitScript(fakePushService)
  await addSession(page, site, person)
  await open(page, '/account')
}

const sectionOf = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'この端末への通知' }) })
const onButton = (page: Page) => sectionOf(page).getByRole('button', { name: 'この端末で通知を受け取る' })
const offButton = (page: Page) => sectionOf(page).getByRole('button', { name: 'この端末での通知を止める' })
const SWITCHED_ON = '通知が届くようになりました。'
const switchOn = (page: Page) => pressAndRead(sectionOf(page), 'この端末で通知を受け取る', SWITCHED_ON)
const readEndpoint = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('subscription') ?? '{}').endpoint as string | undefined)
const countRegistrations = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)
const readFakes = (page: Page) => page.evaluate(() => (window as Fakes).asked)
const setFakes = (page: Page, fakes: Fakes) => page.evaluate((fakes) => void Object.assign(window, fakes), fakes)

test('asks for the permission only after the press, stores the chosen kinds, and stops', async ({ page, site }) => {
  await openAccount(page, site)
  await expect(onButton(page)).toBeVisible()
  expect([await readFakes(page), await countRegistrations(page)]).toEqual([0, 0])
  await expectAccessibleOnPhoneAndDesktop(page)
  await onButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(getNotice(page, SWITCHED_ON)).toBeVisible()
  expect([await readFakes(page), await countRegistrations(page)]).toEqual([1, 1])
  await expect(sectionOf(page).getByRole('heading')).toBeFocused()

  const boxes = sectionOf(page).getByRole('checkbox')
  await expect(boxes).toHaveCount(4)
  for (const control of await sectionOf(page).locator('button, label').all())
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await sectionOf(page).getByLabel('お問い合わせ').press('Space')
  await pressAndRead(sectionOf(page), '保存する', '届く通知を保存しました。')
  await expectAccessibleOnPhoneAndDesktop(page)
  await open(page, '/account')
  await expect(sectionOf(page).getByRole('checkbox', { checked: true })).toHaveCount(3)
  await expect(sectionOf(page).getByLabel('お問い合わせ')).not.toBeChecked()
  await expect(onButton(page)).toHaveCount(0)

  await offButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(getNotice(page, '通知を止めました。')).toBeVisible()
  await expect(onButton(page)).toBeVisible()
  await expect(sectionOf(page).locator('li')).toHaveCount(0)
  await expect.poll(() => countRegistrations(page)).toBe(0)
})

test('keeps the subscription when the stop button is pressed during another save', async ({ page, site }) => {
  await openAccount(page, site)
  await switchOn(page)
  const release = await delayRequests(page, /account\.data/, (request) => request.method() === 'POST')
  await sectionOf(page).getByRole('button', { name: '保存する' }).click()
  await expect(sectionOf(page).getByRole('button', { name: '投稿中…' })).toBeVisible()
  await offButton(page).click({ force: true })
  release()
  await expect(getNotice(page, '届く通知を保存しました。')).toBeVisible()
  expect(await countRegistrations(page)).toBe(1)
  await pressAndRead(sectionOf(page), 'この端末での通知を止める', '通知を止めました。')
})

test('follows the state in a second tab', async ({ page, site }) => {
  await openAccount(page, site)
  const other = await page.context().newPage()
  await other.addInitScript(fakePushService)
  await open(other, '/account')
  await switchOn(page)
  await open(other, '/account')
  await expect(offButton(other)).toBeVisible()
  await pressAndRead(sectionOf(page), 'この端末での通知を止める', '通知を止めました。')
  await pressAndRead(sectionOf(other), '保存する', 'この端末の通知は、すでに止められています。')
  // The other tab reads the state again when it gets the focus.
  await other.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(onButton(other)).toBeVisible()
  await switchOn(other)
  await expect(offButton(other)).toBeVisible()
})

test('lists the other devices of the account, and stops one of them', async ({ page, site, openPage }) => {
  const other = await openPage({ userAgent: 'Mozilla/5.0 (Linux; Android 14) Chrome/126.0 Mobile' })
  await openAccount(other, site, 'editor')
  await switchOn(other)
  await openAccount(page, site, 'editor')
  await expect(sectionOf(page).locator('li')).toHaveText(/^Android・Chrome（.*から）お席のお申し込み、参加の取り消し/)
  await switchOn(page)
  await expect(sectionOf(page).locator('li')).toHaveCount(1)
  await expectAccessibleOnPhoneAndDesktop(page)
  await pressAndRead(sectionOf(page), /Android・Chrome.*通知を止める/, '通知を止めました。')
  await expect(sectionOf(page).locator('li')).toHaveCount(0)
  await expect(offButton(page)).toBeVisible()
  await open(other, '/account')
  await expect(onButton(other)).toBeVisible()
  await pressAndRead(sectionOf(page), 'この端末での通知を止める', '通知を止めました。')
})

test('explains a permission that is denied or not given', async ({ page, site }) => {
  await openAccount(page, site)
  await setFakes(page, { permission: 'default' })
  await pressAndRead(sectionOf(page), 'この端末で通知を受け取る', '通知が許可されていません。')
  await expect(getAnnouncements(page)).toHaveText([/通知が許可されていません。/])
  await clearAnnouncements(page)
  await setFakes(page, { permission: 'denied' })
  await onButton(page).click()
  await expect(getNotice(page, 'ブラウザの設定で止められています。')).toBeVisible()
  await expect(getAnnouncements(page)).toHaveText([/ブラウザの設定で止められています。/])
  await expect(onButton(page)).toHaveCount(0)
  await expectAccessibleOnPhoneAndDesktop(page)
  await setFakes(page, { permission: 'granted' })
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await switchOn(page)
  await offButton(page).click()
})

test('reports a failure in Japanese, and works at the next press', async ({ page, site }) => {
  await openAccount(page, site)
  await setFakes(page, { fails: true })
  await pressAndRead(sectionOf(page), 'この端末で通知を受け取る', '通知のサービスにつながりませんでした。')
  await setFakes(page, { fails: false })
  await page.route('**/account.data*', (route) => route.abort())
  await pressAndRead(sectionOf(page), 'この端末で通知を受け取る', '通信エラーが発生しました。')
  await page.unroute('**/account.data*')
  const release = await delayRequests(page, '**/account.data*', (request) => request.method() === 'POST')
  let sent = 0
  page.on('request', (request) => {
    sent += Number(request.method() === 'POST')
  })
  await onButton(page).click()
  const busy = sectionOf(page).getByRole('button', { name: '準備しています…' })
  await expect(busy).toHaveAttribute('aria-disabled', 'true')
  await busy.click({ force: true })
  release()
  await expect(getNotice(page, SWITCHED_ON)).toBeVisible()
  expect(sent).toBe(1)
  await offButton(page).click()
  await expect(onButton(page)).toBeVisible()
})

test('makes a new subscription when the server has dropped it, or when its key is not the key of the site', async ({
  page,
  site,
}) => {
  await openAccount(page, site)
  await switchOn(page)
  const first = await readEndpoint(page)
  const ownForm = page.locator('form', { has: page.getByRole('button', { name: 'この端末での通知を止める' }) })
  const device = await ownForm.locator('input[name=device]').inputValue()
  const form = { intent: 'remove push device', device }
  await page.request.post(`${site}/account`, { form, headers: { origin: site } })
  await open(page, '/account')
  await switchOn(page)
  const second = await readEndpoint(page)
  expect(second).not.toBe(first)

  await page.evaluate(() => {
    const stored = JSON.parse(localStorage.getItem('subscription') ?? '')
    localStorage.setItem('subscription', JSON.stringify({ ...stored, key: stored.keys.p256dh }))
  })
  await open(page, '/account')
  await switchOn(page)
  expect(await readEndpoint(page)).not.toBe(second)
  await expect(sectionOf(page).locator('li')).toHaveCount(0)
  await offButton(page).click()
  await expect(onButton(page)).toBeVisible()
})

test('belongs to the new session after a new sign-in, and ends with its sign-out', async ({ page, site }) => {
  await openAccount(page, site, 'approved')
  await switchOn(page)
  const saved = sectionOf(page).getByLabel('新しい予定')
  await saved.uncheck()
  await pressAndRead(sectionOf(page), '保存する', '届く通知を保存しました。')
  await page.context().clearCookies()
  await addSession(page, site, 'approved')
  const renewal = page.waitForResponse((response) => response.request().method() === 'POST')
  const revalidating = page.waitForResponse(
    (response) => response.request().method() === 'GET' && response.url().includes('/account.data'),
  )
  await open(page, '/account')
  expect((await renewal).status()).toBe(200)
  // The response has been processed when the page data arrive again.
  await revalidating
  await expect(saved).not.toBeChecked()
  await expect(getNotice(page, SWITCHED_ON)).toHaveCount(0)
  await page.locator('main').getByRole('button', { name: 'ログアウト', exact: true }).click()
  await expect(page).toHaveURL('/home')
  await expect.poll(() => countRegistrations(page)).toBe(0)
  await addSession(page, site, 'approved')
  await open(page, '/account')
  await expect(onButton(page)).toBeVisible()
  await expect(sectionOf(page).locator('li')).toHaveCount(0)
})

test.describe('a browser without push notifications', () => {
  const openWithout = async (openPage: OpenPage, site: string, options: Parameters<OpenPage>[0]) => {
    const page = await openPage(options)
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
    await addSession(page, site, 'manager')
    await open(page, '/account')
    await expect(onButton(page)).toHaveCount(0)
    return page
  }

  test('offers nothing', async ({ openPage, site }) => {
    const page = await openWithout(openPage, site, {})
    await expect(sectionOf(page)).toContainText('このブラウザでは、通知を受け取れません。')
    await expect(sectionOf(page).locator('button, svg')).toHaveCount(0)
  })

  test('explains the home screen with a picture on an iPhone', async ({ openPage, site }) => {
    const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1'
    const page = await openWithout(openPage, site, { userAgent, hasTouch: true })
    await expect(sectionOf(page).locator('ol > li')).toHaveCount(3)
    await expect(sectionOf(page).locator('ol svg')).toHaveCount(3)
    await expect(sectionOf(page)).toContainText('「ホーム画面に追加」を選びます。')
    await expectAccessibleOnPhoneAndDesktop(page)
  })
})

test('adds nothing to the scripts of the pages for guests', async ({ page }) => {
  const scripts: Promise<string>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response.text())
  })
  await open(page, '/')
  const texts = await Promise.all(scripts)
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.filter((text) => /push-worker|PushManager/.test(text))).toEqual([])
  expect(await countRegistrations(page)).toBe(0)
})

test.describe('the service worker', () => {
  type Shown = { title: string; options: NotificationOptions }
  type Scope = { shown: Shown[]; opened: string[] }

  /**
   * Registers the worker in a new context, because a pooled context may contain the workers of earlier tests. Records
   * the notifications and the opened windows, which headless browsers deny.
   */
  async function openWorker(browser: Browser, site: string) {
    const context = await browser.newContext({ baseURL: site })
    const page = await context.newPage()
    await open(page, '/access')
    const arrived = context.waitForEvent('serviceworker')
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/push-worker.js')
      await navigator.serviceWorker.ready
    })
    const worker = await arrived
    await worker.evaluate(() => {
      const scope = Object.assign(self as never as Scope, { shown: [], opened: [] })
      const { registration, clients, WindowClient } = self as never as {
        registration: { showNotification: unknown }
        clients: { openWindow: unknown }
        WindowClient: { prototype: { focus: unknown } }
      }
      const { shown, opened } = scope as Scope
      registration.showNotification = async (title: string, options: NotificationOptions) =>
        shown.push({ title, options })
      clients.openWindow = async (url: string) => opened.push(url)
      WindowClient.prototype.focus = async () => {}
    })
    const devtools = await context.newCDPSession(page)
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        if (registrations[0]) resolve(registrations[0].registrationId)
      })
    })
    await devtools.send('ServiceWorker.enable')
    const registrationId = await registered
    return {
      page,
      worker,
      push: (data: string) => devtools.send('ServiceWorker.deliverPushMessage', { origin: site, registrationId, data }),
      shown: () => worker.evaluate(() => (self as never as Scope).shown),
      opened: () => worker.evaluate(() => (self as never as Scope).opened),
    }
  }

  const press = (worker: Worker, url: string) =>
    worker.evaluate((url) => {
      const notification = { close() {}, data: { url } }
      const event = Object.assign(new Event('notificationclick'), { notification, waitUntil() {} })
      self.dispatchEvent(event)
    }, url)

  test('shows a push, and a general sentence for an unreadable push', async ({ browser, site }) => {
    const { page, push, shown } = await openWorker(browser, site)
    const payload = { title: 'お問い合わせが届きました', body: '受信箱でご確認ください。', tag: 'a1', url: '/inbox' }
    const icon = '/seal/0000000000000000/icon-192.png'
    await push(JSON.stringify(payload))
    await expect
      .poll(shown)
      .toEqual([
        { title: payload.title, options: { body: payload.body, tag: 'a1', icon, lang: 'ja', data: { url: '/inbox' } } },
      ])
    for (const [turn, data] of ['', 'no JSON', 'null'].entries()) {
      await push(data)
      await expect.poll(async () => (await shown()).length).toBe(turn + 2)
      expect((await shown()).at(-1)).toMatchObject({
        title: '新しいお知らせがあります',
        options: { body: 'サイトを開いてご確認ください。', data: { url: '/' } },
      })
    }
    const image = await page.request.get(`${site}${icon}`)
    expect([image.status(), image.headers()['content-type']]).toEqual([200, 'image/png'])
    await page.context().close()
  })

  test('opens the page of a notification in an open tab, or else in a new one', async ({ browser, site }) => {
    const { page, worker, opened } = await openWorker(browser, site)
    // The worker controls only pages that are opened after its registration.
    await press(worker, '/inbox')
    await expect.poll(opened).toEqual([`${site}/inbox`])
    await open(page, '/access')
    await press(worker, '/calendar?day=2026-12-01')
    await expect(page).toHaveURL(`${site}/calendar?day=2026-12-01`)
    expect(await opened()).toEqual([`${site}/inbox`])
    await page.context().close()
  })
})
