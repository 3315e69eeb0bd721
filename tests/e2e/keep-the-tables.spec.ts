import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { bookingRecord } from '../../app/bookings/booking-record.server.ts'
import { addBooking, changeBooking, listBookings, readBooking } from '../../app/bookings/bookings.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, formatDay } from '../../app/dates/month.ts'
import { readSpecialDay, removeSpecialDay, saveSpecialDays } from '../../app/hours/business-days.server.ts'
import { removeOnce } from '../../app/records/own-saves.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { test as editingTest, startEditingSite } from './editors.ts'
import { author } from './site-with-data.ts'
import { Thumb } from './taps.ts'
import { desktop, expect, expectAccessible, getNotice, open, openWithLiveUpdates, phone } from './visitors.ts'

type SiteWithTables = { url: string; db: Db }

// Read once per test, because midnight may pass during the test.
let tomorrow = ''

const test = editingTest.extend<{ tables: SiteWithTables; db: Db }>({
  tables: async ({ startOnce }, use) => use(await startOnce('site with tables', startSiteWithTables)),
  site: ({ tables }, use) => use(tables.url),
  db: async ({ tables: { db } }, use) => {
    tomorrow = addDays(dayInJapan(Date.now()), 1)
    const special = await readSpecialDay(db, tomorrow)
    if (special) await removeSpecialDay(db, { ...special }, author())
    const slots = [{ start: '17:00', end: '23:00' }, null]
    await saveSpecialDays(db, { days: [tomorrow], reason: '臨時営業', slots }, new Map(), author())
    await use(db)
    await db.deleteFrom('bookings').execute()
  },
})

async function startSiteWithTables() {
  const folder = await mkdtemp(join(tmpdir(), 'noren-tables-'))
  const file = join(folder, 'site.db')
  const site = await startEditingSite({ file })
  const db = await openDatabase({ file })
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts: { takesTableRequests: true } }, author())
  const stop = async () => {
    await db.destroy()
    await site.stop()
    await rm(folder, { recursive: true })
  }
  return { service: { url: site.service, db }, stop }
}

const listPath = () => `/tables?day=${tomorrow}`

async function ask(db: Db, changes: object = {}) {
  const id = crypto.randomUUID()
  const contact = { name: '松本 梅', telephone: '075-123-4567', email: '', wish: '窓側のお席' }
  const wish = { day: tomorrow, time: '18:30', party: 4, ...contact }
  await addBooking(db, { ...wish, id, state: 'asked', byStaff: false, ...changes }, author())
  return id
}

test('answers a request with one tap, and updates the other open page', async ({ owner, db }) => {
  const other = await owner({ viewport: desktop })
  await openWithLiveUpdates(other, listPath())
  await expect(other.getByText('この日のお席は、まだありません。')).toBeVisible()
  const id = await ask(db)
  const waiting = other.getByRole('heading', { name: 'お返事待ちのお申し込み 1件' })
  await expect(waiting).toBeVisible()

  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, '/today')
  const thumb = new Thumb()
  const request = page.getByRole('listitem').filter({ hasText: '松本 梅 様' })
  await expect(request.getByRole('textbox', { name: '「はい」のお返事' })).toHaveValue(/お待ちしております。$/)
  await thumb.tap(request.getByRole('button', { name: 'はい' }))
  await expect(getNotice(page, '松本 梅 様：お席を確定しました。075-123-4567 へお電話でお伝えください。')).toBeVisible()
  expect(thumb).toMatchObject({ taps: 1, keys: 0 })
  expect(await readBooking(db, id)).toMatchObject({ state: 'accepted', reply: expect.stringContaining('ありがとう') })
  await expect(waiting).toHaveCount(0)
  await expect(other.getByRole('main')).toContainText('1組 4名')

  await page.getByRole('button', { name: '元に戻す' }).click()
  await expect(waiting).toBeVisible()
  expect(await readBooking(db, id)).toMatchObject({ state: 'asked', reply: '' })
})

test('offers the nearest free time with one tap and an edited reply', async ({ owner, db }) => {
  const id = await ask(db)
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, '/inbox')
  await expect(page.getByRole('combobox', { name: 'ご案内する日時' })).toHaveValue(/ (?:18:00|19:00)$/)
  await page.getByRole('textbox', { name: '「別の時間」のお返事' }).fill('19時はいかがですか。')
  await page.getByRole('combobox', { name: 'ご案内する日時' }).selectOption(`${tomorrow} 19:00`)
  await page.getByRole('button', { name: '別の時間' }).tap()
  await expect(getNotice(page, /別の時間をご案内しました。/)).toBeVisible()
  const offer = { state: 'offered', offeredDay: tomorrow, offeredTime: '19:00', reply: '19時はいかがですか。' }
  expect(await readBooking(db, id)).toMatchObject(offer)
})

