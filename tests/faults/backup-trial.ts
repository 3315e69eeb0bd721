import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { checkBackup } from '../../db/backup.ts'
import { connect } from '../../db/open.ts'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import { startSite } from '../../scripts/start-site.ts'
import { blankSettings } from '../../server/settings.ts'
import { noneGoal, runOnEngines, someGoal, type TrialOptions, type TrialResult } from './goals.ts'
import { checkIntegrity } from './integrity-check.ts'
import { countOperations, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import { randomFrom } from './random.ts'
import { createDatabase, type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'
import { openWorkload, type Workload } from './workload.ts'

/** Makes a backup while people write. Then kills each restore at a random time and repeats the restore. */
export async function backup({ runs = 4, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => backupOn(engine, runs, seed))
}

async function backupOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const copy = await openSiteCopy(engine)
  const workload = openWorkload(copy, seed)
  const site = await startSite(copy.settings, { folder: copy.folder })
  await workload.runEach(site.address)
  await workload.writeFor(site.address, 2000)
  // The backup must contain every operation that was confirmed before it began.
  const before = workload.log.operations.filter(({ state }) => state === 'confirmed')
  const file = join(copy.folder, 'trial.noren')
  const stopWriting = new AbortController()
  const writingDone = workload.write(site.address, stopWriting.signal)
  const exitCode = await run('backup.ts', [file], copy.settings).exited
  stopWriting.abort()
  await writingDone
  await site.stop()

  const errors = exitCode === 0 ? [] : [`backup failed: exit code ${exitCode}, expected 0`]
  let killCount = 0
  // The first restore is not killed. Its duration limits the kill times of later restores.
  let restoreMs = Number.POSITIVE_INFINITY
  for (let count = 0; count <= runs && exitCode === 0; count += 1) {
    const target = await openTarget(engine)
    const restoring = run('restore.ts', [file], target.settings)
    const began = performance.now()
    const killed = count === 0 ? new Promise<undefined>(() => {}) : pause(restoreMs * randomFrom(seed + count).next())
    const outcome = await Promise.race([restoring.exited, killed])
    if (count === 0) restoreMs = performance.now() - began
    if (outcome === undefined) {
      killCount += 1
      restoring.child.kill('SIGKILL')
      await restoring.exited
    }
    errors.push(...(await findErrors(target, file, before)).map((error) => `${engine}, run ${count}: ${error}`))
    target.close()
  }
  await copy.close()
  const operations = countOperations(workload.log.operations)
  const goals = [
    eachDoneGoal(operations),
    refusedGoal(workload.log.operations),
    someGoal('killed restores', killCount),
    noneGoal('lost, inconsistent or rejected', errors),
  ]
  return { label: engine, runs, goals, operations }
}

// After a kill during a restore, the next restore starts from the beginning. After a kill at the end of a restore, the
// next restore is refused, because the target has data.
async function findErrors(target: Target, file: string, before: Workload['log']['operations']) {
  const exitCode = await run('restore.ts', [file], target.settings).exited
  const db = await connect(target)
  try {
    const { sums } = await checkBackup(file)
    const [actual, expected] = [await onSnapshot(db, tableChecksums), sums].map((all) =>
      all.map(({ table, digest }) => `${table} ${digest}`).sort(),
    )
    if (actual?.join() !== expected?.join())
      return [`restored data differs from the backup; exit code of the second restore: ${exitCode}`]
    const { markers, inconsistencies } = await checkIntegrity(db)
    const lost = before.filter(({ marker }) => marker && !markers.has(marker))
    return [...inconsistencies, ...lost.map(({ what, marker }) => `${what} (${marker}) is missing`)]
  } catch (error) {
    return [String(error)]
  } finally {
    await db.destroy()
  }
}

type Target = Awaited<ReturnType<typeof openTarget>>

async function openTarget(engine: Engine) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-restored-'))
  const url = engine === 'PostgreSQL' ? await createDatabase() : undefined
  return {
    url,
    file: join(folder, 'site.db'),
    settings: { DATA_DIR: folder, DATABASE_URL: url ?? '' },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function run(script: string, arguments_: string[], settings: Partial<SiteCopy['settings']>) {
  const path = join(import.meta.dirname, '..', '..', 'scripts', script)
  const child = spawn(process.execPath, [path, ...arguments_], {
    env: { ...process.env, ...blankSettings, ...settings },
    stdio: 'ignore',
  })
  return { child, exited: once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string) }
}
