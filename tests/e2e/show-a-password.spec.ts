import type { Page } from '@playwright/test'
import { expect, expectAccessible, open, phone, test } from './visitors.ts'

const show = (page: Page) => page.getByRole('button', { name: /^パスワードを\s?表示$/ })
const caretOf = (page: Page) =>
  page.getByLabel('パスワード').evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd])

test('shows and hides the password, and keeps its value, the caret, the focus and the attributes for password managers', async ({
  openPage,
}) => {
  const page = await openPage({ viewport: phone, hasTouch: true })
  await open(page, '/emaillogin')
  const password = page.getByLabel('パスワード')
  await password.pressSequentially('abcdef')
  for (const _ of 'def') await password.press('ArrowLeft')
  await expect(show(page)).toHaveAttribute('aria-pressed', 'false')
  await show(page).tap()
  await expect(password).toHaveAttribute('type', 'text')
  await expect(show(page)).toHaveAttribute('aria-pressed', 'true')
  await expect(password).toBeFocused()
  expect(await caretOf(page)).toEqual([3, 3])
  await page.keyboard.type('X')
  await expect(password).toHaveValue('abcXdef')
  await expectAccessible(page)
  await show(page).tap()
  await expect(password).toHaveAttribute('type', 'password')
  expect(await caretOf(page)).toEqual([4, 4])
  await expect(password).toHaveValue('abcXdef')

  await password.press('Tab')
  await expect(show(page)).toBeFocused()
  await page.keyboard.press('Space')
  await expect(password).toHaveAttribute('type', 'text')
  for (const [name, value] of Object.entries({
    autocomplete: 'current-password',
    autocapitalize: 'none',
    spellcheck: 'false',
  }))
    await expect(password).toHaveAttribute(name, value)
})

test('hides a shown password when its form is sent', async ({ openPage }) => {
  const page = await openPage({ viewport: phone, hasTouch: true })
  await open(page, '/signupform')
  const password = page.getByLabel('パスワード')
  await password.fill('abc')
  await show(page).click()
  await expect(password).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: '登録する' }).click()
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveValue('abc')
  await expect(show(page)).toHaveAttribute('aria-pressed', 'false')
})

test('renders no button for showing the password when JavaScript is disabled', async ({ openPage }) => {
  const page = await openPage({ viewport: phone, javaScriptEnabled: false })
  await page.goto('/emaillogin')
  await expect(page.getByLabel('パスワード')).toBeVisible()
  await expect(page.getByText('表示', { exact: true })).toBeHidden()
})
