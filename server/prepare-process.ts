import { existsSync } from 'node:fs'
import { join } from 'node:path'

export function prepareProcess() {
  process.umask(0o077)
  process.chdir(join(import.meta.dirname, '..'))
  if (existsSync('.env')) process.loadEnvFile('.env')
}
