import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives a run of the tests a temporary folder of its own, for what they would leave in everyone's; returns how to remove
 * it. A run within another uses that one's.
 */
export default function openTemporaryFolder() {
  if (process.env.TMPDIR?.includes('noren-tests-')) return () => {}
  const folder = mkdtempSync(join(quickFolder(), 'noren-tests-'))
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Where files of a run lie best: in memory, if two gigabytes are free there. */
export function quickFolder() {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2e9 ? memory : tmpdir()
}
