import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const quick = process.argv[2] === 'quick'
const reports = mkdtempSync(join(tmpdir(), 'noren-tests-'))
const bin = (name: string) => join('node_modules', '.bin', name)
const totals = { passed: 0, failed: 0 }

step('型の確認', () => run(bin('react-router'), ['typegen']) && run(bin('tsc'), ['--noEmit']))
step('書き方の確認', () => run(bin('biome'), ['ci', '--error-on-warnings', '--colors=off']))
if (!quick) step('部品の一覧の確認', lockfileIsWhole)
suite('単体と要求の試験', 'unit.json', (report) =>
  run(bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]),
)
if (!quick) {
  step('組み立て', () => run(process.execPath, ['scripts/setup.mjs', 'build']))
  process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = join(reports, 'browser.json')
  suite('ブラウザでの試験', 'browser.json', () => run(bin('playwright'), ['test', '--reporter=list,json']))
}

console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed === 0 ? 0 : 1)

function step(name: string, work: () => boolean) {
  console.log(`\n── ${name}`)
  totals[work() ? 'passed' : 'failed'] += 1
}

function suite(name: string, file: string, work: (report: string) => boolean) {
  console.log(`\n── ${name}`)
  const report = join(reports, file)
  const succeeded = work(report)
  const { passed, failed } = countIn(report)
  totals.passed += passed
  // A runner may fail where no test did: an error between the tests is a failure too.
  totals.failed += succeeded ? failed : Math.max(failed, 1)
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

function lockfileIsWhole() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [process.env.npm_execpath ?? 'npm', 'ci', '--dry-run', '--ignore-scripts'],
    { encoding: 'utf8' },
  )
  const whole = status === 0 && !/Missing:/.test(stdout + stderr)
  if (!whole) console.error(stdout + stderr)
  return whole
}

function run(command: string, arguments_: string[]) {
  return spawnSync(command, arguments_, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0
}
