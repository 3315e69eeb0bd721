import type { Page } from '@playwright/test'
import { stopClocks } from './clocks.ts'
import { createTestOnOwnSite } from './editors.ts'
import { uniqueName } from './forms.ts'
import { desktop, expect, expectAccessibleOnPhoneAndDesktop, open, openHydrated, phone } from './visitors.ts'

const test = createTestOnOwnSite('site with notices')

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Adds a notice as an administrator. */
async function addNotice({ request }: Page, site: string, fields: Record<string, string>) {
  const form = {
    id: crypto.randomUUID(),
    version: '0',
    place: 'every',
    link: '',
    shownFrom: '',
    shownUntil: '',
    ...fields,
  }
  const headers = { origin: site, cookie: 'as=owner' }
  const response = await request.post(`${site}/notices/new/add`, { form, headers, maxRedirects: 0 })
  expect(response.status()).toBe(302)
}

// Each zone has a month of its own, because a page folds several notices of the same time.
for (const [index, timezoneId] of [
  'America/Los_Angeles',
  'Europe/London',
  'Asia/Tokyo',
  'Pacific/Kiritimati',
].entries())
  test.describe(`on a device in ${timezoneId}`, () => {
    test.use({ timezoneId })

    test('shows and removes a notice on open pages at its minutes, across midnight', async ({ page, site }) => {
      const month = `2044-0${index + 1}`
      const clocks = await stopClocks(page, site)
      await clocks.set(`${month}-04T23:57:30`)
      const text = uniqueName('夜のお知らせ')
      await addNotice(page, site, { text, shownFrom: `${month}-04T23:59`, shownUntil: `${month}-05T00:01` })
      for (const [path, day] of [
        ['/dining', 4],
        ['/', 6],
      ] as const) {
        const time = (rest: string) => `${month}-0${rest}`
        if (day === 6)
          await addNotice(page, site, { text, shownFrom: `${month}-06T23:59`, shownUntil: `${month}-07T00:01` })
        await clocks.set(time(`${day}T23:57:30`))
        await openHydrated(page, path)
        const notice = page.getByRole('main').getByText(text).first()
        await expect(notice).toHaveCount(0)
        await clocks.pass(MINUTE)
        await expect(notice).toHaveCount(0)
        await clocks.pass(MINUTE)
        await expect(notice).toHaveCount(1)
        // React shows the lazy content after a timer, so the clock of the page must run on.
        await expect
          .poll(async () => {
            await clocks.pass(SECOND / 10)
            return notice.isVisible()
          })
          .toBe(true)
        await clocks.pass(MINUTE)
        await expect(notice).toBeVisible()
        await clocks.pass(MINUTE)
        await expect(notice).toHaveCount(0)
      }
    })
  })

test('adds a notice by keyboard, shows it on an open page, and undoes the addition', async ({ owner, openPage }) => {
  const [page, guest] = [await owner(), await openPage()]
  await openHydrated(guest, '/dining')
  await open(page, '/notices')
  await page.getByRole('link', { name: 'お知らせを書く' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'お知らせの追加' })
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: '追加する' }).press('Enter')
  const text = dialog.getByRole('textbox', { name: 'お知らせの文' })
  await expect(text).toBeFocused()
  await expect(dialog).toContainText('お知らせの文を入力してください')
  const words = uniqueName('鍵盤のお知らせ')
  await page.keyboard.type(words)
  await dialog.getByRole('checkbox', { name: /重要/ }).press('Space')
  await dialog.getByRole('button', { name: '追加する' }).press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('main').getByText(words)).toBeVisible()
  const shown = guest.getByRole('region', { name: 'お店からのお知らせ' }).getByText(words)
  await expect(shown).toBeVisible()
  await expect(guest.getByText('重要なお知らせ')).toBeVisible()
  await page.getByRole('button', { name: '元に戻す' }).press('Enter')
  await expect(page.getByRole('main').getByText(words)).toHaveCount(0)
  await expect(shown).toHaveCount(0)
})

test('offers a notice about a day that has just been closed, with a prepared text', async ({ owner }) => {
  const page = await owner()
  await open(page, '/today')
  await page.getByRole('button', { name: /^臨時休業/ }).click()
  await page.getByRole('link', { name: 'お知らせを書く' }).click()
  const dialog = page.getByRole('dialog', { name: 'お知らせの追加' })
  await expect(dialog.getByRole('textbox', { name: 'お知らせの文' })).toHaveValue(
    /^\d+月\d+日（.）は臨時休業いたします。$/,
  )
  await expect(dialog.getByLabel('表示の終わり')).toHaveValue(/T00:00$/)
  await dialog.getByRole('button', { name: '閉じる' }).click()
  await expect(page.getByText('は臨時休業いたします。')).toHaveCount(0)
})

test('copies the text of a notice, and shares the same text if the browser can share', async ({ owner, site }) => {
  const page = await owner()
  const text = uniqueName('写すお知らせ')
  await addNotice(page, site, { text, link: '/access' })
  const entry = page.getByRole('listitem').filter({ hasText: text })
  const stub = (name: 'clipboard' | 'share' | 'none') =>
    page.addInitScript((name) => {
      const texts: string[] = []
      Object.assign(window, { texts })
      const record = async (text: string) => void texts.push(text)
      if (name === 'clipboard')
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: record }, configurable: true })
      if (name === 'share') Object.assign(navigator, { share: ({ text }: { text: string }) => record(text) })
    }, name)
  const readTexts = () => page.evaluate(() => (window as unknown as { texts: string[] }).texts)
  await stub('clipboard')
  await openHydrated(page, '/notices')
  await expect(entry.getByRole('button', { name: '共有する' })).toHaveCount(0)
  await entry.getByRole('button', { name: '文章をコピー' }).click()
  await expect(entry.getByRole('status')).toHaveText('コピーしました。')
  const copied = await readTexts()
  expect(copied).toEqual([`${text}\n${new URL('/access', page.url())}`])
  await stub('share')
  await openHydrated(page, '/notices')
  await entry.getByRole('button', { name: '共有する' }).click()
  expect(await readTexts()).toEqual(copied)
})

test('has accessible pages, and controls at least 44 px high on a phone', async ({ owner, openPage, site }) => {
  const [page, guest] = [await owner(), await openPage()]
  const long = uniqueName('長いお知らせ') + '。おせちのご予約も承ります'.repeat(20)
  await addNotice(page, site, { text: long, important: 'on', link: '/access' })
  for (let index = 0; index < 4; index += 1) await addNotice(page, site, { text: uniqueName('続くお知らせ') })
  for (const path of ['/dining', '/', '/videoproduction', '/tennisrelated', '/calendar']) {
    await openHydrated(guest, path)
    await expectAccessibleOnPhoneAndDesktop(guest)
  }
  await guest.setViewportSize(phone)
  await openHydrated(guest, '/dining')
  const region = guest.getByRole('region', { name: 'お店からのお知らせ' })
  // A long notice is folded, and the notices after the third are behind one line.
  expect((await region.boundingBox())?.height).toBeLessThan(phone.height / 2)
  for (const summary of await region.locator('summary').all())
    expect((await summary.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  const folded = region.getByRole('group').filter({ hasText: long.slice(0, 12) })
  await folded.locator('summary').press('Enter')
  await expect(folded.getByRole('link', { name: 'くわしくはこちら' })).toBeVisible()
  for (const path of ['/notices', '/notices/new/add']) {
    await openHydrated(page, path)
    await expectAccessibleOnPhoneAndDesktop(page)
  }
  await page.setViewportSize(desktop)
})
