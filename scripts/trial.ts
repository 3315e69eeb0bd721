// `npm run trial [-- NAME… --runs N --seed S --on sqlite --minutes M]`: the site under faults, on copies of its own. A
// short form of all but the soak where none is named; a goal that is missed ends it with 1.
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { backup } from './trial/trial-backup.ts'
import { clock } from './trial/trial-clock.ts'
import { type DeedCount, sumOf, tableOfDeeds } from './trial/trial-counts.ts'
import { database } from './trial/trial-database.ts'
import { flush, full } from './trial/trial-full.ts'
import { type Asked, type Goal, type Trial, tableOf } from './trial/trial-goals.ts'
import { kill, power } from './trial/trial-kill.ts'
import { lock } from './trial/trial-lock.ts'
import { mail } from './trial/trial-mail.ts'
import { migration } from './trial/trial-migration.ts'
import { closePlaces, engines } from './trial/trial-place.ts'
import { soak } from './trial/trial-soak.ts'
import { stop } from './trial/trial-stop.ts'
import { streams } from './trial/trial-streams.ts'
import { two } from './trial/trial-two.ts'

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
  clock,
  stop,
  streams,
  soak,
}
const LONG = ['soak']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 1e6)}` },
    on: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '45' },
  },
})
const unknown = positionals.filter((name) => !Object.hasOwn(trials, name))
if (unknown.length > 0) {
  console.error(`There is no trial named ${unknown.join(', ')}. The trials: ${Object.keys(trials).join(', ')}.`)
  process.exit(1)
}
// An ordinary end runs what was left to do at the exit: no server stays behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const on = engines.filter(
  (engine) => !values.on || values.on.some((name) => name.toLowerCase() === engine.toLowerCase()),
)
const asked: Asked = {
  runs: values.runs === undefined ? undefined : Number(values.runs),
  seed: Number(values.seed),
  on,
  minutes: Number(values.minutes),
}
if ((loadavg()[0] ?? 0) > availableParallelism() / 2) {
  console.warn('Other programs keep this machine busy: what is measured in milliseconds may be missed.')
}
const wanted = positionals.length > 0 ? positionals : Object.keys(trials).filter((name) => !LONG.includes(name))
const missed: Goal[] = []
const deeds: DeedCount[] = []
for (const name of wanted) {
  const tried = await (trials[name] as Trial)(asked)
  console.log(`\n${tableOf(name, asked.seed, tried)}`)
  missed.push(...tried.flatMap(({ goals }) => goals.filter((goal) => goal.missed)))
  const own = sumOf(tried.flatMap(({ deeds = [] }) => deeds))
  if (own.length > 0) console.log(`\n${tableOfDeeds(own)}`)
  deeds.push(...own)
}
if (wanted.length > 1) console.log(`\nAll trials together\n\n${tableOfDeeds(sumOf(deeds))}`)
await closePlaces()
console.log(missed.length > 0 ? `\nMissed goals: ${missed.length}` : '\nEvery goal is met.')
process.exit(missed.length > 0 ? 1 : 0)
