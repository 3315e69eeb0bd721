import { join } from 'node:path'

/** Makes the project folder the working directory, and new files inaccessible to other users. */
export function enterProjectFolder() {
  process.umask(0o077)
  process.chdir(join(import.meta.dirname, '..'))
}
