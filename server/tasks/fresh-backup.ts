import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backupFolder } from './nightly-backups.ts'

/** Makes a backup and opens its already deleted file, so that nothing remains if the reader disconnects. */
export async function freshBackup(dataFolder: string, make: (file: string) => Promise<unknown>): Promise<FileHandle> {
  const folder = join(backupFolder(dataFolder), `download.noren.${randomUUID()}.part`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const file = join(folder, 'site.noren')
    await make(file)
    return await open(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
