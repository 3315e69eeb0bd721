import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { eraseMember } from '../members/administration.server.ts'
import { Event } from './event.ts'
import { addEvent, deleteEvent, listEvents, saveEvent } from './events.server.ts'
import { isRsvpClosed, type Rsvp, splitByCapacity } from './rsvp.ts'
import { readParticipations, saveRsvp } from './rsvps.server.ts'

const today = '2026-11-20'
const id = '00000000-0000-4000-8000-000000000009'
const practice = { day: '2026-11-28', title: '早朝練習', attendance: true }

const author = (accountId: string | null = null) => ({ accountId, at: new Date(noon).toISOString() })

test('assigns spots in queue order and moves the waitlist up when a spot is freed', () => {
  const rsvps = [
    { name: 'b', answer: 'yes' as Rsvp, turn: 2 },
    { name: 'a', answer: 'yes' as Rsvp, turn: 1 },
    { name: 'c', answer: 'yes' as Rsvp, turn: 3 },
  ]
  const splitNames = (all: typeof rsvps, capacity: number | null) => {
    const { coming, waiting } = splitByCapacity(all, capacity)
    return [coming, waiting].map((rows) => rows.map(({ name }) => name).join(''))
  }
  expect(splitNames(rsvps, 2)).toEqual(['ab', 'c'])
  expect(splitNames(rsvps, null)).toEqual(['abc', ''])
  const changedRsvps = rsvps.map((row) => (row.name === 'a' ? { ...row, answer: 'no' as Rsvp } : row))
  expect(splitNames(changedRsvps, 2)).toEqual(['bc', ''])
})

test('closes RSVPs after the deadline, or after the day of an event without a deadline', () => {
  const event = { day: '2026-11-28', deadline: null }
  expect([isRsvpClosed(event, '2026-11-28'), isRsvpClosed(event, '2026-11-29')]).toEqual([false, true])
  const early = { ...event, deadline: '2026-11-25' }
  expect([isRsvpClosed(early, '2026-11-25'), isRsvpClosed(early, '2026-11-26')]).toEqual([false, true])
  // The stored deadline of this event is later than the day of the event.
  const laterDeadline = { ...event, deadline: '2026-12-05' }
  expect([isRsvpClosed(laterDeadline, '2026-11-28'), isRsvpClosed(laterDeadline, '2026-11-29')]).toEqual([false, true])
})

