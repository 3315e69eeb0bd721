import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { untypedTables } from '../../db/engine.ts'
import { appliedMigrations, connect, migrate, migrationNames } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { startSite } from '../../scripts/start-site.ts'
import { blankSettings } from '../../server/settings.ts'
import { noneGoal, runOnEngines, someGoal, type TrialOptions, type TrialResult } from './goals.ts'
import { checkIntegrity } from './integrity-check.ts'
import { randomFrom } from './random.ts'
import { createDatabase, type Engine } from './site-copy.ts'

// Version from which the site is migrated, and the size of its data.
const FROM = '0013-attempts'
const CARDS = 400
const VERSIONS = 5

const main = join(import.meta.dirname, '..', '..', 'server', 'main.ts')

/** Kills the site at a random time while it migrates the data of an earlier version. Then starts the site again. */
export async function migration({ runs = 3, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => migrationOn(engine, runs, seed))
}

async function migrationOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const errors: string[] = []
  let killCount = 0
  const templateUrl = engine === 'PostgreSQL' ? await createDatabase() : undefined
  if (templateUrl) await insertCards({ url: templateUrl, file: '' })
  // The first start is not killed. Its duration limits the kill times of later starts.
  let startMs = 0
  for (let run = 0; run <= runs; run += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'noren-trial-old-'))
    const url = templateUrl && (await createDatabase(new URL(templateUrl).pathname.slice(1)))
    const location = { url, file: join(folder, 'site.db') }
    if (!url) await insertCards(location)
    const settings = { DATABASE_URL: url ?? '', DATA_DIR: folder, SAMPLE_SHOP: 'no', LOG_LEVEL: 'error' }
    if (run > 0) {
      await startAndKill(settings, startMs * randomFrom(seed + run).next())
      const db = await connect(location)
      const applied = await appliedMigrations(db)
      await db.destroy()
      if (applied.length < migrationNames.length) killCount += 1
    }
    const site = await startSite(settings, { folder })
    if (run === 0) startMs = site.msToFirst200
    errors.push(...(await findErrors(location)).map((error) => `${engine}, run ${run}: ${error}`))
    await site.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    label: engine,
    runs,
    goals: [someGoal('killed migrations', killCount), noneGoal('lost or inconsistent', errors)],
  }
}

async function startAndKill(settings: Record<string, string>, afterMs: number) {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...blankSettings, PORT: '0', ...settings },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await pause(afterMs)
  child.kill('SIGKILL')
  await exited
}

async function findErrors(location: { url: string | undefined; file: string }) {
  const db = await connect(location)
  try {
    const errors = (await checkIntegrity(db)).inconsistencies
    const titles = new Set((await db.selectFrom('cards').select('title').execute()).map(({ title }) => title))
    for (let card = 0; card < CARDS; card += 1) if (!titles.has(titleOf(card))) errors.push(`${titleOf(card)} is lost`)
    const { count } = await db
      .selectFrom('revisions')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count === CARDS * VERSIONS ? errors : [...errors, `${count} revisions of ${CARDS * VERSIONS}`]
  } finally {
    await db.destroy()
  }
}

const titleOf = (card: number) => `古い札 ${card}`

// Inserts cards of the earlier version, each with its history.
async function insertCards(location: { url: string | undefined; file: string }) {
  const db = await connect(location)
  await migrate(db, FROM)
  const blank = await blankRow(db, 'contentItems')
  await db.transaction().execute(async (trx) => {
    for (let card = 0; card < CARDS; card += 1) {
      const states = Array.from({ length: VERSIONS }, (_, index) => {
        const title = index === VERSIONS - 1 ? titleOf(card) : `${titleOf(card)} ${index}`
        return { ...blank, id: `card-${card}`, collection: 'vbacreate', version: index + 1, title }
      })
      await untypedTables(trx)
        .insertInto('contentItems')
        .values(states.at(-1) ?? {})
        .execute()
      const revisions = states.map((state, index) => ({
        ...{ id: `revision-${card}-${index}`, subject: 'contentItem', subjectId: state.id, accountId: null },
        ...{ action: index === 0 ? 'add' : 'save', at: new Date(index).toISOString() },
        before: index === 0 ? null : JSON.stringify(states[index - 1]),
        after: JSON.stringify(state),
      }))
      await untypedTables(trx).insertInto('revisions').values(revisions).execute()
    }
  })
  await db.destroy()
}

async function blankRow(db: Db, table: string) {
  const shape = (await db.introspection.getTables()).find(({ name }) => name === table)
  const blank = (type: string) => (/int/i.test(type) ? 0 : '')
  return Object.fromEntries(
    (shape?.columns ?? []).map(({ name, dataType, isNullable }) => [name, isNullable ? null : blank(dataType)]),
  )
}
