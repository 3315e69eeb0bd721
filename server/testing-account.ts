import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { browserOf, type sampleSite } from './testing.ts'

/** Someone who signs up in the tests. */
export const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }

type Mail = { text: string } | undefined
/** Where the link of a mail leads on this site; empty where it has none. */
export const linkIn = (mail: Mail) => /http:\/\/localhost(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
/** What such a link carries. */
export const tokenIn = (link: string | undefined) => new URLSearchParams(link?.split('?')[1]).get('token') ?? ''

/** The addresses that are proven. */
export async function provenOf(db: Kysely<Tables>) {
  const rows = await db
    .selectFrom('accounts')
    .select('email')
    .where('emailVerified', '=', true)
    .orderBy('email')
    .execute()
  return rows.map(({ email }) => email)
}

/** A browser in which an account, a new one where there is none, has just signed in. */
export async function signedInOn(site: Awaited<ReturnType<typeof sampleSite>>, account: typeof hana) {
  const browser = browserOf(site)
  await browser.post('/signupform', account)
  if (browser.cookies.size === 0) {
    const link = linkIn(site.mails.at(-1))
    if (link.startsWith('/verifyemail')) await browser.post('/verifyemail', { token: tokenIn(link) })
    await browser.post('/emaillogin', account)
  }
  return browser
}