onEachEngine((createDatabase, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async (overrides: object = {}) => {
    const site = await sampleSite(await createDatabase())
    const visitors = await site.people()
    await addEvent(site.db, id, Event.parse({ ...practice, ...overrides }), author())
    const sendRsvp = (
      person: 'guest' | 'signedIn' | 'applicant' | 'approved' | 'administrator',
      fields: Record<string, string>,
    ) => site.post(person, '/memberlist', { event: id, version: '0', ...fields })
    const readRows = () => site.db.selectFrom('answers').selectAll().orderBy('turn').execute()
    const readShown = async (person: keyof typeof visitors) => {
      const events = await listEvents(site.db, practice.day, practice.day, null)
      const [participation] = await readParticipations(site.db, visitors[person], events)
      return participation
    }
    return { ...site, visitors, sendRsvp, readRows, readShown }
  }

  onSqlite.each([
    ['guest', 401],
    ['signedIn', 403],
    ['applicant', 403],
    ['approved', 200],
    ['administrator', 200],
  ] as const)('responds to an RSVP from %s with status %i', async (person, status) => {
    const { sendRsvp, readRows } = await createSite()
    expect((await sendRsvp(person, { answer: 'yes', note: '行きます' })).status).toBe(status)
    expect((await readRows()).map(({ answer }) => answer)).toEqual(status === 200 ? ['yes'] : [])
  })

  onSqlite('shows names and counts of RSVPs only to members, and notes only to administrators', async () => {
    const { sendRsvp, as, db } = await createSite({ capacity: 7 })
    await sendRsvp('approved', { answer: 'yes', note: '車で行きます' })
    await sendRsvp('administrator', { answer: 'maybe', note: '店しだいです' })
    const paths = ['/calendar?month=2026-11', '/calendar.data?month=2026-11', '/memberlist', '/memberlist.data']
    for (const person of ['guest', 'signedIn', 'applicant'] as const) {
      for (const path of paths) {
        const body = await (await as(person, path)).text()
        for (const secret of ['桜井 花', '車で行きます', '店しだいです', '1名', 'まだ回答', 'demo-approved']) {
          expect(body, `${person} ${path}`).not.toContain(secret)
        }
      }
    }
    for (const path of paths.filter((each) => !each.startsWith('/calendar?'))) {
      const body = await (await as('approved', path)).text()
      expect(body).toContain('暖簾 結')
      expect(body).not.toContain('店しだいです')
      expect(await (await as('administrator', path)).text()).toContain('車で行きます')
    }
    expect(await (await as('approved', '/memberlist')).text()).toContain('参加 1名／7名')
    expect(await db.selectFrom('revisions').select('id').where('subject', '=', 'answer').execute()).toHaveLength(2)
  })

  onSqlite('shows a guest the capacity and the RSVP deadline of an event, but no RSVP form', async () => {
    const { as } = await createSite({ capacity: 3, deadline: '2026-11-25' })
    const readDialog = async (person: 'guest' | 'approved') => {
      const body = await (await as(person, `/calendar?month=2026-11&event=${id}`)).text()
      return /<dialog[\s\S]*?<\/dialog>/.exec(body)?.[0] ?? ''
    }
    const guestDialog = await readDialog('guest')
    expect(guestDialog).toContain('出欠をとります（定員3名、締切11月25日（水））')
    expect(guestDialog).not.toContain('回答')
    expect(guestDialog).not.toContain('name="answer"')
    expect(await readDialog('approved')).toContain('name="answer"')
  })

  test('publishes only the topic `answers` when an RSVP changes', async () => {
    const { sendRsvp, live, db } = await createSite()
    const published: unknown[] = []
    live.subscribe((message) => published.push(message))
    await sendRsvp('approved', { answer: 'yes' })
    expect(published).toEqual([{ changed: ['answers'] }])
    await sendRsvp('approved', { answer: '', version: '1' })
    expect(published).toEqual([{ changed: ['answers'] }, { changed: ['answers'] }])
    const rsvpRevisions = db.selectFrom('revisions').selectAll().where('subject', '=', 'answer')
    expect(await rsvpRevisions.where('action', '=', 'withdraw').execute()).toMatchObject([
      { before: expect.stringContaining('"answer":"yes"'), after: null, accountId: 'demo-approved' },
    ])
    // This member has no RSVP, so a withdrawal changes nothing and publishes nothing.
    await sendRsvp('approved', { answer: '' })
    expect(published).toHaveLength(2)
    expect(await rsvpRevisions.execute()).toHaveLength(2)
  })

  test('saves a repeated RSVP form once and rejects an outdated form with a conflict', async () => {
    const { sendRsvp, readRows, db } = await createSite()
    const form = { answer: 'yes', note: '一度だけ', once: 'key-1' }
    expect((await sendRsvp('approved', form)).status).toBe(200)
    expect((await sendRsvp('approved', form)).status).toBe(200)
    expect(await readRows()).toMatchObject([{ answer: 'yes', version: 1 }])
    expect(await db.selectFrom('revisions').select('id').where('subject', '=', 'answer').execute()).toHaveLength(1)
    const late = await sendRsvp('approved', { answer: 'no', once: 'key-2' })
    expect(late.status).toBe(409)
    expect(await late.text()).toContain('ほかの画面で先に回答されています')
    expect(await readRows()).toMatchObject([{ answer: 'yes', note: '一度だけ' }])
  })

  test('rejects an RSVP that was changed after its first response was lost, until the member sends it again', async () => {
    const { sendRsvp, readRows } = await createSite()
    await sendRsvp('approved', { answer: 'yes', once: 'key-1' })
    const changed = await sendRsvp('approved', { answer: 'no', once: 'key-1' })
    const text = await changed.text()
    expect([changed.status, text]).toEqual([409, expect.stringContaining('いまの内容はまだ保存していません')])
    expect(text).not.toContain('と回答しました')
    expect(await readRows()).toMatchObject([{ answer: 'yes', version: 1 }])
    // The browser has meanwhile loaded the version of the stored RSVP, and repeats the first press.
    expect((await sendRsvp('approved', { answer: 'yes', once: 'key-1', version: '1', own: 'a b' })).status).toBe(200)
    expect((await sendRsvp('approved', { answer: 'no', once: 'key-2', version: '1' })).status).toBe(200)
    expect(await readRows()).toMatchObject([{ answer: 'no', version: 2 }])
  })

  onSqlite('shows the confirmation of an RSVP and its undo form only at the event', async () => {
    const { sendRsvp, readRows, db } = await createSite()
    await addEvent(db, 'another', Event.parse(practice), author())
    await sendRsvp('approved', { answer: 'maybe', note: '夕方に' })
    const html = await (await sendRsvp('approved', { answer: 'yes', note: '行けます', version: '1' })).text()
    expect(html.split('data-notice="done"')).toHaveLength(2)
    const undo = /data-notice="done".*?<form[^>]*action="\/memberlist"[^>]*>(.*?)<\/form>/s.exec(html)?.[1] ?? ''
    const fields = [...undo.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ])
    expect(Object.fromEntries(fields)).toEqual({
      event: id,
      answer: 'maybe',
      note: '夕方に',
      companions: '0',
      version: '2',
    })
    expect((await sendRsvp('approved', Object.fromEntries(fields))).status).toBe(200)
    expect(await readRows()).toMatchObject([{ eventId: id, answer: 'maybe', note: '夕方に' }])
  })

  test('moves a waitlisted member up when another member changes an RSVP before the deadline', async () => {
    const { sendRsvp, readShown, clock } = await createSite({ capacity: 1, deadline: '2026-11-21' })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('administrator', { answer: 'yes' })
    expect(await readShown('administrator')).toMatchObject({ coming: ['桜井 花'], own: { waiting: 1 } })
    // The RSVP retains its queue position, because only the note changes.
    await sendRsvp('approved', { answer: 'yes', note: '少し遅れます', version: '1' })
    expect(await readShown('administrator')).toMatchObject({ coming: ['桜井 花'], waiting: ['暖簾 結'] })
    await sendRsvp('approved', { answer: 'no', version: '2' })
    expect(await readShown('administrator')).toMatchObject({ coming: ['暖簾 結'], waiting: [], own: { waiting: null } })
    const undone = await sendRsvp('approved', { answer: 'yes', version: '3' })
    expect(await undone.text()).toContain('キャンセル待ちの1番目です')
    await sendRsvp('approved', { answer: '', version: '4' })
    expect(await readShown('approved')).toMatchObject({ own: null, coming: ['暖簾 結'], waiting: [] })

    clock.now = Date.parse('2026-11-21T23:59:59+09:00')
    expect((await sendRsvp('approved', { answer: 'maybe' })).status).toBe(200)
    clock.now = Date.parse('2026-11-22T00:00:00+09:00')
    const late = await sendRsvp('approved', { answer: 'yes', version: '1' })
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('締切を過ぎたため')])
    expect(await readShown('approved')).toMatchObject({ own: { answer: 'maybe' }, maybe: ['桜井 花'] })
  })

  onSqlite('rejects an invalid RSVP, or an RSVP to an unavailable event, with a message', async () => {
    const { sendRsvp, readRows, db } = await createSite()
    await addEvent(db, 'not asked', Event.parse({ ...practice, attendance: false }), author())
    await addEvent(db, 'cancelled', Event.parse(practice), author())
    await deleteEvent(db, { id: 'cancelled', version: 1 }, author())
    for (const [fields, status, sentence] of [
      [{ answer: 'perhaps' }, 400, '参加・不参加・未定から選んでください'],
      [{ answer: 'toString' }, 400, '参加・不参加・未定から選んでください'],
      [{ answer: 'yes', note: '長'.repeat(101) }, 400, undefined],
      [{ answer: 'yes', event: 'none' }, 404, undefined],
      [{ answer: 'yes', event: 'not asked' }, 404, '出欠の受付を終了しました'],
      [{ answer: 'yes', event: 'cancelled' }, 404, '中止になったか'],
      [{ answer: 'yes', version: 'x' }, 409, undefined],
    ] as const) {
      const response = await sendRsvp('approved', fields)
      expect(response.status).toBe(status)
      if (sentence) expect(await response.text()).toContain(sentence)
    }
    expect(await readRows()).toEqual([])
  })

  test('frees the spot of a removed member', async () => {
    const { sendRsvp, readShown, visitors, post, db, readRows } = await createSite({ capacity: 1 })
    await sendRsvp('approved', { answer: 'yes', note: '秘密' })
    await sendRsvp('administrator', { answer: 'yes' })
    const member = visitors.approved?.member?.id ?? ''
    await post('administrator', '/memberlist', { deed: 'delete', member })
    expect(await readShown('administrator')).toMatchObject({ coming: ['暖簾 結'], waiting: [], notes: [] })
    // The restored member returns to the former queue position.
    await post('administrator', '/bin', { kind: 'member', id: member })
    expect(await readShown('administrator')).toMatchObject({ coming: ['桜井 花'], waiting: ['暖簾 結'] })
    await post('administrator', '/memberlist', { deed: 'withdraw', member })
    expect(await readShown('administrator')).toMatchObject({ coming: ['暖簾 結'], waiting: [], notes: [] })
    await eraseMember(db, 'demo-approved', author().at)
    expect(await readRows()).toHaveLength(1)
    expect(JSON.stringify(await db.selectFrom('revisions').selectAll().execute())).not.toContain('秘密')
  })

  onSqlite('moves waitlisted members up when the capacity grows', async () => {
    const { sendRsvp, readShown, db } = await createSite({ capacity: 1 })
    await sendRsvp('approved', { answer: 'yes' })
    await sendRsvp('administrator', { answer: 'yes' })
    await saveEvent(db, { id, version: 1 }, Event.parse({ ...practice, capacity: 2 }), author())
    expect(await readShown('administrator')).toMatchObject({ coming: ['桜井 花', '暖簾 結'], waiting: [] })
  })

  test('assigns twelve spots in queue order when 200 members send RSVPs concurrently', async () => {
    const { db, readRows, readShown } = await createSite({ capacity: 12 })
    const members = await addTwoHundredMembers(db)
    const finishedIds: string[] = []
    const results = await Promise.all(
      members.map(async (memberId) => {
        const said = { answer: 'yes' as const, note: '' }
        const result = await saveRsvp(db, { eventId: id, memberId, version: 0, said }, author(), today)
        finishedIds.push(memberId)
        return result.error ?? 'saved'
      }),
    )
    expect(new Set(results)).toEqual(new Set(['saved']))
    expect((await readRows()).map(({ turn }) => turn)).toEqual(members.map((_, index) => index + 1))
    const { coming, waiting } = (await readShown('administrator')) ?? {}
    expect([coming?.length, waiting?.length]).toEqual([12, 188])
    expect(new Set([...(coming ?? []), ...(waiting ?? [])])).toEqual(new Set(members))
    expect([...(coming ?? []), ...(waiting ?? [])]).toEqual((await readRows()).map(({ memberId }) => memberId))

    // A freed spot goes to the first waitlisted member.
    const [first = ''] = coming ?? []
    const said = { answer: 'no' as const, note: '' }
    await saveRsvp(db, { eventId: id, memberId: first, version: 1, said }, author(), today)
    const later = await readShown('administrator')
    expect(later?.coming).toEqual([...(coming ?? []).slice(1), waiting?.[0]])
    expect(later?.waiting).toEqual(waiting?.slice(1))
  })
})

// The name of each added member is the member's ID.
async function addTwoHundredMembers(db: Db) {
  const template = await db
    .selectFrom('members')
    .selectAll()
    .where('admin', '=', true)
    .limit(1)
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: 200 }, (_, index) => {
    const id = `m${index}`
    return {
      ...template,
      id,
      accountId: id,
      username: id,
      accountname: id,
      accountnameKey: id,
      administrator: false as const,
    }
  })
  await db.insertInto('members').values(rows).execute()
  return rows.map(({ id }) => id)
}
