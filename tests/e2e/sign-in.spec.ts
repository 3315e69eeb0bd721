import type { Page } from '@playwright/test'
import { googleAt } from '../google-stand-in.ts'
import { client, startOpenIdProvider } from './openid-provider.ts'
import { isToRegister, password, signInByMail, signUp } from './registering.ts'
import {
  axe,
  axeOnPhoneAndDesk,
  desk,
  expect,
  fillIn,
  open,
  openAndListen,
  phone,
  pressAndRead,
  startSite,
  stopClock,
  told,
  test as visit,
} from './visitors.ts'

type Provider = Awaited<ReturnType<typeof startOpenIdProvider>>

const test = visit.extend<{ withGoogle: { address: string; provider: Provider } }>({
  withGoogle: async ({ keep }, use) => use(await keep('site with Google', startWithGoogle)),
  site: ({ withGoogle }, use) => use(withGoogle.address),
  expectedNoise: ({ withGoogle }, use) =>
    use([
      new RegExp(`asked ${withGoogle.provider.issuer}`),
      /status of (?:40[01]|503)/,
      /ERR_(?:FAILED|INTERNET_DISCONNECTED)/,
    ]),
})

async function startWithGoogle() {
  const provider = await startOpenIdProvider()
  const { running, stop } = await startSite({ settings: googleAt(provider.discoveryUrl, client) })
  return {
    running: { address: running.address, provider },
    stop: async () => {
      await stop()
      await provider.stop()
    },
  }
}

// That all of it goes on a desk as well is seen where someone joins the circle.
test.use({ viewport: phone })

const google = (page: Page) => page.getByRole('link', { name: 'Googleアカウントでログイン' })
const kept = (page: Page) => page.evaluate(() => ({ ...localStorage }))
let number = 0
const someone = () => `visitor-${test.info().workerIndex}-${number++}@example.jp`

/** Opens the window of Google. */
async function openGoogle(page: Page) {
  const opening = page.waitForEvent('popup')
  await google(page).click()
  return opening
}

