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

const BEFORE = '0021-staff'
const WAS = 'hideEditButtonsFromVisitors'
/** A text that contains the old name, plain and as escaped JSON. The migration must not change the text. */
const notice = `{"${WAS}":true} と、\\"${WAS}\\": のこと`

// Rows in the format before the migration, with changes of the setting and of another one.
const states = [
  { seats: '八席', [WAS]: false },
  { seats: '十席', [WAS]: false },
  { seats: '十席', [WAS]: true },
  { seats: '六席', [WAS]: true },
  { seats: '六席', [WAS]: false },
  { seats: '四席', [WAS]: false },
].map((facts, index) => ({
  ...{ id: 'site', version: index + 1, updatedAt: '2026-01-05T00:00:00.000Z' },
  facts: JSON.stringify({ name: '酒場 よいやみ', notice, ...facts }),
}))

async function emptyPlace(engine: Engine) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { url: engine === 'PostgreSQL' ? await emptyPostgresUrl() : undefined, file: join(folder, 'site.db') }
}

async function open(place: Awaited<ReturnType<typeof emptyPlace>>) {
  const db = await connect(place)
  onTestFinished(() => db.destroy())
  return db
}

/** Creates a database before the migration, with a history of the setting. */
async function siteOfBefore(engine: Engine) {
  const db = await open(await emptyPlace(engine))
  await migrate(db, BEFORE)
  await untypedTables(db)
    .insertInto('site')
    .values(states.at(-1) ?? {})
    .execute()
  for (const [index, after] of states.entries()) {
    const before = states[index - 1]
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
  const db = await siteOfBefore(engine)
  await migrate(db)
  expect(await readSite(db)).toMatchObject({ notice, seats: '四席', showEditButtonsToVisitors: false })
  const kept = await db.selectFrom('revisions').selectAll().orderBy('version').execute()
  const said = (state: string | null) => state && settingsOf(JSON.parse(state))
  const shows = (is: boolean) => ({ notice, showEditButtonsToVisitors: is })
  expect(kept.map(({ before, after }) => [said(before), said(after)])).toMatchObject([
    [null, shows(false)],
    [shows(false), shows(false)],
    [shows(true), shows(false)],
    [shows(false), shows(false)],
    [shows(false), shows(true)],
    [shows(false), shows(false)],
  ])
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  for (const stored of [facts, ...kept.map(({ after }) => JSON.parse(after ?? '').facts)])
    expect(Object.keys(JSON.parse(stored))).not.toContain(WAS)
})

test.each(engines)('reverts to revisions from before the migration, on %s', async (engine) => {
  const db = await siteOfBefore(engine)
  await migrate(db)
  const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
  for (const [version, seats, shown] of [
    [2, '十席', false],
    [5, '六席', true],
    [4, '六席', false],
  ] as const) {
    await revert(db, siteRecord, `revision ${version}`, author)
    expect(await readSite(db), `${version}`).toMatchObject({ seats, notice, showEditButtonsToVisitors: shown })
  }
})

test.each(engines)('restores a backup from before the migration with the new setting, on %s', async (engine) => {
  const old = await siteOfBefore(engine)
  const place = await emptyPlace(engine)
  const file = `${place.file}.noren`
  await makeBackup(old, file, { program: '0.1.0', now: Date.parse('2026-11-20T03:00:00.000Z') })
  await restoreBackup(file, place)
  expect(await readSite(await open(place))).toMatchObject({ seats: '四席', showEditButtonsToVisitors: false })
})
