import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder, which goes with the temporary folder of the run. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'noren-'))

/** A new folder with these contents as JSON, by the names of their files. */
export function folderWith(files: Record<string, unknown>) {
  const folder = newFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
  return folder
}

/** A new folder on another disk than this one lies on, gone after the test; throws on a machine that has none. */
export function folderElsewhere(folder: string) {
  const { dev } = statSync(folder)
  const other = ['/dev/shm', '/tmp', '/var/tmp', process.cwd()].find(
    (place) => statSync(place, { throwIfNoEntry: false })?.dev !== dev,
  )
  if (!other) throw new Error('This machine has one disk alone')
  const made = mkdtempSync(join(other, 'noren-elsewhere-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
