// A second implementation of the opening hours, for tests. It follows the specification and shares no code with the
// tested implementation.

export type Hours = {
  starttime1_hour: string
  starttime1_minute: string
  endtime1_hour: string
  endtime1_minute: string
  starttime2_hour: string
  starttime2_minute: string
  endtime2_hour: string
  endtime2_minute: string
}
export type Row = Hours & { open_or_close: 'open' | 'close' }
/** A stored week, special days and holidays: the input of the reference implementation. */
export type Scenario = {
  /** The rows 日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 祝日 祝前日; null if no week is saved. */
  week: Record<string, Row> | null
  /** Whether a closed weekday stays closed on holidays and their eves. */
  closedDaysFirst: boolean
  /** Special days by date (YYYY-MM-DD). `hours` is null if the stored hours are unreadable. */
  specials: ReadonlyMap<string, { reason: string; cause: string; note: string; hours: Hours | null }>
  /** Holiday names by date. The day before a holiday is an eve. */
  holidays: ReadonlyMap<string, string>
}

export type TimeSpan = [start: number, end: number]
export type ReferenceDay = {
  state: 'open' | 'closed' | 'unknown'
  label: string
  cause: string
  note: string
  holiday: string | null
  timeSpans: TimeSpan[]
}
export type ReferenceNow =
  | { state: 'open'; until: number; closingSoon: boolean; began: string }
  | { state: 'open day' }
  | { state: 'closed'; opens: { day: string; at: number | null } | null }
  | { state: 'unknown' }
export type ReferenceTableRow = {
  name: string
  closed: boolean
  first: TimeSpan | null
  second: TimeSpan | null
  joined: TimeSpan | null
}
export type ReferenceStructuredHours = 'closed' | 'unsaid' | { opens: string; closes: string }[]

const MINUTES_PER_DAY = 1440
const WEEKDAYS_FROM_SUNDAY = ['日曜日', '月曜日', '火曜日', '水曜日', '木曜日', '金曜日', '土曜日']
const WEEKDAYS_FROM_MONDAY = ['月曜日', '火曜日', '水曜日', '木曜日', '金曜日', '土曜日', '日曜日']
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function monthLength(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 && isLeap ? 29 : (MONTH_LENGTHS[month - 1] ?? 0)
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`
}

function dayText(year: number, month: number, date: number): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`
}

function nextDay(day: string): string {
  const year = Number(day.slice(0, 4))
  const month = Number(day.slice(5, 7))
  const date = Number(day.slice(8, 10))
  if (date < monthLength(year, month)) return dayText(year, month, date + 1)
  if (month < 12) return dayText(year, month + 1, 1)
  return dayText(year + 1, 1, 1)
}

function weekdayName(day: string): string {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))]
  const previousYear = year - 1
  // 1 January of the year 1 was a Monday.
  let days =
    previousYear * 365 + Math.floor(previousYear / 4) - Math.floor(previousYear / 100) + Math.floor(previousYear / 400)
  for (let m = 1; m < month; m++) days += monthLength(year, m)
  return WEEKDAYS_FROM_SUNDAY[(days + date) % 7] ?? ''
}

/** Returns the day that is `count` days after 1 January 1970. A negative `count` returns an earlier day. */
function dayFromCount(count: number): string {
  // A cycle of 400 years has 146097 days. The other days are split into centuries, four-year cycles, years and months.
  const era = Math.floor((count + 719162) / 146097)
  let rest = count + 719162 - era * 146097
  let year = era * 400 + 1
  const centuries = Math.min(3, Math.floor(rest / 36524))
  year += centuries * 100
  rest -= centuries * 36524
  const fourYearCycles = Math.floor(rest / 1461)
  year += fourYearCycles * 4
  rest -= fourYearCycles * 1461
  const years = Math.min(3, Math.floor(rest / 365))
  year += years
  rest -= years * 365
  let month = 1
  while (rest >= monthLength(year, month)) {
    rest -= monthLength(year, month)
    month++
  }
  return dayText(year, month, rest + 1)
}

