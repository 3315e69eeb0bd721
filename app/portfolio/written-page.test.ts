import sharp from 'sharp'
import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { plainTextOf } from '../pages/plain-text.ts'
import { removeUnusedImages } from '../records/images-in-use.server.ts'
import { saveSettings } from '../records/settings-record.server.ts'
import { translationsOf } from '../translations/translation-record.server.ts'

const allVisitors = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const
type Person = (typeof allVisitors)[number]
const author = { accountId: null, at: new Date(noon).toISOString() }
const DAY = 24 * 60 * 60_000
const photograph = () =>
  sharp({ create: { width: 90, height: 60, channels: 3, background: '#204060' } })
    .png()
    .toBuffer()

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const text = async (path: string, person: Person = 'guest') => (await sample.as(person, path)).text()
    const status = async (path: string, person: Person = 'guest') => (await sample.as(person, path)).status
    const createPage = (name = 'about', title = '店のこと') => sample.post('administrator', '/pages', { title, name })
    const readRow = async (id = 'p-about') => {
      const stored = await sample.db.selectFrom('pages').selectAll().where('id', '=', id).executeTakeFirst()
      return stored && { ...stored, facts: JSON.parse(stored.facts) }
    }
    const savePage = async (fields: Record<string, string>, id = 'p-about') => {
      const version = String((await readRow(id))?.version ?? 0)
      const defaults = { title: '店のこと', english: '', description: '', label: '', place: 'footer', order: '50' }
      return sample.post('administrator', `/pages/${id}/edit`, { ...defaults, shown: 'on', version, ...fields })
    }
    const callJson = (person: Person, method: string, path: string, body?: object) =>
      sample.as(person, path, {
        method,
        headers: { 'content-type': 'application/json', origin: 'http://localhost' },
        ...(body && { body: JSON.stringify(body) }),
      })
    return { ...sample, text, status, createPage, readRow, savePage, callJson }
  }
  const story = JSON.stringify([
    { kind: 'heading', runs: [{ text: 'はじまり' }] },
    { kind: 'paragraph', runs: [{ text: '祖父の' }, { text: '屋台', bold: true }, { text: 'から始まりました。' }] },
    { kind: 'list', items: [[{ text: '昭和三年' }], [{ text: '道順', href: '/access' }]] },
  ])

  test('creates, edits and publishes a page with its link and sitemap entry', async () => {
    const { createPage, savePage, text, status, app, readRow } = await site()
    expect(await status('/p/about')).toBe(404)
    const created = await createPage()
    expect([created.status, created.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/pages\/p-about\/edit\?done=added&undo=[\w-]{36}$/),
    ])
    for (const person of allVisitors)
      expect(await status('/p/about', person)).toBe(person === 'administrator' ? 200 : 404)
    expect(await text('/')).not.toContain('/p/about')
    expect(await text('/pages/p-about/edit', 'administrator')).toContain('まだ公開していません')

    expect((await savePage({ text: story })).status).toBe(200)
    expect(await readRow()).toMatchObject({ version: 2, facts: { text: JSON.parse(story), shown: true } })
    const html = await text('/p/about')
    expect(html).toContain('<title>店のこと | ダイニング結</title>')
    expect(html).toContain(
      '<h2>はじまり</h2><p><span>祖父の</span><strong>屋台</strong><span>から始まりました。</span></p>',
    )
    expect(html).toContain('name="description" content="祖父の屋台から始まりました。"')
    expect(html).toMatch(/<li>昭和三年<\/li><li><a [^>]*href="\/access"/)
    expect(html).not.toContain('/pages/p-about/edit')
    expect(await text('/')).toMatch(/href="\/p\/about"[^>]*>店のこと</)
    expect(await (await app.request('http://localhost/sitemap.xml')).text()).toContain(
      '<loc>http://localhost/p/about</loc>',
    )

    // Each save updates the cached page. A save that hides the page removes the cached page.
    await savePage({ title: '私たちのこと', text: story })
    expect(await text('/p/about')).toContain('<h1>私たちのこと</h1>')
    await savePage({ shown: '', text: story })
    expect(await status('/p/about')).toBe(404)
    expect(await text('/')).not.toContain('/p/about')
  })

  onSqlite('rejects a path that is invalid or already taken', async () => {
    const { createPage, db } = await site()
    await createPage()
    for (const [name, title, sentence] of [
      ['about', '別の題', 'このアドレスは、いまあるページか、以前に削除したページのものです。'],
      ['ABOUT', '別の題', 'このアドレスは、いまあるページか、以前に削除したページのものです。'],
      ['店', '題', 'アドレスは、半角の英数字とハイフンで40文字までです'],
      ['a/../b', '題', 'アドレスは、半角の英数字とハイフンで40文字までです'],
      ['x'.repeat(41), '題', 'アドレスは、半角の英数字とハイフンで40文字までです'],
      ['', '題', 'アドレスは、半角の英数字とハイフンで40文字までです'],
      ['more', ' ', 'タイトルを入力してください'],
    ] as const) {
      const response = await createPage(name, title)
      expect([400, 409], `${name} ${response.status}`).toContain(response.status)
      expect(await response.text(), name).toContain(sentence)
    }
    expect(await db.selectFrom('pages').selectAll().where('id', 'like', 'p-%').execute()).toHaveLength(1)
  })

  onSqlite('shows and hides the cards of a page together with the page', async () => {
    const { createPage, savePage, post, text, status, callJson } = await site()
    const addCard = () =>
      post('administrator', '/firestoreservice?databasename=p-about', {
        ...{ intent: 'add', title: '屋台の写真', content: '昭和三年のころ。', order: '1', linkUrl: '', image: '' },
        ...{ imageAlt: '', once: '' },
      })
    expect((await addCard()).status).toBe(404)
    await createPage()
    await savePage({ text: story })
    const added = await addCard()
    expect(added.headers.get('location')).toMatch(/^\/p\/about\?done=added&undo=[\w-]+#card-/)
    expect(await text('/p/about')).toContain('屋台の写真')
    const cards = await (await callJson('guest', 'GET', '/api/collections/p-about')).json()
    expect(cards).toMatchObject([{ title: '屋台の写真' }])
    const id = cards[0].id
    expect(await status(`/firestoreservice/${id}/edit`)).toBe(200)

    await savePage({ shown: '', text: story })
    expect((await callJson('guest', 'GET', '/api/collections/p-about')).status).toBe(404)
    expect(await status(`/firestoreservice/${id}/edit`)).toBe(404)
    expect(await text('/p/about', 'administrator')).toContain('屋台の写真')
  })

  test('soft-deletes and restores a page of the owner, but rejects the deletion of a built-in page', async () => {
    const { createPage, savePage, post, readRow, status, text } = await site()
    await createPage()
    await savePage({ text: story })
    const outdated = await post('administrator', '/pages/p-about/edit', { intent: 'delete', version: '1' })
    expect(outdated.status).toBe(409)
    const deleted = await post('administrator', '/pages/p-about/edit', { intent: 'delete', version: '2' })
    expect(deleted.headers.get('location')).toMatch(/^\/pages\?done=deleted&undo=/)
    expect(await status('/p/about', 'administrator')).toBe(404)
    expect(await text('/bin', 'administrator')).toContain('店のこと')
    expect(await text('/bin', 'approved')).not.toContain('店のこと')
    expect((await post('approved', '/bin', { kind: 'page', id: 'p-about' })).status).toBe(403)
    expect((await post('administrator', '/bin', { kind: 'page', id: 'p-about' })).status).toBe(200)
    expect(await readRow()).toMatchObject({ deletedAt: null, facts: { text: JSON.parse(story) } })
    expect(await status('/p/about')).toBe(200)
    expect((await post('administrator', '/pages/dining/edit', { intent: 'delete', version: '1' })).status).toBe(404)
    expect(await status('/dining')).toBe(200)
  })

  test('names deleted pages as a reason when the path of a page that left the bin is added again', async () => {
    const { createPage, post, callJson, readRow, text, clock } = await site()
    await createPage()
    await post('administrator', '/pages/p-about/edit', { intent: 'delete', version: '1' })
    const deleted = await readRow()
    clock.now += 91 * DAY
    expect(await text('/bin', 'administrator')).not.toContain('店のこと')
    const html = await (await createPage()).text()
    expect(html).toContain('このアドレスは、いまあるページか、以前に削除したページのものです。')
    expect(html).not.toContain('ごみ箱に入っています')
    const body = { id: 'p-about', title: '店のこと' }
    const json = await (await callJson('administrator', 'POST', '/api/collections/pages', body)).text()
    expect(json).toContain('この id は、いまあるページか、以前に削除したページのものです。')
    expect(await readRow()).toEqual(deleted)
  })

  onSqlite(
    'lets all visitors read a published page as JSON, but lets only administrators change the page',
    async () => {
      const { callJson, readRow, text } = await site()
      const body = { id: 'p-about', title: '店のこと', text: JSON.parse(story), shown: true }
      for (const person of allVisitors.slice(0, -1))
        expect((await callJson(person, 'POST', '/api/collections/pages', body)).status).toBe(
          person === 'guest' ? 401 : 403,
        )
      expect((await callJson('administrator', 'POST', '/api/collections/pages', body)).status).toBe(201)
      expect((await callJson('administrator', 'POST', '/api/collections/pages', body)).status).toBe(409)
      expect(await text('/p/about')).toContain('屋台')
      const path = '/api/collections/pages/p-about'
      expect(await (await callJson('guest', 'GET', path)).json()).toMatchObject({
        path: '/p/about',
        version: 1,
        title: '店のこと',
      })
      expect((await callJson('administrator', 'PATCH', path, { version: 1, shown: false })).status).toBe(200)
      expect((await callJson('guest', 'GET', path)).status).toBe(404)
      expect((await callJson('approved', 'GET', path)).status).toBe(404)
      expect(JSON.stringify(await (await callJson('guest', 'GET', '/api/collections/pages')).json())).not.toContain(
        '店のこと',
      )
      for (const wrong of [
        { text: [{ kind: 'script', runs: [{ text: 'alert(1)' }] }] },
        { text: [{ kind: 'paragraph', runs: [{ text: 'x', href: 'javascript:alert(1)' }] }] },
        { title: 5 },
        { shown: true, order: 'x' },
        { image: 'https://elsewhere.example/a-800.jpg' },
      ])
        expect((await callJson('administrator', 'PATCH', path, { version: 2, ...wrong })).status).toBeOneOf([200, 400])
      expect(JSON.stringify(await readRow())).not.toMatch(/alert|elsewhere/)
      expect((await callJson('administrator', 'DELETE', '/api/collections/pages/home', { version: 1 })).status).toBe(
        400,
      )
      expect((await callJson('administrator', 'DELETE', path, { version: 1 })).status).toBe(409)
      const { version } = (await readRow()) ?? { version: 0 }
      expect((await callJson('administrator', 'DELETE', path, { version })).status).toBe(200)
      expect((await callJson('administrator', 'GET', path)).status).toBe(404)
    },
  )

  test('preserves an image while the text of a page or an earlier version of the text contains the image', async () => {
    const { createPage, savePage, db, clock, text } = await site()
    const url = await addImage(db, await photograph(), 'screen', author)
    await createPage()
    const withPicture = JSON.stringify([{ kind: 'picture', url, alt: '屋台' }])
    expect((await savePage({ text: withPicture })).status).toBe(200)
    const html = await text('/p/about')
    expect(html).toContain('alt="屋台"')
    expect(html).toContain(`property="og:image" content="http://localhost${url}"`)
    clock.now += 2 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    await savePage({ text: story })
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    const missing = JSON.stringify([{ kind: 'picture', url: `/pictures/${'0'.repeat(32)}-1920.jpg`, alt: '' }])
    const rejected = await savePage({ text: missing })
    expect(rejected.status).toBe(400)
    expect(await rejected.text()).toContain('写真が見つかりません')
  })

  test('preserves an image while a translation of the text contains the image', async () => {
    const { createPage, savePage, db, clock, as, get } = await site()
    const url = await addImage(db, await photograph(), 'screen', author)
    await createPage()
    await savePage({ text: JSON.stringify([{ kind: 'picture', url, alt: '屋台' }]) })
    const translation = (text: string) => ({ 'p-about.text': { text, source: '屋台', at: author.at } })
    const save = (version: number, text: string) =>
      saveSettings(db, translationsOf('en', 'pages'), { version, facts: translation(text) }, author)
    await save(0, `［写真 ${url} A stall］`)
    await savePage({ text: story })
    clock.now += 100 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    expect((await get(url)).status).toBe(200)
    await save(1, 'A stall')
    clock.now += 100 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(1)
    await expect(save(2, `［写真 ${url} A stall］`)).rejects.toThrow('写真が見つかりません')
    expect((await as('administrator', '/translations/en/pages')).status).toBe(200)
  })

  test('keeps the formats of a text that is sent unchanged before the scripts have loaded', async () => {
    const { createPage, savePage, readRow } = await site()
    await createPage()
    await savePage({ text: story })
    const plainText = plainTextOf(JSON.parse(story))
    await savePage({ title: '私たちのこと', text: plainText.replaceAll('\n', '\r\n') })
    expect((await readRow())?.facts).toMatchObject({ title: '私たちのこと', text: JSON.parse(story) })
    await savePage({ text: `${plainText}\n\n終わり` })
    expect((await readRow())?.facts.text.at(-1)).toEqual({ kind: 'paragraph', runs: [{ text: '終わり' }] })
  })

  test('creates a page only once if the response is lost and the form is sent again', async () => {
    const { post } = await site()
    const send = (fields: object) => post('administrator', '/pages', { title: '器', name: 'utsuwa', ...fields })
    const first = await send({ once: 'a-key' })
    const again = await send({ once: 'a-key' })
    expect([again.status, again.headers.get('location')]).toEqual([302, first.headers.get('location')])
    const other = await send({ once: 'b-key' })
    expect(await other.text()).toContain('このアドレスは、いまあるページか、以前に削除したページのものです。')
  })

  test('opens the form for a new page with its input and its errors when the form was sent without scripts', async () => {
    const { post } = await site()
    const html = await (await post('administrator', '/pages', { title: '器', name: '器' })).text()
    expect(html).toMatch(/<details [^>]*open=""[^>]*><summary>新しいページを作成する/)
    expect(html).toContain('アドレスは、半角の英数字とハイフンで40文字までです')
    expect(html).toMatch(/<input [^>]*name="title"[^>]* value="器"/)
  })

  onSqlite('stores 300 paragraphs unchanged, and rejects more than 600 paragraphs', async () => {
    const { createPage, savePage, readRow, text } = await site()
    await createPage()
    const paragraphs = (count: number) =>
      JSON.stringify(
        Array.from({ length: count }, (_, index) => ({
          kind: 'paragraph',
          runs: [{ text: `${index + 1}段目です。` }],
        })),
      )
    expect((await savePage({ text: paragraphs(300) })).status).toBe(200)
    expect((await readRow())?.facts.text).toHaveLength(300)
    expect((await text('/p/about')).match(/段目です。<\/p>/g)).toHaveLength(300)
    const before = await readRow()
    const rejected = await savePage({ text: paragraphs(601) })
    expect(rejected.status).toBe(400)
    expect(await rejected.text()).toContain('600までです')
    expect(await readRow()).toEqual(before)
  })
})
