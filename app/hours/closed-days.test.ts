import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { createFormVisitor, readForms } from '../../server/testing-forms.ts'
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

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const { post, db } = site
    const readHtml = async (path: string) => (await site.as('guest', path)).text()
    const readForm = async (path = '/bussinessdays') => {
      const page = await (await site.as('approved', path)).text()
      return Object.fromEntries(readForms(page).find(({ names }) => names.has('version'))?.fields ?? [])
    }
    /** Sends the week form with these changes and confirms the text beside the hours. */
    const sendForm = async (changes: Fields) =>
      post('approved', '/bussinessdays', { ...(await readForm()), intent: 'groups', beside: 'stays', ...changes })
    const saveForm = async (changes: Fields) => {
      const response = await sendForm(changes)
      expect(response.status).toBe(302)
      return new URL(response.headers.get('location') ?? '', 'http://localhost').searchParams.get('undo') ?? ''
    }
    /** Returns the closed days that the question in the response lists. */
    const readQuestion = async (response: Response) => {
      expect(response.status).toBe(409)
      const [, list = ''] = /時間で営業することになります。.*?<ul[^>]*>(.*?)<\/ul>/s.exec(await response.text()) ?? []
      return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, row = '']) =>
        row.replace('<br/>', '：').replace(/<[^>]*>/g, ''),
      )
    }
    const readSunday = async () => ({
      calendar: /11月22日（日） ([^<]*)/.exec(await readHtml('/calendar'))?.[1],
      machines: /"validFrom":"2026-11-22".*?}/.exec(await readHtml('/infomation'))?.[0] ?? 'as every Sunday',
      feed: /UID:shop-20261122.*?END:VEVENT|UID:shop-2026-11-22.*?END:VEVENT/s.exec(
        await readHtml('/calendar.ics'),
      )?.[0],
    })
    const readSchedule = async () => (await readWeek(db)).schedule
    return { ...site, readHtml, readForm, sendForm, saveForm, readQuestion, readSunday, readSchedule }
  }

  onSqlite('asks about closed weekdays that a holiday or holiday-eve row opens before the week is saved', async () => {
    const { sendForm, readQuestion, readSchedule } = await createSite()
    const before = await readSchedule()
    const days = await readQuestion(await sendForm(evening))
    expect(days).toEqual([expect.stringMatching(sundays)])
    expect(days[0]).not.toMatch(/（[月木金土]）/)
    expect(await readSchedule()).toEqual(before)
  })

  onSqlite('shows Sunday as open on every page after the confirmation', async () => {
    const { saveForm, readSunday } = await createSite()
    await saveForm({ ...evening, closedDays: 'open' })
    expect(await readSunday()).toEqual({
      calendar: expect.stringContaining('営業 17:00〜翌2:00'),
      machines: expect.stringContaining('"opens":"17:00","closes":"02:00"'),
      feed: expect.stringContaining('17:00〜翌2:00'),
    })
  })

  onSqlite.each([
    ['the confirmation', { closedDays: 'closed' }],
    ['the checkbox', { closedDaysFirst: 'yes' }],
  ])('shows the Sunday as closed everywhere when the owner gives closed days priority in %s', async (_, choice) => {
    const { saveForm, readSunday, readHtml, readForm } = await createSite()
    await saveForm({ ...evening, ...choice } as Fields)
    expect(await readSunday()).toEqual({
      calendar: expect.stringMatching(/^定休日/),
      machines: 'as every Sunday',
      feed: expect.stringContaining('SUMMARY:定休日'),
    })
    expect(await readHtml('/infomation')).toContain('定休日は、祝日や祝前日でもお休みいたします。')
    expect((await readForm()).closedDaysFirst).toBe('yes')
    expect((await readForm('/bussinessdays?by=day')).closedDaysFirst).toBe('yes')
  })

  onSqlite('applies the late hours of a holiday eve to an open weekday when closed days have priority', async () => {
    const { saveForm, readHtml } = await createSite()
    await saveForm({ ...evening, closedDaysFirst: 'yes' })
    expect(await readHtml('/calendar?month=2027-04')).toMatch(/4月28日（水） 定休日/)
    expect(await readHtml('/calendar?month=2027-07')).toMatch(/7月18日（日） 定休日/)
    await saveForm({ 'day.日曜日': '1' })
    expect(await readHtml('/calendar?month=2027-07')).toMatch(/7月18日（日） 営業 17:00〜翌2:00/)
  })

  onSqlite('asks again about closed days only when nobody has confirmed these days', async () => {
    const { sendForm, saveForm, readQuestion } = await createSite()
    await saveForm({ ...evening, closedDays: 'open' })
    for (const hour of ['04', '03']) await saveForm({ 'group2.endtime1_hour': hour })
    expect(await readQuestion(await sendForm({ 'day.木曜日': 'closed', 'day.祝日': '2' }))).toEqual([
      expect.stringMatching(/^祝日 17:00〜翌3:00：.*4月29日（木）/),
      expect.stringMatching(/^祝前日 17:00〜翌3:00：11月22日（日）、/),
    ])
  })

  onSqlite('requires a choice about closed days when the stored week has no priority for them', async () => {
    const { sendForm, readQuestion, readSunday, db, readSchedule } = await createSite()
    const week = await readSchedule()
    const rows = {
      ...(week && scheduleFieldsOf(week)),
      日曜日: { ...noHourFields, open_or_close: 'close' },
      祝前日: { ...noHourFields, open_or_close: 'open', starttime1_hour: '17', endtime1_hour: '02' },
    }
    await db
      .updateTable('businessWeek')
      .set({ schedule: JSON.stringify(rows) })
      .execute()
    expect((await readSunday()).calendar).toContain('営業 17:00〜翌2:00')
    expect(await readQuestion(await sendForm({}))).toEqual([expect.stringMatching(sundays)])
  })

  onSqlite('omits special days from the question about closed days', async () => {
    const { sendForm, saveForm, readQuestion, db } = await createSite()
    const author = { accountId: null, at: '2026-11-20T03:00:00.000Z' }
    await saveSpecialDays(db, { days: ['2026-11-22'], reason: '臨時休業', slots: noSlots }, new Map(), author)
    await saveSpecialDays(db, { days: ['2027-01-10'], reason: '臨時営業', slots: noSlots }, new Map(), author)
    expect((await readQuestion(await sendForm(evening))).join()).not.toMatch(/11月22日|1月10日/)
    await saveForm({ ...evening, 'day.日曜日': '1', 'day.火曜日': '1', 'day.水曜日': '1' })
  })

  onSqlite('asks about closed days in the form with nine rows, before the question about the text', async () => {
    const { post, readForm, readQuestion, readSchedule } = await createSite()
    const byDay = {
      ...(await readForm('/bussinessdays?by=day')),
      intent: 'week',
      '日曜日.open_or_close': 'close',
      '祝前日.starttime1_hour': '17',
      '祝前日.endtime1_hour': '22',
    }
    expect(await readQuestion(await post('approved', '/bussinessdays?by=day', byDay))).toEqual([
      expect.stringMatching(/^祝前日 17:00〜22:00：11月22日（日）、/),
    ])
    const next = await post('approved', '/bussinessdays?by=day', { ...byDay, closedDays: 'closed' })
    expect(next.status).toBe(409)
    const page = await next.text()
    expect(page).toContain('次の文章も表示しています')
    const sent = readForms(page).find(({ names }) => names.has('version'))?.fields ?? []
    expect(Object.fromEntries(sent)).toMatchObject({ closedDays: 'closed' })
    expect(
      (await post('approved', '/bussinessdays?by=day', { ...Object.fromEntries(sent), beside: 'stays' })).status,
    ).toBe(302)
    expect((await readSchedule())?.closedDaysFirst).toBe(true)
  })

  test('undoes a change of the priority of closed days and lists the priority in the history', async () => {
    const { saveForm, post, as, readSunday, clock } = await createSite()
    await saveForm({ ...evening, closedDays: 'open' })
    clock.now += 1000
    const save = await saveForm({ closedDaysFirst: 'yes' })
    expect(await (await as('approved', '/bussinessdays?history')).text()).toMatch(/祝日と祝前日より優先/)
    expect((await readSunday()).calendar).toMatch(/^定休日/)
    clock.now += 1000
    expect((await post('approved', '/undo', { save })).status).toBe(200)
    expect((await readSunday()).calendar).toContain('営業 17:00〜翌2:00')
  })

  onSqlite('asks about closed days in the setup wizard', async () => {
    const site = await createSite()
    const owner = createFormVisitor(site, 'administrator')
    await expect(owner.fill('/welcome/hours', evening, '保存して、次へ')).rejects.toThrow('409')
    expect(await owner.fill('/welcome/hours', evening, '保存して、次へ', '定休日を優先する')).toBe('/welcome/pictures')
    expect((await site.readSchedule())?.closedDaysFirst).toBe(true)
    expect((await site.readSunday()).calendar).toMatch(/^定休日/)
  })

  onSqlite('reads and changes the priority of closed days with JSON calls', async () => {
    const { as, saveForm } = await createSite()
    await saveForm({ ...evening, closedDays: 'open' })
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

  test('retains the priority of closed days in an export and an import', async () => {
    const { db, saveForm } = await createSite()
    await saveForm({ ...evening, closedDaysFirst: 'yes' })
    const folder = mkdtempSync(join(tmpdir(), 'noren-closed-days-'))
    try {
      await exportSite(db, folder)
      const other = await createDatabase()
      await importExport(other, readExport(folder), { dryRun: false, now: noon })
      const { schedule } = await readWeek(other)
      expect(schedule).toEqual((await readWeek(db)).schedule)
      expect(schedule?.closedDaysFirst).toBe(true)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
