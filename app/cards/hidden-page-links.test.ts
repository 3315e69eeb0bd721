import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { PageId } from '../pages/page.ts'
import { pageSettingsOf } from '../pages/page-record.server.ts'
import { addPage, deletePage, readPageToEdit, savePage } from '../pages/pages.server.ts'
import type { Text } from '../pages/text.ts'
import { addCard } from './cards.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const LINKING_CARDS = 'このページへのリンクがある項目'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db } = sample
    const add = (linkUrl: string, fields = {}) =>
      addCard(db, 'tennisrelated', { title: '親睦試合', content: '春に一度。', linkUrl, ...fields }, author)
    const setVisible = async (id: PageId, isVisible: boolean) => {
      const page = await readPageToEdit(db, id)
      await savePage(db, id, { version: page?.version ?? 0, facts: { shown: isVisible } }, author)
    }
    const readHtml = async (person: 'guest' | 'approved' | 'administrator', path: string) =>
      (await (await sample.as(person, path)).text()).replaceAll('<!-- -->', '')
    const readArticle = async (
      id: string,
      person: 'guest' | 'approved' | 'administrator' = 'guest',
      path = '/tennisrelated',
    ) => {
      const page = await readHtml(person, path)
      return /<article.*?<\/article>/s.exec(page.slice(page.indexOf(`id="card-${id}"`) - 40))?.[0] ?? ''
    }
    return { ...sample, add, setVisible, readHtml, readArticle }
  }

  onSqlite.each(['/calendar', '/calendar?month=2026-12', '/calendar#day', '/calendar/'])(
    'removes the link to %s from a card when the linked page is hidden from the visitor',
    async (linkUrl) => {
      const { add, setVisible, readArticle } = await createSite()
      const id = await add(linkUrl)
      expect(await readArticle(id)).toContain('具体例を確認する')
      await setVisible('calendar', false)
      expect(await readArticle(id)).toContain('親睦試合')
      expect(await readArticle(id)).not.toMatch(/具体例を確認する|calendar/)
      expect(await readArticle(id, 'approved')).not.toContain('具体例を確認する')
      // Administrators may open a hidden page.
      expect(await readArticle(id, 'administrator')).toContain('具体例を確認する')
      await setVisible('calendar', true)
      expect(await readArticle(id)).toContain(`href="${linkUrl}"`)
    },
  )

  onSqlite('preserves the links of a card to visible pages, to files and to other sites', async () => {
    const { add, setVisible, readArticle } = await createSite()
    await setVisible('calendar', false)
    for (const linkUrl of [
      '/dining',
      '/calendarium',
      '/api/calendar.ics',
      'https://example.jp/calendar',
      'tel:0751234567',
    ])
      expect(await readArticle(await add(linkUrl)), linkUrl).toContain(`href="${linkUrl}"`)
  })

  onSqlite('removes the link from a slide when the linked page is hidden', async () => {
    const { db, setVisible, readHtml } = await createSite()
    const { id } = await db
      .selectFrom('cards')
      .select('id')
      .where('collection', '=', 'home')
      .orderBy('order')
      .executeTakeFirstOrThrow()
    await db.updateTable('cards').set({ linkUrl: '/access?slide' }).where('id', '=', id).execute()
    expect(await readHtml('guest', '/')).toContain('href="/access?slide"')
    await setVisible('access', false)
    expect(await readHtml('guest', '/')).not.toContain('href="/access?slide"')
  })

  onSqlite('renders the link of a card to a page of the owner only while the page exists', async () => {
    const { db, add, readArticle } = await createSite()
    const id = await add('/p/about')
    expect(await readArticle(id)).not.toContain('具体例を確認する')
    await addPage(db, 'p-about', { ...pageSettingsOf('p-about', null), title: '店のこと', shown: true }, author)
    expect(await readArticle(id)).toContain('href="/p/about"')
  })

  onSqlite('renders a link in the text of a page as plain text when the linked page is hidden', async () => {
    const { db, readHtml, setVisible } = await createSite()
    const link = (href: string) => [{ text: 'まずは' }, { text: '暦', href }]
    const text: Text = [
      { kind: 'paragraph', runs: link('/calendar?p') },
      { kind: 'list', items: [link('/calendar#p'), link('/dining?p')] },
    ]
    await addPage(db, 'p-about', { ...pageSettingsOf('p-about', null), title: '店のこと', shown: true, text }, author)
    const readLinks = async () =>
      [...(await readHtml('guest', '/p/about')).matchAll(/href="([^"]*[?#]p)"[^>]*>暦</g)].map(([, to]) => to)
    expect(await readLinks()).toEqual(['/calendar?p', '/calendar#p', '/dining?p'])
    await setVisible('calendar', false)
    expect(await readLinks()).toEqual(['/dining?p'])
    expect(
      (await readHtml('guest', '/p/about')).match(/<(?:p|li)><span>まずは<\/span>(?:<a[^>]*>|<span>)暦/g),
    ).toHaveLength(3)
  })

  onSqlite('names the visible pages of the owner by their label or title in the card forms', async () => {
    const { db, readHtml } = await createSite()
    for (const [id, settings] of [
      ['p-about', { title: '店のこと', shown: true }],
      ['p-voices', { title: 'お客さまの声', label: '声', shown: true }],
      ['p-plans', { title: '秘密の予定', shown: false }],
    ] as const)
      await addPage(db, id, { ...pageSettingsOf(id, null), ...settings }, author)
    const chooser = await readHtml('administrator', '/firestoreservice')
    const links = [
      ...chooser.matchAll(/href="\/firestoreservice\?databasename=(home|tennisrelated|p-\w+)"[^>]*>([^<]*)</g),
    ]
    expect(links.map(([, ...link]) => link)).toEqual([
      ['home', 'ホームのスライド'],
      ['tennisrelated', 'テニスサークル'],
      ['p-about', '店のこと'],
      ['p-voices', '声'],
    ])
  })

  test('ignores the cards of a deleted page among the cards that link to a hidden page', async () => {
    const { db, readHtml, setVisible } = await createSite()
    await db.updateTable('cards').set({ linkUrl: '' }).execute()
    await addPage(db, 'p-lunch', { ...pageSettingsOf('p-lunch', null), title: 'ランチ', shown: true }, author)
    const card = { title: '道順の札', content: '駅から。', linkUrl: '/access' }
    await addCard(db, 'p-lunch', card, author)
    await setVisible('access', false)
    const paths = ['/pages', '/pages/access/edit']
    for (const path of paths) expect(await readHtml('administrator', path)).toContain('道順の札')
    const page = await readPageToEdit(db, 'p-lunch')
    await deletePage(db, { id: 'p-lunch', version: page?.version ?? 0 }, author)
    for (const path of paths) expect(await readHtml('administrator', path)).not.toMatch(/道順の札|このページへのリンク/)
  })

  test('shows administrators the cards that link to a hidden page', async () => {
    const { db, add, post, readHtml, setVisible } = await createSite()
    await db.updateTable('cards').set({ linkUrl: '' }).execute()
    const id = await add('/calendar?month=2026-12')
    await add('/calendar', { title: '下書きの試合', draft: true })
    await add('/access', { title: '道順の試合' })
    const form = await readHtml('administrator', '/pages/calendar/edit')
    expect(form).toContain(LINKING_CARDS)
    expect(form).toContain(
      `<a href="/tennisrelated/${id}/edit" data-discover="true">親睦試合</a><span>（テニスサークル）</span>`,
    )
    expect(form).toContain('下書きの試合')
    expect(form).not.toContain('道順の試合')
    expect(await readHtml('administrator', '/pages')).not.toContain(LINKING_CARDS)
    const version = String((await readPageToEdit(db, 'calendar'))?.version)
    const values = {
      ...{ intent: 'save', version, title: 'カレンダー', english: '', introduction: '', description: '' },
      ...{ label: 'カレンダー', place: 'menu', order: '5' },
    }
    const saved = await (await post('administrator', '/pages/calendar/edit', values)).text()
    expect(saved.replaceAll('<!-- -->', '')).toContain(
      'このページへのリンクが2件の項目にあります。お客さまには表示しません。',
    )
    const list = await readHtml('administrator', '/pages')
    expect(list).toContain(LINKING_CARDS)
    expect(list).toContain(`<a href="/tennisrelated/${id}/edit" data-discover="true">親睦試合</a>`)
    expect(list).not.toContain('道順の試合')
    // Only administrators see the names of the cards.
    expect(await readHtml('guest', '/pages')).not.toContain('下書きの試合')
    await setVisible('calendar', true)
    expect(await readHtml('administrator', '/pages')).not.toContain(LINKING_CARDS)
  })
})
