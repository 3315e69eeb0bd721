import { canSimulateFaults, type Disk, openDisk, REQUIREMENTS } from './failing-disk.ts'
import { type Fault, runUnderFault } from './fault-run.ts'
import { someGoal, type TrialOptions, type TrialResult, untestedResult } from './goals.ts'
import type { Random } from './random.ts'
import type { SiteCopy } from './site-copy.ts'

const MAX_ROOM = 300_000

/** Fills the disk at a random write and later frees it. In some runs, kills the process while the disk is full. */
export function full(options: TrialOptions) {
  const begin = (disk: Disk, random: Random) => disk.limitSpace(random.between(0, MAX_ROOM))
  return diskTrial(options, begin, (status) => status === 507)
}

/**
 * Makes every flush fail for a limited time. After a kill, unflushed writes may be present. The site must not have
 * reported such a write as not stored.
 */
export function flush(options: TrialOptions) {
  // Until a save fails, the health check cannot detect the fault, so the status 200 is also correct.
  return diskTrial(
    options,
    (disk) => disk.failToFlush(),
    (status) => status === 200 || status === 507,
  )
}

type Begin = (disk: Disk, random: Random) => void

async function diskTrial(
  { runs = 5, seed }: TrialOptions,
  begin: Begin,
  isCorrectHealth: (status: number) => boolean,
): Promise<TrialResult[]> {
  if (!canSimulateFaults()) return [untestedResult('SQLite', REQUIREMENTS)]
  const open = (place: SiteCopy) => diskFault(place, begin)
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

function diskFault(place: SiteCopy, begin: Begin): Fault {
  const disk = openDisk(place.folder)
  return {
    settings: disk.settings,
    begin: (random) => begin(disk, random),
    end: () => disk.repair(),
    goals: () => [someGoal('failed writes or flushes', disk.failureCount())],
    close: () => disk.close(),
  }
}
