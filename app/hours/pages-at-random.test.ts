import { expect, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import { inTransaction } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import { sampleSite } from '../../server/testing.ts'
import { dayInJapan } from '../dates/japan.ts'
import { addDays, type Day, formatDay, monthOf } from '../dates/month.ts'
import {
  type ReferenceDay,
  type ReferenceNow,
  referenceDay,
  referenceNow,
  referenceStructuredHours,
  referenceTable,
  referenceWeekdays,
  type Scenario,
  type TimeSpan,
} from './testing-reference.ts'
import { createRandom, randomSpecial, randomWeek } from './testing-scenarios.ts'

// The public holidays that the Cabinet Office has announced. The generic name 休日 is replaced with specific names.
const holidays = new Map([
  ['2026-01-01', '元日'],
  ['2026-01-12', '成人の日'],
  ['2026-02-11', '建国記念の日'],
  ['2026-02-23', '天皇誕生日'],
  ['2026-03-20', '春分の日'],
  ['2026-04-29', '昭和の日'],
  ['2026-05-03', '憲法記念日'],
  ['2026-05-04', 'みどりの日'],
  ['2026-05-05', 'こどもの日'],
  ['2026-05-06', '振替休日'],
  ['2026-07-20', '海の日'],
  ['2026-08-11', '山の日'],
  ['2026-09-21', '敬老の日'],
  ['2026-09-22', '国民の休日'],
  ['2026-09-23', '秋分の日'],
  ['2026-10-12', 'スポーツの日'],
  ['2026-11-03', '文化の日'],
  ['2026-11-23', '勤労感謝の日'],
  ['2027-01-01', '元日'],
  ['2027-01-11', '成人の日'],
  ['2027-02-11', '建国記念の日'],
  ['2027-02-23', '天皇誕生日'],
  ['2027-03-21', '春分の日'],
  ['2027-03-22', '振替休日'],
])

const DAYS_AHEAD = 60

test('shows the same hours as the reference implementation on every page for random weeks and times', async () => {
  const db = await openDatabase({ file: ':memory:' })
  const { as, clock } = await sampleSite(db)
  const readText = async (path: string) => (await as('guest', path)).text()
  for (let seed = 1; seed <= often(12, 200); seed += 1) {
    const random = createRandom(seed)
    const now = Date.parse('2026-01-01T00:00:00Z') + random(365 * 24 * 60) * 60_000
    const today = dayInJapan(now)
    const days = Array.from({ length: DAYS_AHEAD + 32 }, (_, index) => addDays(today, index - 31))
    const specials = new Map(
      days.filter(() => random(8) === 0).map((day) => [day, { ...randomSpecial(random), unreadable: random(9) === 0 }]),
    )
    const scenario: Scenario = {
      week: randomWeek(random),
      closedDaysFirst: random(2) === 0,
      specials: new Map(
        [...specials].map(([day, { unreadable, hours, ...texts }]) => [
          day,
          { ...texts, hours: unreadable ? null : hours },
        ]),
      ),
      holidays,
    }
    const rowDefaults = { version: 1, createdAt: '', updatedAt: '' }
    await inTransaction(db, async (trx) => {
      await trx.deleteFrom('businessWeek').execute()
      await trx.deleteFrom('specialDays').execute()
      const week = {
        id: 'week' as const,
        schedule: JSON.stringify({ ...scenario.week, closedDaysFirst: scenario.closedDaysFirst }),
        ...rowDefaults,
      }
      if (scenario.week) await trx.insertInto('businessWeek').values(week).execute()
      const rows = [...specials].map(([day, { hours, unreadable, ...texts }]) => ({
        day,
        ...texts,
        hours: unreadable ? 'nonsense' : JSON.stringify(hours),
        ...rowDefaults,
      }))
      if (rows.length > 0) await trx.insertInto('specialDays').values(rows).execute()
    })
    clock.now = now

    // Structured data cannot express a day that is open without hours, so the test expects no entry for such a day.
    const daysWithHours = days.slice(31).filter((day) => referenceStructuredHours(scenario, day) !== 'unsaid')
    const information = await readText('/infomation')
    const actual = {
      card: parseCard(information),
      table: parseTable(information),
      list: parseList(information, days.slice(31)),
      structured: parseStructuredHours(information, daysWithHours),
      weekdays: parseWeekdays(information),
      calendar: parseCells(await readText('/calendar')).filter(([day]) => days.includes(day)),
      feed: parseFeed(await readText('/calendar.ics'), days),
    }
    const inMonth = days.filter((day) => monthOf(day) === monthOf(today))
    const expected: typeof actual = {
      card: expectedCard(scenario, today, referenceNow(scenario, now), actual.card),
      table: formatTable(referenceTable(scenario.week)),
      list: days.slice(31).flatMap((day) => expectedListItems(scenario, day)),
      structured: daysWithHours.map((day) => [day, referenceStructuredHours(scenario, day)]),
      weekdays: referenceWeekdays(scenario.week),
      calendar: inMonth.map((day) => [day, formatState(referenceDay(scenario, day))]),
      feed: days.flatMap((day) =>
        expectedFeedEntries(referenceDay(scenario, day)).map((entry) => [day, ...entry] as const),
      ),
    }
    expect({ seed, ...actual }).toEqual({ seed, ...expected })
  }
  await db.destroy()
})

function formatState({ state, label, cause, timeSpans }: ReferenceDay) {
  if (state === 'unknown') return ''
  const reason = cause ? `${label}（${cause}）` : label
  const hours = formatTimeSpans(timeSpans)
  return state === 'closed'
    ? reason
    : [reason || '営業', cause && hours ? `営業は${hours}` : hours].filter(Boolean).join(' ')
}

function expectedFeedEntries(state: ReferenceDay) {
  const summary = formatState(state)
  return summary ? [[summary, [state.holiday, state.note].filter(Boolean).join('\\n')] as const] : []
}

function formatTimeSpans(timeSpans: TimeSpan[]) {
  return timeSpans.map(formatTimeSpan).join('、')
}

function formatTimeSpan([start, end]: TimeSpan) {
  return `${time(start)}〜${time(end)}`
}

function time(minutes: number): string {
  if (minutes > 1440) return `翌${time(minutes - 1440)}`
  return `${Math.floor(minutes / 60)}:${minutes % 60 < 10 ? '0' : ''}${minutes % 60}`
}

// The reference implementation calculates only two days ahead, so a later opening is read from the page.
function expectedCard(scenario: Scenario, today: Day, now: ReferenceNow, actual: string[]): string[] {
  const formatDayAndHours = (day: Day) => {
    const state = referenceDay(scenario, day)
    const hours =
      formatTimeSpans(state.timeSpans) || (state.label ? formatState(state) : '営業時間は店頭でご確認ください')
    return [`${formatDay(day)} ${hours}`, ...textsOf(day)]
  }
  const textsOf = (day: Day) => {
    const { label, cause, note, timeSpans } = referenceDay(scenario, day)
    return [timeSpans.length > 0 && cause ? `${label}（${cause}）` : '', note].filter(Boolean)
  }
  if (now.state === 'unknown') return []
  if (now.state === 'open day') return ['本日は営業日です', ...formatDayAndHours(today)]
  if (now.state === 'open') {
    const closingSoon = `まもなく閉店します（${time(now.until)}まで）`
    return [now.closingSoon ? closingSoon : 'ただいま営業しております', ...formatDayAndHours(now.began)]
  }
  if (now.opens?.day === today) return [`本日${time(now.opens.at ?? 0)}より営業いたします`, ...formatDayAndHours(today)]
  const { state, label, cause } = referenceDay(scenario, today)
  const reason = cause && `（${cause}）`
  const closed =
    label.endsWith('休業') || label === '定休日'
      ? `本日は${label}です${reason}`
      : `本日は休業いたします（${cause ? `${label}、${cause}` : label}）`
  const headline = state === 'closed' ? closed : '本日の営業は終了しました'
  if (!now.opens) return [headline, actual[1] ?? '', ...textsOf(today)]
  const at = now.opens.at === null ? '' : ` ${time(now.opens.at)}から`
  return [headline, `次の営業は${formatDay(now.opens.day)}${at}です`, ...textsOf(today)]
}

function formatTable(rows: ReturnType<typeof referenceTable>) {
  // A slot that has no hours on any day has no column.
  const columns = (['first', 'second'] as const).filter((slot) => rows.some((row) => row[slot]))
  return rows.map((row) => {
    if (row.closed) return [row.name, '定休日']
    if (row.joined) return [row.name, formatTimeSpan(row.joined)]
    if (!row.first && !row.second) return [row.name, '営業']
    return [row.name, ...columns.map((slot) => (row[slot] ? formatTimeSpan(row[slot]) : '―'))]
  })
}

// Returns a line for each day, although the page merges consecutive days.
function expectedListItems(scenario: Scenario, day: Day): [Day, string, string][] {
  const state = referenceDay(scenario, day)
  const special = scenario.specials.get(day)
  const isSpecial = special && (special.hours || special.reason.includes('休業'))
  if (state.state === 'unknown') return []
  if (isSpecial) return [[day, formatState(state), state.note]]
  if (state.holiday) return [[day, `${state.holiday} ${formatState(state)}`, '']]
  const eve = scenario.week?.祝前日
  const isEveSet = eve && (eve.open_or_close === 'close' || Object.values(eve).some((value) => /[1-9]/.test(value)))
  const weekday = new Date(day).toLocaleDateString('ja', { weekday: 'long', timeZone: 'UTC' })
  const staysClosed = scenario.closedDaysFirst && scenario.week?.[weekday]?.open_or_close === 'close'
  return holidays.has(addDays(day, 1)) && isEveSet && !staysClosed ? [[day, `祝前日 ${formatState(state)}`, '']] : []
}

const stripTags = (html: string) =>
  html
    .replaceAll(/<!--.*?-->|<[^>]*>/gs, '')
    .replaceAll('&amp;', '&')
    .trim()

function parseCard(html: string) {
  const [, card = ''] = /<p class="[^"]*headline[^"]*" data-mincho="[^"]*">(.*?<\/p><p>.*?)<\/div>/s.exec(html) ?? []
  return card ? card.split('</p>').map(stripTags).filter(Boolean) : []
}

