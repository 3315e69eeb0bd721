import type { Page } from '@playwright/test'
import { returning as test } from './editors.ts'
import type { Form, Says } from './forms.ts'
import { formsOfAccounts, newAccount } from './forms-of-accounts.ts'
import { formsOfCards } from './forms-of-cards.ts'
import { formsOfCircle } from './forms-of-circle.ts'
import { formsOfDays } from './forms-of-days.ts'
import { formsOfPages } from './forms-of-pages.ts'
import { formsOfSite } from './forms-of-site.ts'
import { formsOfStaff } from './forms-of-staff.ts'
import { announced, desk, expect, filesThatDraw, forgetAnnounced, open, phone, told } from './visitors.ts'

const forms = [
  ...formsOfCards,
  ...formsOfDays,
  ...formsOfCircle,
  ...formsOfSite,
  ...formsOfPages,
  ...formsOfStaff,
  ...formsOfAccounts,
]

test.slow()

const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
const FAILED = /(?:失敗|エラーが発生)しました.*受付番号 [0-9a-f]{8}/
/** The elements that may have the focus while the form is still shown. */
const FORM = 'main *, dialog *, [data-notice] *'

const withoutAnswer = [
  // It has no form response of its own.
  'accounts/sign-out-button.tsx',
  // It shows the result of a form that was submitted without JavaScript.
  'owner/undo-page.tsx',
  // It would delete the sample that the other forms need: see look-after-the-site.spec.ts.
  'owner/sample-left.tsx',
  // A shop dismisses it only once: see first-evening.spec.ts.
  'owner/checklist.tsx',
]

