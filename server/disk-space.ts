import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import type { Space } from '../app/settings/disk-space.ts'
import { databaseLocationOf } from './open-site.ts'
import type { Settings } from './settings.ts'

const MIN_FREE_BYTES = 500 * 1024 ** 2

/** Returns the free and the needed space in bytes. Rejects if the data folder cannot be read. */
export async function spaceOf(
  settings: Pick<Settings, 'dataFolder' | 'databaseUrl'>,
  freeBytes: (folder: string) => Promise<number>,
): Promise<Space> {
  const { url, file } = databaseLocationOf(settings)
  const size = !url && existsSync(file) ? (await stat(file)).size : 0
  // A backup and its trial restore need twice the size of the database. The third is a reserve.
  return { free: await freeBytes(settings.dataFolder), needed: Math.max(MIN_FREE_BYTES, size * 3) }
}

export async function freeBytesOf(folder: string) {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
