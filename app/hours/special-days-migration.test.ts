import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { countSample } from '../owner/sample.server.ts'
import { revert } from '../records/undo.server.ts'
import { specialDayRecord } from './hours-records.server.ts'

const at = '2026-11-20T00:00:00.000Z'
const author = { accountId: null, at: '2026-11-21T00:00:00.000Z' }

test.each(engines)('adds an empty cause and note to special days and their revisions on %s', async (engine) => {
  const place = engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' }
  const db = await connect(place)
  onTestFinished(() => db.destroy())
  await migrate(db, '0024-messages-held')
  const row = { day: '2026-12-31', version: 1, reason: '年末年始休業', hours: '{}', createdAt: at, updatedAt: at }
  await untypedTables(db).insertInto('specialDays').values(row).execute()
  const revision = { subject: 'specialDay', subjectId: row.day, accountId: null, at }
  const states = { before: null, after: JSON.stringify(row) }
  await untypedTables(db)
    .insertInto('revisions')
    .values({ id: 'r', saveId: 's', action: 'sample', version: 1, ...revision, ...states })
    .execute()

  await migrate(db)
  expect(await db.selectFrom('specialDays').selectAll().execute()).toEqual([{ ...row, cause: '', note: '' }])
  expect(await countSample(db, recordTypes)).toEqual([{ place: '特別営業日', count: 1 }])

  await db.updateTable('specialDays').set({ cause: '旅行のため', note: '5日から営業します。', version: 2 }).execute()
  expect(await revert(db, specialDayRecord, 'r', author)).toMatchObject({ row: { cause: '', note: '', version: 3 } })
  expect(await db.selectFrom('specialDays').select(['cause', 'note']).execute()).toEqual([{ cause: '', note: '' }])
})
