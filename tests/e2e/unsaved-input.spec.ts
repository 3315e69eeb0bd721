import type { Page } from '@playwright/test'
import { signIn, test } from './editors.ts'
import { uniqueName } from './forms.ts'
import { createMember } from './forms-of-circle.ts'
import { storedDrafts } from './kept-drafts.ts'
import { getRestoredNotice, getTextBox, introduction, longForms, openForm, readText, typeDraft } from './long-forms.ts'
import { emulateSlowPhone, expect, expectAccessible, getNotice, open, phone } from './visitors.ts'

test.slow()

for (const form of longForms) {
  test(`form for ${form.name}: restores the input of a closed tab until it is discarded`, async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const context = page.context()
    await open(page, '/pages')
    const path = await form.path(page)
    await emulateSlowPhone(page)
    await openForm(page, path, form)
    const textBefore = await readText(page, form)
    const text = uniqueName('書きかけの文章')
    await typeDraft(page, form, text)
    await page.close()

    const reopened = await context.newPage()
    await openForm(reopened, path, form)
    await expect(getRestoredNotice(reopened)).toBeVisible()
    await expect.poll(() => readText(reopened, form)).toBe(text)
    await expectAccessible(reopened)
    await getRestoredNotice(reopened).getByRole('button', { name: '破棄する' }).click()
    await expect(getRestoredNotice(reopened)).toHaveCount(0)
    await expect.poll(() => storedDrafts(reopened)).toBe('[]')
    await openForm(reopened, path, form)
    await expect.poll(() => readText(reopened, form)).toBe(textBefore)
    await expect(getRestoredNotice(reopened)).toHaveCount(0)
  })

  test(`form for ${form.name}: hides the draft from another account, and removes the draft after a save`, async ({
    owner,
  }) => {
    const page = await owner()
    await open(page, '/pages')
    const path = await form.path(page)
    await openForm(page, path, form)
    const textBefore = await readText(page, form)
    const text = uniqueName('だれかの書きかけ')
    await typeDraft(page, form, text)
    page.on('dialog', (dialog) => dialog.accept())

    await signIn('owner2', page, page.url())
    await openForm(page, path, form)
    await expect.poll(() => readText(page, form)).toBe(textBefore)
    await expect(getRestoredNotice(page)).toHaveCount(0)

    await signIn('owner', page, page.url())
    await openForm(page, path, form)
    await expect.poll(() => readText(page, form)).toBe(text)
    await form.fill?.(page)
    await form.save(page)
    await expect(getNotice(page, form.done).first()).toBeVisible()
    await expect.poll(() => storedDrafts(page)).toBe('[]')
  })
}

test('restores texts, checkboxes, colours and links in every section of /site', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/site')
  const fields = (tab: Page) => ({
    name: getTextBox(tab, '店名'),
    colour: tab.getByRole('radio').nth(2),
    parking: getTextBox(tab, '駐車場'),
    link: tab.getByLabel('1つめの名前'),
    recipient: tab.locator('[name="recipientNames.shop"]'),
    tick: tab.getByRole('checkbox').first(),
  })
  const { tick, colour, ...texts } = fields(page)
  for (const field of Object.values(texts)) await field.fill('書きかけ')
  await colour.check()
  const wasTicked = await tick.isChecked()
  await tick.click()
  await expect.poll(async () => JSON.parse((await storedDrafts(page)) || '[]').length).toBe(5)
  await page.close()
  const reopened = await context.newPage()
  await open(reopened, '/site')
  await expect(getRestoredNotice(reopened)).toHaveCount(5)
  const { tick: tickAgain, colour: colourAgain, ...textsAgain } = fields(reopened)
  for (const field of Object.values(textsAgain)) await expect(field).toHaveValue('書きかけ')
  await expect(colourAgain).toBeChecked()
  await expect(tickAgain).toBeChecked({ checked: !wasTicked })
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

test('restores the input of the member form when the focus has never left the field', async ({ owner }) => {
  const page = await owner()
  const context = page.context()
  await open(page, '/pages')
  const name = await createMember(page)
  await open(page, '/memberlist')
  const article = page.getByRole('article', { name })
  const id = await article.locator('input[name=member]').first().inputValue()
  await open(page, `/membercreate/${id}`)
  const isKept = page.waitForResponse((response) => response.request().postData()?.includes('keep') ?? false)
  await page.getByLabel('自己紹介').fill('打ちかけの紹介')
  await isKept
  await page.close()
  const reopened = await context.newPage()
  await open(reopened, `/membercreate/${id}`)
  await expect(reopened.getByLabel('自己紹介')).toHaveValue('打ちかけの紹介')
})
