import type { Kysely, Transaction } from 'kysely'
import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { ImageMissing, storeImage } from '../media/images.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { lockNewImages, removeImage, removeUnusedImages } from './images-in-use.server.ts'
import { newSave, type RecordRow, type RecordType, type Save } from './record.ts'
import { add, change, lockPresent, remove } from './records.server.ts'

vi.setConfig({ testTimeout: 60_000 })

type Trx = Transaction<Tables>
type Wine = RecordRow & { name: string; glass: string; yen: number; image: string }

/** A complete record type. The tests check the features that every record type gets. */
const wineRecord: RecordType<Wine> = {
  subject: 'wine',
  table: 'wines' as keyof Tables,
  key: 'name',
  topicOf: () => 'dining',
  refusal: (visitor, _, { glass }) =>
    visitor?.member?.admin && glass !== '蔵元の盃' ? null : 'お酒は、承認されたメンバーだけが変えられます。',
  scope: 'glass',
  describe: ({ glass, yen }) => ({ 器: glass, 値段: `${yen}円` }),
  imagesOf: ({ image }) => [image],
  titleOf: ({ name }) => name,
  placeOf: () => 'お酒',
  urlOf: () => '/dining',
}

const sake = { name: '結の酒', glass: '猪口', yen: 600, image: '' }

