import type { Page } from '@playwright/test'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { readForms } from '../../server/testing-forms.ts'
import { createTestOnOwnSite } from './editors.ts'
import { post } from './forms.ts'
import { openWithoutScripts } from './open-without-scripts.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, getNotice, goOffline, goOnline, open, phone, pressEnter } from './visitors.ts'

// A separate site, because the tests change its hours.
const test = createTestOnOwnSite('site of hours')
const phoneOptions = { viewport: phone, hasTouch: true }

const regularHours = {
  ...{ starttime1_hour: '07', starttime1_minute: '30', endtime1_hour: '10', endtime1_minute: '00' },
  ...{ starttime2_hour: '11', starttime2_minute: '30', endtime2_hour: '14', endtime2_minute: '00' },
}
/** Restores the weekly hours of the sample. */
async function restoreSampleWeek(page: Page) {
  await page.goto('/api/health')
  const row = (name: string) => {
    if (/^[火水]/.test(name)) return { ...noHourFields, open_or_close: 'close' }
    return name.startsWith('祝')
      ? { ...noHourFields, open_or_close: 'open' }
      : { ...regularHours, open_or_close: 'open' }
  }
  const rows = scheduleRows.flatMap((name) =>
    Object.entries(row(name)).map(([field, value]) => [`${name}.${field}`, value]),
  )
  const sent = {
    intent: 'week',
    beside: 'stays',
    version: (await readStoredWeek(page)).version ?? '',
    ...Object.fromEntries(rows),
  }
  await post(page, '/bussinessdays', sent)
}

/** Returns the fields of the stored week, by day. */
async function readStoredWeek(page: Page): Promise<Record<string, string>> {
  const html = await (await page.request.get('/bussinessdays?by=day')).text()
  const form = readForms(html).find(({ names }) => names.has('日曜日.starttime1_hour'))
  return Object.fromEntries(form?.fields ?? [])
}

const removeTags = (html: string) => html.replace(/<[^>]*>/g, '')

/** Returns the texts of /infomation and of the rows of its weekly hours, as a guest receives the page. */
async function readShopPage(site: string) {
  const html = await (await fetch(`${site}/infomation`)).text()
  const table = html.match(/<table.*?<\/table>/gs)?.find((each) => each.includes('曜日ごとの営業時間')) ?? ''
  const rows = (table.match(/<tr.*?<\/tr>/gs) ?? []).map(removeTags)
  return { text: removeTags(html), rows, findRow: (day: string) => rows.find((row) => row.includes(day)) }
}

const bar = (page: Page) => page.getByRole('navigation', { name: '管理メニュー' })
/** Opens /today from home with one tap. Returns the `Thumb`, which has counted this tap. */
async function tapToToday(page: Page) {
  await open(page, '/')
  const thumb = new Thumb()
  await thumb.tap(bar(page).getByRole('link', { name: '本日の営業' }))
  return thumb
}

/** Confirms in the form that the text beside the hours stays unchanged. Waits for the calendar. */
async function keepHoursText(page: Page) {
  await page.getByRole('button', { name: 'このまま保存する' }).click()
  await expect(page).toHaveURL(/\/calendar$/)
}

const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
const chip = (page: Page, place: string, day: string) =>
  group(page, place)
    .locator('label')
    .filter({ has: page.getByRole('radio', { name: day, exact: true }) })
const time = (page: Page, of: string, name: string) => page.getByLabel(`${of} ${name}`, { exact: true })

