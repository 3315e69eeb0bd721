import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { storedDrafts } from './kept-drafts.ts'
import { getRestoredNotice } from './long-forms.ts'
import { expect, expectAccessible, fillIn, open, phone, waitForViewTransition } from './visitors.ts'

test.describe('the contact form', () => {
  const fill = async (page: Page) => {
    await page.getByLabel('宛先').selectOption({ index: 1 })
    await fillIn(page, { 件名: '席のご相談', 本文: '土曜日に五名で' })
  }
  const expectInput = async (page: Page) => {
    await expect(getRestoredNotice(page)).toBeVisible()
    await expect(page.getByLabel('宛先')).not.toHaveValue('')
    await expect(page.getByLabel('件名')).toHaveValue('席のご相談')
    await expect(page.getByLabel('本文')).toHaveValue('土曜日に五名で')
  }
  const expectNoInput = async (page: Page) => {
    await expect(page.getByLabel('本文')).toHaveValue('')
    await expect(getRestoredNotice(page)).toHaveCount(0)
    expect(await countDrafts(page)).toBe(0)
  }
  const countDrafts = (page: Page) =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft')).length)
  const openPrivacyPage = async (page: Page) => {
    await page.getByRole('contentinfo').getByRole('link', { name: 'プライバシーについて' }).click()
  }

  test('keeps a message in its tab through a reload, a link and Back, until the message is discarded or sent', async ({
    owner,
  }) => {
    const page = await owner({ viewport: phone })
    await page.context().clearCookies()
    await open(page, '/mail')
    await fill(page)
    const other = await page.context().newPage()
    await open(other, '/mail')
    await expectNoInput(other)
    expect(await storedDrafts(other)).toBe('')
    await other.close()

    await page.reload()
    await expectInput(page)
    await openPrivacyPage(page)
    await expect(page).toHaveTitle(/^プライバシー/)
    await waitForViewTransition(page)
    await page.goBack()
    await expectInput(page)
    await expectAccessible(page)
    await getRestoredNotice(page).getByRole('button', { name: '破棄する' }).click()
    await expectNoInput(page)

    await fill(page)
    await page.waitForFunction(() => Object.values(sessionStorage).some((draft) => draft.includes('土曜日に五名で')))
    await page.goto('/api/health')
    await open(page, '/mail')
    await expectInput(page)
    await page.getByRole('button', { name: '送信する' }).click()
    await expect(page).toHaveURL(/\/mail\?sent/)
    await page.getByRole('link', { name: 'もう一通書く' }).click()
    await expect(page).toHaveURL(/\/mail$/)
    await expectNoInput(page)
  })

  test('removes the message when its author signs out', async ({ owner }) => {
    const page = await owner()
    await open(page, '/mail')
    await fill(page)
    await expect.poll(() => countDrafts(page)).toBe(1)
    await page.locator('header').getByRole('button', { name: 'ログアウト' }).click()
    await page.waitForURL('**/home')
    expect(await countDrafts(page)).toBe(0)
  })

  test('prompts before leaving when the browser cannot store the message', async ({ owner }) => {
    const page = await owner()
    await page.context().clearCookies()
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await open(page, '/mail')
    await fill(page)
    await openPrivacyPage(page)
    const question = page.getByRole('alertdialog', { name: /まだ送信されていません/ })
    await question.getByRole('button', { name: 'やめる' }).click()
    await expect(page.getByLabel('本文')).toHaveValue('土曜日に五名で')
    await page.getByRole('button', { name: '送信する' }).click()
    await expect(page).toHaveURL(/\/mail\?sent/)
  })
})
