import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { receiveMails } from '../members/member-mails.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addEvent, saveEvent } from './events.server.ts'
import { createTestCircle } from './testing-circle.ts'

const MINUTE = 60_000
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '', attendance: true }

onEachEngine((createDatabase) => {
  const createCircle = async () => {
    const { db, people, clock, author, deps } = await createTestCircle(await createDatabase())
    const add = (overrides: object = {}, announces = true) => {
      const event = Event.parse({ ...practice, ...overrides })
      return addEvent(db, crypto.randomUUID(), event, author(), { announces })
    }
    const readMails = async (minutes: number) => {
      clock.now += minutes * MINUTE
      await Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
      const mails = db.selectFrom('outbox').select(['to', 'subject', 'text', 'unsubscribeUrl'])
      return mails.where('channel', '=', 'mail').orderBy('to').execute()
    }
    return { db, people, author, add, readMails }
  }
  const emails = ['demo-administrator@example.jp', 'demo-approved@example.jp']

  test('are sent once to all approved members, five minutes after the addition', async () => {
    const { add, readMails } = await createCircle()
    await add({ deadline: '2026-11-25' })
    expect(await readMails(4)).toEqual([])
    await readMails(1)
    const mails = await readMails(60)
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual(
      emails.map((to) => [to, '【お店】「早朝練習」（11月28日（土））のご案内']),
    )
    for (const { text } of mails) {
      expect(text).toContain('下のリンクから、ログインせずに出欠を回答できます。')
      expect(text).toContain('11月28日（土） 9:00から\n回答の締切：11月25日（水）')
    }
    const links = mails.map(({ text }) => /https:\/\/example.jp\/answer\?token=\S+/.exec(text)?.[0])
    expect(new Set(links).size).toBe(2)
    for (const { text, unsubscribeUrl } of mails) expect(text).toContain(unsubscribeUrl)
  })

  test('are not sent about events that are undone, past, imported or without RSVPs', async () => {
    const { db, author, add, readMails } = await createCircle()
    const save = await add()
    await undoSave(db, recordTypes, save ?? '', author())
    await add({ day: '2026-11-19' })
    await add({ attendance: false })
    await add({}, false)
    await fillSampleShop(db, { wanted: true, now: noon })
    const subjects = (await readMails(60)).map(({ subject }) => subject)
    expect(subjects.filter((subject) => !subject.includes('出欠をお知らせください'))).toEqual([])
  })

  test('are sent when RSVPs are switched on later', async () => {
    const { db, author, readMails } = await createCircle()
    const id = crypto.randomUUID()
    await addEvent(db, id, Event.parse({ ...practice, attendance: false }), author(), { announces: true })
    expect(await readMails(60)).toEqual([])
    await saveEvent(db, { id, version: 1 }, Event.parse(practice), author())
    expect((await readMails(6)).map(({ subject }) => subject)).toEqual(
      Array(2).fill('【お店】「早朝練習」（11月28日（土））のご案内'),
    )
  })

  test('are not sent to members who have switched them off', async () => {
    const { db, people, add, readMails } = await createCircle()
    await receiveMails(db, people.approved?.member?.id ?? '', 'event', false)
    await add()
    expect((await readMails(6)).map(({ to }) => to)).toEqual(emails.slice(0, 1))
  })

  test('give way to the reminder when the RSVPs close tomorrow', async () => {
    const { add, readMails } = await createCircle()
    await add({ day: '2026-11-21' })
    await readMails(6)
    const mails = await readMails(60)
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('【お店】「早朝練習」の出欠をお知らせください'))
  })
})

test('are sent about an event that an editor adds on the calendar', async () => {
  const site = await sampleSite()
  await site.people()
  const id = '00000000-0000-4000-8000-000000000021'
  const fields = { intent: 'add', id, day: '2026-11-28', title: '早朝練習', attendance: 'yes' }
  expect((await site.post('administrator', '/calendar', fields)).status).toBe(200)
  const notice = await site.db.selectFrom('eventNotices').selectAll().executeTakeFirst()
  expect(notice).toEqual({ eventId: id, toldVersion: 0, reminded: null })
})
