import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { PageName } from '../pages/page.ts'
import { pageSettingsOf } from '../pages/page-record.server.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>
const visitors = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const

const editingPaths = ['/today', '/dining', '/calendar']
const accountPaths = ['/account']
const allPaths = [
  ...editingPaths,
  '/inbox',
  '/memberlist',
  '/notices',
  '/site',
  '/pages',
  '/staff',
  '/bin',
  '/backup',
  ...accountPaths,
]

/** Returns the toolbar of a page: its HTML, link targets and aria-labels. Returns null if the page has no toolbar. */
async function readToolbar(site: Site, person: Person, path = '/') {
  const html = await (await site.as(person, path)).text()
  const [, bar] = /<nav[^>]*aria-label="管理メニュー"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
  if (bar === undefined) return null
  const links = [...bar.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, to]) => to ?? '')
  return { html: bar, links, labels: [...bar.matchAll(/<a[^>]*aria-label="([^"]+)"/g)].map(([, words]) => words) }
}

async function saveSettings({ db }: Site, changed: object) {
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  await db
    .updateTable('site')
    .set({ facts: JSON.stringify({ ...JSON.parse(facts), ...changed }) })
    .execute()
}

async function unpublish({ db }: Site, ...ids: PageName[]) {
  for (const id of ids) {
    const row = await db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
    const facts = JSON.stringify({ ...pageSettingsOf(id, row ?? null), shown: false })
    await db.deleteFrom('pages').where('id', '=', id).execute()
    await db.insertInto('pages').values({ id, version: 9, facts, updatedAt: '', deletedAt: null }).execute()
  }
}

let messages = 0
const createMessage = (changes: object = {}) => {
  messages += 1
  const defaults = { recipient: 'shop', subject: '席のご相談', text: '五名で', replyTo: null, spam: false } as const
  return { id: `message-${messages}`, ...defaults, searchText: '', createdAt: '2026-11-20T03:00:00.000Z', ...changes }
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite.each([
    [
      'members may edit too',
      false,
      { approved: [...editingPaths, '/notices', '/bin', ...accountPaths], administrator: allPaths },
    ],
    ['only staff may edit', true, { approved: null, administrator: allPaths }],
  ])(
    'shows each visitor only the permitted links in the toolbar when %s',
    async (_, dishesAndCalendarByStaffOnly, links) => {
      const site = await sampleSite(await fresh())
      await site.people()
      await saveSettings(site, { dishesAndCalendarByStaffOnly })
      const expected = { guest: null, signedIn: null, applicant: null, ...links }
      for (const path of ['/', '/privacy', '/calendar', '/inbox', '/unknown']) {
        for (const person of visitors) {
          const bar = await readToolbar(site, person, path)
          expect(bar?.links ?? null, `${person} on ${path}`).toEqual(expected[person])
        }
      }
    },
  )

  onSqlite('links an unpublished page in the toolbar only when the visitor can open the page', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await unpublish(site, 'dining', 'calendar', 'memberlist')
    for (const person of ['approved', 'administrator'] as const) {
      const links = (await readToolbar(site, person))?.links ?? []
      expect(links, person).toEqual(person === 'approved' ? ['/today', '/notices', '/bin', ...accountPaths] : allPaths)
      for (const link of links) {
        expect((await site.as(person, link)).status, `${person} ${link}`).toBe(200)
      }
    }
  })

  test('counts unread messages and members awaiting approval in the toolbar of administrators only', async () => {
    const site = await sampleSite(await fresh())
    await site.db
      .insertInto('messages')
      .values([createMessage({ readAt: '2026-11-20T03:00:00.000Z' }), createMessage({ spam: true })])
      .execute()
    const visitors = await site.people()
    const readLabels = async (person: Person) => (await readToolbar(site, person))?.labels
    expect(await readLabels('administrator')).toEqual(['メンバー、承認待ち1名'])
    expect(await readLabels('approved')).toEqual([])

    await site.db.insertInto('messages').values([createMessage(), createMessage()]).execute()
    expect(await readLabels('administrator')).toEqual(['受信箱、未読2件', 'メンバー、承認待ち1名'])
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      for (const path of ['/access', '/access.data'])
        expect(await (await site.as(person, path)).text(), `${person} ${path}`).not.toMatch(/未読|承認待ち/)
    }
    await site.post('administrator', '/memberlist', { deed: 'approve', member: visitors.applicant?.member?.id ?? '' })
    await site.db
      .insertInto('messages')
      .values(Array.from({ length: 97 }, () => createMessage()))
      .execute()
    expect(await readLabels('administrator')).toEqual(['受信箱、未読99件'])
    await site.db.insertInto('messages').values(createMessage()).execute()
    expect(await readLabels('administrator')).toEqual(['受信箱、未読100件以上'])
    expect((await readToolbar(site, 'administrator'))?.html).toContain('data-shown="99+"')
  })

  onSqlite('links sign-in for guests and the account for users in the footer', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const readFooterLinks = async (person: Person, path: string) => {
      const html = await (await site.as(person, path)).text()
      const [, links = ''] = /aria-label="そのほかのページ"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
      return [...links.matchAll(/href="\/(login|account)"[^>]*>([^<]*)</g)].map(([, to, label]) => `${to} ${label}`)
    }
    // Guests and users alternate, because a guest and a user must never share a cached page.
    for (const person of [...visitors, ...visitors.toReversed()]) {
      for (const path of ['/dining', '/', '/unknown'])
        expect(await readFooterLinks(person, path), `${person} on ${path}`).toEqual([
          person === 'guest' ? 'login 会員ログイン' : 'account アカウント',
        ])
    }
  })
})
