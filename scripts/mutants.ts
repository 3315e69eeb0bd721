// Breaks the code on purpose, one line at a time, in a copy, and tells which breaks no test notices: `npm run mutants`,
// or `npm run mutants -- members` for those whose list or file has that in its name.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import startPostgres from '../db/testing-postgres.ts'

/** A line of the code, what it is broken into, and the tests that should notice; `equal` says why none can. */
export type Mutant = { file: string; text: string; broken: string } & ({ tests: string[] } | { equal: string })
type Breaking = Extract<Mutant, { tests: string[] }>
type Ending = 'passed' | 'failed' | 'hung' | 'unreadable'

/** For a file of tests. */
const LONGEST_MS = 120_000

const all = await wantedMutants(process.argv.slice(2))
const folder = mkdtempSync(join(tmpdir(), 'noren-mutants-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const stopPostgres = await startPostgres()

const copies = Array.from({ length: availableParallelism() }, (_, n) => copyTo(join(folder, `${n}`)))
const unbroken = await runTests(copies[0] ?? '', [...new Set(all.flatMap(({ tests }) => tests))])
if (unbroken !== 'passed') {
  console.error(`Without anything broken, the tests are ${unbroken}.`)
  process.exit(1)
}
const waiting = [...all]
const unnoticed: Breaking[] = []
await Promise.all(copies.map(breakOneByOne))
await stopPostgres()

for (const { file, text, broken } of unnoticed) console.log(`\nNobody noticed in ${file}:\n- ${text}\n+ ${broken}`)
console.log(`\n${all.length - unnoticed.length} of ${all.length} were noticed`)
process.exit(unnoticed.length > 0 ? 1 : 0)

async function wantedMutants(words: string[]) {
  const found: Breaking[] = []
  for (const list of globSync('mutants/*.ts').sort()) {
    const { default: mutants }: { default: Mutant[] } = await import(resolve(list))
    for (const mutant of mutants) {
      if (readFileSync(mutant.file, 'utf8').split(mutant.text).length !== 2)
        throw new Error(`${mutant.file} should have this once: ${mutant.text}`)
      const isWanted = words.length === 0 || words.some((word) => list.includes(word) || mutant.file.includes(word))
      if (isWanted && 'tests' in mutant) found.push(mutant)
    }
  }
  return found
}

async function breakOneByOne(copy: string) {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { file, text, broken, tests } = mutant
    const path = join(copy, file)
    const code = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      code.replace(text, () => broken),
    )
    const ending = await runTests(copy, tests)
    writeFileSync(path, code)
    const noticed = ending === 'failed' || ending === 'hung'
    if (!noticed) unnoticed.push(mutant)
    console.log(`${noticed ? 'noticed' : `NOT noticed (${ending})`} ${file}: ${broken.trim().split('\n')[0]}`)
  }
}

/** How these tests end; those that cannot even be read have not noticed anything. */
async function runTests(copy: string, tests: string[]): Promise<Ending> {
  const inBrowser = tests.filter((test) => test.endsWith('.spec.ts'))
  const others = tests.filter((test) => !test.endsWith('.spec.ts'))
  const report = join(copy, 'report.json')
  const within = (command: string[]) => run(copy, report, command, tests.length * LONGEST_MS)
  if (others.length > 0) {
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail=1', '--maxWorkers=1']
    const ending = await within([...vitest, '--reporter=json', `--outputFile=${report}`, ...others])
    if (ending !== 'passed') return ending
  }
  if (inBrowser.length === 0) return 'passed'
  if ((await within(['scripts/build.ts'])) !== 'passed') return 'unreadable'
  const playwright = ['node_modules/@playwright/test/cli.js', 'test', '-x', '--workers=1', '--reporter=json']
  return within([...playwright, ...inBrowser])
}

function run(cwd: string, report: string, command: string[], longest: number) {
  rmSync(report, { force: true })
  return new Promise<Ending>((done) => {
    const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const child = spawn(process.execPath, command, {
      cwd,
      env,
      stdio: 'ignore',
      timeout: longest,
      killSignal: 'SIGKILL',
    })
    child.once('close', (code, signal) => {
      if (signal) return done('hung')
      done(code === 0 ? 'passed' : failuresIn(report) > 0 ? 'failed' : 'unreadable')
    })
  })
}

function failuresIn(report: string) {
  try {
    const { numFailedTests, stats } = JSON.parse(readFileSync(report, 'utf8'))
    return (stats?.unexpected ?? numFailedTests) as number
  } catch {
    return 0
  }
}

// As it is here, with what is not committed yet.
function copyTo(copy: string) {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  for (const file of stdout.split('\n').filter((file) => file && existsSync(file))) cpSync(file, join(copy, file))
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}