function parseTable(html: string) {
  const [, rows = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
  return rows
    .split('</tr>')
    .slice(0, -1)
    .map((row) =>
      row
        .split(/<\/t[hd]>/)
        .map(stripTags)
        .filter(Boolean),
    )
}

function parseList(html: string, days: Day[]): [Day, string, string][] {
  const [, list = ''] = /<h2>営業時間<\/h2>.*?<ul[^>]*>(.*?)<\/ul>/s.exec(html) ?? []
  const daysByName = new Map(days.map((day) => [formatDay(day), day]))
  const items = list.split('</li>').slice(0, -1)
  return items.flatMap((item) => {
    const [line = '', note = ''] = item.split('<small>').map(stripTags)
    const [, first = '', last = first, text = ''] = /^(\S+?）)(?:から(\S+?）)まで)? (.*)$/s.exec(line) ?? []
    return days
      .filter((day) => day >= (daysByName.get(first) ?? '9') && day <= (daysByName.get(last) ?? ''))
      .map((day): [Day, string, string] => [day, text, note])
  })
}

type HoursSpecification = { opens: string; closes: string; dayOfWeek: string; validFrom: Day; validThrough: Day }

function parseStructuredHours(html: string, days: Day[]): [Day, ReturnType<typeof referenceStructuredHours>][] {
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
  const restaurant = JSON.parse(json)
  const weekly: HoursSpecification[] = restaurant.openingHoursSpecification ?? []
  const special: HoursSpecification[] = restaurant.specialOpeningHoursSpecification ?? []
  return days.map((day) => {
    const weekday = new Date(day).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
    const own = special.filter(({ validFrom, validThrough }) => validFrom <= day && day <= validThrough)
    const specifications = own.length > 0 ? own : weekly.filter(({ dayOfWeek }) => dayOfWeek === weekday)
    if (specifications.some(({ opens, closes }) => opens === '00:00' && closes === '00:00')) return [day, 'closed']
    return [day, specifications.map(({ opens, closes }) => ({ opens, closes }))]
  })
}

function parseWeekdays(html: string) {
  const [, sentence = ''] = /<meta name="description" content="[^。]*。([^"]*)"/.exec(html) ?? []
  const [open = '', rest = ''] = sentence.split('営業しております。')
  const names = [...'月火水木金土日'].map((name) => `${name}曜日`)
  if (sentence.startsWith('毎週決まった')) return { open: [] as string[], closed: names }
  const [, first, last] = /(.曜日)から(.曜日)まで/.exec(open) ?? []
  const twoWeeks = [...names, ...names]
  const from = names.indexOf(first ?? '')
  const runDays = first ? twoWeeks.slice(from, twoWeeks.indexOf(last ?? '', from) + 1) : []
  const isOpen = (name: string) => open.startsWith('毎日') || open.includes(name) || runDays.includes(name)
  return { open: names.filter(isOpen), closed: names.filter((name) => rest.includes(name)) }
}

function parseCells(html: string): [Day, string][] {
  const cells = html.matchAll(/data-day="([\d-]+)".*?<span class="visually-hidden">(.*?)<\/span>/gs)
  const others = [...holidays.values(), '今日'].join('|')
  return [...cells].map(([, day = '', label = '']) => [
    day,
    stripTags(label)
      .replace(/^\S+/, '')
      .replace(/ 予定 .*$/, '')
      .replaceAll(new RegExp(` (?:${others})(?= |$)`, 'g'), '')
      .trim(),
  ])
}

function parseFeed(text: string, days: Day[]) {
  const entries = text.replaceAll('\r\n ', '').split('BEGIN:VEVENT')
  return entries
    .map((entry) => {
      const readProperty = (pattern: RegExp) => pattern.exec(entry)?.[1]?.trim() ?? ''
      return [
        readProperty(/UID:shop-([\d-]+)@/),
        readProperty(/SUMMARY:(.*)/),
        readProperty(/DESCRIPTION:(.*)/),
      ] as const
    })
    .filter(([day]) => days.includes(day))
}
