import type { Page } from '@playwright/test'
import { googleAt } from '../google-stand-in.ts'
import { client, startOpenIdProvider } from './openid-provider.ts'
import { expectSignUpAlert, password, signInByMail, signInByRequest, signUpByRequest } from './registering.ts'
import {
  test as baseTest,
  desktop,
  expect,
  expectAccessible,
  fillIn,
  getNotice,
  goOffline,
  goOnline,
  open,
  openWithLiveUpdates,
  phone,
  pressAndRead,
  startSite,
  stopClock,
} from './visitors.ts'

type Provider = Awaited<ReturnType<typeof startOpenIdProvider>>

const test = baseTest.extend<{ withGoogle: { url: string; provider: Provider } }>({
  withGoogle: async ({ startOnce }, use) => use(await startOnce('site with Google', startWithGoogle)),
  site: ({ withGoogle }, use) => use(withGoogle.url),
  expectedErrors: ({ withGoogle }, use) =>
    use([
      new RegExp(`requested ${withGoogle.provider.issuer}`),
      /status of (?:40[01]|503)/,
      /ERR_(?:FAILED|INTERNET_DISCONNECTED)/,
    ]),
})

async function startWithGoogle() {
  const provider = await startOpenIdProvider()
  const { service, stop } = await startSite({ settings: googleAt(provider.discoveryUrl, client) })
  return {
    service: { url: service.url, provider },
    stop: async () => {
      await stop()
      await provider.stop()
    },
  }
}

// join-the-circle.spec.ts tests signing in on a desktop.
test.use({ viewport: phone })

const google = (page: Page) => page.getByRole('link', { name: 'Googleアカウントでログイン' })
const readLocalStorage = (page: Page) => page.evaluate(() => ({ ...localStorage }))
let number = 0
const createEmail = () => `visitor-${test.info().workerIndex}-${number++}@example.jp`

/** Opens the popup of the Google sign-in. */
async function openGoogle(page: Page) {
  const opening = page.waitForEvent('popup')
  await google(page).click()
  return opening
}

/** Advances the page clock. The page may start a timer only after it has rendered the text that a test waits for. */
async function advanceOneSecond<T>(page: Page, look: () => T) {
  await page.clock.runFor(1000)
  return look()
}

