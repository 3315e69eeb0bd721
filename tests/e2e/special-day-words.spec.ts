import type { Page } from '@playwright/test'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, monthOf } from '../../app/dates/month.ts'
import { readSpecialDay, saveSpecialDays } from '../../app/hours/business-days.server.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { test as editorTest } from './editors.ts'
import { post, readHiddenField } from './forms.ts'
import { author, test } from './site-with-data.ts'
import { expect, expectAccessible, fillIn, open, phone, pressAndRead } from './visitors.ts'

const cause = '設備点検と棚卸しと店内の模様替えのため'
const note = '翌日は通常どおり、朝7時半からお待ちしております。ご予約のお客さまには、お電話でお知らせいたします。'
const screens = [
  { width: 320, height: 640 },
  { width: 844, height: 390 },
  { width: 1440, height: 900 },
]

test('shows the longest texts of a special day whole on every screen', async ({ page, db }) => {
  const today = dayInJapan(Date.now())
  const slots = [{ start: '17:00', end: '20:00' }, null]
  const save = async (reason: string, day: string) => {
    const version = (await readSpecialDay(db, day))?.version ?? 0
    await saveSpecialDays(db, { days: [day], reason, cause, note, slots }, new Map([[day, { version }]]), author())
  }
  await save('臨時休業', today)
  await save('営業時間変更', addDays(today, 1))
  for (const path of [
    '/',
    '/infomation',
    `/calendar?month=${monthOf(today)}&day=${today}`,
    '/bussinessdays?table=special',
  ]) {
    await open(page, path)
    for (const screen of screens) {
      await page.setViewportSize(screen)
      const label = `${path} ${screen.width}`
      await expect(page.getByText(note).first(), label).toBeVisible()
      expect(await findClipped(page), label).toEqual([])
    }
  }
})

/** Returns the elements with clipped text, and the page if it scrolls sideways. */
async function findClipped(page: Page) {
  return page.evaluate(() => {
    const elements = [
      ...document.querySelectorAll<HTMLElement>('main p, main li, main td, main th, main small, main h2'),
    ]
    const cut = elements.filter((each) => {
      const { overflowX, overflowY, display } = getComputedStyle(each)
      if (!each.offsetParent || display === 'inline' || each.closest('.visually-hidden')) return false
      // The mask of an animated line is wider than its text.
      if (each.querySelector('[class^="letters_"]')) return false
      const sideways = each.scrollWidth > each.clientWidth + 1
      return sideways || (`${overflowX}${overflowY}`.includes('hidden') && each.scrollHeight > each.clientHeight + 1)
    })
    const root = document.documentElement
    const page = root.scrollWidth > root.clientWidth ? ['the page'] : []
    return [...page, ...cut.map((each) => each.outerHTML.slice(0, 120))]
  })
}

editorTest(
  'requires the hours of an extra opening day, or a confirmation that the hours are undecided',
  async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await open(page, '/bussinessdays?table=special&day=2031-03-05')
    await page.getByLabel('理由', { exact: true }).selectOption('臨時営業')
    await page.getByLabel('詳しい理由').fill('町内のお祭り')
    for (const edge of ['開始', '終了'])
      for (const slot of [1, 2])
        for (const part of ['時', '分'])
          await page.getByLabel(new RegExp(`第${slot}部.* ${edge}の${part}`)).selectOption('00')
    await pressAndRead(page, 'スケジュールを登録する', '営業時間が入力されていません。')
    await expectAccessible(page)
    // Saving without hours shows the confirmation again.
    const response = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'この時間で保存する' }).click()
    expect((await response).status()).toBe(409)
    await page.getByRole('button', { name: '時間は決めない' }).click()
    await expect(page).toHaveURL(/\/calendar\?month=2031-03/)
    await expect(page.locator('[data-day="2031-03-05"]')).toContainText('臨時営業（町内のお祭り）')
  },
)

editorTest(
  'closes today with one tap on a button that keeps its position, and adds a reason, which an undo removes',
  async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await page.goto('/today')
    const currentDay = { day: await readHiddenField(page, 'day'), version: await readHiddenField(page, 'version') }
    const hours = { ...noHourFields, starttime1_hour: '17', endtime1_hour: '20' }
    const change = { intent: 'change', reason: '営業時間変更', sure: 'yes', cause: '貸切', note }
    await post(page, '/today', { ...change, ...currentDay, ...hours })
    await open(page, '/today')
    await expect(page.getByText(note)).toBeVisible()
    const closing = page.getByRole('button', { name: /^臨時休業/ })
    const position = await closing.boundingBox()
    await pressAndRead(page, /^臨時休業/, '本日を「臨時休業」にしました。')
    // The texts above the button have disappeared.
    await expect(page.getByText(note)).toHaveCount(0)
    expect(await closing.boundingBox()).toEqual(position)

    const noticeForm = page.locator('form', { has: page.getByRole('button', { name: 'お知らせを保存する' }) })
    await fillIn(noticeForm, { 詳しい理由: '法事のため', お客さまへの一文: '明日は通常どおりです。' })
    await noticeForm.getByRole('button', { name: 'お知らせを保存する' }).click()
    await expect(page.getByText('臨時休業（法事のため）')).toBeVisible()
    await expect(noticeForm.getByRole('button', { name: 'お知らせを保存する' })).toBeFocused()
    await expectAccessible(page)
    await page.getByRole('button', { name: '元に戻す' }).click()
    await expect(page.getByText('臨時休業（法事のため）')).toHaveCount(0)
    await expect(noticeForm.getByLabel('詳しい理由')).toHaveValue('')
  },
)
