import type { Page, Route } from '@playwright/test'
import { test as editing, returning as test } from './editors.ts'
import type { Form } from './forms.ts'
import { formsOfCards } from './forms-of-cards.ts'
import { formsOfCircle } from './forms-of-circle.ts'
import { formsOfDays } from './forms-of-days.ts'
import { formsOfPages } from './forms-of-pages.ts'
import { formsOfSite } from './forms-of-site.ts'
import { formsOfStaff } from './forms-of-staff.ts'
import { expect, open, phone, pressAndRead, told } from './visitors.ts'

test.slow()
editing.slow()

const LATENCY_MS = 400
const isData = ({ pathname }: URL) => pathname.endsWith('.data')
const late = (route: Route) => setTimeout(() => route.continue().catch(() => {}), LATENCY_MS)

/** Collects the refusals of forms. */
function conflictsOn(page: Page) {
  const conflicts: string[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'POST' && response.status() >= 400)
      conflicts.push(`${response.status()} ${response.url()} ${response.request().postData()}`)
  })
  return conflicts
}

const undo = (page: Page) => page.locator('[data-notice=done]').getByRole('button', { name: '元に戻す' }).first()

// A form that keeps a version knows how to be too late; of these nobody else is.
const further = [
  'the deletion of an event',
  'another role for someone of the shop',
  'the end of someone of the shop',
  'the switch of a dish that is sold out',
  'the order of the dishes',
  'the order of the slides',
  'the deletion of a slide on the page',
]
// The history takes back the settings, and a second press the switch.
const withoutUndo = ['a section of the facts of the shop', 'the switch of a dish that is sold out']
const forms = [...formsOfCards, ...formsOfDays, ...formsOfCircle, ...formsOfSite, ...formsOfPages, ...formsOfStaff]
const versioned = forms.filter(({ newer, name, who }) => (newer && who !== 'account') || further.includes(name))

test('walks every form that keeps a version', () => {
  expect(versioned.map(({ name }) => name)).toEqual(expect.arrayContaining(further))
})

for (const form of versioned) {
  test(`${form.name} is saved, undone and saved again at once without a conflict`, async ({ page, site: url }) => {
    await page.context().addCookies([{ name: 'as', value: form.who ?? 'owner', url }])
    const path = typeof form.path === 'string' ? form.path : await prepared(page, form, url)
    await open(page, path)
    await page.route(isData, late)
    const conflicts = conflictsOn(page)
    await save(page, form)
    if (!withoutUndo.includes(form.name)) {
      await undo(page).click()
      await expect(told(page, /元に戻しました。|取り消しました。/)).toBeVisible()
    }
    if (form.arrives || form.in.startsWith('calendar/')) await goTo(page, path)
    await save(page, form)
    await page.unrouteAll({ behavior: 'wait' })
    expect(conflicts).toEqual([])
  })
}

async function prepared(page: Page, { who = 'owner', path }: Form, url: string) {
  await page.goto('/api/health')
  const address = typeof path === 'string' ? path : await path(page)
  await page.context().addCookies([{ name: 'as', value: who, url }])
  return address
}

async function save(page: Page, { fill, send, yes, alerts, done }: Form) {
  await fill?.(page)
  await send(page)
  if (yes) await page.getByRole('alertdialog').getByRole('button', { name: yes }).click()
  if (alerts)
    await page
      .getByRole('alertdialog', { name: done ?? '' })
      .getByRole('button')
      .click()
  if (done) await expect(told(page, done).last()).toBeVisible()
}

/** Goes to an address as a link of the site does, so that the tab stays what it is. */
async function goTo(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

editing.describe('/today, before its data have been read again', () => {
  /** The page of today with other hours than usual, whose CPU is slow, and whose data come when `letRead` is called. */
  async function today(page: Page) {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
    const held: (() => void)[] = []
    let holds = false
    await page.route(isData, async (route) => {
      if (holds && route.request().method() === 'GET') await new Promise<void>((resolve) => held.push(resolve))
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
        holds = true
      },
      letRead: () => {
        holds = false
        for (const go of held.splice(0)) go()
      },
      conflicts: conflictsOn(page),
    }
  }

  editing('closes the day right after its hours were changed', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, hold, letRead, conflicts } = await today(page)
    hold()
    await page.getByRole('main').locator('summary').click()
    for (const [part, value] of Object.entries({ 開始の時: '00', 開始の分: '05', 終了の時: '00', 終了の分: '00' }))
      await page.getByLabel(`本日 第1部（朝の部） ${part}`).selectOption(value)
    await pressAndRead(page, 'この時間にする', 'にしました。')
    await close.click()
    await expect(told(page, '本日を「臨時休業」にしました。')).toBeVisible()
    letRead()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    expect(conflicts).toEqual([])
  })

  editing('makes the day usual right after its closing was undone and done again', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, usual, hold, letRead, conflicts } = await today(page)
    await close.click()
    await expect(page.getByText('「臨時休業」を取り消します')).toBeVisible()
    hold()
    await undo(page).click()
    await expect(told(page, '元に戻しました。')).toBeVisible()
    // The day is an ordinary one already: nothing is left to do.
    await usual.click()
    await expect(told(page, '本日は通常どおりです。')).toBeVisible()
    await close.click()
    await expect(told(page, '本日を「臨時休業」にしました。')).toBeVisible()
    await usual.click()
    await expect(told(page, '本日を通常どおりに戻しました。')).toBeVisible()
    letRead()
    await expect(page.getByText('現在は通常どおりです')).toBeVisible()
    expect(conflicts).toEqual([])
  })

  editing('refuses after another tab of the same person has closed the day', async ({ owner }) => {
    const page = await owner({ viewport: phone })
    const { close, hold, letRead } = await today(page)
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
