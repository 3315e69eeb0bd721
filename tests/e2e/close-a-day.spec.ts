import type { Browser, Page } from '@playwright/test'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import startPostgres from '../../db/testing-postgres.ts'
import { openSignedIn, startEditingSite, test, withEditButtons } from './editors.ts'
import { post, readHiddenField, unfold } from './forms.ts'
import { createSpecialDay } from './forms-of-days.ts'
import {
  addBusySwitch,
  choose,
  delayRequests,
  expect,
  expectAccessible,
  getNotice,
  open,
  openWithLiveUpdates,
  phone,
  pressAndRead,
} from './visitors.ts'

// Each test opens many pages.
test('updates the open pages of one server process when another process closes the day', async ({ browser }) => {
  const stops: (() => Promise<unknown>)[] = [await startPostgres()]
  try {
    const databaseUrl = `${process.env.TEST_POSTGRES}/postgres`
    const one = await startEditingSite({ databaseUrl })
    stops.unshift(one.stop)
    const other = await startEditingSite({ databaseUrl })
    stops.unshift(other.stop)
    const page = await openSignedIn('owner', browser, one.service, { viewport: phone })
    await closeToday(page, browser, other.service)
    await reorderAcross(page, one.service, other.service)
    await page.context().close()
  } finally {
    for (const stop of stops) await stop()
  }
})

