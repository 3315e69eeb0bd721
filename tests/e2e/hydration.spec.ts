import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { photograph } from './photograph.ts'
import { delayRequests, expect, fillIn } from './visitors.ts'

// React renders a page again if its markup differs, and logs an error.
const RENDERED_AGAIN = /Minified React error #418/
const FIELD =
  /<(?:input|textarea|select)\b(?![^>]*type="hidden")[^>]*>(?:(?<=<(?:textarea|select)[^>]*>)[\s\S]*?<\/(?:textarea|select)>)?/g

/**
 * Opens a page. Inserts the HTML `beside` after each field, as a password manager does. The scripts of the page wait
 * until the returned function is called.
 */
async function openWithoutScripts(page: Page, path: string, beside: string) {
  const release = await delayRequests(page, '**/assets/*.js')
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(FIELD, (field) => field + beside)
    await route.fulfill({ response, body })
  })
  await page.goto(path, { waitUntil: 'commit' })
  return async () => {
    release()
    await page.waitForFunction(() => history.scrollRestoration === 'manual')
  }
}

const ICON = '<div data-x-icon-root=""></div>'

for (const [pageName, beside] of [
  ['a page', ''],
  ['a page with an element of a password manager beside each field', ICON],
] as const) {
  test.describe(`hydration of ${pageName}`, () => {
    test.use({ expectedErrors: beside ? [RENDERED_AGAIN] : [] })

    test('keeps the input, the focus and the caret of the sign-in form', async ({ page }) => {
      const hydrate = await openWithoutScripts(page, '/emaillogin', beside)
      const [email, secret] = [page.getByLabel('メールアドレス'), page.getByLabel('パスワード', { exact: true })]
      await email.fill('hanako@example.jp')
      await secret.pressSequentially('toss-9')
      await secret.press('ArrowLeft')
      await hydrate()
      await expect(email).toHaveValue('hanako@example.jp')
      await expect(secret).toHaveValue('toss-9')
      await expect(secret).toBeFocused()
      await page.keyboard.type('high-')
      await expect(secret).toHaveValue('toss-high-9')
    })

    test('keeps and sends the input of the contact form', async ({ page }) => {
      const hydrate = await openWithoutScripts(page, '/mail', beside)
      await page.getByLabel('宛先').selectOption('お店')
      await fillIn(page, { 件名: '席のご相談', 本文: '来週の土曜日に、\n五名で伺えますか。' })
      await page.getByLabel('返信先のメールアドレス').fill('hana@example.jp')
      await hydrate()
      await expect(page.getByLabel('返信先のメールアドレス')).toHaveValue('hana@example.jp')
      const sending = page.waitForRequest((request) => request.method() === 'POST')
      await page.getByRole('button', { name: '送信する' }).click()
      const sent = Object.fromEntries(new URLSearchParams((await sending).postData() ?? ''))
      expect(sent).toMatchObject({
        subject: '席のご相談',
        text: '来週の土曜日に、\n五名で伺えますか。',
        from: 'hana@example.jp',
      })
      expect(sent.to).not.toBe('')
    })

    test('keeps the checked boxes and the date of a card form, and limits the day options to the month', async ({
      owner,
    }) => {
      const page = await owner()
      const hydrate = await openWithoutScripts(page, '/firestoreservice?databasename=videoproduction', beside)
      const part = (name: string) => page.locator(`[name=eventDay${name}]`)
      await page.getByLabel('タイトル').fill('鯖寿司の一日')
      await page.getByRole('checkbox', { name: /下書き/ }).check()
      await part('Year').selectOption('2026')
      await part('Month').selectOption('2')
      await part('Day').selectOption('14')
      await hydrate()
      await expect(page.getByLabel('タイトル')).toHaveValue('鯖寿司の一日')
      await expect(page.getByRole('checkbox', { name: /下書き/ })).toBeChecked()
      await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1)
      await expect(part('Year')).toHaveValue('2026')
      await expect(part('Month')).toHaveValue('2')
      await expect(part('Day')).toHaveValue('14')
      await expect(part('Day').locator('option[value="29"]')).toHaveCount(0)
    })
  })
}

test.describe('hydration of a form with a chosen file', () => {
  test.use({ expectedErrors: [RENDERED_AGAIN] })

  test('opens the crop dialog for the file and keeps the checked boxes when the page is rendered again', async ({
    owner,
  }) => {
    const page = await owner()
    const hydrate = await openWithoutScripts(page, '/firestoreservice?databasename=dining', ICON)
    await page.getByLabel('品名').fill('鯖寿司')
    await page.getByRole('checkbox', { name: '卵' }).check()
    await page.getByRole('checkbox', { name: /下書き/ }).check()
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(await photograph())
    await hydrate()
    await expect(page.getByRole('dialog', { name: '写真を切り抜く' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByLabel('品名')).toHaveValue('鯖寿司')
    await expect(page.getByRole('checkbox', { name: '卵' })).toBeChecked()
    await expect(page.getByRole('checkbox', { name: /下書き/ })).toBeChecked()
    await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(2)
  })
})

test('copies the hours to a group of days that was opened before the scripts ran', async ({ owner }) => {
  const page = await owner()
  const hydrate = await openWithoutScripts(page, '/bussinessdays', '')
  const hourOf = (group: string) => page.getByLabel(new RegExp(`^${group} 第1部.* 開始の時$`))
  await hourOf('営業時間').selectOption('05')
  await page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first().click()
  await hydrate()
  await expect(hourOf('営業時間 2')).toHaveValue('05')
})

test('opens a form without a hydration error when its collection is only in the navigation state', async ({
  owner,
}) => {
  const page = await owner()
  // Sets the state before the scripts of the page start. A reload after them could lose it.
  await page.addInitScript(() => history.replaceState({ usr: { databasename: 'dining' }, key: 'reloaded', idx: 0 }, ''))
  await page.goto('/firestoreservice')
  await expect(page).toHaveURL('/firestoreservice?databasename=dining')
  await expect(page.getByLabel('品名')).toBeVisible()
})
