// What the tables of the forms are made of: each form of the site is in one of them (`forms-of-*.ts`).
import type { Locator, Page } from '@playwright/test'
import { expect } from './visitors.ts'

export type Says = RegExp | string
/** Something that is done on a page. */
export type Act = (page: Page) => Promise<unknown>

export type Form = {
  /** The file that draws it. */
  in: string
  name: string
  /** The visitor who submits the form, by default the owner; `account` has just signed up. */
  who?: 'guest' | 'account' | 'approved' | 'owner'
  path: string | ((page: Page) => Promise<string>)
  /** Fills it in, so that it can be sent. */
  fill?: Act
  /** Presses its button. */
  send: Act
  /** The button of the question that is asked then. */
  yes?: string
  /** What is wrong with it as it first stands there, or is made so, and which field has the focus then. */
  wrong?: { make?: Act; says: Says; heard?: Says; focus: string }
  /** What is said to who has signed out, and to somebody else who has signed in; null where it leads elsewhere. */
  guest?: Says | null
  other?: Says
  /** What somebody else does meanwhile, and what is said then. */
  newer?: { make: Act; says: Says }
  gone?: { make: Act; says: Says }
  /** The specification's sentence for its failure, which is told before the reason. */
  failure?: string
  /** The success message; none if the next page implies the success. */
  done?: Says
  /** Where it leads. */
  arrives?: RegExp
  /** Whether what becomes of it is said in a dialog of its own. */
  alerts?: boolean
  /** What has the focus then, as a selector. */
  focus: string
}

/** The first button with this name. */
export const button = (page: Page, name: Says) => page.getByRole('button', { name }).first()
/** Presses it. */
export const press = (name: Says) => (page: Page) => button(page, name).click()
/** The first line, or text of several, with this label. */
export const field = (where: Page | Locator, name: Says) => where.getByRole('textbox', { name }).first()
/** Opens what is folded under this summary, or closes it. */
export const unfold = (page: Page, summary: string) => page.locator('summary', { hasText: summary }).first().click()

/** Posts a form as the person who has the page open, and with the headers given. Returns the target of its redirect, or ''. */
export async function post(page: Page, path: string, form: Record<string, string>, given: Record<string, string> = {}) {
  const { origin } = new URL(page.url())
  const headers = { origin, ...given }
  const answer = await page.request.post(`${origin}${path}`, { form, headers, maxRedirects: 0 })
  expect(answer.status(), `${path} ${JSON.stringify(form)}`).toBeLessThan(400)
  return answer.headers().location ?? ''
}

/** What the first hidden field of this name says. */
export const hidden = (page: Page, name: string) => page.locator(`input[name="${name}"]`).first().inputValue()

let count = 0
/** A number that nobody has had. */
export function next() {
  count += 1
  return count
}
/** A name that nothing has yet. */
export const one = (what: string) => what + next()
