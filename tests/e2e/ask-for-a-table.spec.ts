import type { Page } from '@playwright/test'
import { changeBooking, readBooking } from '../../app/bookings/bookings.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { openWithoutScripts } from './open-without-scripts.ts'
import { author, test as siteTest } from './site-with-data.ts'
import { delayRequests, expect, expectAccessible, open, openWithLiveUpdates, phone } from './visitors.ts'

const test = siteTest.extend<{ tables: undefined }>({
  tables: [
    async ({ db, site }, use) => {
      const change = async (isOn: boolean) => {
        const { version } = await readSiteToEdit(db)
        await saveSite(db, { version, facts: { takesTableRequests: isOn, otherLanguages: isOn } }, author())
        // The site detects a change by another process within 250 ms.
        await expect.poll(async () => (await fetch(`${site}/en/table`)).status).toBe(isOn ? 200 : 404)
      }
      await change(true)
      await use(undefined)
      await change(false)
    },
    { auto: true },
  ],
})
test.describe.configure({ mode: 'default' })
test.use({ viewport: phone, hasTouch: true })

const day = (page: Page) => page.getByLabel(/^(?:日にち|Day)/)
/** Returns the value of a day that guests can choose, a week or more ahead. */
const nextDay = async (page: Page) => (await day(page).locator('option').nth(6).getAttribute('value')) ?? ''
const send = (page: Page) => page.getByRole('button', { name: /^(?:お席を申し込む|Request this table)$/ })
const state = (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 })

async function fillForm(page: Page, path = '/table') {
  await open(page, path)
  await day(page).selectOption(await nextDay(page))
  await page.getByRole('radio').nth(1).check()
  await page.getByLabel(/^(?:お名前|Name)/).fill('青木 花')
  await page.getByLabel(/^(?:電話番号|Phone number)/).fill('090-1234-5678')
  // The form rejects input that is faster than a person.
  const shownAt = Number(await page.locator('[name=shownAt]').inputValue())
  await expect.poll(() => Date.now() - shownAt).toBeGreaterThan(3200)
}

async function askForTable(page: Page, path?: string) {
  await fillForm(page, path)
  await send(page).click()
  await expect(page).toHaveURL(/\/table\/[\da-f-]{36}$/)
  return page.url().split('/').at(-1) ?? ''
}

async function answer(db: Parameters<typeof readBooking>[0], id: string, changes: Parameters<typeof changeBooking>[2]) {
  const version = (await readBooking(db, id))?.version ?? 0
  expect(await changeBooking(db, { id, version, own: [] }, changes, author())).toHaveProperty('ok')
}

