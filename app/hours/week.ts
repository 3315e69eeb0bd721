import type { Day } from '../dates/month.ts'
import {
  type BusinessRules,
  bothSlots,
  isClosure,
  isTouched,
  noHours,
  rowOf,
  type Slot,
  slotInWords,
  slotsOf,
  weekdays,
} from './business-day.ts'
import type { DayOfWeek } from './groups.ts'
import type { Hours, Schedule, ScheduleRow } from './schedule.ts'

/** The weekdays in the order in which they are shown. */
export const fromMonday = [...weekdays.slice(1), weekdays[0]]

/** A row of the week as a table shows it: two slots that are one stretch of time are `joined`, and neither on its own. */
type ShownRow = {
  name: DayOfWeek
  closed: boolean
  first: Slot | null
  second: Slot | null
  joined: Slot | null
}

/** The weekdays from Monday on; holidays and the days before them only where they differ from one of these. */
export function rowsShown(schedule: Schedule): ShownRow[] {
  const extra = (['祝日', '祝前日'] as const).filter(
    (name) => isTouched(schedule[name]) && weekdays.some((weekday) => !sameDay(schedule[name], schedule[weekday])),
  )
  return [...fromMonday, ...extra].map((name) => shownRow(name, schedule[name]))
}

/** Whether a table of one week shows what that of another does. */
export function looksAs(one: Schedule | null, other: Schedule) {
  const shown = (schedule: Schedule) => JSON.stringify([rowsShown(schedule), closedDaysInWords(schedule)])
  return one !== null && shown(one) === shown(other)
}

/** The sentence under a table of the week that keeps its closed days closed; empty if no row would open them. */
export function closedDaysInWords(schedule: Schedule) {
  const isOpen = (name: DayOfWeek) => schedule[name].open_or_close === 'open'
  const opens = (['祝日', '祝前日'] as const).some((name) => isOpen(name) && isTouched(schedule[name]))
  return schedule.closedDaysFirst && opens && !weekdays.every(isOpen)
    ? '定休日は、祝日や祝前日にあたる日もお休みします。'
    : ''
}

function shownRow(name: DayOfWeek, row: ScheduleRow): ShownRow {
  if (row.open_or_close === 'close') return { name, closed: true, first: null, second: null, joined: null }
  const [first, second] = bothSlots(row)
  const [whole, ...more] = slotsOf(row)
  return first && second && whole && more.length === 0
    ? { name, closed: false, first: null, second: null, joined: whole }
    : { name, closed: false, first, second, joined: null }
}

function sameDay(one: ScheduleRow, other: ScheduleRow) {
  const shown = (row: ScheduleRow) => JSON.stringify(shownRow('月曜日', row))
  return shown(one) === shown(other)
}

/** On which weekdays the shop is open, in a sentence or two, with the hours where they are the same on all of these. */
export function openWeekdaysInWords(schedule: Schedule) {
  const isOpen = (name: (typeof weekdays)[number]) => schedule[name].open_or_close === 'open'
  const [open, closed] = [fromMonday.filter(isOpen), fromMonday.filter((name) => !isOpen(name))]
  const [first] = open
  if (!first) return '毎週決まった営業日はございません。'
  const same = open.every((name) => sameDay(schedule[name], schedule[first]))
  const hours = same ? slotsOf(schedule[first]).map(slotInWords).join('と') : ''
  const when = closed.length === 0 ? '毎日' : runsInWords(isOpen)
  return [
    `${when}${hours && `${when === '毎日' ? '' : 'の'}${hours}に`}営業しております。`,
    closed.length > 0 && `${closed.join('・')}は定休日です。`,
  ]
    .filter(Boolean)
    .join('')
}

// Around the end of the week, too: 木曜日から月曜日まで. Begun after a closed day, no run is cut in two.
function runsInWords(isOpen: (name: (typeof weekdays)[number]) => boolean) {
  const start = weekdays.findIndex((name) => !isOpen(name))
  const runs: string[][] = [[]]
  for (const name of [...weekdays.slice(start), ...weekdays.slice(0, start)]) {
    if (isOpen(name)) runs.at(-1)?.push(name)
    else runs.push([])
  }
  const long = runs.filter(({ length }) => length > 2).map((run) => `${run[0]}から${run.at(-1)}まで`)
  const single = runs.filter(({ length }) => length <= 2).flat()
  return [single.join('・'), ...long].filter(Boolean).join('と、')
}

/** The hours that the form of a special day begins with: the day's, or where it has none the first that an open day has. */
export function usualHours(day: Day, schedule: Schedule | null, holiday: BusinessRules['holiday']): Hours {
  if (!schedule) return noHours
  const open = fromMonday.map((name) => schedule[name]).filter((row) => row.open_or_close === 'open')
  const rows = [rowOf(day, schedule, holiday).row, ...open]
  const { open_or_close: _, ...hours } = rows.find((row) => slotsOf(row).length > 0) ?? {
    ...noHours,
    open_or_close: '',
  }
  return hours
}

/** Whether a special day is about hours, and has none: search engines would show those of its weekday. */
export function lacksHours(reason: string, hours: Hours) {
  return !isClosure(reason) && slotsOf(hours).length === 0
}

/** Returns what is asked before the hours of days are changed: whether they may lack a part that the week has. */
export function leftOut(reason: string, hours: Hours, usual: ScheduleRow[]) {
  if (reason !== '営業時間変更') return []
  const open = slotsOf(hours)
  const now = bothSlots(hours)
  const isGone = (slot: Slot, index: number) =>
    !now[index] && !open.some(({ start, end }) => start < slot.end && slot.start < end)
  const gone = usual
    .filter((row) => row.open_or_close === 'open')
    .flatMap((row) =>
      bothSlots(row).flatMap((slot, index) =>
        slot && isGone(slot, index) ? `いつもの第${index + 1}部（${slotInWords(slot)}）がなくなります。` : [],
      ),
    )
  return gone.length > 0 ? [...new Set(gone), 'このまま保存しますか？'] : []
}
