import { dayInJapan, minuteInJapan, minutesOf } from '../dates/japan.ts'
import { addDays, type Day, formatDay, weekdayOf } from '../dates/month.ts'
import { t } from '../languages/language.ts'

export const weekdays = ['日曜日', '月曜日', '火曜日', '水曜日', '木曜日', '金曜日', '土曜日'] as const

/** The rows of the weekly schedule. The row 祝日 applies to public holidays, and the row 祝前日 to the days before them. */
export const scheduleRows = [...weekdays, '祝日', '祝前日'] as const
export type DayOfWeek = (typeof scheduleRows)[number]

export function eachRow<Value>(valueFor: (name: DayOfWeek) => Value) {
  return Object.fromEntries(scheduleRows.map((name) => [name, valueFor(name)])) as Record<DayOfWeek, Value>
}

/** Times as HH:MM. If the end is earlier than the start, the slot ends on the next day. */
export type Slot = { start: string; end: string }
/** The first and the second slot of a day, even if the second slot is earlier. An absent slot is null. */
export type Slots = (Slot | null)[]
export const noSlots: Slots = [null, null]

/** Hours of a schedule row. A closed row retains its slots. */
export type Hours = { open: boolean; slots: Slots }

/** `closedDaysFirst`: whether a closed weekday stays closed on a holiday or its eve; absent if nobody has chosen. */
export type Schedule = Record<DayOfWeek, Hours> & { closedDaysFirst?: boolean | undefined }

export const specialReasons = ['臨時休業', '年末年始休業', '臨時営業', '営業時間変更'] as const
export type DayTexts = { cause?: string; note?: string }
export type SpecialDay = DayTexts & { day: Day; reason: string; slots: Slots }

/** Times in minutes since midnight of the day. `end` is above 1440 if the span passes midnight. */
export type Span = { start: number; end: number }

export type DayState = DayTexts & {
  day: Day
  /** `unknown`: there is no readable schedule. */
  state: 'open' | 'closed' | 'unknown'
  spans: Span[]
  /** 定休日, or the reason of a special day. May be empty. */
  label: string
  holiday: string | null
  source: 'special day' | 'holiday' | 'eve of a holiday' | 'weekday' | 'nothing'
}

export type BusinessRules = {
  schedule: Schedule | null
  specialDay: (day: Day) => SpecialDay | null
  holiday: (day: Day) => string | null
}

export function dayState(day: Day, { schedule, specialDay, holiday }: BusinessRules): DayState {
  const name = holiday(day)
  const special = specialDay(day)
  if (special) return specialDayState(special, name)
  if (!schedule) return { day, state: 'unknown', spans: [], label: '', holiday: name, source: 'nothing' }
  const { row, source } = rowOf(day, schedule, holiday)
  return row.open
    ? { day, state: 'open', spans: spansOf(row.slots), label: '', holiday: name, source }
    : { day, state: 'closed', spans: [], label: '定休日', holiday: name, source }
}

/** Returns the first and second slot of a day. Both are null if the shop is closed or the hours are unknown. */
export function slotsOf(day: Day, { schedule, specialDay, holiday }: BusinessRules): Slots {
  const special = specialDay(day)
  if (special) return isClosure(special.reason) ? noSlots : special.slots
  const row = schedule && rowOf(day, schedule, holiday).row
  return row?.open ? row.slots : noSlots
}

/**
 * Returns the schedule row that applies on a day. A holiday uses the holiday row, and another day before a holiday uses
 * the eve row, unless that row is untouched. With `closedDaysFirst`, a closed weekday overrides the holiday and eve
 * rows.
 */
export function rowOf(day: Day, schedule: Schedule, holiday: BusinessRules['holiday']) {
  const weekday = { row: weekdayRow(day, schedule), source: 'weekday' as const }
  if (schedule.closedDaysFirst && !weekday.row.open) return weekday
  if (holiday(day)) return isRowSet(schedule.祝日) ? { row: schedule.祝日, source: 'holiday' as const } : weekday
  return holiday(addDays(day, 1)) && isRowSet(schedule.祝前日)
    ? { row: schedule.祝前日, source: 'eve of a holiday' as const }
    : weekday
}

/** Returns the row of the day's weekday, even if the holiday or eve row applies. */
export function weekdayRow(day: Day, schedule: Schedule) {
  return schedule[weekdayNameOf(day)]
}

