import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, engines } from '../../db/testing.ts'
import { readSite } from './site.server.ts'
import { settingsOf } from './site-record.server.ts'

const at = '2026-01-05T00:00:00.000Z'
const WAS = 'dishesAndCalendarByAdministratorsOnly'
/** A text that contains the old name, plain and as escaped JSON. The migration must not change the text. */
const notice = `{"${WAS}":true} と、\\"${WAS}\\": のこと`

// Rows in the format before the migration.
const site = (version: number, only: boolean) => ({
  ...{ id: 'site', version, updatedAt: at },
  facts: JSON.stringify({ name: '酒場 よいやみ', notice, [WAS]: only }),
})

test.each(engines)('renames the setting and preserves its value and history, on %s', async (engine) => {
  const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
  onTestFinished(() => db.destroy())
  await migrate(db, '0018-pages')
  const [first, second] = [site(1, false), site(2, true)]
  const page = { id: 'home', version: 1, facts: JSON.stringify({ introduction: notice }), updatedAt: at }
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
  const said = { name: '酒場 よいやみ', notice }
  expect(await readSite(db)).toMatchObject({ ...said, dishesAndCalendarByStaffOnly: true })
  const kept = await db.selectFrom('revisions').selectAll().orderBy('id').execute()
  const facts = (state: string | null) => state && settingsOf(JSON.parse(state))
  expect(kept.map(({ id, before, after }) => [id, facts(before), facts(after)])).toMatchObject([
    ['page 1', null, {}],
    ['site 1', null, { ...said, dishesAndCalendarByStaffOnly: false }],
    ['site 2', { dishesAndCalendarByStaffOnly: false }, { ...said, dishesAndCalendarByStaffOnly: true }],
  ])
  // Other records are unchanged.
  expect(kept[0]?.after).toBe(JSON.stringify(page))
  const { facts: stored } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  expect(Object.keys(JSON.parse(stored))).not.toContain(WAS)
})