test('enters a booking by telephone in at most eight taps', async ({ owner, db }) => {
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, listPath())
  const thumb = new Thumb()
  await thumb.tap(page.getByText('お電話のお申し込みを書き込む'))
  await thumb.tap(page.getByRole('radio', { name: '5名' }))
  await thumb.tap(page.getByRole('radio', { name: '19:30' }))
  await thumb.type(page.getByRole('textbox', { name: /^お名前/ }), '竹内')
  await thumb.tap(page.getByRole('button', { name: '保存する' }))
  await expect(getNotice(page, /竹内 様（5名）を保存しました。/)).toBeVisible()
  expect(thumb.taps).toBeLessThanOrEqual(8)
  const expected = { name: '竹内', time: '19:30', party: 5, state: 'accepted', byStaff: true }
  expect(await listBookings(db, tomorrow)).toMatchObject([expected])
  await expect(page.getByRole('heading', { name: /19:30 竹内 様 5名/ })).toBeVisible()
})

const formOf = (page: Page, id: string) =>
  page.locator(`form:has([name=intent][value=enter]):has([name=booking][value='${id}'])`)

test('discards the typed number of a large party when a button is chosen', async ({ owner, db }) => {
  const id = await ask(db, { party: 10, state: 'accepted', byStaff: true })
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, `${listPath()}&booking=${id}`)
  const form = formOf(page, id)
  const number = form.getByRole('spinbutton', { name: '9名以上のとき' })
  await number.fill('12')
  await form.getByRole('radio', { name: '4名' }).tap()
  await expect(number).toHaveValue('')
  await form.getByRole('button', { name: '保存する' }).tap()
  await expect(getNotice(page, '松本 梅 様（4名）を保存しました。')).toBeVisible()
  expect(await readBooking(db, id)).toMatchObject({ party: 4 })
})

test('changes and cancels a booking by keyboard', async ({ owner, db }) => {
  const id = await ask(db, { state: 'accepted', byStaff: true })
  const page = await owner({ viewport: desktop })
  await open(page, listPath())
  await page.getByRole('link', { name: '松本 梅 様：変更・取り消し' }).press('Enter')
  await page.getByRole('radio', { name: '18:30' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: '保存する' }).last().press('Enter')
  await expect(getNotice(page, /松本 梅 様（4名）を保存しました。/)).toBeVisible()
  expect(await readBooking(db, id)).toMatchObject({ time: '19:00', party: 4 })
  await page.getByRole('button', { name: '取り消す' }).press('Enter')
  await expect(getNotice(page, /取り消しました。/)).toBeVisible()
  expect(await readBooking(db, id)).toMatchObject({ state: 'cancelled' })
  await expect(page.getByRole('main')).toContainText('0組 0名')
})

test('saves an open form that is sent again after a conflict with another editor', async ({ owner, db }) => {
  const id = await ask(db, { state: 'accepted', byStaff: true })
  const page = await owner({ viewport: phone })
  await open(page, `${listPath()}&booking=${id}`)
  const form = formOf(page, id)
  const wish = form.getByRole('textbox', { name: 'ご要望' })
  await wish.fill('車いすで伺います')
  await changeBooking(db, { id, version: 1 }, () => ({ party: 5, telephone: '075-999-0000' }), author())
  const save = form.getByRole('button', { name: '保存する' })
  await save.click()
  await expect(getNotice(page, /ほかの方が先に変更しました。.*5名.*075-999-0000.*もう一度保存/)).toBeVisible()
  await expect(wish).toHaveValue('車いすで伺います')
  expect(await readBooking(db, id)).toMatchObject({ wish: '窓側のお席', party: 5, version: 2 })
  for (const [text, version] of [
    ['車いすで伺います', 3],
    ['入口近くのお席', 4],
  ] as const) {
    await wish.fill(text)
    await save.click()
    await expect(getNotice(page, '松本 梅 様（4名）を保存しました。')).toBeVisible()
    await expect.poll(() => readBooking(db, id)).toMatchObject({ wish: text, party: 4, version })
  }
})

test('keeps the input of an open form when another editor moves and deletes its booking', async ({ owner, db }) => {
  await ask(db, { time: '17:00', name: '先の 方', state: 'accepted' })
  const id = await ask(db, { state: 'accepted', byStaff: true })
  await ask(db, { time: '20:00', name: '後の 方', state: 'accepted' })
  const page = await owner({ viewport: desktop })
  await openWithLiveUpdates(page, `${listPath()}&booking=${id}`)
  const form = formOf(page, id)
  const wish = form.getByRole('textbox', { name: 'ご要望' })
  await wish.fill('車いすで伺います')
  await changeBooking(db, { id, version: 1 }, () => ({ day: addDays(tomorrow, 1) }), author())
  await expect(page.getByRole('main')).toContainText('2組 8名')
  await expect(wish).toHaveValue('車いすで伺います')
  await expect(wish).toBeFocused()
  await removeOnce(db, bookingRecord, { id, version: 2 }, author())
  await form.getByRole('button', { name: '保存する' }).click()
  await expect(getNotice(page, 'このお申し込みは見つかりません。すでに削除されているようです。')).toBeVisible()
  await expect(wish).toHaveValue('車いすで伺います')
  await page.getByRole('link', { name: '松本 梅 様：閉じる' }).click()
  await expect(form).toHaveCount(0)
  await expect(page.getByRole('heading', { name: /松本 梅/ })).toHaveCount(0)
})

