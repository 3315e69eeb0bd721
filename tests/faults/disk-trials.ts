import { canSimulateFaults, type Disk, openDisk, REQUIREMENTS } from './failing-disk.ts'
import { type Fault, runUnderFault } from './fault-run.ts'
import { someGoal, type TrialOptions, type TrialResult, untestedResult } from './goals.ts'
import type { Random } from './random.ts'
import type { SiteCopy } from './site-copy.ts'

const MAX_ROOM = 300_000

/** Fills the disk at a random write and later frees it. In some runs, kills the process while the disk is full. */
export async function full({ runs = 5, seed }: TrialOptions): Promise<TrialResult[]> {
  if (!canSimulateFaults()) return [untestedResult('SQLite', REQUIREMENTS)]
  const begin = (disk: Disk, random: Random) => disk.limitSpace(random.between(0, MAX_ROOM))
  const open = (place: SiteCopy) => diskFault(place, begin)
  const isCorrectHealth = (status: number) => status === 507
  return [
    await runUnderFault({
      engine: 'SQLite',
      runs,
      seed,
      open,
      durationMs: [600, 1800],
      isCorrectHealth,
      killShare: 0.25,
    }),
  ]
}

/**
 * Makes every flush fail for a limited time. After a kill, unflushed writes may be present. The site must not have
 * reported such a write as not stored.
 */
export async function flush({ runs = 5, seed }: TrialOptions): Promise<TrialResult[]> {
  if (!canSimulateFaults()) return [untestedResult('SQLite', REQUIREMENTS)]
  const open = (place: SiteCopy) => diskFault(place, (disk) => disk.failToFlush())
  // Until a save fails, the health check cannot detect the fault, so the status 200 is also correct.
  const isCorrectHealth = (status: number) => status === 200 || status === 507
  return [
    await runUnderFault({
      engine: 'SQLite',
      runs,
      seed,
      open,
      durationMs: [600, 1800],
      isCorrectHealth,
      killShare: 0.25,
    }),
  ]
}

function diskFault(place: SiteCopy, begin: (disk: Disk, random: Random) => void): Fault {
  const disk = openDisk(place.folder)
  return {
    settings: disk.settings,
    begin: (random) => begin(disk, random),
    end: () => disk.repair(),
    goals: () => [someGoal('failed writes or flushes', disk.failureCount())],
    close: () => disk.close(),
  }
}
