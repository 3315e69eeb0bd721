import type { Page } from '@playwright/test'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { test, withEditButtons } from './editors.ts'
import { post } from './forms.ts'
import { createEvent } from './forms-of-days.ts'
import {
  choose,
  desktop,
  expect,
  expectAccessible,
  fillIn,
  getAnnouncement,
  goOffline,
  goOnline,
  loseFirstResponse,
  open,
  phone,
  pressEnter,
} from './visitors.ts'

// axe checks two thousand select options on some pages.
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-day'))

test('shows a guest the tapped day without a form, and scrolls to that day only on a phone', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  await page.setViewportSize(phone)
  await open(page, '/calendar?month=2026-11')
  const cell = page.getByRole('gridcell', { name: /^11月23日（月）.* 勤労感謝の日/ })
  const panel = page.getByRole('region', { name: '11月23日' })
  // Taps the cell, then its date, which is a link when JavaScript is disabled.
  for (const y of [40, 12]) {
    await page.evaluate(() => scrollTo(0, 0))
    await cell.click({ position: { x: 28, y } })
    await expect(panel).toBeInViewport({ ratio: 1 })
    await expect(panel.getByText('予定はありません。')).toBeInViewport({ ratio: 1 })
  }
  await expect(page).toHaveURL('/calendar?month=2026-11')
  expect(await page.evaluate(() => document.activeElement?.closest('[data-day]')?.getAttribute('data-day'))).toBe(
    '2026-11-23',
  )
  await expect(panel.getByRole('group')).toHaveCount(0)
  await expect(panel).not.toContainText('追加する')

  // On a desktop, the day is beside the month.
  await page.setViewportSize(desktop)
  await page.evaluate(() => scrollTo(0, 0))
  await page.getByRole('gridcell', { name: /^11月24日（火）/ }).click()
  await expect(page.getByRole('region', { name: '11月24日' })).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => scrollY)).toBe(0)
  expect(scripts.filter((url) => /(?:add-event|event-editing|event-form-|history-panel)/.test(url))).toEqual([])
})

test('scrolls to the tapped day smoothly, or in one step with reduced motion', async ({ page }) => {
  await page.setViewportSize(phone)
  await open(page, '/calendar?month=2026-10')
  await page.evaluate(() => {
    const positions = new Set<number>()
    Object.assign(window, { seen: positions })
    addEventListener('scroll', () => positions.add(scrollY))
  })
  const countSteps = async (reducedMotion: 'reduce' | 'no-preference', day: number) => {
    await page.emulateMedia({ reducedMotion })
    await page.evaluate(async () => {
      scrollTo({ top: 0, behavior: 'instant' })
      // The scroll event fires in the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      ;(window as unknown as { seen: Set<number> }).seen.clear()
    })
    await page.getByRole('gridcell', { name: new RegExp(`^10月${day}日`) }).click({ position: { x: 20, y: 30 } })
    await expect(page.getByRole('region', { name: `10月${day}日` })).toBeInViewport({ ratio: 1 })
    return page.evaluate(() => (window as unknown as { seen: Set<number> }).seen.size)
  }
  expect(await countSteps('reduce', 22)).toBe(1)
  // On a busy machine, a smooth scroll may take a single frame.
  await expect.poll(() => countSteps('no-preference', 15)).toBeGreaterThan(1)
})

withEditButtons('names the permitted editors when a visitor opens the event form', async ({ page }) => {
  await page.setViewportSize(phone)
  await open(page, '/calendar?month=2026-11')
  await page.getByRole('gridcell', { name: /^11月23日（月）.* 勤労感謝の日/ }).click()
  const panel = page.getByRole('region', { name: '11月23日' })
  await expect(panel).toContainText('勤労感謝の日')
  await expect(panel).toContainText('営業 7:30〜10:00、11:30〜14:00')
  await panel.getByText('予定を追加する').click()
  await expect(panel).toContainText('この操作はスタッフと承認されたメンバーだけが行えます。ログインしてください')
  await expect(panel.getByRole('textbox', { name: 'タイトル' })).toBeDisabled()
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
})

