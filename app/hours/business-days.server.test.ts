import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { deletionsSince } from '../owner/bin.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { readSave } from '../records/revisions.server.ts'
import { restoreFromBin, revert, undoSave } from '../records/undo.server.ts'
import { eachRow, noSlots } from './business-day.ts'
import {
  listSpecialDays,
  readDays,
  readHoursChanges,
  readSpecialDay,
  readSpecialDays,
  readWeek,
  removeSpecialDay,
  removeWeek,
  saveSpecialDays,
  saveWeek,
} from './business-days.server.ts'
import { specialDayRecord, weekRecord } from './hours-records.server.ts'

const author = (minute = 0, accountId: string | null = null) => ({
  accountId,
  at: new Date(Date.UTC(2026, 10, 20, 3, minute)).toISOString(),
})
const week = (hour: string) => eachRow(() => ({ open: true, slots: [{ start: '00:00', end: `${hour}:00` }, null] }))
const [tuesday, wednesday, thursday] = ['2026-12-01', '2026-12-02', '2026-12-03'] as const

onEachEngine((createDatabase, engine) => {
  const createSite = async () => {
    const db = await createDatabase()
    /** Saves the reason for all days and replaces existing special days. Returns the save ID. */
    const saveReason = async (reason: string, days: readonly string[], minute: number) => {
      const existing = new Map((await listSpecialDays(db, '')).map(({ day, version }) => [day, { version }]))
      const saved = await saveSpecialDays(db, { days: [...days], reason, slots: noSlots }, existing, author(minute))
      return saved.ok ?? ''
    }
    const readSummary = async () =>
      (await listSpecialDays(db, '')).map(({ day, reason, version }) => [day, reason, version])
    const readHour = async () => (await readWeek(db)).schedule?.月曜日.slots[0]?.end.slice(0, 2)
    const listRevisions = async () =>
      (await db.selectFrom('revisions').selectAll().orderBy('at').orderBy('action').execute()).map(
        ({ action }) => action,
      )
    const listRemoved = (minute: number) =>
      deletionsSince(db, author(minute).at).selectAll().orderBy('at', 'desc').execute()
    return { db, saveReason, readSummary, readHour, listRevisions, listRemoved }
  }

  test('undoes a save of several days completely, or not at all if one day has changed since the save', async () => {
    const { db, saveReason, readSummary, listRevisions } = await createSite()
    await saveReason('臨時営業', [wednesday], 0)
    const saved = await saveReason('臨時休業', [tuesday, wednesday, thursday], 1)
    await saveReason('営業時間変更', [thursday], 2)
    // The editor has agreed to replace only the versions that the editor has loaded.
    const values = { days: [tuesday, thursday], reason: '臨時営業', slots: noSlots }
    const stale = new Map([
      [tuesday, { version: 1 }],
      [thursday, { version: 1 }],
    ])
    expect(await saveSpecialDays(db, values, stale, author(2))).toMatchObject({
      error: 'conflict',
      existing: [{ day: tuesday }, { day: thursday, reason: '営業時間変更' }],
    })
    const before = [await readSummary(), await listRevisions()]
    expect(await undoSave(db, recordTypes, saved, author(3))).toBeNull()
    expect([await readSummary(), await listRevisions()]).toEqual(before)

    const third = await db
      .selectFrom('revisions')
      .select('saveId')
      .where('action', '=', 'save')
      .orderBy('at', 'desc')
      .execute()
    expect(await undoSave(db, recordTypes, third[0]?.saveId ?? '', author(4))).toEqual(expect.any(String))
    expect(await readSummary()).toEqual([
      [tuesday, '臨時休業', 1],
      [wednesday, '臨時休業', 2],
      [thursday, '臨時休業', 3],
    ])
  })

  test('restores the previous days with a new version when a save is undone', async () => {
    const { db, saveReason, readSummary, listRevisions } = await createSite()
    await saveReason('臨時営業', [wednesday], 0)
    const first = await readSpecialDay(db, wednesday)
    const saved = await saveReason('臨時休業', [tuesday, wednesday], 1)
    expect(await readSpecialDay(db, wednesday)).toMatchObject({ createdAt: author(0).at, updatedAt: author(1).at })
    const revision = await undoSave(db, recordTypes, saved, author(2))
    expect(await readSummary()).toEqual([[wednesday, '臨時営業', 3]])
    expect(await readSpecialDay(db, wednesday)).toEqual({ ...first, version: 3, updatedAt: author(2).at })
    expect(await readSave(db, revision ?? '')).toMatchObject([{ action: 'take back' }, { action: 'take back' }])
    expect(await listRevisions()).toEqual(['add', 'add', 'save', 'take back', 'take back'])
    expect(await undoSave(db, recordTypes, 'none', author(3))).toBeNull()
  })

  test('undoes no save that another author made at the same instant', async () => {
    const { db, readSummary } = await createSite()
    const save = async (day: string, accountId: string) => {
      const values = { days: [day], reason: '臨時休業', slots: noSlots }
      const saved = await saveSpecialDays(db, values, new Map(), author(0, accountId))
      return saved.ok ?? ''
    }
    const own = await save(tuesday, 'aoi')
    await save(wednesday, 'sora')
    await undoSave(db, recordTypes, own, author(1))
    expect(await readSummary()).toEqual([[wednesday, '臨時休業', 1]])
  })

  test('leaves other days unchanged when a special day is removed or restored', async () => {
    const { db, saveReason, readSummary } = await createSite()
    await saveReason('年末年始休業', [tuesday, wednesday], 0)
    expect(await removeSpecialDay(db, { day: tuesday, version: 2 }, author(1))).toMatchObject({ error: 'conflict' })
    expect(await removeSpecialDay(db, { day: tuesday, version: 1 }, author(1))).toMatchObject({
      ok: expect.any(String),
    })
    expect(await readSummary()).toEqual([[wednesday, '年末年始休業', 1]])
    await saveReason('臨時営業', [wednesday], 2)
    expect(await restoreFromBin(db, specialDayRecord, wednesday, author(3))).toBeNull()
    expect(await restoreFromBin(db, specialDayRecord, tuesday, author(3))).not.toBeNull()
    expect(await readSummary()).toEqual([
      [tuesday, '年末年始休業', 3],
      [wednesday, '臨時営業', 2],
    ])
  })

  test('restores the last state of a special day that was removed twice', async () => {
    const { db, saveReason, readSummary, listRemoved } = await createSite()
    await saveReason('臨時休業', [tuesday], 0)
    await removeSpecialDay(db, { day: tuesday, version: 1 }, author(1))
    await saveReason('臨時営業', [tuesday], 2)
    await removeSpecialDay(db, { day: tuesday, version: 3 }, author(3))
    expect(await listRemoved(3)).toMatchObject([
      { subjectId: tuesday, before: expect.stringContaining('臨時営業'), accountId: null, at: author(3).at },
    ])
    expect(await listRemoved(0)).toMatchObject([{ subjectId: tuesday, before: expect.stringContaining('臨時営業') }])
    await saveReason('年末年始休業', [wednesday], 3)
    await removeSpecialDay(db, { day: wednesday, version: 1 }, author(4))
    expect((await listRemoved(0)).map(({ subjectId }) => subjectId)).toEqual([wednesday, tuesday])
    expect(await listRemoved(5)).toEqual([])
    await restoreFromBin(db, specialDayRecord, tuesday, author(5))
    expect(await restoreFromBin(db, specialDayRecord, tuesday, author(6))).toBeNull()
    expect(await readSummary()).toEqual([[tuesday, '臨時営業', 5]])
    expect(await readSpecialDay(db, tuesday)).toMatchObject({ createdAt: author(2).at, updatedAt: author(5).at })
    expect((await listRemoved(0)).map(({ subjectId }) => subjectId)).toEqual([wednesday])
  })

  test('reads the days from the first to the last inclusive, with their holidays and eves', async () => {
    const { db, saveReason } = await createSite()
    await saveReason('臨時休業', ['2026-11-19', '2026-11-20', '2026-11-22', '2026-11-23'], 0)
    expect((await readSpecialDays(db, '2026-11-20', '2026-11-22')).map(({ day }) => day)).toEqual([
      '2026-11-20',
      '2026-11-22',
    ])
    expect((await listSpecialDays(db, '2026-11-22')).map(({ day }) => day)).toEqual(['2026-11-22', '2026-11-23'])
    await saveWeek(db, { ...week('10'), 祝前日: { ...week('12').祝前日 } }, { version: 0 }, author())
    await removeSpecialDay(db, { day: '2026-11-22', version: 1 }, author(1))
    const states = await readDays(db, '2026-11-20', 3)
    expect(states.map(({ day, source }) => [day, source])).toEqual([
      ['2026-11-20', 'special day'],
      ['2026-11-21', 'weekday'],
      ['2026-11-22', 'eve of a holiday'],
    ])
    // An additional holiday from the database also makes the previous day a holiday eve.
    await db.insertInto('extraHolidays').values({ day: tuesday, name: '式典の日', acceptedAt: author().at }).execute()
    expect((await readDays(db, '2026-11-30', 1))[0]).toMatchObject({ source: 'eve of a holiday', holiday: null })
  })

  test('ignores an open special day, but not a closure, when its stored hours are unreadable', async () => {
    const { db, saveReason } = await createSite()
    await saveWeek(db, week('10'), { version: 0 }, author())
    await saveReason('臨時営業', [tuesday], 1)
    await saveReason('臨時休業', [wednesday], 1)
    await db.updateTable('specialDays').set({ hours: '{' }).execute()
    expect((await readDays(db, tuesday, 2)).map(({ state, source }) => [state, source])).toEqual([
      ['open', 'weekday'],
      ['closed', 'special day'],
    ])
  })

  test('saves the week only over its current version and retains its creation time', async () => {
    const { db, saveReason, readHour, listRevisions } = await createSite()
    await saveReason('臨時休業', [tuesday], 0)
    expect(await readWeek(db)).toEqual({ version: 0, schedule: null, createdAt: null, updatedAt: null })
    await saveWeek(db, week('10'), { version: 0 }, author(0))
    expect(await saveWeek(db, week('11'), { version: 0 }, author(1))).toMatchObject({ error: 'conflict' })
    expect(await saveWeek(db, week('11'), { version: 2 }, author(1))).toMatchObject({
      error: 'conflict',
      week: { version: 1 },
    })
    expect(await readHour()).toBe('10')
    await saveWeek(db, week('11'), { version: 1 }, author(2))
    expect(await readWeek(db)).toMatchObject({ version: 2, createdAt: author(0).at, updatedAt: author(2).at })
    expect(await removeWeek(db, { version: 1 }, author(3))).toMatchObject({ error: 'conflict' })
    expect(await removeWeek(db, { version: 2 }, author(3))).toMatchObject({ ok: expect.any(String) })
    // A form of the removed week must not overwrite the new week.
    await saveWeek(db, week('12'), { version: 0 }, author(4))
    expect(await readWeek(db)).toMatchObject({ version: 4, createdAt: author(4).at })
    expect(await listRevisions()).toEqual(['add', 'add', 'save', 'delete', 'add'])
  })

  test('undoes only the last of several saves of the week at the same instant', async () => {
    const { db, readHour } = await createSite()
    await saveWeek(db, week('10'), { version: 0 }, author(0))
    await saveWeek(db, week('11'), { version: 1 }, author(1))
    const last = await saveWeek(db, week('12'), { version: 2 }, author(1))
    const revision = last.ok ?? ''
    await undoSave(db, recordTypes, revision, author(2))
    expect([await readHour(), (await readWeek(db)).version]).toEqual(['11', 4])
    expect(await undoSave(db, recordTypes, revision, author(3))).toBeNull()
    const [added] = await db.selectFrom('revisions').select('saveId').orderBy('at').execute()
    expect(await undoSave(db, recordTypes, added?.saveId ?? '', author(3))).toBeNull()
  })

  test('reverts a changed or removed record to a revision with a new version', async () => {
    const { db, saveReason, readSummary, readHour } = await createSite()
    await saveWeek(db, week('10'), { version: 0 }, author(0))
    const [added] = await db.selectFrom('revisions').select('id').execute()
    await removeWeek(db, { version: 1 }, author(1))
    expect(await revert(db, weekRecord, added?.id ?? '', author(2))).toMatchObject({ row: { version: 3 } })
    expect([await readHour(), (await readWeek(db)).version]).toEqual(['10', 3])

    const [closed] = await readSave(db, await saveReason('臨時休業', [tuesday], 3))
    const removal = await removeSpecialDay(db, { day: tuesday, version: 1 }, author(4))
    const [removed] = await readSave(db, removal.ok ?? '')
    expect(await revert(db, specialDayRecord, closed?.id ?? '', author(5))).not.toBeNull()
    expect(await readSummary()).toEqual([[tuesday, '臨時休業', 3]])
    // The revision of a removal contains no state that a revert could restore.
    expect(await revert(db, specialDayRecord, removed?.id ?? '', author(6))).toBeNull()
    expect(await revert(db, specialDayRecord, 'none', author(6))).toBeNull()
    expect(await revert(db, weekRecord, closed?.id ?? '', author(6))).toBeNull()
  })

  test('counts the changes of a day in the weekly schedule and in its special day', async () => {
    const { db, saveReason } = await createSite()
    expect((await readHoursChanges(db)).last).toBeNull()
    await saveWeek(db, week('10'), { version: 0 }, author(0))
    await saveWeek(db, week('11'), { version: 1 }, author(1))
    await saveReason('臨時休業', [tuesday], 2)
    await saveReason('年末年始休業', [tuesday], 3)
    const { count, last } = await readHoursChanges(db)
    expect([count(tuesday), count(wednesday), last]).toEqual([4, 2, author(3).at])
  })

  if (engine === 'SQLite') return

  test('returns a conflict when a concurrent save of the week commits first', async () => {
    const { db, readHour, listRevisions } = await createSite()
    const added = await overtaken(
      db,
      (trx) => saveWeek(trx, week('10'), { version: 0 }, author(0)),
      () => saveWeek(db, week('11'), { version: 0 }, author(0)),
    )
    expect([added.error, await readHour()]).toEqual(['conflict', '10'])
    const saved = await overtaken(
      db,
      (trx) => saveWeek(trx, week('12'), { version: 1 }, author(1)),
      () => saveWeek(db, week('13'), { version: 1 }, author(1)),
    )
    expect([saved, await readHour()]).toEqual([
      { error: 'conflict', week: await readWeek(db), isUnreadable: false },
      '12',
    ])
    const removed = await overtaken(
      db,
      (trx) => saveWeek(trx, week('14'), { version: 2 }, author(2)),
      () => removeWeek(db, { version: 2 }, author(2)),
    )
    expect([removed, await readHour()]).toMatchObject([{ error: 'conflict' }, '14'])
    const [first] = await db.selectFrom('revisions').select('id').where('action', '=', 'add').execute()
    const put = await overtaken(
      db,
      (trx) => saveWeek(trx, week('15'), { version: 3 }, author(3)),
      () => revert(db, weekRecord, first?.id ?? '', author(4)),
    )
    // The revert waits for the concurrent save and then stores a new version after the version of that save.
    expect([put?.row.version, await readHour()]).toEqual([5, '10'])
    expect(await listRevisions()).toEqual(['add', 'save', 'save', 'save', 'put back'])
  })

  test('saves none of several special days when a concurrent save of one day commits first', async () => {
    const { db, readSummary, listRevisions } = await createSite()
    const save = (trx: typeof db, reason: string, days: string[], replacing = new Map<string, { version: number }>()) =>
      saveSpecialDays(trx, { days, reason, slots: noSlots }, replacing, author())
    const added = await overtaken(
      db,
      (trx) => save(trx, '臨時営業', [wednesday]),
      () => save(db, '臨時休業', [tuesday, wednesday]),
    )
    expect(added).toMatchObject({ error: 'conflict', existing: [{ day: wednesday, reason: '臨時営業' }] })
    expect(await readSummary()).toEqual([[wednesday, '臨時営業', 1]])

    const seen = new Map([[wednesday, { version: 1 }]])
    const replaced = await overtaken(
      db,
      (trx) => save(trx, '営業時間変更', [wednesday], seen),
      () => save(db, '臨時休業', [tuesday, wednesday], seen),
    )
    expect(replaced).toMatchObject({ error: 'conflict', existing: [{ day: wednesday, version: 2 }] })
    const removed = await overtaken(
      db,
      (trx) => save(trx, '臨時営業', [wednesday], new Map([[wednesday, { version: 2 }]])),
      () => removeSpecialDay(db, { day: wednesday, version: 2 }, author()),
    )
    expect(removed).toMatchObject({ error: 'conflict' })
    expect(await readSummary()).toEqual([[wednesday, '臨時営業', 3]])
    expect(await listRevisions()).toEqual(['add', 'save', 'save'])
  })
})
