import type { Kysely } from 'kysely'
import { createSetupKey } from '../app/owner/welcome.server.ts'
import type { Tables } from '../db/tables.ts'
import { browserOf, type sampleSite } from './testing.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>
type Browser = ReturnType<typeof browserOf>

/** Whose shop it is, in the tests. */
export const owner = { name: '店主 栄', email: 'owner@example.jp', password: 'owner-high-9' }
/** Who is invited. */
export const tsugu = { name: '蔵人 継', email: 'tsugu@example.jp', password: 'tsugu-high-9' }

/** The key that the start of the site prints. */
export async function keyOf({ db, clock }: Pick<Site, 'db' | 'clock'>) {
  return (await createSetupKey(db, clock.now)) ?? ''
}

/** The browser of the one who has opened the shop by the key. */
export async function openedShop(site: Site) {
  const browser = browserOf(site)
  const key = await keyOf(site)
  await browser.post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
  return browser
}

/** What an invitation carries that this browser's person makes; empty where none was made. */
export async function invitedBy(browser: Browser, role: 'editing' | 'administration' = 'editing', name = tsugu.name) {
  const html = await (await browser.post('/staff', { intent: 'invite', name, role })).text()
  return /\/invitation\?key=([\w-]+)/.exec(html)?.[1] ?? ''
}

/** A browser of somebody new who has come by an invitation. */
export async function hired(site: Site, by: Browser, role: 'editing' | 'administration', account = tsugu) {
  const browser = browserOf(site)
  const key = await invitedBy(by, role, account.name)
  await sendInvitation(browser, signUp(key, account))
  return browser
}

/** Sends a form of the invitation's page, from where it stands. */
export const sendInvitation = (browser: Browser, form: { key: string } & Record<string, string>) =>
  browser.post(`/invitation?key=${form.key}`, form)
export const signUp = (key: string, account = tsugu) => ({ intent: 'sign up', key, ...account })
export const accept = (key: string, name = tsugu.name) => ({ intent: 'accept', key, name })

/** Where an answer leads. */
export const where = (response: Response) => [response.status, response.headers.get('location')]

/** The accounts of the site, by address. */
export async function accountIds(db: Kysely<Tables>) {
  const rows = await db.selectFrom('accounts').select(['email', 'id']).execute()
  return Object.fromEntries(rows.map(({ email, id }) => [email, id]))
}

/** The people of the shop who have not ended, by name, and what they may. */
export async function staffOf(db: Kysely<Tables>) {
  const rows = await db.selectFrom('staff').selectAll().where('deletedAt', 'is', null).orderBy('name').execute()
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]))
}

/** Of an answer about an invitation its status, and which of the sentences about closed ones it has. */
export async function toldOfInvitation(response: Response) {
  const html = await response.text()
  const sentence = Object.entries(aboutInvitations).find(([, words]) => html.includes(words))
  return [response.status, sentence?.[0]]
}

const aboutInvitations = {
  forged: 'この招待は見つかりません。',
  used: 'この招待は、すでに使われています。',
  own: 'この招待は、すでに受け取っています。',
  ended: 'この招待は取り消されています。',
  expired: 'この招待は、7日の期限を過ぎています。',
  already: '現在のアカウントにすでにあります。',
}
