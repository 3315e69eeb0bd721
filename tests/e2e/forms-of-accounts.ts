// The forms of accounts: sign-in, sign-up, mailed links and the account page.
import type { Page } from '@playwright/test'
import { type Form, type PageAction, post, press, unfold, uniqueName } from './forms.ts'
import { password } from './registering.ts'
import { fillIn } from './visitors.ts'

/** The e-mail address of the newest account. */
let email = ''
const createEmail = () => `${uniqueName('walks')}-${crypto.randomUUID().slice(0, 8)}@example.jp`
/** Signs up a new account with a password. Returns its e-mail address. */
export async function signUpAccount(page: Page) {
  email = createEmail()
  await post(page, '/signupform', { name: '歩', email, password })
  return email
}
/** Returns the token from the newest e-mail to the recipient with a link to the path, or '' if no e-mail matches. */
export async function readToken(page: Page, email: string, path: string) {
  const { origin } = new URL(page.url())
  const texts: string[] = await (await page.request.get(`${origin}/outbox?to=${email}`)).json()
  return texts.map((text) => new RegExp(`${path}\\?token=(\\S+)`).exec(text)?.[1]).find(Boolean) ?? ''
}
/** Enables e-mail for the requests of this page. */
export const enableMail: PageAction = (page) =>
  page.context().addCookies([{ name: 'mail', value: 'yes', url: new URL(page.url()).origin }])
async function createResetLink(page: Page) {
  const email = await signUpAccount(page)
  await post(page, '/resetpassword', { email })
  return `/resetpassword?token=${await readToken(page, email, '/resetpassword')}`
}
async function createVerificationLink(page: Page) {
  await enableMail(page)
  return `/verifyemail?token=${await readToken(page, await signUpAccount(page), '/verifyemail')}`
}
async function createUndoLink(page: Page) {
  const email = await signUpAccount(page)
  await enableMail(page)
  const verify = async (address: string) =>
    post(page, '/verifyemail', { token: await readToken(page, address, '/verifyemail') })
  await post(page, '/account', { intent: 'verify' })
  await verify(email)
  await post(page, '/account', { intent: 'email', email: `other-${email}`, current: password })
  await verify(`other-${email}`)
  return `/undoaddress?token=${await readToken(page, email, '/undoaddress')}`
}

/** Returns the form of the account page with this submit button. */
const changing = (page: Page, what: string) => page.locator('form', { has: page.locator(`button[value=${what}]`) })
const accountForm = {
  file: 'owner/account-sections.tsx',
  visitor: 'account',
  path: '/account',
  guestError: 'ログインしてからご覧ください',
} as const

export const formsOfAccounts: Form[] = [
  {
    file: 'accounts/email-login-page.tsx',
    name: 'signing in by e-mail',
    walk: 'a form for guests',
    visitor: 'guest',
    path: async (page) => {
      email = await signUpAccount(page)
      await page.context().clearCookies()
      return '/emaillogin'
    },
    invalid: { text: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: async (page) => {
      await fillIn(page, { メールアドレス: email, パスワード: password })
    },
    send: press('ログインする'),
    resultUrl: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    file: 'accounts/sign-up-page.tsx',
    name: 'a new account',
    visitor: 'guest',
    path: '/signupform',
    invalid: { text: 'お名前を入力してください', focus: '[name=name]' },
    fill: async (page) => {
      await fillIn(page, { お名前: '歩', メールアドレス: createEmail(), パスワード: password })
    },
    send: press('登録する'),
    conflict: {
      make: async (page) =>
        post(page, '/signupform', {
          name: '歩',
          email: await page.getByLabel('メールアドレス').inputValue(),
          password,
        }),
      text: 'このメールアドレスはすでに登録されています。',
    },
    resultUrl: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    file: 'accounts/reset-page.tsx',
    name: 'requesting a password reset',
    visitor: 'guest',
    path: '/resetpassword',
    invalid: { text: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: (page) => page.getByLabel('登録したメールアドレス').fill('nobody@example.jp'),
    send: press('再設定を申し込む'),
    done: 'お申し込みを受け付けました。',
    focus: 'h1',
  },
  {
    file: 'accounts/reset-page.tsx',
    name: 'setting a new password',
    visitor: 'guest',
    path: createResetLink,
    invalid: { text: /パスワードは次のようにしてください|パスワードを入力してください/, focus: '[name=password]' },
    fill: (page) => page.getByLabel('新しいパスワード').fill('another-one-42'),
    send: press('このパスワードにする'),
    resultUrl: /\/emaillogin\?newpassword/,
    focus: '#main',
  },
  {
    file: 'accounts/verify-page.tsx',
    name: 'verifying an e-mail address',
    visitor: 'guest',
    path: createVerificationLink,
    send: press('このアドレスを確認する'),
    done: /を確認しました。/,
    focus: 'h1',
  },
  {
    file: 'accounts/undo-address-page.tsx',
    name: 'undoing an e-mail change',
    visitor: 'guest',
    path: createUndoLink,
    send: press('元に戻す'),
    resultUrl: /\/resetpassword\?token=/,
    focus: '#main',
  },
  {
    ...accountForm,
    name: 'changing the password',
    invalid: {
      make: (page) => unfold(page, 'パスワードを変更する'),
      text: 'パスワードを入力してください',
      focus: '[name=current]',
    },
    fill: async (page) => {
      await changing(page, 'password').getByLabel('現在のパスワード').fill(password)
      await page.getByLabel('新しいパスワード').fill('another-one-42')
    },
    send: (page) => page.locator('button[value=password]').click(),
    done: /変更しました/,
    focus: 'button[value=password]',
  },
  {
    ...accountForm,
    name: 'changing the e-mail address',
    invalid: {
      make: (page) => unfold(page, 'メールアドレスを変更する'),
      text: 'メールアドレスを入力してください',
      focus: '[name=email]',
    },
    fill: async (page) => {
      await page.getByLabel('新しいメールアドレス').fill(createEmail())
      await changing(page, 'email').getByLabel('現在のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=email]').click(),
    done: /変更しました|変わりました|お送りします/,
    focus: 'button[value=email]',
  },
  {
    ...accountForm,
    name: 'requesting a verification e-mail',
    path: async (page) => {
      await enableMail(page)
      return '/account'
    },
    send: press('確認のメールを送る'),
    done: /お送りします/,
    focus: 'button[value=verify]',
  },
  {
    ...accountForm,
    name: 'signing out other devices',
    path: async (page) => {
      const [cookies, again] = [await page.context().cookies(), email]
      await page.context().clearCookies()
      await post(page, '/emaillogin', { email: again, password })
      await page.context().addCookies(cookies)
      return '/account'
    },
    send: press('ほかの端末をすべてログアウトさせる'),
    done: 'ログアウトしました。',
    focus: 'h2',
  },
  {
    ...accountForm,
    name: 'closing the account',
    invalid: { make: (page) => unfold(page, '退会する'), text: 'チェックを入れてください', focus: '[name=agreed]' },
    fill: async (page) => {
      await page.getByLabel('内容を確認しました').check()
      await changing(page, 'leave').getByLabel('現在のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=leave]').click(),
    resultUrl: /\/home$/,
    focus: 'body',
  },
]
