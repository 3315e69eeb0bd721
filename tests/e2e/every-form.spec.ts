import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from '@playwright/test'
import { returningTest, useSharedPage } from './editors.ts'
import type { Form, TextPattern } from './forms.ts'
import { formsOfAccounts, signUpAccount } from './forms-of-accounts.ts'
import { formsOfCards } from './forms-of-cards.ts'
import { formsOfCircle } from './forms-of-circle.ts'
import { formsOfDays } from './forms-of-days.ts'
import { formsOfPages } from './forms-of-pages.ts'
import { formsOfSite } from './forms-of-site.ts'
import { formsOfStaff } from './forms-of-staff.ts'
import {
  clearAnnouncements,
  desktop,
  expect,
  findComponentFiles,
  getAnnouncements,
  getNotice,
  goOffline,
  goOnline,
  open,
  phone,
} from './visitors.ts'

const tables = [formsOfCards, formsOfDays, formsOfCircle, formsOfSite, formsOfPages, formsOfStaff, formsOfAccounts]
const isOfOwner = ({ visitor = 'owner' }: Form) => visitor === 'owner'
// The tables take turns, because a navigation to another page is faster than a navigation to the same page.
const formsInTurns = tables
  .flatMap((table) => table.filter(isOfOwner).map((form, turn) => ({ form, turn })))
  .sort((one, other) => one.turn - other.turn)
const forms = [...formsInTurns.map(({ form }) => form), ...tables.flat().filter((form) => !isOfOwner(form))]

/** A test whose page stays open, so that the next form of the owner opens by a navigation in the client. */
const test = returningTest.extend({
  page: async ({ startOnce, context, site, expectedErrors }, use, testInfo) =>
    useSharedPage('page for every form', { startOnce, context, site, expectedErrors }, use, testInfo, () =>
      context.setOffline(false),
    ),
})

const NO_CONNECTION = '通信エラーが発生しました。つながってから、もう一度お試しください。'
const FAILURE = /(?:失敗|エラーが発生)しました.*受付番号 [0-9a-f]{8}/
/** The elements that may have the focus while the form is still shown. */
const FORM_ELEMENTS = 'main *, dialog *, [data-notice] *'

const excludedFiles = [
  // Passkeys need an authenticator: see passkeys.spec.ts.
  'accounts/passkey-sign-in.tsx',
  'owner/passkeys-section.tsx',
  // Push notifications need a push service: see push-devices.spec.ts.
  'owner/push-section.tsx',
  // The sign-out button has no form response of its own.
  'accounts/sign-out-button.tsx',
  // The undo page shows the result of a form that was submitted without JavaScript.
  'owner/undo-page.tsx',
  // Removing the sample would delete the content that other forms need: see look-after-the-site.spec.ts.
  'owner/sample-left.tsx',
  // A shop can dismiss the checklist only once: see first-evening.spec.ts.
  'owner/checklist.tsx',
  // The site of these forms has no tables: see keep-the-tables.spec.ts.
  'tables/booking-card.tsx',
  'tables/booking-form.tsx',
  'tables/bookings-page.tsx',
  // The response of this form is another page: see answer-from-a-mail.spec.ts.
  'members/unsubscribe-page.tsx',
]

