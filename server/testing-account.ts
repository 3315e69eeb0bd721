import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { browserOf, type sampleSite } from './testing.ts'

/** An account that signs up in the tests. */
export const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }

type Mail = { text: string } | undefined
/** Returns the path of the first link in an e-mail; empty if there is none. */
export const findLink = (mail: Mail) => /http:\/\/localhost(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
/** Returns the token in a link; empty if there is none. */
export const findToken = (link: string | undefined) => new URLSearchParams(link?.split('?')[1]).get('token') ?? ''

/** Returns the verified e-mail addresses. */
export async function readVerifiedEmails(db: Kysely<Tables>) {
  const rows = await db
    .selectFrom('accounts')
    .select('email')
    .where('emailVerified', '=', true)
    .orderBy('email')
    .execute()
  return rows.map(({ email }) => email)
}

/** Returns a browser with a signed-in account, which is created if missing. */
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
