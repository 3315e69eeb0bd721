import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { timeInJapan } from '../dates/japan.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addSeries, deleteEvent, listEvents, moveEvent, saveEvent } from './events.server.ts'
import { saveRsvp } from './rsvps.server.ts'
import { createTestCircle } from './testing-circle.ts'

const MINUTE = 60_000
const id = '00000000-0000-4000-8000-000000000009'
const days = ['2026-11-28', '2026-12-05', '2026-12-12']
const event = Event.parse({
  ...{ day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '西コートで', attendance: true },
  ...{ deadline: '2026-11-25', deadlineTime: '18:00' },
})

onEachEngine((createDatabase) => {
  const createCircle = async () => {
    const { db, people, clock, author, deps, emailOf } = await createTestCircle(await createDatabase())
    await addSeries(db, id, { event, recurrence: '毎週', days }, author())
    const events = await listEvents(db, '2026-11-01', '2026-12-31', null)
    const answer = async (person: 'approved' | 'administrator', ...indexes: number[]) => {
      const memberId = people[person]?.member?.id ?? ''
      for (const index of indexes) {
        const input = {
          eventId: events[index]?.id ?? '',
          memberId,
          version: 0,
          said: { answer: 'yes', note: '' },
        } as const
        await saveRsvp(db, input, author(), timeInJapan(clock.now))
      }
    }
    /** Sends the notices six minutes later. Returns the e-mails by recipient. */
    const readMails = async () => {
      clock.now += 6 * MINUTE
      await sendEventNotices(deps)
      const mails = await db.selectFrom('outbox').select(['to', 'subject', 'text']).execute()
      await db.deleteFrom('outbox').execute()
      return Map.groupBy(mails, ({ to }) => to)
    }
    const announcement = await readMails()
    return { db, clock, author, deps, events, answer, emailOf, readMails, announcement }
  }

  test('announces a new series in one e-mail to each member', async () => {
    const { announcement, emailOf } = await createCircle()
    const mails = announcement.get(emailOf('approved')) ?? []
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('11月28日（土） 9:00から\n回答の締切：11月25日（水） 18:00')
    expect(mails[0]?.text).toContain('毎週土曜日、12月12日（土）まで3回')
  })

  test('names the sign-in that the link of a new series needs', async () => {
    const { announcement, emailOf } = await createCircle()
    const text = announcement.get(emailOf('approved'))?.[0]?.text
    expect(text).toContain('下のリンクからログインして、各回の出欠を回答できます。')
    expect(text).toContain('https://example.jp/memberlist')
    expect(text).not.toContain('ログインせずに')
  })

  test('asks for a changed answer only if an occurrence of the e-mail still takes RSVPs', async () => {
    const { db, clock, author, answer, emailOf, readMails } = await createCircle()
    await answer('approved', 0, 1)
    clock.now = Date.parse('2026-11-26T12:00+09:00')
    await saveEvent(db, { id, version: 1 }, { ...event, startTime: '10:00' }, author(), 'later')
    const open = (await readMails()).get(emailOf('approved'))?.[0]?.text
    expect(open).toContain('11月28日（土）、12月5日（土）')
    expect(open).toContain('回答を変更してください')
    clock.now = Date.parse('2026-12-03T12:00+09:00')
    await saveEvent(db, { id, version: 2 }, { ...event, startTime: '11:00' }, author(), 'later')
    const closed = [...(await readMails()).values()].flat().find(({ text }) => text.includes('11:00から'))?.text
    expect(closed).toContain('12月5日（土）')
    expect(closed).not.toContain('回答を変更してください')
  })

  test('notifies each member in one e-mail of the changed occurrences that the member has answered', async () => {
    const { db, author, answer, emailOf, readMails } = await createCircle()
    await answer('approved', 0, 1, 2)
    await answer('administrator', 2)
    await saveEvent(db, { id, version: 1 }, { ...event, startTime: '10:00' }, author(), 'later')
    const mails = await readMails()
    expect([...mails.values()].map((each) => each.length)).toEqual([1, 1])
    const text = mails.get(emailOf('approved'))?.[0]?.text
    expect(text).toContain('「早朝練習」（11月28日（土）、12月5日（土）、12月12日（土））の予定が変わりました。')
    expect(text?.match(/時間：9:00から → 10:00から/g)).toHaveLength(1)
    const other = mails.get(emailOf('administrator'))?.[0]?.text
    expect(other).toContain('「早朝練習」（12月12日（土））の予定が変わりました。')
    expect(other).not.toContain('12月5日')
    expect((await readMails()).size).toBe(0)
  })

  test('names the changes of each occurrence when they differ', async () => {
    const { db, author, answer, emailOf, readMails } = await createCircle()
    await answer('approved', 0, 1)
    await moveEvent(db, { id, version: 1 }, '2026-11-29', author(), 'later')
    const [mail, ...others] = (await readMails()).get(emailOf('approved')) ?? []
    expect(others).toEqual([])
    expect(mail?.text).toContain('11月29日（日）\n日付：11月28日（土） → 11月29日（日）\n')
    expect(mail?.text).toContain('12月6日（日）\n日付：12月5日（土） → 12月6日（日）\n')
    expect(mail?.text).toContain('回答の締切：12月3日（木） 18:00')
  })

  test('cancels several occurrences in one e-mail, and none if the deletion is undone', async () => {
    const { db, author, answer, emailOf, readMails, events } = await createCircle()
    await answer('approved', 0, 1, 2)
    const seen = { id: events[1]?.id ?? '', version: 1 }
    const deletion = await deleteEvent(db, seen, author(), 'later')
    await undoSave(db, recordTypes, deletion.ok?.save ?? '', author())
    expect((await readMails()).size).toBe(0)
    await deleteEvent(db, { ...seen, version: 3 }, author(), 'later')
    const [mail, ...others] = (await readMails()).get(emailOf('approved')) ?? []
    expect(others).toEqual([])
    expect(mail?.subject).toContain('「早朝練習」は中止になりました')
    expect(mail?.text).toContain('（12月5日（土）、12月12日（土））は中止になりました。')
  })

  test('reminds members 48 hours before the closing time of an occurrence, and not after it', async () => {
    const { clock, answer, deps, db } = await createCircle()
    await answer('administrator', 0)
    const remindAt = async (now: string) => {
      clock.now = Date.parse(now)
      await sendEventNotices(deps)
      return (await db.selectFrom('outbox').select('text').execute()).map(({ text }) => /\S+ \S+までに/.exec(text)?.[0])
    }
    expect(await remindAt('2026-11-23T17:59:00+09:00')).toEqual([])
    expect(await remindAt('2026-11-23T18:00:00+09:00')).toEqual(['11月25日（水） 18:00までに'])
    await db.deleteFrom('outbox').execute()
    await db.deleteFrom('eventNotices').execute()
    expect(await remindAt('2026-11-25T18:00:00+09:00')).toEqual([])
  })
})
