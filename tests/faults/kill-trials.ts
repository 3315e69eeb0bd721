import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { canFail, NEEDS, openDisk } from './failing-disk.ts'
import { type Asked, none, notTried, onEach, some, type Tried, within } from './goals.ts'
import type { Ledger } from './operation-log.ts'
import { type Engine, openPlace, type Place } from './site-copy.ts'
import { randomFrom } from './random.ts'
import { openWriter } from './workload.ts'

const SERVES_WITHIN_MS = 3000
// Limits the runs in one site copy, because each audit checks the data of all runs before it.
const RUNS_IN_ONE_PLACE = 25

/** Kills the process while people write. Every confirmed operation must be stored completely and once. */
export async function kill({ runs = 6, seed, on }: Asked): Promise<Tried[]> {
  return onEach(on, (engine) => killOn(engine, { runs, seed }))
}

/** Kills the process and cuts the power. Writes that were not flushed are lost, completely or in part. */
export async function power({ runs = 6, seed }: Asked): Promise<Tried[]> {
  if (!canFail()) return [notTried('SQLite', NEEDS)]
  return [await killOn('SQLite', { runs, seed, cutsPower: true })]
}

type How = { runs: number; seed: number; cutsPower?: boolean }

async function killOn(engine: Engine, { runs, seed, cutsPower = false }: How): Promise<Tried> {
  const audit = openAudit()
  const starts: number[] = []
  const unsent: string[] = []
  let dropped = 0
  for (let first = 0; first < runs; first += RUNS_IN_ONE_PLACE) {
    const place = await openPlace(engine)
    const disk = cutsPower ? openDisk(place.folder) : undefined
    const start = () => startSite({ ...place.settings, ...disk?.settings }, { folder: place.folder })
    const { ledger, write, doEach } = openWriter(place, seed + first)
    let site = await start()
    await doEach(site.address)
    for (let run = first; run < Math.min(runs, first + RUNS_IN_ONE_PLACE); run += 1) {
      const random = randomFrom(seed + run)
      const writing = new AbortController()
      const work = write(site.address, writing.signal)
      await pause(random.between(100, 900))
      site.child.kill('SIGKILL')
      await site.exited
      writing.abort()
      await work
      dropped += disk?.cutPower(random) ?? 0
      site = await start()
      starts.push(site.msToFirst200)
      const named = `${engine}, run ${run}`
      await audit.look(place, ledger, { run: named, address: site.address, onlyReads: cutsPower })
      await ledger.sendAgain(site.address)
    }
    await audit.look(place, ledger, { run: `${engine}, at the end`, address: site.address })
    unsent.push(...(await mailsUnsent(place, ledger)))
    await site.stop()
    audit.close(ledger)
    disk?.close()
    await place.close()
  }
  const goals = [
    ...audit.goals(),
    ...(cutsPower ? [some('writes that were dropped', dropped)] : []),
    none('messages whose mail never left', unsent),
    within('serving again', starts, SERVES_WITHIN_MS),
  ]
  return { of: engine, runs, goals, deeds: audit.deeds() }
}

// Each e-mail is one file here, so a repeated delivery counts once.
async function mailsUnsent({ reading, folder }: Place, ledger: Ledger) {
  const waiting = () =>
    reading(async (db) => {
      // A claimed e-mail is locked for two minutes; this update ends the lock early.
      const now = new Date().toISOString()
      await db
        .updateTable('outbox')
        .set({ dueAt: now })
        .where('state', '=', 'waiting')
        .where('dueAt', '>', now)
        .execute()
      return db.selectFrom('outbox').select('id').where('state', '=', 'waiting').execute()
    })
  for (let look = 0; look < 100 && (await waiting()).length > 0; look += 1) await pause(200)
  const files = readdirSync(join(folder, 'mails'))
  const messages = await reading((db) =>
    db
      .selectFrom('messages')
      .innerJoin('outbox', 'outbox.about', 'messages.id')
      .select(['messages.subject', 'outbox.id'])
      .execute(),
  )
  const told = new Map(messages.map(({ subject, id }) => [/#\d+#/.exec(subject)?.[0], id]))
  const kept = ledger.deeds.filter(({ what, state }) => what === 'a message' && state === 'kept')
  return kept
    .filter(({ sign }) => !files.some((name) => name.includes(told.get(sign) ?? 'none')))
    .map(({ sign }) => sign)
}
