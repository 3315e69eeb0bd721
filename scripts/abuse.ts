// `npm run abuse`: the tests that leave something to chance, each tried many times more often than in `npm test`.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How often a test tries what chance decides: a few times in `npm test`, many in `npm run abuse`. */
export function often(few: number, many: number) {
  return process.env.ABUSE ? many : few
}

if (import.meta.main) {
  process.env.ABUSE = 'yes'
  const triesOften = (file: string) => readFileSync(file, 'utf8').includes('often(')
  const unit = run('vitest', ['run', ...globSync('{app,db,server}/**/*.test.ts').filter(triesOften)])
  const browser = run('playwright', ['test', ...globSync('e2e/*.spec.ts').filter(triesOften)])
  process.exit(unit && browser ? 0 : 1)
}

function run(name: string, arguments_: string[]) {
  const options = { stdio: 'inherit', shell: process.platform === 'win32' } as const
  return spawnSync(join('node_modules', '.bin', name), arguments_, options).status === 0
}
