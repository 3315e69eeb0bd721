import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Prepares a process that works on the site's data: its folder, its settings in .env, and new files for its user alone. */
export function prepareProcess() {
  process.umask(0o077)
  process.chdir(join(import.meta.dirname, '..'))
  if (existsSync('.env')) process.loadEnvFile('.env')
}
