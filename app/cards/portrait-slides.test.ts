import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { exportSite } from '../../server/tools/export.ts'
import { importExport } from '../../server/tools/import.ts'
import { readExport } from '../../server/tools/import-documents.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeUnusedImages } from '../records/images-in-use.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { addCard, deleteCard, listCards, readCard, saveCard } from './cards.server.ts'

const DAY_MS = 24 * 60 * 60_000

let portraitPhoto: Buffer
beforeAll(async () => {
  portraitPhoto = await sharp({ create: { width: 135, height: 240, channels: 3, background: '#395' } })
    .jpeg()
    .toBuffer()
})

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, clock, as } = sample
    const author = () => ({ accountId: 'demo-administrator', at: new Date(clock.now).toISOString() })
    const store = (bytes: Buffer) => addImage(db, bytes, 'portrait', author())
    const statusOf = async (url: string) => (await as('guest', url)).status
    const readSources = async () =>
      [...(await (await as('guest', '/')).text()).matchAll(/<source media="\(orientation: portrait\)"[^>]*>/g)].map(
        ([source]) => source,
      )
    return { ...sample, author, store, statusOf, readSources }
  }

  onSqlite('shows the portrait image of a slide only in portrait orientation', async () => {
    const { db, post, readSources, as } = await createSite()
    expect(await readSources()).toEqual([])
    const form = new FormData()
    form.append('image', new File([new Uint8Array(portraitPhoto)], 'photo.jpg'))
    form.append('large', 'portrait')
    const headers = { origin: 'http://localhost' }
    const uploaded = await as('administrator', '/api/upload', { method: 'POST', body: form, headers })
    const { url } = (await uploaded.json()) as { url: string }
    expect(url).toMatch(/^\/pictures\/[0-9a-f]{32}-1080\.jpg$/)
    const { width, height } = await sharp(Buffer.from(await (await as('guest', url)).arrayBuffer())).metadata()
    expect([width, height]).toEqual([135, 240])

    const [slide] = await listCards(db, 'home')
    if (!slide) throw new Error('Expected a slide')
    const values = { intent: 'save', version: `${slide.version}`, order: '1', text1: '店先', text2: '', text3: '' }
    const path = `/firestoreservice/${slide.id}/edit`
    const saved = await post('administrator', path, {
      ...values,
      linkUrl: '',
      image: slide.image,
      portraitImage: url,
    })
    expect(saved.status).toBe(302)
    const shown = await readSources()
    expect(shown.map((source) => /type="image\/(\w+)"/.exec(source)?.[1])).toEqual(['avif', 'webp', 'jpeg'])
    for (const source of shown) expect(source).toContain(`${url.slice(0, -9)}-720.`)
    expect(await (await as('guest', '/')).text()).toContain(`src="${slide.image}"`)

    // The history lists the portrait image. An undo removes the portrait image from the page.
    const { saveId } = await db
      .selectFrom('revisions')
      .select('saveId')
      .where('subjectId', '=', slide.id)
      .orderBy('version', 'desc')
      .executeTakeFirstOrThrow()
    expect(await (await as('administrator', path)).text()).toContain('スマートフォン用の縦長の写真')
    expect(await undoSave(db, recordTypes, saveId, { accountId: null, at: new Date().toISOString() })).not.toBeNull()
    expect(await readSources()).toEqual([])
  })

  test('retains a portrait image while a slide with the image exists or can be restored', async () => {
    const { db, clock, author, store, statusOf, as } = await createSite()
    const url = await store(portraitPhoto)
    const image = '/art/story-night-1920.jpg'
    const id = await addCard(db, 'home', { text1: '店先', image, portraitImage: url }, author())
    const remove = async () => {
      const body = JSON.stringify({ filename: url.slice('/pictures/'.length) })
      const headers = { 'content-type': 'application/json' }
      return (await as('administrator', '/api/delete', { method: 'POST', headers, body })).status
    }
    clock.now += 400 * DAY_MS
    expect([await remove(), await removeUnusedImages(db, recordTypes, clock.now), await statusOf(url)]).toEqual([
      409, 0, 200,
    ])
    await deleteCard(db, { id, version: 1 }, author())
    clock.now += 89 * DAY_MS
    expect([await remove(), await removeUnusedImages(db, recordTypes, clock.now), await statusOf(url)]).toEqual([
      409, 0, 200,
    ])
    clock.now += 2 * DAY_MS
    expect([await removeUnusedImages(db, recordTypes, clock.now), await statusOf(url)]).toEqual([1, 404])
  })

  onSqlite('rejects a missing portrait image with an error at the field of the portrait image', async () => {
    const { db, author, post } = await createSite()
    const id = await addCard(db, 'home', { text1: '店先', image: '/art/story-night-1920.jpg' }, author())
    const missingImage = '/pictures/00000000000000000000000000000000-1080.jpg'
    const values = { intent: 'save', version: '1', text1: '店先', image: '/art/story-night-1920.jpg' }
    const response = await post('administrator', `/firestoreservice/${id}/edit`, {
      ...values,
      portraitImage: missingImage,
    })
    expect(response.status).toBe(400)
    const errors = [...(await response.text()).matchAll(/<span class="[^"]*" id="[^"]*-error"( hidden="")?>([^<]*)/g)]
    expect(errors.filter(([, , error]) => error).map(([, , error]) => error)).toEqual([
      '写真が見つかりません。もう一度お選びください。',
    ])
    expect(await readCard(db, id)).toMatchObject({ version: 1, portraitImage: '' })
  })

  onSqlite('imports the portrait image of an exported slide', async () => {
    const { db, author, store } = await createSite()
    await addCard(db, 'home', { text1: '店先', image: '', portraitImage: await store(portraitPhoto) }, author())
    const folder = mkdtempSync(join(tmpdir(), 'noren-portrait-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await exportSite(db, folder)
    const other = await fresh()
    await importExport(other, readExport(folder), { dryRun: false, now: Date.now() })
    const slide = (await listCards(other, 'home')).find(({ text1 }) => text1 === '店先')
    expect(slide?.portraitImage).toMatch(/^\/pictures\/[0-9a-f]{32}-1080\.jpg$/)
    const { width } = await other.selectFrom('pictures').select('width').executeTakeFirstOrThrow()
    expect(width).toBe(135)
  })

  test('undoes and saves changes of a slide that was stored before portrait images existed', async () => {
    const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
    onTestFinished(() => db.destroy())
    await migrate(db, '0024-messages-held')
    const at = '2026-11-01T00:00:00.000Z'
    const slide = (text1: string, version: number) => ({
      ...{
        id: 'old',
        collection: 'home',
        order: 1,
        eventDay: null,
        title: '',
        content: '',
        linkUrl: '',
        youtubeUrl: '',
      },
      ...{ image: '/art/story-night-1920.jpg', imageAlt: '', text1, text2: '', text3: '', price: null, allergens: '' },
      ...{ draft: false, soldOutAt: null, other: '', createdAt: at, updatedAt: at, deletedAt: null, version },
    })
    await untypedTables(db).insertInto('cards').values(slide('二', 2)).execute()
    const revision = { subject: 'card', subjectId: 'old', accountId: null, at }
    const [first, second] = [JSON.stringify(slide('一', 1)), JSON.stringify(slide('二', 2))]
    await untypedTables(db)
      .insertInto('revisions')
      .values([
        { ...revision, id: 'r1', saveId: 's1', action: 'add', version: 1, before: null, after: first },
        { ...revision, id: 'r2', saveId: 's2', action: 'save', version: 2, before: first, after: second },
      ])
      .execute()
    await migrate(db)

    const author = { accountId: null, at: '2026-11-02T00:00:00.000Z' }
    expect(await readCard(db, 'old')).toMatchObject({ text1: '二', portraitImage: '' })
    expect(await undoSave(db, recordTypes, 's2', author)).not.toBeNull()
    expect(await readCard(db, 'old')).toMatchObject({ text1: '一', version: 3, portraitImage: '' })
    // A save from a form with the first version overwrites no field that was changed after that version.
    const portraitImage = '/art/story-night-1080.jpg'
    const saved = await saveCard(db, { id: 'old', version: 1 }, { text1: '一', portraitImage }, author)
    expect(saved).toMatchObject({ ok: { item: { portraitImage } } })
  })
})
