import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { dataPathOf, noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { createFormVisitor } from '../../server/testing-forms.ts'
import { demoAccounts, type Person } from '../../server/tools/demo.ts'
import { Event } from '../calendar/event.ts'
import { addEvent } from '../calendar/events.server.ts'
import { saveRsvp } from '../calendar/rsvps.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { receiveMails } from '../members/member-mails.server.ts'

const eventId = '00000000-0000-4000-8000-000000000023'
const author = { accountId: null, at: new Date(noon).toISOString() }
const path = '/memberlist/message'
const prepared = `${path}?to=unanswered&event=${eventId}`
const everyPerson: Person[] = ['guest', 'signedIn', 'applicant', 'approved', 'administrator', 'editor', 'manager']
const writers = ['administrator', 'editor', 'manager']

onEachEngine((createDatabase) => {
  const createSite = async () => {
    const site = await sampleSite(await createDatabase(), {}, { verifies: true })
    const { db } = site
    const people = await site.people()
    await site.staff()
    const event = { day: '2026-11-28', startTime: '09:00', title: '早朝練習', attendance: true, capacity: 1 }
    await addEvent(db, eventId, Event.parse({ ...event, deadline: '2026-11-26' }), author)
    const idOf = (person: Person) => people[person]?.member?.id ?? ''
    const answer = (person: Person) => {
      const input = { eventId, memberId: idOf(person), version: 0, said: { answer: 'yes' as const, note: '' } }
      return saveRsvp(db, input, author, dayInJapan(noon))
    }
    const message = (fields: Record<string, string>) => ({
      subject: '駐車場',
      text: '車は3台まで',
      event: '',
      ...fields,
    })
    const send = (fields: Record<string, string>, person: Person = 'administrator') =>
      site.post(person, dataPathOf(path), { intent: 'send', id: crypto.randomUUID(), ...message(fields) })
    const preview = async (fields: Record<string, string>) => {
      const response = await site.post('administrator', dataPathOf(path), { intent: 'preview', ...message(fields) })
      return (await actionDataOf(response)) as {
        preview?: { id: string; count: number; hasLink: boolean; unverified: string; muted: string }
      }
    }
    const receivers = () => site.mails.splice(0).map(({ to }) => to)
    const messages = () => db.selectFrom('circleMessages').selectAll().execute()
    return { ...site, idOf, answer, send, preview, receivers, messages }
  }
  const email = (person: 'approved' | 'administrator') => demoAccounts[person].email

  test('permits only administrators and staff to write', async () => {
    const { as, send, messages } = await createSite()
    for (const person of everyPerson) {
      const maySend = writers.includes(person)
      const html = await (await as(person, path)).text()
      expect(html.includes('人数を確認する'), person).toBe(maySend)
      expect(html.includes('桜井 花'), person).toBe(maySend || person === 'approved')
      const status = maySend ? 200 : person === 'guest' ? 401 : 403
      expect((await send({ audience: 'all' }, person)).status, person).toBe(status)
    }
    const authors = (await messages()).map(({ accountId }) => accountId)
    expect(authors.sort()).toEqual(writers.map((person) => `demo-${person}`).sort())
    expect(await (await as('manager', path)).text()).toMatch(/番頭 守 さんから 承認されたメンバー全員（2名）/)
  })

  test('asks all who have not answered with the prepared text, by forms without JavaScript', async () => {
    const { as, answer, mails, db } = await createSite()
    await answer('administrator')
    expect(await (await as('administrator', '/memberlist')).text()).toContain(prepared.replace('&', '&amp;'))
    const visitor = createFormVisitor({ as }, 'administrator')
    const form = await visitor.read(prepared)
    expect(form).toContain('value="「早朝練習」（11月28日（土））の出欠をお知らせください"')
    const fields = {
      audience: 'unanswered',
      event: eventId,
      subject: '出欠のお願い',
      text: 'お返事を',
      intent: 'preview',
    }
    const preview = await (await postForm(as, prepared, fields)).text()
    expect(preview).toContain('まだ回答していない方：1名にお送りします。')
    expect(mails).toEqual([])
    const id = /name="id" value="([^"]+)"/.exec(preview)?.[1] ?? ''
    expect(preview).toContain('お返事を')
    for (const _ of ['first press', 'second press'])
      expect(await (await postForm(as, prepared, { ...fields, id, intent: 'send' })).text()).toContain(
        '1名にメールをお送りします。',
      )
    expect(mails).toMatchObject([{ to: email('approved'), subject: '【ダイニング結】出欠のお願い' }])
    expect(mails[0]?.text).toMatch(/^桜井 花 様\n\nお返事を\n\n出欠を回答する\nhttp:\/\/localhost\/answer\?token=/)
    expect(mails[0]?.text).toContain(mails[0]?.unsubscribeUrl)
    const sent = await db.selectFrom('circleMessages').select(['audience', 'recipients']).execute()
    expect(sent).toEqual([{ audience: '「早朝練習」（11月28日（土））にまだ回答していない方', recipients: 1 }])
  })

  test('promises no link to the answer after the deadline', async () => {
    const { as, clock, preview } = await createSite()
    const fields = { audience: 'unanswered', event: eventId }
    expect((await preview(fields)).preview?.hasLink).toBe(true)
    clock.now += 7 * 24 * 60 * 60_000
    const html = await (await as('administrator', prepared)).text()
    expect(html).toContain('value="「早朝練習」（11月28日（土））について"')
    expect(html).not.toContain('下のリンクから')
    expect((await preview(fields)).preview?.hasLink).toBe(false)
    expect(await (await as('administrator', `/calendar?event=${eventId}`)).text()).not.toContain(
      '回答していない方に連絡する',
    )
  })

  test('prepares the text for an event beyond the nearest ones', async () => {
    const { db, as } = await createSite()
    const near = Event.parse({ day: '2026-11-22', title: '練習', attendance: true })
    for (let count = 0; count < 31; count += 1) await addEvent(db, crypto.randomUUID(), near, author)
    const html = await (await as('administrator', prepared)).text()
    expect(html).toContain('value="「早朝練習」（11月28日（土））の出欠をお知らせください"')
    expect(html).toMatch(new RegExp(`<option value="${eventId}" selected`))
  })

  test('sends to each group of recipients, and names the members without an e-mail', async () => {
    const { db, accounts, idOf, answer, send, preview, receivers, messages } = await createSite()
    await answer('administrator')
    await answer('approved')
    const cases: [Record<string, string>, string[]][] = [
      [{ audience: 'all' }, [email('administrator'), email('approved')]],
      // The approved member is on the waitlist.
      [{ audience: 'coming', event: eventId }, [email('administrator')]],
      [{ audience: 'chosen', member: idOf('approved') }, [email('approved')]],
    ]
    for (const [fields, expected] of cases) {
      expect((await preview(fields)).preview).toMatchObject({ count: expected.length, unverified: '', muted: '' })
      expect((await send(fields)).status).toBe(200)
      expect(receivers().sort()).toEqual(expected.toSorted())
    }
    expect(await messages()).toHaveLength(3)
    const empty: Record<string, string>[] = [
      { audience: 'unanswered', event: eventId },
      { audience: 'chosen', member: idOf('applicant') },
    ]
    for (const fields of empty) {
      expect((await preview(fields)).preview?.count).toBe(0)
      expect((await send(fields)).status).toBe(409)
    }
    await receiveMails(db, idOf('administrator'), 'message', false)
    Object.assign(accounts.get('demo-approved') ?? {}, { emailVerified: false })
    expect((await preview({ audience: 'all' })).preview).toMatchObject({
      count: 0,
      unverified: '桜井 花',
      muted: '暖簾 結',
    })
    Object.assign(accounts.get('demo-approved') ?? {}, { emailVerified: true })
    expect([await messages(), receivers()]).toEqual([expect.objectContaining({ length: 3 }), []])
  })

  test('sends a message once when it is submitted twice at the same time', async () => {
    const { send, receivers, messages } = await createSite()
    const id = crypto.randomUUID()
    const responses = await Promise.all([send({ audience: 'all', id }), send({ audience: 'all', id })])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(receivers()).toHaveLength(2)
    expect(await messages()).toHaveLength(1)
  })

  test('sends a message once when its recipients are counted again after a lost response', async () => {
    const { send, preview, receivers, messages } = await createSite()
    const { preview: { id } = { id: '' } } = await preview({ audience: 'all' })
    await send({ audience: 'all', id })
    expect((await preview({ audience: 'all', id })).preview?.id).toBe(id)
    expect((await send({ audience: 'all', id })).status).toBe(200)
    expect([receivers().length, (await messages()).length]).toEqual([2, 1])
  })

  test('rejects a changed message when the response to the first one was lost', async () => {
    const { send, receivers, messages } = await createSite()
    const id = crypto.randomUUID()
    await send({ audience: 'all', id })
    const changed = await send({ audience: 'all', id, text: '車は5台まで' })
    expect([changed.status, await changed.text()]).toEqual([409, expect.stringContaining('まだ保存していません')])
    expect([receivers().length, (await messages()).map(({ text }) => text)]).toEqual([2, ['車は3台まで']])
  })

  test('limits the number of messages per hour, and repeats the text in the form', async () => {
    const { send, messages } = await createSite()
    for (let count = 0; count < 20; count += 1) expect((await send({ audience: 'all' })).status).toBe(200)
    const response = await send({ audience: 'all' })
    expect(response.status).toBe(429)
    expect(await actionDataOf(response)).toMatchObject({ values: { subject: '駐車場', text: '車は3台まで' } })
    expect(await messages()).toHaveLength(20)
  })
})

