import { addBooking } from '../../app/bookings/bookings.server.ts'
import { eachRow } from '../../app/hours/business-day.ts'
import { saveWeek } from '../../app/hours/business-days.server.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { StoredSchedule } from '../../app/hours/schedule.ts'
import type { Visitor } from '../../app/permissions.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { asMilliseconds, figureAtMost, type Row } from './bench-figures.ts'
import { measurePage } from './bench-page-in-memory.ts'

const BOOKINGS = 100
const DAY = '2026-11-21'
const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
const owner: Visitor = {
  ...{ accountId: 'owner', name: '', email: 'owner@example.jp', emailVerified: true },
  member: null,
  staff: { id: 'owner', role: 'administration' },
}

/** Measures the pages of tables with a hundred bookings on the shown day. */
export async function tables(): Promise<Row[]> {
  const pages = [
    { label: '/table', path: `/table?day=${DAY}&party=2`, visitor: null },
    { label: '/table/ID', path: `/table/${idOf(0)}`, visitor: null },
    { label: '/tables', path: `/tables?day=${DAY}`, visitor: owner },
  ]
  const rows: Row[] = []
  for (const { label, path, visitor } of pages) {
    const { median } = await measurePage(path, { visitor, fill, note: async () => '' })
    rows.push({
      label: `${label}, ${BOOKINGS} bookings`,
      figures: [figureAtMost('median', median, 100, asMilliseconds)],
      notes: [],
    })
  }
  return rows
}

async function fill(db: Parameters<typeof addBooking>[0]) {
  const hours = { ...noHourFields, starttime1_hour: '11', endtime1_hour: '21', open_or_close: 'open' }
  await saveWeek(db, StoredSchedule.parse(eachRow(() => hours)), { version: 0 }, author)
  const { version } = await readSiteToEdit(db)
  const facts = { takesTableRequests: true, tableGuestsPerDay: 1000, tableGuestsPerHalfHour: 200 }
  await saveSite(db, { version, facts }, author)
  for (let index = 0; index < BOOKINGS; index += 1) {
    const time = `${12 + (index % 8)}:${index % 2 ? '30' : '00'}`
    const wish = { day: DAY, time, party: 2, name: `客${index}`, telephone: '075-000-0000', wish: '窓ぎわ' }
    await addBooking(db, { ...wish, id: idOf(index), state: 'accepted', byStaff: false }, author)
  }
}

function idOf(index: number) {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
}
