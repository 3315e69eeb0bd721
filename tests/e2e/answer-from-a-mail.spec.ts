import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { openDatabase } from '../../db/open.ts'
import { test as baseTest, signIn, startEditingSite } from './editors.ts'
import { createEvent } from './forms-of-days.ts'
import { answerLink, unsubscribeLink } from './member-links.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessibleOnPhoneAndDesktop, getNotice, loseFirstResponse, open, phone } from './visitors.ts'

/** A test on a site whose owner and approved member have verified e-mail addresses. */
const test = baseTest.extend({
  site: async ({ startOnce }, use) => use(await startOnce('site with verified members', startWithVerifiedMembers)),
})

async function startWithVerifiedMembers() {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-e2e-')), 'site.db')
  const running = await startEditingSite({ file })
  const db = await openDatabase({ file })
  const at = new Date().toISOString()
  const accounts = ['owner', 'approved'].map((id) => ({ id, name: id, email: `${id}@example.jp`, image: null }))
  await db
    .insertInto('accounts')
    .values(accounts.map((account) => ({ ...account, emailVerified: true, createdAt: at, updatedAt: at })))
    .execute()
  await db.destroy()
  return running
}

/** Adds an event with RSVPs as the owner, and signs out. */
async function addMeeting(page: Page, site: string, title: string) {
  await page.goto('/api/health')
  await signIn('owner', page, site)
  const { event } = await createEvent(page, { day: '2099-05-16', title, attendance: 'yes', capacity: '1' })
  await page.context().clearCookies()
  return event.id
}

const expectFits = async (page: Page) => {
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.setViewportSize(phone)
}

test.use({ viewport: phone, hasTouch: true })

