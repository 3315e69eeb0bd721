import { expect } from 'vitest'
import type { Db } from '../db/tables.ts'
import { browserOf, type sampleSite } from './testing.ts'

/** An account that signs up in the tests. */
export const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }

type Mail = { text: string } | undefined
/** Returns the path of the first link in an e-mail, or '' if the e-mail has no link. */
export const findLink = (mail: Mail) => /http:\/\/localhost(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
/** Returns the token in a link, or '' if the link has no token. */
export const findToken = (link: string | undefined) => new URLSearchParams(link?.split('?')[1]).get('token') ?? ''

/** Asserts that the response reports an expired link. */
export async function expectExpired(sent: Promise<Response>) {
  const response = await sent
  expect([response.status, await response.text()]).toEqual([
    410,
    expect.stringContaining('このリンクは期限が切れたか、すでに使われています。'),
  ])
}

/** Returns the verified e-mail addresses. */
export async function readVerifiedEmails(db: Db) {
  const rows = await db
    .selectFrom('accounts')
    .select('email')
    .where('emailVerified', '=', true)
    .orderBy('email')
    .execute()
  return rows.map(({ email }) => email)
}

/** Returns a browser that is signed in to the account. Creates the account if it does not exist. */
export async function signInBrowser(site: Awaited<ReturnType<typeof sampleSite>>, account: typeof hana) {
  const browser = browserOf(site)
  await browser.post('/signupform', account)
  if (browser.cookies.size === 0) {
    const link = findLink(site.mails.at(-1))
    if (link.startsWith('/verifyemail')) await browser.post('/verifyemail', { token: findToken(link) })
    await browser.post('/emaillogin', account)
  }
  return browser
}
