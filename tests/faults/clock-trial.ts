import { signIn } from '../../scripts/sign-in-demo-people.ts'
import { startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { canFail, NEEDS, openDisk } from './failing-disk.ts'
import { type Asked, none, notTried, onEach, type Tried } from './goals.ts'
import { type Engine, openPlace } from './site-copy.ts'
import { send } from './requests.ts'
import { openWriter } from './workload.ts'

const DAY = 24 * 60 * 60
const WRITES_FOR_MS = 1200
const moves = [
  { to: 'now', seconds: 0 },
  { to: 'a day back', seconds: -DAY },
  { to: 'a year on', seconds: 365 * DAY },
  { to: 'now again', seconds: 0 },
]

/** Moves the system clock of the site back by a day, ahead by a year, and back to the present. */
export async function clock({ runs = 1, seed, on }: Asked): Promise<Tried[]> {
  if (!canFail()) return [notTried('the clock', NEEDS)]
  return onEach(on, (engine) => clockOn(engine, runs, seed))
}

async function clockOn(engine: Engine, runs: number, seed: number): Promise<Tried> {
  const audit = openAudit()
  const faults: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const place = await openPlace(engine)
    const disk = openDisk(place.folder)
    const cookies = { ...place.cookies }
    const writer = openWriter({ cookies }, seed + run)
    const site = await startSite({ ...place.settings, ...disk.settings }, { folder: place.folder })
    await writer.doEach(site.address)
    for (const { to, seconds } of moves) {
      disk.putClockOn(seconds)
      // All sessions have expired after a year.
      cookies.administrator = await signIn(site.address, 'administrator')
      cookies.approved = await signIn(site.address, 'approved')
      const before = writer.ledger.count('kept')
      await writer.writeFor(site.address, WRITES_FOR_MS)
      if (writer.ledger.count('kept') === before) faults.push(`${engine}, ${to}: nothing was kept`)
      for (const path of ['/', '/dining', '/calendar', '/api/health']) {
        const reply = await send(site.address, path)
        if (reply?.status !== 200) faults.push(`${engine}, ${to}: ${path} was answered ${reply?.status}`)
      }
      await audit.look(place, writer.ledger, { run: `${engine}, ${to}`, address: site.address })
    }
    if (site.child.exitCode !== null) faults.push(`${engine}: the process ended`)
    await site.stop()
    disk.close()
    audit.close(writer.ledger)
    await place.close()
  }
  const goals = [...audit.goals(), none('pages or saves that failed', faults)]
  return { of: engine, runs, goals, deeds: audit.deeds() }
}
