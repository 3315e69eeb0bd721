import type { Page, Route } from '@playwright/test'
import { test as editorTest, returningTest as test } from './editors.ts'
import type { Form } from './forms.ts'
import { formsOfCards } from './forms-of-cards.ts'
import { formsOfCircle } from './forms-of-circle.ts'
import { formsOfDays } from './forms-of-days.ts'
import { formsOfPages } from './forms-of-pages.ts'
import { formsOfSite } from './forms-of-site.ts'
import { formsOfStaff } from './forms-of-staff.ts'
import { expect, getNotice, open, phone, pressAndRead } from './visitors.ts'

test.slow()
editorTest.slow()

const LATENCY_MS = 400
const isData = ({ pathname }: URL) => pathname.endsWith('.data')
const delayRequest = (route: Route) => setTimeout(() => route.continue().catch(() => {}), LATENCY_MS)

/** Collects the rejected form requests. */
function recordRejections(page: Page) {
  const conflicts: string[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'POST' && response.status() >= 400)
      conflicts.push(`${response.status()} ${response.url()} ${response.request().postData()}`)
  })
  return conflicts
}

const undo = (page: Page) => page.locator('[data-notice=done]').getByRole('button', { name: '元に戻す' }).first()

// Forms that have a version check, but have no `conflict` case in the form tables.
const formsWithoutConflictCase = [
  'the deletion of an event',
  'another role for a staff member',
  'the removal of a staff member',
  'the sold-out switch of a dish',
  'the order of the dishes',
  'the order of the slides',
  'the deletion of a slide on the page',
]
// Settings are reverted from the history. A second press of the sold-out switch undoes the first press.
const withoutUndo = ['a section of the site settings', 'the sold-out switch of a dish']
const forms = [...formsOfCards, ...formsOfDays, ...formsOfCircle, ...formsOfSite, ...formsOfPages, ...formsOfStaff]
const versioned = forms.filter(
  ({ conflict, name, visitor }) => (conflict && visitor !== 'account') || formsWithoutConflictCase.includes(name),
)

test('covers every form with a version check', () => {
  expect(versioned.map(({ name }) => name)).toEqual(expect.arrayContaining(formsWithoutConflictCase))
})

for (const form of versioned) {
  test(`form for ${form.name}: saves, undoes and saves again at once without a conflict`, async ({
    page,
    site: url,
  }) => {
    await page.context().addCookies([{ name: 'as', value: form.visitor ?? 'owner', url }])
    const path = typeof form.path === 'string' ? form.path : await preparePath(page, form, url)
    await open(page, path)
    await page.route(isData, delayRequest)
    const conflicts = recordRejections(page)
    await save(page, form)
    if (!withoutUndo.includes(form.name)) {
      await undo(page).click()
      await expect(getNotice(page, /元に戻しました。|取り消しました。/)).toBeVisible()
    }
    if (form.resultUrl || form.file.startsWith('calendar/')) await navigateInClient(page, path)
    await save(page, form)
    await page.unrouteAll({ behavior: 'wait' })
    expect(conflicts).toEqual([])
  })
}

async function preparePath(page: Page, { visitor = 'owner', path }: Form, url: string) {
  await page.goto('/api/health')
  const address = typeof path === 'string' ? path : await path(page)
  await page.context().addCookies([{ name: 'as', value: visitor, url }])
  return address
}

async function save(page: Page, { fill, send, confirm, hasAlert, done }: Form) {
  await fill?.(page)
  await send(page)
  if (confirm) await page.getByRole('alertdialog').getByRole('button', { name: confirm }).click()
  if (hasAlert)
    await page
      .getByRole('alertdialog', { name: done ?? '' })
      .getByRole('button')
      .click()
  if (done) await expect(getNotice(page, done).last()).toBeVisible()
}

/** Navigates in the client, so that the tab keeps its state. */
async function navigateInClient(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

editorTest.describe('/today before its data are revalidated', () => {
  /** Opens /today on a slow CPU. After `hold`, revalidations wait until `letRead` is called. */
  async function openToday(page: Page) {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
    const waitingReads: (() => void)[] = []
    let shouldHold = false
    await page.route(isData, async (route) => {
      if (shouldHold && route.request().method() === 'GET')
        await new Promise<void>((resolve) => waitingReads.push(resolve))
      await route.continue().catch(() => {})
    })
    await open(page, '/today')
    const usual = page.getByRole('button', { name: /^通常どおり/ })
    if (await usual.isEnabled()) await usual.click()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    return {
      close: page.getByRole('button', { name: /^臨時休業/ }),
      usual,
      hold: () => {
        shouldHold = true
      },
      letRead: () => {
        shouldHold = false
        for (const go of waitingReads.splice(0)) go()
      },
      conflicts: recordRejections(page),
    }
  }

  editorTest('closes the day right after its hours were changed', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, hold, letRead, conflicts } = await openToday(page)
    hold()
    await page.getByRole('main').locator('summary').click()
    for (const [part, value] of Object.entries({ 開始の時: '00', 開始の分: '05', 終了の時: '00', 終了の分: '00' }))
      await page.getByLabel(`本日 第1部（朝の部） ${part}`).selectOption(value)
    await pressAndRead(page, 'この時間にする', 'にしました。')
    await close.click()
    await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
    letRead()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    expect(conflicts).toEqual([])
  })

  editorTest('resets the day right after the closing was undone and the day was closed again', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, usual, hold, letRead, conflicts } = await openToday(page)
    await close.click()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    hold()
    await undo(page).click()
    await expect(getNotice(page, '元に戻しました。')).toBeVisible()
    // The day is already regular, so there is nothing to change.
    await usual.click()
    await expect(getNotice(page, '本日は通常どおりです。')).toBeVisible()
    await close.click()
    await expect(getNotice(page, '本日を「臨時休業」にしました。')).toBeVisible()
    await usual.click()
    await expect(getNotice(page, '本日を通常どおりに戻しました。')).toBeVisible()
    letRead()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    expect(conflicts).toEqual([])
  })

  editorTest('reports a conflict when another tab of the same person has closed the day', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, hold, letRead } = await openToday(page)
    hold()
    const other = await page.context().newPage()
    await open(other, '/today')
    await pressAndRead(other, /^臨時休業/, '本日を「臨時休業」にしました。')
    await page.getByRole('main').locator('summary').click()
    await pressAndRead(page, 'この時間にする', 'ほかの方が先に変更したか')
    letRead()
    await expect(close).toBeVisible()
    await other.getByRole('button', { name: /^通常どおり/ }).click()
    await expect(other.getByText('現在は通常どおりです')).toBeVisible()
  })
})
