import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { registerPeople } from '../../server/tools/demo.ts'
import { saveMutedKinds } from '../members/member-mails.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addEvent, saveEvent } from './events.server.ts'

const MINUTE = 60_000
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '', attendance: true }

onEachEngine((createDatabase) => {
  const createCircle = async () => {
    const db = await createDatabase()
    const people = await registerPeople(db, noon)
    const clock = { now: noon }
    const author = () => ({ accountId: null, at: new Date(clock.now).toISOString() })
    const deps = {
      db,
      clock: () => clock.now,
      readVerifiedEmails: async (ids: string[]) => new Map(ids.map((account) => [account, `${account}@example.jp`])),
      secret: 'the secret of the tests',
      origin: 'https://example.jp',
    }
    const add = (overrides: object = {}, announces = true) => {
      const event = Event.parse({ ...practice, ...overrides })
      return addEvent(db, crypto.randomUUID(), event, author(), { announces })
    }
    const readMails = async (minutes: number) => {
      clock.now += minutes * MINUTE
      await Promise.all([sendEventNotices(deps), sendEventNotices(deps)])
      return db.selectFrom('outbox').select(['to', 'subject', 'text', 'unsubscribeUrl']).orderBy('to').execute()
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
    for (const { text } of mails) expect(text).toContain('11月28日（土） 9:00から\n回答の締切：11月25日（水）')
    const links = mails.map(({ text }) => /https:\/\/example.jp\/answer\?token=\S+/.exec(text)?.[0])
    expect(new Set(links).size).toBe(2)
    for (const { text, unsubscribeUrl } of mails) expect(text).toContain(unsubscribeUrl)
  })

  test('contain all events that were added together', async () => {
    const { add, readMails } = await createCircle()
    await add()
    expect(await readMails(4)).toEqual([])
    await add({ day: '2026-12-05', title: '紅葉の練習' })
    expect(await readMails(4)).toEqual([])
    const [mail, ...others] = await readMails(1)
    expect(others).toHaveLength(1)
    expect(mail?.subject).toBe('【お店】新しい予定が2件あります')
    expect(mail?.text).toContain('「早朝練習」（11月28日（土））に回答する\nhttps://example.jp/answer?token=')
    expect(mail?.text).toContain('「紅葉の練習」（12月5日（土））に回答する\nhttps://example.jp/answer?token=')
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

  test('are sent when RSVPs are switched on later or the removal of the event is undone', async () => {
    const { db, author, readMails } = await createCircle()
    const [later, restored] = [crypto.randomUUID(), crypto.randomUUID()]
    const event = Event.parse({ ...practice, attendance: false })
    await addEvent(db, later, event, author(), { announces: true })
    const added = await addEvent(db, restored, Event.parse(practice), author(), { announces: true })
    const undo = await undoSave(db, recordTypes, added ?? '', author())
    expect(await readMails(60)).toEqual([])
    await saveEvent(db, { id: later, version: 1 }, Event.parse(practice), author())
    await undoSave(db, recordTypes, undo ?? '', author())
    const mails = await readMails(6)
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('【お店】新しい予定が2件あります'))
  })

  test('replace the reminder when it is due, and are not sent to members who have switched them off', async () => {
    const { db, people, add, readMails } = await createCircle()
    await saveMutedKinds(db, people.approved?.member?.id ?? '', { muted: ['event'] })
    await add({ day: '2026-11-21' })
    expect(await readMails(6)).toMatchObject([
      { to: emails[0], subject: '【お店】「早朝練習」（11月21日（土））のご案内' },
    ])
    expect(await readMails(60)).toHaveLength(1)
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