test('sets the same hours for all open days in twelve taps from home', async ({ owner, site }) => {
  const page = await owner(phoneOptions)
  await restoreSampleWeek(page)
  const thumb = await tapToToday(page)
  await thumb.tap(page.getByRole('link', { name: '毎週の営業時間', exact: true }))
  await thumb.choose(time(page, '営業時間', '第1部（朝の部） 開始の時'), '11')
  await thumb.choose(time(page, '営業時間', '第1部（朝の部） 開始の分'), '00')
  await thumb.choose(time(page, '営業時間', '第1部（朝の部） 終了の時'), '21')
  await thumb.tap(page.getByRole('button', { name: '営業時間 第2部（昼の部）なし' }))
  await expect(time(page, '営業時間', '第2部（昼の部） 開始の時')).toBeFocused()
  await thumb.tap(page.getByRole('button', { name: '保存する', exact: true }))
  await thumb.tap(page.getByRole('button', { name: 'このまま保存する' }))
  await expect(page).toHaveURL(/\/calendar$/)
  expect(thumb.taps).toBeLessThanOrEqual(12)
  const { rows, findRow } = await readShopPage(site)
  expect(rows.join()).toContain('11:00〜21:00')
  expect(rows.join()).not.toContain('11:30')
  expect(findRow('火曜日')).toContain('定休日')
})

const testOnEmptySite = createTestOnOwnSite('site without hours')

testOnEmptySite('sets the first week of a new shop in twelve taps from home', async ({ owner, site }) => {
  const page = await owner(phoneOptions)
  await page.goto('/api/health')
  await post(page, '/today', { intent: 'remove the sample' })
  const thumb = await tapToToday(page)
  await thumb.tap(page.getByRole('link', { name: '毎週の営業時間', exact: true }))
  await thumb.choose(time(page, '営業時間', '第1部 開始の時'), '11')
  await thumb.choose(time(page, '営業時間', '第1部 終了の時'), '21')
  await thumb.tap(chip(page, '定休日', '火曜日'))
  await thumb.tap(chip(page, '定休日', '水曜日'))
  await expect(group(page, '営業時間').getByRole('radio', { checked: true })).toHaveCount(5)
  await thumb.tap(page.getByRole('button', { name: '保存する', exact: true }))
  await expect(page).toHaveURL(/\/calendar$/)
  expect(thumb.taps).toBeLessThanOrEqual(12)
  const { findRow } = await readShopPage(site)
  expect(findRow('木曜日')).toContain('11:00〜21:00')
  expect(findRow('水曜日')).toContain('定休日')
})

test('changes the hours of tomorrow in seven taps from home, and closes today in two taps', async ({ owner }) => {
  const page = await owner(phoneOptions)
  await restoreSampleWeek(page)
  const thumb = await tapToToday(page)
  await thumb.tap(page.getByRole('link', { name: '明日' }))
  await thumb.choose(time(page, '明日', '第1部（朝の部） 開始の時'), '08')
  await thumb.choose(time(page, '明日', '第1部（朝の部） 終了の時'), '11')
  await thumb.tap(page.getByRole('button', { name: 'この時間にする' }))
  const done = page.locator('[data-notice=done]').filter({ hasText: 'にしました' })
  await expect(done).toContainText(/^明日 \d+月\d+日（.）を「(?:営業時間変更|臨時営業)」にしました。/)
  expect(thumb.taps).toBeLessThanOrEqual(7)
  await expect(page.getByRole('strong').locator('..')).toContainText('8:30〜11:00、11:30〜14:00')

  const other = await tapToToday(page)
  await other.tap(page.getByRole('button', { name: /^臨時休業/ }))
  await expect(done).toContainText('本日を「臨時休業」にしました。')
  expect(other.taps).toBe(2)
  await page.getByRole('button', { name: /^通常どおり/ }).tap()
  await expect(getNotice(page, '本日を通常どおりに戻しました。')).toBeVisible()
  await expect(done).toHaveCount(0)
})

