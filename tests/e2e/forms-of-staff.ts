// The forms of staff members and of the setup wizard.
import type { Page } from '@playwright/test'
import { button, type Form, field, nextNumber, type PageAction, post, press, unfold, uniqueName } from './forms.ts'
import { signUpAccount } from './forms-of-accounts.ts'
import { password } from './registering.ts'

const signInAs = async (page: Page, visitor: string) =>
  page.context().addCookies([{ name: 'as', value: visitor, url: new URL(page.url()).origin }])

/** Creates an invitation as the owner. Returns the path of its link. */
async function createInvitation(page: Page, name: string, role = 'editing') {
  const { origin } = new URL(page.url())
  await signInAs(page, 'owner')
  const form = { intent: 'invite', name, role }
  const response = await page.request.post(`${origin}/staff.data`, { form, headers: { origin } })
  await page.context().clearCookies({ name: 'as' })
  return /\/invitation\?key=[\w-]+/.exec(await response.text())?.[0] ?? ''
}
const getKey = (link: string) => new URLSearchParams(link.split('?')[1]).get('key') ?? ''

let person = ''
/** Adds a staff member and signs in as the owner. Returns the path of the staff page. */
export async function createStaffMember(page: Page) {
  person = uniqueName('店の歩')
  await signUpAccount(page)
  const key = getKey(await createInvitation(page, person))
  await post(page, '/invitation', { intent: 'accept', key, name: person })
  await signInAs(page, 'owner')
  return '/staff'
}
/** Makes the account that has just signed up an administrator. Returns the path of the account page. */
async function becomeAdministrator(page: Page) {
  const name = uniqueName('管理の歩')
  const key = getKey(await createInvitation(page, name, 'administration'))
  await post(page, '/invitation', { intent: 'accept', key, name })
  return '/account'
}

let accountEmail = ''
/** Adds two accounts without a role, so that their heading remains after one account is deleted. Returns the path. */
export async function createAccountsWithoutRole(page: Page) {
  await signUpAccount(page)
  accountEmail = await signUpAccount(page)
  await signInAs(page, 'owner')
  return '/staff'
}
const getAccountRow = (page: Page) => page.getByRole('listitem').filter({ hasText: accountEmail })
const pressRemove: PageAction = (page) =>
  getAccountRow(page)
    .getByRole('button', { name: /アカウントを削除する$/ })
    .click()

async function createInvitations(page: Page) {
  // With two invitations, the heading remains on the page when one invitation is withdrawn.
  await createInvitation(page, uniqueName('待つ歩'))
  person = uniqueName('招かれた歩')
  await createInvitation(page, person)
  await signInAs(page, 'owner')
  return '/staff'
}

const wizardStep = { focus: 'main' } as const

