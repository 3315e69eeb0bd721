import type { Db, SpecialDayRow } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readHolidays } from '../dates/holidays.server.ts'
import { dayInJapan, instantInJapan, timeInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatDay } from '../dates/month.ts'
import type { Outcome } from '../forms/outcome.ts'
import type { SeenVersion } from '../forms/seen-version.ts'
import { t } from '../languages/language.ts'
import { advanceSeenVersion, removeSeen } from '../records/own-saves.server.ts'
import { type ImportedTimes, newSave } from '../records/record.ts'
import { add, change, lockRow } from '../records/records.server.ts'
import { type Author, contextOf, type RequestContext, readOr } from '../request.ts'
import { readTranslator } from '../translations/translations.server.ts'
import {
  businessDayAt,
  type DayState,
  dayState,
  formatSpans,
  groupDays,
  isClosure,
  noSlots,
  rowOf,
  type Schedule,
  type Slots,
  type Span,
  type SpecialDay,
  slotsOf,
  spansOf,
  weekdayRow,
} from './business-day.ts'
import { dayTextFields } from './day-texts.ts'
import { hourFieldsOf, scheduleFieldsOf } from './hour-fields.ts'
import { parseColumn, specialDayRecord, weekRecord } from './hours-records.server.ts'
import { StoredSchedule, StoredSlots } from './schedule.ts'
import { extraDays } from './week.ts'

/** Returns the saved week, or null if no week is saved or the saved week is unreadable. */
export async function readSchedule(db: Db): Promise<Schedule | null> {
  return (await readWeek(db)).schedule
}

/** Returns the special days from `first` to `last` inclusive. Omits an open day if its slots are unreadable. */
export async function readSpecialDays(db: Db, first: Day, last: Day): Promise<SpecialDay[]> {
  return (await listSpecialDays(db, first, last)).flatMap(({ day, reason, cause, note, slots }) =>
    slots || isClosure(reason) ? [{ day, reason, cause, note, slots: slots ?? noSlots }] : [],
  )
}

export async function readDays(db: Db, first: Day, count: number): Promise<DayState[]> {
  const rules = await readRules(db, await readSchedule(db), first, addDays(first, count - 1))
  return Array.from({ length: count }, (_, index) => dayState(addDays(first, index), rules))
}

/**
 * Returns the slots of the business day at an instant, or null if the shop is closed on this day. `changesAt` is the next
 * time in Japan (YYYY-MM-DDTHH:MM) at which another business day may begin.
 */
export async function readSlotsNow(db: Db, now: number): Promise<{ slots: Slots | null; changesAt: string }> {
  const today = dayInJapan(now)
  const yesterday = addDays(today, -1)
  const rules = await readRules(db, await readSchedule(db), yesterday, today)
  const lastNight = dayState(yesterday, rules)
  const day = businessDayAt(now, [lastNight])
  const slots = dayState(day, rules).state === 'closed' ? null : slotsOf(day, rules)
  const ends = lastNight.spans.map(({ end }) => timeInJapan(instantInJapan(yesterday, end)))
  const midnight = `${addDays(today, 1)}T00:00`
  return { slots, changesAt: ends.sort().find((time) => time > timeInJapan(now)) ?? midnight }
}

/** Returns days with their holidays and texts in the language of the page. Returns an empty list if the read fails. */
export async function readDaysOfPage(context: RequestContext, first: Day, count: number): Promise<DayState[]> {
  const days = await readOr(context, [], () => readDays(contextOf(context).db, first, count))
  const translate = await readTranslator(context, 'days')
  return days.map((day) => translate(day.day, { ...day, holiday: day.holiday && t(day.holiday) }, dayTextFields))
}

/** Returns the rules that apply to the days from `first` to `last` inclusive, with the given schedule. */
export async function readRules(db: Db, schedule: Schedule | null, first: Day, last: Day) {
  const special = new Map((await readSpecialDays(db, first, last)).map((each) => [each.day, each]))
  // The last day may be the eve of a holiday, so the holidays of one more day are needed.
  const holiday = await readHolidays(db, first, addDays(last, 1))
  return { schedule, specialDay: (day: Day) => special.get(day) ?? null, holiday, specialDays: [...special.keys()] }
}

