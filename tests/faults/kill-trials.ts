import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { canSimulateFaults, openDisk, REQUIREMENTS } from './failing-disk.ts'
import {
  noneGoal,
  runOnEngines,
  someGoal,
  type TrialOptions,
  type TrialResult,
  untestedResult,
  withinGoal,
} from './goals.ts'
import type { OperationLog } from './operation-log.ts'
import { randomFrom } from './random.ts'
import { type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const START_TIMEOUT_MS = 3000
// Limits the runs in one site copy, because each audit checks the data of all runs before it.
const RUNS_PER_COPY = 25

/** Kills the process while people write. Every confirmed operation must be stored completely and only once. */
export async function kill({ runs = 6, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => killOn(engine, { runs, seed }))
}

/** Kills the process and cuts the power. Unflushed writes are lost, completely or in part. */
export async function power({ runs = 6, seed }: TrialOptions): Promise<TrialResult[]> {
  if (!canSimulateFaults()) return [untestedResult('SQLite', REQUIREMENTS)]
  return [await killOn('SQLite', { runs, seed, cutsPower: true })]
}

type KillOptions = { runs: number; seed: number; cutsPower?: boolean }

async function killOn(engine: Engine, { runs, seed, cutsPower = false }: KillOptions): Promise<TrialResult> {
  const audit = openAudit()
  const startTimes: number[] = []
  const unsentMails: string[] = []
  let droppedWrites = 0
  for (let first = 0; first < runs; first += RUNS_PER_COPY) {
    const copy = await openSiteCopy(engine)
    const disk = cutsPower ? openDisk(copy.folder) : undefined
    const start = () => startSite({ ...copy.settings, ...disk?.settings }, { folder: copy.folder })
    const { log, write, runEach } = openWorkload(copy, seed + first)
    let site = await start()
    await runEach(site.address)
    for (let run = first; run < Math.min(runs, first + RUNS_PER_COPY); run += 1) {
      const random = randomFrom(seed + run)
      const writing = new AbortController()
      const work = write(site.address, writing.signal)
      await pause(random.between(100, 900))
      site.child.kill('SIGKILL')
      await site.exited
      writing.abort()
      await work
      droppedWrites += disk?.cutPower(random) ?? 0
      site = await start()
      startTimes.push(site.msToFirst200)
      const runName = `${engine}, run ${run}`
      await audit.check(copy, log, { run: runName, address: site.address, onlyReads: cutsPower })
      await log.repeatUnknown(site.address)
    }
    await audit.check(copy, log, { run: `${engine}, at the end`, address: site.address })
    unsentMails.push(...(await findUnsentMails(copy, log)))
    await site.stop()
    audit.close(log)
    disk?.close()
    await copy.close()
  }
  const goals = [
    ...audit.goals(),
    ...(cutsPower ? [someGoal('dropped writes', droppedWrites)] : []),
    noneGoal('messages without a sent e-mail', unsentMails),
    withinGoal('restart', startTimes, START_TIMEOUT_MS),
  ]
  return { label: engine, runs, goals, operations: audit.operations() }
}

// In this trial, each e-mail is one file, so a repeated delivery does not add a file.
async function findUnsentMails({ withDatabase, folder }: SiteCopy, log: OperationLog) {
  const findWaiting = () =>
    withDatabase(async (db) => {
      // After a claim, an e-mail is locked for two minutes. This update ends the lock early.
      const now = new Date().toISOString()
      await db
        .updateTable('outbox')
        .set({ dueAt: now })
        .where('state', '=', 'waiting')
        .where('dueAt', '>', now)
        .execute()
      return db.selectFrom('outbox').select('id').where('channel', '=', 'mail').where('state', '=', 'waiting').execute()
    })
  for (let check = 0; check < 100 && (await findWaiting()).length > 0; check += 1) await pause(200)
  const files = readdirSync(join(folder, 'mails'))
  const messages = await withDatabase((db) =>
    db
      .selectFrom('messages')
      .innerJoin('outbox', 'outbox.about', 'messages.id')
      .select(['messages.subject', 'outbox.id'])
      .execute(),
  )
  const mailIds = new Map(messages.map(({ subject, id }) => [/#\d+#/.exec(subject)?.[0], id]))
  const confirmed = log.operations.filter(({ what, state }) => what === 'a message' && state === 'confirmed')
  return confirmed
    .filter(({ marker }) => !files.some((name) => name.includes(mailIds.get(marker) ?? 'none')))
    .map(({ marker }) => marker)
}
