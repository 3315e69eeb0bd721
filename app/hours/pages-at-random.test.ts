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
  referenceMachineHours,
  referenceNow,
  referenceTable,
  referenceWeekdays,
  type Stretch,
  type World,
} from './testing-reference.ts'
import { randomFrom, randomSpecial, randomWeek } from './testing-worlds.ts'

// The public holidays that the Cabinet Office has announced, with specific names instead of 休日.
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

test('shows the hours of the reference on every page at a random instant of a random week', async () => {
  const db = await openDatabase({ file: ':memory:' })
  const { as, clock } = await sampleSite(db)
  const text = async (path: string) => (await as('guest', path)).text()
  for (let seed = 1; seed <= often(12, 200); seed += 1) {
    const random = randomFrom(seed)
    const now = Date.parse('2026-01-01T00:00:00Z') + random(365 * 24 * 60) * 60_000
    const today = dayInJapan(now)
    const coming = Array.from({ length: DAYS_AHEAD + 32 }, (_, index) => addDays(today, index - 31))
    const specials = new Map(
      coming
        .filter(() => random(8) === 0)
        .map((day) => [day, { ...randomSpecial(random), unreadable: random(9) === 0 }]),
    )
    const world: World = {
      week: randomWeek(random),
      closedDaysFirst: random(2) === 0,
      specials: new Map(
        [...specials].map(([day, { unreadable, hours, ...said }]) => [
          day,
          { ...said, hours: unreadable ? null : hours },
        ]),
      ),
      holidays,
    }
    const saved = { version: 1, createdAt: '', updatedAt: '' }
    await inTransaction(db, async (trx) => {
      await trx.deleteFrom('businessWeek').execute()
      await trx.deleteFrom('specialDays').execute()
      const week = {
        id: 'week' as const,
        schedule: JSON.stringify({ ...world.week, closedDaysFirst: world.closedDaysFirst }),
        ...saved,
      }
      if (world.week) await trx.insertInto('businessWeek').values(week).execute()
      const rows = [...specials].map(([day, { hours, unreadable, ...said }]) => ({
        day,
        ...said,
        hours: unreadable ? 'nonsense' : JSON.stringify(hours),
        ...saved,
      }))
      if (rows.length > 0) await trx.insertInto('specialDays').values(rows).execute()
    })
    clock.now = now

    // Structured data cannot express a day that is open without hours.
    const timed = coming.slice(31).filter((day) => referenceMachineHours(world, day) !== 'unsaid')
    const information = await text('/infomation')
    const found = {
      card: cardIn(information),
      table: tableIn(information),
      told: listIn(information, coming.slice(31)),
      machine: machineIn(information, timed),
      weekdays: weekdaysIn(information),
      calendar: cellsIn(await text('/calendar')).filter(([day]) => coming.includes(day)),
      feed: feedIn(await text('/calendar.ics'), coming),
    }
    const inMonth = coming.filter((day) => monthOf(day) === monthOf(today))
    const expected: typeof found = {
      card: cardOf(world, today, referenceNow(world, now), found.card),
      table: tableInWords(referenceTable(world.week)),
      told: coming.slice(31).flatMap((day) => toldOf(world, day)),
      machine: timed.map((day) => [day, referenceMachineHours(world, day)]),
      weekdays: referenceWeekdays(world.week),
      calendar: inMonth.map((day) => [day, inWords(referenceDay(world, day))]),
      feed: coming.flatMap((day) => feedOf(referenceDay(world, day)).map((said) => [day, ...said] as const)),
    }
    expect({ seed, ...found }).toEqual({ seed, ...expected })
  }
  await db.destroy()
}, 120_000)

function inWords({ state, label, cause, stretches }: ReferenceDay) {
  if (state === 'unknown') return ''
  const why = cause ? `${label}（${cause}）` : label
  const hours = hoursInWords(stretches)
  return state === 'closed' ? why : [why || '営業', cause && hours ? `営業は${hours}` : hours].filter(Boolean).join(' ')
}

function feedOf(state: ReferenceDay) {
  const said = inWords(state)
  return said ? [[said, [state.holiday, state.note].filter(Boolean).join('\\n')] as const] : []
}

