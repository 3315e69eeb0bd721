import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { password, signInByMail, signUpByRequest } from './registering.ts'
import {
  test as baseTest,
  expect,
  expectAccessibleOnPhoneAndDesktop,
  getNotice,
  open,
  phone,
  startSite,
} from './visitors.ts'

/** A test whose site has a host name, because browsers refuse passkeys for an IP address. */
const test = baseTest.extend({
  site: async ({ startOnce }, use) => {
    const { url } = await startOnce('site with passkeys', startSite)
    await use(url.replace('127.0.0.1', 'localhost'))
  },
})

test.use({ viewport: phone, expectedErrors: [/status of 40[01]|ERR_FAILED/] })

let number = 0
const createEmail = () => `passkey-${test.info().workerIndex}-${number++}@example.jp`

/** Adds a virtual authenticator to the page, as the page of a phone has one. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  }
}

const addForm = (page: Page) => page.locator('form', { has: page.locator('button[value="start passkey"]') })
const list = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'パスキー' }) }).locator('li')

async function addPasskey(page: Page, name?: string) {
  await open(page, '/account')
  await page.locator('summary', { hasText: 'パスキーを追加する' }).click()
  if (name) await addForm(page).getByLabel('名前').fill(name)
  await addForm(page).getByLabel('現在のパスワード').fill(password)
  await addForm(page).getByRole('button', { name: 'パスキーを追加する' }).click()
}

/** Signs up in the browser of the page, and adds a passkey. */
async function signUpWithPasskey(page: Page, site: string) {
  const authenticator = await addAuthenticator(page)
  await signUpByRequest(page, site, '桜井 花', createEmail())
  await addPasskey(page)
  await expect(getNotice(page, 'パスキーを追加しました。')).toBeVisible()
  return authenticator
}

const signOut = (page: Page) => page.context().clearCookies()
const passkeyButton = (page: Page) => page.getByRole('button', { name: 'パスキーでログイン' })

test('adds a passkey with the name of the device, signs in with it, renames it and removes it', async ({
  page,
  site,
}) => {
  const authenticator = await signUpWithPasskey(page, site)
  await expect(list(page)).toHaveText(/Linux・Chrome.*に追加、未使用/)
  expect(await authenticator.credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }])
  // The same authenticator cannot have a second passkey of the account.
  await addPasskey(page)
  await expect(getNotice(page, 'この端末のパスキーは、すでに追加されています。')).toBeVisible()
  await expect(list(page)).toHaveCount(1)
  await expectAccessibleOnPhoneAndDesktop(page)

  await signOut(page)
  await open(page, '/login')
  await expect(passkeyButton(page)).toBeVisible()
  await expectAccessibleOnPhoneAndDesktop(page)
  expect((await passkeyButton(page).boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await passkeyButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/login/welcome')
  await open(page, '/account')
  await expect(list(page)).toHaveText(/最後のログインは/)

  await list(page).getByText('名前を変更する').click()
  await list(page).getByLabel('名前').fill('')
  await list(page).getByRole('button', { name: '変更する' }).click()
  await expect(list(page).getByText('名前を入力してください')).toBeVisible()
  await list(page).getByLabel('名前').fill('台所のタブレット')
  await list(page).getByRole('button', { name: '変更する' }).click()
  await expect(list(page).locator('> span')).toContainText('台所のタブレット')
  await expect(list(page).locator('> span')).not.toContainText('Linux')
  await page.getByRole('button', { name: 'パスキー「台所のタブレット」を 削除する' }).click()
  await expect(getNotice(page, 'パスキーを削除しました。')).toBeVisible()
  await expect(list(page)).toHaveCount(0)

  await signOut(page)
  await open(page, '/login')
  await passkeyButton(page).click()
  await expect(getNotice(page, 'パスキーでログインできませんでした。')).toBeVisible()
  await expect(page).toHaveURL('/login')
})

