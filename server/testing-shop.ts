import { createSetupKey } from '../app/owner/welcome.server.ts'
import type { Db } from '../db/tables.ts'
import { browserOf, type sampleSite } from './testing.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>
type Browser = ReturnType<typeof browserOf>

/** The owner of the shop in the tests. */
export const owner = { name: '店主 栄', email: 'owner@example.jp', password: 'owner-high-9' }
/** The invited person in the tests. */
export const tsugu = { name: '蔵人 継', email: 'tsugu@example.jp', password: 'tsugu-high-9' }

/** Returns the setup key that the site prints when it starts, or '' if an administrator exists. */
export async function createKey({ db, clock }: Pick<Site, 'db' | 'clock'>) {
  return (await createSetupKey(db, clock.now)) ?? ''
}

/** Registers the owner of a new shop with the setup key. Returns the browser of the owner. */
export async function openShop(site: Site) {
  const browser = browserOf(site)
  const key = await createKey(site)
  await browser.post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
  return browser
}

/** Creates an invitation in this browser. Returns the key of the invitation, or '' if the site rejects the request. */
export async function createInvitation(
  browser: Browser,
  role: 'editing' | 'administration' = 'editing',
  name = tsugu.name,
) {
  const html = await (await browser.post('/staff', { intent: 'invite', name, role })).text()
  return /\/invitation\?key=([\w-]+)/.exec(html)?.[1] ?? ''
}

/** Invites a new person. Returns the browser of this person, who has accepted the invitation. */
export async function hireByInvitation(site: Site, by: Browser, role: 'editing' | 'administration', account = tsugu) {
  const browser = browserOf(site)
  const key = await createInvitation(by, role, account.name)
  await sendInvitation(browser, signUp(key, account))
  return browser
}

/** Sends a form of the invitation page. */
export const sendInvitation = (browser: Browser, form: { key: string } & Record<string, string>) =>
  browser.post(`/invitation?key=${form.key}`, form)
export const signUp = (key: string, account = tsugu) => ({ intent: 'sign up', key, ...account })
export const accept = (key: string, name = tsugu.name) => ({ intent: 'accept', key, name })

/** Returns the status and the redirect target of a response. */
export const redirectOf = (response: Response) => [response.status, response.headers.get('location')]

/** Returns the account IDs by e-mail address. */
export async function accountIds(db: Db) {
  const rows = await db.selectFrom('accounts').select(['email', 'id']).execute()
  return Object.fromEntries(rows.map(({ email, id }) => [email, id]))
}

/** Returns the roles of the current staff by name. */
export async function staffOf(db: Db) {
  const rows = await db.selectFrom('staff').selectAll().where('deletedAt', 'is', null).orderBy('name').execute()
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]))
}

/** Returns the status of a response, and the key of its sentence about an invalid invitation. */
export async function readInvitationError(response: Response) {
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
