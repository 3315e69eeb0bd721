import { expect, test } from 'vitest'
import { tableChecksums } from '../../db/rows.ts'
import { onEachEngine } from '../../db/testing.ts'
import { createTestDependencies, createTestLive, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import type { Person } from '../../server/tools/demo.ts'
import { eraseMember } from './administration.server.ts'
import { mailKindNames, mailKinds } from './mail-kinds.ts'
import { readReceivedMails, receiveMails } from './member-mails.server.ts'
import { createMemberToken } from './member-tokens.server.ts'

const at = new Date(noon).toISOString()
const everyPerson: Person[] = ['guest', 'signedIn', 'applicant', 'approved', 'administrator', 'editor', 'manager']

onEachEngine((createDatabase) => {
  const createSite = async () => {
    const site = await sampleSite(await createDatabase())
    const { db } = site
    const people = await site.people()
    await site.staff()
    const memberId = people.approved?.member?.id ?? ''
    const { secret } = createTestDependencies(db, createTestLive(db))
    const linkOf = (kind: string) =>
      `/unsubscribe?token=${createMemberToken(secret, 'unsubscribe', { memberId, subject: kind })}`
    const mutedKinds = async () => {
      const received = await readReceivedMails(db, memberId)
      return mailKindNames.filter((kind) => received[kind] === '')
    }
    return { site, ...site, people, memberId, linkOf, secret, mutedKinds }
  }

  test('shows a button to each kind of visitor and changes nothing when the page is opened', async () => {
    const { db, as, linkOf } = await createSite()
    const before = await tableChecksums(db)
    for (const person of everyPerson) {
      for (const kind of person === 'guest' ? mailKindNames : (['place'] as const)) {
        const response = await as(person, linkOf(kind))
        const text = await response.text()
        expect(response.status).toBe(200)
        expect(text).toContain(`「${mailKinds[kind].label}」のメール`)
        expect(text).toContain('配信を停止する</button>')
        expect(response.headers.get('cache-control')).toBe('private, no-store')
      }
    }
    expect(await tableChecksums(db)).toEqual(before)
  })

  test('unsubscribes without a session, and subscribes again with the second button', async () => {
    const { post, linkOf, mutedKinds } = await createSite()
    for (const _ of ['first press', 'second press']) {
      const stopped = await (await post('guest', linkOf('change'), { intent: 'stop' })).text()
      expect(stopped).toContain('メールの配信を停止しました。')
      expect(stopped).toContain('もう一度受け取る</button>')
      expect(await mutedKinds()).toEqual(['change'])
    }
    const resumed = await (await post('guest', linkOf('change'), { intent: 'resume' })).text()
    expect(resumed).toContain('メールの配信を再開しました。')
    expect(await mutedKinds()).toEqual([])
  })

  test('accepts the one-click request of a mail program, without Origin and with either type of body', async () => {
    const { get, linkOf, mutedKinds, memberId, db } = await createSite()
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const body of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), form]) {
      const response = await get(linkOf('reminder'), { method: 'POST', body })
      expect(response.status).toBe(200)
      expect(await mutedKinds()).toEqual(['reminder'])
      await receiveMails(db, memberId, 'reminder', true)
    }
  })

  test('rejects forged links, links of a member who has left, and requests from pages of other sites', async () => {
    const { db, get, linkOf, secret, people, memberId, mutedKinds } = await createSite()
    const send = (path: string, headers = {}) => get(path, { method: 'POST', headers, body: new URLSearchParams() })
    const headers = { origin: 'https://elsewhere.example' }
    expect((await send(linkOf('change'), headers)).status).toBe(403)
    const grant = { memberId, subject: 'change' }
    const links = [
      '/unsubscribe',
      '/unsubscribe?token=none',
      linkOf('another'),
      `/unsubscribe?token=${createMemberToken('another secret', 'unsubscribe', grant)}`,
      `/unsubscribe?token=${createMemberToken(secret, 'answer', grant)}`,
    ]
    for (const link of links)
      for (const response of [await get(link), await send(link)]) {
        expect([link, response.status]).toEqual([link, 404])
        expect(await response.text()).toContain('このリンクは使えません。')
      }
    expect(await mutedKinds()).toEqual([])
    await receiveMails(db, memberId, 'place', false)
    await eraseMember(db, people.approved?.accountId ?? '', at)
    expect(await mutedKinds()).toEqual([])
    for (const response of [await get(linkOf('change')), await send(linkOf('change'))])
      expect(response.status).toBe(404)
    expect(await db.selectFrom('mutedMails').selectAll().execute()).toEqual([])
  })

  test('lets members choose the kinds on the account page, and exports the choice', async () => {
    const { site, db, memberId, mutedKinds } = await createSite()
    const browser = await signInBrowser(site, hana)
    expect(await browser.text('/account')).not.toContain('届くメール')
    expect((await browser.post('/account', { intent: 'mails', place: 'on' })).status).toBe(409)
    const { id } = await db
      .selectFrom('accounts')
      .select('id')
      .where('email', '=', hana.email)
      .executeTakeFirstOrThrow()
    await db.updateTable('members').set({ accountId: id }).where('id', '=', memberId).execute()
    await receiveMails(db, memberId, 'place', false)
    const checkbox = (kind: string) => new RegExp(`<input[^>]*name="${kind}"[^>]*/>`)
    const html = await browser.text('/account')
    expect(html.match(checkbox('change'))?.[0]).toContain('checked')
    expect(html.match(checkbox('place'))?.[0]).not.toContain('checked')
    const saved = await browser.post('/account', { intent: 'mails', event: 'on', place: 'on', message: 'on' })
    expect(await saved.text()).toContain('届くメールを保存しました。')
    expect(await mutedKinds()).toEqual(['change', 'reminder'])
    expect(await browser.text('/account/data')).toContain('"mutedMails"')
  })
})
