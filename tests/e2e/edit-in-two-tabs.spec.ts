import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { test } from './editors.ts'
import { keptDrafts } from './kept-drafts.ts'
import { expect, expectAccessible, getNotice, open, phone, pressAndRead } from './visitors.ts'

test.slow()

const box = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
const save = (page: Page) => page.getByRole('button', { name: '保存する' }).click()

/** Opens a page, then the edit form of its first card with this title. */
async function openForm(page: Page, path: string, title = '') {
  await open(page, path)
  await open(page, await getFormPath(page, title))
}

async function getFormPath(page: Page, title: string) {
  const id = await page.locator('article', { hasText: title }).first().getAttribute('id')
  return `/firestoreservice/${id?.replace('card-', '')}/edit`
}

test('merges changes of different fields from two tabs', async ({ owner }) => {
  const one = await owner()
  await openForm(one, '/vbacreate', '請求書')
  const other = await one.context().newPage()
  await open(other, one.url())
  await box(one, 'タイトル').fill('請求書をまとめて')
  await save(one)
  await expect(getNotice(one, '保存しました。')).toBeVisible()
  await box(other, '内容').fill('月末にひと押しで。')
  await save(other)
  await expect(getNotice(other, 'ほかの方の変更とあわせて保存しました。')).toBeVisible()
  const card = other.locator('article', { hasText: '請求書をまとめて' })
  await expect(card).toContainText('月末にひと押しで。')
  await pressAndRead(other, '元に戻す', '元に戻しました。')
  await expect(card).not.toContainText('月末にひと押しで。')
})

test('offers both texts when two tabs change the same field', async ({ owner }) => {
  const one = await owner({ viewport: phone })
  await openForm(one, '/socialefficiency')
  const other = await one.context().newPage()
  await open(other, one.url())
  await box(one, 'タイトル').fill('先に書いた題')
  await save(one)
  await expect(getNotice(one, '保存しました。')).toBeVisible()

  await box(other, 'タイトル').fill('あとから書いた題')
  await box(other, '内容').fill('あとから書いた内容')
  await save(other)
  const choice = other.getByRole('group', { name: 'タイトル：どちらを残しますか' })
  await expect(choice).toContainText('先に書いた題')
  await expect(box(other, 'タイトル')).toHaveValue('あとから書いた題')
  await expect(box(other, '内容')).toHaveValue('あとから書いた内容')
  await expectAccessible(other)
  expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await choice.getByRole('radio', { name: 'ほかの方の入力を残す' }).check()
  await save(other)
  const card = other.locator('article', { hasText: '先に書いた題' })
  await expect(card).toContainText('あとから書いた内容')
  await expect(other.getByText('あとから書いた題')).toHaveCount(0)
})

test('loses at most five seconds of input when the browser is killed', async ({ site }) => {
  const folder = await mkdtemp(join(tmpdir(), 'noren-killed-'))
  const start = async () => {
    const launch = { executablePath: findBrowser(), args: browserFlags, baseURL: site, locale: 'ja-JP' }
    const context = await chromium.launchPersistentContext(folder, launch)
    await context.addCookies([{ name: 'as', value: 'owner', url: site }])
    const page = await context.newPage()
    await open(page, '/firestoreservice?databasename=tennisrelated')
    return { context, page }
  }
  const first = await start()
  await box(first.page, 'タイトル').fill('春の大会')
  await box(first.page, '内容').pressSequentially('日曜日に、みんなで。')
  await expect.poll(() => first.page.evaluate(keptDrafts), { timeout: 5000 }).toContain('日曜日に、みんなで。')
  const browserClosed = new Promise((resolve) => first.context.once('close', resolve))
  const browser = await first.context.browser()?.newBrowserCDPSession()
  const { processInfo = [] } = (await browser?.send('SystemInfo.getProcessInfo')) ?? {}
  process.kill(processInfo.find(({ type }) => type === 'browser')?.id ?? Number.NaN, 'SIGKILL')
  await browserClosed

  const { context, page } = await start()
  await expect(getNotice(page, '前回の入力の続き')).toBeVisible()
  await expect(box(page, 'タイトル')).toHaveValue('春の大会')
  await expect(box(page, '内容')).toHaveValue('日曜日に、みんなで。')

  await pressAndRead(page, '追加する', '追加しました。')
  await expect(page.locator('article', { hasText: '春の大会' })).toBeVisible()
  await open(page, '/firestoreservice?databasename=tennisrelated')
  await box(page, 'タイトル').fill('秋')
  await expect.poll(() => page.evaluate(keptDrafts)).toContain('秋')
  await page.reload()
  await page.getByRole('button', { name: '破棄する' }).click()
  await expect(box(page, 'タイトル')).toHaveValue('')
  await expect.poll(() => page.evaluate(keptDrafts)).toBe('[]')
  await page.reload()
  await expect(box(page, 'タイトル')).toBeEnabled()
  await expect(getNotice(page, '前回の入力の続き')).toHaveCount(0)
  await context.close()
  await rm(folder, { recursive: true })
})

