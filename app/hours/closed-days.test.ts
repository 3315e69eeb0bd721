import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { formsIn, visitorOf } from '../../server/testing-forms.ts'
import { exportSite } from '../../server/tools/export.ts'
import { importExport } from '../../server/tools/import.ts'
import { readExport } from '../../server/tools/import-documents.ts'
import { noSlots } from './business-day.ts'
import { readWeek, saveSpecialDays } from './business-days.server.ts'
import { noHourFields, scheduleFieldsOf } from './hour-fields.ts'

type Fields = Record<string, string>

const closedSunday = {
  'day.日曜日': 'closed',
  'day.祝前日': '2',
  'group2.starttime1_hour': '17',
  'group2.endtime1_hour': '02',
}
const noSecondSlot = { 'group2.starttime2_hour': '00', 'group2.endtime2_hour': '00' }
const evening: Fields = {
  ...closedSunday,
  ...noSecondSlot,
  'group2.starttime1_minute': '00',
  'group2.starttime2_minute': '00',
}
const sundays = /^祝前日 17:00〜翌2:00：11月22日（日）、1月10日（日）、2月10日（水）、/

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const { post, db } = made
    const html = async (path: string) => (await made.as('guest', path)).text()
    const form = async (path = '/bussinessdays') => {
      const page = await (await made.as('approved', path)).text()
      return Object.fromEntries(formsIn(page).find(({ names }) => names.has('version'))?.fields ?? [])
    }
    /** Sends the week's form as it stands, with changes, and without the question about the text beside the hours. */
    const save = async (changes: Fields) =>
      post('approved', '/bussinessdays', { ...(await form()), intent: 'groups', beside: 'stays', ...changes })
    const saved = async (changes: Fields) => {
      const response = await save(changes)
      expect(response.status).toBe(302)
      return new URL(response.headers.get('location') ?? '', 'http://localhost').searchParams.get('undo') ?? ''
    }
    /** The days that the answer asks about. */
    const asked = async (response: Response) => {
      expect(response.status).toBe(409)
      const [, list = ''] = /時間で営業することになります。.*?<ul[^>]*>(.*?)<\/ul>/s.exec(await response.text()) ?? []
      return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, row = '']) =>
        row.replace('<br/>', '：').replace(/<[^>]*>/g, ''),
      )
    }
    const sunday = async () => ({
      calendar: /11月22日（日） ([^<]*)/.exec(await html('/calendar'))?.[1],
      machines: /"validFrom":"2026-11-22".*?}/.exec(await html('/infomation'))?.[0] ?? 'as every Sunday',
      feed: /UID:shop-20261122.*?END:VEVENT|UID:shop-2026-11-22.*?END:VEVENT/s.exec(await html('/calendar.ics'))?.[0],
    })
    const schedule = async () => (await readWeek(db)).schedule
    return { ...made, html, form, save, saved, asked, sunday, schedule }
  }

  test('asks which days holidays and eves would open on closed weekdays, and saves nothing before the answer', async () => {
    const { save, asked, schedule } = await site()
    const before = await schedule()
    const days = await asked(await save(evening))
    expect(days).toEqual([expect.stringMatching(sundays)])
    expect(days[0]).not.toMatch(/（[月木金土]）/)
    expect(await schedule()).toEqual(before)
  })

  test('opens the closed Sunday for guests and machines when the owner answers so', async () => {
    const { saved, sunday } = await site()
    await saved({ ...evening, closedDays: 'open' })
    expect(await sunday()).toEqual({
      calendar: expect.stringContaining('営業 17:00〜翌2:00'),
      machines: expect.stringContaining('"opens":"17:00","closes":"02:00"'),
      feed: expect.stringContaining('17:00〜翌2:00'),
    })
  })

  test.each([
    ['the answer', { closedDays: 'closed' }],
    ['the checkbox', { closedDaysFirst: 'yes' }],
  ])('keeps the Sunday closed for guests and machines after %s', async (_, choice) => {
    const { saved, sunday, html, form } = await site()
    await saved({ ...evening, ...choice } as Fields)
    expect(await sunday()).toEqual({
      calendar: expect.stringMatching(/^定休日/),
      machines: 'as every Sunday',
      feed: expect.stringContaining('SUMMARY:定休日'),
    })
    expect(await html('/infomation')).toContain('定休日は、祝日や祝前日でもお休みいたします。')
    expect((await form()).closedDaysFirst).toBe('yes')
    expect((await form('/bussinessdays?by=day')).closedDaysFirst).toBe('yes')
  })

  test('keeps the late hours of an eve on an open weekday when closed days go first', async () => {
    const { saved, html } = await site()
    await saved({ ...evening, closedDaysFirst: 'yes' })
    expect(await html('/calendar?month=2027-04')).toMatch(/4月28日（水） 定休日/)
    expect(await html('/calendar?month=2027-07')).toMatch(/7月18日（日） 定休日/)
    await saved({ 'day.日曜日': '1' })
    expect(await html('/calendar?month=2027-07')).toMatch(/7月18日（日） 営業 17:00〜翌2:00/)
  })

  test('asks again only if the week opens days that its owner has not agreed to', async () => {
    const { save, saved, asked } = await site()
    await saved({ ...evening, closedDays: 'open' })
    for (const hour of ['04', '03']) await saved({ 'group2.endtime1_hour': hour })
    expect(await asked(await save({ 'day.木曜日': 'closed', 'day.祝日': '2' }))).toEqual([
      expect.stringMatching(/^祝日 17:00〜翌3:00：.*4月29日（木）/),
      expect.stringMatching(/^祝前日 17:00〜翌3:00：11月22日（日）、/),
    ])
  })

  test('asks about the days of a week that was stored before the choice existed, and keeps its order until then', async () => {
    const { save, asked, sunday, db, schedule } = await site()
    const week = await schedule()
    const rows = {
      ...(week && scheduleFieldsOf(week)),
      日曜日: { ...noHourFields, open_or_close: 'close' },
      祝前日: { ...noHourFields, open_or_close: 'open', starttime1_hour: '17', endtime1_hour: '02' },
    }
    await db
      .updateTable('businessWeek')
      .set({ schedule: JSON.stringify(rows) })
      .execute()
    expect((await sunday()).calendar).toContain('営業 17:00〜翌2:00')
    expect(await asked(await save({}))).toEqual([expect.stringMatching(sundays)])
  })

  test('leaves out special days, and does not ask if no closed day is opened', async () => {
    const { save, saved, asked, db } = await site()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    await saveSpecialDays(db, { days: ['2026-11-22'], reason: '臨時休業', slots: noSlots }, new Map(), author)
    await saveSpecialDays(db, { days: ['2027-01-10'], reason: '臨時営業', slots: noSlots }, new Map(), author)
    expect((await asked(await save(evening))).join()).not.toMatch(/11月22日|1月10日/)
    await saved({ ...evening, 'day.日曜日': '1', 'day.火曜日': '1', 'day.水曜日': '1' })
  })

  test('asks after the rows of nine days too, and about the text beside the hours next', async () => {
    const { post, form, asked, schedule } = await site()
    const byDay = {
      ...(await form('/bussinessdays?by=day')),
      intent: 'week',
      '日曜日.open_or_close': 'close',
      '祝前日.starttime1_hour': '17',
      '祝前日.endtime1_hour': '22',
    }
    expect(await asked(await post('approved', '/bussinessdays?by=day', byDay))).toEqual([
      expect.stringMatching(/^祝前日 17:00〜22:00：11月22日（日）、/),
    ])
    const next = await post('approved', '/bussinessdays?by=day', { ...byDay, closedDays: 'closed' })
    expect(next.status).toBe(409)
    const page = await next.text()
    expect(page).toContain('次の文章も表示しています')
    const sent = formsIn(page).find(({ names }) => names.has('version'))?.fields ?? []
    expect(Object.fromEntries(sent)).toMatchObject({ closedDays: 'closed' })
    expect(
      (await post('approved', '/bussinessdays?by=day', { ...Object.fromEntries(sent), beside: 'stays' })).status,
    ).toBe(302)
    expect((await schedule())?.closedDaysFirst).toBe(true)
  })

  test('undoes the choice with its save, and the history says it', async () => {
    const { saved, post, as, sunday, clock } = await site()
    await saved({ ...evening, closedDays: 'open' })
    clock.now += 1000
    const save = await saved({ closedDaysFirst: 'yes' })
    expect(await (await as('approved', '/bussinessdays?history')).text()).toMatch(/祝日と祝前日より優先/)
    expect((await sunday()).calendar).toMatch(/^定休日/)
    clock.now += 1000
    expect((await post('approved', '/undo', { save })).status).toBe(200)
    expect((await sunday()).calendar).toContain('営業 17:00〜翌2:00')
  })

  test('asks in the setup wizard', async () => {
    const made = await site()
    const owner = visitorOf(made, 'administrator')
    await expect(owner.fill('/welcome/hours', evening, '保存して、次へ')).rejects.toThrow('409')
    expect(await owner.fill('/welcome/hours', evening, '保存して、次へ', '定休日を優先する')).toBe('/welcome/pictures')
    expect((await made.schedule())?.closedDaysFirst).toBe(true)
    expect((await made.sunday()).calendar).toMatch(/^定休日/)
  })

  test('reads and changes the choice over the JSON interface', async () => {
    const { as, saved } = await site()
    await saved({ ...evening, closedDays: 'open' })
    const patch = async (version: number, schedule: object) => {
      const response = await as('approved', '/api/collections/bussinessDays/week', {
        method: 'PATCH',
        body: JSON.stringify({ version, schedule }),
        headers: { origin: 'http://localhost', 'content-type': 'application/json' },
      })
      return { status: response.status, schedule: (await response.json()).schedule }
    }
    expect(await patch(2, { closedDaysFirst: true })).toMatchObject({
      status: 200,
      schedule: { closedDaysFirst: true },
    })
    const saturday = { 土曜日: { open_or_close: 'close' } }
    expect(await patch(3, saturday)).toMatchObject({ status: 200, schedule: { closedDaysFirst: true } })
    expect((await patch(4, { closedDaysFirst: 'yes' })).status).toBe(400)
  })

  test('keeps the choice through an export and an import', async () => {
    const { db, saved } = await site()
    await saved({ ...evening, closedDaysFirst: 'yes' })
    const folder = mkdtempSync(join(tmpdir(), 'noren-closed-days-'))
    try {
      await exportSite(db, folder)
      const other = await fresh()
      await importExport(other, readExport(folder), { dryRun: false, now: noon })
      const { schedule } = await readWeek(other)
      expect(schedule).toEqual((await readWeek(db)).schedule)
      expect(schedule?.closedDaysFirst).toBe(true)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
