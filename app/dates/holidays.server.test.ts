import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import holidayTable from '@holiday-jp/holiday_jp'
import pino from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { stopAbortTimeouts } from '../../db/testing-timers.ts'
import { noon } from '../../server/testing.ts'
import { readDays } from '../hours/business-days.server.ts'
import { holidayName, holidaysOf } from './holiday.ts'
import { readHolidays, startHolidayRefresh } from './holidays.server.ts'
import { addDays, type Day } from './month.ts'

// Announcements that the Cabinet Office makes each February for the next year:
// https://www8.cao.go.jp/chosei/shukujitsu/gaiyou.html. 休 marks the additional holidays of article 3 (振替休日, 国民の休日).
const announced: Record<number, string> = {
  2015: '1/1 1/12 2/11 3/21 4/29 5/3 5/4 5/5 5/6休 7/20 9/21 9/22休 9/23 10/12 11/3 11/23 12/23',
  2016: '1/1 1/11 2/11 3/20 3/21休 4/29 5/3 5/4 5/5 7/18 8/11 9/19 9/22 10/10 11/3 11/23 12/23',
  2017: '1/1 1/2休 1/9 2/11 3/20 4/29 5/3 5/4 5/5 7/17 8/11 9/18 9/23 10/9 11/3 11/23 12/23',
  2018: '1/1 1/8 2/11 2/12休 3/21 4/29 4/30休 5/3 5/4 5/5 7/16 8/11 9/17 9/23 9/24休 10/8 11/3 11/23 12/23 12/24休',
  2019: '1/1 1/14 2/11 3/21 4/29 4/30休 5/1 5/2休 5/3 5/4 5/5 5/6休 7/15 8/11 8/12休 9/16 9/23 10/14 10/22 11/3 11/4休 11/23',
  2020: '1/1 1/13 2/11 2/23 2/24休 3/20 4/29 5/3 5/4 5/5 5/6休 7/23 7/24 8/10 9/21 9/22 11/3 11/23',
  2021: '1/1 1/11 2/11 2/23 3/20 4/29 5/3 5/4 5/5 7/22 7/23 8/8 8/9休 9/20 9/23 11/3 11/23',
  2022: '1/1 1/10 2/11 2/23 3/21 4/29 5/3 5/4 5/5 7/18 8/11 9/19 9/23 10/10 11/3 11/23',
  2023: '1/1 1/2休 1/9 2/11 2/23 3/21 4/29 5/3 5/4 5/5 7/17 8/11 9/18 9/23 10/9 11/3 11/23',
  2024: '1/1 1/8 2/11 2/12休 2/23 3/20 4/29 5/3 5/4 5/5 5/6休 7/15 8/11 8/12休 9/16 9/22 9/23休 10/14 11/3 11/4休 11/23',
  2025: '1/1 1/13 2/11 2/23 2/24休 3/20 4/29 5/3 5/4 5/5 5/6休 7/21 8/11 9/15 9/23 10/13 11/3 11/23 11/24休',
  2026: '1/1 1/12 2/11 2/23 3/20 4/29 5/3 5/4 5/5 5/6休 7/20 8/11 9/21 9/22休 9/23 10/12 11/3 11/23',
  2027: '1/1 1/11 2/11 2/23 3/21 3/22休 4/29 5/3 5/4 5/5 7/19 8/11 9/20 9/23 10/11 11/3 11/23',
}

describe('holidaysOf', () => {
  test.each(Object.keys(announced).map(Number))('matches the announcement of the Cabinet Office for %i', (year) => {
    const shown = [...holidaysOf(year)].sort().map(([day, name]) => {
      const [, month, date] = day.split('-').map(Number)
      return `${month}/${date}${/^(振替休日|国民の休日)$/.test(name) ? '休' : ''}`
    })
    expect(shown.join(' ')).toBe(announced[year])
  })

  test('matches the holiday_jp table from 1970 to 2050', () => {
    const table = Object.keys(holidayTable.holidays).filter((day) => day >= '1970' && day < '2051')
    const ours = range(1970, 2050).flatMap((year) => [...holidaysOf(year).keys()].sort())
    expect(ours).toEqual(table.sort())
  })

  test('returns no holiday before 20 July 1948', () => {
    const before = range(1924, 1947).flatMap((year) => [...holidaysOf(year)])
    expect([...before, ...[...holidaysOf(1948).keys()].filter((day) => day < '1948-07-20')]).toEqual([])
  })
})

