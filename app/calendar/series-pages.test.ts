import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf, loaderDataOf } from '../../server/testing-action-data.ts'
import type { Person } from '../../server/tools/demo.ts'
import { addDays, type Day } from '../dates/month.ts'
import { saveSpecialDays } from '../hours/business-days.server.ts'
import { noHourFields } from '../hours/hour-fields.ts'
import type { EventResult } from './event-editing.tsx'

const id = '00000000-0000-4000-8000-000000000001'
const practice = {
  ...{ intent: 'add', id, day: '2026-11-28', title: '土曜練習', content: '西コートで', startTime: '09:00' },
  ...{ recurrence: '毎週', until: '2026-12-25', attendance: 'yes', capacity: '8', deadlineDays: '3' },
  deadlineTime: '18:00',
}
const CALENDAR = 'calendar/calendar-page'
const saturdays = ['2026-11-28', '2026-12-05', '2026-12-12', '2026-12-19']

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const listRows = () =>
      site.db.selectFrom('events').selectAll().where('seriesId', '=', id).where('deletedAt', 'is', null)
    const listDays = async () => (await listRows().orderBy('day').execute()).map(({ day }) => day)
    const rowOf = async (day: Day) => listRows().where('day', '=', day).executeTakeFirstOrThrow()
    const send = async (fields: Record<string, string>, person: Person = 'approved') => {
      site.clock.now += 1000
      const response = await site.post(person, '/calendar.data', fields)
      return { status: response.status, ...(await actionDataOf<EventResult>(response)) }
    }
    /** Changes the event of a day. */
    const change = async (day: Day, fields: Record<string, string>, person?: Person) => {
      const row = await rowOf(day)
      const values = { ...practice, deadline: addDays(day, -3), id: row.id, version: String(row.version), day }
      return send({ ...values, ...fields }, person)
    }
    const undo = async ({ undo }: EventResult) =>
      (await site.post('approved', '/undo', { save: undo?.fields.save ?? '' })).status
    return { ...site, listRows, listDays, rowOf, send, change, undo }
  }

  test('adds every Saturday until Christmas in one save, and deletes all by one undo', async () => {
    const { send, listRows, listDays, undo, db } = await createSite()
    const added = await send(practice)
    expect(added).toMatchObject({
      status: 200,
      done: '予定を追加しました。全4回、2026年11月28日（土）から2026年12月19日（土）までです。',
    })
    expect(await listDays()).toEqual(saturdays)
    const rows = await listRows().orderBy('day').execute()
    expect(rows.map(({ deadline, deadlineTime }) => `${deadline} ${deadlineTime}`)).toEqual(
      saturdays.map((day) => `${addDays(day, -3)} 18:00`),
    )
    for (const row of rows) expect(row).toMatchObject({ title: '土曜練習', capacity: 8, attendance: true, version: 1 })
    const ids = rows.map((row) => row.id)
    const revisions = await db.selectFrom('revisions').select('saveId').where('subjectId', 'in', ids).execute()
    expect(new Set(revisions.map(({ saveId }) => saveId)).size).toBe(1)
    // A repeated submission adds nothing.
    expect((await send(practice)).status).toBe(200)
    expect(await listDays()).toEqual(saturdays)
    expect([await undo(added), await listDays()]).toEqual([200, []])
  })

  test('cancels one Saturday, and restores it by an undo or from the bin', async () => {
    const { send, change, listDays, undo, post, rowOf, as } = await createSite()
    await send(practice)
    const cancelledId = (await rowOf('2026-12-05')).id
    const cancelled = await change('2026-12-05', { intent: 'delete', scope: 'one' })
    const others = saturdays.filter((day) => day !== '2026-12-05')
    expect(await listDays()).toEqual(others)
    expect(await (await as('guest', '/calendar?month=2026-12')).text()).not.toContain('12月5日（土） 予定')
    expect([await undo(cancelled), await listDays()]).toEqual([200, saturdays])
    await change('2026-12-05', { intent: 'delete' })
    expect((await post('approved', '/bin', { kind: 'event', id: cancelledId })).status).toBe(200)
    expect(await listDays()).toEqual(saturdays)
  })

  test('deletes all later occurrences, also those that were changed alone, and restores them by one undo', async () => {
    const { send, change, listDays, undo } = await createSite()
    await send(practice)
    await change('2026-12-12', { intent: 'move', day: '2026-12-13' })
    const deleted = await change('2026-12-05', { intent: 'delete', scope: 'later' })
    expect(deleted.done).toBe('イベントを削除しました。この回以降の3回です。')
    expect(await listDays()).toEqual(['2026-11-28'])
    expect([await undo(deleted), await listDays()]).toEqual([
      200,
      ['2026-11-28', '2026-12-05', '2026-12-13', '2026-12-19'],
    ])
  })

  test('changes an occurrence alone, and then the later ones without the one that was changed alone', async () => {
    const { send, change, rowOf, undo } = await createSite()
    await send(practice)
    await change('2026-12-12', { intent: 'save', title: '忘年会', scope: 'one' })
    expect((await rowOf('2026-12-19')).title).toBe('土曜練習')
    const changed = await change('2026-12-05', {
      ...{ intent: 'save', scope: 'later', title: '朝練習', startTime: '08:00', capacity: '4' },
      ...{ deadline: '2026-12-03', deadlineTime: '12:00' },
    })
    expect(changed.done).toBe('予定を保存しました。この回以降の2回です。')
    const morning = { title: '朝練習', startTime: '08:00', capacity: 4, deadlineTime: '12:00' }
    expect(await rowOf('2026-11-28')).toMatchObject({ title: '土曜練習', capacity: 8, deadline: '2026-11-25' })
    expect(await rowOf('2026-12-05')).toMatchObject({ ...morning, deadline: '2026-12-03' })
    expect(await rowOf('2026-12-12')).toMatchObject({ title: '忘年会', capacity: 8, deadline: '2026-12-09' })
    expect(await rowOf('2026-12-19')).toMatchObject({ ...morning, deadline: '2026-12-17' })
    expect(await undo(changed)).toBe(200)
    expect(await rowOf('2026-12-19')).toMatchObject({ title: '土曜練習', deadline: '2026-12-16' })
  })

  test('moves the later occurrences with their deadlines to the new weekday, and back by one undo', async () => {
    const { send, change, listDays, rowOf, undo } = await createSite()
    await send(practice)
    await change('2026-12-12', { intent: 'move', day: '2026-12-10' })
    const moved = await change('2026-12-05', { intent: 'move', day: '2026-12-06', scope: 'later' })
    expect(await listDays()).toEqual(['2026-11-28', '2026-12-06', '2026-12-10', '2026-12-20'])
    expect(await rowOf('2026-12-20')).toMatchObject({ deadline: '2026-12-17', occurrence: '2026-12-20' })
    expect([await undo(moved), await listDays()]).toEqual([
      200,
      ['2026-11-28', '2026-12-05', '2026-12-10', '2026-12-19'],
    ])
    await change('2026-12-05', { intent: 'move', day: '2100-12-30', scope: 'later' })
    expect(await listDays()).toContain('2026-12-05')
  })

  /** Returns the fields of a form for all later events, as the calendar page of that month sends them now. */
  const openForm = async ({ as, rowOf }: Awaited<ReturnType<typeof createSite>>, day: Day, intent: string) => {
    const { id, version } = await rowOf(day)
    const response = await as('approved', `/calendar.data?month=${day.slice(0, 7)}`)
    const { laterVersions } = await loaderDataOf<{ laterVersions: Record<string, number> }>(response, CALENDAR)
    const seen = { id, version: String(version), laterVersion: String(laterVersions[id] ?? 0) }
    return { ...practice, ...seen, intent, scope: 'later', day, deadline: addDays(day, -3) }
  }

  test.each(['save', 'move', 'delete'])(
    'refuses a %s of all later occurrences if another editor has changed one of them since the form was opened',
    async (intent) => {
      const site = await createSite()
      const { send, listRows } = site
      await send(practice)
      const form = { ...(await openForm(site, '2026-11-28', intent)), title: '土曜の練習' }
      if (intent === 'move') form.day = '2026-11-29'
      const others = await openForm(site, '2026-12-12', 'save')
      expect((await send({ ...others, startTime: '10:00', content: '雨天は体育館' }, 'administrator')).status).toBe(200)
      const before = await listRows().orderBy('day').execute()
      const { status, done, undo, trouble, newer } = await send(form)
      expect([status, done, undo]).toEqual([409, undefined, undefined])
      expect(trouble).toContain('この回より後の予定を、ほかの方が先に変更しました。')
      expect(await listRows().orderBy('day').execute()).toEqual(before)
      // The author has now read that the later events have changed, and sends the form again.
      const again = await send({ ...form, laterVersion: String(newer?.laterVersion) })
      expect([again.status, again.done]).toEqual([200, expect.stringContaining('この回以降の4回です。')])
    },
  )

  test('saves all later occurrences although the same editor has changed one of them since the form was opened', async () => {
    const site = await createSite()
    const { send, change, listRows } = site
    await send(practice)
    const form = await openForm(site, '2026-11-28', 'save')
    await change('2026-12-12', { intent: 'save', scope: 'later', startTime: '10:00' })
    expect((await send({ ...form, title: '土曜の練習' })).done).toContain('この回以降の4回です。')
    for (const row of await listRows().execute()) expect(row).toMatchObject({ title: '土曜の練習', startTime: '09:00' })
  })

  test('saves all later occurrences that the editor has first changed alone', async () => {
    const site = await createSite()
    const { send, change, listRows } = site
    await send(practice)
    const others = await openForm(site, '2026-12-12', 'save')
    expect((await send({ ...others, content: '東コートで' }, 'administrator')).status).toBe(200)
    await change('2026-11-28', { intent: 'save', scope: 'one', title: '土曜の練習' })
    const form = await openForm(site, '2026-11-28', 'save')
    expect((await send({ ...form, title: '土曜の練習' })).done).toContain('この回以降の4回です。')
    for (const row of await listRows().execute()) expect(row.title).toBe('土曜の練習')
  })

  test('saves all later occurrences if another editor has changed only an earlier one', async () => {
    const site = await createSite()
    const { send, change, rowOf } = site
    await send(practice)
    const form = await openForm(site, '2026-12-05', 'save')
    await change('2026-11-28', { intent: 'save', scope: 'one', title: '納会' }, 'administrator')
    expect((await send({ ...form, title: '土曜の練習' })).done).toContain('この回以降の3回です。')
    expect([(await rowOf('2026-11-28')).title, (await rowOf('2026-12-19')).title]).toEqual(['納会', '土曜の練習'])
  })

  test('refuses an undo of a series if one of its occurrences has changed since', async () => {
    const { send, change, undo, rowOf } = await createSite()
    await send(practice)
    const changed = await change('2026-12-05', { intent: 'save', scope: 'later', title: '朝練習' })
    await change('2026-12-19', { intent: 'save', title: '納会' }, 'administrator')
    expect(await undo(changed)).toBe(409)
    expect([(await rowOf('2026-12-05')).title, (await rowOf('2026-12-19')).title]).toEqual(['朝練習', '納会'])
  })

  test('has RSVPs, a capacity and a closing time for each occurrence', async () => {
    const { send, post, rowOf, clock, db } = await createSite()
    await send(practice)
    const answer = async (day: Day) => {
      const { id: event } = await rowOf(day)
      return (await post('approved', '/memberlist', { event, answer: 'yes', note: '', version: '0', once: '' })).status
    }
    clock.now = Date.parse('2026-11-25T17:59:59+09:00')
    expect(await answer('2026-11-28')).toBe(200)
    clock.now = Date.parse('2026-12-02T18:00:00+09:00')
    expect([await answer('2026-12-05'), await answer('2026-12-12')]).toEqual([409, 200])
    const answered = await db.selectFrom('answers').select('eventId').execute()
    const expected = [(await rowOf('2026-11-28')).id, (await rowOf('2026-12-12')).id]
    expect(answered.map(({ eventId }) => eventId).sort()).toEqual(expected.sort())
  })

  onSqlite('skips closed days and holidays without counting them', async () => {
    const { send, post, listDays, as } = await createSite()
    const closure = { intent: 'special', first: '2027-02-04', reason: '臨時休業', ...noHourFields }
    expect((await post('approved', '/bussinessdays', closure)).status).toBeLessThan(400)
    const thursdays = { ...practice, day: '2027-01-28', until: '', times: '3' }
    const skipping = { ...thursdays, skipsClosedDays: 'yes', skipsHolidays: 'yes' }
    const preview = `/calendar/occurrences.data?${new URLSearchParams(skipping)}`
    // 2027-02-11 is a holiday.
    const description = '全3回、2027年1月28日（木）から2027年2月25日（木）までです（休みの2日を除きました）。'
    expect(await (await as('approved', preview)).text()).toContain(description)
    expect(await (await as('guest', preview)).text()).not.toContain('全3回')
    expect((await send(skipping)).done).toContain(description)
    expect(await listDays()).toEqual(['2027-01-28', '2027-02-18', '2027-02-25'])
    const id = '00000000-0000-4000-8000-000000000002'
    expect((await send({ ...thursdays, id, skipsHolidays: 'yes' })).done).toContain('2027年2月18日（木）まで')
    expect((await send({ ...thursdays, id: id.replace(/2$/, '3') })).done).toContain('2027年2月11日（木）まで')
  })

  onSqlite('rejects an incomplete or too long series with a field error, and stores nothing', async () => {
    const { send, listDays } = await createSite()
    for (const [invalid, field, sentence] of [
      [{ until: '' }, 'until', '最後の日か回数を入力してください'],
      [{ times: '4' }, 'times', '最後の日と回数は、どちらか一つを入力してください'],
      [{ until: '2026-11-27' }, 'until', '最後の日は、最初の日より後にしてください'],
      [{ until: '2031-01-01' }, 'until', 'くり返しは200回までです'],
      [{ until: '', times: '201' }, 'times', '回数は1から200までの数字で入力してください'],
      [{ recurrence: '第2' }, 'recurrence', 'くり返しを選び直してください'],
      [{ recurrence: '毎日' }, 'recurrence', 'くり返しを選び直してください'],
      [{ deadlineDays: '-1' }, 'deadlineDays', '締切は0から365日前までの数字で入力してください'],
      [{ deadlineDays: '' }, 'deadlineTime', '締切の日も入力してください'],
      [{ title: '' }, 'title', 'タイトルを入力してください'],
    ] as [object, string, string][]) {
      const response = await send({ ...practice, ...invalid })
      expect([response.status, response.errors?.[field]], sentence).toEqual([400, [sentence]])
    }
    const holiday = { ...practice, day: '2026-11-23', until: '2026-11-24', skipsHolidays: 'yes' }
    expect((await send(holiday)).errors?.until).toEqual(['休みを除くと、予定の日がありません'])
    expect(await listDays()).toEqual([])
  })

  onSqlite('rejects a series of more than 400 days when the skipped days leave too few events', async () => {
    const { send, listDays, db } = await createSite()
    const slots = [
      { start: '11:30', end: '14:00' },
      { start: '17:00', end: '21:00' },
    ]
    const opening = { days: ['2027-01-05'], reason: '営業時間変更', slots }
    await saveSpecialDays(db, opening, new Map(), { accountId: null, at: '2026-11-20T00:00:00.000Z' })
    // The shop is closed on all other Tuesdays.
    const tuesdays = { ...practice, day: '2026-12-01', skipsClosedDays: 'yes' }
    const sentence = '休みの日も数えて400日を超えるくり返しは登録できません'
    for (const [until, times] of [
      ['2040-12-31', ''],
      ['', '100'],
    ] as const)
      expect((await send({ ...tuesdays, until, times })).errors?.until).toEqual([sentence])
    expect(await listDays()).toEqual([])
    expect((await send({ ...tuesdays, until: '2034-01-01' })).done).toContain('全1回、')
  })

  onSqlite.each([
    ['guest', 401],
    ['signedIn', 403],
    ['applicant', 403],
    ['approved', 200],
    ['administrator', 200],
  ] as const)('responds to a series and to a change of it from %s with status %i', async (person, status) => {
    const { send, listDays, rowOf } = await createSite()
    expect((await send(practice, person)).status).toBe(status)
    expect(await listDays()).toEqual(status === 200 ? saturdays : [])
    if (status !== 200) await send(practice)
    const { id, version } = await rowOf('2026-12-05')
    const deletion = { intent: 'delete', scope: 'later', id, version: String(version) }
    expect((await send(deletion, person)).status).toBe(status)
    expect(await listDays()).toEqual(status === 200 ? ['2026-11-28'] : saturdays)
  })

  onSqlite('shows the recurrence to guests in both languages, but no choice of the range', async () => {
    const { send, as, rowOf, db } = await createSite()
    await send(practice)
    const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const english = JSON.stringify({ ...JSON.parse(facts), otherLanguages: true })
    await db.updateTable('site').set({ facts: english }).execute()
    const { id: second } = await rowOf('2026-12-05')
    const read = async (path: string) => (await as('guest', path)).text()
    const japanese = await read(`/calendar?event=${second}`)
    expect(japanese).toContain('毎週土曜日')
    expect(japanese).not.toContain('name="scope"')
    expect(await read(`/en/calendar?month=2026-12&event=${second}`)).toContain('Every Saturday')
  })

  onSqlite('translates all occurrences of a series at once, but not one that was changed alone', async () => {
    const { send, change, as, post, db } = await createSite()
    await send(practice)
    await change('2026-12-12', { intent: 'save', title: '忘年会' })
    await change('2026-12-19', { intent: 'move', day: '2026-12-20' })
    const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const english = JSON.stringify({ ...JSON.parse(facts), otherLanguages: true })
    await db.updateTable('site').set({ facts: english }).execute()
    const form = await (await as('approved', '/translations/en/events')).text()
    for (const name of ['土曜練習（2026年11月28日）', '忘年会（2026年12月12日）']) expect(form).toContain(name)
    expect(form).not.toContain('土曜練習（2026年12月')
    expect(
      (await post('approved', '/translations/en/events', { version: '0', [`${id}.title`]: 'Practice' })).status,
    ).toBe(200)
    const month = await (await as('guest', '/en/calendar?month=2026-12')).text()
    expect(month.match(/>Practice</g)?.length).toBeGreaterThanOrEqual(2)
    expect(month).toContain('忘年会')
    expect(month).not.toContain('土曜練習')
  })
})