function hoursInWords(stretches: Stretch[]) {
  return stretches.map(stretchInWords).join('、')
}

function stretchInWords([start, end]: Stretch) {
  return `${time(start)}〜${time(end)}`
}

function time(minutes: number): string {
  if (minutes > 1440) return `翌${time(minutes - 1440)}`
  return `${Math.floor(minutes / 60)}:${minutes % 60 < 10 ? '0' : ''}${minutes % 60}`
}

// The reference looks only two days ahead, so a later opening is taken from the page.
function cardOf(world: World, today: Day, now: ReferenceNow, found: string[]): string[] {
  const dayAndHours = (day: Day) => {
    const state = referenceDay(world, day)
    const said = hoursInWords(state.stretches) || (state.label ? inWords(state) : '営業時間は店頭でご確認ください')
    return [`${formatDay(day)} ${said}`, ...wordsOf(day)]
  }
  const wordsOf = (day: Day) => {
    const { label, cause, note, stretches } = referenceDay(world, day)
    return [stretches.length > 0 && cause ? `${label}（${cause}）` : '', note].filter(Boolean)
  }
  if (now.state === 'unknown') return []
  if (now.state === 'open day') return ['本日は営業日です', ...dayAndHours(today)]
  if (now.state === 'open') {
    const soon = `まもなく閉店します（${time(now.until)}まで）`
    return [now.closingSoon ? soon : 'ただいま営業しております', ...dayAndHours(now.began)]
  }
  if (now.opens?.day === today) return [`本日${time(now.opens.at ?? 0)}より営業いたします`, ...dayAndHours(today)]
  const { state, label, cause } = referenceDay(world, today)
  const why = cause && `（${cause}）`
  const closed =
    label.endsWith('休業') || label === '定休日'
      ? `本日は${label}です${why}`
      : `本日は休業いたします（${cause ? `${label}、${cause}` : label}）`
  const headline = state === 'closed' ? closed : '本日の営業は終了しました'
  if (!now.opens) return [headline, found[1] ?? '', ...wordsOf(today)]
  const at = now.opens.at === null ? '' : ` ${time(now.opens.at)}から`
  return [headline, `次の営業は${formatDay(now.opens.day)}${at}です`, ...wordsOf(today)]
}

function tableInWords(rows: ReturnType<typeof referenceTable>) {
  // A slot without hours on any day has no column.
  const columns = (['first', 'second'] as const).filter((slot) => rows.some((row) => row[slot]))
  return rows.map((row) => {
    if (row.closed) return [row.name, '定休日']
    if (row.joined) return [row.name, stretchInWords(row.joined)]
    if (!row.first && !row.second) return [row.name, '営業']
    return [row.name, ...columns.map((slot) => (row[slot] ? stretchInWords(row[slot]) : '―'))]
  })
}

// Returns one line per day, although the page merges consecutive days.
function toldOf(world: World, day: Day): [Day, string, string][] {
  const state = referenceDay(world, day)
  const special = world.specials.get(day)
  const isSpecial = special && (special.hours || special.reason.includes('休業'))
  if (state.state === 'unknown') return []
  if (isSpecial) return [[day, inWords(state), state.note]]
  if (state.holiday) return [[day, `${state.holiday} ${inWords(state)}`, '']]
  const eve = world.week?.祝前日
  const says = eve && (eve.open_or_close === 'close' || Object.values(eve).some((value) => /[1-9]/.test(value)))
  const weekday = new Date(day).toLocaleDateString('ja', { weekday: 'long', timeZone: 'UTC' })
  const staysClosed = world.closedDaysFirst && world.week?.[weekday]?.open_or_close === 'close'
  return holidays.has(addDays(day, 1)) && says && !staysClosed ? [[day, `祝前日 ${inWords(state)}`, '']] : []
}

const plain = (html: string) =>
  html
    .replaceAll(/<!--.*?-->|<[^>]*>/gs, '')
    .replaceAll('&amp;', '&')
    .trim()

