import { readFileSync } from 'node:fs'
import type { Page, Request } from '@playwright/test'
import { returningTest as test } from './editors.ts'
import type { Form } from './forms.ts'
import { formsOfCards } from './forms-of-cards.ts'
import { formsOfCircle } from './forms-of-circle.ts'
import { formsOfDays } from './forms-of-days.ts'
import { formsOfPages } from './forms-of-pages.ts'
import { formsOfSite } from './forms-of-site.ts'
import { formsOfStaff } from './forms-of-staff.ts'
import { expect, getNotice, open, pressAndRead } from './visitors.ts'

const forms = [...formsOfCards, ...formsOfDays, ...formsOfCircle, ...formsOfSite, ...formsOfPages, ...formsOfStaff]
// Forms that have a version check, but have no `conflict` case in the form tables.
const formsWithoutConflictCase = [
  'the deletion of an event',
  'another role for a staff member',
  'the removal of a staff member',
  'the order of the dishes',
  'the order of the slides',
  'the deletion of a slide on the page',
]
// One form of each kind. Others send the same fields with the same hook, so that a request test is sufficient.
const formsOnOnePage = ['the texts of a page', 'an RSVP to an event']
const formsOnTwoPages = ['a card', 'an event']
const formsOfLists = [
  'another role for a staff member',
  'the removal of a staff member',
  'the order of the slides',
  'the deletion of a slide on the page',
]

test('has a test here or in own-saves.test.ts for every form with a version check', () => {
  const versionedForms = forms
    .filter(({ conflict, visitor }) => conflict && visitor !== 'account')
    .map(({ name }) => name)
  const requestTests = readFileSync('app/records/own-saves.test.ts', 'utf8')
  const testedHere = [...formsOnOnePage, ...formsOnTwoPages, ...formsOfLists]
  const isTested = (name: string) => testedHere.includes(name) || requestTests.includes(`'${name}'`)
  expect([...versionedForms, ...formsWithoutConflictCase].filter((name) => !isTested(name))).toEqual([])
})

const findForm = (wanted: string) => forms.find(({ name }) => name === wanted) as Form

/**
 * Holds each load of page data from now on, so that the page remains stale. Returns the sent forms, their rejections and
 * a function that releases the loads.
 */
async function holdPageData(page: Page) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const sentForms: Record<string, string>[] = []
  const conflicts: string[] = []
  const isForm = (request: Request) => request.method() === 'POST'
  page.on('response', (response) => {
    const request = response.request()
    if (isForm(request) && response.status() >= 400)
      conflicts.push(`${response.status()} ${response.url()} ${request.postData()}`)
  })
  await page.route(
    ({ pathname }) => pathname.endsWith('.data'),
    async (route) => {
      const request = route.request()
      if (isForm(request)) sentForms.push(Object.fromEntries(new URLSearchParams(request.postData() ?? '')))
      else await released
      // The router has aborted the loads that a later load replaces.
      await route.continue().catch(() => {})
    },
  )
  return {
    sentForms,
    conflicts,
    async release() {
      release()
      await page.unrouteAll({ behavior: 'wait' })
    },
  }
}

const undo = (page: Page) => page.locator('[data-notice=done]').getByRole('button', { name: '元に戻す' }).first()

async function undoSave(page: Page) {
  await undo(page).click()
  await expect(getNotice(page, /元に戻しました。|取り消しました。/)).toBeVisible()
}

/** Opens the page of a form as the visitor of the form. Returns the path of the page. */
async function openForm(page: Page, { path, visitor = 'owner' }: Form, url: string) {
  await page.context().addCookies([{ name: 'as', value: visitor, url }])
  if (typeof path !== 'string') await page.goto('/api/health')
  const address = typeof path === 'string' ? path : await path(page)
  await open(page, address)
  return address
}

async function save(page: Page, { fill, send, confirm, done = '' }: Form) {
  await fill?.(page)
  // The notice of an equal save before this save is removed when the form is sent.
  const responseArrived = page.waitForResponse((response) => response.request().method() === 'POST')
  await send(page)
  if (confirm) await page.getByRole('alertdialog').getByRole('button', { name: confirm }).click()
  await responseArrived
  await expect(getNotice(page, done).last()).toBeVisible()
}

for (const form of formsOnOnePage.map(findForm)) {
  test(`form for ${form.name}: saves, undoes and saves twice again before the page is revalidated`, async ({
    page,
    site: url,
  }) => {
    await openForm(page, form, url)
    const { sentForms, conflicts, release } = await holdPageData(page)
    await save(page, form)
    await undoSave(page)
    await save(page, form)
    await save(page, form)
    await release()
    expect(conflicts).toEqual([])
    // Each save sends the version of the first save, because the page still shows this version.
    const [first, , second, last] = sentForms
    expect(sentForms).toHaveLength(4)
    expect([second?.version, last?.version]).toEqual([first?.version, first?.version])
  })
}