test('closes the form of a booking that the editor moves to another day or deletes', async ({ owner, db }) => {
  const id = await ask(db, { state: 'accepted', byStaff: true })
  const page = await owner({ viewport: desktop })
  await open(page, `${listPath()}&booking=${id}`)
  await formOf(page, id).locator('input[name=day]').fill(addDays(tomorrow, 1))
  await formOf(page, id).getByRole('button', { name: '保存する' }).click()
  await expect(getNotice(page, '松本 梅 様（4名）を保存しました。')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${tomorrow}$`))
  await expect(page.getByText('この日のお席は、まだありません。')).toBeVisible()
  await page.getByRole('button', { name: '元に戻す' }).click()
  await page.getByRole('link', { name: '松本 梅 様：変更・取り消し' }).click()
  await page.getByRole('button', { name: '削除する' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '削除する' }).click()
  await expect(getNotice(page, '削除しました。')).toBeVisible()
  await expect(page.getByText('この日のお席は、まだありません。')).toBeVisible()
  expect(await readBooking(db, id)).toBeNull()
})

test('prints the tables of the day without controls and without cancelled bookings', async ({ owner, db }) => {
  await ask(db, { state: 'accepted' })
  await ask(db, { state: 'cancelled', name: '取消 済' })
  await ask(db, { day: addDays(tomorrow, 1), name: '翌日 希望' })
  const page = await owner({ viewport: desktop })
  await open(page, listPath())
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { name: /18:30 松本 梅 様 4名/ })).toBeVisible()
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expect(page.getByRole('listitem')).toContainText('ご要望：窓側のお席')
  for (const name of ['取消 済', '翌日 希望', 'お電話のお申し込みを書き込む'])
    await expect(page.getByText(name).first()).toBeHidden()
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
})

test('asks before the day is closed, and leads to the guests who have a table', async ({ owner, db }) => {
  const id = await ask(db, { state: 'accepted' })
  const page = await owner({ viewport: phone, hasTouch: true })
  await open(page, `/today?day=${tomorrow}`)
  await page.getByRole('button', { name: /^臨時休業/ }).tap()
  const question = /お席のお申し込み1件が、営業時間の外になります/
  await expect(page.getByRole('main').getByText(question)).toBeVisible()
  expect((await readSpecialDay(db, tomorrow))?.reason).toBe('臨時営業')
  await page.getByRole('button', { name: 'お休みにする' }).tap()
  await page.getByRole('link', { name: 'お席の方に知らせる' }).tap()
  await expect(page.getByRole('heading', { name: '営業時間の外になったお席 1件' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'お断りのお返事を送る' }).tap()
  await expect(getNotice(page, /取り消しました。/)).toBeVisible()
  expect(await readBooking(db, id)).toMatchObject({ state: 'cancelled', reply: expect.stringContaining('申し訳') })
})

test('keeps the input for a special day that another editor deletes', async ({ owner, db }) => {
  const page = await owner({ viewport: desktop })
  await openWithLiveUpdates(page, `/bussinessdays?table=special&day=${tomorrow}`)
  const note = page.getByRole('textbox', { name: 'お客さまへの一文' })
  await note.fill('20:00からは貸切です。')
  const special = await readSpecialDay(db, tomorrow)
  await removeSpecialDay(db, { day: tomorrow, version: special?.version ?? 0 }, author())
  const reloaded = page.waitForResponse(/bussinessdays\.data/)
  // The toolbar counts the unanswered requests, so a request loads the data of every page of the shop again.
  await ask(db)
  await reloaded
  await expect(page.getByRole('link', { name: `${formatDay(tomorrow)}を編集する` })).toHaveCount(0)
  await expect(note).toHaveValue('20:00からは貸切です。')
})

test('is accessible and fits all widths with an open form', async ({ owner, db }) => {
  await ask(db, { name: 'Emily Carter', language: 'en', email: `${'long'.repeat(12)}@example.com` })
  const id = await ask(db, { state: 'accepted' })
  for (const viewport of [{ width: 320, height: 640 }, phone, desktop]) {
    const page = await owner({ viewport })
    await open(page, `${listPath()}&booking=${id}`)
    await expect(page.getByRole('textbox', { name: '「はい」のお返事' })).toHaveAttribute('lang', 'en')
    await page.getByText('お電話のお申し込みを書き込む').click()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(viewport.width)
    const low = page.getByRole('main').locator(':is(button, select, textarea, label:has(input[type=radio])):visible')
    const heights = await low.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
    await expectAccessible(page)
  }
})
