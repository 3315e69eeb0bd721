import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { untilWaiting } from '../../db/testing-at-once.ts'
import { dayInJapan } from '../dates/japan.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { savePage } from '../pages/pages.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addEvent, deleteEvent, moveEvent, saveEvent } from './events.server.ts'
import type { Rsvp } from './rsvp.ts'
import { saveRsvp } from './rsvps.server.ts'
import { createTestCircle } from './testing-circle.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const id = '00000000-0000-4000-8000-000000000009'
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '西コートで', attendance: true }

onEachEngine((createDatabase, engine) => {
  const createCircle = async (overrides: object = {}) => {
    const { db, people, clock, author, deps, emailOf } = await createTestCircle(await createDatabase())
    const event = Event.parse({ ...practice, ...overrides })
    await addEvent(db, id, event, author())
    const sendAnswer = (person: 'approved' | 'administrator', answer: Rsvp) => {
      const memberId = people[person]?.member?.id ?? ''
      const input = { eventId: id, memberId, version: 0, said: { answer, note: '' } }
      return saveRsvp(db, input, author(), dayInJapan(clock.now))
    }
    const readMails = () => readOutbox(db)
    return { db, people, clock, author, deps, event, sendAnswer, readMails, emailOf }
  }

  test('notifies each member with an RSVP once, five minutes after a change', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails, emailOf } = await createCircle()
    await sendAnswer('approved', 'no')
    await saveEvent(db, { id, version: 1 }, { ...event, startTime: '10:00', content: '東コートで' }, author())
    clock.now += 4 * MINUTE
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
    clock.now += MINUTE
    await Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
    clock.now += HOUR
    await sendEventNotices(deps)
    const [mail, ...others] = await readMails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: emailOf('approved'),
      subject: '【お店】「早朝練習」の予定が変わりました',
    })
    expect(mail?.text).toContain('時間：9:00から → 10:00から\n内容：東コートで')
    expect(mail?.text).not.toContain('日付：')
    expect(mail?.text).toContain('回答を変更してください')
    expect(mail?.text).toContain('https://example.jp/answer?token=')
  })

  test('asks for no changed answer after the deadline', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails } = await createCircle({ deadline: '2026-11-26' })
    await sendAnswer('approved', 'yes')
    clock.now += 7 * 24 * HOUR
    await saveEvent(db, { id, version: 1 }, { ...event, startTime: '10:00' }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    const text = (await readMails()).find(({ subject }) => subject.includes('予定が変わりました'))?.text
    expect(text).toContain('時間：9:00から → 10:00から')
    expect(text).not.toContain('回答を変更してください')
  })

  test('combines several changes in one e-mail and omits undone changes', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails } = await createCircle()
    await sendAnswer('approved', 'yes')
    await moveEvent(db, { id, version: 1 }, '2026-11-29', author())
    const deleted = await deleteEvent(db, { id, version: 2 }, author())
    await undoSave(db, recordTypes, deleted.ok?.save ?? '', author())
    await saveEvent(db, { id, version: 4 }, { ...event, day: '2026-11-29', title: '朝の練習' }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    const [mail, ...others] = await readMails()
    expect(others).toEqual([])
    expect(mail?.text).toContain('日付：11月28日（土） → 11月29日（日）\nタイトル：「早朝練習」→「朝の練習」')

    await saveEvent(db, { id, version: 5 }, { ...event, day: '2026-11-29', title: 'まちがい' }, author())
    await saveEvent(db, { id, version: 6 }, { ...event, day: '2026-11-29', title: '朝の練習' }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    expect(await readMails()).toHaveLength(1)
  })

  test('notifies members with an RSVP when an event is cancelled or its cancellation is undone', async () => {
    const { db, clock, author, deps, sendAnswer, readMails, emailOf } = await createCircle()
    await sendAnswer('approved', 'maybe')
    await sendAnswer('administrator', 'yes')
    const deleted = await deleteEvent(db, { id, version: 1 }, author())
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    expect((await readMails()).map(({ to, subject }) => [to, subject])).toEqual(
      [emailOf('administrator'), emailOf('approved')]
        .sort()
        .map((to) => [to, '【お店】「早朝練習」は中止になりました']),
    )
    await undoSave(db, recordTypes, deleted.ok?.save ?? '', author())
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    const resumedMails = (await readMails()).filter(({ text }) => text.includes('開催することになりました'))
    expect(resumedMails).toHaveLength(2)
  })

  test('sends no notice of a change when the event has no RSVPs or is over', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails } = await createCircle()
    await sendAnswer('approved', 'yes')
    await saveEvent(db, { id, version: 1 }, { ...event, title: '別の名前' }, author())
    clock.now += 9 * 24 * HOUR
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
    const other = crypto.randomUUID()
    await addEvent(db, other, Event.parse({ ...practice, day: '2026-12-28', attendance: false }), author())
    await saveEvent(
      db,
      { id: other, version: 1 },
      Event.parse({ ...practice, day: '2026-12-29', attendance: false }),
      author(),
    )
    clock.now += 6 * MINUTE
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
  })

  test('reminds members without an RSVP once for each deadline, 48 hours before RSVPs close', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails, emailOf } = await createCircle({
      deadline: '2026-11-25',
    })
    await sendAnswer('administrator', 'no')
    clock.now = Date.parse('2026-11-23T23:59:00+09:00')
    await sendEventNotices(deps)
    clock.now = Date.parse('2026-11-24T07:59:00+09:00')
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
    clock.now = Date.parse('2026-11-24T08:00:00+09:00')
    await Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
    clock.now += HOUR
    await sendEventNotices(deps)
    const [mail, ...others] = await readMails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: emailOf('approved'),
      subject: '【お店】「早朝練習」の出欠をお知らせください',
    })
    expect(mail?.text).toContain('11月25日（水）までに')

    await saveEvent(db, { id, version: 1 }, { ...event, deadline: '2026-11-26' }, author())
    clock.now = Date.parse('2026-11-25T12:00:00+09:00')
    await sendEventNotices(deps)
    expect((await readMails()).filter(({ subject }) => subject.includes('出欠'))).toHaveLength(2)
  })

  test('sends change notices but no reminders when the circle is switched off', async () => {
    const { db, clock, author, deps, sendAnswer, readMails, emailOf } = await createCircle({ deadline: '2026-11-25' })
    await sendAnswer('approved', 'yes')
    await savePage(db, 'tennisrelated', { version: 0, facts: { shown: false } }, author())
    clock.now = Date.parse('2026-11-24T08:00:00+09:00')
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
    await moveEvent(db, { id, version: 1 }, '2026-11-29', author())
    clock.now += 5 * MINUTE
    await sendEventNotices(deps)
    expect(await readMails()).toMatchObject([{ to: emailOf('approved') }])
  })

  test('sends no reminder of a past event when its deadline is later than the event', async () => {
    const { db, clock, deps, readMails } = await createCircle()
    await db.updateTable('events').set({ deadline: '2026-12-05' }).where('id', '=', id).execute()
    for (const now of ['2026-11-26T23:59:00+09:00', '2026-11-29T09:00:00+09:00', '2026-12-04T09:00:00+09:00']) {
      clock.now = Date.parse(now)
      await sendEventNotices(deps)
      expect(await readMails(), now).toEqual([])
    }
    // The deadline is later than the event, so the reminder before the event names the day of the event as the
    // deadline.
    clock.now = Date.parse('2026-11-27T09:00:00+09:00')
    await sendEventNotices(deps)
    expect((await readMails()).map(({ text }) => /\S+までに/.exec(text)?.[0])).toContain('11月28日（土）までに')
  })

  test('sends no reminder when the deadline has passed, the event is deleted or the member has no verified e-mail address', async () => {
    const { db, clock, author, deps, readMails, emailOf } = await createCircle({ deadline: '2026-11-25' })
    clock.now = Date.parse('2026-11-26T09:00:00+09:00')
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
    clock.now = Date.parse('2026-11-24T09:00:00+09:00')
    await sendEventNotices({ ...deps, readVerifiedEmails: async () => new Map() })
    expect(await readMails()).toEqual([])
    await db.deleteFrom('eventNotices').execute()
    // A deleted member gets no reminder.
    await db.updateTable('members').set({ deletedAt: author().at }).where('administrator', '=', false).execute()
    await sendEventNotices(deps)
    expect(await readMails()).toMatchObject([{ to: emailOf('administrator') }])
    await db.deleteFrom('outbox').execute()
    await db.deleteFrom('eventNotices').execute()
    await deleteEvent(db, { id, version: 1 }, author())
    await sendEventNotices(deps)
    expect(await readMails()).toEqual([])
  })

  // SQLite permits only one writer, so only PostgreSQL can run the two processes at the same time.
  test.runIf(engine === 'PostgreSQL')('sends one notice when two processes send notices concurrently', async () => {
    const { db, clock, author, deps, event, sendAnswer, readMails } = await createCircle()
    await sendAnswer('approved', 'yes')
    await saveEvent(db, { id, version: 1 }, { ...event, title: '別の名前' }, author())
    clock.now += 6 * MINUTE
    await db.insertInto('eventNotices').values({ eventId: id, toldVersion: 1, reminded: null }).execute()
    // This lock blocks both calls of `sendEventNotices` until both have begun.
    const lockHolder = await db.startTransaction().execute()
    await lockHolder.selectFrom('eventNotices').selectAll().forUpdate().execute()
    const runs = Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
    await untilWaiting(db, 2)
    await lockHolder.rollback().execute()
    await runs
    expect(await readMails()).toHaveLength(1)
  })
})

function readOutbox(db: Db) {
  const mails = db.selectFrom('outbox').select(['to', 'subject', 'text']).where('channel', '=', 'mail')
  return mails.orderBy('createdAt').orderBy('to').execute()
}
