import { setTimeout as pause } from 'node:timers/promises'
import { type Site, startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { addCard } from './operations.ts'
import { type Goal, none, type Tried, within } from './goals.ts'
import { type Engine, openPlace, type Place } from './site-copy.ts'
import { type Random, randomFrom } from './random.ts'
import { openWatch } from './monitor.ts'
import { openWriter, type Writer } from './workload.ts'

const SAVES_WITHIN_MS = 2000
const RUNS_IN_ONE_PLACE = 25

/** Fault of the environment that begins and ends. */
export type Fault = {
  /** Environment variables that make the site run on the faulty component. */
  settings: Record<string, string>
  begin(random: Random): Promise<void> | void
  end(): Promise<void> | void
  /** Returns additional goals at the end of the trial. */
  goals?(): Goal[]
  close(): Promise<void> | void
}

type How = {
  engine: Engine
  runs: number
  seed: number
  open: (place: Place) => Promise<Fault> | Fault
  /** Minimum and maximum duration in milliseconds. */
  lasts: [number, number]
  /** Whether the health check may return this status during the fault. */
  truthful: (status: number) => boolean
  /** Whether stale pages must show their time during the fault. */
  tellsTime?: boolean
  /** Share of the runs that kill the process during the fault, from 0 to 1. */
  killed?: number
}

/** Runs the workload during a fault and after it, `runs` times. */
export async function withstand(how: How): Promise<Tried> {
  const { engine, runs, seed, open, lasts, truthful, tellsTime = false, killed = 0 } = how
  const [audit, watch] = [openAudit(), openWatch(truthful)]
  const saves: number[] = []
  const ended: string[] = []
  const more: Goal[] = []
  for (let first = 0; first < runs; first += RUNS_IN_ONE_PLACE) {
    const place = await openPlace(engine)
    const fault = await open(place)
    const start = () => startSite({ ...place.settings, ...fault.settings }, { folder: place.folder })
    const writer = openWriter(place, seed + first)
    let site = await start()
    await writer.doEach(site.address)
    for (let run = first; run < Math.min(runs, first + RUNS_IN_ONE_PLACE); run += 1) {
      const random = randomFrom(seed + run)
      const named = `${engine}, run ${run}`
      const writing = await underFault(site, { writer, watch, fault, random, lasts })
      const { exitCode, signalCode } = site.child
      if (exitCode !== null || signalCode) ended.push(`${named}: the process ended with ${signalCode ?? exitCode}`)
      else if (random.chance(killed)) {
        site.child.kill('SIGKILL')
        await site.exited
      }
      await fault.end()
      if (site.child.exitCode !== null || site.child.signalCode !== null) site = await start()
      else saves.push(await untilSaved(site, writer))
      // An operation that waited through the fault may still change the data.
      await writing.ended
      await audit.look(place, writer.ledger, { run: named, address: site.address })
      await writer.ledger.sendAgain(site.address)
    }
    await audit.look(place, writer.ledger, { run: `${engine}, at the end`, address: site.address })
    more.push(...(fault.goals?.() ?? []))
    await site.stop()
    await fault.close()
    audit.close(writer.ledger)
    await place.close()
  }
  const goals = [
    ...audit.goals(),
    ...watch.goals(),
    ...(tellsTime
      ? [{ goal: 'pages with their time: some', measured: `${watch.withTime()}`, missed: watch.withTime() === 0 }]
      : []),
    none('processes that ended', ended),
    within('saving again', saves, SAVES_WITHIN_MS),
    ...more,
  ]
  return { of: engine, runs, goals, deeds: audit.deeds() }
}

type Under = Pick<How, 'lasts'> & { writer: Writer; watch: ReturnType<typeof openWatch>; fault: Fault; random: Random }

async function underFault({ address }: Site, { writer, watch, fault, random, lasts }: Under) {
  await watch.before(address)
  const [writing, wrong] = [new AbortController(), new AbortController()]
  const work = writer.write(address, writing.signal)
  await pause(random.between(100, 400))
  await fault.begin(random)
  const watching = watch.during(address, wrong.signal)
  await pause(random.between(...lasts))
  wrong.abort()
  await watching
  writing.abort()
  await Promise.race([work, pause(50)])
  // Operations that wait for a response may continue until the fault has ended.
  return { ended: work }
}

// Returns the milliseconds from the end of the fault to the first confirmed save.
async function untilSaved({ address }: Site, writer: Writer) {
  const began = performance.now()
  for (let tries = 0; tries < 200; tries += 1) {
    const kept = writer.ledger.count('kept')
    await addCard({ ...writer.hands.administrator, address })
    if (writer.ledger.count('kept') > kept) break
    await pause(50)
  }
  return performance.now() - began
}