export function weekdayNameOf(day: Day) {
  return weekdays[weekdayOf(day)] as (typeof weekdays)[number]
}

function specialDayState({ day, reason, slots, cause, note }: SpecialDay, holiday: string | null): DayState {
  const details = {
    label: reason,
    holiday,
    source: 'special day',
    ...(cause && { cause }),
    ...(note && { note }),
  } as const
  return isClosure(reason)
    ? { day, state: 'closed', spans: [], ...details }
    : { day, state: 'open', spans: spansOf(slots), ...details }
}

export function isClosure(reason: string) {
  return reason.includes('休業')
}

/** Whether a holiday or eve row is set. The form's default, open without a time, means "as on the weekday". */
export function isRowSet({ open, slots }: Hours) {
  return !open || spansOf(slots).length > 0
}

/** Returns the spans of the slots in order. Merges touching or overlapping slots. */
export function spansOf(slots: Slots): Span[] {
  return mergeSpans(slots.map(spanOf).filter((each) => each !== null))
}

/** Whether the two slots overlap. The form permits an overlap but shows a warning. */
export function slotsOverlap(slots: Slots) {
  const [first, second] = slots.map(spanOf)
  return Boolean(first && second && first.start < second.end && second.start < first.end)
}

/** Returns null for an absent slot and for a stored slot with equal start and end. */
export function spanOf(slot: Slot | null): Span | null {
  if (!slot || slot.start === slot.end) return null
  const [start, end] = [minutesOf(slot.start), minutesOf(slot.end)]
  return { start, end: end > start ? end : end + MINUTES_PER_DAY }
}

function mergeSpans(unsortedSpans: Span[]) {
  const spans: Span[] = []
  for (const next of unsortedSpans.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last && next.start <= last.end) last.end = Math.max(last.end, next.end)
    else spans.push({ ...next })
  }
  return spans
}

/** Formats a span as 7:30〜10:00. Times after midnight have the form 翌1:00, and midnight is 24:00. */
export function formatSpan({ start, end }: Span) {
  return formatMinutes(start) + t('〜') + formatMinutes(end)
}

export function formatSpans(spans: Span[]) {
  return spans.map(formatSpan).join(t('、'))
}