test('shows the holiday, the hours and the first event in a day cell at viewport widths from 320 px', async ({
  owner,
}) => {
  const page = await owner({ viewport: { width: 360, height: 740 }, isMobile: true })
  await page.goto('/api/health')
  for (const title of ['利き酒と季節の小鉢の会', 'もうひとつの会', 'さらにもうひとつ'])
    await post(page, '/calendar', { intent: 'add', id: crypto.randomUUID(), day: '2038-05-03', title, content: '' })
  const change = { intent: 'special', reason: '営業時間変更', sure: 'yes', ...noHourFields, starttime1_hour: '17' }
  await post(page, '/bussinessdays', { ...change, first: '2038-05-07', endtime1_hour: '01', endtime1_minute: '30' })
  const extraDay = { ...noHourFields, intent: 'special', reason: '臨時営業', sure: 'yes' }
  await post(page, '/bussinessdays', { ...extraDay, first: '2038-05-11' })
  await open(page, '/calendar?month=2038-05')
  const cell = (day: string) => page.locator(`[data-day="2038-05-${day}"] > div`)
  const readCell = async (day: string) => (await cell(day).innerText()).split(/\s+/).join(' ')
  const [morning, noon] = ['7:30〜10:00', '11:30〜14:00']
  await expect.poll(() => readCell('03')).toBe(`3 憲法記念 ${morning} ${noon} 利き酒と季節の小 ほか2件`)
  expect(await readCell('01')).toBe(`1 ${morning} ${noon}`)
  expect(await readCell('05')).toBe('5 こどもの 休')
  expect(await readCell('07')).toBe('7 時 17:00〜翌1:30')
  expect(await readCell('11')).toBe('11 時 営業')
  await expect(page.getByRole('list', { name: '凡例' })).toContainText('臨時営業・時間変更')

  for (const width of [320, 360, 390, 768]) {
    await page.setViewportSize({ width, height: 740 })
    const layout = await page.evaluate(() => {
      const parts = [...document.querySelectorAll<HTMLElement>('td[data-day] > div *')].filter(
        (part) => part.offsetWidth > 0 && [...part.childNodes].some(({ nodeName }) => nodeName === '#text'),
      )
      const cells = parts.map((part) => [part, part.closest('td') as HTMLElement] as const)
      return {
        small: parts.filter((part) => Number.parseFloat(getComputedStyle(part).fontSize) < 11).length,
        outside: cells
          // A time that reaches the edge of its cell would run into the next cell.
          .filter(
            ([part, cell]) =>
              part.getBoundingClientRect().right >
              cell.getBoundingClientRect().right + (part.closest('[class*=slot]') ? -1.5 : 0.5),
          )
          .map(([part]) => part.textContent),
        wider: Math.max(0, document.documentElement.scrollWidth - innerWidth),
      }
    })
    // On a wide screen, a long title ends in an ellipsis.
    if (width > 760) layout.outside = []
    expect({ width, ...layout }).toEqual({ width, small: 0, outside: [], wider: 0 })
  }
  await page.setViewportSize(desktop)
  const links = page.locator('td[data-day] a[title]')
  const heights = () => links.evaluateAll((all) => all.map((link) => (link as HTMLElement).offsetHeight))
  await expect.poll(async () => Math.min(...(await heights()))).toBeGreaterThanOrEqual(24)
  expect(await cell('03').innerText()).toContain('利き酒と季節の小鉢の会')
  expect(await readCell('03')).toContain('さらにもうひとつ')
})