test('removes all drafts from the browser on sign-out, and never shows a visitor a draft', async ({ owner }) => {
  const page = await owner()
  const form = '/firestoreservice?databasename=vbacreate'
  await open(page, form)
  await box(page, 'タイトル').fill('書きかけの題')
  await expect.poll(() => page.evaluate(keptDrafts)).toContain('書きかけの題')
  await page.context().clearCookies()
  page.on('dialog', (dialog) => dialog.accept())
  await open(page, form)
  await expect(page.getByText('この操作は管理者だけが行えます。ログインしてください')).toBeVisible()
  await expect(getNotice(page, '前回の入力の続き')).toHaveCount(0)

  await page.context().addCookies([{ name: 'as', value: 'owner', url: page.url() }])
  await open(page, form)
  await expect(getNotice(page, '前回の入力の続き')).toBeVisible()
  await page.locator('header').getByRole('button', { name: 'ログアウト' }).click()
  await page.waitForURL('**/home')
  await expect.poll(() => page.evaluate(keptDrafts)).toBe('')
})

test('hides the draft of one editor from another editor in the same browser', async ({ owner }) => {
  const page = await owner()
  const as = (value: string) => page.context().addCookies([{ name: 'as', value, url: page.url() }])
  page.on('dialog', (dialog) => dialog.accept())
  await open(page, '/dining/new/add')
  await box(page, '品名').fill('わたしの下書き')
  await expect.poll(() => page.evaluate(keptDrafts)).toContain('わたしの下書き')
  await as('approved')
  await open(page, '/dining/new/add')
  await box(page, '品名').fill('ほかの方の皿')
  await expect.poll(() => page.evaluate(keptDrafts)).toContain('ほかの方の皿')
  await expect(getNotice(page, '前回の入力の続き')).toHaveCount(0)
  await as('owner')
  await open(page, '/dining/new/add')
  await expect(box(page, '品名')).toHaveValue('わたしの下書き')
})

test('prompts before leaving only when a field has unsaved input', async ({ owner }) => {
  const page = await owner()
  await openForm(page, '/municipalarchitect')
  await page.getByRole('link', { name: '閉じる' }).click()
  await page.waitForURL('**/municipalarchitect')
  await page.goBack()
  await box(page, 'タイトル').fill('別の題')
  await page.getByRole('link', { name: '閉じる' }).click()
  const question = page.getByRole('alertdialog', { name: /まだ保存されていません/ })
  await expectAccessible(page)
  await question.getByRole('button', { name: 'やめる' }).click()
  await expect(box(page, 'タイトル')).toHaveValue('別の題')
  await page.getByRole('link', { name: '閉じる' }).click()
  await question.getByRole('button', { name: '閉じる' }).click()
  await page.waitForURL('**/municipalarchitect')
})

test('limits the day options to the length of the month, and permits an empty date', async ({ owner }) => {
  const page = await owner()
  await open(page, '/firestoreservice?databasename=vbacreate')
  const part = (unit: string) => page.getByRole('combobox', { name: unit, exact: true })
  const [year, month, day] = [part('年'), part('月'), part('日')]
  await year.selectOption('2024')
  await month.selectOption('1')
  await day.selectOption('31')
  await month.selectOption('2')
  await expect(day).toHaveValue('29')
  await year.selectOption('1900')
  await expect(day).toHaveValue('28')
  await expect(day.getByRole('option')).toHaveCount(29)
  await year.selectOption('')
  await expect(month).toHaveValue('')
})

test('names the permitted editors and links to sign-in when a visitor opens a form URL', async ({ page }) => {
  await open(page, '/tennisrelated/new/add')
  await expect(page.getByText('この操作は管理者だけが行えます。ログインしてください')).toBeVisible()
  await expect(page.getByRole('button', { name: '追加する' })).toBeDisabled()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'ログインしてください' }).click()
  await page.waitForURL('**/login')
})
