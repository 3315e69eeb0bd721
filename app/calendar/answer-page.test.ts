import { expect, test } from 'vitest'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import { onEachEngine } from '../../db/testing.ts'
import { createTestDependencies, createTestLive, dataPathOf, noon, sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { dayInJapan } from '../dates/japan.ts'
import { eraseMember, manageMember } from '../members/administration.server.ts'
import { createMemberToken } from '../members/member-tokens.server.ts'
import { answerUrl } from './answer-link.server.ts'
import { Event } from './event.ts'
import { addEvent, deleteEvent } from './events.server.ts'
import { saveRsvp } from './rsvps.server.ts'

const DAY = 24 * 60 * 60_000
const eventId = '00000000-0000-4000-8000-000000000022'
const at = new Date(noon).toISOString()
const author = { accountId: null, at }
const everyPerson: Person[] = ['guest', 'signedIn', 'applicant', 'approved', 'administrator', 'editor', 'manager']

onEachEngine((createDatabase, engine) => {
  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    const { db } = site
    const people = await site.people()
    await site.staff()
    const event = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', content: '西コート', attendance: true }
    await addEvent(db, eventId, Event.parse({ ...event, capacity: 1, deadline: '2026-11-26' }), author)
    const { secret } = createTestDependencies(db, createTestLive(db))
    const memberIdOf = (person: Person) => people[person]?.member?.id ?? ''
    const linkOf = (person: Person, id = eventId) => answerUrl({ secret, origin: '' }, memberIdOf(person), id)
    const answers = () => db.selectFrom('answers').select(['memberId', 'answer', 'note', 'version']).execute()
    return { ...site, people, secret, memberIdOf, linkOf, answers }
  }

  test('shows the event and the name of the member to each kind of visitor, and saves nothing', async () => {
    const { db, as, people, memberIdOf, linkOf } = await createSite()
    const said = { answer: 'yes' as const, note: '内緒のひとこと' }
    await saveRsvp(db, { eventId, memberId: memberIdOf('administrator'), version: 0, said }, author, dayInJapan(noon))
    const before = await onSnapshot(db, tableChecksums)
    for (const person of everyPerson) {
      for (const path of [linkOf('approved'), dataPathOf(linkOf('approved'))]) {
        const response = await as(person, path)
        const text = await response.text()
        expect(response.status).toBe(200)
        expect(text).toContain('早朝練習')
        expect(text).toContain('桜井 花')
        expect(text).not.toContain('内緒のひとこと')
        if (person !== 'approved') expect(text).not.toContain(people.approved?.email)
        if (person !== 'administrator') expect(text).not.toContain('暖簾 結')
        expect(response.headers.get('cache-control')).toBe('private, no-store')
        expect(response.headers.get('referrer-policy')).toBe('same-origin')
        if (path === linkOf('approved')) expect(text).toContain('<meta name="robots" content="noindex"/>')
      }
    }
    expect(await onSnapshot(db, tableChecksums)).toEqual(before)
  })

  test('saves the RSVP of the member of the link, also when another member is signed in', async () => {
    const { db, get, post, linkOf, memberIdOf, answers, people } = await createSite()
    // A form without JavaScript sends no Origin in some mail programs.
    const body = new URLSearchParams({ answer: 'yes', version: '0', event: 'another', once: 'a' })
    for (const _ of ['first press', 'second press']) {
      const response = await get(linkOf('approved'), { method: 'POST', body })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('「参加」と回答しました。')
    }
    const [revision] = await db.selectFrom('revisions').selectAll().where('subject', '=', 'answer').execute()
    expect(revision?.accountId).toBe(people.approved?.accountId)
    const answered = await post('administrator', linkOf('approved'), { answer: 'no', version: '1', note: '旅行です' })
    expect(await answered.text()).toContain('「不参加」と回答しました。')
    expect(await answers()).toEqual([{ memberId: memberIdOf('approved'), answer: 'no', note: '旅行です', version: 2 }])
  })

  test('rejects an RSVP that was changed after its response was lost, and then saves it without JavaScript', async () => {
    const { get, linkOf, answers } = await createSite()
    const once = 'key-of-the-first-page'
    const send = (fields: Record<string, string>) =>
      get(linkOf('approved'), { method: 'POST', body: new URLSearchParams({ event: eventId, note: '', ...fields }) })
    await send({ answer: 'yes', version: '0', once })
    const changed = await send({ answer: 'no', version: '0', once })
    const html = await changed.text()
    expect([changed.status, html]).toEqual([409, expect.stringContaining('いまの内容はまだ保存していません')])
    expect(await answers()).toMatchObject([{ answer: 'yes', version: 1 }])
    // The page of the refusal has a new key and the current version.
    const read = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
    expect(read('once')).not.toBe(once)
    expect((await send({ answer: 'no', version: read('version'), once: read('once') })).status).toBe(200)
    expect(await answers()).toMatchObject([{ answer: 'no', version: 2 }])
  })

  test('undoes an RSVP through the same link', async () => {
    const { get, post, linkOf, answers } = await createSite()
    const html = await (await post('guest', linkOf('approved'), { answer: 'maybe', version: '0' })).text()
    const undo = html.match(/<form[^>]*action="(\/answer[^"]*)"[^>]*>(?:(?!<\/form>).)*元に戻す/s)?.[1] ?? ''
    expect(undo).toBe(linkOf('approved'))
    const body = new URLSearchParams({ event: eventId, answer: '', note: '', version: '1' })
    expect((await get(undo, { method: 'POST', body })).status).toBe(200)
    expect(await answers()).toEqual([])
  })

  test('saves the RSVP of a member without an account', async () => {
    const { db, get, linkOf, memberIdOf, answers } = await createSite()
    await db.updateTable('members').set({ accountId: null }).where('id', '=', memberIdOf('approved')).execute()
    const body = new URLSearchParams({ answer: 'yes', version: '0' })
    expect((await get(linkOf('approved'), { method: 'POST', body })).status).toBe(200)
    expect(await answers()).toMatchObject([{ memberId: memberIdOf('approved'), answer: 'yes' }])
  })

  test.runIf(engine === 'SQLite')('rejects an answer that is sent from a page of another site', async () => {
    const { get, linkOf, answers } = await createSite()
    const body = new URLSearchParams({ answer: 'yes', version: '0' })
    const headers = { origin: 'https://elsewhere.example' }
    expect((await get(linkOf('approved'), { method: 'POST', headers, body })).status).toBe(403)
    expect(await answers()).toEqual([])
  })

  const changes: [string, number, (site: Awaited<ReturnType<typeof createSite>>) => unknown][] = [
    ['the deadline has passed', 410, ({ clock }) => Object.assign(clock, { now: noon + 7 * DAY })],
    ['the event is deleted', 410, ({ db }) => deleteEvent(db, { id: eventId, version: 1 }, author)],
    ['RSVPs are switched off', 410, ({ db }) => db.updateTable('events').set({ attendance: false }).execute()],
    [
      'the approval of the member is withdrawn',
      410,
      ({ db, people, memberIdOf }) =>
        manageMember(db, people.administrator, memberIdOf('approved'), 'withdraw', { at, around: noNotices }),
    ],
    [
      'the member is in the bin',
      410,
      ({ db, people, memberIdOf }) =>
        manageMember(db, people.administrator, memberIdOf('approved'), 'delete', { at, around: noNotices }),
    ],
    ['the member has left', 410, ({ db, people }) => eraseMember(db, people.approved?.accountId ?? '', at)],
    [
      'the circle is switched off',
      410,
      ({ db }) => db.updateTable('pages').set({ facts: '{"shown":false}' }).where('id', '=', 'tennisrelated').execute(),
    ],
  ]
  const noNotices = { notify: async () => {}, readVerifiedEmails: async () => new Map<string, string>(), origin: '' }

  test.each(changes)('rejects the link with a plain page when %s', async (_, status, change) => {
    const site = await createSite()
    await change(site)
    await expectRefusal(site, site.linkOf('approved'), status)
  })

  test('rejects forged links, links for another purpose and links to another event', async () => {
    const site = await createSite()
    const { secret, memberIdOf, linkOf } = site
    const grant = { memberId: memberIdOf('approved'), subject: eventId }
    const [payload = '', signature = ''] = createMemberToken(secret, 'answer', grant).split('.')
    const otherPayload = createMemberToken(secret, 'answer', { ...grant, memberId: memberIdOf('administrator') })
    for (const token of [
      '',
      'none',
      payload,
      `${payload}.`,
      `${payload}.${'a'.repeat(43)}`,
      `${otherPayload.split('.')[0]}.${signature}`,
      createMemberToken('another secret', 'answer', grant),
      createMemberToken(secret, 'unsubscribe', grant),
    ])
      await expectRefusal(site, `/answer?token=${token}`, 404)
    await expectRefusal(site, linkOf('approved', crypto.randomUUID()), 410)
  })

  async function expectRefusal(site: Awaited<ReturnType<typeof createSite>>, path: string, status: number) {
    const before = await onSnapshot(site.db, tableChecksums)
    const shown = await site.as('guest', path)
    const sent = await site.post('approved', path, { answer: 'yes', version: '0', event: eventId })
    for (const response of [shown, sent]) {
      const text = await response.text()
      expect([path, response.status]).toEqual([path, status])
      expect(text).not.toMatch(/早朝練習|暖簾 結/)
    }
    expect(await onSnapshot(site.db, tableChecksums)).toEqual(before)
  }
})
