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
import { readBooks } from './integrity-check.ts'
import { countDeeds, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import { type Asked, none, onEach, some, type Tried } from './goals.ts'
import { databaseLike, type Engine, openPlace, type Place } from './site-copy.ts'
import { randomFrom } from './random.ts'
import { openWriter, type Writer } from './workload.ts'

/** Makes a backup while people write, then kills each restore at a random time and repeats it. */
export async function backup({ runs = 4, seed, on }: Asked): Promise<Tried[]> {
  return onEach(on, (engine) => backupOn(engine, runs, seed))
}

async function backupOn(engine: Engine, runs: number, seed: number): Promise<Tried> {
  const place = await openPlace(engine)
  const writer = openWriter(place, seed)
  const site = await startSite(place.settings, { folder: place.folder })
  await writer.doEach(site.address)
  await writer.writeFor(site.address, 2000)
  // The backup must contain every operation that was confirmed before it began.
  const before = writer.ledger.deeds.filter(({ state }) => state === 'kept')
  const file = join(place.folder, 'trial.noren')
  const writing = new AbortController()
  const work = writer.write(site.address, writing.signal)
  const made = await run('backup.ts', [file], place.settings).exited
  writing.abort()
  await work
  await site.stop()

  const faults = made === 0 ? [] : [`the backup ended with ${made}`]
  let killed = 0
  // The first restore is not killed; its duration limits the kill times of the others.
  let lasts = Number.POSITIVE_INFINITY
  for (let count = 0; count <= runs && made === 0; count += 1) {
    const target = await openTarget(engine)
    const restoring = run('restore.ts', [file], target.settings)
    const began = performance.now()
    const killing = count === 0 ? new Promise<undefined>(() => {}) : pause(lasts * randomFrom(seed + count).next())
    const over = await Promise.race([restoring.exited, killing])
    if (count === 0) lasts = performance.now() - began
    if (over === undefined) {
      killed += 1
      restoring.child.kill('SIGKILL')
      await restoring.exited
    }
    faults.push(...(await wrongIn(target, file, before)).map((fault) => `${engine}, run ${count}: ${fault}`))
    target.close()
  }
  await place.close()
  const deeds = countDeeds(writer.ledger.deeds)
  const goals = [
    eachDoneGoal(deeds),
    refusedGoal(writer.ledger.deeds),
    some('killed', killed),
    none('lost, half or refused', faults),
  ]
  return { of: engine, runs, goals, deeds }
}

// A restore that was killed midway starts from the beginning. One that was killed after its end is refused, because the
// target has data.
async function wrongIn(target: Target, file: string, before: Writer['ledger']['deeds']) {
  const again = await run('restore.ts', [file], target.settings).exited
  const db = await connect(target)
  try {
    const { sums } = await checkBackup(file)
    const [have, want] = [await onSnapshot(db, tableChecksums), sums].map((all) =>
      all.map(({ table, digest }) => `${table} ${digest}`).sort(),
    )
    if (have?.join() !== want?.join()) return [`is not what was backed up; restored again: exit code ${again}`]
    const { signs, halves } = await readBooks(db)
    const lost = before.filter(({ sign }) => sign && !signs.has(sign))
    return [...halves, ...lost.map(({ what, sign }) => `${what} (${sign}) is not in it`)]
  } catch (error) {
    return [String(error)]
  } finally {
    await db.destroy()
  }
}

type Target = Awaited<ReturnType<typeof openTarget>>

async function openTarget(engine: Engine) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-trial-restored-'))
  const url = engine === 'PostgreSQL' ? await databaseLike() : undefined
  return {
    url,
    file: join(folder, 'site.db'),
    settings: { DATA_DIR: folder, DATABASE_URL: url ?? '' },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function run(script: string, given: string[], settings: Partial<Place['settings']>) {
  const path = join(import.meta.dirname, '..', '..', 'scripts', script)
  const child = spawn(process.execPath, [path, ...given], { env: { ...process.env, ...settings }, stdio: 'ignore' })
  return { child, exited: once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string) }
}
