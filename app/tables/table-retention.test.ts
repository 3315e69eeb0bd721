import { expect, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { tablesOf } from '../../db/rows.ts'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { openAccounts } from '../../server/tools/demo.ts'
import type { Booking } from '../bookings/booking.ts'
import { bookingRecord } from '../bookings/booking-record.server.ts'
import { changeBooking, readBooking } from '../bookings/bookings.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeSeen } from '../records/own-saves.server.ts'
import { restoreFromBin, revert, undoSave } from '../records/undo.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { deleteOldBookings } from './table-tasks.server.ts'
import { ask, openTables, staff, tableRequest } from './testing-tables.ts'

const lastRetained = Date.parse('2027-02-19T23:59:59+09:00')
const firstDeleted = Date.parse('2027-02-20T00:00:00+09:00')

onEachEngine((fresh) => {
  const openSite = async (facts: Partial<SiteSettings> = {}) => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    const { db, mailer } = site
    await openTables(db, facts)
    mailer.send = async () => {
      throw new Error('450 not now')
    }
    const addRequest = async (values: Parameters<typeof tableRequest>[0] = {}) => {
      const request = tableRequest(values)
      expect(await ask(db, request)).toBe('asked')
      return (await readBooking(db, request.id)) as Booking
    }
    /** Returns the tables that contain a text of the guest. */
    const listTablesWith = async (text: string) => {
      const found: string[] = []
      for (const { table } of await tablesOf(db)) {
        const rows = await untypedTables(db).selectFrom(table).selectAll().execute()
        if (JSON.stringify(rows).includes(text)) found.push(table)
      }
      return found.sort()
    }
    return { ...site, addRequest, listTablesWith }
  }

  test('deletes a booking with its history and e-mails after the retention, also from the bin', async () => {
    const site = await openSite({ recipients: { shop: '', circle: '', portfolio: '' } })
    const { db, addRequest, listTablesWith } = site
    await site.people()
    await site.staff()
    await openAccounts(db, 'a password of the tests', noon)
    await db.updateTable('accounts').set({ emailVerified: true }).execute()
    const [first, binned] = [await addRequest(), await addRequest()]
    const accepted = await changeBooking(db, first, () => ({ state: 'accepted' }), staff)
    await removeSeen(db, bookingRecord, binned, staff)
    const later = await addRequest({ day: '2026-11-22', name: '後日 客' })
    const offered = { state: 'offered', offeredDay: '2026-11-22', offeredTime: '18:00' } as const
    const moved = await addRequest({ name: '変更 客' })
    await changeBooking(db, moved, () => offered, staff)
    // The attempt fails, so that copies for each administrator stay in the outbox.
    await site.get('/')
    const admins = ['banto@example.jp', 'noren@example.jp']
    const { length: copies } = await db.selectFrom('outbox').select('id').where('to', 'in', admins).execute()
    expect(copies).toBeGreaterThan(0)
    const tables = ['bookings', 'outbox', 'revisions']
    expect(await listTablesWith('田中 一郎')).toEqual(tables)
    const revisions = await db.selectFrom('revisions').select('id').where('subjectId', '=', first.id).execute()

    await deleteOldBookings(db, lastRetained)
    expect(await listTablesWith('田中 一郎')).toEqual(tables)
    const events: unknown[] = []
    site.live.subscribe((event) => events.push(event))
    await deleteOldBookings(db, firstDeleted)
    for (const text of ['田中 一郎', first.id, binned.id]) expect(await listTablesWith(text)).toEqual([])
    expect(events).toContainEqual({ changed: ['bookings'] })
    for (const name of ['後日 客', '変更 客']) expect(await listTablesWith(name)).toEqual(tables)

    expect(await undoSave(db, recordTypes, accepted.ok ?? '', staff)).toBeNull()
    expect(await revert(db, bookingRecord, revisions[0]?.id ?? '', staff)).toBeNull()
    expect(await restoreFromBin(db, bookingRecord, binned.id, staff)).toBeNull()
    await deleteOldBookings(db, firstDeleted + 86_400_000)
    for (const text of ['guest@example.jp', '090-1234-5678', '窓際', later.id, moved.id])
      expect(await listTablesWith(text)).toEqual([])
  })

  test('deletes old bookings when the switch is off, after the days of the settings', async () => {
    const { db, addRequest, listTablesWith } = await openSite()
    await addRequest()
    await openTables(db, { takesTableRequests: false, tableRetentionDays: 1 })
    await deleteOldBookings(db, Date.parse('2026-11-22T23:59:59+09:00'))
    expect(await listTablesWith('田中 一郎')).toEqual(['bookings', 'outbox', 'revisions'])
    await deleteOldBookings(db, Date.parse('2026-11-23T00:00:00+09:00'))
    expect(await listTablesWith('田中 一郎')).toEqual([])
  })
})
