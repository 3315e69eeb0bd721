// Breaks the code on purpose, one line at a time, in a copy, and tells which breaks no test notices: `npm run mutants`,
// or `npm run mutants -- members` for those whose list or file has that in its name.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import startPostgres from '../db/testing-postgres.ts'

/** A line of the code, what it is broken into, and the tests that should notice; `equal` says why none can. */
export type Mutant = { file: string; text: string; broken: string } & ({ tests: string[] } | { equal: string })
type Breaking = Extract<Mutant, { tests: string[] }>

const LONGEST_MS = 180_000

const wanted = process.argv.slice(2)
const all: Breaking[] = []
for (const list of globSync('mutants/*.ts').sort()) {
  const { default: mutants }: { default: Mutant[] } = await import(resolve(list))
  for (const mutant of mutants) {
    const isWanted =
      wanted.length === 0 || wanted.some((word) => basename(list).includes(word) || mutant.file.includes(word))
    if (isWanted && 'tests' in mutant) all.push(mutant)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'noren-mutants-'))
const stopPostgres = await startPostgres()
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const survived: Mutant[] = []
const waiting = [...all]
let done = 0
const copies = Array.from({ length: Math.min(availableParallelism(), all.length) }, (_, n) =>
  copyTo(join(folder, `${n}`)),
)
const unbroken = copies[0] && (await runTests(copies[0], [...new Set(all.flatMap(({ tests }) => tests))]))
if (unbroken && unbroken !== 'passed') {
  console.error(`Unbroken, the tests have ${unbroken}.`)
  process.exit(1)
}
await Promise.all(copies.map(breakOneByOne))
await stopPostgres()

for (const { file, text, broken } of survived) console.log(`\nNobody noticed in ${file}:\n- ${text}\n+ ${broken}`)
console.log(`\n${all.length - survived.length} of ${all.length} were noticed`)
process.exit(survived.length > 0 ? 1 : 0)

async function breakOneByOne(copy: string) {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { file, text, broken, tests } = mutant
    const path = join(copy, file)
    const code = readFileSync(path, 'utf8')
    if (code.split(text).length !== 2) throw new Error(`${file} should have this once: ${text}`)
    writeFileSync(
      path,
      code.replace(text, () => broken),
    )
    const became = await runTests(copy, tests)
    writeFileSync(path, code)
    if (became === 'passed') survived.push(mutant)
    done += 1
    console.log(
      `${done}/${all.length} ${became === 'passed' ? 'NOT noticed' : became} ${file}: ${broken.trim().split('\n')[0]}`,
    )
  }
}

/** What became of these tests: a suite that cannot even be read has not noticed anything, and is thrown. */
async function runTests(copy: string, tests: string[]) {
  const inBrowser = tests.filter((test) => test.endsWith('.spec.ts'))
  const others = tests.filter((test) => !test.endsWith('.spec.ts'))
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  let ended = 'passed'
  if (others.length > 0) {
    ended = await run(copy, [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--bail=1',
      '--reporter=json',
      `--outputFile=${report}`,
      ...others,
    ])
  }
  if (ended === 'passed' && inBrowser.length > 0) {
    await run(copy, ['scripts/build.ts'])
    ended = await run(
      copy,
      ['node_modules/@playwright/test/cli.js', 'test', '-x', '--workers=1', '--reporter=json', ...inBrowser],
      report,
    )
  }
  if (ended !== 'failed') return ended
  const { numFailedTests, stats } = JSON.parse(readFileSync(report, 'utf8'))
  if ((numFailedTests ?? stats?.unexpected ?? 0) === 0)
    throw new Error(`The tests could not be run: ${tests.join(', ')}`)
  return ended
}

function run(cwd: string, command: string[], report?: string) {
  return new Promise<'passed' | 'failed' | 'hung'>((done) => {
    const env = { ...process.env, ...(report && { PLAYWRIGHT_JSON_OUTPUT_NAME: report }) }
    const child = spawn(process.execPath, command, { cwd, env, stdio: 'ignore', timeout: LONGEST_MS })
    child.once('close', (code, signal) => done(signal ? 'hung' : code === 0 ? 'passed' : 'failed'))
  })
}

// As it is here, with what is not committed yet.
function copyTo(copy: string) {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  for (const file of stdout.split('\n').filter(Boolean)) cpSync(file, join(copy, file))
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}
