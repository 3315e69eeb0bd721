import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { SaveResult } from '../forms/save-result.ts'

const id = '00000000-0000-4000-8000-000000000001'
const tasting = { intent: 'add', id, day: '2026-11-26', title: '利き酒の会', content: '三種を少しずつ。' }

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    await site.people()
    const readEvent = (key = id) => site.db.selectFrom('events').selectAll().where('id', '=', key).executeTakeFirst()
    const readHtml = async (path: string, person: 'guest' | 'approved' = 'guest') =>
      (await site.as(person, path)).text()
    return { ...site, readEvent, readHtml }
  }

  onSqlite('shows the holiday, hours and events of each day to a guest without edit links', async () => {
    const { readHtml } = await createSite()
    const month = await readHtml('/calendar?month=2026-11')
    expect(month).toContain('2026年11月')
    expect(month).toContain('>11月3日（火） 文化の日 定休日<')
    expect(month).toContain('>11月20日（金） 今日 営業 7:30〜10:00、11:30〜14:00<')
    expect(month).toContain('予定 9:00〜11:30 テニス練習会<')
    expect(month).not.toContain('毎週の営業時間へ')
    expect(await readHtml('/calendar?month=2026-11', 'approved')).toContain('毎週の営業時間へ')
    // The guest is not an editor, so the page offers no undo.
    expect(await readHtml('/calendar?done=hours&undo=revision')).not.toContain('元に戻す')
    expect(await readHtml('/calendar?done=hours&undo=revision', 'approved')).toContain('元に戻す')
  })

  onSqlite('hides the edit buttons from visitors without permission unless the site shows disabled forms', async () => {
    const { as, post, showEditButtons } = await createSite()
    expect((await post('approved', '/calendar', tasting)).status).toBe(200)
    const paths = ['/calendar?month=2026-11', `/calendar?event=${id}`]
    const buttons = /予定を追加する|編集する|name="title"|だけが行えます/
    const read = async (person: 'guest' | 'signedIn' | 'applicant') =>
      Promise.all(paths.map(async (path) => (await as(person, path)).text()))
    for (const person of ['guest', 'signedIn', 'applicant'] as const) {
      const pages = await read(person)
      for (const page of pages) expect(page, person).not.toMatch(buttons)
      expect(pages[1], person).toContain(`/calendar/${id}.ics`)
    }
    await showEditButtons()
    const [month, event] = await read('guest')
    expect(month).toContain('>予定を追加する<')
    expect(month).toContain('この操作はスタッフと承認されたメンバーだけが行えます。')
    expect(month).toMatch(/<fieldset[^>]* disabled=""[^>]*>.*name="title"/s)
    expect(event).toContain('編集する')
  })

  onSqlite('redirects to the nearest month when the month is invalid or out of range', async () => {
    const { app, readHtml } = await createSite()
    // The cached page of the current month must not be served for other parameters.
    await readHtml('/calendar')
    for (const [query, expected] of [
      ['month=1923-12', 'month=1924-01'],
      ['month=0001-01', 'month=1924-01'],
      ['month=2101-01', 'month=2100-12'],
      ['month=99999-06', 'month=2100-12'],
      ['month=2026-13', 'month=2026-12'],
      ['month=2026-3', 'month=2026-03'],
      ['month=tomorrow', 'month=2026-11'],
      ['year=2030&in=05', 'month=2030-05'],
    ]) {
      const response = await app.request(`http://localhost/calendar?${query}`)
      expect([query, response.status, response.headers.get('location')]).toEqual([query, 302, `/calendar?${expected}`])
    }
  })

  onSqlite('renders no link beyond the first or the last month of the calendar', async () => {
    const { readHtml } = await createSite()
    const first = await readHtml('/calendar?month=1924-01')
    expect(first).toContain('month=1924-02')
    expect(first).not.toContain('month=1923')
    expect(await readHtml('/calendar?month=2100-12')).not.toContain('month=2101')
  })

  onSqlite('opens an event or the year picker by its URL without caching the dialog', async () => {
    const { readHtml, db } = await createSite()
    const soba = await db.selectFrom('events').selectAll().where('title', '=', '新そばの会').executeTakeFirstOrThrow()
    const [month, dialog] = ['/calendar?month=2026-11', /<dialog open=""[^>]*>.*?<\/dialog>/s]
    expect(await readHtml(month)).not.toMatch(dialog)
    expect(await readHtml(month)).toContain(`href="/calendar?month=2026-11&amp;event=${soba.id}"`)
    expect(await readHtml(month)).toContain('href="/calendar?month=2026-11&amp;pick="')
    const [dialogHtml] = dialog.exec(await readHtml(`${month}&event=${soba.id}`)) ?? []
    for (const content of ['新そばの会', soba.content, 'href="/calendar?month=2026-11"'])
      expect(dialogHtml).toContain(content)
    expect(dialog.exec(await readHtml(`${month}&pick`))?.[0]).toContain('name="year"')
    expect(await readHtml(month)).not.toMatch(dialog)
    expect(await readHtml(`${month}&event=unknown`)).not.toMatch(dialog)
    // If the URL has no month, the event determines the month.
    await db.updateTable('events').set({ day: '2027-03-03' }).where('id', '=', soba.id).execute()
    expect(await readHtml(`/calendar?event=${soba.id}`)).toContain('2027年3月3日')
    expect(await readHtml('/calendar?event=unknown')).toContain('2026年11月')
  })

  onSqlite.each([
    ['guest', 401],
    ['signedIn', 403],
    ['applicant', 403],
    ['approved', 200],
    ['administrator', 200],
  ] as const)('responds to a new event from %s with status %i', async (person, status) => {
    const { post, readEvent } = await createSite()
    const response = await post(person, '/calendar', tasting)
    expect(response.status).toBe(status)
    expect((await readEvent())?.title).toBe(status === 200 ? tasting.title : undefined)
  })

  onSqlite('rejects an event from an approved member when only staff may edit the calendar', async () => {
    const { post, db, readEvent } = await createSite()
    const row = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const facts = JSON.stringify({ ...JSON.parse(row.facts), dishesAndCalendarByStaffOnly: true })
    await db.updateTable('site').set({ facts }).execute()
    const response = await post('approved', '/calendar', tasting)
    expect([response.status, await readEvent()]).toEqual([403, undefined])
    expect(await response.text()).toContain('この操作はスタッフだけが行えます')
    expect((await post('administrator', '/calendar', tasting)).status).toBe(200)
  })

  onSqlite('rejects an invalid event with a field error and stores nothing', async () => {
    const { post, readEvent, db } = await createSite()
    for (const [invalid, sentence] of [
      [{ title: '' }, 'タイトルを入力してください'],
      [{ title: ' 　\u200b' }, 'タイトルを入力してください'],
      [{ title: '長'.repeat(101) }, 'タイトルは100文字までです'],
      [{ day: '2026-02-30' }, '日付を選んでください'],
      [{ day: '2101-01-01' }, '1924年から2100年までの日付を選んでください'],
      [{ startTime: '25:00' }, '時刻を選んでください'],
      [{ endTime: '10:00' }, '開始の時刻も選んでください'],
      [{ startTime: '10:00', endTime: '10:00' }, '開始と終了が同じ時刻です'],
      [{ attendance: 'yes', capacity: '0' }, '定員は1から999までの数字で入力してください'],
      [{ attendance: 'yes', deadline: '2026-11-27' }, '締切は当日までの日付にしてください'],
    ] as const) {
      const response = await post('approved', '/calendar?month=2026-11&day=2026-11-26', { ...tasting, ...invalid })
      expect(response.status, sentence).toBe(400)
      expect(await response.text()).toContain(sentence)
      expect(await readEvent()).toBeUndefined()
    }
    // An ID must be a UUID.
    for (const invalid of ['', 'x', `${id}0`])
      expect((await post('approved', '/calendar', { ...tasting, id: invalid })).status).toBe(400)
    expect(await db.selectFrom('events').select('id').where('title', '=', tasting.title).execute()).toEqual([])
  })

  test.each([
    ['an event', {}, { title: '新酒の会' }],
    ['a series', { recurrence: '毎週', until: '2026-12-25' }, { until: '2026-12-11' }],
  ])('rejects %s that was changed after the first response was lost', async (_, fields, changes) => {
    const { db, post } = await createSite()
    const send = async (changes: object = {}) => {
      const response = await post('approved', '/calendar.data', { ...tasting, ...fields, ...changes })
      return { status: response.status, ...(await actionDataOf<SaveResult>(response)) }
    }
    const first = await send()
    const stored = await db.selectFrom('events').selectAll().execute()
    const changed = await send(changes)
    expect(changed).toMatchObject({ status: 409, trouble: expect.stringContaining('まだ保存していません') })
    expect(changed.done).toBeUndefined()
    expect(await send()).toEqual(first)
    expect(await db.selectFrom('events').selectAll().execute()).toEqual(stored)
    expect((await send({ ...changes, id: crypto.randomUUID() })).status).toBe(200)
  })

  test('reports an event that is already stored when its idempotency key is unknown', async () => {
    const { db, post } = await createSite()
    await post('approved', '/calendar', tasting)
    await db.deleteFrom('onceKeys').execute()
    const response = await post('approved', '/calendar.data', { ...tasting, title: '新酒の会' })
    const { done, trouble } = await actionDataOf<SaveResult>(response)
    expect([response.status, done]).toEqual([409, undefined])
    expect(trouble).toContain('すでに追加されています')
    expect(await db.selectFrom('events').select('title').where('id', '=', id).execute()).toEqual([
      { title: tasting.title },
    ])
  })

  test('adds one event when the same form arrives twice', async () => {
    const { post, db } = await createSite()
    const responses = await Promise.all([1, 2].map(() => post('approved', '/calendar', tasting)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(await db.selectFrom('events').selectAll().where('title', '=', tasting.title).execute()).toHaveLength(1)
    expect(await db.selectFrom('revisions').selectAll().where('subjectId', '=', id).execute()).toHaveLength(1)
  })

  test.each([
    ['save', { title: '新酒の会' }],
    ['move', { day: '2026-12-05' }],
  ])('returns the first result when a %s is repeated after a lost response', async (intent, changes) => {
    const { post, readEvent } = await createSite()
    await post('approved', '/calendar', tasting)
    const send = async () => {
      const response = await post('approved', '/calendar.data', {
        ...{ ...tasting, intent, version: '1', once: 'a' },
        ...changes,
      })
      return { status: response.status, ...(await actionDataOf<SaveResult>(response)) }
    }
    const first = await send()
    expect(first).toMatchObject({ status: 200, undo: expect.anything() })
    expect(await send()).toEqual(first)
    expect(await readEvent()).toMatchObject({ ...changes, version: 2 })
  })

  test('returns a conflict to the second of two concurrent editors', async () => {
    const { post, readEvent } = await createSite()
    await post('approved', '/calendar', tasting)
    const save = (title: string) =>
      post('approved', '/calendar', { ...tasting, intent: 'save', version: '1', title, startTime: '18:00' })
    const responses = await Promise.all([save('甲の題'), save('乙の題')])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await readEvent()).toMatchObject({ version: 2, startTime: '18:00' })
    const late = await post('approved', '/calendar', { ...tasting, intent: 'save', version: '1', title: '丙の題' })
    expect(late.status).toBe(409)
    expect((await readEvent())?.title).not.toBe('丙の題')
  })

  test('records each edit, move and deletion of an event in the history and offers an undo', async () => {
    const { post, readEvent, db, clock, readHtml } = await createSite()
    await post('approved', '/calendar', { ...tasting, attendance: 'yes', capacity: '12' })
    const submitChange = async (fields: Record<string, string>) => {
      clock.now += 1000
      const response = await post('approved', '/calendar.data?month=2026-11', { ...tasting, ...fields })
      expect(response.status, fields.intent).toBe(200)
      return (await actionDataOf<SaveResult>(response)).undo?.fields.save ?? ''
    }
    const undo = async (save: string) => {
      clock.now += 1000
      const response = await post('approved', '/undo.data', { save })
      expect(response.status).toBe(200)
      expect((await actionDataOf<SaveResult>(response)).undo?.fields.save).toMatch(/^[\w-]{36}$/)
    }
    await submitChange({ intent: 'save', version: '1', title: '新酒の会', attendance: 'yes', capacity: '12' })
    const moveSave = await submitChange({ intent: 'move', version: '2', day: '2026-12-05' })
    expect(await readEvent()).toMatchObject({ day: '2026-12-05', title: '新酒の会', capacity: 12, version: 3 })
    await undo(moveSave)
    expect(await readEvent()).toMatchObject({ day: '2026-11-26', title: '新酒の会', version: 4 })

    const deletionSave = await submitChange({ intent: 'delete', version: '4' })
    expect(await readHtml('/calendar?month=2026-11')).not.toContain('新酒の会')
    expect((await post('approved', '/calendar', { ...tasting, intent: 'save', version: '5' })).status).toBe(404)
    await undo(deletionSave)
    expect(await readHtml('/calendar?month=2026-11')).toContain('新酒の会')
    // The save cannot be undone, because a later save has changed the same event.
    expect((await post('approved', '/undo', { save: moveSave })).status).toBe(409)

    const revisions = await db.selectFrom('revisions').selectAll().where('subjectId', '=', id).orderBy('at').execute()
    expect(revisions.map(({ action }) => action)).toEqual(['add', 'save', 'move', 'take back', 'delete', 'take back'])
    expect(JSON.parse(revisions[1]?.before ?? '').title).toBe('利き酒の会')
    expect(new Set(revisions.map(({ accountId }) => accountId)).size).toBe(1)
    expect(revisions[0]?.accountId).toBeTruthy()
  })

  onSqlite('moves the deadline with its event and shows the new deadline', async () => {
    const { post, readEvent } = await createSite()
    const eventFields = { ...tasting, attendance: 'yes', deadline: '2026-11-24' }
    await post('approved', '/calendar', eventFields)
    let version = 0
    const moveTo = async (day: string) => {
      version += 1
      const response = await post('approved', '/calendar.data', { intent: 'move', id, version: `${version}`, day })
      expect(response.status).toBe(200)
      return (await actionDataOf<SaveResult>(response)).done
    }
    expect(await moveTo('2026-11-30')).toBe('日付を変更しました。締切も11月28日（土）に変更しました。')
    expect(await readEvent()).toMatchObject({ day: '2026-11-30', deadline: '2026-11-28' })
    expect(await moveTo('2026-11-30')).toBe('日付を変更しました。')
    expect(await moveTo('2026-11-21')).toBe(
      '日付を変更しました。締切は11月19日（木）になり、出欠の受付は終わりました。',
    )
    expect(await moveTo('2026-11-10')).toBe('日付を変更しました。締切も11月8日（日）に変更しました。')
    // The next edit of the event may submit the moved deadline.
    const edited = {
      ...eventFields,
      intent: 'save',
      version: '5',
      day: '2026-11-10',
      deadline: '2026-11-08',
      title: '新酒の会',
    }
    expect((await post('approved', '/calendar', edited)).status).toBe(200)
  })

  onSqlite('saves an event that ends on the next day only after confirmation', async () => {
    const { post, readEvent } = await createSite()
    const misordered = { ...tasting, startTime: '09:00', endTime: '08:30' }
    const sentence = '終了が開始より前です。翌日の8:30に終わる予定なら、下にチェックを入れてください'
    const question = await post('approved', '/calendar.data?month=2026-11&day=2026-11-26', misordered)
    expect([question.status, await readEvent()]).toEqual([400, undefined])
    expect(await actionDataOf(question)).toMatchObject({ errors: { endTime: [expect.stringContaining(sentence)] } })
    // A confirmation of these two times does not confirm other times.
    const otherTimes = await post('approved', '/calendar', {
      ...misordered,
      endTime: '08:00',
      overnight: '09:00-08:30',
    })
    expect([otherTimes.status, await readEvent()]).toEqual([400, undefined])
    const night = { ...tasting, startTime: '22:00', endTime: '02:15', overnight: '22:00-02:15' }
    expect((await post('approved', '/calendar', night)).status).toBe(200)
    expect(await readEvent()).toMatchObject({ startTime: '22:00', endTime: '02:15', version: 1 })
    const unconfirmed = { ...night, intent: 'save', version: '1', overnight: '' }
    expect((await post('approved', '/calendar', unconfirmed)).status).toBe(400)
    expect((await post('approved', '/calendar', { ...unconfirmed, overnight: night.overnight })).status).toBe(200)
  })

  onSqlite('rejects an undo or a deletion by a guest', async () => {
    const { post, readEvent, db } = await createSite()
    await post('approved', '/calendar', tasting)
    const { saveId: save } = await db
      .selectFrom('revisions')
      .select('saveId')
      .where('subjectId', '=', id)
      .executeTakeFirstOrThrow()
    expect((await post('guest', '/undo', { save })).status).toBe(401)
    expect((await post('guest', '/calendar', { intent: 'delete', id, version: '1' })).status).toBe(401)
    expect(await readEvent()).toMatchObject({ version: 1, deletedAt: null })
  })

  onSqlite('shows the specified error message and logs the error when a deletion fails', async () => {
    const { post, db, logged } = await createSite()
    await post('approved', '/calendar', tasting)
    await db.schema.dropTable('revisions').execute()
    const response = await post('approved', '/calendar', { intent: 'delete', id, version: '1' })
    expect(response.status).toBe(500)
    const html = await response.text()
    expect(html).toContain('イベントの削除に失敗しました')
    expect(html).not.toMatch(/revisions/)
    expect(logged.some(({ msg }) => msg === 'save error')).toBe(true)
  })

  const readFeed = async ({ as }: Awaited<ReturnType<typeof sampleSite>>, path = '/calendar.ics') => {
    const response = await as('guest', path)
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^inline; filename="(?:calendar|event)\.ics"$/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const text = await response.text()
    const parsed = new ICAL.Component(ICAL.parse(text))
    const all = parsed.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each))
    const find = (uid: string) => all.find((each) => each.uid.startsWith(uid)) as ICAL.Event
    return { text, all, find, parsed }
  }

  onSqlite('lists business days and events at the correct UTC times in the calendar feed', async () => {
    const site = await createSite()
    await site.post('approved', '/calendar', {
      ...tasting,
      startTime: '18:00',
      endTime: '01:00',
      overnight: '18:00-01:00',
    })
    const { all, find, parsed } = await readFeed(site)
    expect(parsed.getFirstPropertyValue('x-wr-calname')).toBe('ダイニング結')
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length)

    const friday = find('shop-2026-11-20')
    expect([friday.summary, friday.startDate.isDate, friday.startDate.toString(), friday.endDate.toString()]).toEqual([
      '営業 7:30〜10:00、11:30〜14:00',
      true,
      '2026-11-20',
      '2026-11-21',
    ])
    expect(find('shop-2026-11-24').summary).toBe('定休日')
    expect(find('shop-2026-12-31').summary).toBe('年末年始休業')
    expect(find('shop-2026-11-23').description).toBe('勤労感謝の日')

    const night = find(id)
    expect(night.startDate.toJSDate().toISOString()).toBe('2026-11-26T09:00:00.000Z')
    expect(night.endDate.toJSDate().toISOString()).toBe('2026-11-26T16:00:00.000Z')
    const morning = all.find(({ summary }) => summary === 'テニス練習会')
    expect(morning?.startDate.toJSDate().toISOString()).toBe('2026-11-21T00:00:00.000Z')
    expect(morning?.endDate.toJSDate().toISOString()).toBe('2026-11-21T02:30:00.000Z')
    const soba = all.find(({ summary }) => summary === '新そばの会')
    expect([soba?.startDate.isDate, soba?.startDate.toString()]).toEqual([true, '2026-11-22'])

    const days = all.flatMap(({ uid }) => /^shop-([\d-]+)@/.exec(uid)?.[1] ?? []).sort()
    expect([days.length, days[0], days.at(-1)]).toEqual([397, '2026-10-20', '2027-11-20'])
  })

  onSqlite('lists only special days and events in the calendar feed when no weekly schedule is stored', async () => {
    const site = await createSite()
    await site.db.deleteFrom('businessWeek').execute()
    const { all } = await readFeed(site)
    const days = all.flatMap(({ uid }) => /^shop-([\d-]+)@/.exec(uid)?.[1] ?? [])
    expect(days).toEqual(['2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03'])
    expect(all).toHaveLength(days.length + 4)
  })

  test('retains the UID and raises the sequence of a changed event in the calendar feed', async () => {
    const site = await createSite()
    await site.post('approved', '/calendar', tasting)
    const before = await readFeed(site)
    site.clock.now += 1000
    await site.post('approved', '/calendar', { ...tasting, intent: 'save', version: '1', title: '新酒の会' })
    const close = { intent: 'special', first: '2026-11-26', reason: '臨時休業', bulk: 'no', ...noTimes }
    expect((await site.post('approved', '/bussinessdays', close)).status).toBe(302)
    const after = await readFeed(site)
    expect(after.find(id).uid).toBe(before.find(id).uid)
    for (const uid of [id, 'shop-2026-11-26'])
      expect(after.find(uid).sequence, uid).toBeGreaterThan(before.find(uid).sequence)
    expect(after.find('shop-2026-11-27').sequence).toBe(before.find('shop-2026-11-27').sequence)
    expect(after.find('shop-2026-11-26').summary).toBe('臨時休業')

    const one = await readFeed(site, `/calendar/${id}.ics`)
    expect(one.all.map(({ uid }) => uid)).toEqual([after.find(id).uid])
    await site.post('approved', '/calendar', { intent: 'delete', id, version: '2' })
    expect((await site.as('guest', `/calendar/${id}.ics`)).status).toBe(404)
    expect((await readFeed(site)).text).not.toContain('新酒の会')
  })
})

const noTimes = Object.fromEntries(
  ['starttime1', 'endtime1', 'starttime2', 'endtime2'].flatMap((edge) => [
    [`${edge}_hour`, '00'],
    [`${edge}_minute`, '00'],
  ]),
)
