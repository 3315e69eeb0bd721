import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import openTemporaryFolder from '../db/testing-folder.ts'
import startPostgres from '../db/testing-postgres.ts'

const quick = process.argv[2] === 'quick'
const bin = (name: string) => join('node_modules', '.bin', name)
const totals = { passed: 0, failed: 0 }
// The tests start about a hundred processes; all but the first load compiled modules.
process.env.NODE_COMPILE_CACHE = resolve('node_modules/.cache/node')

const beside = [step('書き方の確認', [bin('biome'), 'ci', '--error-on-warnings', '--colors=off'])]
if (!quick) {
  const npm = process.env.npm_execpath ?? 'npm'
  beside.push(
    step('パッケージの一覧の確認', [process.execPath, npm, 'ci', '--dry-run', '--ignore-scripts'], /Missing:/),
  )
  beside.push(step('ビルド', [process.execPath, 'scripts/setup.mjs', 'build']))
}
// Shared by both suites, which would otherwise start one each.
const stopPostgres = await startPostgres()
const removeTemporaryFolder = openTemporaryFolder()
const reports = mkdtempSync(join(tmpdir(), 'reports-'))
// Vitest deletes and regenerates the route types, so the type check runs first.
await step('型の生成', [bin('react-router'), 'typegen'])
await step('型の確認', [bin('tsc'), '--noEmit'])
const unit = join(reports, 'unit.json')
await suite('単体テストとリクエストのテスト', unit, [
  bin('vitest'),
  ...['run', '--reporter=default', '--reporter=json', `--outputFile.json=${unit}`],
])
await Promise.all(beside)
if (!quick) {
  const browser = join(reports, 'browser.json')
  process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = browser
  await suite('ブラウザテスト', browser, [bin('playwright'), 'test', '--reporter=list,json'])
}
await stopPostgres()
removeTemporaryFolder()

console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed === 0 ? 0 : 1)

/** Runs a command in parallel and prints its output if it failed. Output that matches `wrong` is a failure. */
async function step(name: string, command: string[], wrong?: RegExp) {
  const began = performance.now()
  const { succeeded, said } = await run(command, 'pipe')
  const passed = succeeded && !wrong?.test(said)
  totals[passed ? 'passed' : 'failed'] += 1
  console.log(`\n── ${name}: ${inSeconds(began)}\n${passed ? '' : said}`)
}

async function suite(name: string, report: string, command: string[]) {
  const began = performance.now()
  console.log(`\n── ${name}`)
  const { succeeded } = await run(command, 'inherit')
  const { passed, failed } = countIn(report)
  totals.passed += passed
  // An error between the tests fails the runner without a failed test.
  totals.failed += succeeded ? failed : Math.max(failed, 1)
  console.log(`── ${name}: ${inSeconds(began)}`)
}

function countIn(report: string) {
  try {
    const { numPassedTests, numFailedTests, stats } = JSON.parse(readFileSync(report, 'utf8'))
    return stats
      ? { passed: stats.expected as number, failed: (stats.unexpected + stats.flaky) as number }
      : { passed: numPassedTests as number, failed: numFailedTests as number }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

async function run([command = '', ...arguments_]: string[], output: 'pipe' | 'inherit') {
  const stdio = ['ignore', output, output] as const
  const child = spawn(command, arguments_, { stdio: [...stdio], shell: process.platform === 'win32' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text))
  const [code] = await once(child, 'close')
  return { succeeded: code === 0, said }
}

function inSeconds(began: number) {
  return `${((performance.now() - began) / 1000).toFixed(1)}秒`
}
