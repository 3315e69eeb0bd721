import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeBackup, restoreBackup } from '../../db/backup.ts'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { type Engine, emptyPostgresUrl, engines } from '../../db/testing.ts'
import { revert } from '../records/undo.server.ts'
import { readSite } from './site.server.ts'
import { settingsOf, siteRecord } from './site-record.server.ts'

const OLD_MIGRATION = '0021-staff'
const OLD_NAME = 'hideEditButtonsFromVisitors'
/**
 * A text that contains the old setting name, as plain text and as escaped JSON. The migration must not change this
 * text.
 */
const parking = `{"${OLD_NAME}":true} と、\\"${OLD_NAME}\\": のこと`

// Rows in the format before the migration. They contain changes of this setting and of another setting.
const storedRows = [
  { seats: '八席', [OLD_NAME]: false },
  { seats: '十席', [OLD_NAME]: false },
  { seats: '十席', [OLD_NAME]: true },
  { seats: '六席', [OLD_NAME]: true },
  { seats: '六席', [OLD_NAME]: false },
  { seats: '四席', [OLD_NAME]: false },
].map((facts, index) => ({
  ...{ id: 'site', version: index + 1, updatedAt: '2026-01-05T00:00:00.000Z' },
  facts: JSON.stringify({ name: '酒場 よいやみ', parking, ...facts }),
}))

async function newDatabaseLocation(engine: Engine) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { url: engine === 'PostgreSQL' ? await emptyPostgresUrl() : undefined, file: join(folder, 'site.db') }
}

async function open(location: Awaited<ReturnType<typeof newDatabaseLocation>>) {
  const db = await connect(location)
  onTestFinished(() => db.destroy())
  return db
}

/** Creates a database in the format before the migration, with a history of the setting. */
async function oldDatabase(engine: Engine) {
  const db = await open(await newDatabaseLocation(engine))
  await migrate(db, OLD_MIGRATION)
  await untypedTables(db)
    .insertInto('site')
    .values(storedRows.at(-1) ?? {})
    .execute()
  for (const [index, after] of storedRows.entries()) {
    const before = storedRows[index - 1]
    const { id, version, updatedAt: at } = after
    const row = { id: `revision ${version}`, saveId: `save ${version}`, subject: 'site', subjectId: id, version, at }
    await untypedTables(db)
      .insertInto('revisions')
      .values({
        ...row,
        ...{ accountId: null, action: before ? 'save' : 'sample' },
        ...{ before: before ? JSON.stringify(before) : null, after: JSON.stringify(after) },
      })
      .execute()
  }
  return db
}

test.each(engines)('hides the edit buttons and renames the setting in its history, on %s', async (engine) => {
  const db = await oldDatabase(engine)
  await migrate(db)
  expect(await readSite(db)).toMatchObject({ parking, seats: '四席', showEditButtonsToVisitors: false })
  const revisions = await db.selectFrom('revisions').selectAll().orderBy('version').execute()
  const parseSettings = (state: string | null) => state && settingsOf(JSON.parse(state))
  const expectedSettings = (isShown: boolean) => ({ parking, showEditButtonsToVisitors: isShown })
  expect(revisions.map(({ before, after }) => [parseSettings(before), parseSettings(after)])).toMatchObject([
    [null, expectedSettings(false)],
    [expectedSettings(false), expectedSettings(false)],
    [expectedSettings(true), expectedSettings(false)],
    [expectedSettings(false), expectedSettings(false)],
    [expectedSettings(false), expectedSettings(true)],
    [expectedSettings(false), expectedSettings(false)],
  ])
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  for (const stored of [facts, ...revisions.map(({ after }) => JSON.parse(after ?? '').facts)])
    expect(Object.keys(JSON.parse(stored))).not.toContain(OLD_NAME)
})

test.each(engines)('reverts to revisions from before the migration, on %s', async (engine) => {
  const db = await oldDatabase(engine)
  await migrate(db)
  const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
  for (const [version, seats, shown] of [
    [2, '十席', false],
    [5, '六席', true],
    [4, '六席', false],
  ] as const) {
    await revert(db, siteRecord, `revision ${version}`, author)
    expect(await readSite(db), `${version}`).toMatchObject({ seats, parking, showEditButtonsToVisitors: shown })
  }
})

test.each(engines)(
  'sets the new setting when a backup from before the migration is restored, on %s',
  async (engine) => {
    const oldDb = await oldDatabase(engine)
    const location = await newDatabaseLocation(engine)
    const file = `${location.file}.noren`
    await makeBackup(oldDb, file, { program: '0.1.0', now: Date.parse('2026-11-20T03:00:00.000Z') })
    await restoreBackup(file, location)
    expect(await readSite(await open(location))).toMatchObject({ seats: '四席', showEditButtonsToVisitors: false })
  },
)
