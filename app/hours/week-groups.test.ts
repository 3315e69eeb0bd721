import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { readForms } from '../../server/testing-forms.ts'
import { noSlots, type Schedule } from './business-day.ts'
import { readWeek } from './business-days.server.ts'

type Fields = Record<string, string>

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const readPage = async (path = '/bussinessdays') => (await site.as('approved', path)).text()
    /**
     * Submits the form in `html` with these changes, as a browser without JavaScript does. By default, `html` is the
     * page at /bussinessdays.
     */
    const send = async (changes: Fields, html?: string, path = '/bussinessdays') => {
      const form = readForms(html ?? (await readPage())).find(({ names }) => names.has('day.月曜日'))
      const fields = Object.fromEntries(form?.fields ?? [])
      return site.post('approved', path, { ...fields, intent: 'groups', beside: 'stays', ...changes })
    }
    const readSchedule = async () => (await readWeek(site.db)).schedule as Schedule
    const readRows = () => site.db.selectFrom('businessWeek').selectAll().execute()
    return { ...site, readPage, send, readSchedule, readRows }
  }
  const elevenToNine: Fields = {
    'group1.starttime1_hour': '11',
    'group1.starttime1_minute': '00',
    'group1.endtime1_hour': '21',
    'group1.starttime2_hour': '00',
    'group1.starttime2_minute': '00',
    'group1.endtime2_hour': '00',
  }

  onSqlite('groups days with equal hours in the week form', async () => {
    const { readPage, send, readSchedule, as, showEditButtons } = await createSite()
    const html = await readPage()
    const checked = readForms(html).find(({ names }) => names.has('day.月曜日'))?.fields ?? []
    const assignments = checked.filter(([name]) => name.startsWith('day.'))
    expect(Object.fromEntries(assignments)).toEqual({
      'day.月曜日': '1',
      'day.火曜日': 'closed',
      'day.水曜日': 'closed',
      'day.木曜日': '1',
      'day.金曜日': '1',
      'day.土曜日': '1',
      'day.日曜日': '1',
      'day.祝日': 'usual',
      'day.祝前日': 'usual',
    })
    // The form fills an empty group with the hours of the first group.
    expect(checked).toContainEqual(['group2.starttime1_hour', '07'])
    expect(html.replaceAll('<!-- -->', '')).toContain('第1部（朝の部）')
    expect(html).toContain('>保存する<')
    const before = await readSchedule()
    expect((await send({})).status).toBe(302)
    expect(await readSchedule()).toEqual(before)
    // Visitors who are not editors see the hours but no form.
    const readAsGuest = async () => (await as('guest', '/bussinessdays')).text()
    expect(await readAsGuest()).toMatch(/月曜日<\/th><td>営業 7:30〜10:00、11:30〜14:00</)
    expect(await readAsGuest()).toMatch(/祝日<\/th><td>その曜日のとおり</)
    expect(await readAsGuest()).not.toMatch(/<fieldset|<select|保存する/)
    await showEditButtons()
    expect(await readAsGuest()).toMatch(/<fieldset[^>]* disabled=""[^>]*>.*name="day\.月曜日"/s)
  })

  test('saves a week from its groups and shows the new hours on the calendar', async () => {
    const { send, readSchedule, as } = await createSite()
    const saved = await send({
      ...elevenToNine,
      'day.金曜日': 'closed',
      'day.土曜日': '2',
      'group2.endtime1_hour': '09',
      'day.祝日': '2',
      closedDays: 'open',
    })
    expect([saved.status, saved.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/calendar\?done=hours/),
    ])
    const { 月曜日, 金曜日, 土曜日, 祝日, 祝前日 } = await readSchedule()
    const second = { start: '11:30', end: '14:00' }
    expect(月曜日).toEqual({ open: true, slots: [{ start: '11:00', end: '21:00' }, null] })
    expect(金曜日).toEqual({ open: false, slots: [{ start: '07:30', end: '10:00' }, second] })
    expect(土曜日).toEqual({ open: true, slots: [{ start: '07:30', end: '09:00' }, second] })
    expect(祝日).toEqual(土曜日)
    expect(祝前日).toEqual({ open: true, slots: noSlots })
    const calendar = await (await as('guest', '/calendar')).text()
    expect(calendar).toContain('11月20日（金） 今日 定休日')
    expect(calendar).toContain('営業 11:00〜21:00')
  })

  onSqlite('puts every weekday in the first group when no week is saved', async () => {
    const { db, readPage, send, readSchedule } = await createSite()
    await db.deleteFrom('businessWeek').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'businessWeek').execute()
    expect(await readPage()).toContain('>保存する<')
    expect((await send({ ...elevenToNine, 'day.火曜日': 'closed' })).status).toBe(302)
    const { 火曜日, 日曜日, 祝日 } = await readSchedule()
    expect([火曜日.open, 日曜日.slots[0]?.end, 祝日.slots[0]]).toEqual([false, '21:00', null])
  })

  onSqlite('rejects an invalid group with a field error and stores nothing', async () => {
    const { send, readRows } = await createSite()
    const before = await readRows()
    const equalTimes = { 'day.土曜日': '3', 'group3.starttime1_hour': '10', 'group3.starttime1_minute': '00' }
    for (const [changes, sentence] of [
      [equalTimes, '開始と終了が同じ時刻です'],
      [{ 'group1.starttime1_hour': '24' }, '入力内容をご確認ください'],
      [{ 'day.月曜日': 'usual' }, '月曜日の営業時間を選んでください'],
      [{ 'day.月曜日': '0' }, '月曜日の営業時間を選んでください'],
    ] as [Fields, string][]) {
      const response = await send(changes)
      expect([response.status, await readRows()], JSON.stringify(changes)).toEqual([400, before])
      expect(await response.text()).toContain(sentence)
    }
  })

  onSqlite('lists the days that differ from the newer week after a conflict', async () => {
    const { readPage, send, readSchedule } = await createSite()
    const seen = await readPage()
    expect((await send({ 'day.木曜日': 'closed', 'day.祝前日': '1', closedDays: 'open' })).status).toBe(302)
    const late = await send({ 'day.金曜日': 'closed' }, seen)
    expect(late.status).toBe(409)
    const html = (await late.text()).replaceAll('<!-- -->', '')
    expect(html).toContain('ほかの方が先に保存しました')
    expect(html.match(/[^>]+の新しい内容：[^<]+/g)).toEqual([
      '木曜日の新しい内容：定休日',
      '金曜日の新しい内容：営業 7:30〜10:00、11:30〜14:00',
      '祝前日の新しい内容：営業 7:30〜10:00、11:30〜14:00',
    ])
    expect((await readSchedule()).木曜日.open).toBe(false)
    expect((await send({}, html)).status).toBe(302)
    const { 木曜日, 金曜日, 祝前日 } = await readSchedule()
    expect([木曜日.open, 金曜日.open, 祝前日.slots[0]]).toEqual([true, false, null])
  })

  onSqlite('asks about the text beside the hours before the week is saved', async () => {
    const { send, readRows } = await createSite()
    const before = await readRows()
    const asked = await send({ ...elevenToNine, beside: '' })
    expect([asked.status, await readRows()]).toEqual([409, before])
    const html = await asked.text()
    expect(html).toContain('新しい営業時間に合っていますか？')
    expect((await send({ beside: 'stays' }, html)).status).toBe(302)
    expect(JSON.parse((await readRows())[0]?.schedule ?? '').月曜日.endtime1_hour).toBe('21')
  })

  onSqlite('replaces an unreadable week only after confirmation', async () => {
    const { db, send, readRows, readSchedule } = await createSite()
    await db.updateTable('businessWeek').set({ schedule: '{"日曜日":' }).execute()
    expect((await send(elevenToNine)).status).toBe(409)
    expect((await readRows())[0]?.schedule).toBe('{"日曜日":')
    expect((await send({ ...elevenToNine, overwriting: 'yes' })).status).toBe(302)
    expect((await readSchedule()).月曜日.slots[0]?.end).toBe('21:00')
  })
})