test('covers every form of the site', () => {
  const filesWithForms = findComponentFiles(/\b(?:useSave|useListSave)(?:<\w+>)?\(|method="post"/)
  expect([...new Set([...forms.map((form) => form.file), ...excludedFiles])].sort()).toEqual(filesWithForms)
})

/** The mechanisms by which the source of a form can differ from a `SaveForm` with an `Outcome`. */
const mechanisms = {
  'a save for all items of a list': /\buseListSave\(/,
  'a save without a form': /\bsend[(,]/,
  'an outcome with content of its own': /<Outcome save=\{[\w.]+\}>/,
  'a success that is reported by a toast': /\bleaves\b/,
  'the validation of the browser': /<SaveForm\b[^>]*\bvalidates>/,
  'a focus or scroll position of its own': /\.focus\(|scrollIntoView|\bautoFocus\b/,
  'a fetcher of its own': /\buseFetcher\(|\buseFetcher</,
}
const readSource = (file: string) => readFileSync(`app/${file}`, 'utf8')

test('walks a form of each combination of mechanisms through all failures', () => {
  const findMechanisms = ({ file }: Form) =>
    Object.entries(mechanisms)
      .filter(([, pattern]) => pattern.test(readSource(file)))
      .map(([name]) => name)
      .join(' and ')
  const walked = forms.filter(({ walk }) => walk).map(findMechanisms)
  const others = forms.map((form) => `${form.file}: ${findMechanisms(form)}`)
  expect([...new Set(others)].filter((line) => !walked.includes(line.replace(/^.*?: /, '')))).toEqual([])
})

test('sends every form by a save, and shows the result of every save', () => {
  const problems = forms.flatMap(({ file, failure }) => {
    const source = readSource(file)
    const saves = source.matchAll(/const (?:(\w+)|\{.*?\}) = (?:useSave|useListSave)\b/g)
    // An `Outcome`, or a component that contains an `Outcome`, shows the result.
    const isShown = (save: string) =>
      new RegExp(`<(?!SaveForm)[A-Z]\\w*\\s(?:[^<]*\\s)?[sS]ave=\\{${save}(?:\\.save)?\\}`).test(source)
    const hidden = [...saves].map(([, name = '']) => name).filter((name) => !isShown(name))
    const otherForms = source.match(/<form\b|\bfetch\(|\buse(?:Submit|ActionData)\b|\brequestSubmit\(/g) ?? []
    const lacksFailure = failure && !/\buseSave\b[^;]*\bfailure: /.test(source)
    return [
      ...hidden.map((name) => `${file} hides the result of ${name}`),
      ...otherForms.map((text) => `${file} has ${text}`),
      ...(lacksFailure ? [`${file} has no failure sentence`] : []),
    ]
  })
  expect([...new Set(problems)]).toEqual([
    // `Done` shows the result of its own undo.
    'forms/save-form.tsx hides the result of save',
    // The alert dialog shows the result of a deletion.
    'calendar/calendar-page.tsx hides the result of ',
    // Signs out before another account accepts the invitation.
    'staff/invitation-page.tsx has <form',
  ])
})

for (const form of forms) {
  const { visitor = 'owner', fill, invalid, conflict, done, resultUrl, focus, walk } = form
  const { guestError = /ログインしてください/ } = form
  const outcomes = walk ? 'the input through all failures' : 'the focus in the form'

  test(`form for ${form.name}: announces each result once and keeps ${outcomes}`, async ({
    page,
    context,
    site: url,
  }) => {
    await openForm(page, form, url)

    if (invalid) {
      await invalid.make?.(page)
      await submit(page)
      await expect(page.locator(`${invalid.focus}[aria-invalid=true]:focus`)).toBeInViewport()
      expect(await isFirstInvalidFieldFocused(page)).toBe(true)
      await expect(page.getByRole('main').getByText(invalid.text).first()).toBeVisible()
      await expectAnnouncedOnce(page, invalid.announcement ?? '入力内容をご確認ください')
    }
    await fill?.(page)
    if (walk) await expectKeptInput()
    await clearAnnouncements(page)
    if (walk && conflict) {
      await conflict.make(page)
      await submit(page)
      await expectResult(page, conflict.text)
      await clearAnnouncements(page)
    }
    await scrollPressedToEdge(page)
    await submit(page)
    if (resultUrl) await expect(page).toHaveURL(resultUrl)
    if (done) await expectResult(page, done)
    expect(await findControlUnderPress(page)).toEqual([])
    await expect.poll(() => getFocused(page, focus)).toBe(focus)
    await clearAnnouncements(page)
    await form.after?.(page)

    /** Submits the form offline, on a failing server and after sign-out. */
    async function expectKeptInput() {
      const valuesBefore = await getFieldValues(page)
      const submitAndExpect = async (text: TextPattern) => {
        await clearAnnouncements(page)
        await submit(page)
        await expectResult(page, text)
        const [underPress, focused, values] = await Promise.all([
          findControlUnderPress(page),
          getFocused(page, FORM_ELEMENTS),
          getFieldValues(page),
        ])
        expect(underPress, String(text)).toEqual([])
        expect(focused, String(text)).toBe(FORM_ELEMENTS)
        expect(values, String(text)).toEqual(valuesBefore)
      }
      if (form.lazyControl) await expect(form.lazyControl(page)).toBeVisible()
      await goOffline(page)
      await submitAndExpect(`${form.failure ?? ''}${NO_CONNECTION}`)
      await goOnline(page)
      await page.setViewportSize(desktop)
      await context.addCookies([{ name: 'fails', value: 'yes', url }])
      await submitAndExpect(FAILURE)
      await context.clearCookies({ name: 'fails' })
      if (visitor === 'guest') return
      const cookies = await context.cookies()
      await signOut(context)
      await page.setViewportSize(phone)
      if (guestError) await submitAndExpect(guestError)
      await context.addCookies(cookies)
    }
  })

  // The test above makes the change if it walks the form through all failures.
  if (conflict && !walk) {
    returningTest(
      `form for ${form.name}: shows "${conflict.text}" after a concurrent change`,
      async ({ page, site }) => {
        await openForm(page, form, site)
        await fill?.(page)
        await conflict.make(page)
        await submit(page)
        await expectResult(page, conflict.text)
      },
    )
  }

  async function expectResult(page: Page, text: TextPattern) {
    if (form.hasAlert) {
      const alert = page.getByRole('alertdialog', { name: text })
      await expect(alert).toBeInViewport({ ratio: 1 })
      await alert.getByRole('button').click()
      await expect(alert).toBeHidden()
    } else {
      await expect(getNotice(page, text).last(), String(text)).toBeInViewport({ ratio: 1 })
      await expectAnnouncedOnce(page, text)
    }
  }

  async function submit(page: Page) {
    await form.send(page)
    if (form.confirm) await page.getByRole('alertdialog').getByRole('button', { name: form.confirm }).click()
  }
}

/** Pages with a dialog, which would move the focus back to `main` if the page was opened by a navigation. */
const DIALOG_PATH = /^\/dining\/|^\/calendar\?.*(?:event|day)=/

/** Signs out, but still blocks live updates, which would notice the sign-out. */
const signOut = (context: BrowserContext) => context.clearCookies({ name: /^(?!live$)/ })

/** Opens the page of a form as the visitor of the form, without live updates. */
async function openForm(page: Page, { visitor = 'owner', path }: Form, url: string) {
  const context = page.context()
  await signOut(context)
  const as = visitor === 'owner' || visitor === 'approved' ? [{ name: 'as', value: visitor, url }] : []
  await context.addCookies([{ name: 'live', value: 'no', url }, ...as])
  if (page.url() === 'about:blank') await page.goto('/api/health')
  if (visitor === 'account') await signUpAccount(page)
  const address = typeof path === 'string' ? path : await path(page)
  const isOwnerPage = await page.evaluate(() => window.visitorOfForms === 'owner')
  if (visitor === 'owner' && isOwnerPage && !DIALOG_PATH.test(address)) return navigateInClient(page, address)
  await open(page, address)
  await recordPresses(page, visitor)
}

/** Navigates by way of another page if the path has the same route, so that no form of the current page remains. */
async function navigateInClient(page: Page, path: string): Promise<void> {
  const getFolder = (url: string) => new URL(url, page.url()).pathname.split('/')[1]
  if (getFolder(path) === getFolder(page.url())) await navigateInClient(page, '/privacy')
  const previous = await page.evaluateHandle(() => document.querySelector('#main > *'))
  await page.evaluate((to) => window.__reactRouterDataRouter?.navigate(to), path)
  await page.waitForFunction((element) => !element?.isConnected, previous)
}

type Press = { clientX: number; clientY: number; control: Element | null }
declare global {
  interface Window {
    pressed?: Press | undefined
    /** The visitor who opened this document. */
    visitorOfForms?: string
  }
}

const CONTROL = 'button, a, summary, label, input, select, textarea'

/** Records the last pointer press until another document loads. */
async function recordPresses(page: Page, visitor: string) {
  await page.evaluate(
    ([control, visitor]) => {
      window.visitorOfForms = visitor
      const remember = ({ detail, target, clientX, clientY }: MouseEvent) => {
        if (detail > 0) window.pressed = { clientX, clientY, control: (target as Element).closest(control) }
      }
      document.addEventListener('click', remember, true)
    },
    [CONTROL, visitor] as const,
  )
}

/** Scrolls the last pressed control to the lower edge of the viewport, so that results appear below the edge. */
async function scrollPressedToEdge(page: Page) {
  await page.evaluate(() => window.pressed?.control?.scrollIntoView({ block: 'end' }))
}

/** Returns the HTML of another control that a second press at the same position would hit. */
async function findControlUnderPress(page: Page) {
  return page.evaluate((control) => {
    // A button that moves a row moves with the row, so another control at its old position is expected.
    if (!window.pressed || window.pressed.control?.matches('[aria-label$=を上へ], [aria-label$=を下へ]')) return []
    const { clientX, clientY, control: pressed } = window.pressed
    const hit = document.elementFromPoint(clientX, clientY)?.closest(control)
    if (!hit || hit === pressed) return []
    // A control at the position of a removed control is harmless, unless this control undoes the action.
    return pressed?.isConnected || hit.textContent === '元に戻す' ? [hit.outerHTML] : []
  }, CONTROL)
}

async function expectAnnouncedOnce(page: Page, text: TextPattern) {
  await expect(getAnnouncements(page).filter({ hasText: text }), `announced: ${text}`).toHaveCount(1)
}

async function isFirstInvalidFieldFocused(page: Page) {
  return page.evaluate(() => document.querySelector('[aria-invalid=true]') === document.activeElement)
}

/** Returns the selector if it matches the focused element, or else the HTML of the focused element. */
async function getFocused(page: Page, selector: string) {
  return page.evaluate((wanted) => {
    const active = document.activeElement
    return active?.matches(wanted) ? wanted : (active?.outerHTML.slice(0, 160) ?? '')
  }, selector)
}

async function getFieldValues(page: Page) {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=file]), textarea, select')].map(
      ({ name, value, checked }) => `${name} ${value} ${checked}`,
    ),
  )
}
