import { open } from 'node:fs/promises'

/** Flushes the entries of a folder, so that new files survive a power cut. Windows needs no flush. */
export async function flushFolder(folder: string) {
  if (process.platform === 'win32') return
  await using handle = await open(folder)
  await handle.sync()
}
