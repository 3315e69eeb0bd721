import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { readSite } from './site.server.ts'
import { settingsOf } from './site-record.server.ts'

const at = '2026-01-05T00:00:00.000Z'
const OLD_NAME = 'dishesAndCalendarByAdministratorsOnly'
/**
 * A text that contains the old setting name, as plain text and as escaped JSON. The migration must not change this
 * text.
 */
const parking = `{"${OLD_NAME}":true} と、\\"${OLD_NAME}\\": のこと`

// Rows in the format before the migration.
const siteRow = (version: number, isStaffOnly: boolean) => ({
  ...{ id: 'site', version, updatedAt: at },
  facts: JSON.stringify({ name: '酒場 よいやみ', parking, [OLD_NAME]: isStaffOnly }),
})

test.each(engines)('renames the setting and preserves its value and history, on %s', async (engine) => {
  const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
  onTestFinished(() => db.destroy())
  await migrate(db, '0018-pages')
  const [first, second] = [siteRow(1, false), siteRow(2, true)]
  const page = { id: 'home', version: 1, facts: JSON.stringify({ introduction: parking }), updatedAt: at }
  await untypedTables(db).insertInto('site').values(second).execute()
  for (const [subject, subjectId, version, before, after] of [
    ['site', 'site', 1, null, first],
    ['site', 'site', 2, first, second],
    ['page', 'home', 1, null, page],
  ] as const) {
    const states = { before: before && JSON.stringify(before), after: JSON.stringify(after) }
    const row = { id: `${subject} ${version}`, saveId: 'save', action: 'save', subject, subjectId, version }
    await untypedTables(db)
      .insertInto('revisions')
      .values({ ...row, accountId: null, at, ...states })
      .execute()
  }

  await migrate(db)
  const unchanged = { name: '酒場 よいやみ', parking }
  expect(await readSite(db)).toMatchObject({ ...unchanged, dishesAndCalendarByStaffOnly: true })
  const revisions = await db.selectFrom('revisions').selectAll().orderBy('id').execute()
  const parseSettings = (state: string | null) => state && settingsOf(JSON.parse(state))
  expect(revisions.map(({ id, before, after }) => [id, parseSettings(before), parseSettings(after)])).toMatchObject([
    ['page 1', null, {}],
    ['site 1', null, { ...unchanged, dishesAndCalendarByStaffOnly: false }],
    ['site 2', { dishesAndCalendarByStaffOnly: false }, { ...unchanged, dishesAndCalendarByStaffOnly: true }],
  ])
  // The migration must not change the revisions of other records.
  expect(revisions[0]?.after).toBe(JSON.stringify(page))
  const { facts: stored } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  expect(Object.keys(JSON.parse(stored))).not.toContain(OLD_NAME)
})