describe('the form of a message', () => {
  test.each([
    [{ audience: 'all', subject: '', text: 'a' }, 'subject'],
    [{ audience: 'all', subject: 'a', text: ' ' }, 'text'],
    [{ audience: 'coming', subject: 'a', text: 'a' }, 'event'],
    [{ audience: 'chosen', subject: 'a', text: 'a' }, 'member'],
    [{ audience: 'others', subject: 'a', text: 'a' }, 'audience'],
  ])('rejects %o with an error at the field %s', async (fields, name) => {
    const site = await sampleSite()
    await site.people()
    const response = await site.post('administrator', dataPathOf(path), { intent: 'preview', ...fields })
    expect(response.status).toBe(400)
    expect(await actionDataOf(response)).toMatchObject({ errors: { [name]: [expect.any(String)] } })
  })

  test('describes the members by the error when none is chosen', async () => {
    const site = await sampleSite()
    await site.people()
    const fields = { intent: 'preview', audience: 'chosen', subject: 'a', text: 'a' }
    const html = await (await postForm(site.as, path, fields)).text()
    expect(html).toMatch(/<p id="member-error"[^>]*>連絡する方を選んでください</)
    expect(html).toMatch(
      /<input type="checkbox"[^>]*aria-invalid="true" aria-describedby="member-error"[^>]*name="member"/,
    )
  })
})

function postForm(as: Awaited<ReturnType<typeof sampleSite>>['as'], url: string, fields: Record<string, string>) {
  const headers = { origin: 'http://localhost' }
  return as('administrator', url, { method: 'POST', headers, body: new URLSearchParams(fields) })
}