describe('holidayName', () => {
  test.each([
    ['1948-09-23', '秋分の日'],
    ['1948-11-03', '文化の日'],
    ['1959-04-10', '皇太子明仁親王の結婚の儀'],
    ['1973-02-12', null],
    ['1973-04-30', '振替休日'],
    ['1986-05-04', null],
    ['1986-05-05', 'こどもの日'],
    ['1987-05-04', '振替休日'],
    ['1988-05-04', '国民の休日'],
    ['1989-02-24', '昭和天皇の大喪の礼'],
    ['1990-11-12', '即位礼正殿の儀'],
    ['1993-06-09', '皇太子徳仁親王の結婚の儀'],
    ['2006-05-04', '国民の休日'],
    ['2007-05-04', 'みどりの日'],
    ['2008-05-06', '振替休日'],
    ['2009-09-22', '国民の休日'],
    ['2019-05-01', '天皇の即位の日'],
    ['2019-10-22', '即位礼正殿の儀'],
    ['2020-07-20', null],
    ['2020-10-12', null],
    ['2021-08-11', null],
    ['2032-09-21', '国民の休日'],
    ['2099-09-23', '秋分の日'],
    ['2100-03-20', '春分の日'],
    ['2100-09-23', '秋分の日'],
    ['2101-01-01', '元日'],
  ])('maps %s to %s', (day, name) => {
    expect(holidayName(day)).toBe(name)
  })
})

