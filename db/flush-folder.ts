import { open } from 'node:fs/promises'

/** Writes the names in a folder to the disk: a new one survives a power cut only then. Windows does that by itself. */
export async function flushFolder(folder: string) {
  if (process.platform === 'win32') return
  await using handle = await open(folder)
  await handle.sync()
}
