import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { randomFrom } from '../../tests/faults/random.ts'
import { takesSeats, timeOfBooking } from '../bookings/booking.ts'
import { changeBooking, listBookings } from '../bookings/bookings.server.ts'
import { minutesOf } from '../dates/japan.ts'
import { changeRequest } from './table-requests.server.ts'
import { ask, guest, openTables, statusOf, tableRequest } from './testing-tables.ts'

const RUNS = often(25, 1000)
const TIMEOUT_MS = 60 * 60_000

async function deleteBookings(db: Db) {
  for (const table of ['bookings', 'revisions', 'outbox', 'attempts'] as const) await db.deleteFrom(table).execute()
}

/** Returns the guests who take seats, by day and by half hour. */
async function sumGuests(db: Db) {
  const sums = new Map<string, number>()
  for (const booking of (await listBookings(db, '2026-11-20')).filter(takesSeats)) {
    const { day, time } = timeOfBooking(booking)
    for (const key of [day, `${day} ${Math.floor(minutesOf(time) / 30)}`])
      sums.set(key, (sums.get(key) ?? 0) + booking.party)
  }
  return sums
}

onEachEngine((fresh) => {
  test(`gives the last table to one of twenty guests who ask at once, ${RUNS} times`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { db } = await sampleSite(await fresh())
    const count = (values: unknown[], value: unknown) => values.filter((each) => each === value).length
    for (const facts of [{ tableGuestsPerHalfHour: 8 }, { tableGuestsPerHalfHour: 200, tableGuestsPerDay: 8 }]) {
      await openTables(db, facts)
      for (let run = 0; run < RUNS / 2; run += 1) {
        // One table for two is left.
        expect(await ask(db, tableRequest({ party: 6, email: '' }))).toBe('asked')
        const requests = Array.from({ length: 20 }, () => tableRequest({ email: '' }))
        const results = await Promise.all(requests.map((request) => ask(db, request)))
        expect([count(results, 'asked'), count(results, 409)]).toEqual([1, 19])
        const stored = (await listBookings(db, '2026-11-21')).filter(({ party }) => party === 2)
        expect(stored.map(({ id }) => id)).toEqual([requests[results.indexOf('asked')]?.id])
        await deleteBookings(db)
      }
    }
  })

  test('keeps the limits when guests ask, change and cancel at once', { timeout: TIMEOUT_MS }, async () => {
    const { db } = await sampleSite(await fresh())
    const [perHalfHour, perDay] = [8, 20]
    await openTables(db, { tableGuestsPerHalfHour: perHalfHour, tableGuestsPerDay: perDay })
    const outcomes = new Set<string | number>()
    for (let run = 0; run < often(3, 60); run += 1) {
      const random = randomFrom(run)
      const pick = <Value>(values: readonly Value[]) => values[random.between(0, values.length - 1)] as Value
      const wish = () => ({
        day: pick(['2026-11-21', '2026-11-22']),
        time: pick(['11:30', '12:00', '18:00', '18:30', '24:00']),
        party: random.between(1, 6),
      })
      for (let step = 0; step < 8; step += 1) {
        const present = (await listBookings(db, '2026-11-20')).filter(takesSeats)
        const actions = Array.from({ length: 12 }, () => async () => {
          const booking = random.between(0, 2) > 0 && present.length > 0 ? pick(present) : null
          if (!booking) {
            const request = tableRequest({ ...wish(), email: '' })
            const outcome = await ask(db, request)
            const stored = await db.selectFrom('bookings').select('id').where('id', '=', request.id).execute()
            expect(stored, `${outcome}`).toHaveLength(outcome === 'asked' ? 1 : 0)
            return outcome
          }
          const changed =
            random.between(0, 2) > 0
              ? await changeRequest(db, booking, wish(), { now: noon, author: guest }).catch(statusOf)
              : await changeBooking(db, booking, () => ({ state: 'cancelled' }), guest)
          return typeof changed === 'number' ? changed : (changed.error ?? 'changed')
        })
        for (const outcome of await Promise.all(actions.map((action) => action()))) outcomes.add(outcome)
        for (const [key, sum] of await sumGuests(db))
          expect(sum, `${key} of run ${run}`).toBeLessThanOrEqual(key.includes(' ') ? perHalfHour : perDay)
      }
      await deleteBookings(db)
    }
    expect([...outcomes].sort()).toEqual([409, 'asked', 'changed', 'conflict'])
  })

  test('stores ten requests an hour from the form of one network', { timeout: TIMEOUT_MS }, async () => {
    const site = await sampleSite(await fresh())
    const { db, clock } = site
    await openTables(db, { tableGuestsPerHalfHour: 200, tableGuestsPerDay: 1000 })
    const guestOfNetwork = browserOf(site, { address: '203.0.113.7' })
    const send = async () => {
      const { language: _, ...fields } = tableRequest({ party: 1, email: '' })
      const form = { ...fields, party: '1', homepage: '', shownAt: String(clock.now - 60_000) }
      // The client sends the form to this address. Without the page, the response is ten times as fast.
      return (await guestOfNetwork.post('/table.data', form)).status
    }
    const sendMany = async (count: number) => {
      const results: number[] = []
      while (results.length < count) results.push(...(await Promise.all(Array.from({ length: 10 }, send))))
      return results.filter((result) => result !== 429)
    }
    const accepted = Array.from({ length: 10 }, () => 200)
    expect(await sendMany(often(100, 10_000))).toEqual(accepted)
    expect(await listBookings(db, '2026-11-21')).toHaveLength(10)
    clock.now += 3_599_999
    expect(await sendMany(20)).toEqual([])
    clock.now += 1
    expect(await sendMany(20)).toEqual(accepted)
    expect(await listBookings(db, '2026-11-21')).toHaveLength(20)
  })
})