test('covers every form of the site', () => {
  const sending = filesThatDraw(/\b(?:useSave|useLeaving)(?:<\w+>)?\(|method="post"/)
  expect([...new Set([...forms.map((form) => form.in), ...withoutAnswer])].sort()).toEqual(sending)
})

for (const form of forms) {
  const { who = 'owner', fill, wrong, newer, gone, done, arrives, focus } = form
  const { guest = /ログインしてください/, other = /だけが行えます/ } = form

  test(`form for ${form.name}: announces each result once and keeps the input`, async ({
    page,
    context,
    site: url,
  }) => {
    await openForm(page, form, url)

    if (wrong) {
      await wrong.make?.(page)
      await send(page)
      await expect(page.locator('[aria-invalid=true]').first()).toBeFocused()
      await expect(page.locator(`${wrong.focus}:focus`)).toBeInViewport()
      await expect(page.getByRole('main').getByText(wrong.says).first()).toBeVisible()
      await isHeardOnce(page, wrong.heard ?? '入力をご確認ください')
    }
    await fill?.(page)
    const before = await typed(page)

    await context.setOffline(true)
    await tried(`${form.failure ?? ''}${NO_CONNECTION}`)
    await context.setOffline(false)
    await page.setViewportSize(desk)
    await context.addCookies([{ name: 'fails', value: 'yes', url }])
    await tried(FAILED)
    await context.clearCookies({ name: 'fails' })
    if (who !== 'guest') {
      const cookies = await context.cookies()
      await context.clearCookies()
      if (guest) await tried(guest)
      await page.setViewportSize(phone)
      await context.addCookies([...cookies, { name: 'as', value: 'applicant', url }])
      if (who !== 'account') await tried(other)
      await context.clearCookies({ name: 'as' })
      await context.addCookies(cookies)
    }
    await forgetAnnounced(page)
    await putPressedAtFoot(page)
    await send(page)
    if (arrives) await expect(page).toHaveURL(arrives)
    if (done) await seen(page, done)
    expect(await underPress(page)).toEqual([])
    await expect.poll(() => focused(page, focus)).toBe(focus)

    async function tried(says: Says) {
      await forgetAnnounced(page)
      await send(page)
      await seen(page, says)
      expect(await underPress(page), String(says)).toEqual([])
      expect(await focused(page, FORM), String(says)).toBe(FORM)
      expect(await typed(page)).toEqual(before)
    }
  })

  for (const late of [newer, gone]) {
    if (!late) continue
    test(`form for ${form.name}: shows "${late.says}" after a concurrent change`, async ({ page, site }) => {
      await openForm(page, form, site)
      await fill?.(page)
      await late.make(page)
      await send(page)
      await seen(page, late.says)
    })
  }

  async function seen(page: Page, says: Says) {
    if (form.alerts) {
      const alert = page.getByRole('alertdialog', { name: says })
      await expect(alert).toBeInViewport({ ratio: 1 })
      await alert.getByRole('button').click()
      await expect(alert).toBeHidden()
    } else {
      await expect(told(page, says).last(), String(says)).toBeInViewport({ ratio: 1 })
      await isHeardOnce(page, says)
    }
  }

  async function send(page: Page) {
    await form.send(page)
    if (form.yes) await page.getByRole('alertdialog').getByRole('button', { name: form.yes }).click()
  }
}

test.describe(() => {
  test.use({ javaScriptEnabled: false })
  for (const who of ['guest', 'account', 'approved'] as const) {
    test(`shows errors and results of every ${who} form without JavaScript`, async ({ page, site }) => {
      const own = forms.filter((each) => (each.who ?? 'owner') === who)
      test.setTimeout(own.length * 15_000)
      for (const form of own) {
        const { name, wrong, fill, arrives, done } = form
        await openForm(page, form, site)
        if (wrong) {
          await wrong.make?.(page)
          await form.send(page)
          await expect(page.getByText(wrong.says).first(), name).toBeVisible()
        }
        await fill?.(page)
        await form.send(page)
        if (arrives) await expect(page, name).toHaveURL(arrives)
        const notice = done ? told(page, done) : page.locator('[data-notice=trouble]')
        await expect(notice, name).toHaveCount(done ? 1 : 0)
        if (done) await expect(notice, name).toBeVisible()
      }
    })
  }
})

/** Opens the page of a form as its visitor, without live updates. */
async function openForm(page: Page, { who = 'owner', path }: Form, url: string) {
  const context = page.context()
  await context.clearCookies()
  await context.addCookies([{ name: 'live', value: 'no', url }])
  if (who === 'owner' || who === 'approved') await context.addCookies([{ name: 'as', value: who, url }])
  await page.setViewportSize(phone)
  if (page.url() === 'about:blank' && (who === 'account' || typeof path !== 'string')) await page.goto('/api/health')
  if (who === 'account') await newAccount(page)
  const address = typeof path === 'string' ? path : await path(page)
  if (await page.evaluate(() => matchMedia('(scripting: none)').matches)) return page.goto(address)
  await open(page, address)
  await rememberPresses(page)
}

type Pressed = { clientX: number; clientY: number; control: Element | null }
declare global {
  interface Window {
    pressed?: Pressed
  }
}

const CONTROL = 'button, a, summary, label, input, select, textarea'

/** Records the last pointer press until another document loads. */
async function rememberPresses(page: Page) {
  await page.evaluate((control) => {
    const remember = ({ detail, target, clientX, clientY }: MouseEvent) => {
      if (detail > 0) window.pressed = { clientX, clientY, control: (target as Element).closest(control) }
    }
    document.addEventListener('click', remember, true)
  }, CONTROL)
}

/** Scrolls the last pressed control to the lower edge of the viewport, below which results appear. */
async function putPressedAtFoot(page: Page) {
  await page.evaluate(() => window.pressed?.control?.scrollIntoView({ block: 'end' }))
}

/** Returns the control that a second press at the same position would hit instead of the pressed one. */
async function underPress(page: Page) {
  return page.evaluate((control) => {
    // A moved row takes its button along.
    if (!window.pressed || window.pressed.control?.matches('[aria-label$=を上へ], [aria-label$=を下へ]')) return []
    const { clientX, clientY, control: pressed } = window.pressed
    const hit = document.elementFromPoint(clientX, clientY)?.closest(control)
    if (!hit || hit === pressed) return []
    // A control that replaces a removed one is harmless, unless it undoes the action.
    return pressed?.isConnected || hit.textContent === '元に戻す' ? [hit.outerHTML] : []
  }, CONTROL)
}

async function isHeardOnce(page: Page, says: Says) {
  await expect(announced(page).filter({ hasText: says }), `heard: ${says}`).toHaveCount(1)
}

/** Returns the selector if the focused element matches it, or else the HTML of that element. */
async function focused(page: Page, selector: string) {
  return page.evaluate((wanted) => {
    const active = document.activeElement
    return active?.matches(wanted) ? wanted : (active?.outerHTML.slice(0, 160) ?? '')
  }, selector)
}

async function typed(page: Page) {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=file]), textarea, select')].map(
      ({ name, value, checked }) => `${name} ${value} ${checked}`,
    ),
  )
}