/** Saves the texts of a page. Returns the next field and a function that lets the page load the saved texts. */
async function saveTextsWithoutLoad(page: Page, url: string) {
  const form = findForm('the texts of a page')
  await openForm(page, form, url)
  const version = page.locator('input[name=version]').first()
  const versionBefore = await version.inputValue()
  const { release } = await holdPageData(page)
  await save(page, form)
  return {
    next: page.getByLabel('検索結果の説明'),
    async releaseSavedTexts() {
      await release()
      await expect(version).not.toHaveValue(versionBefore)
    },
  }
}

test('keeps the focus in the next field when the saved texts arrive', async ({ page, site: url }) => {
  const { next, releaseSavedTexts } = await saveTextsWithoutLoad(page, url)
  await next.focus()
  await releaseSavedTexts()
  await expect(next).toBeFocused()
})

for (const [name, firstNote] of [
  ['an RSVP to an event', ''],
  ['an RSVP from a link', '車で行きます'],
] as const) {
  const form = findForm(name)
  test(`form for ${name}: keeps a note that is typed before the saved RSVP arrives`, async ({ page, site: url }) => {
    await openForm(page, form, url)
    await page.getByText('お連れ様・ひとことを添える').click()
    const note = page.getByLabel('ひとこと', { exact: true })
    await note.fill(firstNote)
    const { release } = await holdPageData(page)
    await save(page, form)
    await note.fill('少し遅れます')
    await release()
    await expect(page.getByRole('button', { name: '参加', exact: true })).toHaveAttribute('aria-pressed', 'true')
    await expect(note).toHaveValue('少し遅れます')
    await expect(note).toBeFocused()
  })
}

test('restores the note of an RSVP that is undone before the saved RSVP arrives', async ({ page, site: url }) => {
  const form = findForm('an RSVP to an event')
  await openForm(page, form, url)
  await page.getByText('お連れ様・ひとことを添える').click()
  const note = page.getByLabel('ひとこと', { exact: true })
  await note.fill('少し遅れます')
  const { release } = await holdPageData(page)
  await save(page, form)
  await undoSave(page)
  await release()
  await expect(note).toHaveValue('')
})

for (const form of ['other hours for today', 'the notice of a closed day'].map(findForm))
  test(`form for ${form.name}: restores its fields when the save is undone before the saved day arrives`, async ({
    page,
    site: url,
  }) => {
    await openForm(page, form, url)
    const readFields = () =>
      page
        .getByRole('main')
        .locator('select, input:not([type=hidden]), textarea')
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value))
    const fieldsBefore = await readFields()
    const { release } = await holdPageData(page)
    await save(page, form)
    await undoSave(page)
    await release()
    await expect.poll(readFields).toEqual(fieldsBefore)
  })

test('keeps the companions that an organiser selects before the saved RSVP arrives', async ({ page, site: url }) => {
  await openForm(page, findForm('an RSVP that an organiser saves'), url)
  const person = page.getByRole('article', { name: '桜井 花' })
  const { release } = await holdPageData(page)
  await person.getByLabel('お連れ様').selectOption('1')
  await person.getByRole('button', { name: '参加', exact: true }).click()
  await expect(getNotice(page, '桜井 花 さんを「参加」にしました。')).toBeVisible()
  await person.getByLabel('お連れ様').selectOption('2')
  await release()
  await expect(person).toContainText('参加・お連れ様1名')
  await expect(person.getByLabel('お連れ様')).toHaveValue('2')
})

test('keeps the name of a guest when the name of another editor arrives after the conflict', async ({
  page,
  site: url,
}) => {
  const form = findForm('the name of a guest')
  await openForm(page, form, url)
  const { release } = await holdPageData(page)
  await form.conflict?.make(page)
  await form.fill?.(page)
  await form.send(page)
  await expect(getNotice(page, 'ほかの方が先に変更しました')).toBeVisible()
  await release()
  const guest = page.getByRole('article', { name: 'ほかの方が変えた名前' })
  await expect(guest.getByRole('textbox')).toHaveValue('ゲスト 一朗')
})

test('keeps the sold-out switch on until the router has loaded the dish again', async ({ page, site: url }) => {
  await openForm(page, findForm('the sold-out switch of a dish'), url)
  // The form has created this dish. Other dishes may be sold out.
  const toggle = page.getByRole('switch').last()
  const { sentForms, release } = await holdPageData(page)
  await toggle.click()
  await expect(toggle).toBeChecked()
  await expect(toggle).toBeEnabled()
  const responseArrived = page.waitForResponse((response) => response.request().method() === 'POST')
  await toggle.click()
  await responseArrived
  expect(sentForms.map(({ intent }) => intent)).toEqual(['sold out', 'not sold out'])
  await release()
  await expect(toggle).not.toBeChecked()
})