withEditButtons('explains to a visitor why all buttons that close the day are disabled', async ({ openPage }) => {
  const guest = await openPage({ viewport: phone })
  for (const path of ['/today', '/bussinessdays?table=special']) {
    await open(guest, path)
    await expect(guest.getByRole('main').locator('[data-notice]').first()).toContainText('ログインしてください')
    const form = guest.getByRole('main').locator('fieldset:disabled').first()
    await expect(form.locator('summary')).toHaveCount(0)
    const buttons = form.getByRole('button')
    const styles = await buttons.evaluateAll((all) =>
      all.map((each) => {
        const { color, backgroundColor, borderTopColor } = getComputedStyle(each)
        return { color, backgroundColor, borderTopColor, isDisabled: each.matches(':disabled') }
      }),
    )
    expect(styles).toHaveLength(path === '/today' ? 3 : 1)
    expect(new Set(styles.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(styles[0]?.isDisabled).toBe(true)
    await expectAccessible(guest)
  }
})

async function closeToday(page: Page, browser: Browser, site: string) {
  await open(page, '/today')
  // Sets hours for today, because the shop may be closed on this weekday.
  const hours = { ...noHourFields, starttime1_minute: '05' }
  const day = { day: await readHiddenField(page, 'day'), version: await readHiddenField(page, 'version') }
  await post(page, '/today', { intent: 'change', reason: '臨時営業', sure: 'yes', ...day, ...hours })
  const visitor = await browser.newContext({ baseURL: site, reducedMotion: 'reduce' })
  const [home, calendar] = [await visitor.newPage(), await visitor.newPage()]
  // Opens the pages one by one, because a hidden page does not update.
  await open(home, '/')
  await open(calendar, '/calendar')
  const closedText = home.getByText('本日は臨時休業です')
  const cell = calendar.locator('[aria-current="date"]')
  await expect(cell).toContainText('0:05〜24:00')

  // Closing the day takes two taps from home.
  await open(page, '/')
  await page.getByRole('navigation', { name: '管理メニュー' }).getByRole('link', { name: '本日の営業' }).click()
  const close = page.getByRole('button', { name: /^臨時休業/ })
  for (const state of ['open', 'reopened']) {
    await close.click()
    await expect(getNotice(page, '本日を「臨時休業」にしました。'), state).toBeVisible()
    await expect(cell, state).toContainText('臨時休業')
    await expect(closedText, state).toBeVisible()

    await page.getByRole('button', { name: '元に戻す' }).click()
    await expect(getNotice(page, '元に戻しました。'), state).toBeVisible()
    await expect(cell, state).toContainText('0:05〜24:00')
    await expect(closedText, state).toHaveCount(0)
  }

  await page.getByRole('button', { name: /^通常どおり/ }).click()
  await expect(page.getByText('現在は通常どおりです')).toBeVisible()
  await expect(cell).not.toContainText('0:05〜24:00')
  await expectAccessible(page)
  await visitor.close()
}

test('keeps the success notice and its undo button when another page changes the day', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/today')
  await page.getByRole('button', { name: /^臨時休業/ }).click()
  const undo = page.locator('[data-notice=done]').getByRole('button', { name: '元に戻す' })
  await expect(undo).toBeVisible()
  await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
  const seen = { day: await readHiddenField(page, 'day'), version: await readHiddenField(page, 'version') }
  await post(page, '/today', { intent: 'usual', ...seen })
  await expect(page.getByText('現在は通常どおりです')).toBeVisible()
  await expect(undo).toBeVisible()
})

test('shows the result of a save when a revalidation finishes before React renders the result', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await addBusySwitch(page)
  const healthRequests: (() => void)[] = []
  await page.route('/api/health', async (route) => {
    await new Promise<void>((resolve) => healthRequests.push(resolve))
    await route.continue()
  })
  await open(page, '/today')
  await createSpecialDay(page)
  await expect.poll(() => healthRequests.length).toBe(1)

  await page.evaluate(() => beBusy())
  const response = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: /^臨時休業/ }).click()
  await response
  const healthResponse = page.waitForResponse('**/api/health')
  healthRequests.shift()?.()
  await healthResponse
  await page.evaluate(() => fetch('/today.data').then((answer) => answer.text()))
  await page.evaluate(() => beIdle())
  await expect(page.locator('[data-notice=done]').getByRole('button', { name: '元に戻す' })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test.describe('/today with unsaved input', () => {
  const closedState = '「臨時休業」を取り消します'
  const changedState = /「(?:営業時間変更|臨時営業)」を取り消します/
  const formWith = (page: Page, intent: string) =>
    page.locator('form', { has: page.locator(`button[value=${intent}]`) })
  const causeIn = (page: Page, intent: string) => formWith(page, intent).getByLabel('詳しい理由')

  /** Opens today without a special day. Returns the page and a function that saves the day in another tab. */
  async function openRegularDay(page: Page) {
    await openWithLiveUpdates(page, '/today')
    const usual = page.getByRole('button', { name: /^通常どおり/ })
    if (await usual.isEnabled()) await usual.click()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    const day = await readHiddenField(page, 'day')
    return async (intent: string, more: Record<string, string> = {}) =>
      post(page, '/today', { intent, day, version: await readHiddenField(page, 'version'), ...more })
  }

  async function fillTimes(page: Page) {
    await unfold(page, '時間変更')
    const times = { 開始の時: '00', 開始の分: '05', 終了の時: '00', 終了の分: '00' }
    for (const [part, value] of Object.entries(times)) await choose(page, { [`本日 第1部（朝の部） ${part}`]: value })
    await causeIn(page, 'change').fill('貸切のため')
  }

  test('keeps the times and the reason when another tab changes the day, and reports the conflict', async ({
    owner,
  }) => {
    const page = await owner({ viewport: phone })
    const saveInOtherTab = await openRegularDay(page)
    await fillTimes(page)
    const otherTimes = { ...noHourFields, starttime1_minute: '05', sure: 'yes' }
    await saveInOtherTab('change', { reason: '営業時間変更', ...otherTimes })
    await expect(page.getByText(changedState)).toBeVisible()
    await expect(causeIn(page, 'change')).toHaveValue('貸切のため')
    await pressAndRead(page, 'この時間にする', 'ほかの方が先に変更したか、日付が変わりました。')
    await expect(causeIn(page, 'change')).toHaveValue('貸切のため')
    // The editor has now seen the change, so the next save replaces it.
    await pressAndRead(page, 'この時間にする', '本日を「営業時間変更」にしました。')
  })

  test('keeps the times when the same page closes the day, and saves the times', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await openRegularDay(page)
    await fillTimes(page)
    await pressAndRead(page, 'この時間にする', 'にしました。')
    await expect(page.getByText(changedState)).toBeVisible()
    await causeIn(page, 'change').fill('研修のため')
    await page.getByRole('button', { name: /^臨時休業/ }).click()
    await expect(page.getByText(closedState)).toBeVisible()
    await expect(causeIn(page, 'change')).toHaveValue('研修のため')
    const release = await delayRequests(page, /today\.data/, (request) => request.method() === 'GET')
    await pressAndRead(page, 'この時間にする', '本日を「臨時営業」にしました。')
    await expect(causeIn(page, 'change')).toHaveValue('研修のため')
    release()
    await expect(page.getByText(changedState)).toBeVisible()
    await expect(causeIn(page, 'change')).toHaveValue('研修のため')
  })

  test('keeps the focus in the notice when the question about the times arrives late', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await openRegularDay(page)
    await unfold(page, '時間変更')
    for (const select of await formWith(page, 'change').locator('select').all()) await select.selectOption('00')
    const release = await delayRequests(page, /today\.data/, (request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'この時間にする' }).click()
    const note = page.getByRole('main').locator('details [name=note]')
    await note.pressSequentially('20:00')
    release()
    await expect(getNotice(page, '営業時間が入力されていません。')).toBeVisible()
    await expect(note).toBeFocused()
  })

  test('keeps the notice of a closed day when another tab opens the day, and reports the conflict', async ({
    owner,
  }) => {
    const page = await owner({ viewport: phone })
    const saveInOtherTab = await openRegularDay(page)
    await page.getByRole('button', { name: /^臨時休業/ }).click()
    await expect(page.getByText(closedState)).toBeVisible()
    await causeIn(page, 'words').fill('法事のため')
    await saveInOtherTab('usual')
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    await expect(causeIn(page, 'words')).toHaveValue('法事のため')
    await pressAndRead(page, 'お知らせを保存する', 'ほかの方が先に変更したか、日付が変わりました。')
    await expect(causeIn(page, 'words')).toHaveValue('法事のため')
  })
})

// Reads go to one process, and writes go to the other process. Each process has its own count of changes.
async function reorderAcross(page: Page, one: string, other: string) {
  let releaseReads = () => {}
  const reading = new Promise<void>((resolve) => {
    releaseReads = resolve
  })
  await open(page, '/dining')
  await page.getByRole('link', { name: '並べ替える' }).click()
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /を動かす/ }) })
  const handle = rows.first().getByRole('button', { name: /を動かす/ })
  const name = /「(.*)」/.exec((await handle.getAttribute('aria-label')) ?? '')?.[1] ?? ''
  await page.route('**/dining.data*', async (route) => {
    const request = route.request()
    if (request.method() === 'GET') return reading.then(() => route.continue())
    const headers = { ...(await request.allHeaders()), origin: other }
    await route.fulfill({ response: await route.fetch({ url: request.url().replace(one, other), headers }) })
  })
  await handle.focus()
  for (const position of [1, 2]) {
    const response = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.keyboard.press('ArrowDown')
    expect((await response).status()).toBe(200)
    await expect(page.getByText('並び順を保存しました。').first()).toBeVisible()
    await expect(rows.nth(position)).toContainText(name)
  }
  releaseReads()
  await page.unrouteAll({ behavior: 'wait' })
  await expect(rows.nth(2)).toContainText(name)
}
