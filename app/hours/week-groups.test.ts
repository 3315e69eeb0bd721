import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { formsIn } from '../../server/testing-forms.ts'
import { noSlots, type Schedule } from './business-day.ts'
import { readWeek } from './business-days.server.ts'

type Fields = Record<string, string>

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const page = async (path = '/bussinessdays') => (await made.as('approved', path)).text()
    /** Sends the form as it stands on this page, or on that which answered, with changes, as a browser without scripts does. */
    const send = async (changes: Fields, html?: string, path = '/bussinessdays') => {
      const form = formsIn(html ?? (await page())).find(({ names }) => names.has('day.月曜日'))
      const fields = Object.fromEntries(form?.fields ?? [])
      return made.post('approved', path, { ...fields, intent: 'groups', beside: 'stays', ...changes })
    }
    const schedule = async () => (await readWeek(made.db)).schedule as Schedule
    const rows = () => made.db.selectFrom('businessWeek').selectAll().execute()
    return { ...made, page, send, schedule, rows }
  }
  const elevenToNine: Fields = {
    'group1.starttime1_hour': '11',
    'group1.starttime1_minute': '00',
    'group1.endtime1_hour': '21',
    'group1.starttime2_hour': '00',
    'group1.starttime2_minute': '00',
    'group1.endtime2_hour': '00',
  }

  test('the page shows the days with the same hours together, and sent as it stands it changes nothing', async () => {
    const { page, send, schedule, as, showEditButtons } = await site()
    const html = await page()
    const checked = formsIn(html).find(({ names }) => names.has('day.月曜日'))?.fields ?? []
    const places = checked.filter(([name]) => name.startsWith('day.'))
    expect(Object.fromEntries(places)).toEqual({
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
    // What another group begins with is what the first one has.
    expect(checked).toContainEqual(['group2.starttime1_hour', '07'])
    expect(html.replaceAll('<!-- -->', '')).toContain('第1部（朝の部）')
    expect(html).toContain('>保存する<')
    const before = await schedule()
    expect((await send({})).status).toBe(302)
    expect(await schedule()).toEqual(before)
    // Who may not change it sees it, and cannot.
    const guests = async () => (await as('guest', '/bussinessdays')).text()
    expect(await guests()).toMatch(/月曜日<\/th><td>営業 7:30〜10:00、11:30〜14:00</)
    expect(await guests()).toMatch(/祝日<\/th><td>その曜日のとおり</)
    expect(await guests()).not.toMatch(/<fieldset|<select|保存する/)
    await showEditButtons()
    expect(await guests()).toMatch(/<fieldset[^>]* disabled=""[^>]*>.*name="day\.月曜日"/s)
  })

  test('a week of one rhythm, a day with other hours and one closed are saved from the groups, and show everywhere', async () => {
    const { send, schedule, as } = await site()
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
    const { 月曜日, 金曜日, 土曜日, 祝日, 祝前日 } = await schedule()
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

  test('before anything was saved each weekday is in the first group', async () => {
    const { db, page, send, schedule } = await site()
    await db.deleteFrom('businessWeek').execute()
    await db.deleteFrom('revisions').where('subject', '=', 'businessWeek').execute()
    expect(await page()).toContain('>保存する<')
    expect((await send({ ...elevenToNine, 'day.火曜日': 'closed' })).status).toBe(302)
    const { 火曜日, 日曜日, 祝日 } = await schedule()
    expect([火曜日.open, 日曜日.slots[0]?.end, 祝日.slots[0]]).toEqual([false, '21:00', null])
  })

  test('rejects a wrong group with an error at its field and stores nothing', async () => {
    const { send, rows } = await site()
    const before = await rows()
    const wrong = { 'day.土曜日': '3', 'group3.starttime1_hour': '10', 'group3.starttime1_minute': '00' }
    for (const [given, sentence] of [
      [wrong, '開始と終了が同じ時刻です'],
      [{ 'group1.starttime1_hour': '24' }, '入力内容をご確認ください'],
      [{ 'day.月曜日': 'usual' }, '月曜日の営業時間を選んでください'],
      [{ 'day.月曜日': '0' }, '月曜日の営業時間を選んでください'],
    ] as [Fields, string][]) {
      const answer = await send(given)
      expect([answer.status, await rows()], JSON.stringify(given)).toEqual([400, before])
      expect(await answer.text()).toContain(sentence)
    }
  })

  test('the second of two editors sees what differs from the newer week, day by day, and saves over it', async () => {
    const { page, send, schedule } = await site()
    const seen = await page()
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
    expect((await schedule()).木曜日.open).toBe(false)
    expect((await send({}, html)).status).toBe(302)
    const { 木曜日, 金曜日, 祝前日 } = await schedule()
    expect([木曜日.open, 金曜日.open, 祝前日.slots[0]]).toEqual([true, false, null])
  })

  test('the sentence beside the table is asked about before anything is stored, and what was chosen stays', async () => {
    const { send, rows } = await site()
    const before = await rows()
    const asked = await send({ ...elevenToNine, beside: '' })
    expect([asked.status, await rows()]).toEqual([409, before])
    const html = await asked.text()
    expect(html).toContain('新しい営業時間に合っていますか？')
    expect((await send({ beside: 'stays' }, html)).status).toBe(302)
    expect(JSON.parse((await rows())[0]?.schedule ?? '').月曜日.endtime1_hour).toBe('21')
  })

  test('what cannot be read is replaced only where that is said', async () => {
    const { db, send, rows, schedule } = await site()
    await db.updateTable('businessWeek').set({ schedule: '{"日曜日":' }).execute()
    expect((await send(elevenToNine)).status).toBe(409)
    expect((await rows())[0]?.schedule).toBe('{"日曜日":')
    expect((await send({ ...elevenToNine, overwriting: 'yes' })).status).toBe(302)
    expect((await schedule()).月曜日.slots[0]?.end).toBe('21:00')
  })
})