export function formatMinutes(minutes: number): string {
  if (minutes > MINUTES_PER_DAY) return t('翌{time}', { time: formatMinutes(minutes - MINUTES_PER_DAY) })
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

const MINUTES_PER_DAY = 1440
const CLOSING_SOON_MINUTES = 30

/** Returns the business day at an instant, which lasts until its last slot ends. `days` contain the day before. */
export function businessDayAt(now: number, days: Pick<DayState, 'day' | 'spans'>[]): Day {
  const today = dayInJapan(now)
  const yesterday = addDays(today, -1)
  const minute = minuteInJapan(now) + MINUTES_PER_DAY
  const spans = days.find(({ day }) => day === yesterday)?.spans ?? []
  return spans.some(({ end }) => minute < end) ? yesterday : today
}

export type OpeningNow =
  /** `began` is the day on which the slot began, possibly yesterday. `until` is in minutes since the start of today. */
  | { state: 'open'; until: number; closingSoon: boolean; began: DayState }
  /** The shop opens today, but its opening hours are unknown. */
  | { state: 'open day'; today: DayState }
  | { state: 'closed'; opens: null | { day: Day; at: number | null }; today: DayState }
  | { state: 'unknown' }

/** Returns the opening state at an instant. `days` are the states of consecutive days, starting with yesterday. */
export function openingNow(now: number, days: DayState[]): OpeningNow {
  const day = dayInJapan(now)
  const minute = minuteInJapan(now)
  const index = days.findIndex((each) => each.day === day)
  const today = days[index]
  if (!today) return { state: 'unknown' }

  const findRunning = (spans: Span[]) => spans.find(({ start, end }) => start <= minute && minute < end)
  const spans = days.map((each, position) => {
    const shift = (position - index) * MINUTES_PER_DAY
    return each.spans.map(({ start, end }) => ({ start: start + shift, end: end + shift }))
  })
  // A span that passes midnight may touch a span of the next day, so the spans of both days are merged.
  const current = findRunning(mergeSpans(spans.flat()))
  if (current) {
    const began = days[spans.findLastIndex(findRunning)] ?? today
    return { state: 'open', until: current.end, closingSoon: current.end - minute <= CLOSING_SOON_MINUTES, began }
  }
  if (today.state === 'unknown') return { state: 'unknown' }
  if (today.state === 'open' && today.spans.length === 0) return { state: 'open day', today }

  const next = today.spans.find(({ start }) => start > minute)
  if (next) return { state: 'closed', opens: { day, at: next.start }, today }
  const nextOpenDay = days.slice(index + 1).find((each) => each.state === 'open')
  return {
    state: 'closed',
    opens: nextOpenDay ? { day: nextOpenDay.day, at: nextOpenDay.spans[0]?.start ?? null } : null,
    today,
  }
}

export function formatOpeningNow(now: OpeningNow): { headline: string; detail: string } | null {
  if (now.state === 'unknown') return null
  if (now.state === 'open') {
    const headline = now.closingSoon
      ? t('まもなく閉店します（{time}まで）', { time: formatMinutes(now.until) })
      : t('ただいま営業しております')
    return { headline, detail: formatDayAndHours(now.began) }
  }
  const detail = formatDayAndHours(now.today)
  if (now.state === 'open day') return { headline: t('本日は営業日です'), detail }
  if (now.opens?.day === now.today.day) {
    return { headline: t('本日{time}より営業いたします', { time: formatMinutes(now.opens.at ?? 0) }), detail }
  }
  const headline = now.today.state === 'closed' ? formatClosedToday(now.today) : t('本日の営業は終了しました')
  if (!now.opens) return { headline, detail }
  const day = formatDay(now.opens.day)
  const { at } = now.opens
  const next =
    at === null
      ? t('次の営業は{day}です', { day })
      : t('次の営業は{day} {time}からです', { day, time: formatMinutes(at) })
  return { headline, detail: next }
}

function formatDayAndHours(state: DayState) {
  const hours = formatSpans(state.spans) || formatLabel(state)
  return t('{day} {hours}', { day: formatDay(state.day), hours: hours || t('営業時間は店頭でご確認ください') })
}

/** Returns the reason and the note of the shop, for the card with the opening state. */
export function shopTextsOf(now: OpeningNow) {
  if (now.state === 'unknown') return []
  const day = now.state === 'open' ? now.began : now.today
  // If the day has no hours, the second line of the card already contains the cause.
  const reason = day.cause && day.spans.length > 0 && formatLabel(day)
  return [reason, day.note].filter((each) => typeof each === 'string')
}

// An imported reason may be a whole sentence.
function formatClosedToday({ label, cause }: DayState) {
  if (/(?:定休日|休業)$/.test(label)) return withCause(t(`本日は${label}です`), cause)
  return withCause(t('本日は休業いたします'), [label, cause].filter(Boolean).join(t('、')))
}

/** Formats a day in one line: 営業 7:30〜10:00、11:30〜14:00 or the closing reason. Returns '' if the state is unknown. */
export function formatDayState(day: DayState) {
  const { state, spans, cause } = day
  if (state === 'unknown') return ''
  const label = formatLabel(day)
  if (state === 'closed') return label
  const hours = formatSpans(spans)
  // Directly after 貸切, visitors would read the hours as the hours of the private party.
  return [label || t('営業'), hours && cause ? t('営業は') + hours : hours].filter(Boolean).join(' ')
}

export function formatLabel({ label, cause }: Pick<DayState, 'label' | 'cause'>) {
  return withCause(t(label), cause)
}

function withCause(text: string, cause?: string) {
  return cause ? text + t('（{cause}）', { cause }) : text
}

/** Groups consecutive days if `getValue` returns equal values for them. Omits a day if its value is null. */
export function groupDays<What>(days: DayState[], getValue: (day: DayState) => What | null) {
  const runs: { first: Day; last: Day; what: What }[] = []
  for (const state of days) {
    const what = getValue(state)
    if (what === null) continue
    const run = runs.at(-1)
    const isContinued = run && addDays(run.last, 1) === state.day && JSON.stringify(run.what) === JSON.stringify(what)
    if (isContinued) run.last = state.day
    else runs.push({ first: state.day, last: state.day, what })
  }
  return runs
}

export function formatHours({ open, slots }: Hours) {
  return open ? `営業 ${formatSpans(spansOf(slots))}`.trim() : '定休日'
}