test('includes the month and the hours in the accessible name of every day cell', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const closedDay = { ...noHourFields, intent: 'special', reason: '年末年始休業', first: '2038-01-02' }
  await post(page, '/bussinessdays', closedDay)
  await open(page, '/calendar?month=2037-12')
  const grid = page.getByRole('grid', { name: '2037年12月' })
  await expect(grid.getByRole('columnheader', { name: '日曜日', exact: true })).toBeVisible()
  for (const name of [
    '11月30日（月） 営業 7:30〜10:00、11:30〜14:00',
    '1月2日（土） 年末年始休業',
    '12月2日（水） 定休日',
  ])
    await expect(grid.getByRole('gridcell', { name, exact: true }), name).toBeVisible()
  const cellCount = await grid.getByRole('gridcell').count()
  await expect(grid.getByRole('gridcell', { name: /^\d+月\d+日（.）/ })).toHaveCount(cellCount)
  await expect(page.getByRole('link', { name: 'スマートフォンのカレンダーに登録する' })).toHaveAttribute(
    'href',
    '/calendar.ics',
  )
})

test('moves the focus through the day grid by keyboard, also across the edges of the month', async ({ page }) => {
  await open(page, '/calendar?month=2026-11&day=2026-11-26')
  await page.getByRole('gridcell', { name: '11月26日' }).focus()
  const steps = [
    ['PageUp', '2026-10-26'],
    ['End', '2026-10-31'],
    ['PageDown', '2026-11-30'],
    ['ArrowLeft', '2026-11-29'],
    ['ArrowUp', '2026-11-22'],
    ['ArrowDown', '2026-11-29'],
    ['ArrowLeft', '2026-11-28'],
    ['ArrowLeft', '2026-11-27'],
    ['ArrowLeft', '2026-11-26'],
    ['ArrowRight', '2026-11-27'],
    ['ArrowUp', '2026-11-20'],
    ['Home', '2026-11-15'],
    ['End', '2026-11-21'],
    ['ArrowDown', '2026-11-28'],
    ['PageDown', '2026-12-28'],
    ['Shift+PageUp', '2025-12-28'],
    ['ArrowDown', '2026-01-04'],
    ['PageUp', '2025-12-04'],
  ] as const
  for (const [key, day] of steps) {
    await page.keyboard.press(key)
    await expect.poll(() => focused(page), key).toBe(day)
  }
  await expect(page).toHaveURL(/month=2025-12/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: '12月4日（木）' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('2025-12-04')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2026年1月')
})

test('adds, edits, moves, deletes and restores an event by keyboard', async ({ owner }) => {
  const page = await owner()
  await open(page, '/calendar?month=2026-10&day=2026-10-15')
  await page.getByRole('gridcell', { name: '10月15日' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'タイトル' }).focus()
  await page.keyboard.type('新米の会')
  await page.keyboard.press('Enter')
  const cell = page.getByRole('gridcell', { name: '10月15日（木） 営業 7:30〜10:00、11:30〜14:00 予定 新米の会' })
  await expect(cell).toBeVisible()
  await expect(page.locator('[data-notice=done]')).toContainText('予定を追加しました')
  await expectAccessible(page)

  await page.getByRole('link', { name: '終日 新米の会' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: '新米の会' })
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: '編集する' }).press('Enter')
  await dialog.getByRole('textbox', { name: '内容' }).fill('土鍋で炊きます。')
  await fillIn(dialog, { 開始: '22:00', 終了: '02:15' })
  await dialog.getByRole('checkbox', { name: '出欠をとる' }).press('Space')
  await dialog.getByLabel('締切の日').fill('2026-10-13')
  await dialog.getByRole('button', { name: '保存する' }).press('Enter')
  // The form keeps the input, and a confirmation checkbox for the end on the next day appears.
  const end = dialog.getByLabel('終了')
  await expect(end).toBeFocused()
  await expect(end).toHaveAccessibleDescription(/終了が開始より前です。翌日の2:15に終わる予定なら/)
  await expect(dialog.getByRole('textbox', { name: '内容' })).toHaveValue('土鍋で炊きます。')
  const overnight = dialog.getByRole('checkbox', { name: '翌日の2:15に終わる（4時間15分）' })
  await expect(overnight).not.toBeChecked()
  await expectAccessible(page)
  await overnight.press('Space')
  await dialog.getByRole('button', { name: '保存する' }).press('Enter')
  await expect(dialog).toHaveCount(0)

  await page.getByRole('link', { name: '新米の会' }).press('Enter')
  await expect(dialog).toContainText('22:00〜翌2:15')
  await expect(dialog).toContainText('土鍋で炊きます。')
  await dialog.getByRole('button', { name: '編集する' }).press('Enter')
  await expect(overnight).toBeChecked()
  await dialog.getByLabel('日付を変更する').fill('2026-10-16')
  await dialog.getByRole('button', { name: 'この日に変更する' }).press('Enter')
  await expect(page.getByText('日付を変更しました。締切も10月14日（水）に変更しました。')).toHaveCount(2)
  await expect(page.getByRole('gridcell', { name: /10月16日.*新米の会/ })).toBeVisible()

  await page.getByRole('gridcell', { name: /10月16日/ }).press('Enter')
  await page.getByRole('link', { name: '新米の会' }).press('Enter')
  await dialog.getByRole('button', { name: '削除する' }).press('Enter')
  const question = page.getByRole('alertdialog', { name: '2026年10月16日のイベントを削除しますか？' })
  await expect(question).toContainText('新米の会')
  await expectAccessible(page)
  await question.getByRole('button', { name: '削除する' }).press('Enter')
  const alert = page.getByRole('alertdialog', { name: 'イベントを削除しました' })
  await alert.getByRole('button', { name: '閉じる' }).press('Enter')
  await expect(page.getByText('新米の会')).toHaveCount(0)
  await expect(page).not.toHaveURL(/event/)
  await expect(getAnnouncement(page, 'イベントを削除しました')).toHaveCount(1)
  await expect(page.locator(':focus')).not.toHaveCount(0)
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  await expect(page.getByRole('gridcell', { name: /10月16日.*新米の会/ })).toBeVisible()
  // The notice of the undo belongs to this month, so the next month does not show the notice.
  const undoNotice = page.locator('[data-notice=done]').getByText('元に戻しました')
  await expect(undoNotice).toBeVisible()
  await page.getByRole('link', { name: '次の月' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2026年11月')
  await expect(undoNotice).toHaveCount(0)
})

test('opens an event on click without selecting its day', async ({ page }) => {
  await page.setViewportSize(desktop)
  await open(page, '/calendar')
  const event = page.getByRole('gridcell').locator('a', { hasText: 'テニス練習会' }).first()
  if ((await event.count()) === 0) await page.getByRole('link', { name: '次の月' }).click()
  await expect(event).toBeVisible()
  const selected = () =>
    page.locator('[aria-selected=true]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-day')))
  const selectedBefore = await selected()
  await event.click()
  await expect(page.getByRole('dialog', { name: 'テニス練習会' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await selected()).toEqual(selectedBefore)
})

test.describe('while the page is revalidating', () => {
  // React Router aborts the revalidation when the next month is opened, and the browser logs the abort.
  test.use({ expectedErrors: [/AbortError/] })

  test('shows the event of another editor when the next month is opened', async ({ owner, page }) => {
    await open(page, '/calendar?month=2027-02')
    const editor = await owner()
    await editor.goto('/api/health')
    await createEvent(editor, { day: '2027-03-03', title: '桃の節句' })
    await page.getByRole('link', { name: '次の月' }).click()
    await expect(page.getByRole('gridcell', { name: /3月3日.*桃の節句/ })).toBeVisible()
  })
})

test('saves a special day by keyboard, and shows its month with an undo button', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/bussinessdays')
  await page.getByRole('link', { name: '特別営業日' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'これからの特別営業日' })).toBeVisible()
  await choose(page, { 日付の年: '2038', 日付の月: '1' })
  await page.getByLabel('日付の日', { exact: true }).selectOption('31')
  await page.getByLabel('日付の月').selectOption('2')
  await expect(page.getByLabel('日付の日', { exact: true })).toHaveValue('28')
  await expect(page.getByLabel('第1部（朝の部） 開始の時')).toBeHidden()
  await page.getByLabel('理由', { exact: true }).selectOption('営業時間変更')
  await choose(page, { '第1部（朝の部） 開始の時': '10', '第1部（朝の部） 終了の時': '15' })
  await choose(page, { '第2部（昼の部） 開始の時': '14', '第2部（昼の部） 終了の時': '16' })
  await page.getByLabel('第2部（昼の部） 終了の分').selectOption('30')
  await expect(page.getByText('第1部と第2部が重なっています')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'スケジュールを登録する' }).press('Enter')
  await expect(page).toHaveURL(/\/calendar\?month=2038-02/)
  await expect(page.getByRole('gridcell', { name: /^2月28日（日）.* 営業時間変更 10:30〜16:30$/ })).toBeVisible()
  await expect(page.locator('#main')).toBeFocused()
  await expect(getAnnouncement(page, '営業時間を保存しました。')).toHaveCount(1)
  await page.setViewportSize(desktop)
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  await expect(page.getByRole('gridcell', { name: /^2月28日（日）.* 営業 7:30〜10:00、11:30〜14:00$/ })).toBeVisible()
  await expect(getAnnouncement(page, '元に戻しました。')).toHaveCount(1)
  await expect(page.locator(':focus')).not.toHaveCount(0)
  await expectAccessible(page)
})

