import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { button, post, uniqueName } from './forms.ts'
import { createEvent } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { readSectionSettings } from './forms-of-site.ts'
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
import { expect, getNotice, open } from './visitors.ts'

const asOtherAdministrator = { cookie: 'as=owner2' }

/** Saves a section of the settings as another administrator, who has just opened the form. */
async function saveAsOtherAdministrator(page: Page, section: 'words' | 'guide', changes: Record<string, string>) {
  await post(page, '/site', { ...(await readSectionSettings(page, section)), ...changes }, asOtherAdministrator)
}

const isSaveOfSite = ({ pathname }: URL) => pathname === '/site.data'

test('merges a restored draft with changes of other fields, but reports a conflict in the same field', async ({
  owner,
}) => {
  const page = await owner()
  await open(page, '/site')
  await typeDraft(page, introduction, 'わたしの紹介')
  await saveAsOtherAdministrator(page, 'guide', { seats: 'ほかの方のお席' })

  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue('わたしの紹介')
  await introduction.save(page)
  await expect(getNotice(page, introduction.done)).toBeVisible()
  await expect(getTextBox(page, 'お席')).toHaveValue('ほかの方のお席')
  expect(await readSectionSettings(page, 'words')).toMatchObject({ description: 'わたしの紹介' })
  expect(await readSectionSettings(page, 'guide')).toMatchObject({ seats: 'ほかの方のお席' })

  await typeDraft(page, introduction, 'わたしの新しい紹介')
  await saveAsOtherAdministrator(page, 'words', { description: 'ほかの方の紹介' })
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue('わたしの新しい紹介')
  const conflict = 'ほかの方が先に、同じところを変えて保存しました。'
  await introduction.save(page)
  await expect(getNotice(page, conflict)).toBeVisible()
  // The page is left before the editor confirms the overwrite.
  await typeDraft(page, introduction, 'わたしの新しい紹介文')
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue('わたしの新しい紹介文')
  await introduction.save(page)
  await expect(getNotice(page, conflict)).toBeVisible()
  expect(await readSectionSettings(page, 'words')).toMatchObject({ description: 'ほかの方の紹介' })
})

test('keeps later input of its own or of another tab after a save, but removes the input after thirty days', async ({
  owner,
}) => {
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

  const other = await page.context().newPage()
  await open(other, '/site')
  await typeDraft(other, introduction, '後のタブの紹介')
  await page.bringToFront()
  await introduction.save(page)
  await expect(getNotice(page, introduction.done)).toBeVisible()
  await expect(introduction.field(page)).toHaveValue(later)
  expect(await readSectionSettings(page, 'words')).toMatchObject({ description: later })
  await other.close()
  await open(page, '/site')
  await expect(introduction.field(page)).toHaveValue('後のタブの紹介')
  await expect(getRestoredNotice(page)).toBeVisible()

  await page.evaluate(ageDrafts, 31 * 24 * 60 * 60 * 1000)
  await open(page, '/site')
  await expect.poll(() => storedDrafts(page)).toBe('[]')
  await expect(introduction.field(page)).toHaveValue(later)
  await expect(getRestoredNotice(page)).toHaveCount(0)
})

test('keeps input that is typed before the stored draft has been read', async ({ owner }) => {
  const page = await owner()
  await open(page, '/site')
  await typeDraft(page, introduction, 'きのうの紹介')
  await page.addInitScript(holdDrafts)
  await open(page, '/site')
  await introduction.field(page).evaluate((field: HTMLTextAreaElement) => {
    field.value = 'きょうの紹介'
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    Reflect.get(window, 'releaseDrafts')()
  })
  await expect.poll(() => storedDrafts(page)).toContain('きょうの紹介')
  await expect(introduction.field(page)).toHaveValue('きょうの紹介')
  await expect(getRestoredNotice(page)).toHaveCount(0)
})

test('reports a conflict when another person has saved the event of a restored draft', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const form = longForms.find(({ name }) => name === 'an event') as LongForm
  const { path, event } = await createEvent(page)
  await openForm(page, path, form)
  await typeDraft(page, form, 'わたしの内容')
  const otherVersion = { ...event, intent: 'save', version: '1', content: 'ほかの方の内容' }
  await post(page, '/calendar', otherVersion, asOtherAdministrator)
  await openForm(page, path, form)
  await expect(form.field(page)).toHaveValue('わたしの内容')
  await form.save(page)
  await expect(getNotice(page, 'ほかの方が先に保存しました。')).toContainText('ほかの方の内容')
  const stored = await (await page.request.get(path)).text()
  expect(stored).toContain('ほかの方の内容')
  expect(stored).not.toContain('わたしの内容')
})

test('removes the draft when the page is reverted', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const path = await createPage(page)
  await open(page, path)
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

/** Holds the reads of drafts until `releaseDrafts` is called. Runs in the page. */
function holdDrafts() {
  const { get } = IDBObjectStore.prototype
  const requests: IDBRequest[] = []
  let isHeld = true
  IDBObjectStore.prototype.get = function (key) {
    const request = get.call(this, key)
    request.addEventListener('success', (event) => isHeld && event.stopImmediatePropagation())
    requests.push(request)
    return request
  }
  const releaseDrafts = () => {
    isHeld = false
    for (const request of requests) if (request.readyState === 'done') request.onsuccess?.(new Event('success'))
  }
  Object.assign(window, { releaseDrafts })
}

/** Moves the dates of all drafts into the past. Runs in the page. */
function ageDrafts(milliseconds: number) {
  return new Promise<void>((resolve) => {
    const openRequest = indexedDB.open('drafts')
    openRequest.onsuccess = () => {
      const transaction = openRequest.result.transaction('drafts', 'readwrite')
      const scan = transaction.objectStore('drafts').openCursor()
      scan.onsuccess = () => {
        scan.result?.update({ ...scan.result.value, at: scan.result.value.at - milliseconds })
        scan.result?.continue()
      }
      transaction.oncomplete = () => {
        openRequest.result.close()
        resolve()
      }
    }
  })
}
