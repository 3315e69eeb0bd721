import { signIn } from '../../scripts/sign-in-demo-people.ts'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { canSimulateFaults, openDisk, REQUIREMENTS } from './failing-disk.ts'
import { noneGoal, runOnEngines, type TrialOptions, type TrialResult, untestedResult } from './goals.ts'
import { send } from './requests.ts'
import { type Engine, openSiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const DAY = 24 * 60 * 60
const WRITE_DURATION_MS = 1200
const clockShifts = [
  { label: 'now', seconds: 0 },
  { label: 'a day back', seconds: -DAY },
  { label: 'a year on', seconds: 365 * DAY },
  { label: 'now again', seconds: 0 },
]

/** Moves the system clock of the site back by a day, ahead by a year, and then to the present time. */
export async function clock({ runs = 1, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  if (!canSimulateFaults()) return [untestedResult('the clock', REQUIREMENTS)]
  return runOnEngines(selectedEngines, (engine) => clockOn(engine, runs, seed))
}

async function clockOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const audit = openAudit()
  const errors: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const copy = await openSiteCopy(engine)
    const disk = openDisk(copy.folder)
    const cookies = { ...copy.cookies }
    const workload = openWorkload({ cookies }, seed + run)
    const site = await startSite({ ...copy.settings, ...disk.settings }, { folder: copy.folder })
    await workload.runEach(site.address)
    for (const { label, seconds } of clockShifts) {
      disk.shiftClock(seconds)
      // All sessions have expired after a year.
      cookies.administrator = await signIn(site.address, 'administrator')
      cookies.approved = await signIn(site.address, 'approved')
      const before = workload.log.count('confirmed')
      await workload.writeFor(site.address, WRITE_DURATION_MS)
      if (workload.log.count('confirmed') === before) errors.push(`${engine}, ${label}: no save confirmed`)
      for (const path of ['/', '/dining', '/calendar', '/api/health']) {
        const reply = await send(site.address, path)
        if (reply?.status !== 200) errors.push(`${engine}, ${label}: ${path} status ${reply?.status}`)
      }
      await audit.check(copy, workload.log, { run: `${engine}, ${label}`, address: site.address })
    }
    if (site.child.exitCode !== null) errors.push(`${engine}: the process ended`)
    await site.stop()
    disk.close()
    audit.close(workload.log)
    await copy.close()
  }
  const goals = [...audit.goals(), noneGoal('pages or saves that failed', errors)]
  return { label: engine, runs, goals, operations: audit.operations() }
}
