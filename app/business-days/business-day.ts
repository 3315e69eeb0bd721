import { addDays, type Day, dayInJapan, dayInWords, minuteInJapan, weekdayOf } from '../calendar/month.ts'
import type { Hours, Schedule, ScheduleRow } from './schedule.ts'

export const weekdays = ['日曜日', '月曜日', '火曜日', '水曜日', '木曜日', '金曜日', '土曜日'] as const

/** The rows of the week: the weekdays, public holidays and the days before them. */
export const scheduleRows = [...weekdays, '祝日', '祝前日'] as const

export const specialReasons = ['臨時休業', '年末年始休業', '臨時営業', '営業時間変更'] as const
export type SpecialDay = { day: Day; reason: string; hours: Hours }

export const noHours: Hours = {
  starttime1_hour: '00',
  starttime1_minute: '00',
  endtime1_hour: '00',
  endtime1_minute: '00',
  starttime2_hour: '00',
  starttime2_minute: '00',
  endtime2_hour: '00',
  endtime2_minute: '00',
}

/** From `start` to `end`, in minutes since the day's midnight; past midnight `end` is above 1440. */
export type Slot = { start: number; end: number }

export type DayState = {
  day: Day
  /** `unknown`: no schedule was ever saved. */
  state: 'open' | 'closed' | 'unknown'
  slots: Slot[]
  /** What is said of the day beside its hours: 定休日, or the reason of a special day; may be empty. */
  label: string
  holiday: string | null
  source: 'special day' | 'holiday' | 'eve of a holiday' | 'weekday' | 'nothing'
}

export type BusinessRules = {
  schedule: Schedule | null
  specialDay: (day: Day) => SpecialDay | null
  holiday: (day: Day) => string | null
}

/** What the shop does on a day: a special day goes before the holiday row, that before the eve's, that before the weekday's. */
export function dayState(day: Day, { schedule, specialDay, holiday }: BusinessRules): DayState {
  const name = holiday(day)
  const special = specialDay(day)
  if (special) return specialDayState(special, name)
  if (!schedule) return { day, state: 'unknown', slots: [], label: '', holiday: name, source: 'nothing' }

  const holidayRow = name && touched(schedule.祝日)
  const eveRow = holiday(addDays(day, 1)) && touched(schedule.祝前日)
  const [row, source] = holidayRow
    ? [holidayRow, 'holiday' as const]
    : eveRow
      ? [eveRow, 'eve of a holiday' as const]
      : [schedule[weekdays[weekdayOf(day)] as (typeof weekdays)[number]], 'weekday' as const]

  return row.open_or_close === 'close'
    ? { day, state: 'closed', slots: [], label: '定休日', holiday: name, source }
    : { day, state: 'open', slots: slotsOf(row), label: '', holiday: name, source }
}

function specialDayState({ day, reason, hours }: SpecialDay, holiday: string | null): DayState {
  return isClosure(reason)
    ? { day, state: 'closed', slots: [], label: reason, holiday, source: 'special day' }
    : { day, state: 'open', slots: slotsOf(hours), label: reason, holiday, source: 'special day' }
}

/** A reason with 休業 in it closes the day, and its hours do not count. */
export function isClosure(reason: string) {
  return reason.includes('休業')
}

// An extra row left as the form begins (open, no times) means "as the weekday".
function touched(row: ScheduleRow) {
  return row.open_or_close === 'close' || slotsOf(row).length > 0 ? row : null
}

/** The day's slots in order, touching or overlapping ones as one. */
export function slotsOf(hours: Hours): Slot[] {
  return joined(bothSlots(hours).filter((each) => each !== null))
}

/** Whether the two slots share a time: allowed, but worth a warning. */
export function slotsOverlap(hours: Hours) {
  const [first, second] = bothSlots(hours)
  return Boolean(first && second && first.start < second.end && second.start < first.end)
}

/** The slots (1 and 2) that end at the minute they begin, other than 00:00 to 00:00, which is no slot. */
export function emptySlots(hours: Hours) {
  return ([1, 2] as const).filter((number) => {
    const time = (edge: 'start' | 'end', part: 'hour' | 'minute') => hours[`${edge}time${number}_${part}`]
    const start = `${time('start', 'hour')}:${time('start', 'minute')}`
    return start !== '00:00' && start === `${time('end', 'hour')}:${time('end', 'minute')}`
  })
}

function bothSlots(hours: Hours) {
  return [
    slot(hours.starttime1_hour, hours.starttime1_minute, hours.endtime1_hour, hours.endtime1_minute),
    slot(hours.starttime2_hour, hours.starttime2_minute, hours.endtime2_hour, hours.endtime2_minute),
  ] as const
}