async function chooseAtProvider(page: Page, email = createEmail()) {
  await fillIn(page, { Address: email, Name: '緑' })
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('signs up, out and in again, and updates another tab', async ({ page, context }) => {
  await open(page, '/signupform')
  await page.getByLabel('パスワード').fill('abc')
  await expect(page.getByText('✓6文字以上')).toBeHidden()
  await page.getByRole('button', { name: '登録する' }).click()
  await expect(page.getByText('パスワードは次のようにしてください：6文字以上')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('パスワード').fill('abcdef')
  await expect(page.getByText('✓6文字以上')).toBeVisible()

  const email = createEmail()
  await fillIn(page, { お名前: '桜井 花', メールアドレス: email, パスワード: password })
  await page.getByRole('button', { name: '登録する' }).click()
  await expectSignUpAlert(page)
  expect(await readLocalStorage(page)).toEqual({ isLogin: 'true' })
  await expectAccessible(page)
  // Closing the alert does not navigate, and the page explains that registration is optional.
  const alert = page.getByRole('alertdialog', { name: '先にメンバー情報を登録してください' })
  await expect(page.getByRole('main')).toContainText('お店のページは、登録しなくてもご覧いただけます。')
  await page.mouse.click(5, 5)
  await expect(alert).toBeHidden()
  await page.reload()
  await alert.getByRole('button', { name: '閉じる' }).click()
  await expect(alert).toBeHidden()
  await expect(page).toHaveURL('/login/welcome')
  await page.getByRole('link', { name: 'メンバー登録へ進む' }).click()
  await expect(page).toHaveURL('/membercreate')

  const other = await context.newPage()
  await open(other, '/login')
  await expect(other.getByText('桜井 花 さんとしてログインしています')).toBeVisible()
  await open(page, '/account')
  await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
  await expect(page).toHaveURL('/home')
  expect(await readLocalStorage(page)).toEqual({})
  await expect(google(other)).toBeVisible()

  await open(page, '/login')
  await page.getByRole('link', { name: 'メールアドレスでログイン' }).click()
  await signInByMail(page, email, 'not-this-one')
  await expect(page.locator('[data-notice=trouble]')).toHaveText('メールアドレスかパスワードが正しくありません。')
  await page.getByLabel('パスワード').fill(password)
  await page.getByRole('button', { name: 'ログインする' }).click()
  await expectSignUpAlert(page)
  await expect(other.getByText('桜井 花 さんとしてログインしています')).toBeVisible()
})

test('signs in with Google in a popup that closes itself, and signs in the same account again', async ({
  page,
  context,
}) => {
  const email = createEmail()
  await open(page, '/login?problem=closed')
  await expectAccessible(page)
  for (const time of ['first', 'second']) {
    const popup = await openGoogle(page)
    await expect(page.getByText('別のウィンドウでGoogleのログインをお待ちしています')).toBeVisible()
    const closing = popup.waitForEvent('close')
    await chooseAtProvider(popup, email)
    await closing
    await expectSignUpAlert(page)
    expect(await readLocalStorage(page), time).toEqual({ isLogin: 'true' })
    await open(page, '/account')
    await expect(page.getByText(`${email}（確認済み）`), time).toBeVisible()
    await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
    await expect(page).toHaveURL('/home')
    await context.clearCookies()
    if (time === 'first') await open(page, '/login')
  }
})

test('offers a retry when the member look-up after a Google sign-in takes fifteen seconds', async ({ page }) => {
  await stopClock(page)
  await open(page, '/login')
  let tries = 0
  // A response without content causes no navigation, which simulates a slow network.
  await page.route('**/login/welcome', (route) => {
    tries += 1
    return route.fulfill({ status: 204 })
  })
  const popup = await openGoogle(page)
  // After the sign-in in the popup, the page revalidates the data of its visitor.
  const readAgain = page.waitForResponse(/\/login\.data/)
  await chooseAtProvider(popup)
  await readAgain
  await expect.poll(() => tries).toBe(1)
  await expect.poll(() => readLocalStorage(page)).toEqual({ isLogin: 'true' })
  await expect(page.getByText('ログインしました。メンバー情報を確認しています…')).toBeVisible()
  await expect(page.getByText('さんとしてログインしています')).toHaveCount(0)
  await page.clock.runFor(14_000)
  await expect(page.getByText('メンバー情報の確認に時間がかかっています')).toHaveCount(0)
  await page.clock.runFor(1000)
  await expect(page.getByText('メンバー情報の確認に時間がかかっています')).toBeVisible()
  expect(tries, 'no attempt without a press').toBe(1)
  await page.unroute('**/login/welcome')
  await page.getByRole('button', { name: 'もう一度試す' }).click()
  await expectSignUpAlert(page)
})

test('hides private data on a device that another device has signed out', async ({ page, openPage, site }) => {
  const email = createEmail()
  await signUpByRequest(page, site, '桜井 花', email)
  const otherDevice = await openPage()
  const signIn = async () => {
    await signInByRequest(otherDevice, site, email)
    await openWithLiveUpdates(otherDevice, '/account')
    await expect(otherDevice.getByText(`${email}（未確認）`)).toBeVisible()
  }
  const expectSignedOut = async () => {
    await expect(otherDevice.getByText('ログインしてからご覧ください')).toBeVisible()
    await expect(otherDevice.getByText(email)).toHaveCount(0)
    await expect.poll(() => readLocalStorage(otherDevice)).toEqual({})
  }
  await signIn()
  await open(page, '/account')
  await pressAndRead(page, 'ほかの端末をすべてログアウトさせる', 'ログアウトしました')
  await expectSignedOut()

  await signIn()
  await page.getByText('パスワードを変更する').click()
  const form = page.locator('form', { has: page.getByLabel('新しいパスワード') })
  await fillIn(form, { 現在のパスワード: password, 新しいパスワード: `${password}-2` })
  await form.getByRole('button', { name: '変更する' }).click()
  await expect(getNotice(page, 'パスワードを変更しました')).toBeVisible()
  await expectSignedOut()
  // The device that signed out the other device stays signed in and keeps its input and its notice.
  await expect(page.getByText(`${email}（未確認）`)).toBeVisible()
})

test('passes axe on the pages of a guest without a password', async ({ page }) => {
  // visit-the-shop.spec.ts tests the other pages of a guest.
  for (const path of ['/resetpassword', '/verifyemail']) {
    await open(page, path)
    await expectAccessible(page)
  }
})

test('passes axe on the account page of a user', async ({ page, site }) => {
  await signUpByRequest(page, site, '桜井 花', createEmail())
  await open(page, '/account')
  for (const more of await page.locator('summary').all()) await more.click()
  await expectAccessible(page)
})

test('signs in with Google in the same tab when popups are blocked', async ({ page }) => {
  await page.setViewportSize(desktop)
  await page.addInitScript(() => {
    window.open = () => null
  })
  await open(page, '/login')
  await google(page).click()
  await chooseAtProvider(page)
  await expectSignUpAlert(page)
})

test('shows why Google sign-in failed, and still offers the other methods', async ({ page, context }) => {
  await open(page, '/login')
  const openPopup = async () => {
    const popup = await openGoogle(page)
    await popup.getByRole('button', { name: 'Cancel' }).waitFor()
    return popup
  }
  await (await openPopup()).close()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/Googleの画面が閉じられたため/)
  await (await openPopup()).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/Googleでのログインは取り消されました/)
  await goOffline(page)
  await google(page).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/インターネットにつながっていないようです/)
  await expect(page.getByRole('link', { name: '新規登録' })).toBeVisible()
  await context.setOffline(false)
})