async function chooseAtProvider(page: Page, email = someone()) {
  await fillIn(page, { Address: email, Name: '緑' })
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('signing up, out and in again; the other tab follows', async ({ page, context }) => {
  await open(page, '/signupform')
  await page.getByLabel('パスワード').fill('abc')
  await expect(page.getByText('✓6文字以上')).toBeHidden()
  await page.getByRole('button', { name: '登録する' }).click()
  await expect(page.getByText('パスワードは次のようにしてください：6文字以上')).toBeVisible()
  await page.getByLabel('パスワード').fill('abcdef')
  await expect(page.getByText('✓6文字以上')).toBeVisible()

  const email = someone()
  await signUp(page, '桜井 花', email)
  expect(await kept(page)).toEqual({ isLogin: 'true' })
  // Closed, it leads nowhere; the page says what it does not.
  const word = page.getByRole('alertdialog', { name: '先にメンバー情報を登録してください' })
  await expect(page.getByRole('main')).toContainText('お店のページは、登録しなくてもご覧いただけます。')
  await page.mouse.click(5, 5)
  await expect(word).toBeHidden()
  await page.reload()
  await word.getByRole('button', { name: '閉じる' }).click()
  await expect(word).toBeHidden()
  await expect(page).toHaveURL('/login/welcome')
  await page.getByRole('link', { name: 'メンバー登録へ進む' }).click()
  await expect(page).toHaveURL('/membercreate')

  const other = await context.newPage()
  await open(other, '/login')
  await expect(other.getByText('桜井 花 さんとしてログインしています')).toBeVisible()
  await open(page, '/account')
  await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
  await expect(page).toHaveURL('/home')
  expect(await kept(page)).toEqual({})
  await expect(google(other)).toBeVisible()

  await open(page, '/login')
  await page.getByRole('link', { name: 'メールアドレスでログイン' }).click()
  await signInByMail(page, email, 'not-this-one')
  await expect(page.locator('[data-notice=trouble]')).toHaveText('メールアドレスかパスワードが正しくありません。')
  await page.getByLabel('パスワード').fill(password)
  await page.getByRole('button', { name: 'ログインする' }).click()
  await isToRegister(page)
  await expect(other.getByText('桜井 花 さんとしてログインしています')).toBeVisible()
})

test('Google in a window of its own, which closes when it is done', async ({ page }) => {
  await open(page, '/login')
  const popup = await openGoogle(page)
  await expect(page.getByText('別のウィンドウでGoogleのログインをお待ちしています')).toBeVisible()
  const closing = popup.waitForEvent('close')
  await chooseAtProvider(popup)
  await closing
  await isToRegister(page)
  expect(await kept(page)).toEqual({ isLogin: 'true' })
})

test('waits for the member after Google, shows it, and offers another try after fifteen seconds', async ({ page }) => {
  await stopClock(page)
  await open(page, '/login')
  let tries = 0
  // A response without content leaves the page there, as a slow network does.
  await page.route('**/login/welcome', (route) => {
    tries += 1
    return route.fulfill({ status: 204 })
  })
  const popup = await openGoogle(page)
  // The window's sign-in makes the page read its visitor again.
  const readAgain = page.waitForResponse(/\/login\.data/)
  await chooseAtProvider(popup)
  await readAgain
  await expect.poll(() => tries).toBe(1)
  await expect.poll(() => kept(page)).toEqual({ isLogin: 'true' })
  await expect(page.getByText('ログインしました。メンバー情報を確認しています…')).toBeVisible()
  await expect(page.getByText('さんとしてログインしています')).toHaveCount(0)
  await page.clock.runFor(14_000)
  await expect(page.getByText('メンバー情報の確認に時間がかかっています')).toHaveCount(0)
  await page.clock.runFor(1000)
  await expect(page.getByText('メンバー情報の確認に時間がかかっています')).toBeVisible()
  expect(tries, 'no attempt without a press').toBe(1)
  await page.unroute('**/login/welcome')
  await page.getByRole('button', { name: 'もう一度試す' }).click()
  await isToRegister(page)
})

test('who comes by Google a second time arrives as the first time', async ({ page, context }) => {
  const email = someone()
  for (const time of ['first', 'second']) {
    await open(page, '/login')
    await chooseAtProvider(await openGoogle(page), email)
    await isToRegister(page)
    await open(page, '/account')
    await expect(page.getByText(`${email}（確認済み）`), time).toBeVisible()
    await page.getByRole('button', { name: 'ログアウト', exact: true }).click()
    await expect(page).toHaveURL('/home')
    await context.clearCookies()
  }
})

test('a device that is signed out from another one shows nothing private any more', async ({ page, openPage }) => {
  const email = someone()
  await signUp(page, '桜井 花', email)
  const there = await openPage()
  const signIn = async () => {
    await open(there, '/emaillogin')
    await signInByMail(there, email)
    await isToRegister(there)
    await openAndListen(there, '/account')
    await expect(there.getByText(`${email}（未確認）`)).toBeVisible()
  }
  const isOut = async () => {
    await expect(there.getByText('ログインしてからご覧ください')).toBeVisible()
    await expect(there.getByText(email)).toHaveCount(0)
    await expect.poll(() => kept(there)).toEqual({})
  }
  await signIn()
  await open(page, '/account')
  await pressAndRead(page, 'ほかの端末をすべてログアウトさせる', 'ログアウトしました')
  await isOut()

  await signIn()
  await page.getByText('パスワードを変更する').click()
  const form = page.locator('form', { has: page.getByLabel('新しいパスワード') })
  await fillIn(form, { 現在のパスワード: password, 新しいパスワード: `${password}-2` })
  await form.getByRole('button', { name: '変更する' }).click()
  await expect(told(page, 'パスワードを変更しました')).toBeVisible()
  await isOut()
  // Here it goes on, with what was typed and said.
  await expect(page.getByText(`${email}（未確認）`)).toBeVisible()
})

test('the screens of a guest are for everyone to use', async ({ page }) => {
  for (const path of ['/login?problem=closed', '/emaillogin', '/resetpassword', '/verifyemail', '/privacy']) {
    await open(page, path)
    // The other forms are made like the one of signing up, and privacy is a page of words.
    if (path.startsWith('/login')) await axeOnPhoneAndDesk(page)
    else await axe(page)
  }
  await open(page, '/signupform')
  await page.getByLabel('パスワード').fill('abc')
  await page.getByRole('button', { name: '登録する' }).click()
  await expect(page.getByText('パスワードは次のようにしてください')).toBeVisible()
  await axeOnPhoneAndDesk(page)
})

test('the screens of someone who is signed in are for everyone to use', async ({ page }) => {
  await signUp(page, '桜井 花', someone())
  await axeOnPhoneAndDesk(page)
  await open(page, '/account')
  for (const more of await page.locator('summary').all()) await more.click()
  await axeOnPhoneAndDesk(page)
})

test('where that window is blocked, the whole page goes to Google and back', async ({ page }) => {
  await page.setViewportSize(desk)
  await page.addInitScript(() => {
    window.open = () => null
  })
  await open(page, '/login')
  await google(page).click()
  await chooseAtProvider(page)
  await isToRegister(page)
})

test('says why Google sign-in ended, and keeps the other ways', async ({ page, context }) => {
  await open(page, '/login')
  const begin = async () => {
    const popup = await openGoogle(page)
    await popup.getByRole('button', { name: 'Cancel' }).waitFor()
    return popup
  }
  await (await begin()).close()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/Googleの画面が閉じられたため/)
  await (await begin()).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/Googleでのログインは取り消されました/)
  await context.setOffline(true)
  await google(page).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/インターネットにつながっていないようです/)
  await expect(page.getByRole('link', { name: '新規登録' })).toBeVisible()
  await context.setOffline(false)
})