/** Returns the schedule row of each day, ignoring special days, or an empty list if no week is saved. */
export async function readUsualRows(db: Db, days: Day[]) {
  const schedule = await readSchedule(db)
  const [first, last] = [days[0], days.at(-1)]
  if (!schedule || !first || !last) return []
  const holiday = await readHolidays(db, first, addDays(last, 1))
  return days.map((day) => rowOf(day, schedule, holiday).row)
}

/** Consecutive days with the same spans. If `spans` is empty, the days are closed. */
export type UnusualDays = { first: Day; last: Day; spans: Span[] }

const DAYS_AHEAD = 60

/** Returns special days from `today`, and holidays and eves of the next 60 days. Omits open days that have no hours. */
export async function readUnusualDays(db: Db, today: Day, schedule: Schedule | null): Promise<UnusualDays[]> {
  const comingDays = Array.from({ length: DAYS_AHEAD + 1 }, (_, index) => addDays(today, index))
  const rules = await readRules(db, schedule, today, '2100-12-31')
  const days = new Set([...comingDays, ...rules.specialDays])
  const states = [...days].map((day) => dayState(day, rules))
  return groupDays(states, ({ state, spans, source }) =>
    source === 'weekday' || state === 'unknown' || (state === 'open' && spans.length === 0) ? null : spans,
  ).map(({ first, last, what: spans }) => ({ first, last, spans }))
}

/** The text of a holiday or eve row with its hours, and the texts of the closed days that the row opens. */
export type OpenedDays = { row: string; days: string[] }

/**
 * Lists closed weekdays of the next 365 days that a holiday or eve row opens. Returns an empty list if an editor has
 * already confirmed all of these days for the week in `saved`.
 */
export async function listOpenedClosedDays(
  db: Db,
  today: Day,
  schedule: Schedule,
  saved: Schedule | null,
): Promise<OpenedDays[]> {
  const days = Array.from({ length: 365 }, (_, index) => addDays(today, index))
  const rules = await readRules(db, schedule, today, addDays(today, 364))
  const listDaysOpenedBy = (week: Schedule) =>
    days
      .filter((day) => !weekdayRow(day, week).open)
      .map((day) => dayState(day, { ...rules, schedule: week }))
      .filter(({ state, source }) => state === 'open' && source !== 'special day')
  const opened = listDaysOpenedBy(schedule)
  const confirmedDays = new Set(saved?.closedDaysFirst === false ? listDaysOpenedBy(saved).map(({ day }) => day) : [])
  if (opened.every(({ day }) => confirmedDays.has(day))) return []
  return extraDays.flatMap((name) => {
    const days = opened.filter(({ holiday }) => Boolean(holiday) === (name === '祝日')).map(({ day }) => formatDay(day))
    return days.length > 0 ? { row: `${name} ${formatSpans(spansOf(schedule[name].slots))}`, days } : []
  })
}

export type Week = Awaited<ReturnType<typeof readWeek>>

/** Returns the week for its form. `schedule` is null if no week is saved (version 0) or the week is unreadable. */
export async function readWeek(db: Db) {
  const row = await db.selectFrom('businessWeek').selectAll().where('id', '=', 'week').executeTakeFirst()
  const { version = 0, createdAt = null, updatedAt = null } = row ?? {}
  return { version, schedule: row ? parseColumn(StoredSchedule, row.schedule) : null, createdAt, updatedAt }
}

/** Returns the special days from `first` to `last` inclusive. `slots` is null if the stored hours are unreadable. */
export async function listSpecialDays(db: Db, first: Day, last: Day = '9999') {
  const all = db.selectFrom('specialDays').selectAll()
  const rows = await all.where('day', '>=', first).where('day', '<=', last).orderBy('day').execute()
  return rows.map(toListedSpecialDay)
}

export async function readSpecialDay(db: Db, day: Day) {
  return (await listSpecialDays(db, day, day))[0] ?? null
}

export type ListedSpecialDay = Omit<SpecialDayRow, 'hours'> & { slots: Slots | null }

export function toListedSpecialDay({ hours, ...row }: SpecialDayRow): ListedSpecialDay {
  return { ...row, slots: parseColumn(StoredSlots, hours) }
}