test('offers the passkey in the field of the e-mail address', async ({ page, site }) => {
  await signUpWithPasskey(page, site)
  await signOut(page)
  // The virtual authenticator accepts the offer at once.
  await page.goto('/emaillogin')
  await expect(page).toHaveURL('/login/welcome')
})

test('leaves the form usable when the browser has no passkey', async ({ page, site }) => {
  const email = createEmail()
  await signUpByRequest(page, site, '桜井 花', email)
  await signOut(page)
  const offered = page.waitForResponse((response) => response.request().method() === 'POST')
  await open(page, '/emaillogin')
  await offered
  await expect(page.getByLabel('メールアドレス')).toHaveAttribute('autocomplete', 'username webauthn')
  await expect(page.locator('[data-notice]')).toHaveCount(0)
  await signInByMail(page, email)
  await expect(page).toHaveURL('/login/welcome')
})

test('signs in only after the authenticator has verified the user', async ({ page, site }) => {
  const authenticator = await signUpWithPasskey(page, site)
  await authenticator.setVerified(false)
  await signOut(page)
  await open(page, '/login')
  await passkeyButton(page).click()
  await expect(getNotice(page, 'パスキーでログインできませんでした。')).toBeVisible()
  await open(page, '/account')
  await expect(page.getByText('ログインしてからご覧ください')).toBeVisible()
  // The button works again after the failure.
  await authenticator.setVerified(true)
  await open(page, '/login')
  await passkeyButton(page).click()
  await expect(page).toHaveURL('/login/welcome')
})

test('refuses the response of the browser at another origin, and at its second use', async ({ page, site }) => {
  await signUpWithPasskey(page, site)
  await signOut(page)
  const isResponse = (data: string | null) => /name="response"|(?:^|&)response=/.test(data ?? '')
  const held = Promise.withResolvers<string>()
  await page.route('**/login.data*', async (route) => {
    const data = route.request().postData()
    if (!isResponse(data)) return route.continue()
    held.resolve(data ?? '')
    await route.abort()
  })
  await open(page, '/login')
  await passkeyButton(page).click()
  const form = Object.fromEntries(new URLSearchParams(await held.promise))
  const cookies = await page.context().cookies(site)
  const send = async (origin: string) => {
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const options = { form, headers: { origin, cookie }, maxRedirects: 0 }
    const response = await page.request.post(`${origin}/login`, options)
    return [response.status(), response.headers()['set-cookie']?.includes('session_token') ?? false]
  }
  // The first use at the other origin must not use up the challenge for a second try, so that both are refused alike.
  expect(await send(site.replace('localhost', '127.0.0.1'))).toEqual([401, false])
  expect(await send(site)).toEqual([401, false])
})

test('offers no passkey for an IP address, and none without scripts', async ({ site, openPage }) => {
  const atAddress = await openPage({ baseURL: site.replace('localhost', '127.0.0.1') })
  const withoutScripts = await openPage({ javaScriptEnabled: false })
  await open(atAddress, '/login')
  await withoutScripts.goto('/login')
  for (const page of [atAddress, withoutScripts]) {
    await expect(page.getByRole('link', { name: 'メールアドレスでログイン' })).toBeVisible()
    await expect(passkeyButton(page)).toHaveCount(0)
  }
  await open(atAddress, '/emaillogin')
  await expect(atAddress.locator('[data-notice]')).toHaveCount(0)
})

test('loads the library only when a passkey is used', async ({ page, site }) => {
  const folder = 'build/client/assets'
  const library = readdirSync(folder).find((file) =>
    readFileSync(join(folder, file), 'utf8').includes('Browser does not support WebAuthn autofill'),
  )
  expect(library).toBeDefined()
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  const isLoaded = () => requested.includes(`${site}/assets/${library}`)
  await open(page, '/login')
  await signUpByRequest(page, site, '桜井 花', createEmail())
  await open(page, '/account')
  expect(isLoaded()).toBe(false)
  await addAuthenticator(page)
  await addPasskey(page)
  await expect(getNotice(page, 'パスキーを追加しました。')).toBeVisible()
  expect(isLoaded()).toBe(true)
})