function readSlot(hours: Hours, slotNumber: 1 | 2): TimeSpan | null {
  const isFirst = slotNumber === 1
  const startHour = Number(isFirst ? hours.starttime1_hour : hours.starttime2_hour)
  const startMinute = Number(isFirst ? hours.starttime1_minute : hours.starttime2_minute)
  const endHour = Number(isFirst ? hours.endtime1_hour : hours.endtime2_hour)
  const endMinute = Number(isFirst ? hours.endtime1_minute : hours.endtime2_minute)
  const start = startHour * 60 + startMinute
  const end = endHour * 60 + endMinute
  if (start === end) return null
  return end < start ? [start, end + MINUTES_PER_DAY] : [start, end]
}

// A slot ends within two days. The last element stays 0, so that every span has an end.
const dayMinutes = new Uint8Array(2 * MINUTES_PER_DAY + 1)

function timeSpansOf(hours: Hours): TimeSpan[] {
  const slots = [readSlot(hours, 1), readSlot(hours, 2)]
  dayMinutes.fill(0)
  for (const s of slots) if (s !== null) dayMinutes.fill(1, s[0], s[1])
  const timeSpans: TimeSpan[] = []
  let start = dayMinutes.indexOf(1)
  while (start !== -1) {
    const end = dayMinutes.indexOf(0, start)
    timeSpans.push([start, end])
    start = dayMinutes.indexOf(1, end)
  }
  return timeSpans
}

function isTouched(row: Row | undefined): row is Row {
  if (row === undefined) return false
  if (row.open_or_close === 'close') return true
  const times = [row.starttime1_hour, row.starttime1_minute, row.endtime1_hour, row.endtime1_minute]
  times.push(row.starttime2_hour, row.starttime2_minute, row.endtime2_hour, row.endtime2_minute)
  return times.some((time) => Number(time) !== 0)
}

function rowOfDay(scenario: Scenario, week: Record<string, Row>, day: string): Row | undefined {
  const isHoliday = scenario.holidays.has(day)
  const isEve = !isHoliday && scenario.holidays.has(nextDay(day))
  const usual = week[weekdayName(day)]
  if (scenario.closedDaysFirst && usual?.open_or_close === 'close') return usual
  if (isHoliday && isTouched(week.祝日)) return week.祝日
  if (isEve && isTouched(week.祝前日)) return week.祝前日
  return usual
}

export function referenceDay(scenario: Scenario, day: string): ReferenceDay {
  const holiday = scenario.holidays.get(day) ?? null
  const special = scenario.specials.get(day)
  if (special && (special.hours !== null || special.reason.includes('休業'))) {
    const { reason: label, cause, note, hours } = special
    if (label.includes('休業')) return { state: 'closed', label, cause, note, holiday, timeSpans: [] }
    return { state: 'open', label, cause, note, holiday, timeSpans: hours ? timeSpansOf(hours) : [] }
  }
  const usual = { cause: '', note: '', holiday }
  const row = scenario.week === null ? undefined : rowOfDay(scenario, scenario.week, day)
  if (row === undefined) return { state: 'unknown', label: '', ...usual, timeSpans: [] }
  if (row.open_or_close === 'close') return { state: 'closed', label: '定休日', ...usual, timeSpans: [] }
  return { state: 'open', label: '', ...usual, timeSpans: timeSpansOf(row) }
}

// Index 0 is the start of yesterday. Slots of the day after tomorrow may end a day later.
const nowMinutes = new Uint8Array(5 * MINUTES_PER_DAY + 1)

