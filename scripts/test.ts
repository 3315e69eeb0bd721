import { type ChildProcess, spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import openTemporaryFolder from '../db/testing-folder.ts'
import startPostgres from '../db/testing-postgres.ts'
import { watchResources } from './watch-resources.ts'

const isQuick = process.argv[2] === 'quick'
const names = process.argv.slice(isQuick ? 3 : 2)
const bin = (name: string) => join('node_modules', '.bin', name)
const matching = (pattern: string) =>
  globSync(pattern).filter((file) => names.some((name) => file.replaceAll('\\', '/').includes(name)))
const unitTests = matching('{app,db,server,scripts,tests}/**/*.test.ts')
const specs = isQuick ? [] : matching('tests/e2e/*.spec.ts')
if (names.length > 0 && unitTests.length + specs.length === 0) {
  console.error(`No test file has ${names.join(' or ')} in its path.`)
  process.exit(1)
}
const isWhole = names.length === 0

const totals = { passed: 0, failed: 0 }
const failures: string[] = []
const children = new Set<ChildProcess>()
// The tests start about a hundred processes. With this cache, only the first process compiles the modules.
process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/node')
if (isQuick) process.env.TEST_POSTGRES = 'none'
process.env.TEST_TIME_FACTOR ??= String(timeFactor())

// Both suites share this server and this folder. PostgreSQL starts first, because it runs as another user, who cannot
// access the folder.
const stopPostgres = await startPostgres()
const removeTemporaryFolder = openTemporaryFolder()
const resources = watchResources(tmpdir())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    for (const child of children) child.kill(signal)
    removeTemporaryFolder()
    process.exit(1)
  })
const reports = mkdtempSync(join(tmpdir(), 'reports-'))

const concurrent: Promise<void>[] = []
if (isWhole) {
  concurrent.push(step('lint', [bin('biome'), 'ci', '--error-on-warnings', '--colors=off']))
  concurrent.push(step('English', [process.execPath, 'scripts/check-english.ts']))
}
if (isWhole && !isQuick) {
  const npm = process.env.npm_execpath ?? 'npm'
  concurrent.push(step('lockfile', [process.execPath, npm, 'ci', '--dry-run', '--ignore-scripts'], /Missing:/))
}
if (specs.length > 0 || (isWhole && !isQuick))
  concurrent.push(step('build', [process.execPath, 'scripts/setup.mjs', 'build']))
if (isWhole) {
  // Vitest deletes and regenerates the route types, so the type check runs before Vitest.
  await step('route types', [bin('react-router'), 'typegen'])
  // The other steps use the other cores, and each further checker of TypeScript checks the shared types again.
  await step('types', [bin('tsc'), '--noEmit', '--checkers', '1'])
}
if (isWhole || unitTests.length > 0) {
  const report = join(reports, 'unit.json')
  const reporters = ['default', 'json', './scripts/unit-progress.ts'].map((name) => `--reporter=${name}`)
  const selection = isQuick && isWhole ? ['--exclude={server,scripts,tests}/**'] : unitTests
  await suite('unit tests', report, [bin('vitest'), 'run', ...reporters, `--outputFile.json=${report}`, ...selection])
}
await Promise.all(concurrent)
if (specs.length > 0 || (isWhole && !isQuick)) {
  const report = join(reports, 'browser.json')
  process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = report
  const reporters = '--reporter=list,json,./scripts/browser-progress.ts'
  await suite('browser tests', report, [bin('playwright'), 'test', reporters, ...specs])
}
await stopPostgres()
const peak = resources.stop()
removeTemporaryFolder()

