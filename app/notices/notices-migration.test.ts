import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { removeOnce } from '../records/own-saves.server.ts'
import { revert, undoSave } from '../records/undo.server.ts'
import { readSite } from '../settings/site.server.ts'
import { noticeRecord } from './notice-record.server.ts'
import { listNotices, saveNotice } from './notices.server.ts'

const at = '2026-11-01T00:00:00.000Z'
const author = { accountId: null, at: '2026-11-21T00:00:00.000Z' }

async function migratedDatabase(engine: (typeof engines)[number], facts: Record<string, string>) {
  const place = engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' }
  const db = await connect(place)
  onTestFinished(() => db.destroy())
  await migrate(db, '0033-menu-sections')
  const site = { id: 'site', version: 1, facts: JSON.stringify(facts), updatedAt: at }
  await untypedTables(db).insertInto('site').values(site).execute()
  const revision = { id: 'r', saveId: 's', action: 'add', version: 1, subject: 'site', subjectId: 'site' }
  await untypedTables(db)
    .insertInto('revisions')
    .values({ ...revision, accountId: null, at, before: null, after: JSON.stringify(site) })
    .execute()
  await migrate(db)
  return db
}

test.each(engines)('turns the notice of the settings into a notice with a history on %s', async (engine) => {
  const db = await migratedDatabase(engine, { name: '酒場 よいやみ', notice: ' 一行目\n二行目 ', seats: '十席' })
  const [notice] = await listNotices(db)
  expect(notice).toEqual({
    ...{ id: expect.any(String), version: 1, text: '一行目\n二行目', link: '', place: 'home', important: false },
    ...{ shownFrom: '', shownUntil: '', createdAt: at, updatedAt: at },
  })
  expect(await readSite(db)).toMatchObject({ name: '酒場 よいやみ', seats: '十席' })
  expect(await readSite(db)).not.toHaveProperty('notice')

  const id = notice?.id ?? ''
  await saveNotice(db, id, { version: 1, facts: { text: '新しい文' } }, author)
  const first = await db
    .selectFrom('revisions')
    .select('id')
    .where('subject', '=', 'notice')
    .where('version', '=', 1)
    .executeTakeFirstOrThrow()
  await revert(db, noticeRecord, first.id, author)
  expect(await listNotices(db)).toMatchObject([{ text: '一行目\n二行目', version: 3 }])
  const deleted = await removeOnce(db, noticeRecord, { id, version: 3 }, author)
  expect(await listNotices(db)).toEqual([])
  await undoSave(db, [noticeRecord], deleted.ok ?? '', author)
  expect(await listNotices(db)).toMatchObject([{ text: '一行目\n二行目', important: false }])
})

test.each(engines)('adds no notice when the notice of the settings is empty on %s', async (engine) => {
  const db = await migratedDatabase(engine, { name: '酒場 よいやみ', notice: ' ' })
  expect(await listNotices(db)).toEqual([])
})