export const formsOfStaff: Form[] = [
  {
    file: 'owner/api-tokens-section.tsx',
    name: 'creating an API token',
    visitor: 'account',
    path: becomeAdministrator,
    invalid: {
      make: (page) => unfold(page, 'トークンを作る'),
      text: '名前を入力してください',
      focus: '[name=name]',
    },
    fill: async (page) => {
      const form = page.locator('form', { has: page.locator('button[value="create token"]') })
      await form.getByLabel('名前').fill('レジ')
      await form.getByLabel('現在のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value="create token"]').click(),
    guestError: 'ログインしてからご覧ください',
    done: /トークンを作りました。/,
    focus: 'button[value="create token"]',
  },
  {
    file: 'owner/api-tokens-section.tsx',
    name: 'revoking an API token',
    visitor: 'account',
    path: async (page) => {
      const path = await becomeAdministrator(page)
      await post(page, path, { intent: 'create token', name: 'レジ', scope: 'read', current: password })
      return path
    },
    send: press(/レジを\s*取り消す/),
    guestError: 'ログインしてからご覧ください',
    done: 'トークンを取り消しました。',
    focus: 'h2',
  },
  {
    file: 'staff/staff-inviting.tsx',
    name: 'a staff invitation',
    path: '/staff',
    invalid: { text: 'お名前を入力してください', focus: '[name=name]' },
    fill: (page) => field(page, 'お名前').fill('歩'),
    send: press('招待を作成する'),
    done: '歩 さんへの招待を作成しました。',
    focus: 'button',
  },
  {
    file: 'staff/staff-page.tsx',
    name: 'revoking an invitation',
    path: createInvitations,
    send: (page) => button(page, `${person} さんへの招待を取り消す`).click(),
    done: '招待を取り消しました。',
    focus: 'h2',
  },
  {
    file: 'staff/staff-person.tsx',
    name: 'another role for a staff member',
    path: createStaffMember,
    send: (page) => button(page, `${person} さん：管理もできるようにする`).click(),
    done: /さんの権限を「管理」にしました。/,
    focus: 'button',
  },
  {
    file: 'staff/staff-person.tsx',
    name: 'the removal of a staff member',
    walk: 'a save of a list, sent and shown by a component of one item',
    path: createStaffMember,
    send: (page) => button(page, `${person} さん：スタッフから外す`).click(),
    confirm: '外す',
    done: /さんをスタッフから外しました。/,
    focus: 'h1',
  },
  {
    file: 'staff/accounts-without-role.tsx',
    name: 'the removal of an account without a role',
    walk: 'a save that all items of a list share, sent by a confirmation without a form',
    path: createAccountsWithoutRole,
    send: pressRemove,
    confirm: '削除する',
    done: /さんのアカウントを削除しました。/,
    focus: 'h2',
  },
  {
    file: 'staff/invitation-page.tsx',
    name: 'accepting an invitation',
    visitor: 'account',
    path: (page) => createInvitation(page, '歩'),
    invalid: {
      make: (page) => field(page, 'お店での呼び名').fill(''),
      text: 'お名前を入力してください',
      focus: '[name=name]',
    },
    fill: (page) => field(page, 'お店での呼び名').fill('歩'),
    send: press('このアカウントで受け取る'),
    guestError: 'ログインしてから、もう一度お試しください。',
    // The next page shows a toast only if JavaScript is enabled.
    resultUrl: /\/$/,
    focus: 'main',
  },
  {
    file: 'owner/welcome-page.tsx',
    name: 'the first administrator',
    visitor: 'guest',
    path: async (page) => {
      const key = await (await page.request.get(`${new URL(page.url()).origin}/welcome-key`)).text()
      return `/welcome?key=${key}`
    },
    invalid: { text: 'お名前を入力してください', focus: '[name=name]' },
    fill: async (page) => {
      await field(page, 'お名前').fill('歩')
      await field(page, 'メールアドレス').fill(`${uniqueName('first')}-${crypto.randomUUID().slice(0, 8)}@example.jp`)
      await page.getByLabel('パスワード').fill(password)
    },
    send: press('次へ'),
    resultUrl: /\/welcome\/shop$/,
    focus: 'main',
  },
  {
    ...wizardStep,
    file: 'owner/shop-step-page.tsx',
    name: 'the shop step of the setup wizard',
    path: '/welcome/shop',
    invalid: {
      make: (page) => field(page, '印の文字').fill('三文字'),
      text: '印の文字は2文字までです',
      focus: '[name=seal]',
    },
    fill: (page) => field(page, '印の文字').fill(`${10 + (nextNumber() % 90)}`),
    send: press('保存して、次へ'),
    resultUrl: /\/welcome\/hours$/,
  },
  {
    ...wizardStep,
    file: 'owner/hours-step-page.tsx',
    name: 'the hours step of the setup wizard',
    path: '/welcome/hours',
    fill: async (page) => {
      await page.getByLabel(/^営業時間 第1部.* 開始の時$/).selectOption('07')
      await page.getByLabel(/^営業時間 第1部.* 終了の時$/).selectOption('15')
    },
    send: press('保存して、次へ'),
    resultUrl: /\/welcome\/pictures$/,
  },
  {
    ...wizardStep,
    file: 'owner/pictures-step-page.tsx',
    name: 'the image step of the setup wizard',
    path: '/welcome/pictures',
    fill: (page) => page.locator('[name=palette]:not(:checked)').first().check(),
    send: press('保存して、次へ'),
    resultUrl: /\/welcome\/pages$/,
  },
  {
    ...wizardStep,
    file: 'owner/pages-step-page.tsx',
    name: 'the pages step of the setup wizard',
    path: '/welcome/pages',
    // The owner also sees hidden pages.
    fill: (page) => page.getByRole('checkbox', { name: '仕事の紹介' }).click(),
    send: press('保存して、サイトを見る'),
    // The next page shows a toast only if JavaScript is enabled: see first-evening.spec.ts.
    resultUrl: /\/$/,
  },
]
