import { canFail, type Disk, NEEDS, openDisk } from './failing-disk.ts'
import { type Fault, withstand } from './fault-run.ts'
import { type Asked, notTried, some, type Tried } from './goals.ts'
import type { Place } from './site-copy.ts'
import type { Random } from './random.ts'

const MAX_ROOM = 300_000

/** Fills the disk for a while at a random write, and sometimes kills the process meanwhile. */
export async function full({ runs = 5, seed }: Asked): Promise<Tried[]> {
  if (!canFail()) return [notTried('SQLite', NEEDS)]
  const begin = (disk: Disk, random: Random) => disk.fill(random.between(0, MAX_ROOM))
  const open = (place: Place) => onDisk(place, begin)
  const truthful = (status: number) => status === 507
  return [await withstand({ engine: 'SQLite', runs, seed, open, lasts: [600, 1800], truthful, killed: 0.25 })]
}

/**
 * Makes every flush fail for a while. After a kill, unflushed writes may be present, but none may have been reported as
 * not stored.
 */
export async function flush({ runs = 5, seed }: Asked): Promise<Tried[]> {
  if (!canFail()) return [notTried('SQLite', NEEDS)]
  const open = (place: Place) => onDisk(place, (disk) => disk.failToFlush())
  // The site is healthy until somebody saves.
  const truthful = (status: number) => status === 200 || status === 507
  return [await withstand({ engine: 'SQLite', runs, seed, open, lasts: [600, 1800], truthful, killed: 0.25 })]
}

function onDisk(place: Place, begin: (disk: Disk, random: Random) => void): Fault {
  const disk = openDisk(place.folder)
  return {
    settings: disk.settings,
    begin: (random) => begin(disk, random),
    end: () => disk.mend(),
    goals: () => [some('writes or flushes that failed', disk.failed())],
    close: () => disk.close(),
  }
}