test('without a connection the e-mail form keeps what was typed and says so', async ({ page, context }) => {
  await open(page, '/emaillogin')
  await fillIn(page, { メールアドレス: 'hana@example.jp', パスワード: password })
  await context.setOffline(true)
  await page.getByRole('button', { name: 'ログインする' }).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/通信エラーが発生しました/)
  await expect(page.getByLabel('メールアドレス')).toHaveValue('hana@example.jp')
  await context.setOffline(false)
})

test.describe('waiting', () => {
  test('a member look-up that does not come is waited for, then offered again', async ({ page }) => {
    await stopClock(page)
    const held: (() => void)[] = []
    await page.route('**/emaillogin.data*', async (route) => {
      if (held.length > 0) return route.continue()
      await new Promise<void>((resolve) => held.push(resolve))
      await route.abort()
    })
    await open(page, '/emaillogin')
    await signInByMail(page, 'hana@example.jp')
    await expect(page.getByRole('button', { name: 'ログインしています…' })).toBeVisible()
    await page.clock.runFor(14_000)
    await expect(page.getByRole('main').getByText('ログインに時間がかかっています')).toBeHidden()
    await page.clock.runFor(2_000)
    await expect(page.getByRole('main').getByText('ログインに時間がかかっています')).toBeVisible()
    await page.getByRole('button', { name: 'もう一度試す' }).click()
    await expect(page.locator('[data-notice=trouble]')).toBeVisible()
    for (const release of held) release()
  })

  test('signing out clears this browser first, and tries until the server is reached', async ({ page }) => {
    await signUp(page, '桜井 花', someone())
    await open(page, '/login')
    await page.route('**/logout', (route) => route.abort())
    await page.getByRole('button', { name: 'ログアウト' }).click()
    await expect(page.getByText('サーバーにつながりません。ログアウトをもう一度試しています')).toBeVisible()
    expect(await kept(page)).toEqual({})
    await page.unroute('**/logout')
    let refused = 0
    await page.route('**/logout', (route) => {
      refused += 1
      return route.fulfill({ status: 503, body: '' })
    })
    await expect.poll(() => refused).toBe(2)
    await page.unroute('**/logout')
    await expect(page).toHaveURL('/home')
    await open(page, '/login')
    await expect(google(page).or(page.getByRole('button', { name: 'Googleアカウントでログイン' }))).toBeVisible()
  })
})

test('/logout signs out by itself, and says to a guest that there is nothing to do', async ({ page }) => {
  await signUp(page, '桜井 花', someone())
  await page.goto('/logout')
  await expect(page).toHaveURL('/home')
  await expect.poll(() => kept(page)).toEqual({})
  await open(page, '/logout')
  await expect(page.getByText('ログインしていません')).toBeVisible()
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('everything is a form: sign up, sign out by one button, in again, by Google', async ({ page }) => {
    const email = someone()
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
