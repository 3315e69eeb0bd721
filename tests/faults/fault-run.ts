import { setTimeout as pause } from 'node:timers/promises'
import { type Site, startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { type Goal, noneGoal, type TrialResult, withinGoal } from './goals.ts'
import { openMonitor } from './monitor.ts'
import { addCard } from './operations.ts'
import { type Random, randomFrom } from './random.ts'
import { type Engine, openSiteCopy, type SiteCopy } from './site-copy.ts'
import { openWorkload, type Workload } from './workload.ts'

const SAVE_TIMEOUT_MS = 2000
const RUNS_PER_COPY = 25

/** Fault of the environment, with the functions that begin and end the fault. */
export type Fault = {
  /** Environment variables that make the site run on the faulty component. */
  settings: Record<string, string>
  begin(random: Random): Promise<void> | void
  end(): Promise<void> | void
  /** Returns additional goals at the end of the trial. */
  goals?(): Goal[]
  close(): Promise<void> | void
}

type FaultTrial = {
  engine: Engine
  runs: number
  seed: number
  open: (copy: SiteCopy) => Promise<Fault> | Fault
  /** Minimum and maximum duration in milliseconds. */
  durationMs: [number, number]
  /** Whether the health check may return this status during the fault. */
  isCorrectHealth: (status: number) => boolean
  /** Whether stale pages must show their time during the fault. */
  showsStaleTime?: boolean
  /** Share of the runs that kill the process during the fault, from 0 to 1. */
  killShare?: number
}

/** Runs the workload during a fault and after the fault. Repeats both `runs` times. */
export async function runUnderFault(options: FaultTrial): Promise<TrialResult> {
  const { engine, runs, seed, open, durationMs, isCorrectHealth, showsStaleTime = false, killShare = 0 } = options
  const [audit, monitor] = [openAudit(), openMonitor(isCorrectHealth)]
  const recoveryTimes: number[] = []
  const ended: string[] = []
  const extraGoals: Goal[] = []
  for (let first = 0; first < runs; first += RUNS_PER_COPY) {
    const copy = await openSiteCopy(engine)
    const fault = await open(copy)
    const start = () => startSite({ ...copy.settings, ...fault.settings }, { folder: copy.folder })
    const workload = openWorkload(copy, seed + first)
    let site = await start()
    await workload.runEach(site.address)
    for (let run = first; run < Math.min(runs, first + RUNS_PER_COPY); run += 1) {
      const random = randomFrom(seed + run)
      const runName = `${engine}, run ${run}`
      const writing = await writeDuringFault(site, { workload, monitor, fault, random, durationMs })
      const { exitCode, signalCode } = site.child
      if (exitCode !== null || signalCode) ended.push(`${runName}: process ended: ${signalCode ?? exitCode}`)
      else if (random.chance(killShare)) {
        site.child.kill('SIGKILL')
        await site.exited
      }
      await fault.end()
      if (site.child.exitCode !== null || site.child.signalCode !== null) site = await start()
      else recoveryTimes.push(await measureRecovery(site, workload))
      // An operation that waited for the end of the fault may still change the data.
      await writing.finished
      await audit.check(copy, workload.log, { run: runName, address: site.address })
      await workload.log.repeatUnknown(site.address)
    }
    await audit.check(copy, workload.log, { run: `${engine}, at the end`, address: site.address })
    extraGoals.push(...(fault.goals?.() ?? []))
    await site.stop()
    await fault.close()
    audit.close(workload.log)
    await copy.close()
  }
  const goals = [
    ...audit.goals(),
    ...monitor.goals(),
    ...(showsStaleTime
      ? [
          {
            goal: 'stale pages with their time: some',
            measured: `${monitor.staleCount()}`,
            missed: monitor.staleCount() === 0,
          },
        ]
      : []),
    noneGoal('ended processes', ended),
    withinGoal('first save after the fault', recoveryTimes, SAVE_TIMEOUT_MS),
    ...extraGoals,
  ]
  return { label: engine, runs, goals, operations: audit.operations() }
}

type WriteOptions = Pick<FaultTrial, 'durationMs'> & {
  workload: Workload
  monitor: ReturnType<typeof openMonitor>
  fault: Fault
  random: Random
}

async function writeDuringFault({ address }: Site, { workload, monitor, fault, random, durationMs }: WriteOptions) {
  await monitor.fillCache(address)
  const [writing, stopMonitor] = [new AbortController(), new AbortController()]
  const work = workload.write(address, writing.signal)
  await pause(random.between(100, 400))
  await fault.begin(random)
  const watching = monitor.poll(address, stopMonitor.signal)
  await pause(random.between(...durationMs))
  stopMonitor.abort()
  await watching
  writing.abort()
  await Promise.race([work, pause(50)])
  // Operations that wait for a response may continue until the fault has ended.
  return { finished: work }
}

// Returns the milliseconds from the end of the fault to the first confirmed save.
async function measureRecovery({ address }: Site, workload: Workload) {
  const began = performance.now()
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const confirmedBefore = workload.log.count('confirmed')
    await addCard({ ...workload.actors.administrator, address })
    if (workload.log.count('confirmed') > confirmedBefore) break
    await pause(50)
  }
  return performance.now() - began
}