export function referenceNow(scenario: Scenario, instantMs: number): ReferenceNow {
  const minutesInJapan = Math.floor(instantMs / 60000) + 9 * 60
  const count = Math.floor(minutesInJapan / MINUTES_PER_DAY)
  const now = minutesInJapan - count * MINUTES_PER_DAY

  const yesterday = dayFromCount(count - 1)
  const today = nextDay(yesterday)
  const tomorrow = nextDay(today)
  const states = [yesterday, today, tomorrow, nextDay(tomorrow)].map((day) => ({ day, ...referenceDay(scenario, day) }))

  nowMinutes.fill(0)
  let began = ''
  for (const [i, { day, timeSpans }] of states.entries()) {
    for (const [start, end] of timeSpans) {
      nowMinutes.fill(1, i * MINUTES_PER_DAY + start, i * MINUTES_PER_DAY + end)
      if (i * MINUTES_PER_DAY + start <= MINUTES_PER_DAY + now && MINUTES_PER_DAY + now < i * MINUTES_PER_DAY + end)
        began = day
    }
  }

  if (nowMinutes[MINUTES_PER_DAY + now] === 1) {
    const until = nowMinutes.indexOf(0, MINUTES_PER_DAY + now) - MINUTES_PER_DAY
    return { state: 'open', until, closingSoon: until - now <= 30, began }
  }

  const { state, timeSpans } = referenceDay(scenario, today)
  if (state === 'unknown') return { state: 'unknown' }
  if (state === 'open' && timeSpans.length === 0) return { state: 'open day' }
  for (const [start] of timeSpans) {
    if (start > now) return { state: 'closed', opens: { day: today, at: start } }
  }
  for (const { day, state, timeSpans } of states.slice(2)) {
    if (state !== 'open') continue
    const [opening] = timeSpans
    return { state: 'closed', opens: { day, at: opening ? opening[0] : null } }
  }
  return { state: 'closed', opens: null }
}

function tableRow(name: string, row: Row | undefined): ReferenceTableRow {
  if (row === undefined) return { name, closed: false, first: null, second: null, joined: null }
  if (row.open_or_close === 'close') return { name, closed: true, first: null, second: null, joined: null }
  const first = readSlot(row, 1)
  const second = readSlot(row, 2)
  const timeSpans = timeSpansOf(row)
  if (first !== null && second !== null && timeSpans.length === 1) {
    return { name, closed: false, first: null, second: null, joined: timeSpans[0] ?? null }
  }
  return { name, closed: false, first, second, joined: null }
}

function hasSameContent(a: ReferenceTableRow, b: ReferenceTableRow): boolean {
  return JSON.stringify({ ...a, name: '' }) === JSON.stringify({ ...b, name: '' })
}

export function referenceTable(week: Scenario['week']): ReferenceTableRow[] {
  if (week === null) return []
  const weekdays = WEEKDAYS_FROM_MONDAY.map((name) => tableRow(name, week[name]))
  const table = [...weekdays]
  for (const name of ['祝日', '祝前日']) {
    const extra = tableRow(name, week[name])
    if (isTouched(week[name]) && weekdays.some((weekday) => !hasSameContent(weekday, extra))) table.push(extra)
  }
  return table
}

function formatTime(minutes: number): string {
  const minutesOfDay = minutes % MINUTES_PER_DAY
  return `${twoDigits(Math.floor(minutesOfDay / 60))}:${twoDigits(minutesOfDay % 60)}`
}

export function referenceStructuredHours(scenario: Scenario, day: string): ReferenceStructuredHours {
  const { state, timeSpans } = referenceDay(scenario, day)
  if (state === 'closed') return 'closed'
  if (state === 'unknown' || timeSpans.length === 0) return 'unsaid'
  return timeSpans.map(([start, end]) => {
    if (end - start >= MINUTES_PER_DAY) return { opens: '00:00', closes: '23:59' }
    return { opens: formatTime(start), closes: formatTime(end) }
  })
}

export function referenceWeekdays(week: Scenario['week']): { open: string[]; closed: string[] } {
  if (week === null) return { open: [], closed: [] }
  return {
    open: WEEKDAYS_FROM_MONDAY.filter((name) => week[name]?.open_or_close === 'open'),
    closed: WEEKDAYS_FROM_MONDAY.filter((name) => week[name]?.open_or_close === 'close'),
  }
}
