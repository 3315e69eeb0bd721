import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { beforeCommit } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { eraseMember, manageMember } from '../members/administration.server.ts'
import { Event } from './event.ts'
import { addEvent, listEvents, readEvent, saveEvent } from './events.server.ts'
import { addGuest } from './guests.server.ts'
import { updatePlaces } from './places.server.ts'
import { splitByCapacity } from './rsvp.ts'
import { readParticipations, readParties, saveRsvp } from './rsvps.server.ts'

const HOUR_MS = 3_600_000
const id = '00000000-0000-4000-8000-000000000019'
const practice = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', attendance: true }
const author = (accountId: string | null = null) => ({ accountId, at: new Date(noon).toISOString() })
const today = '2026-11-20'

test('lets nobody overtake a party that does not fit', () => {
  const party = (name: string, turn: number, companions: number) => ({ name, answer: 'yes' as const, turn, companions })
  const split = (capacity: number | null, ...parties: ReturnType<typeof party>[]) => {
    const { coming, waiting } = splitByCapacity(parties, capacity)
    return [coming, waiting].map((rows) => rows.map(({ name }) => name).join(''))
  }
  expect(split(3, party('a', 1, 1), party('b', 2, 1), party('c', 3, 0))).toEqual(['a', 'bc'])
  expect(split(4, party('a', 1, 1), party('b', 2, 1), party('c', 3, 0))).toEqual(['ab', 'c'])
  expect(split(null, party('b', 2, 2), party('a', 1, 2))).toEqual(['ab', ''])
  // This party never fits, so it must not block the queue forever.
  expect(split(2, party('a', 1, 2), party('b', 2, 1))).toEqual(['b', 'a'])
})

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async (overrides: object = {}) => {
    const site = await sampleSite(await createDatabase())
    const visitors = await site.people()
    await addEvent(site.db, id, Event.parse({ ...practice, ...overrides }), author())
    const idOf = (person: 'approved' | 'administrator') => visitors[person]?.member?.id ?? ''
    const versions = { approved: 0, administrator: 0 }
    const sendRsvp = async (person: 'approved' | 'administrator', fields: Record<string, string>) => {
      const response = await site.post(person, '/memberlist', { event: id, version: `${versions[person]}`, ...fields })
      if (response.status === 200) versions[person] = fields.answer === '' ? 0 : versions[person] + 1
      return response
    }
    const readShown = async () => {
      const events = await listEvents(site.db, practice.day, practice.day, null)
      const participations = await readParticipations(site.db, visitors.administrator, events)
      return participations.find(({ eventId }) => eventId === id)
    }
    /** Returns the e-mails since the last call. */
    const takeMails = () => site.mails.splice(0).map(({ to, subject, text }) => ({ to, subject, text }))
    return { ...site, visitors, idOf, sendRsvp, readShown, takeMails }
  }

  test('notifies the first waitlisted member, but not the author, when a member withdraws', async () => {
    const { sendRsvp, takeMails } = await createSite({ capacity: 1 })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('administrator', { answer: 'yes' })
    expect(takeMails()).toEqual([])
    await sendRsvp('approved', { answer: 'no' })
    const [mail, ...others] = takeMails()
    expect(mail).toMatchObject({
      to: 'noren@example.jp',
      subject: expect.stringContaining('に空きが出て、参加になりました'),
    })
    expect(mail?.text).toContain('「早朝練習」（11月28日（土））に空きが出て、キャンセル待ちから参加になりました。')
    expect(mail?.text).toContain('http://localhost:3000/answer?token=')
    expect(others).toEqual([])
    await sendRsvp('approved', { answer: 'yes' })
    expect(takeMails()).toEqual([])
  })

  onSqlite(
    'counts companions, shows them with the name, and keeps the place only of a party that shrinks',
    async () => {
      const { sendRsvp, readShown, takeMails, as } = await createSite({ capacity: 3 })
      await sendRsvp('approved', { answer: 'yes', companions: '2' })
      await sendRsvp('administrator', { answer: 'yes' })
      expect(await readShown()).toMatchObject({
        coming: ['桜井 花（＋2）'],
        waiting: ['暖簾 結'],
        seats: { coming: 3, waiting: 1 },
      })
      expect(await (await as('approved', '/memberlist')).text()).toContain('参加 3名／3名')
      await sendRsvp('approved', { answer: 'yes', companions: '1' })
      expect(await readShown()).toMatchObject({ coming: ['桜井 花（＋1）', '暖簾 結'], waiting: [] })
      expect(takeMails()).toMatchObject([{ to: 'noren@example.jp' }])
      await sendRsvp('approved', { answer: 'yes', companions: '2' })
      expect(await readShown()).toMatchObject({ coming: ['暖簾 結'], waiting: ['桜井 花（＋2）'] })
      expect(takeMails()).toEqual([])
      await sendRsvp('approved', { answer: 'maybe', companions: '2' })
      expect(await readShown()).toMatchObject({ coming: ['暖簾 結'], maybe: ['桜井 花'], seats: { coming: 1 } })
    },
  )

  onSqlite.each([
    ['3', 400, 'お連れ様は2名までです'],
    ['-1', 400, 'お連れ様は2名までです'],
    ['1.5', 400, 'お連れ様は2名までです'],
    ['many', 400, 'お連れ様は2名までです'],
    ['2', 409, '定員は2名です。お連れ様の人数を減らしてください'],
  ])('rejects %s companions for an event with the capacity 2', async (companions, status, sentence) => {
    const { sendRsvp, db } = await createSite({ capacity: 2 })
    const response = await sendRsvp('approved', { answer: 'yes', companions })
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(sentence)])
    expect(await db.selectFrom('answers').selectAll().execute()).toEqual([])
  })

  test('gives a guest a seat in the same queue', async () => {
    const { sendRsvp, readShown, db, takeMails, post } = await createSite({ capacity: 2 })
    await sendRsvp('approved', { answer: 'yes' })
    const added = await addGuest(db, { id: 'guest', eventId: id, name: '佐藤' }, author())
    await sendRsvp('administrator', { answer: 'yes' })
    expect(await readShown()).toMatchObject({ coming: ['桜井 花', '佐藤（ゲスト）'], waiting: ['暖簾 結'] })
    await post('administrator', '/undo', { save: added.ok ?? '' })
    expect(await readShown()).toMatchObject({ coming: ['桜井 花', '暖簾 結'], waiting: [] })
    expect(takeMails()).toMatchObject([{ to: 'noren@example.jp' }])
  })

  onSqlite.each([
    ['24 hours', '2026-11-21', '12:00', ['noren@example.jp']],
    ['more than 24 hours', '2026-11-21', '12:01', []],
    ['12 hours, at midnight for an all-day event,', '2026-11-21', null, ['noren@example.jp']],
  ])(
    'notifies the administrators of a withdrawal %s before the event: %s %s',
    async (_, day, startTime, recipients) => {
      const { sendRsvp, takeMails } = await createSite({ day, startTime, capacity: 5 })
      await sendRsvp('approved', { answer: 'yes' })
      await sendRsvp('administrator', { answer: 'yes', companions: '1' })
      takeMails()
      await sendRsvp('approved', { answer: '' })
      const mails = takeMails()
      expect(mails.map(({ to }) => to)).toEqual(recipients)
      for (const { subject, text } of mails) {
        expect(subject).toContain('「早朝練習」の参加の取り消しがありました')
        expect(text).toContain('桜井 花 さんが「早朝練習」（11月21日（土））の参加を取り消しました。')
        expect(text).toMatch(/\/calendar\/[\da-f-]+\/people/)
        expect(text).toContain('現在の参加は2名です。')
      }
    },
  )

  const soon = { day: '2026-11-21', startTime: '09:00', capacity: 1 }

  test('notifies the administrators once when a member rests or leaves within 24 hours of the event', async () => {
    const { sendRsvp, post, db, idOf, takeMails, get } = await createSite(soon)
    await sendRsvp('approved', { answer: 'yes' })
    await post('approved', '/memberlist', { member: idOf('approved'), deed: 'rest' })
    const [mail, ...others] = takeMails()
    expect(mail).toMatchObject({ to: 'noren@example.jp', subject: expect.stringContaining('参加の取り消し') })
    expect(mail?.text).toContain('桜井 花 さんが「早朝練習」（11月21日（土））の参加を取り消しました。')
    expect(mail?.text).toContain('現在の参加は0名です。')
    expect(others).toEqual([])
    await eraseMember(db, 'demo-approved', author().at)
    await get('/')
    expect(takeMails()).toEqual([])
  })

  test('reports no withdrawal when a waitlisted member answers no, rests or leaves', async () => {
    const { sendRsvp, post, db, idOf, takeMails, get } = await createSite(soon)
    await sendRsvp('administrator', { answer: 'yes' })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('approved', { answer: 'no' })
    await sendRsvp('approved', { answer: 'yes' })
    await post('approved', '/memberlist', { member: idOf('approved'), deed: 'rest' })
    await post('approved', '/memberlist', { member: idOf('approved'), deed: 'resume' })
    await eraseMember(db, 'demo-approved', author().at)
    await get('/')
    expect(takeMails()).toEqual([])
  })

  test('notifies waitlisted members when a member leaves', async () => {
    const { sendRsvp, db, takeMails, get } = await createSite({ capacity: 1 })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('administrator', { answer: 'yes' })
    await eraseMember(db, 'demo-approved', author().at)
    await get('/')
    expect(takeMails()).toMatchObject([
      { to: 'noren@example.jp', subject: expect.stringContaining('参加になりました') },
    ])
  })

  onSqlite('sends no e-mail about an event that is over', async () => {
    const { sendRsvp, db, takeMails, clock, get } = await createSite({ capacity: 1 })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('administrator', { answer: 'yes' })
    clock.now += 9 * 24 * HOUR_MS
    await saveEvent(db, { id, version: 1 }, Event.parse({ ...practice, capacity: 2 }), author())
    await get('/')
    expect(takeMails()).toEqual([])
  })

  onSqlite('rolls a change back when the places cannot be updated', async () => {
    const { db } = await createSite()
    beforeCommit(db, async () => {
      throw new Error('places unavailable')
    })
    await expect(
      saveEvent(db, { id, version: 1 }, Event.parse({ ...practice, title: '別の会' }), author()),
    ).rejects.toThrow()
    expect(await readEvent(db, id, null)).toMatchObject({ title: '早朝練習', version: 1 })
  })

  describe('resting members', () => {
    test('takes a resting member out of the queue, and back to the former position', async () => {
      const { sendRsvp, post, readShown, idOf, takeMails, as } = await createSite({ capacity: 1 })
      await sendRsvp('approved', { answer: 'yes' })
      await sendRsvp('administrator', { answer: 'yes' })
      const rested = await post('approved', '/memberlist.data', { member: idOf('approved'), deed: 'rest' })
      expect([rested.status, await rested.text()]).toEqual([200, expect.stringContaining('休会中になりました')])
      expect(await readShown()).toMatchObject({ coming: ['暖簾 結'], waiting: [] })
      expect(takeMails()).toMatchObject([
        { to: 'noren@example.jp', subject: expect.stringContaining('参加になりました') },
      ])
      expect(await (await as('administrator', '/memberlist')).text()).toContain('休会中')
      const own = await (await as('approved', '/memberlist')).text()
      expect(own).toContain('休会中のため')
      expect(own).toContain('復帰する')
      expect(own).not.toContain('name="answer"')
      expect((await sendRsvp('approved', { answer: 'yes' })).status).toBe(403)

      await post('approved', '/memberlist', { member: idOf('approved'), deed: 'resume' })
      expect(await readShown()).toMatchObject({ coming: ['桜井 花'], waiting: ['暖簾 結'] })
      expect(takeMails()).toMatchObject([
        { to: 'noren@example.jp', subject: expect.stringContaining('キャンセル待ち') },
      ])
    })

    onSqlite('permits members to rest only themselves, and administrators to let anybody rest', async () => {
      const { post, idOf, db } = await createSite()
      const readResting = async () =>
        (await db.selectFrom('members').select('id').where('resting', '=', true).execute()).map((row) => row.id)
      const rest = async (person: 'applicant' | 'approved' | 'administrator', target: 'approved' | 'administrator') =>
        (await post(person, '/memberlist', { member: idOf(target), deed: 'rest' })).status
      expect(await rest('applicant', 'approved')).toBe(403)
      expect(await rest('approved', 'administrator')).toBe(403)
      expect(await readResting()).toEqual([])
      expect(await rest('administrator', 'approved')).toBe(200)
      expect(await readResting()).toEqual([idOf('approved')])
    })

    onSqlite('undoes a rest, and lists it in the history', async () => {
      const { post, as, idOf, db } = await createSite()
      const rested = await post('approved', '/memberlist.data', { member: idOf('approved'), deed: 'rest' })
      expect(await rested.text()).toContain('"resume"')
      const history = await (await as('administrator', `/history/member/${idOf('approved')}`)).text()
      expect(history).toContain('休会中')
      await post('approved', '/memberlist', { member: idOf('approved'), deed: 'resume' })
      expect(await db.selectFrom('members').select('id').where('resting', '=', true).execute()).toEqual([])
    })
  })

  test('leaves no member with an outdated place when two changes are concurrent', async () => {
    const { db, visitors, idOf } = await createSite({ capacity: 2 })
    const { administrator } = visitors
    const template = await db
      .selectFrom('members')
      .selectAll()
      .where('id', '=', idOf('approved'))
      .executeTakeFirstOrThrow()
    const members = ['m1', 'm2', 'm3', 'm4', 'm5']
    const events = ['e1', 'e2', 'e3']
    for (const member of members) {
      const names = { id: member, accountId: member, username: member, accountname: member, accountnameKey: member }
      await db
        .insertInto('members')
        .values({ ...template, ...names })
        .execute()
    }
    for (const event of events) await addEvent(db, event, Event.parse({ ...practice, capacity: 2 }), author())
    const readVerifiedEmails = async (ids: string[]) => new Map(ids.map((each) => [each, `${each}@example.jp`]))
    const deps = {
      clock: () => noon,
      readVerifiedEmails,
      secret: 'the secret of the tests',
      origin: 'https://example.jp',
    }
    beforeCommit(db, (trx) => updatePlaces(trx, deps))
    const noNotices = { notify: async () => {}, readVerifiedEmails, origin: '' }
    const answer = async (eventId: string, memberId: string, said: 'yes' | 'no') => {
      const row = await db
        .selectFrom('answers')
        .select('version')
        .where('eventId', '=', eventId)
        .where('memberId', '=', memberId)
        .executeTakeFirst()
      const rsvp = { eventId, memberId, version: row?.version ?? 0, said: { answer: said, note: '' } }
      return saveRsvp(db, rsvp, author(memberId), today)
    }
    const manage = (member: string, action: 'rest' | 'resume') =>
      manageMember(db, administrator ?? null, member, action, { at: author().at, around: noNotices })
    for (let round = 0; round < often(4, 60); round += 1) {
      for (const event of events) for (const member of members) await answer(event, member, 'yes')
      await Promise.all([
        manage('m1', 'rest'),
        answer('e1', 'm2', 'no'),
        answer('e2', 'm1', 'no'),
        answer('e3', 'm3', 'no'),
        manage('m4', 'rest'),
      ])
      await Promise.all([
        manage('m1', 'resume'),
        answer('e3', 'm1', 'no'),
        manage('m4', 'resume'),
        answer('e1', 'm2', 'yes'),
      ])
      for (const event of events) {
        const { coming, waiting } = splitByCapacity(
          await readParties(db, [{ id: event, day: '2026-11-28', startTime: null }]),
          2,
        )
        expect(coming.map(({ toldPlace }) => toldPlace)).toEqual(coming.map(() => 'coming'))
        expect(waiting.map(({ toldPlace }) => toldPlace)).toEqual(waiting.map(() => 'waiting'))
      }
    }
  })
})
