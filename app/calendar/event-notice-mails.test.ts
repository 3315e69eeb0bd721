import { expect, onTestFinished, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { beforeCommit } from '../../db/transaction.ts'
import { noon } from '../../server/testing.ts'
import { registerPeople } from '../../server/tools/demo.ts'
import { dayInJapan } from '../dates/japan.ts'
import { decodeHeader, headersOf, readPlainText, startMailServer } from '../mail/testing-mail-server.ts'
import { createTestMailer, deliverDue } from '../mail/testing-mailer.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { sendEventNotices } from './event-notices.server.ts'
import { addEvent, deleteEvent, moveEvent, saveEvent } from './events.server.ts'
import { updatePlaces } from './places.server.ts'
import { saveRsvp } from './rsvps.server.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const id = '00000000-0000-4000-8000-000000000012'
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '', attendance: true }

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  /** Adds an event with two `yes` RSVPs: the first by the approved member, the second by the administrator. */
  const createCircle = async (overrides: object = {}) => {
    const db = await createDatabase()
    const people = await registerPeople(db, noon)
    const server = await startMailServer()
    onTestFinished(server.stop)
    const clock = { now: noon }
    const author = () => ({ accountId: null, at: new Date(clock.now).toISOString() })
    const deps = {
      db,
      clock: () => clock.now,
      readVerifiedEmails: async (ids: string[]) => new Map(ids.map((account) => [account, `${account}@example.jp`])),
      secret: 'the secret of the tests',
      origin: 'https://example.jp',
    }
    beforeCommit(db, (trx) => updatePlaces(trx, deps))
    const event = Event.parse({ ...practice, ...overrides })
    await addEvent(db, id, event, author())
    for (const person of ['approved', 'administrator'] as const) {
      const memberId = people[person]?.member?.id ?? ''
      const input = { eventId: id, memberId, version: 0, said: { answer: 'yes' as const, note: '' } }
      await saveRsvp(db, input, author(), dayInJapan(clock.now))
    }
    const recipients = new Map(
      (['approved', 'administrator'] as const).map((person) => [`${people[person]?.accountId}@example.jp`, person]),
    )
    const log = { warn: () => {}, error: (problem: object) => expect.unreachable(JSON.stringify(problem)) }
    const mailer = createTestMailer(server.url)
    /** Advances the clock by six minutes. Returns the e-mails that arrive and their recipients. */
    const receiveMails = async () => {
      clock.now += 6 * MINUTE
      await sendEventNotices(deps)
      await deliverDue({ db, clock: () => clock.now, mailer, log, ownerEmail: undefined }, new AbortController().signal)
      return server.arrived.splice(0).map(({ to, raw }) => ({
        to: recipients.get(to[0] ?? ''),
        subject: decodeHeader(new Map(headersOf(raw)).get('subject') ?? ''),
        text: readPlainText(raw),
      }))
    }
    const saveChanges = (version: number, changed: object) =>
      saveEvent(db, { id, version }, Event.parse({ ...practice, ...overrides, ...changed }), author())
    return { db, clock, author, receiveMails, saveChanges }
  }
  const cancelled = ['administrator', 'approved'].map((to) => ({
    to,
    subject: '【お店】「早朝練習」は中止になりました',
  }))
  const sortByRecipient = <T extends { to: string | undefined }>(mails: T[]) =>
    mails.toSorted((a, b) => ((a.to ?? '') < (b.to ?? '') ? -1 : 1))

  test('notifies only the member who loses a spot when the capacity is lowered', async () => {
    const { receiveMails, saveChanges } = await createCircle({ capacity: 2 })
    await saveChanges(1, { capacity: 1 })
    const mails = await receiveMails()
    expect(mails).toMatchObject([{ to: 'administrator', subject: '【お店】「早朝練習」はキャンセル待ちになりました' }])
    expect(mails[0]?.text).toContain('キャンセル待ちの1番目になりました。')
    expect(await receiveMails()).toEqual([])
  })

  test('notifies a waitlisted member who gets a spot when the capacity is raised', async () => {
    const { receiveMails, saveChanges } = await createCircle({ capacity: 1 })
    await saveChanges(1, { capacity: 5 })
    const mails = await receiveMails()
    expect(mails).toMatchObject([{ to: 'administrator' }])
    expect(mails[0]?.text).toContain('キャンセル待ちから参加になりました。')
  })

  onSqlite('omits the waitlist position from an e-mail when the position has not changed', async () => {
    const { receiveMails, saveChanges } = await createCircle({ capacity: 1 })
    await saveChanges(1, { content: '東コートで' })
    const mails = await receiveMails()
    expect(mails).toHaveLength(2)
    for (const { text } of mails) expect(text).not.toContain('キャンセル待ち')
  })

  onSqlite('sends no e-mail when a capacity change moves no member', async () => {
    const { receiveMails, saveChanges } = await createCircle({ capacity: 5 })
    await saveChanges(1, { capacity: 3 })
    expect(await receiveMails()).toEqual([])
  })

  onSqlite('notifies a member of each move when a capacity change is undone', async () => {
    const { db, author, receiveMails, saveChanges } = await createCircle({ capacity: 3 })
    const lowered = await saveChanges(1, { capacity: 1 })
    await undoSave(db, recordTypes, lowered.ok?.save ?? '', author())
    const mails = await receiveMails()
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set(['administrator']))
    expect(mails.map(({ subject }) => subject).sort()).toEqual(
      ['【お店】「早朝練習」はキャンセル待ちになりました', '【お店】「早朝練習」に空きが出て、参加になりました'].sort(),
    )
  })

  onSqlite.each([
    ['directly', 0],
    ['an hour', 60 * MINUTE],
  ] as const)(
    'sends cancellation e-mails when an event is deleted %s after its RSVPs are switched off',
    async (_, delay) => {
      const { db, clock, author, receiveMails, saveChanges } = await createCircle()
      await saveChanges(1, { attendance: false })
      if (delay) await receiveMails()
      clock.now += delay
      await deleteEvent(db, { id, version: 2 }, author())
      expect(sortByRecipient(await receiveMails())).toMatchObject(cancelled)
      expect(await receiveMails()).toEqual([])
    },
  )

  onSqlite('links to the calendar in the e-mail about a moved event when its RSVPs are switched off', async () => {
    const { db, author, receiveMails, saveChanges } = await createCircle()
    await saveChanges(1, { attendance: false })
    await moveEvent(db, { id, version: 2 }, '2026-12-05', author())
    const mails = await receiveMails()
    expect(mails).toHaveLength(2)
    for (const { text } of mails) {
      expect(text).toContain('日付：11月28日（土） → 12月5日（土）\n出欠：とる → とらない')
      expect(text).toContain('https://example.jp/calendar?day=2026-12-05')
      expect(text).not.toMatch(/memberlist|回答を変更して/)
    }
  })

  onSqlite.each([
    ['directly', 0],
    ['an hour', 60 * MINUTE],
  ] as const)('sends cancellation e-mails when an event is deleted %s after a move to the past', async (_, delay) => {
    const { db, clock, author, receiveMails } = await createCircle()
    await moveEvent(db, { id, version: 1 }, '2026-11-10', author())
    if (delay) expect(await receiveMails()).toHaveLength(2)
    clock.now += delay
    await deleteEvent(db, { id, version: 2 }, author())
    expect(sortByRecipient(await receiveMails())).toMatchObject(cancelled)
  })

  test('names the original day in the cancellation e-mail when the event was moved to the past', async () => {
    const { db, author, receiveMails } = await createCircle()
    await moveEvent(db, { id, version: 1 }, '2026-11-10', author())
    await deleteEvent(db, { id, version: 2 }, author())
    for (const { text } of await receiveMails()) expect(text).toContain('「早朝練習」（11月28日（土））は中止')
  })

  onSqlite('sends no e-mail about a change or a deletion when the event is over', async () => {
    const { db, clock, author, receiveMails, saveChanges } = await createCircle({ capacity: 2 })
    clock.now += 9 * DAY
    await saveChanges(1, { title: '先週の練習', capacity: 1 })
    expect(await receiveMails()).toEqual([])
    await deleteEvent(db, { id, version: 2 }, author())
    expect(await receiveMails()).toEqual([])
  })
})
