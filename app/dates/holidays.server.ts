import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { fetchText } from '../platform/fetch-text.server.ts'
import { repeat } from '../platform/repeat.server.ts'
import { holidayName, holidaysOf } from './holiday.ts'
import { dayInJapan } from './japan.ts'
import { type Day, isDay } from './month.ts'

/** Returns a function from a day between `first` and `last` to its holiday name or null, by law or the public source. */
export async function readHolidays(db: Kysely<Tables>, first: Day, last: Day) {
  const rows = await db
    .selectFrom('extraHolidays')
    .select(['day', 'name'])
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute()
  const extra = new Map(rows.map(({ day, name }) => [day, name]))
  return (day: Day) => holidayName(day) ?? extra.get(day) ?? null
}

type Source = { db: Kysely<Tables>; url: string; clock: () => number; log: Logger; onChange: () => void }

const ONCE_A_DAY = 24 * 60 * 60 * 1000
const TIMEOUT_MS = 3000

/** Stores new holidays of this and the next year, now and daily. Logs a failure. Returns a function that stops. */
export function startHolidayRefresh(source: Source) {
  return repeat(() => refreshHolidays(source), {
    every: ONCE_A_DAY,
    failed: (error) => source.log.warn({ why: whyInShort(error) }, 'no news of holidays, those known stay'),
  })
}

// A failed fetch has its error code in the cause.
function whyInShort(error: unknown) {
  const { message, cause } = error as Error
  return [message, (cause as { code?: string } | undefined)?.code].filter(Boolean).join(': ')
}

async function refreshHolidays({ db, url, clock, log, onChange }: Source) {
  const told = parseHolidays(await fetchText(url, { timeoutMs: TIMEOUT_MS }))
  const now = clock()
  const year = Number(dayInJapan(now).slice(0, 4))
  const learned = [newIn(year, told), newIn(year + 1, told)].filter((each) => each !== null)
  if (learned[0]?.year !== year) throw new Error(`The source has no holidays of ${year}`)
  for (const { year, extra, missing } of learned) {
    if (missing.length > 0) log.warn({ year, days: missing }, 'holidays that the source lacks')
    if (await replaceExtra(db, year, extra, new Date(now).toISOString())) {
      log.warn({ year, days: Object.fromEntries(extra) }, 'holidays beyond the known ones')
      onChange()
    }
  }
}

function parseHolidays(text: string) {
  const told: unknown = JSON.parse(text)
  if (typeof told !== 'object' || told === null || Array.isArray(told)) throw new Error('The source sent no map')
  return Object.entries(told).map(([day, name]): [Day, string] => {
    if (!isDay(day)) throw new Error(`The source names a day that does not exist: ${String(day).slice(0, 40)}`)
    if (typeof name !== 'string') throw new Error(`${day} has no name`)
    return [day, name.trim()]
  })
}

// A new law moves or adds one or two days. A source with more differences is faulty or not about Japan.
const DIFFERENCES_BELIEVED = 3

/** Returns the source's differences from the law, or null if the source lacks the year. Throws if it is implausible. */
function newIn(year: number, told: [Day, string][]) {
  const names = new Map(told.filter(([day]) => day.startsWith(`${year}-`)))
  if (names.size === 0) return null
  const missing = [...holidaysOf(year).keys()].filter((day) => !names.has(day))
  const extra = [...names].filter(([day]) => holidayName(day) === null)
  if (missing.length > DIFFERENCES_BELIEVED || extra.length > DIFFERENCES_BELIEVED) {
    throw new Error(`Of ${year} the source has ${extra.length} unknown days and lacks ${missing.length} known ones`)
  }
  const nameless = extra.find(([, name]) => !/^\p{L}{1,20}$/u.test(name))
  if (nameless) throw new Error(`${nameless[0]} has no proper name`)
  return { year, extra, missing }
}

function replaceExtra(db: Kysely<Tables>, year: number, extra: [Day, string][], acceptedAt: string) {
  return inTransaction(db, async (trx) => {
    const known = await trx
      .selectFrom('extraHolidays')
      .select(['day', 'name'])
      .where('day', 'like', `${year}-%`)
      .orderBy('day')
      .execute()
    const next = extra.map(([day, name]) => ({ day, name })).sort((a, b) => (a.day < b.day ? -1 : 1))
    if (JSON.stringify(known) === JSON.stringify(next)) return false
    await trx.deleteFrom('extraHolidays').where('day', 'like', `${year}-%`).execute()
    const rows = next.map((each) => ({ ...each, acceptedAt }))
    if (rows.length > 0) {
      // Another process with the same database may have inserted these days concurrently.
      await trx
        .insertInto('extraHolidays')
        .values(rows)
        .onConflict((already) => already.column('day').doNothing())
        .execute()
    }
    return true
  })
}