test('keeps the input and shows an error when offline, and offers a retry after fifteen seconds without a response', async ({
  page,
}) => {
  await stopClock(page)
  await open(page, '/emaillogin')
  const trouble = page.locator('[data-notice=trouble]')
  const slowNotice = page.getByRole('main').getByText('ログインに時間がかかっています')
  await goOffline(page)
  await signInByMail(page, 'hana@example.jp')
  await expect(trouble).toHaveText(/通信エラーが発生しました/)
  await expect(page.getByLabel('メールアドレス')).toHaveValue('hana@example.jp')
  await goOnline(page)

  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let attempts = 0
  await page.route('**/emaillogin.data*', async (route) => {
    attempts += 1
    if (attempts > 1) return route.continue()
    await released
    await route.abort()
  })
  await page.getByRole('button', { name: 'ログインする' }).click()
  await expect(page.getByRole('button', { name: 'ログインしています…' })).toBeVisible()
  await page.clock.runFor(14_000)
  await expect(slowNotice).toBeHidden()
  await expect.poll(() => advanceOneSecond(page, () => slowNotice.isVisible())).toBe(true)
  expect(attempts, 'no attempt without a press').toBe(1)
  await page.getByRole('button', { name: 'もう一度試す' }).click()
  await expect(trouble).toHaveText('メールアドレスかパスワードが正しくありません。')
  release()
})

test('clears the browser storage at sign-out, and retries the sign-out until the server responds', async ({
  page,
  site,
}) => {
  await signUpByRequest(page, site, '桜井 花', createEmail())
  await stopClock(page)
  await open(page, '/login')
  expect(await readLocalStorage(page)).toEqual({ isLogin: 'true' })
  const outcomes = ['no connection', 'error', 'error']
  let attempts = 0
  await page.route('**/logout', (route) => {
    attempts += 1
    const outcome = outcomes.shift()
    if (!outcome) return route.continue()
    return outcome === 'error' ? route.fulfill({ status: 503, body: '' }) : route.abort()
  })
  await page.getByRole('button', { name: 'ログアウト' }).click()
  const waitingText = page.getByText('サーバーにつながりません。ログアウトをもう一度試しています')
  for (const attempt of [1, 2, 3]) {
    await expect(waitingText).toBeVisible()
    expect(await readLocalStorage(page)).toEqual({})
    await expect.poll(() => advanceOneSecond(page, () => attempts)).toBe(attempt + 1)
  }
  await expect(page).toHaveURL('/home')
  await open(page, '/login')
  await expect(google(page)).toBeVisible()
  expect(attempts).toBe(4)
})

test('signs a user out at /logout without a click, and shows a guest a notice', async ({ page, site }) => {
  await signUpByRequest(page, site, '桜井 花', createEmail())
  await open(page, '/account')
  expect(await readLocalStorage(page)).toEqual({ isLogin: 'true' })
  await page.goto('/logout')
  await expect(page).toHaveURL('/home')
  await expect.poll(() => readLocalStorage(page)).toEqual({})
  await open(page, '/logout')
  await expect(page.getByText('ログインしていません')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('signs up, out and in again by forms and by Google', async ({ page }) => {
    const email = createEmail()
    await page.goto('/signupform')
    await fillIn(page, { お名前: '桜井 花', メールアドレス: email, パスワード: password })
    await page.getByRole('button', { name: '登録する' }).click()
    await expect(page).toHaveURL('/login/welcome')
    await expect(page.getByRole('link', { name: 'メンバー登録へ進む' })).toBeVisible()
    await page.goto('/logout')
    await page.getByRole('button', { name: 'ログアウトする' }).click()
    await expect(page).toHaveURL('/home')
    await page.goto('/emaillogin')
    await signInByMail(page, email)
    await expect(page).toHaveURL('/login/welcome')
    await page.goto('/logout')
    await page.getByRole('button', { name: 'ログアウトする' }).click()
    await page.goto('/login')
    await google(page).click()
    await chooseAtProvider(page)
    await expect(page).toHaveURL('/login/welcome')
  })
})
