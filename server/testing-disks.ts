import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is deleted with the temporary folder of the test run. */
export const newFolder = () => mkdtempSync(join(tmpdir(), 'noren-'))

/** Creates a folder with JSON files, given by name and content. */
export function folderWith(files: Record<string, unknown>) {
  const folder = newFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
  return folder
}

/**
 * Creates a folder on another disk than `folder`, and deletes it after the test. Throws if the machine has only one
 * disk.
 */
export function folderOnOtherDisk(folder: string) {
  const { dev } = statSync(folder)
  const other = ['/dev/shm', '/tmp', '/var/tmp', process.cwd()].find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.dev !== dev,
  )
  if (!other)
    throw new Error(
      `No second disk found beside that of ${folder}; /dev/shm, /tmp, /var/tmp or the working directory must be on one`,
    )
  const created = mkdtempSync(join(other, 'noren-elsewhere-'))
  onTestFinished(() => rmSync(created, { recursive: true, force: true }))
  return created
}