test('requires a confirmation from the second of two editors before the week is overwritten', async ({ owner }) => {
  const [one, other] = [await owner(), await owner()]
  await open(one, '/bussinessdays?by=day')
  await other.route(/\/api\/live/, (route) => route.abort())
  await open(other, '/bussinessdays?by=day')
  await one.getByLabel('祝日 第1部（朝の部） 終了の時').selectOption('09')
  await one.getByRole('button', { name: '編集する' }).click()
  await one.getByRole('button', { name: '営業する', exact: true }).click()
  // The text beside the hours may now be wrong, so the cancel link has the focus.
  await expect(one.locator('[data-notice=trouble]')).toContainText('火曜日・水曜日と年末年始はお休みです。')
  await expect(one.getByRole('link', { name: 'やめる' })).toBeFocused()
  await expectAccessible(one)
  await one.getByRole('button', { name: 'このまま保存する' }).click()
  await expect(one).toHaveURL(/\/calendar/)
  await other.getByLabel('祝日 第1部（朝の部） 終了の時').selectOption('08')
  await other.getByLabel('月曜日の営業').selectOption('close')
  await other.getByRole('button', { name: '編集する' }).click()
  await expect(other.locator('[data-notice=trouble]').getByText('ほかの方が先に保存しました')).toBeVisible()
  await other.getByRole('button', { name: '編集する' }).click()
  await other.getByRole('button', { name: '営業する', exact: true }).click()
  await other.getByRole('button', { name: '保存して、文章を編集する' }).click()
  await expect(other).toHaveURL(/\/site#guide$/)
  await expect(other.getByRole('region', { name: 'ご案内' })).toBeFocused()
  await expect(other.locator('[data-notice=done]')).toContainText('営業時間を保存しました。')
})

test('shows a reverted week in its form, and saves further changes', async ({ owner }) => {
  const page = await owner()
  const close = page.getByLabel('祝前日の営業')
  await open(page, '/bussinessdays?by=day')
  const valueBefore = await close.inputValue()
  for (const choice of ['close', 'open']) {
    await close.selectOption(choice)
    await page.getByRole('button', { name: '編集する' }).press('Enter')
    await pressEnter(page.getByRole('button', { name: 'このまま保存する' }))
    await expect(page).toHaveURL(/\/calendar/)
    await page.goBack()
    await expect(close).toHaveValue(choice)
  }
  await close.selectOption(valueBefore)
  await page.getByText('変更履歴').click()
  await page
    .getByRole('button', { name: /この時点に戻す/ })
    .first()
    .press('Enter')
  await expect(page.locator('[data-notice=done]')).toContainText('選んだ時点の内容に戻しました')
  await expect(close).toHaveValue('close')
  await expect(page.locator(':focus')).not.toHaveCount(0)
  await close.selectOption('open')
  await page.getByRole('button', { name: '編集する' }).press('Enter')
  await pressEnter(page.getByRole('button', { name: 'このまま保存する' }))
  await expect(page).toHaveURL(/\/calendar/)
})

test('requires a confirmation before a special day is replaced, and focuses the cancel link', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const closedDay = { ...noHourFields, intent: 'special', reason: '臨時休業', first: '2096-03-04' }
  await post(page, '/bussinessdays', closedDay)
  await open(page, '/bussinessdays?table=special')
  await choose(page, { 日付の年: '2096', 日付の月: '3' })
  await page.getByLabel('日付の日', { exact: true }).selectOption('4')
  await page.getByRole('button', { name: 'スケジュールを登録する' }).press('Enter')
  const question = page.locator('[data-notice=trouble]')
  await expect(question).toContainText('すでに設定のある日が1日あります')
  await expect(question.getByRole('link', { name: 'やめる' })).toBeFocused()
  await question.getByRole('button', { name: '置き換えて保存する' }).press('Enter')
  await expect(page).toHaveURL(/\/calendar\?month=2096-03/)
})

