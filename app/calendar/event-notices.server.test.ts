import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { untilWaiting } from '../../db/testing-at-once.ts'
import { noon } from '../../server/testing.ts'
import { registerPeople } from '../../server/tools/demo.ts'
import { dayInJapan } from '../dates/japan.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { savePage } from '../pages/pages.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addEvent, deleteEvent, moveEvent, saveEvent } from './events.server.ts'
import type { Rsvp } from './rsvp.ts'
import { saveRsvp } from './rsvps.server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const id = '00000000-0000-4000-8000-000000000009'
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '西コートで', attendance: true }

onEachEngine((fresh, engine) => {
  const circle = async (further: object = {}) => {
    const db = await fresh()
    const people = await registerPeople(db, noon)
    const clock = { now: noon }
    const author = () => ({ accountId: null, at: new Date(clock.now).toISOString() })
    const telling = {
      db,
      clock: () => clock.now,
      provenAddresses: async (ids: string[]) => new Map(ids.map((account) => [account, `${account}@example.jp`])),
      origin: 'https://example.jp',
    }
    const event = Event.parse({ ...practice, ...further })
    await addEvent(db, id, event, author())
    const answered = (person: 'approved' | 'administrator', answer: Rsvp) => {
      const memberId = people[person]?.member?.id ?? ''
      const given = { eventId: id, memberId, version: 0, said: { answer, note: '' } }
      return saveRsvp(db, given, author(), dayInJapan(clock.now))
    }
    const mails = () => outbox(db)
    const accountOf = (person: 'approved' | 'administrator') => `${people[person]?.accountId}@example.jp`
    return { db, people, clock, author, telling, event, answered, mails, accountOf }
  }

  test('who has answered is told of a change, once, five minutes after it; nobody else', async () => {
    const { db, clock, author, telling, event, answered, mails, accountOf } = await circle()
    await answered('approved', 'no')
    await saveEvent(db, { id, version: 1 }, { ...event, startTime: '10:00', content: '東コートで' }, author())
    clock.now += 4 * MINUTE
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
    clock.now += MINUTE
    await Promise.all([sendEventNotices(telling), sendEventNotices(telling)])
    clock.now += HOUR
    await sendEventNotices(telling)
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: accountOf('approved'),
      subject: '【お店】「早朝練習」の予定が変わりました',
    })
    expect(mail?.text).toContain('時間：9:00から → 10:00から\n内容：東コートで')
    expect(mail?.text).not.toContain('日付：')
    expect(mail?.text).toContain('https://example.jp/memberlist')
  })

  test('several changes are told as one, and one that is taken back is not told', async () => {
    const { db, clock, author, telling, event, answered, mails } = await circle()
    await answered('approved', 'yes')
    await moveEvent(db, { id, version: 1 }, '2026-11-29', author())
    const deleted = await deleteEvent(db, { id, version: 2 }, author())
    await undoSave(db, recordTypes, deleted.ok?.save ?? '', author())
    await saveEvent(db, { id, version: 4 }, { ...event, day: '2026-11-29', title: '朝の練習' }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(telling)
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail?.text).toContain('日付：11月28日（土） → 11月29日（日）\nタイトル：「早朝練習」→「朝の練習」')

    await saveEvent(db, { id, version: 5 }, { ...event, day: '2026-11-29', title: 'まちがい' }, author())
    await saveEvent(db, { id, version: 6 }, { ...event, day: '2026-11-29', title: '朝の練習' }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(telling)
    expect(await mails()).toHaveLength(1)
  })

  test('who has answered is told that it is cancelled, and that it takes place after all', async () => {
    const { db, clock, author, telling, answered, mails, accountOf } = await circle()
    await answered('approved', 'maybe')
    await answered('administrator', 'yes')
    const deleted = await deleteEvent(db, { id, version: 1 }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(telling)
    expect((await mails()).map(({ to, subject }) => [to, subject])).toEqual(
      [accountOf('administrator'), accountOf('approved')]
        .sort()
        .map((to) => [to, '【お店】「早朝練習」は中止になりました']),
    )
    await undoSave(db, recordTypes, deleted.ok?.save ?? '', author())
    clock.now += 6 * MINUTE
    await sendEventNotices(telling)
    const again = (await mails()).filter(({ text }) => text.includes('開催することになりました'))
    expect(again).toHaveLength(2)
  })

  test('of an event that nobody is asked about, or that is over, nobody is told', async () => {
    const { db, clock, author, telling, event, answered, mails } = await circle()
    await answered('approved', 'yes')
    await saveEvent(db, { id, version: 1 }, { ...event, title: '別の名前' }, author())
    clock.now += 9 * 24 * HOUR
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
    const other = crypto.randomUUID()
    await addEvent(db, other, Event.parse({ ...practice, day: '2026-12-28', attendance: false }), author())
    await saveEvent(
      db,
      { id: other, version: 1 },
      Event.parse({ ...practice, day: '2026-12-29', attendance: false }),
      author(),
    )
    clock.now += 6 * MINUTE
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
  })

  test('who has not answered is reminded 48 hours before answers end, in the daytime, once for each deadline', async () => {
    const { db, clock, author, telling, event, answered, mails, accountOf } = await circle({ deadline: '2026-11-25' })
    await answered('administrator', 'no')
    clock.now = Date.parse('2026-11-23T23:59:00+09:00')
    await sendEventNotices(telling)
    clock.now = Date.parse('2026-11-24T07:59:00+09:00')
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
    clock.now = Date.parse('2026-11-24T08:00:00+09:00')
    await Promise.all([sendEventNotices(telling), sendEventNotices(telling)])
    clock.now += HOUR
    await sendEventNotices(telling)
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: accountOf('approved'),
      subject: '【お店】「早朝練習」の出欠をお知らせください',
    })
    expect(mail?.text).toContain('11月25日（水）までに')

    await saveEvent(db, { id, version: 1 }, { ...event, deadline: '2026-11-26' }, author())
    clock.now = Date.parse('2026-11-25T12:00:00+09:00')
    await sendEventNotices(telling)
    expect((await mails()).filter(({ subject }) => subject.includes('出欠'))).toHaveLength(2)
  })

  test('reminds nobody without a circle, and still notifies those who have answered of a change', async () => {
    const { db, clock, author, telling, answered, mails, accountOf } = await circle({ deadline: '2026-11-25' })
    await answered('approved', 'yes')
    await savePage(db, 'tennisrelated', { version: 0, facts: { shown: false } }, author())
    clock.now = Date.parse('2026-11-24T08:00:00+09:00')
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
    await moveEvent(db, { id, version: 1 }, '2026-11-29', author())
    clock.now += 5 * MINUTE
    await sendEventNotices(telling)
    expect(await mails()).toMatchObject([{ to: accountOf('approved') }])
  })

  test('nobody is reminded of an event that has been, whatever its deadline says', async () => {
    const { db, clock, telling, mails } = await circle()
    await db.updateTable('events').set({ deadline: '2026-12-05' }).where('id', '=', id).execute()
    for (const now of ['2026-11-26T23:59:00+09:00', '2026-11-29T09:00:00+09:00', '2026-12-04T09:00:00+09:00']) {
      clock.now = Date.parse(now)
      await sendEventNotices(telling)
      expect(await mails(), now).toEqual([])
    }
    // Before its day it is told with the day.
    clock.now = Date.parse('2026-11-27T09:00:00+09:00')
    await sendEventNotices(telling)
    expect((await mails()).map(({ text }) => /\S+までに/.exec(text)?.[0])).toContain('11月28日（土）までに')
  })

  test('nobody is reminded after the deadline, of a deleted event, or without a proven address', async () => {
    const { db, clock, author, telling, mails, accountOf } = await circle({ deadline: '2026-11-25' })
    clock.now = Date.parse('2026-11-26T09:00:00+09:00')
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
    clock.now = Date.parse('2026-11-24T09:00:00+09:00')
    await sendEventNotices({ ...telling, provenAddresses: async () => new Map() })
    expect(await mails()).toEqual([])
    await db.deleteFrom('eventNotices').execute()
    // Who has left the circle is told of nothing more.
    await db.updateTable('members').set({ deletedAt: author().at }).where('administrator', '=', false).execute()
    await sendEventNotices(telling)
    expect(await mails()).toMatchObject([{ to: accountOf('administrator') }])
    await db.deleteFrom('outbox').execute()
    await db.deleteFrom('eventNotices').execute()
    await deleteEvent(db, { id, version: 1 }, author())
    await sendEventNotices(telling)
    expect(await mails()).toEqual([])
  })

  // SQLite has one writer: there nobody comes in between.
  test.runIf(engine === 'PostgreSQL')('of two processes that would tell of it at once one does', async () => {
    const { db, clock, author, telling, event, answered, mails } = await circle()
    await answered('approved', 'yes')
    await saveEvent(db, { id, version: 1 }, { ...event, title: '別の名前' }, author())
    clock.now += 6 * MINUTE
    await db.insertInto('eventNotices').values({ eventId: id, toldVersion: 1, reminded: null }).execute()
    // Whoever holds it lets both begin, and neither end.
    const holding = await db.startTransaction().execute()
    await holding.selectFrom('eventNotices').selectAll().forUpdate().execute()
    const both = Promise.all([sendEventNotices(telling), sendEventNotices(telling)])
    await untilWaiting(db, 2)
    await holding.rollback().execute()
    await both
    expect(await mails()).toHaveLength(1)
  })
})

function outbox(db: Kysely<Tables>) {
  return db.selectFrom('outbox').select(['to', 'subject', 'text']).orderBy('createdAt').orderBy('to').execute()
}
