import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { addDays } from '../dates/month.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { restoreFromBin, undoSave } from '../records/undo.server.ts'
import { Event } from './event.ts'
import { eventRecord } from './event-record.server.ts'
import {
  addEvent,
  deleteEvent,
  listEvents,
  listEventsWithRsvps,
  moveEvent,
  readEvent,
  saveEvent,
} from './events.server.ts'

const id = '00000000-0000-4000-8000-000000000001'
const author = (minute = 0) => ({ accountId: null, at: new Date(Date.UTC(2026, 10, 20, 3, minute)).toISOString() })
const createEvent = (values: object = {}) => Event.parse({ day: '2026-11-26', title: '利き酒の会', ...values })

onEachEngine((createDatabase, engine) => {
  test('lists the thirty nearest coming events that have RSVPs', async () => {
    const db = await createDatabase()
    const withRsvps = { attendance: true, startTime: '18:00' }
    for (let count = 40; count >= -1; count -= 1)
      await addEvent(db, `asked-${count}`, createEvent({ ...withRsvps, day: addDays('2026-11-20', count) }), author())
    await addEvent(db, 'early', createEvent({ ...withRsvps, day: '2026-11-20', startTime: '09:00' }), author())
    await addEvent(db, 'not asked', createEvent({ day: '2026-11-20' }), author())
    await addEvent(db, 'deleted', createEvent({ ...withRsvps, day: '2026-11-20' }), author())
    await deleteEvent(db, { id: 'deleted', version: 1 }, author())
    const ids = (await listEventsWithRsvps(db, '2026-11-20', null)).map((each) => each.id)
    expect(ids).toEqual(['early', ...Array.from({ length: 29 }, (_, count) => `asked-${count}`)])
  })

  test('lists the events of a day by time, with all-day events first', async () => {
    const db = await createDatabase()
    for (const [key, values] of [
      ['late', { startTime: '18:00' }],
      ['early', { startTime: '09:00' }],
      ['next', { day: '2026-11-27' }],
      ['whole', {}],
      ['before', { day: '2026-11-25' }],
      ['after', { day: '2026-11-28' }],
    ] as const)
      await addEvent(db, key, createEvent(values), author())
    const ids = (await listEvents(db, '2026-11-26', '2026-11-27', null)).map((each) => each.id)
    expect(ids).toEqual(['whole', 'early', 'late', 'next'])
  })

  test('clears the capacity and the deadline when RSVPs are switched off, until an undo', async () => {
    const db = await createDatabase()
    const withRsvps = { attendance: 'yes', capacity: '12', deadline: '2026-11-25' }
    await addEvent(db, id, createEvent(withRsvps), author())
    expect(await readEvent(db, id, null)).toMatchObject({ attendance: true, capacity: 12, deadline: '2026-11-25' })
    const saved = await saveEvent(db, { id, version: 1 }, createEvent({ ...withRsvps, attendance: '' }), author(1))
    expect(await readEvent(db, id, null)).toMatchObject({
      attendance: false,
      capacity: null,
      deadline: null,
      version: 2,
    })
    await undoSave(db, recordTypes, saved.ok?.save ?? '', author(2))
    expect(await readEvent(db, id, null)).toMatchObject({
      attendance: true,
      capacity: 12,
      deadline: '2026-11-25',
      version: 3,
    })
  })

  test.each([
    ['a week later', '2026-12-03', '2026-11-24', '2026-12-01'],
    ['earlier, over the end of a month', '2026-10-31', '2026-11-24', '2026-10-29'],
    ['over the end of February', '2028-03-01', '2026-11-25', '2028-02-29'],
    ['with a deadline on its day', '2027-01-01', '2026-11-26', '2027-01-01'],
    ['without a deadline', '2027-01-01', null, null],
    ['with a deadline after its day', '2026-11-20', '2026-12-05', '2026-11-20'],
  ])('moves the deadline with its event: %s', async (_, to, deadline, moved) => {
    const db = await createDatabase()
    await addEvent(db, id, createEvent({ attendance: true }), author())
    await db.updateTable('events').set({ deadline }).execute()
    const saved = await moveEvent(db, { id, version: 1 }, to, author(1))
    expect(await readEvent(db, id, null)).toMatchObject({ day: to, deadline: moved, version: 2 })
    await undoSave(db, recordTypes, saved.ok?.save ?? '', author(2))
    expect(await readEvent(db, id, null)).toMatchObject({ day: '2026-11-26', deadline })
  })

  const listRevisions = async (db: Awaited<ReturnType<typeof createDatabase>>) => {
    const rows = await db.selectFrom('revisions').selectAll().where('subjectId', '=', id).orderBy('at').execute()
    const version = (state: string | null) => state && JSON.parse(state).version
    return rows.map(({ action, before, after }) => [action, version(before), version(after)])
  }

  test('raises only the version of the changed event and adds a revision', async () => {
    const db = await createDatabase()
    await addEvent(db, 'other', createEvent({ title: '別の会' }), author())
    const other = await readEvent(db, 'other', null)
    await addEvent(db, id, createEvent(), author())
    expect(await addEvent(db, id, createEvent({ title: '二度目' }), author(1))).toBeNull()
    expect(await saveEvent(db, { id, version: 1 }, createEvent({ title: '新酒の会' }), author(1))).toMatchObject({
      ok: { save: expect.any(String) },
    })
    expect(await readEvent(db, id, null)).toMatchObject({ title: '新酒の会', version: 2, updatedAt: author(1).at })
    expect(await moveEvent(db, { id, version: 1 }, '2026-12-05', author(2))).toMatchObject({
      error: 'conflict',
      event: { title: '新酒の会', day: '2026-11-26' },
    })
    const moved = await moveEvent(db, { id, version: 2 }, '2026-12-05', author(2))
    expect(await readEvent(db, id, null)).toMatchObject({ title: '新酒の会', day: '2026-12-05', version: 3 })
    const deletion = await deleteEvent(db, { id, version: 3 }, author(3))
    expect(await readEvent(db, id, null)).toBeNull()
    expect(await saveEvent(db, { id, version: 4 }, createEvent(), author(4))).toEqual({ error: 'missing' })
    expect(await undoSave(db, recordTypes, moved.ok?.save ?? '', author(4))).toBeNull()
    const back = await undoSave(db, recordTypes, deletion.ok?.save ?? '', author(4))
    expect(await readEvent(db, id, null)).toMatchObject({ day: '2026-12-05', version: 5, updatedAt: author(4).at })
    expect(await restoreFromBin(db, eventRecord, id, author(5))).toBeNull()
    expect(await listRevisions(db)).toEqual([
      ['add', null, 1],
      ['save', 1, 2],
      ['move', 2, 3],
      ['delete', 3, null],
      ['take back', null, 5],
    ])
    // An undo of the undo deletes the event again. The bin then restores the last state of the event.
    await undoSave(db, recordTypes, back ?? '', author(6))
    expect(await readEvent(db, id, null)).toBeNull()
    expect(await restoreFromBin(db, eventRecord, id, author(7))).not.toBeNull()
    expect(await readEvent(db, id, null)).toMatchObject({ title: '新酒の会', day: '2026-12-05', version: 7 })
    expect(await readEvent(db, 'other', null)).toEqual(other)
  })

  if (engine === 'SQLite') return

  test('rejects a change when a concurrent save or deletion commits first', async () => {
    const db = await createDatabase()
    await addEvent(db, id, createEvent(), author())
    const seen = { id, version: 1 }
    const late = await overtaken(
      db,
      (trx) => saveEvent(trx, seen, createEvent({ title: '先の題' }), author(1)),
      () => saveEvent(db, seen, createEvent({ title: '後の題' }), author(2)),
    )
    expect(late).toMatchObject({ error: 'conflict', event: { title: '先の題', version: 2 } })
    expect(await readEvent(db, id, null)).toMatchObject({ title: '先の題', version: 2 })
    const deletion = await overtaken(
      db,
      (trx) => deleteEvent(trx, { id, version: 2 }, author(3)),
      () => saveEvent(db, { id, version: 2 }, createEvent(), author(4)),
    )
    expect(deletion).toEqual({ error: 'missing' })
    expect(await db.selectFrom('revisions').select('action').orderBy('at').execute()).toEqual(
      ['add', 'save', 'delete'].map((action) => ({ action })),
    )
  })

  test('returns null for an undo or a restore when a concurrent change commits first', async () => {
    const db = await createDatabase()
    const added = (await addEvent(db, id, createEvent(), author())) ?? ''
    const undone = await overtaken(
      db,
      (trx) => saveEvent(trx, { id, version: 1 }, createEvent({ title: '新しい題' }), author(1)),
      () => undoSave(db, recordTypes, added, author(2)),
    )
    expect([undone, (await readEvent(db, id, null))?.title]).toEqual([null, '新しい題'])

    await deleteEvent(db, { id, version: 2 }, author(3))
    const restored = await overtaken(
      db,
      (trx) => restoreFromBin(trx, eventRecord, id, author(4)),
      () => restoreFromBin(db, eventRecord, id, author(5)),
    )
    expect(restored).toBeNull()
    expect((await readEvent(db, id, null))?.version).toBe(4)
  })

  test('returns null for the second of two concurrent additions with the same ID', async () => {
    const db = await createDatabase()
    const late = await overtaken(
      db,
      (trx) => addEvent(trx, id, createEvent(), author()),
      () => addEvent(db, id, createEvent({ title: '二度目' }), author(1)),
    )
    expect([late, (await readEvent(db, id, null))?.title]).toEqual([null, '利き酒の会'])
    expect(await db.selectFrom('revisions').select('action').execute()).toEqual([{ action: 'add' }])
  })
})
