import ICAL from 'ical.js'
import { UNSAFE_decodeViaTurboStream as decode } from 'react-router'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { sampleSite } from '../../server/testing.ts'
import { addDays, type Day } from '../dates/month.ts'
import { Event } from './event.ts'
import type { ShownEvent } from './event-format.ts'
import { addSeries, deleteEvent, listEvents, moveEvent, saveEvent } from './events.server.ts'
import { listOccurrences, listRecurrences } from './series.ts'

const today = '2026-11-20'
const months = ['2026-11', '2026-12', '2027-01', '2027-02', '2027-03']
const [first, last] = ['2026-11-01', '2027-03-31']
const id = '00000000-0000-4000-8000-000000000001'

type Listed = { title: string; start: string; end: string }
const sorted = (events: Listed[]) => events.map(({ title, start, end }) => `${start} ${end} ${title}`).sort()

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    await site.db.deleteFrom('events').execute()
    const author = () => {
      site.clock.now += 1000
      return { accountId: null, at: new Date(site.clock.now).toISOString() }
    }
    const add = (seriesId: string, day: Day, values: object, recurrence = listRecurrences(day)[0] ?? '毎週') => {
      const event = Event.parse({ day, title: '土曜練習', ...values })
      return addSeries(
        site.db,
        seriesId,
        { event, recurrence, days: listOccurrences(recurrence, day, '2027-02-28') },
        author(),
      )
    }
    const listSeriesEvents = async (seriesId = id) =>
      (await listEvents(site.db, '2026-01-01', '2030-01-01', null)).filter((each) => each.seriesId === seriesId)
    const readFeed = async () => {
      const text = await (await site.app.request('http://localhost/calendar.ics')).text()
      const calendar = new ICAL.Component(ICAL.parse(text))
      const components = calendar
        .getAllSubcomponents('vevent')
        .filter((each) => !String(each.getFirstPropertyValue('uid')).startsWith('shop-'))
      return { text: text.replaceAll('\r\n ', ''), calendar, components }
    }
    return { ...site, author, add, listSeriesEvents, readFeed }
  }
  type Site = Awaited<ReturnType<typeof createSite>>

  /** Expands the feed as a calendar client does, with ical.js. */
  const expandFeed = ({ calendar, components }: Awaited<ReturnType<Site['readFeed']>>) => {
    const zone = calendar.getFirstSubcomponent('vtimezone')
    if (zone) ICAL.TimezoneService.register(zone)
    const listed: Listed[] = []
    const list = (title: string, start: ICAL.Time, end: ICAL.Time) => {
      const format = (time: ICAL.Time) =>
        time.isDate ? time.toString() : new Date(time.toJSDate().getTime() + 9 * 3_600_000).toISOString().slice(0, 16)
      listed.push({ title, start: format(start), end: format(end) })
    }
    for (const [, [main, ...exceptions] = []] of Map.groupBy(components, (each) => each.getFirstPropertyValue('uid'))) {
      const event = new ICAL.Event(main as ICAL.Component, { exceptions, strictExceptions: true })
      if (!event.isRecurring()) {
        list(event.summary, event.startDate, event.endDate)
        continue
      }
      const iterator = event.iterator()
      for (let next = iterator.next(); next; next = iterator.next()) {
        const { item, startDate, endDate } = event.getOccurrenceDetails(next)
        list(item.summary, startDate, endDate)
      }
    }
    return listed.filter(({ start }) => start >= first && start.slice(0, 10) <= last)
  }

  /** Reads the events of all months from the data of the calendar pages. */
  const readPages = async ({ app }: Site) => {
    const events = new Map<string, ShownEvent>()
    for (const month of months) {
      const { body } = await app.request(`http://localhost/calendar.data?month=${month}`)
      const { value } = await decode(body as ReadableStream<Uint8Array>, globalThis)
      const { data } = (value as Record<string, { data: { events: ShownEvent[] } }>)['calendar/calendar-page'] ?? {}
      for (const event of data?.events ?? []) events.set(event.id, event)
    }
    return [...events.values()]
      .filter(({ day }) => day >= first && day <= last)
      .map(({ title, day, startTime, endTime }): Listed => {
        if (!startTime) return { title, start: day, end: addDays(day, 1) }
        const start = `${day}T${startTime}`
        const endDay = endTime && endTime <= startTime ? addDays(day, 1) : day
        return { title, start, end: endTime ? `${endDay}T${endTime}` : start }
      })
  }

  onSqlite('writes a series with its rule, its exceptions and its changed occurrences', async () => {
    const { add, listSeriesEvents, readFeed, db, author } = await createSite()
    await add(id, '2026-11-28', { startTime: '09:00', endTime: '11:00' })
    const [, second, third, fourth] = await listSeriesEvents()
    await deleteEvent(db, { id: second?.id ?? '', version: 1 }, author())
    await moveEvent(db, { id: third?.id ?? '', version: 1 }, '2026-12-13', author())
    const renamed = { ...Event.parse(fourth), title: '納会', startTime: '17:00', endTime: '01:00' }
    await saveEvent(db, { id: fourth?.id ?? '', version: 1 }, renamed, author())
    const { text, components } = await readFeed()
    expect(text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1)
    expect(text.indexOf('BEGIN:VTIMEZONE')).toBeLessThan(text.indexOf('BEGIN:VEVENT'))
    const linesOf = (component: ICAL.Component | undefined) =>
      component
        ?.toString()
        .replaceAll('\r\n ', '')
        .split('\r\n')
        .filter((line) => /^(?:DTSTART|DTEND|RRULE|EXDATE|RECURRENCE-ID|SEQUENCE|SUMMARY|UID)/.test(line))
    const host = /^UID:series-.*@(.*)$/m.exec(text.replaceAll('\r', ''))?.[1]
    const same = [`UID:series-${id}@${host}`, 'SEQUENCE:3']
    expect(components.map(linesOf)).toEqual([
      [
        ...same,
        'DTSTART;TZID=Asia/Tokyo:20261128T090000',
        'DTEND;TZID=Asia/Tokyo:20261128T110000',
        'RRULE:FREQ=WEEKLY;UNTIL=20270227T000000Z',
        'EXDATE;TZID=Asia/Tokyo:20261205T090000',
        'SUMMARY:土曜練習',
      ],
      [
        ...same,
        'DTSTART;TZID=Asia/Tokyo:20261213T090000',
        'DTEND;TZID=Asia/Tokyo:20261213T110000',
        'RECURRENCE-ID;TZID=Asia/Tokyo:20261212T090000',
        'SUMMARY:土曜練習',
      ],
      [
        ...same,
        'DTSTART;TZID=Asia/Tokyo:20261219T170000',
        'DTEND;TZID=Asia/Tokyo:20261220T010000',
        'RECURRENCE-ID;TZID=Asia/Tokyo:20261219T090000',
        'SUMMARY:納会',
      ],
    ])
  })

  onSqlite('writes days without times for a series of whole days', async () => {
    const { add, listSeriesEvents, readFeed, db, author } = await createSite()
    await add(id, '2026-11-28', {}, '最終')
    const [, second] = await listSeriesEvents()
    await deleteEvent(db, { id: second?.id ?? '', version: 1 }, author())
    const { text } = await readFeed()
    expect(text).toContain('\r\nDTSTART;VALUE=DATE:20261128\r\n')
    expect(text).toContain('\r\nRRULE:FREQ=MONTHLY;BYDAY=-1SA;UNTIL=20270227\r\nEXDATE;VALUE=DATE:20261226\r\n')
  })

  onSqlite('raises the sequence with each change, also with an undo and a deletion', async () => {
    const { add, listSeriesEvents, readFeed, db, author, post } = await createSite()
    await add(id, '2026-11-28', { startTime: '09:00' })
    const sequenceOf = async () => Number((await readFeed()).components[0]?.getFirstPropertyValue('sequence'))
    expect(await sequenceOf()).toBe(0)
    const [event] = await listSeriesEvents()
    const deletion = await deleteEvent(db, { id: event?.id ?? '', version: 1 }, author())
    expect(await sequenceOf()).toBe(1)
    expect((await post('approved', '/undo', { save: deletion.ok?.save ?? '' })).status).toBe(200)
    expect(await sequenceOf()).toBe(2)
    await saveEvent(db, { id, version: 3 }, Event.parse({ ...event, title: '朝練習' }), author(), 'later')
    expect(await sequenceOf()).toBe(2 + (await listSeriesEvents()).length)
  })

  onSqlite('serves one occurrence as a single event at its own URL', async () => {
    const { add, listSeriesEvents, app } = await createSite()
    await add(id, '2026-11-28', {
      startTime: '09:00',
      attendance: 'yes',
      deadline: '2026-11-25',
      deadlineTime: '18:00',
    })
    const [, second] = await listSeriesEvents()
    const text = await (await app.request(`http://localhost/calendar/${second?.id}.ics`)).text()
    expect(text).toContain('\r\nDTSTART:20261205T000000Z\r\n')
    expect(text).toContain('\r\nDESCRIPTION:出欠の締切：3日前の18:00\r\n')
    expect(text).not.toMatch(/RRULE|RECURRENCE-ID|VTIMEZONE/)
    expect(text).toContain(`UID:${second?.id}@`)
  })

  test('contains the same days as the pages after random changes of many series', async () => {
    const site = await createSite()
    const { db, add, author, listSeriesEvents, readFeed } = site
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const times = [
      {},
      { startTime: '09:00' },
      { startTime: '18:00', endTime: '20:30' },
      { startTime: '22:00', endTime: '01:00' },
    ]
    for (let count = 0; count < often(engine === 'SQLite' ? 40 : 8, 200); count += 1) {
      const seriesId = `${String(count).padStart(8, '0')}${id.slice(8)}`
      const day = addDays(today, random(40))
      const possible = listRecurrences(day)
      await add(seriesId, day, { title: `会${count}`, ...times[random(4)] }, possible[random(possible.length)])
      for (let changes = random(5); changes > 0; changes -= 1) {
        const events = await listSeriesEvents(seriesId)
        const event = events[random(events.length)]
        if (!event) break
        const scope = random(2) === 0 ? 'one' : 'later'
        const seen = { id: event.id, version: event.version }
        const kind = random(3)
        if (kind === 0) await deleteEvent(db, seen, author(), scope)
        else if (kind === 1) await moveEvent(db, seen, addDays(event.day, random(15) - 4), author(), scope)
        else
          await saveEvent(
            db,
            seen,
            Event.parse({ ...event, title: `題${changes}`, ...times[random(4)] }),
            author(),
            scope,
          )
      }
    }
    site.live.publish('events')
    const shown = sorted(await readPages(site))
    expect(shown.length).toBeGreaterThan(engine === 'SQLite' ? 200 : 30)
    expect(sorted(expandFeed(await readFeed()))).toEqual(shown)
  })
})
