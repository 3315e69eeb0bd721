import { randomUUID } from 'node:crypto'
import ICAL from 'ical.js'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { eraseMember } from '../members/administration.server.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'

const TITLE = '内輪の合宿'
const author = { accountId: null, at: new Date(noon).toISOString() }
const ADDRESS = /http:\/\/localhost(\/calendar\/member\.ics\?token=[\w-]{43})/

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const site = await sampleSite(await fresh())
    await openAccounts(site.db, 'miso-soup-12', noon)
    await site.people()
    const addressOf = async (person: 'approved' | 'administrator' = 'approved') =>
      ADDRESS.exec(await (await site.as(person, '/memberlist')).text())?.[1] ?? null
    const renew = async (person: 'approved' | 'administrator' = 'approved') => {
      const response = await site.post(person, '/memberlist', { deed: 'renew feed' })
      return [response.status, /アドレスを作りました|新しいアドレスにしました/.exec(await response.text())?.[0]]
    }
    /** Reads a feed as a program that has the address only. */
    const readFeed = async (path: string) => {
      const response = await browserOf(site).get(path)
      return {
        status: response.status,
        headers: response.headers,
        text: (await response.text()).replaceAll('\r\n ', ''),
      }
    }
    const addEvent = async (fields: Record<string, string> = {}) => {
      const id = randomUUID()
      const event = {
        intent: 'add',
        id,
        day: '2026-11-28',
        title: TITLE,
        membersOnly: 'yes',
        attendance: 'yes',
        ...fields,
      }
      expect((await site.post('administrator', '/calendar', event)).status).toBe(200)
      return id
    }
    return { ...site, addressOf, renew, readFeed, addEvent }
  }

  describe('the feed of a member', () => {
    test('contains events for members and the own answer, and nobody else’s', async () => {
      const site = await createSite()
      const [small, open] = [
        await site.addEvent({ capacity: '1' }),
        await site.addEvent({ title: '月見', membersOnly: '' }),
      ]
      expect(await site.addressOf()).toBeNull()
      expect(await site.renew()).toEqual([200, 'アドレスを作りました'])
      const address = (await site.addressOf()) ?? ''
      await site.post('administrator', '/memberlist', { event: small, answer: 'yes', version: '0' })
      await site.post('approved', '/memberlist', { event: small, answer: 'yes', version: '0' })
      await site.post('approved', '/memberlist', { event: open, answer: 'maybe', version: '0' })
      const { status, text, headers } = await site.readFeed(address)
      const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
      const descriptions = (title: string) =>
        events
          .filter((event) => event.getFirstPropertyValue('summary') === title)
          .map((event) => event.getFirstPropertyValue('description'))
      expect([status, descriptions(TITLE), descriptions('月見')]).toEqual([
        200,
        ['回答：キャンセル待ち（1番目）'],
        ['回答：未定'],
      ])
      expect(text).toContain('SUMMARY:営業')
      expect(text).not.toContain(demoAccounts.administrator.name)
      expect([headers.get('cache-control'), headers.get('x-robots-tag'), headers.getSetCookie()]).toEqual([
        'private, no-store',
        'noindex',
        [],
      ])
      // The other member's feed has the other answer, and the public feed has none.
      await site.renew('administrator')
      expect((await site.readFeed((await site.addressOf('administrator')) ?? '')).text).toContain('回答：参加')
      expect((await site.readFeed('/calendar.ics')).text).not.toMatch(/回答|内輪/)
    })

    test('stays open while the member rests, and can be renewed', async () => {
      const site = await createSite()
      const { approved } = await site.people()
      await site.addEvent()
      await site.renew()
      const address = (await site.addressOf()) ?? ''
      await site.post('approved', '/memberlist', { member: approved?.member?.id ?? '', deed: 'rest' })
      const { status, text } = await site.readFeed(address)
      expect([status, text.includes(TITLE), await site.addressOf()]).toEqual([200, true, address])
      expect(await site.renew()).toEqual([200, '新しいアドレスにしました'])
    })

    test('has a new address after renewal, and the address before opens nothing', async () => {
      const site = await createSite()
      await site.addEvent()
      await site.renew()
      const before = (await site.addressOf()) ?? ''
      expect((await site.readFeed(before)).status).toBe(200)
      expect(await site.renew()).toEqual([200, '新しいアドレスにしました'])
      const after = (await site.addressOf()) ?? ''
      expect(after).not.toBe(before)
      const [old, current] = [await site.readFeed(before), await site.readFeed(after)]
      expect([old.status, old.text.includes(TITLE), current.status]).toEqual([404, false, 200])
      for (const path of [
        '/calendar/member.ics',
        '/calendar/member.ics?token=',
        `${after}x`,
        '/calendar/member.ics?token=%00',
      ])
        expect((await site.readFeed(path)).status, path).toBeGreaterThanOrEqual(400)
    })

    test.each<[reason: string, end: (site: Awaited<ReturnType<typeof createSite>>) => Promise<unknown>]>([
      [
        'the approval ends',
        ({ db }) => db.updateTable('members').set({ admin: false }).where('accountId', '=', 'demo-approved').execute(),
      ],
      [
        'the member is deleted',
        ({ db }) =>
          db.updateTable('members').set({ deletedAt: author.at }).where('accountId', '=', 'demo-approved').execute(),
      ],
      [
        'the account is removed',
        ({ db }) =>
          db.updateTable('accounts').set({ deletedAt: author.at }).where('id', '=', 'demo-approved').execute(),
      ],
      [
        'the circle is switched off',
        async ({ db }) => {
          const page = await readPageToEdit(db, 'tennisrelated')
          await savePage(db, 'tennisrelated', { version: page?.version ?? 0, facts: { shown: false } }, author)
        },
      ],
    ])('opens nothing while %s', async (_, end) => {
      const site = await createSite()
      await site.addEvent()
      await site.renew()
      const address = (await site.addressOf()) ?? ''
      await end(site)
      const { status, text } = await site.readFeed(address)
      expect([status, text]).toEqual([404, 'カレンダーはご覧いただけません。'])
    })

    test('is erased with the member', async () => {
      const site = await createSite()
      await site.renew()
      await site.renew('administrator')
      await inTransaction(site.db, (trx) => eraseMember(trx, 'demo-approved', author.at))
      expect(await site.db.selectFrom('memberFeeds').select('memberId').execute()).toHaveLength(1)
    })

    onSqlite('is offered to nobody but approved members, and is in no log', async () => {
      const site = await createSite()
      await site.staff()
      for (const person of ['guest', 'signedIn', 'applicant', 'manager', 'editor'] as const) {
        expect(await (await site.as(person, '/memberlist')).text(), person).not.toContain('ご自分のカレンダー')
        const { status } = await site.post(person, '/memberlist', { deed: 'renew feed' })
        expect(status, person).toBe(person === 'guest' ? 401 : 403)
      }
      expect(await site.db.selectFrom('memberFeeds').selectAll().execute()).toEqual([])
      await site.renew()
      const address = (await site.addressOf()) ?? ''
      await site.readFeed(address)
      expect(JSON.stringify(site.logged)).not.toContain(address.split('token=')[1])
      const memberList = await (await site.as('approved', '/memberlist')).text()
      expect(memberList).toContain(`href="webcal://localhost${address}"`)
      const cid = encodeURIComponent(`webcal://localhost${address}`)
      expect(memberList).toContain(`href="https://calendar.google.com/calendar/r?cid=${cid}"`)
    })

    onSqlite('stays readable when the calendar page is hidden', async () => {
      const site = await createSite()
      await site.renew()
      const address = (await site.addressOf()) ?? ''
      const page = await readPageToEdit(site.db, 'calendar')
      await savePage(site.db, 'calendar', { version: page?.version ?? 0, facts: { shown: false } }, author)
      expect([(await site.readFeed(address)).status, (await site.readFeed('/calendar.ics')).status]).toEqual([200, 404])
    })
  })

  onSqlite('the calendar page links the public feed for calendar programs and Google, also in English', async () => {
    const site = await createSite()
    const { facts } = await site.db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const settings = JSON.stringify({ ...JSON.parse(facts), otherLanguages: true })
    await site.db.updateTable('site').set({ facts: settings }).execute()
    for (const [path, label] of [
      ['/calendar', 'カレンダーアプリで購読する（自動更新）'],
      ['/en/calendar', 'Subscribe in your calendar app, with updates (in Japanese)'],
    ] as const) {
      const html = await site.text(path)
      expect(html, path).toContain(`<a href="webcal://localhost/calendar.ics">${label}</a>`)
      expect(html, path).toContain(
        'href="https://calendar.google.com/calendar/r?cid=webcal%3A%2F%2Flocalhost%2Fcalendar.ics"',
      )
      expect(html, path).toContain('href="/calendar.ics"')
    }
  })
})
