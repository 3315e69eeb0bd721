import type { Day } from '../dates/month.ts'
import { t } from '../languages/language.ts'
import {
  type BusinessRules,
  type DayOfWeek,
  formatHours,
  formatSpan,
  type Hours,
  isClosure,
  isRowSet,
  noSlots,
  rowOf,
  type Schedule,
  type Slots,
  type Span,
  spanOf,
  spansOf,
  weekdays,
} from './business-day.ts'

export const fromMonday = [...weekdays.slice(1), weekdays[0]]

/** Rows that use the hours of the weekday unless an editor has set hours for the row. */
export const extraDays: readonly DayOfWeek[] = ['祝日', '祝前日']

export const daysFromMonday: readonly DayOfWeek[] = [...fromMonday, ...extraDays]

/** Returns the weekdays from Monday on, followed by the holiday and eve rows if they differ from any weekday. */
export function weekRows(schedule: Schedule) {
  const extra = extraDays.filter(
    (name) => isRowSet(schedule[name]) && weekdays.some((weekday) => !hasSameHours(schedule[name], schedule[weekday])),
  )
  return [...fromMonday, ...extra].map((name) => toShownRow(name, schedule[name]))
}

export function looksSame(one: Schedule | null, other: Schedule) {
  const serialize = (schedule: Schedule) => JSON.stringify([weekRows(schedule), formatClosedDays(schedule)])
  return one !== null && serialize(one) === serialize(other)
}

/** Returns the sentence that closed days stay closed on holidays and their eves, or '' if this is not the case. */
export function formatClosedDays(schedule: Schedule) {
  const isAnyExtraOpen = extraDays.some((name) => spansOf(openSlots(schedule[name])).length > 0)
  return schedule.closedDaysFirst && isAnyExtraOpen && !weekdays.every((name) => schedule[name].open)
    ? t('定休日は、祝日や祝前日でもお休みいたします。')
    : ''
}

/** Returns a row of a schedule table. If the two slots form one span, `joined` is this span and both slots are null. */
function toShownRow(name: DayOfWeek, row: Hours) {
  const [first = null, second = null] = openSlots(row).map(spanOf)
  const [joined = null, ...more] = spansOf(openSlots(row))
  return first && second && more.length === 0
    ? { name, closed: false, first: null, second: null, joined }
    : { name, closed: !row.open, first, second, joined: null }
}

function openSlots({ open, slots }: Hours) {
  return open ? slots : noSlots
}

function hasSameHours(one: Hours, other: Hours) {
  const serialize = (row: Hours) => JSON.stringify(toShownRow('月曜日', row))
  return serialize(one) === serialize(other)
}

export function formatRow(name: DayOfWeek, row: Hours) {
  return extraDays.includes(name) && !isRowSet(row) ? 'その曜日のとおり' : formatHours(row)
}

export function formatOpenWeekdays(schedule: Schedule) {
  const isOpen = (name: DayOfWeek) => schedule[name].open
  const [open, closed] = [fromMonday.filter(isOpen), fromMonday.filter((name) => !isOpen(name))]
  const [first] = open
  if (!first) return t('毎週決まった営業日はございません。')
  const isSame = open.every((name) => hasSameHours(schedule[name], schedule[first]))
  const hours = isSame ? spansOf(schedule[first].slots).map(formatSpan).join(t('と')) : ''
  const days = closed.length === 0 ? t('毎日') : formatRuns(isOpen)
  const time = hours && t(closed.length === 0 ? '{hours}に' : 'の{hours}に', { hours })
  const closedDays = closed.map((name) => t(name)).join(t('・'))
  return (
    t('{days}{time}営業しております。', { days, time }) +
    (closedDays && t('{days}は定休日です。', { days: closedDays }))
  )
}

// A series of open days may continue past the end of a week, as in 木曜日から月曜日まで, so the loop begins at a closed day.
function formatRuns(isOpen: (name: DayOfWeek) => boolean) {
  const start = weekdays.findIndex((name) => !isOpen(name))
  const runs: string[][] = [[]]
  for (const name of [...weekdays.slice(start), ...weekdays.slice(0, start)]) {
    if (isOpen(name)) runs.at(-1)?.push(t(name))
    else runs.push([])
  }
  const longRuns = runs
    .filter(({ length }) => length > 2)
    .map((run) => t('{first}から{last}まで', { first: run[0] ?? '', last: run.at(-1) ?? '' }))
  const singleDays = runs.filter(({ length }) => length <= 2).flat()
  return [singleDays.join(t('・')), ...longRuns].filter(Boolean).join(t('と、'))
}

/** Returns the default slots of a special day: the usual ones, or those of the first open weekday with hours. */
export function usualSlots(day: Day, schedule: Schedule | null, holiday: BusinessRules['holiday']) {
  if (!schedule) return noSlots
  const open = fromMonday.map((name) => schedule[name]).filter((row) => row.open)
  return firstSlots([rowOf(day, schedule, holiday).row, ...open])
}

export function firstSlots(rows: Hours[]) {
  return rows.find(({ slots }) => spansOf(slots).length > 0)?.slots ?? noSlots
}

/** Whether an open special day has no hours. Search engines would then show the usual hours of its weekday. */
export function lacksHours({ reason, slots }: { reason: string; slots: Slots }) {
  return !isClosure(reason) && spansOf(slots).length === 0
}

/** Returns the sentences of the confirmation dialog if a special day omits a usual slot, otherwise an empty list. */
export function missingSlots({ reason, slots }: { reason: string; slots: Slots }, usual: Hours[]) {
  if (reason !== '営業時間変更') return []
  const isMissing = ({ start, end }: Span, index: number) =>
    !spanOf(slots[index] ?? null) && !spansOf(slots).some((span) => span.start < end && start < span.end)
  const missing = usual.flatMap((row) =>
    openSlots(row)
      .map(spanOf)
      .flatMap((span, index) =>
        span && isMissing(span, index) ? `通常の第${index + 1}部（${formatSpan(span)}）がなくなります。` : [],
      ),
  )
  return missing.length > 0 ? [...new Set(missing), 'このまま保存しますか？'] : []
}