function joined(slots: Slot[]) {
  const spans: Slot[] = []
  for (const next of slots.toSorted((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && next.start <= last.end) last.end = Math.max(last.end, next.end)
    else spans.push({ ...next })
  }
  return spans
}

function slot(startHour: string, startMinute: string, endHour: string, endMinute: string): Slot | null {
  const start = Number(startHour) * 60 + Number(startMinute)
  const end = Number(endHour) * 60 + Number(endMinute)
  if (start === end) return null
  return { start, end: end > start ? end : end + 1440 }
}

/** 7:30〜10:00; past midnight 翌1:00, and midnight itself 24:00. */
export function slotInWords({ start, end }: Slot) {
  return `${timeInWords(start)}〜${timeInWords(end)}`
}

export function timeInWords(minutes: number): string {
  if (minutes > 1440) return `翌${timeInWords(minutes - 1440)}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

const CLOSING_SOON = 30

export type OpenNow =
  | { state: 'open'; until: number; closingSoon: boolean; today: DayState }
  | { state: 'closed'; opens: null | { day: Day; at: number | null }; today: DayState }
  | { state: 'unknown' }

/** Whether the shop is open at an instant; `days` are consecutive states that begin with yesterday's. */
export function openNow(now: number, days: DayState[]): OpenNow {
  const day = dayInJapan(now)
  const minute = minuteInJapan(now)
  const index = days.findIndex((each) => each.day === day)
  const today = days[index]
  if (!today) return { state: 'unknown' }

  const current = spansFrom(days, index).find(({ start, end }) => start <= minute && minute < end)
  if (current) return { state: 'open', until: current.end, closingSoon: current.end - minute <= CLOSING_SOON, today }
  if (today.state === 'unknown') return { state: 'unknown' }
  if (today.state === 'open' && today.slots.length === 0)
    return { state: 'open', until: 1440, closingSoon: false, today }

  const later = today.slots.find((slot) => slot.start > minute)
  if (later) return { state: 'closed', opens: { day, at: later.start }, today }
  const next = days.slice(index + 1).find((each) => each.state === 'open')
  return { state: 'closed', opens: next ? { day: next.day, at: next.slots[0]?.start ?? null } : null, today }
}

// In minutes from the midnight of day `index`; what goes on past midnight into the next day's slot is one span.
function spansFrom(days: DayState[], index: number) {
  const slots = days.flatMap((each, place) =>
    each.slots.map(({ start, end }) => ({ start: start + (place - index) * 1440, end: end + (place - index) * 1440 })),
  )
  return joined(slots)
}

/** The two lines of the open-now card, and the shorter of them for assistive technology's summary. */
export function openNowInWords(now: OpenNow): { headline: string; detail: string } | null {
  if (now.state === 'unknown') return null
  const hours = now.today.slots.map(slotInWords).join(' ／ ')
  const todayInWords = `${dayInWords(now.today.day)} ${hours || now.today.label || '営業時間は店頭でご確認ください'}`
  if (now.state === 'open') {
    const headline = now.closingSoon
      ? `まもなく閉店します（${timeInWords(now.until)}まで）`
      : 'ただいま営業しております'
    return { headline, detail: todayInWords }
  }
  if (now.opens?.day === now.today.day) {
    return { headline: `本日${timeInWords(now.opens.at ?? 0)}より営業いたします`, detail: todayInWords }
  }
  const headline = now.today.state === 'closed' ? `本日は${now.today.label}です` : '本日の営業は終了しました'
  if (!now.opens) return { headline, detail: todayInWords }
  const at = now.opens.at === null ? '' : ` ${timeInWords(now.opens.at)}から`
  return { headline, detail: `次の営業は${dayInWords(now.opens.day)}${at}です` }
}

/** What is said of a day in a line: 営業 7:30〜10:00 ／ 11:30〜14:00, or why it is closed; empty where nothing is known. */
export function dayStateInWords({ state, slots, label }: DayState) {
  if (state === 'unknown') return ''
  if (state === 'closed') return label
  return [label || '営業', slots.map(slotInWords).join(' ／ ')].filter(Boolean).join(' ')
}

/** The form's fields for these slots, of which a day has two at most. */
export function hoursOf(slots: Slot[]): Hours {
  const two = (number: number) => String(number).padStart(2, '0')
  const edge = (minutes = 0) => [two(Math.floor(minutes / 60) % 24), two(minutes % 60)] as const
  const [[h1, m1], [h2, m2], [h3, m3], [h4, m4]] = [
    edge(slots[0]?.start),
    edge(slots[0]?.end),
    edge(slots[1]?.start),
    edge(slots[1]?.end),
  ] as const
  return {
    starttime1_hour: h1,
    starttime1_minute: m1,
    endtime1_hour: h2,
    endtime1_minute: m2,
    starttime2_hour: h3,
    starttime2_minute: m3,
    endtime2_hour: h4,
    endtime2_minute: m4,
  }
}

/** A row of the week in a line: 営業 7:30〜10:00, 定休日. */
export function rowInWords(row: ScheduleRow) {
  return row.open_or_close === 'close'
    ? '定休日'
    : ['営業', slotsOf(row).map(slotInWords).join(' ／ ')].join(' ').trim()
}
