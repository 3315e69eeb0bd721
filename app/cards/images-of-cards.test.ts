import pino from 'pino'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { untilWaiting } from '../../db/testing-at-once.ts'
import { sampleSite } from '../../server/testing.ts'
import { ImageMissing, lockImageOf, storeImage } from '../media/images.server.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeImage, removeUnusedImages, startRemovingUnusedImages } from '../records/images-in-use.server.ts'
import { addCard, deleteCard, saveCard } from './cards.server.ts'

const DAY_MS = 24 * 60 * 60_000

let photo: Buffer
beforeAll(async () => {
  photo = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#395' } })
    .jpeg()
    .toBuffer()
})

onEachEngine((fresh, engine) => {
  const createSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, clock, as } = sample
    const author = () => ({ accountId: 'demo-administrator', at: new Date(clock.now).toISOString() })
    const store = (bytes = photo) => addImage(db, bytes, 'card', author())
    const remove = async (filename: unknown, person: 'administrator' | 'approved' = 'administrator') => {
      const headers = { 'content-type': 'application/json' }
      const response = await as(person, '/api/delete', { method: 'POST', headers, body: JSON.stringify({ filename }) })
      return { status: response.status, ...((await response.json()) as { success: boolean; message: string }) }
    }
    const readStatuses = async (url: string) => {
      const paths = [400, 800].flatMap((width) =>
        ['avif', 'webp', 'jpg'].map((format) => url.replace('800.jpg', `${width}.${format}`)),
      )
      return Promise.all(paths.map(async (path) => (await as('guest', path)).status))
    }
    const addDish = (image: string) => addCard(db, 'dining', { title: '椀', content: '温かい', image }, author())
    return { ...sample, author, store, remove, readStatuses, addDish }
  }
  const nameIn = (url: string) => url.slice('/pictures/'.length)
  const [allFound, allMissing] = [Array(6).fill(200), Array(6).fill(404)]

  test('serves an image in every format with its MIME type and an immutable cache header', async () => {
    const { db, as, author } = await createSite()
    const store = async () => String(await storeImage(db, photo, 'card', author()))
    const url = await store()
    const types = { avif: 'image/avif', webp: 'image/webp', jpg: 'image/jpeg' }
    for (const [format, type] of Object.entries(types)) {
      const path = url.replace('jpg', format)
      const response = await as('guest', path)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      expect((await sharp(bytes).metadata()).width).toBe(20)
      const head = await as('guest', path, { method: 'HEAD' })
      expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0])
    }
    expect(await store()).toBe(url)
    const name = nameIn(url).slice(0, 32)
    for (const path of [
      `${name}-801.jpg`,
      `${name}-0800.jpg`,
      `${name}-800.png`,
      `${name.toUpperCase()}-800.jpg`,
      `${name}`,
      '..%2fsite.db',
    ]) {
      expect((await as('guest', `/pictures/${path}`)).status, path).toBe(404)
    }
  })

  test('removes all files of an unused image, and returns a 404 for a second removal', async () => {
    const { store, remove, readStatuses } = await createSite()
    const url = await store()
    expect(await readStatuses(url)).toEqual(allFound)
    expect(await remove(nameIn(url), 'approved')).toMatchObject({ status: 200, success: true })
    expect(await readStatuses(url)).toEqual(allMissing)
    expect(await remove(nameIn(url))).toMatchObject({ status: 404, success: false })
  })

  test('removes an image 90 days after the last card with the image was changed or deleted', async () => {
    const { db, clock, store, remove, readStatuses, addDish, author } = await createSite()
    const [first, second] = [await store(), await store(await sharp(photo).negate().jpeg().toBuffer())]
    const id = await addDish(first)
    expect(await remove(nameIn(first))).toMatchObject({ status: 409, success: false })
    clock.now += 100 * DAY_MS
    await saveCard(db, { id, version: 1 }, { image: second }, author())
    // An undo of the save would show the first image again.
    expect(await remove(nameIn(first))).toMatchObject({ status: 409, success: false })
    await deleteCard(db, { id, version: 2 }, author())
    expect(await remove(nameIn(second))).toMatchObject({ status: 409, success: false })
    clock.now += 89 * DAY_MS
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    expect([await readStatuses(first), await readStatuses(second)]).toEqual([allFound, allFound])
    clock.now += 2 * DAY_MS
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(2)
    expect([await readStatuses(first), await readStatuses(second)]).toEqual([allMissing, allMissing])
  })

  test('removes an unused upload after a day, but never the image of a card or a draft', async () => {
    const { db, clock, store, readStatuses, addDish, author } = await createSite()
    const unused = await store()
    const shown = await store(await sharp(photo).negate().jpeg().toBuffer())
    const ofDraft = await store(await sharp(photo).flop().png().toBuffer())
    await addDish(shown)
    await addCard(db, 'vbacreate', { title: '下書き', content: 'まだ', image: ofDraft, draft: true }, author())
    clock.now += DAY_MS - 1000
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    // A repeated upload restarts the retention period of one day.
    await store()
    clock.now += 2000
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    clock.now += DAY_MS
    // The images of a record stay, even if an earlier version of the site stored the record in another format.
    const unreadable = recordTypes.map((type) => ({
      ...type,
      imagesOf: () => {
        throw new Error('unreadable')
      },
    }))
    expect(await removeUnusedImages(db, unreadable, clock.now)).toBe(1)
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    clock.now += 1000 * DAY_MS
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    expect([await readStatuses(unused), await readStatuses(shown), await readStatuses(ofDraft)]).toEqual([
      allMissing,
      allFound,
      allFound,
    ])
  })

  test.runIf(engine === 'SQLite')('logs the removal of unused images and its failure', async () => {
    const { db, clock, store } = await createSite()
    await store()
    clock.now += 2 * DAY_MS
    const logged: Record<string, unknown>[] = []
    const log = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) })
    const removeOnce = () => startRemovingUnusedImages({ db, recordTypes, clock: () => clock.now, log })()
    await removeOnce()
    await removeOnce()
    await db.schema.dropTable('pictures').execute()
    await removeOnce()
    expect(logged).toEqual([
      { level: 30, removed: 1, msg: 'unused images removed' },
      { level: 50, err: expect.objectContaining({ message: expect.any(String) }), msg: 'unused image removal failed' },
    ])
  })

  test('does not remove an image while a save holds the lock of the image', async () => {
    const { db, clock, store, readStatuses, author } = await createSite()
    const url = await store()
    const removal = await db.transaction().execute(async (trx) => {
      await lockImageOf(trx, url)
      const removing = removeImage(db, recordTypes, nameIn(url), clock.now)
      if (engine === 'PostgreSQL') await untilWaiting(db, 1)
      await addCard(trx, 'dining', { title: '椀', content: '温かい', image: url }, author())
      return { removing }
    })
    expect(await removal.removing).toBe('in use')
    expect(await readStatuses(url)).toEqual(allFound)
    await lockImageOf(db, '/art/dish-soba-800.jpg')
    await lockImageOf(db, '')
    const missing = '/pictures/00000000000000000000000000000000-800.jpg'
    await expect(lockImageOf(db, missing)).rejects.toThrow(ImageMissing)
  })

  test('rejects the removal of every name that is not an image of this site', async () => {
    const { db, store, remove, readStatuses, as } = await createSite()
    const url = await store()
    const name = nameIn(url)
    const { id: card } = await db.selectFrom('cards').select('id').executeTakeFirstOrThrow()
    const countRows = async () => {
      const counts = []
      for (const table of ['cards', 'members', 'revisions', 'pictures', 'pictureFiles', 'site'] as const) {
        counts.push(await db.selectFrom(table).select(db.fn.countAll<number>().as('count')).executeTakeFirst())
      }
      return counts
    }
    const before = await countRows()
    const names = [
      '',
      '.',
      '..',
      '/',
      '*',
      '%',
      '_',
      'site.db',
      card,
      'demo-administrator',
      url,
      `/pictures/${name}`,
      `./${name}`,
      `x/../${name}`,
      `../${name}`,
      `..%2f${name}`,
      `%2e%2e%2f${name}`,
      `..\\${name}`,
      `/etc/passwd`,
      `file:///etc/passwd`,
      `C:\\${name}`,
      `${name}\0`,
      `${name}\0.png`,
      `\0${name}`,
      ` ${name}`,
      `${name} `,
      `${name}\n`,
      encodeURIComponent(`${name}/`),
      `${name}/`,
      name.toUpperCase(),
      name.replace('-800', '-%'),
      name.replace('-800', '-800 or 1=1'),
      `${name}'; drop table pictures; --`,
      name.replace('jpg', 'png'),
      name.replace('800', '801'),
      name.replace('-', '‐'),
      `%${name.slice(1)}`,
      `_${name.slice(1)}`,
      name.slice(0, 32),
      'あ'.repeat(500),
    ]
    for (const name of names)
      expect(await remove(name), JSON.stringify(name)).toMatchObject({ status: 404, success: false })
    for (const each of [null, 1, true, [name], { name }, undefined]) {
      expect(await remove(each), JSON.stringify(each)).toMatchObject({ status: 400, success: false })
    }
    expect(await remove('x'.repeat(5000))).toMatchObject({ status: 413, success: false })
    const post = async (body: string, type: string) =>
      (await as('administrator', '/api/delete', { method: 'POST', body, headers: { 'content-type': type } })).status
    expect(await post('{', 'application/json')).toBe(400)
    expect(await post(`filename=${name}`, 'application/x-www-form-urlencoded')).toBe(415)
    expect(await countRows()).toEqual(before)
    expect(await readStatuses(url)).toEqual(allFound)
  })
})