test('keeps the input when a save fails offline', async ({ owner }) => {
  const page = await owner()
  await open(page, '/calendar?month=2026-10&day=2026-10-20')
  await page.getByRole('textbox', { name: 'タイトル' }).fill('栗の会')
  await goOffline(page)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.locator('[data-notice=trouble]')).toHaveText(/^通信エラーが発生しました。/)
  await expect(page.getByRole('textbox', { name: 'タイトル' })).toHaveValue('栗の会')
  await goOnline(page)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.getByRole('gridcell', { name: /10月20日.*栗の会/ })).toBeVisible()
})

test('shows the result of a save while the change history is still loading', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const { path } = await createEvent(page)
  await page.route(/\/history\/event/, () => {})
  await open(page, path)
  const dialog = page.getByRole('dialog')
  const historyRequest = page.waitForRequest(/\/history\/event/)
  await dialog.getByRole('button', { name: '編集する' }).click()
  await historyRequest
  await dialog.getByLabel('日付を変更する').fill('2031-05-06')
  await goOffline(page)
  await dialog.getByRole('button', { name: 'この日に変更する' }).click()
  await expect(dialog.locator('[data-notice=trouble]')).toHaveText(/^通信エラーが発生しました。/)
  await page.unroute(/\/history\/event/)
  await goOnline(page)
  await dialog.getByRole('button', { name: 'この日に変更する' }).click()
  await expect(page.getByText('日付を変更しました。').first()).toBeVisible()
  await expect(dialog).toHaveCount(0)
})

test('adds an event that was changed after a lost response only when it is sent once more', async ({ owner }) => {
  const page = await owner({ viewport: desktop })
  await open(page, '/calendar?month=2098-05&day=2098-05-16')
  await loseFirstResponse(page)
  const panel = page.getByRole('region', { name: '5月16日' })
  const events = page.getByRole('link', { name: /(?:忘|新)年の会/ })
  const add = async (title: string) => {
    await panel.getByRole('textbox', { name: 'タイトル' }).fill(title)
    await panel.getByRole('button', { name: '追加する' }).click()
  }
  await add('忘年の会')
  await expect(panel).toContainText('通信エラーが発生しました。')
  await add('新年の会')
  await expect(panel).toContainText('いまの内容はまだ保存していません。')
  await expect(events.filter({ hasText: '忘年の会' }).first()).toBeVisible()
  await expect(events.filter({ hasText: '新年の会' })).toHaveCount(0)
  await panel.getByRole('button', { name: '追加する' }).click()
  await expect(page.locator('[data-notice=done]')).toContainText('予定を追加しました')
  await expect(events.filter({ hasText: '新年の会' }).first()).toBeVisible()
})
