import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { builtInPages, type PageName, pageNames } from './page.ts'
import { pageFormValues } from './page-form.ts'
import { fieldsOf } from './page-words.ts'
import { readPageToEdit } from './pages.server.ts'

const allVisitors = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const loadFields = async (id: string) => {
      const page = await readPageToEdit(sample.db, id)
      if (!page) throw new Error(id)
      const { version, id: _, path: __, ...facts } = page
      const fields = Object.entries(pageFormValues(facts)).filter(([name]) => (fieldsOf(id) as string[]).includes(name))
      const { shown, ...values } = Object.fromEntries(fields)
      return { ...values, ...(shown ? { shown } : {}), version: String(version) } as Record<string, string>
    }
    const save = async (id: string, { shown, ...fields }: Record<string, string>) => {
      const { shown: shownBefore, ...before } = await loadFields(id)
      const checkbox = shown === undefined ? shownBefore : shown
      return sample.post('administrator', `/pages/${id}/edit`, {
        ...before,
        ...fields,
        ...(checkbox && { shown: checkbox }),
      })
    }
    const status = async (person: Person, path: string) => (await sample.as(person, path)).status
    const text = async (path: string, person: (typeof allVisitors)[number] = 'guest') =>
      (await sample.as(person, path)).text()
    return { ...sample, loadFields, save, status, text }
  }

  test('renders the saved texts of a page in its header, title and link immediately after the save', async () => {
    const { save, text } = await site()
    await text('/dining')
    const texts = {
      title: 'ラーメンと肴',
      english: 'Ramen',
      introduction: '夜六時から、\nのれんを出します。',
      description: '鶏の白湯と、焼きたての餃子。',
      label: '品書き',
    }
    expect((await save('dining', texts)).status).toBe(200)
    const html = await text('/dining')
    expect(html).toContain('<title>ラーメンと肴 | ダイニング結</title>')
    expect(html).toContain('name="description" content="鶏の白湯と、焼きたての餃子。"')
    expect(html).toMatch(/<h1>ラーメンと肴<\/h1>/)
    expect(html).toMatch(/<p [^>]*lang="en">Ramen<\/p>/)
    expect(html).toContain('夜六時から、\nのれんを出します。</p>')
    expect(html).toMatch(/href="\/dining"[^>]*><span>品書き<\/span><small/)
    expect(html).not.toContain('お料理です')
    expect(await text('/access')).toContain('>品書き</span><small')
  })

  onSqlite('hides a page from everyone except administrators until the page is shown again', async () => {
    const { save, status, text, app } = await site()
    const hideable = pageNames.filter((name) => !['home', 'login', 'privacy'].includes(name))
    for (const name of hideable) {
      const { path } = builtInPages[name]
      const before = await text(path)
      expect(before).toContain('</h1>')
      expect((await save(name, { shown: '' })).status, name).toBe(200)
      for (const person of allVisitors) {
        const expected = person === 'administrator' ? 200 : 404
        expect(await status(person, path), `${person} ${path}`).toBe(expected)
        expect(await status(person, `${path}.data`), `${person} ${path}.data`).toBe(expected)
      }
      expect(await text(path, 'administrator')).toContain('非公開')
      for (const other of ['/', '/privacy']) {
        const html = await text(other)
        expect(html, `${other} without ${name}`).not.toContain(`href="${path}"`)
      }
      expect(await (await app.request('http://localhost/sitemap.xml')).text()).not.toContain(`${path}<`)
      await save(name, { shown: 'on' })
      expect(await status('guest', path)).toBe(200)
    }
  })

  onSqlite('never hides the home, sign-in and privacy pages', async () => {
    const { save, status, db } = await site()
    for (const name of ['home', 'login', 'privacy'] as const) {
      await save(name, { shown: '', label: 'やあ' })
      expect(await status('guest', builtInPages[name].path)).toBe(200)
      expect(await readPageToEdit(db, name)).toMatchObject({ shown: true, label: 'やあ' })
    }
  })

  onSqlite(
    'closes the pages of the circle, except the form of existing members, when the circle is hidden',
    async () => {
      const { save, status, post, text, as, staff } = await site()
      await save('tennisrelated', { shown: '' })
      for (const path of ['/membercreate', '/memberdetailconfirm', '/memberlist']) {
        expect(await status('guest', path), path).toBe(404)
        expect(await status('signedIn', path), path).toBe(404)
        expect(await status('approved', path), path).toBe(path === '/memberlist' ? 404 : 200)
      }
      expect((await post('guest', '/membercreate', {})).status).toBe(404)
      await staff()
      expect(await status('editor', '/membercreate?for=nonmember')).toBe(404)
      expect(await status('manager', '/membercreate?for=nonmember')).toBe(200)
      expect(await text('/')).not.toContain('href="/memberlist"')
      expect(await text('/', 'approved')).not.toContain('href="/memberlist"')
      expect(await text('/privacy')).not.toContain('メンバー登録')
      // If the site has no circle, a user without a role is not asked to register as a member.
      const arrived = await as('signedIn', '/login/welcome')
      expect([arrived.status, arrived.headers.get('location')]).toEqual([302, '/'])
      for (const path of ['/login', '/account']) expect(await text(path, 'signedIn')).not.toContain('メンバー登録')
    },
  )

  onSqlite('rejects contact messages when the contact page is hidden', async () => {
    const { save, post, app, db, text } = await site()
    await save('mail', { shown: '' })
    const message = { to: 'shop', subject: '件名', text: '本文', shownAt: '1', homepage: '' }
    expect((await post('guest', '/mail', message)).status).toBe(404)
    const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
    const { to, subject, text: messageText } = message
    const request = { method: 'POST', headers, body: JSON.stringify({ to, subject, text: messageText }) }
    const response = await app.request('http://localhost/api/mail', request)
    expect([response.status, await response.json()]).toEqual([404, { error: 'お問い合わせは受け付けておりません。' }])
    expect(await db.selectFrom('messages').selectAll().execute()).toEqual([])
    expect(await text('/privacy')).not.toContain('お問い合わせ')
  })

  onSqlite('omits the records of a hidden page from JSON calls and forms', async () => {
    const { save, as, status, db } = await site()
    const [card] = await db.selectFrom('cards').selectAll().where('collection', '=', 'vbacreate').execute()
    const [event] = await db.selectFrom('events').selectAll().execute()
    const listRecords = async (person: 'guest' | 'approved' | 'administrator', name: string) =>
      (await as(person, `/api/collections/${name}`)).json()
    await save('vbacreate', { shown: '' })
    await save('dining', { shown: '' })
    await save('calendar', { shown: '' })
    expect(await listRecords('guest', 'vbacreate')).toEqual([])
    expect(await listRecords('approved', 'vbacreate')).toEqual([])
    expect(await listRecords('administrator', 'vbacreate')).toHaveLength(4)
    expect(await listRecords('guest', 'dining')).toEqual([])
    // Approved members may edit dishes and events.
    expect(await listRecords('approved', 'dining')).toHaveLength(12)
    expect(await listRecords('guest', 'events')).toEqual([])
    expect(await listRecords('approved', 'events')).toHaveLength(4)
    for (const path of [
      `/api/collections/vbacreate/${card?.id}`,
      `/api/collections/events/${event?.id}`,
      `/firestoreservice/${card?.id}/edit`,
      '/firestoreservice?databasename=vbacreate',
      '/dining/new/add',
      '/calendar.ics',
      `/calendar/${event?.id}.ics`,
    ])
      expect(await status('guest', path), path).toBe(404)
  })

  onSqlite('lets only administrators edit a page or see its form', async () => {
    const { loadFields, post, text, db } = await site()
    const before = await readPageToEdit(db, 'dining')
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      const response = await post(person, '/pages/dining/edit', { ...(await loadFields('dining')), title: '乗っ取り' })
      expect(response.status).toBe(person === 'guest' ? 401 : 403)
      for (const path of ['/pages', '/pages/dining/edit']) {
        const html = await text(path, person)
        expect(html).toContain('この操作は管理者だけが行えます')
        expect(html).not.toContain('土鍋の炊き込みご飯')
      }
      expect(await text('/dining', person)).not.toContain('/pages/dining/edit')
    }
    expect(await text('/dining', 'administrator')).toContain('/pages/dining/edit')
    expect(await readPageToEdit(db, 'dining')).toEqual(before)
  })

  onSqlite('rejects an invalid page setting with a field error', async () => {
    const { save, db } = await site()
    const before = await readPageToEdit(db, 'infomation')
    for (const [fields, sentence] of [
      [{ title: ' 　' }, 'タイトルを入力してください'],
      [{ title: 'あ'.repeat(61) }, 'ページのタイトルは60文字までです'],
      [{ order: '-1' }, '順番は0から999までです'],
      [{ order: '前' }, '順番は数字で入力してください'],
      [{ place: 'everywhere' }, 'リンクの場所を選んでください'],
      [{ film: '../secret' }, '映像を選び直してください'],
      [{ image: 'https://elsewhere.example/x-800.jpg' }, '写真を選び直してください'],
      [{ image: `/pictures/${'0'.repeat(32)}-800.jpg` }, '写真が見つかりません。もう一度お選びください。'],
    ] as [Record<string, string>, string][]) {
      const response = await save('infomation', fields)
      expect(response.status, sentence).toBe(400)
      expect(await response.text()).toContain(sentence)
    }
    expect(await readPageToEdit(db, 'infomation')).toEqual(before)
  })

  test('merges the changes of two editors of a page, but rejects a conflicting change', async () => {
    const { loadFields, post, db } = await site()
    const first = await loadFields('vbacreate')
    const edit = (fields: Record<string, string>) =>
      post('administrator', '/pages/vbacreate/edit', { ...first, ...fields })
    expect((await edit({ title: '表計算' })).status).toBe(200)
    expect((await edit({ label: '表計算のこと' })).status).toBe(200)
    const conflict = await edit({ title: 'マクロ' })
    expect(conflict.status).toBe(409)
    expect(await conflict.text()).toMatch(/現在の内容<\/b><span>表計算/)
    expect(await readPageToEdit(db, 'vbacreate')).toMatchObject({ title: '表計算', label: '表計算のこと' })
  })

  test('reports a conflict if one editor changes the image of a page and another the description', async () => {
    const { loadFields, post, db } = await site()
    const first = await loadFields('socialefficiency')
    const edit = (fields: Record<string, string>) =>
      post('administrator', '/pages/socialefficiency/edit', { ...first, ...fields })
    const withImage = { film: '', image: '/art/social-bus-800.jpg' }
    expect((await edit(withImage)).status).toBe(200)
    const conflict = await edit({ imageAlt: '並木道を走るバス' })
    expect(conflict.status).toBe(409)
    expect(await conflict.text()).toContain(`現在の内容</b><span>${first.imageAlt}`)
    const stored = { ...withImage, imageAlt: first.imageAlt }
    expect(await readPageToEdit(db, 'socialefficiency')).toMatchObject(stored)
  })

  test('restores the default texts of a page when its first save is undone', async () => {
    const { db, post, text } = await site()
    await db.deleteFrom('pages').execute()
    await db.deleteFrom('revisions').execute()
    const start = await readPageToEdit(db, 'access')
    expect(start).toMatchObject({ version: 0, title: 'アクセス', description: '' })
    const values = {
      title: '道順',
      english: '',
      introduction: '',
      description: '',
      label: '',
      place: 'menu',
      order: '1',
    }
    expect((await post('administrator', '/pages/access/edit', { ...values, shown: 'on', version: '0' })).status).toBe(
      200,
    )
    const { saveId } = await db.selectFrom('revisions').selectAll().executeTakeFirstOrThrow()
    expect(await text('/pages/access/edit', 'administrator')).toMatch(/<dt>ページのタイトル<\/dt>.*道順<\/ins>/)
    expect((await post('approved', '/undo', { save: saveId })).status).toBe(403)
    expect((await post('administrator', '/undo', { save: saveId })).status).toBeLessThan(400)
    expect(await readPageToEdit(db, 'access')).toEqual(start)
  })

  onSqlite('arranges the links of the menu and footer by the page settings', async () => {
    const { save, text } = await site()
    const linksIn = (html: string, label: string) => {
      const [, nav = ''] = html.split(`aria-label="${label}"`)
      return [...nav.slice(0, nav.indexOf('</nav>')).matchAll(/href="([^"]+)"/g)].map(([, to]) => to)
    }
    const start = await text('/')
    expect(linksIn(start, '主なページ')).toEqual(['/home', '/infomation', '/dining', '/access', '/calendar'])
    expect(linksIn(start, 'そのほかのページ')).toEqual(
      'videoproduction municipalarchitect webdesignincludebackend vbacreate socialefficiency tennisrelated mail memberlist login privacy'
        .split(' ')
        .map((name) => `/${name}`),
    )
    await save('mail', { place: 'menu', order: '0' })
    await save('calendar', { place: 'footer', order: '99' })
    await save('vbacreate', { place: 'none' })
    const html = await text('/')
    expect(linksIn(html, '主なページ')).toEqual(['/mail', '/home', '/infomation', '/dining', '/access'])
    expect(linksIn(html, 'そのほかのページ').at(-1)).toBe('/calendar')
    expect(html).not.toContain('href="/vbacreate"')
  })

  onSqlite('renders the image of a page only when the page has no film', async () => {
    const { save, text } = await site()
    const page: PageName = 'socialefficiency'
    expect(await text('/socialefficiency')).toContain('/art/film-social.webm')
    await save(page, { film: '', image: '/art/social-bus-800.jpg', imageAlt: '棚田を走るバス' })
    const withPicture = await text('/socialefficiency')
    expect(withPicture).not.toContain('/art/film-')
    expect(withPicture).toContain('alt="棚田を走るバス"')
    await save(page, { image: '' })
    expect(await text('/socialefficiency')).not.toContain('棚田を走るバス"')
  })
})
