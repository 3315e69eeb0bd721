// The type and the helpers of the form tables (`forms-of-*.ts`), which list every form of the site.
import type { Locator, Page } from '@playwright/test'
import { expect } from './visitors.ts'

export type TextPattern = RegExp | string
/** An action on a page. */
export type PageAction = (page: Page) => Promise<unknown>

export type Form = {
  /** The source file of the form. */
  file: string
  name: string
  /** The visitor who submits the form, by default the owner. `account` is a visitor who has just signed up. */
  visitor?: 'guest' | 'account' | 'approved' | 'owner'
  path: string | ((page: Page) => Promise<string>)
  /** A control whose script loads after the page, and which cannot load any more without a connection. */
  lazyControl?: (page: Page) => Locator
  /** Fills in valid values. */
  fill?: PageAction
  /** Submits the form. */
  send: PageAction
  /** The name of the button that confirms the dialog. */
  confirm?: string
  /** An invalid state, its error, its announcement and the focused field. `make` prepares the state. */
  invalid?: { make?: PageAction; text: TextPattern; announcement?: TextPattern; focus: string }
  /** The error after sign-out, or null if the form redirects. */
  guestError?: TextPattern | null
  /** A change of the record by another user and the error, for forms that show more than the usual error. */
  conflict?: { make: PageAction; text: TextPattern }
  /** The error sentence of the specification that precedes the cause. */
  failure?: string
  /** The success message. Undefined if the next page implies the success. */
  done?: TextPattern
  /** The URL after success. */
  resultUrl?: RegExp
  /** Whether the result appears in an alert dialog. */
  hasAlert?: boolean
  /** The selector of the focused element after success. */
  focus: string
  /** Restores the site for the other forms. */
  after?: PageAction
  /** The mechanism or layout for which this form is walked through all failures. Undefined if another form has it too. */
  walk?: string
}

export const button = (page: Page, name: TextPattern) => page.getByRole('button', { name }).first()
export const press = (name: TextPattern) => (page: Page) => button(page, name).click()
export const field = (container: Page | Locator, name: TextPattern) => container.getByRole('textbox', { name }).first()
/** Toggles the details element with this summary. */
export const unfold = (page: Page, summary: string) => page.locator('summary', { hasText: summary }).first().click()

/** Posts a form with the cookies of the page. Returns the target of the redirect, or ''. */
export async function post(
  page: Page,
  path: string,
  form: Record<string, string>,
  extraHeaders: Record<string, string> = {},
) {
  const { origin } = new URL(page.url())
  const headers = { origin, ...extraHeaders }
  const response = await page.request.post(`${origin}${path}`, { form, headers, maxRedirects: 0 })
  expect(response.status(), `${path} ${JSON.stringify(form)}`).toBeLessThan(400)
  return response.headers().location ?? ''
}

/** Returns the value of the first hidden field with this name. */
export const readHiddenField = (page: Page, name: string) => page.locator(`input[name="${name}"]`).first().inputValue()

let count = 0
/** Returns an unused number. */
export function nextNumber() {
  count += 1
  return count
}
/** Returns a unique name with this prefix. */
export const uniqueName = (prefix: string) => prefix + nextNumber()