describe('holiday refresh', () => {
  onEachEngine((fresh, engine) => {
    const onSqlite = test.runIf(engine === 'SQLite')

    const refreshFrom = async (listener: RequestListener, db?: Awaited<ReturnType<typeof fresh>>) => {
      const source = createServer(listener).listen(0, '127.0.0.1')
      onTestFinished(() => {
        source.closeAllConnections()
        source.close()
      })
      await new Promise((resolve) => source.once('listening', resolve))
      if (!vi.isMockFunction(AbortSignal.timeout)) stopAbortTimeouts()
      const logged: { msg: string; err?: { message: string } }[] = []
      const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) })
      const counter = { changes: 0 }
      const usedDb = db ?? (await fresh())
      const stop = startHolidayRefresh({
        db: usedDb,
        url: `http://127.0.0.1:${(source.address() as AddressInfo).port}/date.json`,
        clock: () => noon,
        log,
        onChange: () => {
          counter.changes += 1
        },
      })
      await stop()
      return { db: usedDb, logged, ...counter }
    }
    const respondWith = (content: unknown): RequestListener => {
      return (_, response) => response.end(JSON.stringify(content))
    }
    const lawful = { ...Object.fromEntries(holidaysOf(2026)), ...Object.fromEntries(holidaysOf(2027)) }
    const latinNames = Object.fromEntries(Object.keys(lawful).map((day) => [day, 'A holiday']))
    const storedDays = (db: Awaited<ReturnType<typeof fresh>>) => db.selectFrom('extraHolidays').selectAll().execute()

    onSqlite('stores and logs no holidays when the source matches the law', async () => {
      const { db, logged, changes } = await refreshFrom(respondWith({ '2025-01-01': '元日', ...lawful }))
      expect([await storedDays(db), logged, changes]).toEqual([[], [], 0])
    })

    test('stores new holidays of this year and next year until the source removes them', async () => {
      const { db, logged, changes } = await refreshFrom(
        respondWith({
          ...lawful,
          '2025-06-01': '去年の日',
          '2026-12-01': '式典の日',
          '2027-06-01': '新しい日',
          '2028-06-01': '先の日',
        }),
      )
      expect((await storedDays(db)).map(({ day, name }) => [day, name])).toEqual([
        ['2026-12-01', '式典の日'],
        ['2027-06-01', '新しい日'],
      ])
      expect([logged.map(({ msg }) => msg), changes]).toEqual([
        ['holidays accepted from the source', 'holidays accepted from the source'],
        2,
      ])
      const nameOf = await readHolidays(db, '2026-11-01', '2027-12-31')
      expect([nameOf('2026-12-01'), nameOf('2026-11-23'), nameOf('2026-12-02')]).toEqual([
        '式典の日',
        '勤労感謝の日',
        null,
      ])
      expect((await readDays(db, '2026-11-30', 2)).map(({ holiday }) => holiday)).toEqual([null, '式典の日'])

      expect(
        (await refreshFrom(respondWith({ ...lawful, '2026-12-01': '式典の日', '2027-06-01': '新しい日' }), db)).changes,
      ).toBe(0)
      expect((await refreshFrom(respondWith(Object.fromEntries(holidaysOf(2026))), db)).changes).toBe(1)
      expect((await storedDays(db)).map(({ day }) => day)).toEqual(['2027-06-01'])
    })

    const unknownDays = (count: number) =>
      Object.fromEntries(range(1, count).map((nth) => [addDays('2026-06-01' as Day, nth), '新しい日']))
    onSqlite.each<[string, RequestListener]>([
      ['is missing', (_, response) => response.writeHead(404).end('{}')],
      ['closes the connection', (request) => request.socket.destroy()],
      ['is HTML', (_, response) => response.end('<!doctype html><title>お知らせ</title>')],
      ['is an array', respondWith(['2026-01-01'])],
      ['is empty', respondWith({})],
      ['has only other years', respondWith(Object.fromEntries(holidaysOf(2024)))],
      ['is about another country', respondWith({ '2026-07-04': 'Independence Day', '2026-12-25': 'Christmas' })],
      ['has an invalid date', respondWith({ ...lawful, '2026-02-30': '無い日' })],
      ['has an instant as date', respondWith({ ...lawful, '2026-06-01T00:00:00Z': '新しい日' })],
      ['has a blank name', respondWith({ ...lawful, '2026-06-01': ' ' })],
      ['has a name of more than 20 characters', respondWith({ ...lawful, '2026-06-01': '日'.repeat(21) })],
      ['has HTML in a name', respondWith({ ...lawful, '2026-06-01': '<b>新しい日</b>' })],
      ['has an invisible character in a name', respondWith({ ...lawful, '2026-06-01': '新しい\u200b日' })],
      ['has an object as name', respondWith({ ...lawful, '2026-06-01': { name: '新しい日' } })],
      ['has four unknown days', respondWith({ ...lawful, ...unknownDays(4) })],
      ['lacks four known days', respondWith(Object.fromEntries(Object.entries(lawful).slice(4)))],
      [
        'is not UTF-8',
        (_, response) => response.end(Buffer.from(JSON.stringify({ ...latinNames, '2025-06-01': 'ÿ' }), 'latin1')),
      ],
      [
        'is larger than the limit',
        (_, response) => response.end(JSON.stringify({ ...lawful, '2026-06-01': '新しい日' }).padEnd(300_000)),
      ],
    ])('preserves the stored holidays when the source %s', async (_, listener) => {
      const { db } = await refreshFrom(respondWith({ ...lawful, '2026-12-01': '式典の日' }))
      const before = await storedDays(db)
      const { logged, changes } = await refreshFrom(listener, db)
      expect([logged.map(({ msg }) => msg), changes]).toEqual([['holiday refresh failed; using stored holidays'], 0])
      expect(logged[0]).toMatchObject({ cause: expect.stringMatching(/^[^\n]+$/) })
      expect(logged[0]).not.toHaveProperty('err')
      expect(await storedDays(db)).toEqual(before)
    })

    onSqlite('preserves and logs statutory holidays that are missing from the source', async () => {
      const { '2026-11-23': _, '2026-11-03': __, ...fewer } = lawful
      const { db, logged, changes } = await refreshFrom(respondWith(fewer))
      expect([logged, changes]).toMatchObject([
        [{ msg: 'holidays missing in the source', year: 2026, days: ['2026-11-03', '2026-11-23'] }],
        0,
      ])
      expect((await readHolidays(db, '2026-11-01', '2026-11-30'))('2026-11-23')).toBe('勤労感謝の日')
    })

    onSqlite('accepts the letters 々 and ー in the name of a new holiday', async () => {
      const content = { ...lawful, '2025-05-01': '休日（祝日扱い）', '2026-06-01': '々ーノ日' }
      const { db, logged } = await refreshFrom(respondWith(content))
      expect([(await storedDays(db)).map(({ name }) => name), logged.length]).toEqual([['々ーノ日'], 1])
    })

    onSqlite('accepts three holidays that the law does not contain', async () => {
      const { db } = await refreshFrom(respondWith({ ...lawful, ...unknownDays(3) }))
      expect(await storedDays(db)).toHaveLength(3)
    })

    onSqlite('fails when the response never ends', async () => {
      const timeout = new AbortController()
      const spy = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal)
      onTestFinished(() => spy.mockRestore())
      const { db, logged } = await refreshFrom((_, response) => {
        response.write('{"2026-01-01":', () => timeout.abort(new DOMException('timed out', 'TimeoutError')))
      })
      expect(spy).toHaveBeenCalledExactlyOnceWith(3000)
      expect([await storedDays(db), logged.map(({ msg }) => msg)]).toEqual([
        [],
        ['holiday refresh failed; using stored holidays'],
      ])
    })

    if (engine === 'SQLite') return

    test('stores a holiday once when two processes receive the holiday at the same moment', async () => {
      const db = await fresh()
      const day = { day: '2026-12-01', name: '式典の日', acceptedAt: '2026-11-20T03:00:00.000Z' }
      const { logged, changes } = await overtaken(
        db,
        (trx) => trx.insertInto('extraHolidays').values(day).execute(),
        () => refreshFrom(respondWith({ ...lawful, [day.day]: day.name }), db),
      )
      expect([await storedDays(db), logged.map(({ msg }) => msg), changes]).toEqual([
        [day],
        ['holidays accepted from the source'],
        1,
      ])
    })
  })
})

function range(first: number, last: number) {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
