import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { revert } from '../records/undo.server.ts'
import { createSite, readSite, readSiteToEdit, saveSite } from './site.server.ts'
import { SiteSettings } from './site.ts'
import { siteRecord } from './site-record.server.ts'

const authorAt = (minute = 0) => ({ accountId: null, at: new Date(Date.UTC(2026, 10, 20, 3, minute)).toISOString() })
const facts = (values: Partial<SiteSettings> = {}) => SiteSettings.parse(values)

onEachEngine((fresh, engine) => {
  type Db = Awaited<ReturnType<typeof fresh>>
  const save = (db: Db, version: number, values: Partial<SiteSettings>, minute = 0) =>
    saveSite(db, { version, facts: facts(values) }, authorAt(minute))
  const revisions = async (db: Db) =>
    (await db.selectFrom('revisions').selectAll().where('subject', '=', 'site').orderBy('at').execute()).map(
      ({ before, after, ...change }) => ({
        ...change,
        before: JSON.parse(before ?? 'null'),
        after: JSON.parse(after ?? 'null'),
      }),
    )

  test('saves the first settings once as version 1 with a revision', async () => {
    const db = await fresh()
    expect(await readSiteToEdit(db)).toEqual({ version: 0, facts: facts() })
    expect(await createSite(db, facts({ seats: '十席' }), authorAt())).toEqual(expect.any(String))
    expect(await createSite(db, facts({ seats: '六席' }), authorAt(1))).toBeNull()
    expect(await readSiteToEdit(db)).toEqual({ version: 1, facts: facts({ seats: '十席' }) })
    expect(await revisions(db)).toMatchObject([{ action: 'add', before: null, after: { version: 1 } }])
  })

  test('increments the version and adds a revision only when a save changes something', async () => {
    const db = await fresh()
    expect(await save(db, 0, { seats: '十席' })).toMatchObject({ ok: expect.any(String) })
    expect(await save(db, 1, { seats: '六席' }, 1)).toMatchObject({ ok: expect.any(String) })
    expect(await save(db, 2, { seats: '六席' }, 2)).toEqual({ ok: null })
    const row = await db.selectFrom('site').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ version: 2, updatedAt: authorAt(1).at })
    const all = await revisions(db)
    expect(all).toMatchObject([{ action: 'add' }, { action: 'save', before: { version: 1 }, after: row }])
  })

  test('merges changes of different settings and reports a conflict for the same setting', async () => {
    const db = await fresh()
    await save(db, 0, { seats: '十席', recipients: { shop: 'a@example.jp', circle: '', portfolio: '' } })
    const first = (await readSiteToEdit(db)).facts
    await save(db, 1, {
      ...first,
      hoursInWords: '十二月は休みません',
      recipients: { ...first.recipients, circle: 'b@example.jp' },
    })
    const { recipients } = await readSite(db)
    expect(recipients).toEqual({ shop: 'a@example.jp', circle: 'b@example.jp', portfolio: '' })
    const ownChange = { ...first, payment: '現金だけ', recipients: { ...first.recipients, portfolio: 'c@example.jp' } }
    expect(await save(db, 1, ownChange)).toMatchObject({ ok: expect.any(String) })
    expect((await readSiteToEdit(db)).facts).toEqual({
      ...first,
      hoursInWords: '十二月は休みません',
      payment: '現金だけ',
      recipients: { shop: 'a@example.jp', circle: 'b@example.jp', portfolio: 'c@example.jp' },
    })
    expect(await save(db, 1, { ...first, hoursInWords: '年末は休みます', seats: '八席' })).toMatchObject({
      error: 'conflict',
      version: 3,
      clashes: ['hoursInWords'],
      facts: { hoursInWords: '十二月は休みません', seats: '十席' },
      mixed: { hoursInWords: '年末は休みます', seats: '八席', payment: '現金だけ' },
    })
    // If both editors enter the same value, there is no conflict.
    expect(await save(db, 1, { ...first, hoursInWords: '十二月は休みません' })).toEqual({ ok: null })
    for (const version of [99, -1, 0, Number.NaN])
      expect(await save(db, version, { seats: '八席' }), String(version)).toMatchObject({ error: 'conflict' })
    // If the loaded version is unknown, the server cannot determine which settings the editor has changed.
    const now = await readSite(db)
    expect(await save(db, 99, { ...now, parking: '二台' })).toMatchObject({ error: 'conflict', clashes: ['parking'] })
    expect(await readSite(db)).toEqual(now)
    expect((await readSite(db)).seats).toBe('十席')
  })

  test('changes only the submitted settings when a save is partial', async () => {
    const db = await fresh()
    const first = {
      ...{ seats: '十席', hoursInWords: '年末は休みます', showEditButtonsToVisitors: true },
      recipients: { shop: 'a@example.jp', circle: 'b@example.jp', portfolio: '' },
    }
    await createSite(db, facts(first), authorAt())
    const savePart = (version: number, values: Partial<SiteSettings>, minute: number) =>
      saveSite(db, { version, facts: values }, authorAt(minute))
    expect(await savePart(1, { setupListHidden: true }, 1)).toMatchObject({ ok: expect.any(String) })
    expect(await readSiteToEdit(db)).toEqual({ version: 2, facts: facts({ ...first, setupListHidden: true }) })
    const [, second] = await revisions(db)
    expect(siteRecord.describe(second?.after, new Map())).toEqual({
      ...siteRecord.describe(second?.before, new Map()),
      準備の一覧を非表示にする: 'はい',
    })
    // A save from an older version conflicts only in the settings that somebody else has changed since that version.
    expect(await savePart(1, { seats: '六席' }, 2)).toMatchObject({ ok: expect.any(String) })
    const newRecipients = { ...first.recipients, circle: 'c@example.jp' }
    expect(await savePart(1, { recipients: newRecipients }, 3)).toMatchObject({ ok: expect.any(String) })
    const now = facts({ ...first, setupListHidden: true, seats: '六席', recipients: newRecipients })
    expect(await readSiteToEdit(db)).toEqual({ version: 4, facts: now })
    expect(await savePart(1, { seats: '八席', payment: '現金だけ' }, 4)).toEqual({
      error: 'conflict',
      version: 4,
      facts: now,
      mixed: { ...now, seats: '八席', payment: '現金だけ' },
      clashes: ['seats'],
    })
    expect(await savePart(4, {}, 5)).toEqual({ ok: null })
    expect(await readSiteToEdit(db)).toEqual({ version: 4, facts: now })
    // The first save may also contain only some of the settings.
    const empty = await fresh()
    await saveSite(empty, { version: 0, facts: { setupListHidden: true } }, authorAt())
    expect(await readSiteToEdit(empty)).toEqual({ version: 1, facts: facts({ setupListHidden: true }) })
    expect(await save(empty, 0, { seats: '四席' }, 1)).toMatchObject({ ok: expect.any(String) })
    expect(await readSite(empty)).toEqual(facts({ seats: '四席', setupListHidden: true }))
  })

  test('reverts to a revision of the settings, but not to a revision of another record', async () => {
    const db = await fresh()
    await save(db, 0, { seats: '十席' })
    await save(db, 1, { seats: '六席' }, 1)
    const [first] = await revisions(db)
    expect(await revert(db, siteRecord, first?.id ?? '', authorAt(2))).toMatchObject({ save: expect.any(String) })
    expect(await readSiteToEdit(db)).toMatchObject({ version: 3, facts: { seats: '十席' } })
    expect(await revert(db, siteRecord, 'none', authorAt(3))).toBeNull()
    await db.updateTable('revisions').set({ subject: 'event' }).where('action', '=', 'save').execute()
    const { id } = await db
      .selectFrom('revisions')
      .select('id')
      .where('subject', '=', 'event')
      .executeTakeFirstOrThrow()
    expect(await revert(db, siteRecord, id, authorAt(3))).toBeNull()
    expect((await revisions(db)).map(({ action }) => action)).toEqual(['add', 'put back'])
  })

  if (engine === 'SQLite') return

  test('merges two concurrent saves unless they change the same setting', async () => {
    const db = await fresh()
    const author = authorAt()
    const created = await overtaken(
      db,
      (trx) => createSite(trx, facts({ seats: '十席' }), author),
      () => createSite(db, facts({ seats: '二十席' }), author),
    )
    expect([created, (await readSite(db)).seats]).toEqual([null, '十席'])

    const both = await overtaken(
      db,
      (trx) => save(trx, 1, { seats: '十席', hoursInWords: '十二月は休みません' }),
      () => save(db, 1, { seats: '十席', payment: '現金だけ' }),
    )
    expect(both.ok).toEqual(expect.any(String))
    expect(await readSiteToEdit(db)).toMatchObject({
      version: 3,
      facts: { seats: '十席', hoursInWords: '十二月は休みません', payment: '現金だけ' },
    })
    const conflict = await overtaken(
      db,
      (trx) => save(trx, 3, { seats: '八席' }),
      () => save(db, 3, { seats: '六席' }),
    )
    expect(conflict).toMatchObject({
      error: 'conflict',
      version: 4,
      facts: { seats: '八席' },
      mixed: { seats: '六席' },
    })

    const [first] = await db.selectFrom('revisions').select('id').where('action', '=', 'add').execute()
    await overtaken(
      db,
      (trx) => save(trx, 4, { seats: '四席' }),
      () => revert(db, siteRecord, first?.id ?? '', author),
    )
    expect(await readSiteToEdit(db)).toMatchObject({ version: 6, facts: { seats: '十席' } })
  })
})
