import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { collectionNames, collections } from './card.ts'
import { addCard, listCards } from './cards.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator'] as const
const dataOf = (path: string) => (path === '/' ? '/_.data' : `${path}.data`)

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const read = async (person: (typeof people)[number], path: string) => (await sample.as(person, path)).text()
    return { ...sample, read }
  }

  onSqlite('shows a draft and its badge only when the visitor may edit the draft', async () => {
    const { db, read } = await createSite()
    for (const name of collectionNames) {
      const text = `下書きの秘密 ${name}`
      const image = '/art/scene-noren-800.jpg'
      await addCard(db, name, { title: text, content: text, text1: text, image, order: 0, draft: true }, author)
    }
    for (const person of people) {
      for (const name of collectionNames) {
        const { path } = collections[name]
        const isVisible = person === 'administrator' || (person === 'approved' && name === 'dining')
        for (const url of [path, dataOf(path)]) {
          const body = await read(person, url)
          expect(body.includes(`下書きの秘密 ${name}"`) || body.includes(`下書きの秘密 ${name}<`), url).toBe(isVisible)
        }
        expect((await read(person, path)).includes('>下書き<'), `${person} ${name}`).toBe(isVisible)
      }
    }
    // The slideshow shows no drafts, even to administrators. Administrators see the drafts in the list of slides.
    const home = await read('administrator', '/')
    expect(home.split('id="slides"')[0]).not.toContain('下書きの秘密 home<')
  })

  onSqlite('shows all visitors an edit link on each card when the setting for edit buttons is on', async () => {
    const { read, db, showEditButtons } = await createSite()
    await showEditButtons()
    for (const name of collectionNames) {
      const { path } = collections[name]
      const [item] = await listCards(db, name)
      if (!item || name === 'home') continue
      const guest = await read('guest', path)
      expect(guest, path).toContain(`「${item.title}」を編集`)
      expect(guest).toMatch(new RegExp(`href="/[a-z]+/${item.id}/edit"`))
      expect(guest).not.toContain('追加する')
      expect(guest).not.toContain('料理を追加')
      if (name !== 'dining') {
        expect(await read('approved', path)).not.toContain('databasename=')
        expect(await read('administrator', path)).toContain(`/firestoreservice?databasename=${name}`)
      }
    }
    expect(await read('approved', '/dining')).toContain('料理を追加')
    // On the home page, only administrators see the list of slides.
    expect(await read('guest', '/')).not.toContain('を編集')
    expect(await read('approved', '/')).not.toContain('スライドの編集')
    expect(await read('administrator', '/')).toContain('「たくさんの人の」を編集')
  })

  onSqlite('hides the edit links by default when the visitor may not edit the cards', async () => {
    const { read } = await createSite()
    for (const name of collectionNames) {
      const { path } = collections[name]
      for (const person of ['guest', 'signedIn', 'applicant'] as const)
        expect(await read(person, path), `${person} ${path}`).not.toContain('を編集')
      expect((await read('approved', path)).includes('を編集')).toBe(name === 'dining')
      expect(await read('administrator', path)).toContain('を編集')
    }
  })

  test('lets only administrators reorder the slides', async () => {
    const { post, db } = await createSite()
    const readOrder = async () => (await listCards(db, 'home')).map(({ id }) => id)
    const seen = await readOrder()
    const form = { intent: 'reorder', seen: seen.join(), wanted: seen.toReversed().join() }
    for (const [person, status] of [
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 403],
    ] as const) {
      expect((await post(person, '/?index', form)).status).toBe(status)
      expect(await readOrder()).toEqual(seen)
    }
    // An approved member may reorder dishes, but the action for dishes does not reorder slides.
    expect((await post('approved', '/dining', form)).status).toBe(409)
    expect((await post('administrator', '/?index', form)).status).toBe(200)
    expect(await readOrder()).toEqual(seen.toReversed())
  })
})