if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`)
console.log(`\npeak: ${peak.memory} MB of memory, ${peak.files} MB of temporary files`)
if (isQuick) console.log('npm test also tests the server and the scripts, on PostgreSQL and in the browser.')
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed === 0 ? 0 : 1)

/** Runs a command and counts it as passed or failed. If the output matches `wrong`, the command counts as failed. */
async function step(name: string, command: string[], wrong?: RegExp) {
  const began = performance.now()
  const { succeeded, output } = await run(command, 'pipe')
  const passed = succeeded && !wrong?.test(output)
  totals[passed ? 'passed' : 'failed'] += 1
  if (!passed) failures.push(`  ${name}`)
  console.log(`\n── ${name}: ${passed ? 'passed' : 'failed'} after ${secondsSince(began)}\n${passed ? '' : output}`)
}

async function suite(name: string, report: string, command: string[]) {
  const began = performance.now()
  console.log(`\n── ${name}`)
  const { succeeded } = await run(command, 'inherit')
  const { passed, failed } = readReport(report)
  totals.passed += passed
  failures.push(...failed)
  // An error outside the tests makes the runner fail although no test has failed.
  if (!succeeded && failed.length === 0)
    failures.push(`  ${name}: an error outside the tests${errorsOutsideTests(report).map(indent).join('')}`)
  totals.failed += succeeded ? failed.length : Math.max(failed.length, 1)
  console.log(`── ${name}: ${secondsSince(began)}`)
}

type Suite = { title: string; suites?: Suite[]; specs?: Spec[] }
type Spec = { title: string; file: string; line: number; ok: boolean; tests: { results: Result[] }[] }
type Result = { errors: { message?: string }[]; attachments: { name: string; path?: string }[] }

function readReport(report: string): { passed: number; failed: string[] } {
  try {
    const { testResults, numPassedTests, suites, stats } = JSON.parse(readFileSync(report, 'utf8'))
    if (suites) return { passed: stats.expected, failed: (suites as Suite[]).flatMap(failedSpecs) }
    const failed = (
      testResults as {
        name: string
        assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
      }[]
    ).flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `  ${relative('.', name)} › ${fullName}${excerpt(failureMessages)}`),
    )
    return { passed: numPassedTests, failed }
  } catch {
    return { passed: 0, failed: [`  no report ${report}`] }
  }
}

function failedSpecs({ suites = [], specs = [] }: Suite): string[] {
  const failed = specs.filter(({ ok }) => !ok)
  return [
    ...failed.map(({ file, line, title, tests }) => {
      const results = tests.flatMap(({ results }) => results)
      const attached = results.flatMap(({ attachments }) => attachments)
      const screenshot = attached.find(({ name }) => name === 'screenshot')?.path
      const messages = results.flatMap(({ errors }) => errors.map(({ message = '' }) => message))
      const picture = screenshot ? `\n    ${relative('.', screenshot)}` : ''
      return `  tests/e2e/${file}:${line} › ${title}${picture}${excerpt(messages)}`
    }),
    ...suites.flatMap(failedSpecs),
  ]
}

/** Returns the first lines of the first message, without the stack, indented for the list of failed tests. */
function excerpt([message = '']: string[]) {
  const [text = ''] = stripVTControlCharacters(message).split(/\n\s+at /)
  return indent(text)
}

function errorsOutsideTests(report: string): string[] {
  const file = `${report}.errors`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

function indent(text: string) {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(0, 8)
    .map((line) => `\n    ${line.slice(0, 200)}`)
    .join('')
}

async function run([command = '', ...arguments_]: string[], output: 'pipe' | 'inherit') {
  const stdio = ['ignore', output, output] as const
  const child = spawn(command, arguments_, { stdio: [...stdio], shell: process.platform === 'win32' })
  children.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  children.delete(child)
  return { succeeded: code === 0, output: text }
}

function timeFactor() {
  const USUAL_MS = 60
  const durations = Array.from({ length: 5 }, () => {
    const began = performance.now()
    pbkdf2Sync('speed', 'of this machine', 100_000, 64, 'sha512')
    return performance.now() - began
  })
  return Math.max(1, Math.max(...durations) / USUAL_MS)
}

function secondsSince(began: number) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`
}