test('copies the hours of the first group to a new group of days', async ({ owner }) => {
  const page = await owner({ viewport: { width: 320, height: 700 }, hasTouch: true })
  await restoreSampleWeek(page)
  await open(page, '/bussinessdays')
  await time(page, '営業時間', '第1部（朝の部） 終了の時').selectOption('09')
  await page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first().tap()
  await expect(time(page, '営業時間 2', '第1部（朝の部） 終了の時')).toHaveValue('09')
  await chip(page, '営業時間 2', '土曜日').tap()
  await expect(group(page, '営業時間').getByRole('radio', { name: '土曜日' })).not.toBeChecked()
  await time(page, '営業時間 2', '第2部（昼の部） 終了の時').selectOption('16')
  // Nothing overflows, and each day is large enough for a finger.
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  const labels = await group(page, '営業時間 2')
    .locator('label')
    .evaluateAll((all) =>
      all.map((label) => {
        const { width, height } = label.getBoundingClientRect()
        return { size: Math.min(width, height), overflows: label.scrollWidth > label.clientWidth }
      }),
    )
  expect(labels.length).toBeGreaterThan(6)
  expect(labels.filter(({ size, overflows }) => size < 44 || overflows)).toEqual([])
  await expectAccessible(page)
  await page.getByRole('button', { name: '保存する', exact: true }).tap()
  await keepHoursText(page)
  expect(await readStoredWeek(page)).toMatchObject({
    ...{ '土曜日.endtime1_hour': '09', '土曜日.endtime2_hour': '16' },
    '日曜日.endtime2_hour': '14',
  })
})

test('asks before another view of the hours replaces unsaved input', async ({ owner }) => {
  const page = await owner()
  await open(page, '/bussinessdays')
  const prompt = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const leave = async (link: string) => {
    await page.getByRole('main').getByRole('link', { name: link, exact: true }).click()
    await expect(prompt).toContainText('入力した内容はまだ保存されていません。この画面を離れますか？')
    await prompt.getByRole('button', { name: '離れる' }).click()
  }
  const end = time(page, '営業時間', '第1部（朝の部） 終了の時')
  await end.selectOption('09')
  await page.getByRole('link', { name: '1日ずつ' }).click()
  await prompt.getByRole('button', { name: 'やめる' }).click()
  await expect(prompt).toHaveCount(0)
  await expect(page).toHaveURL('/bussinessdays')
  await expect(end).toHaveValue('09')
  await leave('1日ずつ')
  await expect(page).toHaveURL('/bussinessdays?by=day')

  await page
    .getByRole('button', { name: '日曜日をすべての曜日にコピーする' })
    .or(page.getByRole('button', { name: '月曜日をすべての曜日にコピーする' }))
    .click()
  await leave('特別営業日')
  await expect(page).toHaveURL('/bussinessdays?table=special')

  await page.getByLabel('理由', { exact: true }).selectOption({ index: 1 })
  await leave('毎週の営業時間')
  await expect(page).toHaveURL('/bussinessdays')
  await page.getByRole('link', { name: '1日ずつ' }).click()
  await expect(page).toHaveURL('/bussinessdays?by=day')
})

test('keeps a weekly closing day closed on holidays when the owner chooses this option', async ({ owner, site }) => {
  const page = await owner(phoneOptions)
  await restoreSampleWeek(page)
  await open(page, '/bussinessdays')
  await page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first().click()
  await chip(page, '営業時間 2', '祝日').tap()
  await time(page, '営業時間 2', '第2部（昼の部） 終了の時').selectOption('02')
  await page.getByRole('button', { name: '保存する', exact: true }).tap()
  const question = page.locator('[data-notice=trouble]')
  await expect(question).toContainText('祝日・祝前日の時間で営業することになります')
  await expect(question.getByRole('listitem').first()).toHaveText(/^祝日 7:30〜10:00、11:30〜翌2:00.*（[火水]）$/)
  await expect(page.getByRole('link', { name: 'やめる' })).toBeFocused()
  const confirmButton = page.getByRole('button', { name: '定休日を優先する' })
  await expect(confirmButton).toBeInViewport({ ratio: 1 })
  await expectAccessible(page)
  await confirmButton.tap()
  await keepHoursText(page)
  expect((await readShopPage(site)).text).toContain('定休日は、祝日や祝前日でもお休みいたします。')
  expect(await readStoredWeek(page)).toMatchObject({ closedDaysFirst: 'yes' })
})

