import type { Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { uniqueName } from './forms.ts'
import { createMember } from './forms-of-circle.ts'
import { storedDrafts } from './kept-drafts.ts'
import { getRestoredNotice, getTextBox, introduction, longForms, openForm, readText, typeDraft } from './long-forms.ts'
import {
  delayRequests,
  expect,
  expectAccessible,
  findComponentFiles,
  getNotice,
  open,
  phone,
  waitForHydration,
} from './visitors.ts'

test('covers every form with a draft', () => {
  // unsaved-message.spec.ts and ask-for-a-table.spec.ts
  const formsWithTestsElsewhere = ['contact/mail-page.tsx', 'tables/ask-page.tsx']
  const files = new Set([...longForms.map(({ file }) => file), ...formsWithTestsElsewhere])
  expect([...files].sort()).toEqual(findComponentFiles(/\buseDraft\(/))
})

for (const form of longForms) {
  test(`form for ${form.name}: restores its draft until the draft is discarded or saved`, async ({ owner }) => {
    const page = await owner({ viewport: phone })
    await page.goto('/api/health')
    const path = await form.path(page)
    await openForm(page, path, form)
    const textBefore = await readText(page, form)
    const text = uniqueName('書きかけの文章')
    await typeDraft(page, form, text)

    await openForm(page, path, form)
    await expect(getRestoredNotice(page)).toBeVisible()
    await expect.poll(() => readText(page, form)).toBe(text)
    await getRestoredNotice(page).getByRole('button', { name: '破棄する' }).click()
    await expect(getRestoredNotice(page)).toHaveCount(0)
    await expect.poll(() => readText(page, form)).toBe(textBefore)
    await expect.poll(() => storedDrafts(page)).toBe('[]')

    await typeDraft(page, form, text)
    await form.fill?.(page)
    await form.save(page)
    await expect(getNotice(page, form.done).first()).toBeVisible()
    await expect.poll(() => storedDrafts(page)).toBe('[]')
  })
}

const getSiteFields = (page: Page) => ({
  name: getTextBox(page, '店名'),
  introduction: getTextBox(page, 'お店の紹介'),
  parking: getTextBox(page, '駐車場'),
  link: page.getByLabel('1つめの名前'),
  recipient: page.locator('[name="recipientNames.shop"]'),
})
const getColour = (page: Page) => page.getByRole('radio').nth(2)
const getTick = (page: Page) => page.getByRole('checkbox').first()

async function readSiteFields(page: Page) {
  const texts = Object.values(getSiteFields(page)).map((field) => field.inputValue())
  return [...(await Promise.all(texts)), await getColour(page).isChecked(), await getTick(page).isChecked()]
}

const countDrafts = async (page: Page) => JSON.parse((await storedDrafts(page)) || '[]').length

/** Opens /site and runs `work` before the scripts of the page load. */
async function openSiteSlowly(page: Page, work: () => Promise<unknown>) {
  const release = await delayRequests(page, '**/assets/*.js')
  await page.goto('/site', { waitUntil: 'commit' })
  await work()
  release()
  await waitForHydration(page)
}

test('restores every section of /site in a new tab of the same account, until the drafts are discarded', async ({
  owner,
}) => {
  const page = await owner({ viewport: phone })
  const context = page.context()
  let valuesBefore: unknown[] = []
  await openSiteSlowly(page, async () => {
    valuesBefore = await readSiteFields(page)
    // This input precedes the hydration. The next input in the same section stores both.
    await getSiteFields(page).name.fill('書きかけ')
  })
  const { name, ...otherFields } = getSiteFields(page)
  await expect(name).toHaveValue('書きかけ')
  await getColour(page).check()
  for (const field of Object.values(otherFields)) await field.fill('書きかけ')
  await getTick(page).click()
  await expect.poll(() => countDrafts(page)).toBe(6)
  const drafts = await readSiteFields(page)
  expect(drafts).toEqual([...Array(5).fill('書きかけ'), true, !valuesBefore.at(-1)])
  await page.close()

  const tab = await context.newPage()
  await signIn('owner2', tab, page.url())
  await open(tab, '/site')
  expect(await countDrafts(tab)).toBe(6)
  expect(await readSiteFields(tab)).toEqual(valuesBefore)
  await expect(getRestoredNotice(tab)).toHaveCount(0)

  await signIn('owner', tab, page.url())
  await openSiteSlowly(tab, async () => expect(await readSiteFields(tab)).toEqual(valuesBefore))
  await expect(getRestoredNotice(tab)).toHaveCount(6)
  expect(await readSiteFields(tab)).toEqual(drafts)
  await expectAccessible(tab)
  for (let count = 5; count >= 0; count -= 1) {
    await getRestoredNotice(tab).getByRole('button', { name: '破棄する' }).first().click()
    await expect(getRestoredNotice(tab)).toHaveCount(count)
    await expect.poll(() => countDrafts(tab)).toBe(count)
  }
  expect(await readSiteFields(tab)).toEqual(valuesBefore)
  await open(tab, '/site')
  expect(await readSiteFields(tab)).toEqual(valuesBefore)
  await expect(getRestoredNotice(tab)).toHaveCount(0)
})

test('saves a form when the browser blocks IndexedDB', async ({ owner }) => {
  const page = await owner()
  await page.addInitScript(() => {
    Object.defineProperty(window, 'indexedDB', {
      get() {
        throw new DOMException('forbidden', 'SecurityError')
      },
    })
  })
  await open(page, '/site')
  await getTextBox(page, 'お店の紹介').fill('しまわない紹介')
  await introduction.save(page)
  await expect(getNotice(page, introduction.done)).toBeVisible()
})

test('stores the input of the member form when the focus has never left the field', async ({ owner }) => {
  const page = await owner()
  await page.goto('/api/health')
  const name = await createMember(page)
  const list = await (await page.request.get('/memberlist')).text()
  const id = new RegExp(`aria-label="${name}"[^]*?name="member" value="([^"]+)"`).exec(list)?.[1] ?? ''
  await open(page, `/membercreate/${id}`)
  const isKept = page.waitForResponse((response) => response.request().postData()?.includes('keep') ?? false)
  await page.getByLabel('自己紹介').fill('打ちかけの紹介')
  await isKept
  const form = await (await page.request.get(`/membercreate/${id}`)).text()
  expect(form).toMatch(/<textarea[^>]*>打ちかけの紹介<\/textarea>/)
})
