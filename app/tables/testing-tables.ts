import type { Db } from '../../db/tables.ts'
import { noon, type sampleSite } from '../../server/testing.ts'
import { Rejection } from '../forms/outcome.ts'
import { eachRow, noSlots } from '../hours/business-day.ts'
import { readWeek, saveWeek } from '../hours/business-days.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { askForTable } from './table-requests.server.ts'

export const guest = { accountId: null, at: new Date(noon).toISOString() }
export const staff = { ...guest, accountId: 'someone-of-the-shop' }

const slots = [
  { start: '11:30', end: '14:00' },
  { start: '17:00', end: '01:00' },
]

/** Accepts requests for tables, on all days but Tuesday and Wednesday, from 11:30 and from 17:00 to 1:00. */
export async function openTables(db: Db, facts: Partial<SiteSettings> = {}) {
  const schedule = eachRow((name) => ({
    open: !['火曜日', '水曜日'].includes(name),
    slots: /^[火水祝]/.test(name) ? noSlots : slots,
  }))
  await saveWeek(db, schedule, { version: (await readWeek(db)).version }, guest)
  const { version } = await readSiteToEdit(db)
  const recipients = { shop: 'shop@example.jp', circle: '', portfolio: '' }
  await saveSite(db, { version, facts: { takesTableRequests: true, recipients, ...facts } }, guest)
}

/** Returns the status of a `Rejection`. Throws any other error. */
export function statusOf(error: unknown) {
  if (error instanceof Rejection) return error.status
  throw error
}

/** Request for Saturday, the day after `noon`. */
export function tableRequest(values: Partial<Parameters<typeof askForTable>[1]> = {}) {
  return {
    ...{ id: crypto.randomUUID(), day: '2026-11-21', time: '18:00', party: 2, name: '田中 一郎' },
    ...{ telephone: '090-1234-5678', email: 'guest@example.jp', wish: '窓際でお願いします', language: '' },
    ...values,
  }
}

/** Sends a request from an own network, unless `address` names one. Returns the status of a rejection. */
export function ask(
  db: Db,
  request: Parameters<typeof askForTable>[1],
  { now = noon, address = `2001:db8:${request.id.slice(0, 4)}:${request.id.slice(4, 8)}::1` } = {},
) {
  const author = { ...guest, at: new Date(now).toISOString() }
  return askForTable(db, request, { address, now, author }).catch(statusOf)
}

/** Returns the e-mails and notifications in the outbox and deletes them. */
export async function takeOutbox({ db }: Pick<Awaited<ReturnType<typeof sampleSite>>, 'db'>) {
  const rows = await db.deleteFrom('outbox').returningAll().execute()
  const mailsTo = (isShop: boolean) =>
    rows.filter(({ channel, recipient }) => channel === 'mail' && (recipient === 'shop') === isShop)
  return {
    toGuest: mailsTo(false),
    toShop: mailsTo(true),
    notifications: rows.filter(({ channel }) => channel !== 'mail'),
  }
}
