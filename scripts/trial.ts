// `npm run trial [-- NAME… --runs N --seed S --on sqlite --minutes M]`. Without names, all trials except the soak test
// run.
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { backup } from '../tests/faults/backup-trial.ts'
import { circle } from '../tests/faults/circle-trial.ts'
import { clock } from '../tests/faults/clock-trial.ts'
import { database } from '../tests/faults/database-trial.ts'
import { flush, full } from '../tests/faults/disk-trials.ts'
import { formatGoals, type Goal, type Trial, type TrialOptions } from '../tests/faults/goals.ts'
import { kill, power } from '../tests/faults/kill-trials.ts'
import { lock } from '../tests/faults/lock-trial.ts'
import { mail } from '../tests/faults/mail-trial.ts'
import { migration } from '../tests/faults/migration-trial.ts'
import { addUpCounts, formatOperationCounts, type OperationCount } from '../tests/faults/operation-counts.ts'
import { push } from '../tests/faults/push-trial.ts'
import { closeSiteCopies, engines } from '../tests/faults/site-copy.ts'
import { soak } from '../tests/faults/soak-trial.ts'
import { stop } from '../tests/faults/stop-trial.ts'
import { streams } from '../tests/faults/streams-trial.ts'
import { two } from '../tests/faults/two-processes-trial.ts'

const trials: Record<string, Trial> = {
  kill,
  power,
  full,
  flush,
  database,
  lock,
  two,
  backup,
  migration,
  mail,
  circle,
  push,
  clock,
  stop,
  streams,
  soak,
}
const SKIPPED_BY_DEFAULT = ['soak']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 1e6)}` },
    on: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '45' },
  },
})
const unknownNames = positionals.filter((name) => !Object.hasOwn(trials, name))
if (unknownNames.length > 0) {
  console.error(`Unknown trial: got ${unknownNames.join(', ')}, expected ${Object.keys(trials).join(', ')}`)
  process.exit(1)
}
// process.exit runs the exit handlers, which stop the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const selectedEngines = engines.filter(
  (engine) => !values.on || values.on.some((name) => name.toLowerCase() === engine.toLowerCase()),
)
const trialOptions: TrialOptions = {
  runs: values.runs === undefined ? undefined : Number(values.runs),
  seed: Number(values.seed),
  selectedEngines,
  minutes: Number(values.minutes),
}
if ((loadavg()[0] ?? 0) > availableParallelism() / 2) {
  console.warn('This machine is busy, so goals in milliseconds may be missed.')
}
const names =
  positionals.length > 0 ? positionals : Object.keys(trials).filter((name) => !SKIPPED_BY_DEFAULT.includes(name))
const missed: Goal[] = []
const operations: OperationCount[] = []
for (const name of names) {
  const results = await (trials[name] as Trial)(trialOptions)
  console.log(`\n${formatGoals(name, trialOptions.seed, results)}`)
  missed.push(...results.flatMap(({ goals }) => goals.filter((goal) => goal.missed)))
  const counts = addUpCounts(results.flatMap(({ operations = [] }) => operations))
  if (counts.length > 0) console.log(`\n${formatOperationCounts(counts)}`)
  operations.push(...counts)
}
if (names.length > 1) console.log(`\nAll trials together\n\n${formatOperationCounts(addUpCounts(operations))}`)
await closeSiteCopies()
console.log(missed.length > 0 ? `\nMissed goals: ${missed.length}` : '\nAll goals are met.')
process.exit(missed.length > 0 ? 1 : 0)