test('answers an event with one tap on the page of the link, and by keyboard', async ({ page, site }) => {
  const id = await addMeeting(page, site, '早朝練習')
  await open(page, answerLink('approved', id))
  await expect(page.getByRole('main')).toContainText('桜井 花 さんの回答')
  await expect(page.getByRole('main')).toContainText('まだ回答していません')
  await expectAccessibleOnPhoneAndDesktop(page)
  await expectFits(page)
  await page.getByRole('button', { name: '参加', exact: true }).tap()
  await expect(getNotice(page, '「参加」と回答しました。')).toBeVisible()
  await expect(page.getByRole('button', { name: '参加', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: '不参加' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toContainText('回答：不参加')
  await page.getByRole('button', { name: '元に戻す' }).tap()
  await expect(page.getByRole('main')).toContainText('回答：参加')
})

test('shows the answer of another browser after a conflict, and then accepts a change', async ({
  page,
  site,
  openPage,
}) => {
  const link = answerLink('approved', await addMeeting(page, site, '午後の練習'))
  const other = await openPage({ viewport: phone, hasTouch: true })
  for (const each of [page, other]) await open(each, link)
  await page.getByRole('button', { name: '参加', exact: true }).tap()
  await expect(page.getByRole('main')).toContainText('回答：参加')
  await other.getByRole('button', { name: '不参加' }).tap()
  await expect(getNotice(other, 'ほかの画面で先に回答されています。')).toBeVisible()
  await expect(other.getByRole('main')).toContainText('回答：参加')
  await other.getByRole('button', { name: '不参加' }).tap()
  await expect(getNotice(other, '「不参加」と回答しました。')).toBeVisible()
  await expect(other.getByRole('main')).toContainText('回答：不参加')
})

test.describe('after a lost response', () => {
  test.use({ expectedErrors: [/ERR_CONNECTION_RESET|status of 409/] })

  test('names the stored answer, and saves another answer with one more tap', async ({ page, site }) => {
    const id = await addMeeting(page, site, '朝の試合')
    await open(page, answerLink('approved', id))
    await loseFirstResponse(page)
    await page.getByRole('button', { name: '参加', exact: true }).tap()
    await expect(getNotice(page, '通信エラーが発生しました。')).toBeVisible()
    await page.getByRole('button', { name: '不参加' }).tap()
    await expect(getNotice(page, 'いまの内容はまだ保存していません。')).toBeVisible()
    await expect(page.getByText('「不参加」と回答しました。')).toBeHidden()
    await expect(page.getByRole('main')).toContainText('回答：参加')
    await page.getByRole('button', { name: '不参加' }).tap()
    await expect(getNotice(page, '「不参加」と回答しました。')).toBeVisible()
    await expect(page.getByRole('main')).toContainText('回答：不参加')
  })

  test('offers the same message again after a lost response, and sends it once', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await open(page, '/memberlist/message')
    await page.getByRole('radio', { name: '承認されたメンバー全員' }).check()
    await page.getByRole('textbox', { name: '件名' }).fill('駐車場')
    await page.getByRole('textbox', { name: '本文' }).fill('車は3台まで')
    await page.getByRole('button', { name: '人数を確認する' }).click()
    const send = page.getByRole('button', { name: '2名に送信する' })
    await expect(send).toBeVisible()
    await loseFirstResponse(page)
    const mailsToApproved = async () =>
      (await (await page.request.get('/outbox?to=approved@example.jp')).json()).filter((mail: string) =>
        mail.includes('車は3台まで'),
      )
    await send.click()
    await expect(getNotice(page, '通信エラーが発生しました。')).toBeVisible()
    expect(await mailsToApproved()).toHaveLength(1)
    await send.click()
    await expect(getNotice(page, '2名にメールをお送りします。')).toBeVisible()
    expect(await mailsToApproved()).toHaveLength(1)
    await expect(page.getByRole('region', { name: 'これまでの連絡' }).getByText('駐車場', { exact: true })).toHaveCount(
      1,
    )
    await expect(send).toBeHidden()
  })
})

test('asks all who have not answered with four taps, and the mail leads to the answer', async ({ page, site }) => {
  await addMeeting(page, site, '紅葉の練習')
  await signIn('owner', page, site)
  await open(page, '/calendar?month=2099-05&day=2099-05-16')
  const thumb = new Thumb()
  await thumb.tap(
    page
      .getByRole('main')
      .getByRole('link', { name: /紅葉の練習/ })
      .last(),
  )
  await thumb.tap(page.getByRole('dialog').getByRole('link', { name: '回答していない方に連絡する' }))
  await expect(page.getByRole('textbox', { name: '件名' })).toHaveValue(/紅葉の練習.*の出欠をお知らせください/)
  await expectAccessibleOnPhoneAndDesktop(page)
  await expectFits(page)
  await thumb.tap(page.getByRole('button', { name: '人数を確認する' }))
  await expect(getNotice(page, '2名にお送りします。')).toBeVisible()
  await expectAccessibleOnPhoneAndDesktop(page)
  await expectFits(page)
  await thumb.tap(page.getByRole('button', { name: '2名に送信する' }))
  await expect(getNotice(page, '2名にメールをお送りします。')).toBeVisible()
  await expect(page.getByRole('region', { name: 'これまでの連絡' })).toContainText('暖簾 結 さんから')
  expect(thumb.taps).toBe(4)

  const [mail = ''] = await (await page.request.get('/outbox?to=approved@example.jp')).json()
  const link = /出欠を回答する\nhttp:\/\/[^/]+(\S+)/.exec(mail)?.[1] ?? ''
  await page.context().clearCookies()
  await open(page, link)
  await page.getByRole('button', { name: '未定' }).tap()
  await expect(getNotice(page, '「未定」と回答しました。')).toBeVisible()
})

test('writes to chosen members, and hides the preview when the writer changes the text', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await open(page, '/memberlist/message')
  await page.getByRole('radio', { name: '選んだ方' }).check()
  await page.getByRole('textbox', { name: '件名' }).fill('駐車場')
  await page.getByRole('textbox', { name: '本文' }).fill('車は3台まで')
  await page.getByRole('button', { name: '人数を確認する' }).click()
  await expect(page.getByText('連絡する方を選んでください')).toBeVisible()
  await page.getByRole('checkbox', { name: '桜井 花' }).check()
  await page.getByRole('button', { name: '人数を確認する' }).click()
  await expect(page.getByRole('button', { name: '1名に送信する' })).toBeVisible()
  await page.getByRole('textbox', { name: '本文' }).fill('車は2台まで')
  await expect(page.getByRole('button', { name: '1名に送信する' })).toBeHidden()
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('answers an event, and switches a kind of e-mail off and on again', async ({ page, site }) => {
    const id = await addMeeting(page, site, '夜の練習')
    await page.goto(answerLink('approved', id))
    await page.getByRole('button', { name: '不参加' }).tap()
    await expect(page.getByRole('main')).toContainText('「不参加」と回答しました。')
    await expect(page.getByRole('main')).toContainText('回答：不参加')
    await page.goto(unsubscribeLink('approved', 'place'))
    await page.getByRole('button', { name: '配信を停止する' }).tap()
    await expect(page.getByRole('main')).toContainText('メールの配信を停止しました。')
    await page.getByRole('button', { name: 'もう一度受け取る' }).tap()
    await expect(page.getByRole('main')).toContainText('メールの配信を再開しました。')
    await expect(page.getByRole('button', { name: '配信を停止する' })).toBeVisible()
  })
})
