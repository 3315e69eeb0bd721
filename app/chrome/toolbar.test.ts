import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { PageName } from '../pages/page.ts'
import { pageSettingsOf } from '../pages/page-record.server.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>
const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const

const kitchen = ['/today', '/dining', '/calendar']
const own = ['/account']
const all = [...kitchen, '/inbox', '/memberlist', '/site', '/pages', '/staff', '/bin', '/backup', ...own]

/** Where the bar of this page leads, in its order, and what is said beside the words of a way; null where there is none. */
async function barOf(site: Site, person: Person, path = '/') {
  const html = await (await site.as(person, path)).text()
  const [, bar] = /<nav[^>]*aria-label="管理メニュー"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
  if (bar === undefined) return null
  const ways = [...bar.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, to]) => to ?? '')
  return { html: bar, ways, said: [...bar.matchAll(/<a[^>]*aria-label="([^"]+)"/g)].map(([, words]) => words) }
}

async function saveFacts({ db }: Site, changed: object) {
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  await db
    .updateTable('site')
    .set({ facts: JSON.stringify({ ...JSON.parse(facts), ...changed }) })
    .execute()
}

async function hide({ db }: Site, ...ids: PageName[]) {
  for (const id of ids) {
    const row = await db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
    const facts = JSON.stringify({ ...pageSettingsOf(id, row ?? null), shown: false })
    await db.deleteFrom('pages').where('id', '=', id).execute()
    await db.insertInto('pages').values({ id, version: 9, facts, updatedAt: '', deletedAt: null }).execute()
  }
}

let messages = 0
const message = (given: object = {}) => {
  messages += 1
  const written = { recipient: 'shop', subject: '席のご相談', text: '五名で', replyTo: null, spam: false } as const
  return { id: `message-${messages}`, ...written, searchText: '', createdAt: '2026-11-20T03:00:00.000Z', ...given }
}

onEachEngine((fresh) => {
  test.each([
    ['members edit too', false, { approved: [...kitchen, '/bin', ...own], administrator: all }],
    ['only the shop edits', true, { approved: null, administrator: all }],
  ])(
    'where %s, each finds on the bar what they may do, and nothing else',
    async (_, dishesAndCalendarByStaffOnly, ways) => {
      const site = await sampleSite(await fresh())
      await site.people()
      await saveFacts(site, { dishesAndCalendarByStaffOnly })
      const expected = { guest: null, signedIn: null, applicant: null, ...ways }
      for (const path of ['/', '/privacy', '/calendar', '/inbox', '/unknown']) {
        for (const person of people) {
          const bar = await barOf(site, person, path)
          expect(bar?.ways ?? null, `${person} on ${path}`).toEqual(expected[person])
        }
      }
    },
  )

  test('no way leads to a page that this visitor does not find', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await hide(site, 'dining', 'calendar', 'memberlist')
    for (const person of ['approved', 'administrator'] as const) {
      const ways = (await barOf(site, person))?.ways ?? []
      expect(ways, person).toEqual(person === 'approved' ? ['/today', '/bin', ...own] : all)
      for (const way of ways) {
        // The page that this one leads to is not there yet.
        if (way !== '/staff') expect((await site.as(person, way)).status, `${person} ${way}`).toBe(200)
      }
    }
  })

  test('what waits is counted for whoever sees to it, in words too', async () => {
    const site = await sampleSite(await fresh())
    await site.db
      .insertInto('messages')
      .values([message({ readAt: '2026-11-20T03:00:00.000Z' }), message({ spam: true })])
      .execute()
    const visitors = await site.people()
    const said = async (person: Person) => (await barOf(site, person))?.said
    expect(await said('administrator')).toEqual(['メンバー、承認待ち1名'])
    expect(await said('approved')).toEqual([])

    await site.db.insertInto('messages').values([message(), message()]).execute()
    expect(await said('administrator')).toEqual(['受信箱、未読2件', 'メンバー、承認待ち1名'])
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      for (const path of ['/access', '/access.data'])
        expect(await (await site.as(person, path)).text(), `${person} ${path}`).not.toMatch(/未読|承認待ち/)
    }
    await site.post('administrator', '/memberlist', { deed: 'approve', member: visitors.applicant?.member?.id ?? '' })
    await site.db
      .insertInto('messages')
      .values(Array.from({ length: 97 }, () => message()))
      .execute()
    expect(await said('administrator')).toEqual(['受信箱、未読99件'])
    await site.db.insertInto('messages').values(message()).execute()
    expect(await said('administrator')).toEqual(['受信箱、未読100件以上'])
    expect((await barOf(site, 'administrator'))?.html).toContain('data-shown="99+"')
  })

  test('at the foot of the page a guest signs in, and whoever has signed in finds their account; neither is shown the other’s', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const foot = async (person: Person, path: string) => {
      const html = await (await site.as(person, path)).text()
      const [, links = ''] = /aria-label="そのほかのページ"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
      return [...links.matchAll(/href="\/(login|account)"[^>]*>([^<]*)</g)].map(([, to, label]) => `${to} ${label}`)
    }
    // In turns: what is kept for guests is no page of somebody's, and the other way round.
    for (const person of [...people, ...people.toReversed()]) {
      for (const path of ['/dining', '/', '/unknown'])
        expect(await foot(person, path), `${person} on ${path}`).toEqual([
          person === 'guest' ? 'login 会員ログイン' : 'account アカウント',
        ])
    }
  })
})
