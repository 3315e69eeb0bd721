import type { Page } from '@playwright/test'
import { expect, fillIn, open } from './visitors.ts'

/** The input of the five registration steps, by field label. */
export const getMemberSteps = (username: string, accountname: string) => [
  {
    お名前: username,
    アカウント名: accountname,
    メールアドレス: 'typed@example.jp',
    ご住所: '京都市左京区見本町1',
    電話番号: '075-000-0009',
    自己紹介: '社会人になってから始めました。',
  },
  { テニス歴: '三年', 使用ラケット: '軽い物', 得意なショット: 'ロブ' },
  { '強み・挑戦していること': '声を出すこと', 長所と短所: '粘り強いこと', 苦労していること: '高い球' },
  { プレースタイル: '守り型', テニスへの思い: '楽しく、けがなく。', 主な実績: '初心者大会で一勝' },
  { '趣味・特技': '写真と散歩' },
]

export const password = 'toss-high-9'

/** Signs up with the shared password and waits for the alert after sign-up. */
export async function signUp(page: Page, name: string, email: string) {
  await open(page, '/signupform')
  await fillIn(page, { お名前: name, メールアドレス: email, パスワード: password })
  await page.getByRole('button', { name: '登録する' }).click()
  await expectSignUpAlert(page)
}

/** Signs up without a screen. The browser context of the page has the session afterwards. */
export const signUpByRequest = (page: Page, site: string, name: string, email: string) =>
  postForm(page, site, '/signupform', { name, email, password })

/** Signs in without a screen. The browser context of the page has the session afterwards. */
export const signInByRequest = (page: Page, site: string, email: string) =>
  postForm(page, site, '/emaillogin', { email, password })

async function postForm(page: Page, site: string, path: string, form: Record<string, string>) {
  const response = await page.request.post(`${site}${path}`, { form, headers: { origin: site }, maxRedirects: 0 })
  expect(response.status(), path).toBe(302)
}

/** Submits the sign-in form. */
export async function signInByMail(page: Page, email: string, secret = password) {
  await fillIn(page, { メールアドレス: email, パスワード: secret })
  await page.getByRole('button', { name: 'ログインする' }).click()
}

export const expectSignUpAlert = (page: Page) =>
  expect(page.getByRole('alertdialog')).toHaveText(/先にメンバー情報を登録してください/)

/** Fills in the five steps of the member form, up to the confirmation page. */
export async function fillMemberForm(page: Page, username: string, accountname: string) {
  await expect(page).toHaveURL('/membercreate')
  const steps = getMemberSteps(username, accountname)
  for (const [index, fields] of steps.entries()) {
    await expect(page.locator('[aria-current=step]')).toContainText(String(index + 1))
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
    await page.getByRole('button', { name: index === steps.length - 1 ? '登録内容を確認する' : '次へ' }).click()
  }
  await expect(page).toHaveURL('/memberdetailconfirm')
  await expect(page.getByRole('row', { name: `お名前 ${username}` })).toBeVisible()
}

/** Follows the registration link in the alert that appears after sign-up. */
export async function followAlertToRegistration(page: Page) {
  const alert = page.getByRole('alertdialog', { name: '先にメンバー情報を登録してください' })
  await alert.getByRole('link', { name: 'メンバー登録へ進む' }).click()
}

/** Asserts the sentence of an alert and closes it. */
export async function closeAlert(page: Page, sentence: string) {
  await expect(page.getByRole('alertdialog')).toHaveText(new RegExp(`^${sentence}`))
  await page.getByRole('button', { name: '閉じる' }).click()
}
