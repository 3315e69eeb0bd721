import type { Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { button, uniqueName } from './forms.ts'
import { createPage } from './forms-of-pages.ts'
import { storedDrafts } from './kept-drafts.ts'
import {
  getRestoredNotice,
  getTextBox,
  introduction,
  type LongForm,
  longForms,
  openForm,
  typeDraft,
} from './long-forms.ts'
import { expect, getNotice, type OpenPage, open } from './visitors.ts'

test.slow()

/** Opens a page as another administrator on another device. */
async function openAsOtherAdministrator(openPage: OpenPage, page: Page) {
  const other = await openPage()
  await signIn('owner2', other, page.url())
  return other
}

const isSaveOfSite = ({ pathname }: URL) => pathname === '/site.data'

test('merges a restored draft with changes of other fields, but reports a conflict in the same field', async ({
  owner,
  openPage,
}) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const other = await openAsOtherAdministrator(openPage, page)
  await typeDraft(page, introduction, 'わたしの紹介')
  await page.close()
  await open(other, '/site')
  await getTextBox(other, 'お知らせ').fill('ほかの方のお知らせ')
  await introduction.save(other)
  await expect(getNotice(other, introduction.done)).toBeVisible()

  const reopened = await context.newPage()
  await open(reopened, '/site')
  await expect(getTextBox(reopened, 'お店の紹介')).toHaveValue('わたしの紹介')
  await introduction.save(reopened)
  await expect(getNotice(reopened, introduction.done)).toBeVisible()
  await open(reopened, '/site')
  await expect(getTextBox(reopened, 'お知らせ')).toHaveValue('ほかの方のお知らせ')
  await expect(getTextBox(reopened, 'お店の紹介')).toHaveValue('わたしの紹介')

  await typeDraft(reopened, introduction, 'わたしの新しい紹介')
  await reopened.close()
  await open(other, '/site')
  await getTextBox(other, 'お店の紹介').fill('ほかの方の紹介')
  await introduction.save(other)
  await expect(getNotice(other, introduction.done)).toBeVisible()
  const last = await context.newPage()
  await open(last, '/site')
  await expect(getTextBox(last, 'お店の紹介')).toHaveValue('わたしの新しい紹介')
  const conflict = 'ほかの方が先に、同じところを変えて保存しました。'
  await introduction.save(last)
  await expect(getNotice(last, conflict)).toBeVisible()
  // The tab is closed before the editor confirms the overwrite.
  await typeDraft(last, introduction, 'わたしの新しい紹介文')
  await last.close()
  const lastTab = await context.newPage()
  await open(lastTab, '/site')
  await expect(getTextBox(lastTab, 'お店の紹介')).toHaveValue('わたしの新しい紹介文')
  await introduction.save(lastTab)
  await expect(getNotice(lastTab, conflict)).toBeVisible()
  await open(other, '/site')
  await expect(getTextBox(other, 'お店の紹介')).toHaveValue('ほかの方の紹介')
})

test('keeps input that is typed while a save is pending', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await typeDraft(page, introduction, uniqueName('はじめの紹介'))
  const requestSent = Promise.withResolvers<void>()
  const responseAllowed = Promise.withResolvers<void>()
  await page.route(isSaveOfSite, async (route) => {
    requestSent.resolve()
    await responseAllowed.promise
    await route.continue()
  })
  await introduction.save(page)
  await requestSent.promise
  const later = uniqueName('あとの紹介')
  await typeDraft(page, introduction, later)
  responseAllowed.resolve()
  await expect(getNotice(page, introduction.done)).toBeVisible()
  await expect(introduction.field(page)).toHaveValue(later)
  await page.unroute(isSaveOfSite)
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue(later)
  await introduction.save(page)
  await expect(getNotice(page, introduction.done)).toBeVisible()
  await expect.poll(() => storedDrafts(page)).not.toContain(later)
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue(later)
})

test('reports a conflict when another person has saved the event of a restored draft', async ({ owner, openPage }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/pages')
  const other = await openAsOtherAdministrator(openPage, page)
  const form = longForms.find(({ name }) => name === 'an event') as LongForm
  const path = await form.path(page)
  await openForm(page, path, form)
  await typeDraft(page, form, 'わたしの内容')
  await page.close()
  await openForm(other, path, form)
  await form.field(other).fill('ほかの方の内容')
  await form.save(other)
  await expect(getNotice(other, form.done)).toBeVisible()
  const reopened = await context.newPage()
  await openForm(reopened, path, form)
  await expect(form.field(reopened)).toHaveValue('わたしの内容')
  await form.save(reopened)
  await expect(getNotice(reopened, 'ほかの方が先に保存しました。')).toContainText('ほかの方の内容')
  await openForm(other, path, form)
  await expect(form.field(other)).toHaveValue('ほかの方の内容')
})

test('removes the draft when the page is reverted', async ({ owner }) => {
  const page = await owner()
  await open(page, '/pages')
  await open(page, await createPage(page))
  const version = page.locator('input[name=version]').first()
  const first = await version.inputValue()
  await getTextBox(page, 'ページのタイトル').fill('はじめの版')
  await button(page, '保存する').click()
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  // The form is replaced by the saved version.
  await expect(version).not.toHaveValue(first)
  await getTextBox(page, 'ページのタイトル').fill('書きかけの版')
  await expect.poll(() => storedDrafts(page)).toContain('書きかけの版')
  await page.getByText('変更履歴', { exact: true }).click()
  await button(page, /^この時点に戻す/).click()
  await expect(getNotice(page, /戻しました。/).first()).toBeVisible()
  await expect(getTextBox(page, 'ページのタイトル')).not.toHaveValue('書きかけの版')
  await expect.poll(() => storedDrafts(page)).toBe('[]')
})

test('keeps a later draft of another tab when one tab saves', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const other = await context.newPage()
  await open(other, '/site')
  await typeDraft(page, introduction, '先のタブの紹介')
  await typeDraft(other, introduction, '後のタブの紹介')
  await page.bringToFront()
  await introduction.save(page)
  await expect(getNotice(page, introduction.done)).toBeVisible()
  await other.close()
  await open(page, '/site')
  await expect(getTextBox(page, 'お店の紹介')).toHaveValue('後のタブの紹介')
  await expect(getRestoredNotice(page)).toBeVisible()
})

test('removes a draft after thirty days', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await typeDraft(page, introduction, '古い書きかけ')
  const context = page.context()
  await page.close()
  const reopened = await context.newPage()
  await reopened.clock.setFixedTime(Date.now() + 31 * 24 * 60 * 60 * 1000)
  await open(reopened, '/site')
  await expect.poll(() => storedDrafts(reopened)).toBe('[]')
  await expect(getTextBox(reopened, 'お店の紹介')).not.toHaveValue('古い書きかけ')
  await expect(getRestoredNotice(reopened)).toHaveCount(0)
})
