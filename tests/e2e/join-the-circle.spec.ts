import type { Page, Request } from '@playwright/test'
import { postMemberSteps } from './forms-of-circle.ts'
import {
  closeAlert,
  fillMemberForm,
  followAlertToRegistration,
  getMemberSteps,
  signUpByRequest,
} from './registering.ts'
import {
  test as baseTest,
  delayRequests,
  desktop,
  expect,
  expectAccessible,
  open,
  phone,
  startSite,
} from './visitors.ts'

/** A test with its own site, because only an empty site has a first member. `visitor` opens the site at a viewport. */
const test = baseTest.extend<{ circle: string; visitor: (viewport: Viewport) => Promise<Page> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the required fixtures from the pattern
  circle: async ({}, use) => {
    const { service, stop } = await startSite()
    await use(service.url)
    await stop()
  },
  visitor: ({ browser, circle }, use) =>
    use(async (viewport) => {
      const context = await browser.newContext({
        viewport,
        baseURL: circle,
        locale: 'ja-JP',
        timezoneId: 'Asia/Tokyo',
        reducedMotion: 'reduce',
      })
      return context.newPage()
    }),
})

type Viewport = { width: number; height: number }

test('shows the next step when the draft of the previous step is saved meanwhile', async ({ page }) => {
  await open(page, '/membercreate')
  const shouldDelay = (sent: Request) => sent.method() === 'GET' || Boolean(sent.postData()?.includes('intent=keep'))
  const release = await delayRequests(page, /\/membercreate\.data/, shouldDelay)
  const draftResponse = page.waitForResponse(
    (response) => response.request().postData()?.includes('intent=keep') === true,
  )
  const nextStepRequest = page.waitForRequest(
    (request) => request.method() === 'GET' && request.url().includes('step=2'),
  )
  for (const [label, text] of Object.entries(getMemberSteps('結', '結')[0] ?? {}))
    await page.getByLabel(label, { exact: true }).fill(text)
  await page.getByRole('button', { name: '次へ' }).click()
  await nextStepRequest
  release()
  await draftResponse
  await expect(page.locator('[aria-current=step]')).toContainText('2')
  await expect(page.getByLabel('テニス歴')).toBeVisible()
})

test('warns about a long name only after the IME composition ends', async ({ page }) => {
  await open(page, '/membercreate')
  const warning = page.getByText('5文字以上は入力できません')
  const keyboard = await page.context().newCDPSession(page)
  const compose = (text: string) =>
    keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
  const name = page.getByLabel('お名前')
  await name.focus()
  await compose('さくらいはなこ')
  await expect(name).toHaveValue('さくらいはなこ')
  await expect(warning).toBeHidden()
  // The converted name is shorter than the text during the composition.
  await compose('桜井花子')
  await keyboard.send('Input.insertText', { text: '桜井花子' })
  await expect(name).toHaveValue('桜井花子')
  await expect(warning).toBeHidden()
  await compose('とその')
  await expect(warning).toBeHidden()
  await keyboard.send('Input.insertText', { text: 'とその' })
  await expect(warning).toBeVisible()
  await expect(name).toHaveAccessibleDescription('5文字以上は入力できません')
})

test('makes the first member the administrator, who approves the second member', async ({ visitor, circle }) => {
  const page = await visitor(desktop)
  await signUpByRequest(page, circle, '暖簾 結', 'noren@example.jp')
  await open(page, '/login/welcome')
  await followAlertToRegistration(page)
  await fillMemberForm(page, '暖簾 結', '結')
  await expectAccessible(page)
  await page.getByRole('button', { name: '上記の内容で登録する' }).click()
  await expect(page).toHaveURL(/\/memberlist/)
  await closeAlert(page, '最初の登録者のため、管理者権限を付与しました')
  await expect(page).toHaveURL('/memberlist')
  await expect(page.getByRole('article', { name: '暖簾 結' })).toContainText('管理者')
  expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({ isLogin: 'true', isAdmin: 'true' })
  await page.reload()
  await expect(page.getByRole('article', { name: '暖簾 結' })).toBeVisible()
  await expect(page.getByRole('alertdialog')).toBeHidden()

  const other = await visitor(phone)
  await signUpByRequest(other, circle, '桜井 花', 'hana@example.jp')
  await other.goto('/api/health')
  await postMemberSteps(other, '/membercreate', '桜井 花')
  await open(other, '/memberdetailconfirm')
  await other.getByRole('button', { name: '上記の内容で登録する' }).click()
  await expect(other).toHaveURL(/\/memberlist/)
  await expect(other.getByText('管理者の承認後に、参加申込とメンバー一覧をご覧いただけます')).toBeVisible()
  await expect(other.getByRole('article', { name: '暖簾 結' })).toBeHidden()
  expect(await other.evaluate(() => ({ ...localStorage }))).toEqual({ isLogin: 'true', isAdmin: 'false' })
  await expectAccessible(other)

  // From here, the first member uses a phone viewport, and the second member uses a desktop viewport.
  await page.setViewportSize(phone)
  await other.setViewportSize(desktop)
  await open(page, '/memberlist')
  await expect(page.getByText('承認すると、お料理とカレンダーの編集もできるようになります')).toBeVisible()
  await page.getByRole('button', { name: '桜井 花 さん：承認する' }).click()
  await expect(page.locator('[data-notice=done]').filter({ hasText: '桜井 花 さんを承認しました' })).toBeVisible()
  await expectAccessible(page)

  await open(other, '/memberlist')
  await expect(other.getByRole('article', { name: '暖簾 結' })).toBeVisible()
  await expect(other.getByRole('heading', { name: '参加申込' })).toBeVisible()
  expect(await other.evaluate(() => localStorage.getItem('isAdmin'))).toBe('true')
  await expectAccessible(other)

  const strangersList = await (await fetch(`${circle}/memberlist`)).text()
  expect(strangersList).not.toContain('桜井 花')
  expect(strangersList).toContain('承認されたメンバーの方だけがご覧いただけます')
})