function cardIn(html: string) {
  const [, card = ''] = /<p class="[^"]*headline[^"]*" data-mincho="[^"]*">(.*?<\/p><p>.*?)<\/div>/s.exec(html) ?? []
  return card ? card.split('</p>').map(plain).filter(Boolean) : []
}

function tableIn(html: string) {
  const [, rows = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
  return rows
    .split('</tr>')
    .slice(0, -1)
    .map((row) =>
      row
        .split(/<\/t[hd]>/)
        .map(plain)
        .filter(Boolean),
    )
}

function listIn(html: string, days: Day[]): [Day, string, string][] {
  const [, list = ''] = /<h2>営業時間<\/h2>.*?<ul[^>]*>(.*?)<\/ul>/s.exec(html) ?? []
  const dayNamed = new Map(days.map((day) => [formatDay(day), day]))
  const items = list.split('</li>').slice(0, -1)
  return items.flatMap((item) => {
    const [line = '', note = ''] = item.split('<small>').map(plain)
    const [, first = '', last = first, said = ''] = /^(\S+?）)(?:から(\S+?）)まで)? (.*)$/s.exec(line) ?? []
    return days
      .filter((day) => day >= (dayNamed.get(first) ?? '9') && day <= (dayNamed.get(last) ?? ''))
      .map((day): [Day, string, string] => [day, said, note])
  })
}

type Said = { opens: string; closes: string; dayOfWeek: string; validFrom: Day; validThrough: Day }

function machineIn(html: string, days: Day[]): [Day, ReturnType<typeof referenceMachineHours>][] {
  const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
  const restaurant = JSON.parse(json)
  const weekly: Said[] = restaurant.openingHoursSpecification ?? []
  const special: Said[] = restaurant.specialOpeningHoursSpecification ?? []
  return days.map((day) => {
    const weekday = new Date(day).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' })
    const own = special.filter(({ validFrom, validThrough }) => validFrom <= day && day <= validThrough)
    const said = own.length > 0 ? own : weekly.filter(({ dayOfWeek }) => dayOfWeek === weekday)
    if (said.some(({ opens, closes }) => opens === '00:00' && closes === '00:00')) return [day, 'closed']
    return [day, said.map(({ opens, closes }) => ({ opens, closes }))]
  })
}

function weekdaysIn(html: string) {
  const [, sentence = ''] = /<meta name="description" content="[^。]*。([^"]*)"/.exec(html) ?? []
  const [open = '', rest = ''] = sentence.split('営業しております。')
  const names = [...'月火水木金土日'].map((name) => `${name}曜日`)
  if (sentence.startsWith('毎週決まった')) return { open: [] as string[], closed: names }
  const [, first, last] = /(.曜日)から(.曜日)まで/.exec(open) ?? []
  const around = [...names, ...names]
  const from = names.indexOf(first ?? '')
  const run = first ? around.slice(from, around.indexOf(last ?? '', from) + 1) : []
  const isOpen = (name: string) => open.startsWith('毎日') || open.includes(name) || run.includes(name)
  return { open: names.filter(isOpen), closed: names.filter((name) => rest.includes(name)) }
}

function cellsIn(html: string): [Day, string][] {
  const cells = html.matchAll(/data-day="([\d-]+)".*?<span class="visually-hidden">(.*?)<\/span>/gs)
  const others = [...holidays.values(), '今日'].join('|')
  return [...cells].map(([, day = '', said = '']) => [
    day,
    plain(said)
      .replace(/^\S+/, '')
      .replace(/ 予定 .*$/, '')
      .replaceAll(new RegExp(` (?:${others})(?= |$)`, 'g'), '')
      .trim(),
  ])
}

function feedIn(text: string, days: Day[]) {
  const entries = text.replaceAll('\r\n ', '').split('BEGIN:VEVENT')
  return entries
    .map((entry) => {
      const said = (pattern: RegExp) => pattern.exec(entry)?.[1]?.trim() ?? ''
      return [said(/UID:shop-([\d-]+)@/), said(/SUMMARY:(.*)/), said(/DESCRIPTION:(.*)/)] as const
    })
    .filter(([day]) => days.includes(day))
}
