// `npm run abuse -- 100000 7` only sends that number of requests, with seed 7.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const REQUESTS = 20_000

export function often(few: number, many: number) {
  return process.env.ABUSE ? many : few
}

if (import.meta.main) {
  const [requests, seed = 1] = process.argv.slice(2).map(Number)
  process.env.ABUSE = 'yes'
  const usesOften = (file: string) => readFileSync(file, 'utf8').includes('often(')
  const unit = requests
    ? true
    : run('vitest', ['run', ...globSync('{app,db,server,tests}/**/*.test.ts').filter(usesOften)])
  const browser = requests ? true : run('playwright', ['test', ...globSync('tests/e2e/*.spec.ts').filter(usesOften)])
  const { fuzzBuiltSite } = await import('../tests/fuzz/fuzz-built-site.ts')
  const passed = await fuzzBuiltSite(requests ?? REQUESTS, seed)
  process.exit(unit && browser && passed ? 0 : 1)
}

function run(name: string, arguments_: string[]) {
  const options = { stdio: 'inherit', shell: process.platform === 'win32' } as const
  return spawnSync(join('node_modules', '.bin', name), arguments_, options).status === 0
}
