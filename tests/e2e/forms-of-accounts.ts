// The forms of accounts: sign-in, sign-up, mailed links and the account page.
import type { Page } from '@playwright/test'
import { type Act, type Form, hidden, one, post, press, unfold } from './forms.ts'
import { password } from './registering.ts'
import { fillIn } from './visitors.ts'

/** The e-mail address of the newest account. */
let email = ''
const newAddress = () => `${one('walks')}-${crypto.randomUUID().slice(0, 8)}@example.jp`
/** Signs up a new account with a password. Returns its e-mail address. */
export async function newAccount(page: Page) {
  email = newAddress()
  await post(page, '/signupform', { name: '歩', email, password })
  return email
}
/** Returns the token of the newest e-mail to this recipient that links to the path, or ''. */
export async function tokenFor(page: Page, email: string, path: string) {
  const { origin } = new URL(page.url())
  const texts: string[] = await (await page.request.get(`${origin}/outbox?to=${email}`)).json()
  return texts.map((text) => new RegExp(`${path}\\?token=(\\S+)`).exec(text)?.[1]).find(Boolean) ?? ''
}
/** Enables e-mail for the requests of this page. */
export const sendsMail: Act = (page) =>
  page.context().addCookies([{ name: 'mail', value: 'yes', url: new URL(page.url()).origin }])
async function resetLink(page: Page) {
  const email = await newAccount(page)
  await post(page, '/resetpassword', { email })
  return `/resetpassword?token=${await tokenFor(page, email, '/resetpassword')}`
}
async function proofLink(page: Page) {
  await sendsMail(page)
  return `/verifyemail?token=${await tokenFor(page, await newAccount(page), '/verifyemail')}`
}
async function undoLink(page: Page) {
  const email = await newAccount(page)
  await sendsMail(page)
  const prove = async (address: string) =>
    post(page, '/verifyemail', { token: await tokenFor(page, address, '/verifyemail') })
  await post(page, '/account', { intent: 'verify' })
  await prove(email)
  await post(page, '/account', { intent: 'email', email: `other-${email}`, current: password })
  await prove(`other-${email}`)
  return `/undoaddress?token=${await tokenFor(page, email, '/undoaddress')}`
}

const LINK_IS_OVER = 'このリンクは期限が切れたか、すでに使われています。'
/** Returns the form of the account page with this submit button. */
const changing = (page: Page, what: string) => page.locator('form', { has: page.locator(`button[value=${what}]`) })
const account = {
  in: 'owner/account-sections.tsx',
  who: 'account',
  path: '/account',
  guest: 'ログインしてからご覧ください',
} as const

export const formsOfAccounts: Form[] = [
  {
    in: 'accounts/email-login-page.tsx',
    name: 'signing in by e-mail',
    who: 'guest',
    path: async (page) => {
      email = await newAccount(page)
      await page.context().clearCookies()
      return '/emaillogin'
    },
    wrong: { says: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: async (page) => {
      await fillIn(page, { メールアドレス: email, パスワード: password })
    },
    send: press('ログインする'),
    arrives: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    in: 'accounts/sign-up-page.tsx',
    name: 'a new account',
    who: 'guest',
    path: '/signupform',
    wrong: { says: 'お名前を入力してください', focus: '[name=name]' },
    fill: async (page) => {
      await fillIn(page, { お名前: '歩', メールアドレス: newAddress(), パスワード: password })
    },
    send: press('登録する'),
    newer: {
      make: async (page) =>
        post(page, '/signupform', {
          name: '歩',
          email: await page.getByLabel('メールアドレス').inputValue(),
          password,
        }),
      says: 'このメールアドレスはすでに登録されています。',
    },
    arrives: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    in: 'accounts/reset-page.tsx',
    name: 'requesting a password reset',
    who: 'guest',
    path: '/resetpassword',
    wrong: { says: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: (page) => page.getByLabel('登録したメールアドレス').fill('nobody@example.jp'),
    send: press('再設定を申し込む'),
    done: 'お申し込みを受け付けました。',
    focus: 'h1',
  },
  {
    in: 'accounts/reset-page.tsx',
    name: 'setting a new password',
    who: 'guest',
    path: resetLink,
    wrong: { says: /パスワードは次のようにしてください|パスワードを入力してください/, focus: '[name=password]' },
    fill: (page) => page.getByLabel('新しいパスワード').fill('another-one-42'),
    send: press('このパスワードにする'),
    gone: {
      make: async (page) => post(page, '/resetpassword', { token: await hidden(page, 'token'), password }),
      says: LINK_IS_OVER,
    },
    arrives: /\/emaillogin\?newpassword/,
    focus: '#main',
  },
  {
    in: 'accounts/verify-page.tsx',
    name: 'verifying an e-mail address',
    who: 'guest',
    path: proofLink,
    send: press('このアドレスを確認する'),
    gone: {
      make: async (page) => post(page, '/verifyemail', { token: await hidden(page, 'token') }),
      says: LINK_IS_OVER,
    },
    done: /を確認しました。/,
    focus: 'h1',
  },
  {
    in: 'accounts/undo-address-page.tsx',
    name: 'undoing an e-mail change',
    who: 'guest',
    path: undoLink,
    send: press('元に戻す'),
    gone: {
      make: async (page) => post(page, '/undoaddress', { token: await hidden(page, 'token') }),
      says: LINK_IS_OVER,
    },
    arrives: /\/resetpassword\?token=/,
    focus: '#main',
  },
  {
    ...account,
    name: 'changing the password',
    wrong: {
      make: (page) => unfold(page, 'パスワードを変更する'),
      says: 'パスワードを入力してください',
      focus: '[name=current]',
    },
    fill: async (page) => {
      await changing(page, 'password').getByLabel('今のパスワード').fill(password)
      await page.getByLabel('新しいパスワード').fill('another-one-42')
    },
    send: (page) => page.locator('button[value=password]').click(),
    done: /変更しました/,
    focus: 'button[value=password]',
  },
  {
    ...account,
    name: 'changing the e-mail address',
    wrong: {
      make: (page) => unfold(page, 'メールアドレスを変更する'),
      says: 'メールアドレスを入力してください',
      focus: '[name=email]',
    },
    fill: async (page) => {
      await page.getByLabel('新しいメールアドレス').fill(newAddress())
      await changing(page, 'email').getByLabel('今のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=email]').click(),
    done: /変更しました|変わりました|お送りします/,
    focus: 'button[value=email]',
  },
  {
    ...account,
    name: 'requesting a verification e-mail',
    path: async (page) => {
      await sendsMail(page)
      return '/account'
    },
    send: press('確認のメールを送る'),
    done: /お送りします/,
    focus: 'button[value=verify]',
  },
  {
    ...account,
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
    ...account,
    name: 'closing the account',
    wrong: { make: (page) => unfold(page, '退会する'), says: 'チェックを入れてください', focus: '[name=agreed]' },
    fill: async (page) => {
      await page.getByLabel('内容を確認しました').check()
      await changing(page, 'leave').getByLabel('今のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=leave]').click(),
    arrives: /\/home$/,
    focus: 'body',
  },
]
