import { test } from './editors.ts'
import { delayRequests, expect, expectAccessible, getNotice, open, phone } from './visitors.ts'

// All pages have the same options, so that they share pooled contexts.
test.use({ viewport: phone })

test('gives every invalid select, input and text area the same border', async ({ page }) => {
  await open(page, '/mail')
  await page.getByRole('button', { name: '送信する' }).click()
  const wrong = page.locator('[aria-invalid=true]')
  await expect(wrong).toHaveCount(3)
  const borders = await wrong.evaluateAll((controls) =>
    controls.map((control) => `${control.tagName} ${getComputedStyle(control).borderTopColor}`),
  )
  const usual = await page.getByLabel('返信先').evaluate((control) => getComputedStyle(control).borderTopColor)
  expect(borders.map((look) => look.split(' ')[0])).toEqual(['SELECT', 'INPUT', 'TEXTAREA'])
  expect(new Set(borders.map((look) => look.replace(/^\w+ /, ''))).size).toBe(1)
  expect(borders[0]).not.toContain(usual)
})

test('moves the focus to the marks of a dish that has two degrees of spiciness', async ({ owner }) => {
  const page = await owner()
  await open(page, '/dining/new/add')
  await page.getByRole('textbox', { name: '品名' }).fill('麻婆豆腐')
  const marks = page.getByRole('group', { name: '目印' })
  for (const name of ['辛さ1', '辛さ2']) await marks.getByRole('checkbox', { name }).check()
  await page.getByRole('button', { name: '追加する', exact: true }).click()
  await expect(marks.getByRole('checkbox', { name: '辛さ1' })).toBeFocused()
  await expect(marks).toHaveAccessibleDescription('辛さは1つだけ選んでください')
  await expect(marks.getByText('辛さは1つだけ選んでください')).toBeInViewport()
  await expectAccessible(page)
})

test('keeps the focus on the reset button of the day, and sends no second request', async ({ owner }) => {
  const page = await owner()
  await open(page, '/today')
  const usual = page.getByRole('button', { name: /^通常どおり/ })
  await page.getByRole('button', { name: /^臨時休業/ }).press('Enter')
  await expect(usual).toHaveAttribute('aria-disabled', 'false')
  await usual.press('Enter')
  await expect(getNotice(page, '通常どおりに戻しました。')).toBeVisible()
  await expect(usual).toContainText('現在は通常どおりです')
  await expect(usual).toBeFocused()
  await expect(usual).toHaveAttribute('aria-disabled', 'true')
  const posts: string[] = []
  page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())))
  await usual.press('Enter')
  await page.getByRole('button', { name: /^臨時休業/ }).press('Enter')
  await expect(getNotice(page, 'を「臨時休業」にしました。')).toBeVisible()
  expect(posts).toHaveLength(1)
})

test('keeps the focus in another section when the errors of the first section arrive late', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  const release = await delayRequests(page, /site\.data/, (request) => request.method() === 'POST')
  await page.getByLabel('1つめの名前').fill('予約')
  await page.getByRole('button', { name: 'ご案内を保存する' }).click()
  const other = page.locator('[name=telephone]')
  await other.fill('')
  await other.pressSequentially('075-')
  const scrollTop = await page.evaluate(() => scrollY)
  release()
  await expect(page.locator('[name="links.0.url"]')).toHaveAttribute('aria-invalid', 'true')
  await expect(other).toBeFocused()
  await page.keyboard.type('123')
  await expect(other).toHaveValue('075-123')
  expect(await page.evaluate(() => scrollY)).toBe(scrollTop)
})