test('leads from home to a request, whose page shows the reply at once', async ({ page, db }) => {
  await open(page, '/')
  await page.getByRole('main').getByRole('link', { name: 'お席のお申し込み' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('お席のお申し込み')
  const id = await askForTable(page)
  await expect(state(page)).toHaveText('お店からのお返事をお待ちください')
  await expect(page.getByText('••••5678')).toBeVisible()
  await openWithLiveUpdates(page, `/table/${id}`)
  await answer(db, id, () => ({ state: 'accepted', reply: 'カウンター席です。' }))
  await expect(state(page)).toHaveText('お席をご用意いたします')
  await expect(page.getByText('カウンター席です。')).toBeVisible()
})

test('shows the times of a day and a party that were chosen before the scripts ran', async ({ page }) => {
  const hydrate = await openWithoutScripts(page, '/table')
  const chosen = await nextDay(page)
  await day(page).selectOption(chosen)
  await page.getByLabel('人数').selectOption('4')
  await hydrate()
  await expect(page).toHaveURL(`/table?day=${chosen}&party=4`)
  await expect(page.getByRole('radio').first()).toBeVisible()
  await expect(day(page)).toHaveValue(chosen)
  await expect(page.getByLabel('人数')).toHaveValue('4')
})

test('offers another time, which the guest accepts', async ({ page, db }) => {
  const id = await askForTable(page)
  const booked = await readBooking(db, id)
  await answer(db, id, () => ({ state: 'offered', offeredDay: booked?.day ?? '', offeredTime: '13:00', reply: '' }))
  await open(page, `/table/${id}`)
  await page.getByRole('button', { name: 'このお時間でお願いする' }).click()
  await expect(state(page)).toHaveText('お席をご用意いたします')
  await expect(page.getByText(/ 13:00$/)).toBeVisible()
})

test('keeps the typed text while another day and another party are chosen', async ({ page }) => {
  await fillForm(page)
  await page.getByLabel('人数').selectOption('7')
  await expect(page.getByText(/^7名以上のお席は/)).toBeVisible()
  await expect(send(page)).toBeHidden()
  await page.getByLabel('人数').selectOption('4')
  await expect(page.getByLabel(/^お名前/)).toHaveValue('青木 花')
  await expect(page.getByRole('radio').nth(1)).toBeChecked()
  await page.reload()
  await expect(page.getByLabel(/^お名前/)).toHaveValue('青木 花')
})

test('sends the day and party that the form shows while their times load', async ({ page, db }) => {
  await fillForm(page)
  const chosenDay = (await day(page).locator('option').nth(7).getAttribute('value')) ?? ''
  const release = await delayRequests(page, /\/table\.data/, (request) => request.method() === 'GET')
  await day(page).selectOption(chosenDay)
  await page.getByLabel('人数').selectOption('4')
  await send(page).click()
  await expect(page).toHaveURL(/\/table\/[\da-f-]{36}$/)
  release()
  const id = page.url().split('/').at(-1) ?? ''
  expect(await readBooking(db, id)).toMatchObject({ day: chosenDay, party: 4 })
})

test('changes to the day and party that the form shows while their times load', async ({ page, db }) => {
  const id = await askForTable(page)
  await page.getByText('日時や人数を変更する').click()
  const chosenDay = (await day(page).locator('option').nth(7).getAttribute('value')) ?? ''
  const release = await delayRequests(page, /\/table\/[\da-f-]+\.data/, (request) => request.method() === 'GET')
  await day(page).selectOption(chosenDay)
  await page.getByLabel('人数').selectOption('4')
  await page.getByRole('button', { name: 'この内容に変更する' }).click()
  await expect.poll(async () => (await readBooking(db, id))?.party).toBe(4)
  release()
  expect(await readBooking(db, id)).toMatchObject({ day: chosenDay, party: 4 })
})

test('shows every error beside its field and focuses the first one', async ({ page }) => {
  await open(page, '/table')
  await day(page).selectOption(await nextDay(page))
  await send(page).click()
  for (const error of [
    '時刻を選んでください',
    'お名前を入力してください',
    '電話番号かメールアドレスを入力してください',
  ])
    await expect(page.getByText(error)).toBeVisible()
  await expect(page.getByRole('radio').first()).toBeFocused()
  await expectAccessible(page)
})

test('changes and cancels the request by keyboard', async ({ page, db }) => {
  const id = await askForTable(page)
  await page.getByText('日時や人数を変更する').press('Enter')
  await page.getByLabel('人数').selectOption('3')
  await expect(page.getByText(/3名のお時間をお選びください/)).toBeVisible()
  await page.getByRole('button', { name: 'この内容に変更する' }).press('Enter')
  await expect(page.getByText('3名', { exact: true }).first()).toBeVisible()
  await expect.poll(async () => (await readBooking(db, id))?.party).toBe(3)
  await page.getByText('お申し込みを取り消す').press('Enter')
  await page.getByRole('button', { name: '取り消す' }).press('Enter')
  await expect(state(page)).toHaveText('このお申し込みは取り消されました')
  await expect(page.getByText('日時や人数を変更する')).toHaveCount(0)
})

test('explains a cancellation that crosses a reply', async ({ page, openPage, db }) => {
  const id = await askForTable(page)
  const other = await openPage({ javaScriptEnabled: false })
  await other.goto(`/table/${id}`)
  await answer(db, id, () => ({ state: 'accepted', reply: '' }))
  await other.getByText('お申し込みを取り消す').click()
  await other.getByRole('button', { name: '取り消す' }).click()
  await expect(other.getByText('内容が変わりました')).toBeVisible()
  await expect(state(other)).toHaveText('お席をご用意いたします')
})

test('works without scripts', async ({ openPage }) => {
  const page = await openPage({ javaScriptEnabled: false })
  await page.goto('/table')
  await day(page).selectOption(await nextDay(page))
  await page.getByRole('button', { name: 'お時間を表示する' }).click()
  await page.getByLabel(/^お名前/).fill('青木 花')
  await send(page).click()
  await expect(page.getByText('時刻を選んでください')).toBeVisible()
  await expect(page.getByLabel(/^お名前/)).toHaveValue('青木 花')
  await page.getByRole('radio').nth(1).check()
  await page.getByLabel(/^電話番号/).fill('090-1234-5678')
  const shownAt = Number(await page.locator('[name=shownAt]').inputValue())
  await expect.poll(() => Date.now() - shownAt).toBeGreaterThan(3200)
  await send(page).click()
  await expect(state(page)).toHaveText('お店からのお返事をお待ちください')
  await page.getByText('日時や人数を変更する').click()
  await page.getByLabel('人数').selectOption('3')
  await page.getByRole('button', { name: 'お時間を表示する' }).click()
  await page.getByRole('button', { name: 'この内容に変更する' }).click()
  await expect(page.getByText('3名', { exact: true }).first()).toBeVisible()
  await page.getByText('お申し込みを取り消す').click()
  await page.getByRole('button', { name: '取り消す' }).click()
  await expect(state(page)).toHaveText('このお申し込みは取り消されました')
})

test('speaks English', async ({ page }) => {
  await askForTable(page, '/en/table')
  await expect(page).toHaveURL(/\/en\/table\//)
  await expect(state(page)).toHaveText('Please wait for our reply')
  await expectAccessible(page)
})

test('shows the chosen day and party whole on every screen', async ({ page }) => {
  for (const width of [320, 390, 480, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    for (const path of ['/table', '/en/table']) {
      await open(page, path)
      for (const name of ['day', 'party']) {
        const [shownWidth, neededWidth] = await page
          .locator(`select[name=${name}]`)
          .evaluate((select: HTMLSelectElement) => {
            const shown = select.offsetWidth
            select.style.width = 'max-content'
            return [shown, select.offsetWidth]
          })
        expect(shownWidth, `${path} ${name} ${width}`).toBeGreaterThanOrEqual(neededWidth ?? Infinity)
      }
    }
  }
})

test('fits every screen and passes axe', async ({ page }) => {
  const id = await askForTable(page)
  const path = new URL(page.url()).pathname
  expect(path).toBe(`/table/${id}`)
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    for (const each of ['/table', path]) {
      await open(page, each)
      if (each === '/table') await day(page).selectOption(await nextDay(page))
      else await page.getByText('日時や人数を変更する').click()
      await expect(page.getByRole('radio').first()).toBeVisible()
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${each} ${width}`).toBe(
        true,
      )
      await expectAccessible(page)
    }
  }
})
