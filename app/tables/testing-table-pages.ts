import { expect } from 'vitest'
import { noon, sampleSite } from '../../server/testing.ts'
import { changeBooking, readBooking } from '../bookings/bookings.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

export const author = { accountId: null, at: new Date(noon).toISOString() }
export const SATURDAY = '2026-11-21'
export const defaults = {
  ...{ day: SATURDAY, time: '12:00', party: '2', name: '青木 花' },
  ...{ telephone: '090-1234-5678', email: 'hana@example.jp', wish: '窓ぎわの席' },
}

export async function saveSettings({ db }: Site, facts: Partial<SiteSettings>) {
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts }, author)
}

/** Returns a sample site that takes requests. */
export async function openSite(database?: Parameters<typeof sampleSite>[0], facts: Partial<SiteSettings> = {}) {
  const site = await sampleSite(database)
  await saveSettings(site, { takesTableRequests: true, ...facts })
  return site
}

/** Submits the form as a browser does, one minute after the page was rendered. */
export const ask = (site: Site, fields: Record<string, string> = {}, prefix = '') => {
  const values = { ...defaults, ...fields }
  const trap = { homepage: '', shownAt: String(site.clock.now - 60_000) }
  const path = `${prefix}/table?day=${values.day}&party=${values.party}`
  return site.post('guest', path, { id: crypto.randomUUID(), ...trap, ...values })
}

export const readRows = ({ db }: Site) => db.selectFrom('bookings').selectAll().execute()

/** Asks for a table. Returns the path and the ID of the request. */
export async function askedTable(site: Site, fields: Record<string, string> = {}) {
  const { id = crypto.randomUUID() } = fields
  const response = await ask(site, { ...fields, id })
  expect(response.headers.get('location')).toBe(`/table/${id}`)
  return { id, path: `/table/${id}` }
}

export async function answerByShop({ db }: Site, id: string, changes: Parameters<typeof changeBooking>[2]) {
  const version = (await readBooking(db, id))?.version ?? 0
  expect(await changeBooking(db, { id, version, own: [] }, changes, author)).toHaveProperty('ok')
}

export const hiddenVersion = (html: string) => /name="version" value="(\d+)"/.exec(html)?.[1] ?? ''

/** Submits a button of the guest's page. */
export async function answerAsGuest(site: Site, path: string, fields: Record<string, string>) {
  const version = hiddenVersion(await site.text(path))
  return site.post('guest', path, { version, ...fields })
}