test('copies the hours to a group of days that was opened before the scripts ran', async ({ owner }) => {
  const page = await owner()
  await restoreSampleWeek(page)
  const hydrate = await openWithoutScripts(page, '/bussinessdays', '')
  await time(page, '営業時間', '第1部（朝の部） 開始の時').selectOption('05')
  await page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first().click()
  await hydrate()
  await expect(time(page, '営業時間 2', '第1部（朝の部） 開始の時')).toHaveValue('05')
})

test('moves a day to another group by keyboard, and keeps the input after an error', async ({ owner }) => {
  const page = await owner()
  await restoreSampleWeek(page)
  await open(page, '/bussinessdays')
  await group(page, '営業時間').getByRole('radio', { name: '土曜日' }).focus()
  await page.keyboard.press('ArrowDown')
  const closedRadio = group(page, '定休日').getByRole('radio', { name: '土曜日' })
  await expect(closedRadio).toBeChecked()
  await expect(closedRadio).toBeFocused()
  await page.locator('summary', { hasText: '時間の異なる曜日を追加' }).first().press('Enter')
  await group(page, '営業時間').getByRole('radio', { name: '日曜日' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(group(page, '営業時間 2').getByRole('radio', { name: '日曜日' })).toBeFocused()
  for (const [part, value] of [
    ['第1部（朝の部） 開始の時', '10'],
    ['第1部（朝の部） 開始の分', '00'],
  ] as const)
    await time(page, '営業時間 2', part).selectOption(value)
  await page.getByRole('button', { name: '保存する', exact: true }).press('Enter')
  await expect(page.getByText('開始と終了が同じ時刻です。')).toBeVisible()
  await expect(time(page, '営業時間 2', '第1部（朝の部） 開始の時')).toBeFocused()
  await time(page, '営業時間 2', '第1部（朝の部） 開始の時').selectOption('09')
  await goOffline(page)
  await page.getByRole('button', { name: '保存する', exact: true }).press('Enter')
  await expect(page.locator('[data-notice=trouble]')).toContainText('通信エラーが発生しました。')
  await goOnline(page)
  await expect(closedRadio).toBeChecked()
  await expect(group(page, '営業時間 2').getByRole('radio', { name: '日曜日' })).toBeChecked()
  await page.getByRole('button', { name: '保存する', exact: true }).press('Enter')
  await pressEnter(page.getByRole('button', { name: 'このまま保存する' }))
  await expect(page).toHaveURL(/\/calendar$/)
  expect(await readStoredWeek(page)).toMatchObject({
    '土曜日.open_or_close': 'close',
    '日曜日.starttime1_hour': '09',
  })
})

test('copies the hours of one day to the next day or to the whole week', async ({ owner }) => {
  const page = await owner()
  await restoreSampleWeek(page)
  await open(page, '/bussinessdays?by=day')
  await time(page, '日曜日', '第1部（朝の部） 終了の時').selectOption('09')
  await page.getByRole('button', { name: '日曜日をすべての曜日にコピーする' }).click()
  for (const day of ['月曜日', '火曜日', '土曜日']) {
    await expect(time(page, day, '第1部（朝の部） 終了の時')).toHaveValue('09')
    await expect(page.getByLabel(`${day}の営業`)).toHaveValue('open')
  }
  await expect(time(page, '祝日', '第1部（朝の部） 終了の時')).toHaveValue('00')
  await page.getByLabel('月曜日の営業').selectOption('close')
  await page.getByRole('button', { name: '火曜日を上の日と同じにする' }).press('Enter')
  await expect(page.getByLabel('火曜日の営業')).toHaveValue('close')
  await expect(page.locator('[data-announcements]')).toContainText('火曜日を月曜日と同じにしました')
  await expect(page.getByLabel('水曜日の営業')).toHaveValue('open')
  await page.getByRole('button', { name: '編集する' }).click()
  await keepHoursText(page)
  await page.goBack()
  await expect(page.getByLabel('火曜日の営業')).toHaveValue('close')
  await expect(time(page, '土曜日', '第1部（朝の部） 終了の時')).toHaveValue('09')
})