/**
 * Saves the week. Returns a conflict if the version is outdated, or if the stored week is unreadable and `overwriting`
 * is false. Version 0 means that no week is stored. An import passes `times`.
 */
export async function saveWeek(
  db: Db,
  schedule: Schedule,
  { overwriting = false, ...seen }: SeenVersion & { overwriting?: boolean },
  author: Author,
  times?: ImportedTimes,
) {
  return inTransaction(db, async (trx): Promise<Outcome<string, { week: Week; isUnreadable: boolean }>> => {
    const current = await lockRow(trx, weekRecord, 'week')
    const isCurrent = (await advanceWeekVersion(trx, seen, author)) === (current?.version ?? 0)
    const isUnreadable = isCurrent && current && !overwriting && !parseColumn(StoredSchedule, current.schedule)
    if (!isCurrent || isUnreadable)
      return { error: 'conflict', week: await readWeek(trx), isUnreadable: Boolean(isUnreadable) }
    const save = newSave(author, current ? 'save' : 'add')
    const values = { schedule: JSON.stringify(scheduleFieldsOf(schedule)), ...times }
    if (current) await change(trx, weekRecord, current, values, save)
    else await add(trx, weekRecord, { id: 'week' as const, createdAt: author.at, ...values }, save)
    return { ok: save.id }
  })
}

export function advanceWeekVersion(db: Db, seen: SeenVersion, author: Author) {
  return advanceSeenVersion(db, weekRecord, { id: 'week', ...seen }, author)
}

export function removeWeek(db: Db, seen: SeenVersion, author: Author) {
  return removeSeen(db, weekRecord, { id: 'week', ...seen }, author)
}

/**
 * Saves the same values for each day. `replacing` contains the versions that the editor has agreed to replace. If
 * another version exists, saves nothing and returns all existing special days. An import passes `times`.
 */
export async function saveSpecialDays(
  db: Db,
  { days, reason, cause = '', note = '', slots }: Omit<SpecialDay, 'day'> & { days: Day[] },
  replacing: ReadonlyMap<Day, SeenVersion>,
  author: Author,
  times?: ImportedTimes,
) {
  return inTransaction(db, async (trx): Promise<Outcome<string, { existing: ListedSpecialDay[] }>> => {
    const current: (SpecialDayRow | null)[] = []
    for (const day of days) current.push(await lockRow(trx, specialDayRecord, day))
    const existing = current.filter((row) => row !== null)
    for (const row of existing) {
      const seen = replacing.get(row.day)
      if (!seen || (await advanceSeenVersion(trx, specialDayRecord, { id: row.day, ...seen }, author)) !== row.version)
        return { error: 'conflict', existing: existing.map(toListedSpecialDay) }
    }
    const save = newSave(author, 'save')
    const values = { reason, cause, note, hours: JSON.stringify(hourFieldsOf(slots)), ...times }
    for (const [index, day] of days.entries()) {
      const row = current[index]
      if (row) await change(trx, specialDayRecord, row, values, save)
      else await add(trx, specialDayRecord, { day, createdAt: author.at, ...values }, { ...save, action: 'add' })
    }
    return { ok: save.id }
  })
}

export function removeSpecialDay(db: Db, { day, ...seen }: SeenVersion & { day: Day }, author: Author) {
  return removeSeen(db, specialDayRecord, { id: day, ...seen }, author)
}

/** Returns the number of changes to the hours of each day, and the time of the last change, for the iCalendar feed. */
export async function readHoursChanges(db: Db) {
  const changes = await db
    .selectFrom('revisions')
    .select(({ fn }) => ['subjectId', fn.max('version').as('count'), fn.max('at').as('last')])
    .where('subject', 'in', [weekRecord.subject, specialDayRecord.subject])
    .groupBy('subjectId')
    .execute()
  const counts = new Map(changes.map(({ subjectId, count }) => [subjectId, count]))
  const times = changes.map(({ last }) => last).sort()
  return { count: (day: Day) => (counts.get('week') ?? 0) + (counts.get(day) ?? 0), last: times.at(-1) ?? null }
}