test('shows the new address of the own calendar before the page is revalidated', async ({ page, site: url }) => {
  const form = findForm('an address of the own calendar')
  await openForm(page, form, url)
  await save(page, form)
  const address = page.getByLabel('アドレス', { exact: true })
  const oldAddress = await address.inputValue()
  const { release } = await holdPageData(page)
  await pressAndRead(page, '新しいアドレスにする', '前のアドレスは使えません。')
  await expect(address).not.toHaveValue(oldAddress)
  const newAddress = await address.inputValue()
  await expect(page.getByRole('link', { name: 'ファイルを受け取る' })).toHaveAttribute('href', newAddress)
  await release()
  await expect(address).toHaveValue(newAddress)
})

test('keeps an input in the moment when the saved texts arrive', async ({ page, site: url }) => {
  const { next, releaseSavedTexts } = await saveTextsWithoutLoad(page, url)
  // The observer runs directly after the render of the new history.
  await next.evaluate((field: HTMLTextAreaElement) => {
    const observer = new MutationObserver(() => {
      observer.disconnect()
      field.value = '新しい説明'
      field.dispatchEvent(new InputEvent('input', { bubbles: true }))
      Object.assign(window, { isTyped: true })
    })
    for (const list of document.querySelectorAll('[class*=history-panel_entries]'))
      observer.observe(list, { childList: true })
  })
  await releaseSavedTexts()
  await page.waitForFunction(() => Reflect.get(window, 'isTyped'))
  await expect(next).toHaveValue('新しい説明')
})

for (const form of formsOnTwoPages.map(findForm)) {
  test(`form for ${form.name}: opens and saves again before the next page is revalidated after an undo`, async ({
    page,
    site: url,
  }) => {
    const path = await openForm(page, form, url)
    await save(page, form)
    const { conflicts, release } = await holdPageData(page)
    await undoSave(page)
    await navigateInClient(page, path)
    const released = release()
    await save(page, form)
    await released
    expect(conflicts).toEqual([])
  })
}

test('changes a role and removes the staff member, each again after an undo, before the list is revalidated', async ({
  page,
  site: url,
}) => {
  const [role, removal] = [findForm('another role for a staff member'), findForm('the removal of a staff member')]
  await openForm(page, role, url)
  await expectSavesAfterUndo(page, [role, removal])
})

test('reorders the slides and deletes a slide, each again after an undo, before the slides are revalidated', async ({
  page,
  site: url,
}) => {
  const [order, deletion] = [findForm('the order of the slides'), findForm('the deletion of a slide on the page')]
  await openForm(page, order, url)
  await expectSavesAfterUndo(page, [order, deletion])
})

/** Saves each form, undoes the save and saves again without new page data. Asserts that no form was rejected. */
async function expectSavesAfterUndo(page: Page, listForms: Form[]) {
  const { sentForms, conflicts, release } = await holdPageData(page)
  for (const form of listForms) {
    await save(page, form)
    await undoSave(page)
    await save(page, form)
  }
  await release()
  expect(conflicts).toEqual([])
  expect(sentForms).toHaveLength(3 * listForms.length)
  // Each form sends the version that the page has loaded, although its record has newer versions.
  const versions = sentForms.flatMap(({ version = [] }) => version)
  expect(new Set(versions).size).toBe(1)
}

/** Navigates in the client, so that the tab keeps its state. */
async function navigateInClient(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

test.describe('/today before its data are revalidated', () => {
  async function openRegularDay(page: Page, url: string) {
    await page.context().addCookies([{ name: 'as', value: 'owner', url }])
    await open(page, '/today')
    const usual = page.getByRole('button', { name: /^通常どおり/ })
    if (await usual.isEnabled()) await usual.click()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    return { usual, close: page.getByRole('button', { name: /^臨時休業/ }) }
  }

  test('closes the day right after its hours were changed', async ({ page, site: url }) => {
    const { close } = await openRegularDay(page, url)
    const { sentForms, conflicts, release } = await holdPageData(page)
    await page.getByRole('main').locator('summary').click()
    for (const [part, value] of Object.entries({ 開始の時: '00', 開始の分: '05', 終了の時: '00', 終了の分: '00' }))
      await page.getByLabel(`本日 第1部（朝の部） ${part}`).selectOption(value)
    await pressAndRead(page, 'この時間にする', 'にしました。')
    await close.click()
    await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
    expect(sentForms.map(({ intent, version }) => [intent, version])).toEqual([
      ['change', '0'],
      ['close', '0'],
    ])
    await release()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    expect(conflicts).toEqual([])
  })

  test('resets the day right after the closing was undone and the day was closed again', async ({
    page,
    site: url,
  }) => {
    const { close, usual } = await openRegularDay(page, url)
    await close.click()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    const { sentForms, conflicts, release } = await holdPageData(page)
    await undoSave(page)
    // The day is already regular, so there is nothing to change.
    await usual.click()
    await expect(getNotice(page, '本日は通常どおりです。')).toBeVisible()
    await close.click()
    await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
    await usual.click()
    await expect(getNotice(page, '本日を通常どおりに戻しました。')).toBeVisible()
    expect(new Set(sentForms.flatMap(({ version = [] }) => version)).size).toBe(1)
    await release()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    expect(conflicts).toEqual([])
  })
})
