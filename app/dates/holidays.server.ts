import type { Logger } from 'pino'
import type { Db } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { causeOf, fetchText } from '../platform/fetch-text.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { holidayName, holidaysOf } from './holiday.ts'
import { dayInJapan } from './japan.ts'
import { type Day, isDay } from './month.ts'

export async function readHolidays(db: Db, first: Day, last: Day) {
  const rows = await db
    .selectFrom('extraHolidays')
    .select(['day', 'name'])
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute()
  const extra = new Map(rows.map(({ day, name }) => [day, name]))
  return (day: Day) => holidayName(day) ?? extra.get(day) ?? null
}

type Source = { db: Db; url: string; clock: () => number; log: Logger; onChange: () => void }

const REFRESH_INTERVAL_MS = 24 * 60 * 60 * 1000
const TIMEOUT_MS = 3000

export function startHolidayRefresh(source: Source) {
  return repeat(() => refreshHolidays(source), {
    every: REFRESH_INTERVAL_MS,
    failed: (error) => source.log.warn({ cause: causeOf(error) }, 'holiday refresh failed; using stored holidays'),
  })
}

async function refreshHolidays({ db, url, clock, log, onChange }: Source) {
  const fetched = parseHolidays(await fetchText(url, { timeoutMs: TIMEOUT_MS }))
  const now = clock()
  const year = Number(dayInJapan(now).slice(0, 4))
  const differences = [differencesIn(year, fetched), differencesIn(year + 1, fetched)].filter((each) => each !== null)
  if (differences[0]?.year !== year) throw new Error(`Holiday source lacks the year ${year}`)
  for (const { year, extra, missing } of differences) {
    if (missing.length > 0) log.warn({ year, days: missing }, 'holidays missing in the source')
    if (await replaceExtraHolidays(db, year, extra, new Date(now).toISOString())) {
      log.warn({ year, days: Object.fromEntries(extra) }, 'holidays accepted from the source')
      onChange()
    }
  }
}

function parseHolidays(text: string) {
  const fetched: unknown = JSON.parse(text)
  if (typeof fetched !== 'object' || fetched === null || Array.isArray(fetched))
    throw new Error('Invalid holiday source: expected an object with names by day')
  return Object.entries(fetched).map(([day, name]): [Day, string] => {
    if (!isDay(day)) throw new Error(`Invalid holiday date: got ${String(day).slice(0, 40)}, expected YYYY-MM-DD`)
    if (typeof name !== 'string')
      throw new Error(`Invalid holiday name on ${day}: got ${typeof name}, expected a string`)
    return [day, name.trim()]
  })
}

// A new law moves or adds one or two holidays. A source with more differences is faulty or about another country.
const MAX_DIFFERENCES = 3

/**
 * Returns the source's differences from the law, or null if the source lacks the year. Throws if a difference is
 * implausible.
 */
function differencesIn(year: number, fetched: [Day, string][]) {
  const names = new Map(fetched.filter(([day]) => day.startsWith(`${year}-`)))
  if (names.size === 0) return null
  const missing = [...holidaysOf(year).keys()].filter((day) => !names.has(day))
  const extra = [...names].filter(([day]) => holidayName(day) === null)
  if (missing.length > MAX_DIFFERENCES || extra.length > MAX_DIFFERENCES) {
    throw new Error(
      `Implausible holidays of ${year}: ${extra.length} unknown and ${missing.length} missing days, expected at most ${MAX_DIFFERENCES}`,
    )
  }
  const nameless = extra.find(([, name]) => !/^\p{L}{1,20}$/u.test(name))
  if (nameless) throw new Error(`Invalid holiday name on ${nameless[0]}: expected 1 to 20 letters`)
  return { year, extra, missing }
}

function replaceExtraHolidays(db: Db, year: number, extra: [Day, string][], acceptedAt: string) {
  return inTransaction(db, async (trx) => {
    const stored = await trx
      .selectFrom('extraHolidays')
      .select(['day', 'name'])
      .where('day', 'like', `${year}-%`)
      .orderBy('day')
      .execute()
    const next = extra.map(([day, name]) => ({ day, name })).sort((a, b) => (a.day < b.day ? -1 : 1))
    if (JSON.stringify(stored) === JSON.stringify(next)) return false
    await trx.deleteFrom('extraHolidays').where('day', 'like', `${year}-%`).execute()
    const rows = next.map((each) => ({ ...each, acceptedAt }))
    if (rows.length > 0) {
      // Another process with the same database may have inserted these days concurrently.
      await trx
        .insertInto('extraHolidays')
        .values(rows)
        .onConflict((conflict) => conflict.column('day').doNothing())
        .execute()
    }
    return true
  })
}
