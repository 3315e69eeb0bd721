import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { addCard } from '../cards/cards.server.ts'
import { builtInPages, pageNames } from './page.ts'
import { pageSettingsOf } from './page-record.server.ts'
import { addPage, readPageToEdit, savePage } from './pages.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const hidden = ['p-secret', 'socialefficiency'] as const
const SECRET = /秘密|\/p\/secret|\/socialefficiency/
const forPrograms = [
  ...['/sitemap.xml', '/manifest.webmanifest', '/robots.txt', '/calendar.ics', '/api/collections/pages'],
  ...hidden.map((id) => `/api/collections/${id}`),
]
const paths = [
  ...pageNames.filter((name) => name !== hidden[1]).map((name) => builtInPages[name].path),
  ...['/firestoreservice', '/pages', '/today', '/account', '/unknown', '/p/other', '/undo', '/bin'],
  ...forPrograms,
]

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  /** Adds a page of the owner, and gives this page and a page of the sample shop secret names and a card. */
  const site = async () => {
    const made = await sampleSite(await fresh())
    const { db, as } = made
    await made.people()
    await addPage(db, 'p-secret', { ...pageSettingsOf('p-secret', null), title: '秘密の頁' }, author)
    for (const id of hidden)
      await addCard(db, id, { title: '秘密の品', content: '秘密の中身', text1: '秘密', linkUrl: '' }, author)
    const show = async (shown: boolean) => {
      for (const id of hidden) {
        const version = (await readPageToEdit(db, id))?.version ?? 0
        await savePage(db, id, { version, facts: { shown, title: '秘密の頁', label: '秘密の頁' } }, author)
      }
    }
    const text = async (person: 'guest' | 'approved' | 'administrator', path: string) => (await as(person, path)).text()
    return { ...made, show, text }
  }

  onSqlite.each(['guest', 'approved'] as const)(
    'hides the names and cards of hidden pages from a visitor (%s)',
    async (person) => {
      const { show, text } = await site()
      await show(false)
      for (const path of paths) expect(SECRET.exec(await text(person, path))?.[0], path).toBeUndefined()
    },
  )

  test.each(['/', '/firestoreservice', '/sitemap.xml', '/api/collections/pages'])(
    'names a page on %s when it is shown again',
    async (path) => {
      const { show, text } = await site()
      await show(true)
      expect(await text('guest', path)).toMatch(/秘密の頁|<loc>http:\/\/localhost\/p\/secret<\/loc>/)
      await show(false)
      expect(await text('guest', path)).not.toMatch(SECRET)
    },
  )
})