onEachEngine((fresh) => {
  const site = async () => {
    const db = await fresh()
    await db.schema
      .createTable('wines')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('version', 'integer')
      .addColumn('updatedAt', 'text')
      .addColumn('glass', 'text')
      .addColumn('yen', 'integer')
      .addColumn('image', 'text')
      .execute()
    const made = await sampleSite(db, {}, { recordTypes: [...recordTypes, wineRecord] })
    await made.people()
    /** Runs the work as one save of an approved member, a minute after the last save. Returns the save ID. */
    const saved = async (action: string, work: (trx: Trx, save: Save) => Promise<unknown>) => {
      made.clock.now += 60_000
      const save = newSave({ accountId: 'demo-approved', at: new Date(made.clock.now).toISOString() }, action)
      await inTransaction(db, (trx) => work(trx, save))
      return save.id
    }
    const there = (trx: Trx) => lockPresent(trx, wineRecord, '結の酒') as Promise<Wine>
    const row = () => untypedTables(db).selectFrom('wines').selectAll().where('name', '=', sake.name).executeTakeFirst()
    return { ...made, saved, there, row }
  }
  test('gives a new record type history, undo, the bin and live updates', async () => {
    const { saved, there, row, as, post, live } = await site()
    const told: unknown[] = []
    live.listen((news) => told.push(news))
    const added = await saved('add', (trx, save) => add(trx, wineRecord, sake, save))
    const dearer = await saved('save', async (trx, save) =>
      change(trx, wineRecord, await there(trx), { yen: 700 }, save),
    )
    expect([await row(), told]).toEqual([
      { ...sake, yen: 700, version: 2, updatedAt: expect.any(String) },
      [{ changed: ['dining'] }, { changed: ['dining'] }],
    ])

    const history = async (person: Person) => (await as(person, '/history/wine/結の酒')).json()
    expect(await history('approved')).toMatchObject({
      entries: [
        {
          by: '桜井 花 さん',
          kind: 'changed',
          changes: [{ label: '値段', before: '600円', after: '700円' }],
          canReturn: false,
        },
        { by: '桜井 花 さん', kind: 'added', canReturn: true },
      ],
    })
    for (const person of ['guest', 'applicant'] as const)
      expect(await history(person)).toEqual({ entries: [], page: 1, older: false })

    // Only permitted visitors may undo a save, and only the last save of a record.
    const undo = async (person: Person, save: string) => (await post(person, '/undo', { save })).status
    expect([await undo('guest', dearer), await undo('applicant', dearer), await undo('approved', added)]).toEqual([
      401, 403, 409,
    ])
    expect([await undo('approved', dearer), (await row())?.yen]).toEqual([200, 600])
    const [, second] = (await history('approved')).entries
    expect((await post('approved', '/undo', { revision: second.id })).status).toBe(200)
    expect(await row()).toMatchObject({ yen: 700, version: 4 })

    // A deleted record moves from its table to the bin. A restored record is equal but has a new version.
    await saved('delete', async (trx, save) => remove(trx, wineRecord, await there(trx), save))
    expect(await row()).toBeUndefined()
    const bin = async (person: Person) => (await as(person, '/bin')).text()
    expect(await bin('approved')).toContain('「結の酒」を元に戻す')
    expect(await bin('guest')).not.toContain('結の酒')
    const restore = async (person: Person) => (await post(person, '/bin', { kind: 'wine', id: '結の酒' })).status
    expect([await restore('applicant'), await restore('approved'), await restore('approved')]).toEqual([403, 200, 404])
    expect(await row()).toMatchObject({ ...sake, yen: 700, version: 6 })
    expect((await history('approved')).entries.slice(0, 2).map(({ kind }: { kind: string }) => kind)).toEqual([
      'put back',
      'deleted',
    ])
    expect(told).toHaveLength(6)
  })

  test('denies an undo when the visitor may not change all records of the save', async () => {
    const { saved, row, post } = await site()
    const both = await saved('add', async (trx, save) => {
      await add(trx, wineRecord, sake, save)
      await add(trx, wineRecord, { ...sake, name: '蔵元の酒', glass: '蔵元の盃' }, save)
    })
    expect((await post('approved', '/undo', { save: both })).status).toBe(403)
    expect(await row()).toMatchObject(sake)
  })

  test('lists only the deleted records in the bin that the visitor may restore', async () => {
    const { saved, there, as } = await site()
    await saved('add', (trx, save) => add(trx, wineRecord, sake, save))
    await saved('delete', async (trx, save) => remove(trx, wineRecord, await there(trx), save))
    await saved('add and delete', async (trx, save) => {
      const other = await add(trx, wineRecord, { ...sake, name: '蔵元の酒', glass: '蔵元の盃' }, save)
      await remove(trx, wineRecord, other, save)
    })
    const bin = await (await as('approved', '/bin')).text()
    expect(bin).toContain('結の酒')
    expect(bin).not.toContain('蔵元の酒')
  })

  test('undoes all changes of a save or none', async () => {
    const { saved, there, row, post } = await site()
    const second = { ...sake, name: '水の酒' }
    const both = await saved('add', async (trx, save) => {
      await add(trx, wineRecord, sake, save)
      await add(trx, wineRecord, second, save)
    })
    await saved('save', async (trx, save) => change(trx, wineRecord, await there(trx), { glass: '升' }, save))
    expect((await post('approved', '/undo', { save: both })).status).toBe(409)
    expect(await row()).toMatchObject({ glass: '升' })
    const twice = await saved('save', async (trx, save) => {
      const first = await change(trx, wineRecord, await there(trx), { glass: '茶碗' }, save)
      await change(trx, wineRecord, first, { glass: '盃', yen: 800 }, save)
    })
    expect((await post('approved', '/undo', { save: twice })).status).toBe(200)
    expect(await row()).toMatchObject({ glass: '升', yen: 600, version: 5 })
  })

  test('removes an image when neither a record nor its history can show it', async () => {
    const { saved, there, clock, db } = await site()
    const [shown, replaced] = await Promise.all([storedImage(db, '#395'), storedImage(db, '#935')])
    await saved('add', async (trx, save) => {
      await lockNewImages(trx, wineRecord, { ...sake, image: replaced })
      await add(trx, wineRecord, { ...sake, image: replaced }, save)
    })
    await saved('save', async (trx, save) => change(trx, wineRecord, await there(trx), { image: shown }, save))
    clock.now += 89 * DAY_MS
    const withWine = [...recordTypes, wineRecord]
    expect([await removeUnusedImages(db, withWine, clock.now), await imagesIn(db)]).toEqual([0, 2])
    expect(await removeImage(db, withWine, shown.slice('/pictures/'.length), clock.now)).toBe('in use')
    clock.now += 2 * DAY_MS
    expect([await removeUnusedImages(db, withWine, clock.now), await imagesIn(db)]).toEqual([1, 1])
    await saved('delete', async (trx, save) => remove(trx, wineRecord, await there(trx), save))
    clock.now += 91 * DAY_MS
    expect([await removeUnusedImages(db, withWine, clock.now), await imagesIn(db)]).toEqual([1, 0])
  })

  test('rejects a save when its image is not stored', async () => {
    const { saved } = await site()
    const image = `/pictures/${'0'.repeat(32)}-800.jpg`
    await expect(saved('add', (trx) => lockNewImages(trx, wineRecord, { ...sake, image }))).rejects.toThrow(
      ImageMissing,
    )
  })
})

const DAY_MS = 24 * 60 * 60_000

async function storedImage(db: Kysely<Tables>, background: string) {
  const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .jpeg()
    .toBuffer()
  const stored = await storeImage(db, bytes, 'card', { accountId: null, at: '2026-11-20T03:00:00.000Z' })
  return stored.outcome === 'stored' ? stored.url : ''
}

async function imagesIn(db: Kysely<Tables>) {
  return (await db.selectFrom('pictures').select('name').execute()).length
}
