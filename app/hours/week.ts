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

export const fromMonday = [...weekdays.slice(1), weekdays[0]]

/** Row of a schedule table. If two slots form one continuous time, `joined` has it and both slots are null. */
type ShownRow = {
  name: DayOfWeek
  closed: boolean
  first: Slot | null
  second: Slot | null
  joined: Slot | null
}

/** Returns the weekdays from Monday on, then the holiday and eve rows if they differ from any weekday. */
export function rowsShown(schedule: Schedule): ShownRow[] {
  const extra = (['祝日', '祝前日'] as const).filter(
    (name) => isTouched(schedule[name]) && weekdays.some((weekday) => !sameDay(schedule[name], schedule[weekday])),
  )
  return [...fromMonday, ...extra].map((name) => shownRow(name, schedule[name]))
}

export function looksAs(one: Schedule | null, other: Schedule) {
  const shown = (schedule: Schedule) => JSON.stringify([rowsShown(schedule), closedDaysInWords(schedule)])
  return one !== null && shown(one) === shown(other)
}

/** Returns the sentence on closed days below a week's table; empty if no row would open them. */
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

// Runs may wrap around the end of the week: 木曜日から月曜日まで. Starting after a closed day splits no run.
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

/** Returns the default hours of a special day: the day's usual hours, or those of the first open weekday with hours. */
export function usualHours(day: Day, schedule: Schedule | null, holiday: BusinessRules['holiday']): Hours {
  if (!schedule) return noHours
  const open = fromMonday.map((name) => schedule[name]).filter((row) => row.open_or_close === 'open')
  return firstHours([rowOf(day, schedule, holiday).row, ...open])
}

/** Returns the hours of the first row that has a slot. */
export function firstHours(rows: ScheduleRow[]): Hours {
  const { open_or_close: _, ...hours } = {
    open_or_close: '',
    ...noHours,
    ...rows.find((row) => slotsOf(row).length > 0),
  }
  return hours
}

/** Whether a special day should have hours but has none; search engines would show those of its weekday. */
export function lacksHours(reason: string, hours: Hours) {
  return !isClosure(reason) && slotsOf(hours).length === 0
}

/** Returns the confirmation text if new hours leave out a usual slot, or an empty list. */
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
