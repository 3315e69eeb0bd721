import sharp from 'sharp'
import { expect, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import type { Db, Tables, Trx } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { ImageMissing } from '../media/images.server.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { lockNewImages, removeImage, removeUnusedImages } from './images-in-use.server.ts'
import { newSave, type RecordRow, type RecordType, type Save } from './record.ts'
import { add, change, lockPresent, remove } from './records.server.ts'

type Wine = RecordRow & { name: string; glass: string; yen: number; image: string }

/** A complete record type. The tests check the features that every record type has. */
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
  const createSite = async () => {
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
    const sample = await sampleSite(db, {}, { recordTypes: [...recordTypes, wineRecord] })
    await sample.people()
    /** Runs the work as one save of an approved member, a minute after the last save. Returns the save ID. */
    const runSave = async (action: string, work: (trx: Trx, save: Save) => Promise<unknown>) => {
      sample.clock.now += 60_000
      const save = newSave({ accountId: 'demo-approved', at: new Date(sample.clock.now).toISOString() }, action)
      await inTransaction(db, (trx) => work(trx, save))
      return save.id
    }
    const lockSake = (trx: Trx) => lockPresent(trx, wineRecord, '結の酒') as Promise<Wine>
    const readRow = () =>
      untypedTables(db).selectFrom('wines').selectAll().where('name', '=', sake.name).executeTakeFirst()
    return { ...sample, runSave, lockSake, readRow }
  }
  test('provides history, undo, bin and live updates for a new record type', async () => {
    const { runSave, lockSake, readRow, as, post, live } = await createSite()
    const published: unknown[] = []
    live.subscribe((event) => published.push(event))
    const added = await runSave('add', (trx, save) => add(trx, wineRecord, sake, save))
    const priceSave = await runSave('save', async (trx, save) =>
      change(trx, wineRecord, await lockSake(trx), { yen: 700 }, save),
    )
    expect([await readRow(), published]).toEqual([
      { ...sake, yen: 700, version: 2, updatedAt: expect.any(String) },
      [{ changed: ['dining'] }, { changed: ['dining'] }],
    ])

    const readEntries = async (person: Person) => (await as(person, '/history/wine/結の酒')).json()
    expect(await readEntries('approved')).toMatchObject({
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
      expect(await readEntries(person)).toEqual({ entries: [], page: 1, older: false })

    // Only permitted visitors may undo a save. Only the last save of a record can be undone.
    const undo = async (person: Person, save: string) => (await post(person, '/undo', { save })).status
    expect([await undo('guest', priceSave), await undo('applicant', priceSave), await undo('approved', added)]).toEqual(
      [401, 403, 409],
    )
    expect([await undo('approved', priceSave), (await readRow())?.yen]).toEqual([200, 600])
    const [, second] = (await readEntries('approved')).entries
    expect((await post('approved', '/undo', { revision: second.id })).status).toBe(200)
    expect(await readRow()).toMatchObject({ yen: 700, version: 4 })

    // A deleted record moves from its table to the bin. A restored record is unchanged, but has a new version.
    await runSave('delete', async (trx, save) => remove(trx, wineRecord, await lockSake(trx), save))
    expect(await readRow()).toBeUndefined()
    const readBin = async (person: Person) => (await as(person, '/bin')).text()
    expect(await readBin('approved')).toContain('「結の酒」を元に戻す')
    expect(await readBin('guest')).not.toContain('結の酒')
    const restore = async (person: Person) => (await post(person, '/bin', { kind: 'wine', id: '結の酒' })).status
    expect([await restore('applicant'), await restore('approved'), await restore('approved')]).toEqual([403, 200, 404])
    expect(await readRow()).toMatchObject({ ...sake, yen: 700, version: 6 })
    const { entries } = await readEntries('approved')
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual([
      'put back',
      'deleted',
      'put back',
      'put back',
      'changed',
      'added',
    ])
    expect(entries[1]).toMatchObject({ changes: [], canReturn: false })
    expect(published).toHaveLength(6)
  })

  test('denies an undo when the visitor may not change all records of the save', async () => {
    const { runSave, readRow, post } = await createSite()
    const saveId = await runSave('add', async (trx, save) => {
      await add(trx, wineRecord, sake, save)
      await add(trx, wineRecord, { ...sake, name: '蔵元の酒', glass: '蔵元の盃' }, save)
    })
    expect((await post('approved', '/undo', { save: saveId })).status).toBe(403)
    expect(await readRow()).toMatchObject(sake)
  })

  test('limits the bin to the deleted records that the visitor may restore', async () => {
    const { runSave, lockSake, as } = await createSite()
    await runSave('add', (trx, save) => add(trx, wineRecord, sake, save))
    await runSave('delete', async (trx, save) => remove(trx, wineRecord, await lockSake(trx), save))
    await runSave('add and delete', async (trx, save) => {
      const otherSake = await add(trx, wineRecord, { ...sake, name: '蔵元の酒', glass: '蔵元の盃' }, save)
      await remove(trx, wineRecord, otherSake, save)
    })
    const bin = await (await as('approved', '/bin')).text()
    expect(bin).toContain('結の酒')
    expect(bin).not.toContain('蔵元の酒')
  })

  test('undoes all changes of a save, or no change when a record has changed since the save', async () => {
    const { runSave, lockSake, readRow, post } = await createSite()
    const second = { ...sake, name: '水の酒' }
    const saveId = await runSave('add', async (trx, save) => {
      await add(trx, wineRecord, sake, save)
      await add(trx, wineRecord, second, save)
    })
    await runSave('save', async (trx, save) => change(trx, wineRecord, await lockSake(trx), { glass: '升' }, save))
    expect((await post('approved', '/undo', { save: saveId })).status).toBe(409)
    expect(await readRow()).toMatchObject({ glass: '升' })
    const editSaveId = await runSave('save', async (trx, save) => {
      const first = await change(trx, wineRecord, await lockSake(trx), { glass: '茶碗' }, save)
      await change(trx, wineRecord, first, { glass: '盃', yen: 800 }, save)
    })
    expect((await post('approved', '/undo', { save: editSaveId })).status).toBe(200)
    expect(await readRow()).toMatchObject({ glass: '升', yen: 600, version: 5 })
  })

  test('removes an image when no record and no restorable revision contains the image', async () => {
    const { runSave, lockSake, clock, db } = await createSite()
    const [shown, replaced] = await Promise.all([addColour(db, '#395'), addColour(db, '#935')])
    await runSave('add', async (trx, save) => {
      await lockNewImages(trx, wineRecord, { ...sake, image: replaced })
      await add(trx, wineRecord, { ...sake, image: replaced }, save)
    })
    await runSave('save', async (trx, save) => change(trx, wineRecord, await lockSake(trx), { image: shown }, save))
    clock.now += 89 * DAY_MS
    const withWine = [...recordTypes, wineRecord]
    expect([await removeUnusedImages(db, withWine, clock.now), await countImages(db)]).toEqual([0, 2])
    expect(await removeImage(db, withWine, shown.slice('/pictures/'.length), clock.now)).toBe('in use')
    clock.now += 2 * DAY_MS
    expect([await removeUnusedImages(db, withWine, clock.now), await countImages(db)]).toEqual([1, 1])
    await runSave('delete', async (trx, save) => remove(trx, wineRecord, await lockSake(trx), save))
    clock.now += 91 * DAY_MS
    expect([await removeUnusedImages(db, withWine, clock.now), await countImages(db)]).toEqual([1, 0])
  })

  test('rejects a save when the image of the record is not stored', async () => {
    const { runSave } = await createSite()
    const image = `/pictures/${'0'.repeat(32)}-800.jpg`
    await expect(runSave('add', (trx) => lockNewImages(trx, wineRecord, { ...sake, image }))).rejects.toThrow(
      ImageMissing,
    )
  })
})

const DAY_MS = 24 * 60 * 60_000

async function addColour(db: Db, background: string) {
  const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background } })
    .jpeg()
    .toBuffer()
  return addImage(db, bytes, 'card', { accountId: null, at: '2026-11-20T03:00:00.000Z' })
}

async function countImages(db: Db) {
  return (await db.selectFrom('pictures').select('name').execute()).length
}
