// `npm run bench -- two 30` runs the benchmark `two` for 30 seconds. In all results, 1 KB is 1,000 bytes.
import '../tests/as-built.ts'
import { availableParallelism, loadavg } from 'node:os'
import { accounts } from '../tests/bench/bench-accounts.ts'
import { afterSave } from '../tests/bench/bench-after-save.ts'
import { calendar } from '../tests/bench/bench-calendar.ts'
import type { Row } from '../tests/bench/bench-figures.ts'
import { googleAway } from '../tests/bench/bench-google-away.ts'
import { lighthouse } from '../tests/bench/bench-lighthouse.ts'
import { live } from '../tests/bench/bench-live.ts'
import { load } from '../tests/bench/bench-load.ts'
import { members } from '../tests/bench/bench-members.ts'
import { menu } from '../tests/bench/bench-menu.ts'
import { notices } from '../tests/bench/bench-notices.ts'
import { pages } from '../tests/bench/bench-pages.ts'
import { peersFree } from '../tests/bench/bench-peers-free.ts'
import { processes } from '../tests/bench/bench-processes.ts'
import { start } from '../tests/bench/bench-start.ts'
import { attacks, evening, strangers } from '../tests/bench/bench-strangers.ts'
import { tables } from '../tests/bench/bench-tables.ts'
import { two } from '../tests/bench/bench-two.ts'
import { uploads } from '../tests/bench/bench-uploads.ts'

const parts: Record<string, (arguments_: { seconds?: number }) => Promise<Row[]>> = {
  load,
  live,
  start,
  calendar,
  members,
  accounts,
  'google-away': googleAway,
  uploads,
  strangers,
  evening,
  attacks,
  two,
  processes,
  'after-save': afterSave,
  pages,
  menu,
  notices,
  tables,
  'peers-free': peersFree,
  lighthouse,
}

const arguments_ = process.argv.slice(2)
const seconds = arguments_.map(Number).find((number) => number > 0)
const names = arguments_.filter((word) => !(Number(word) > 0))
const unknownNames = names.filter((name) => !(name in parts))
if (unknownNames.length > 0) {
  console.error(`Unknown benchmark: got ${unknownNames.join(', ')}, expected ${Object.keys(parts).join(', ')}`)
  process.exit(1)
}
// process.exit runs the exit handlers, which stop the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

if ((loadavg()[0] ?? 0) > availableParallelism() / 2) {
  console.warn('This machine is busy, so times are longer than usual.')
}

const exceeded: string[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue
  const rows = await measure(seconds ? { seconds } : {})
  console.log(`\n${table(name, rows)}`)
  exceeded.push(...rows.flatMap((row) => exceededBudgets(name, row)))
}
console.log(exceeded.length > 0 ? `\nExceeded budgets:\n${exceeded.join('\n')}` : '\nAll budgets are met.')
process.exitCode = exceeded.length > 0 ? 1 : 0

function table(part: string, rows: Row[]) {
  const columns = [...new Set(rows.flatMap(({ figures }) => figures.map(({ name }) => name)))]
  const cell = (row: Row, column: string) => row.figures.find(({ name }) => name === column)?.shown ?? ''
  const lines = [[part, ...columns], ...rows.map((row) => [row.label, ...columns.map((column) => cell(row, column))])]
  const widths = lines[0]?.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0))) ?? []
  const [heading = '', ...bodyLines] = lines.map((line) =>
    line
      .map((text, index) => (index === 0 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0)))
      .join('   '),
  )
  const body = bodyLines.flatMap((text, index) => [text, ...(rows[index]?.notes ?? []).map((note) => `    ${note}`)])
  return [heading, '─'.repeat(heading.length), ...body].join('\n')
}

function exceededBudgets(part: string, { label, figures }: Row) {
  return figures.filter((figure) => figure.isExceeded).map(({ name, shown }) => `  ${part}, ${label}: ${name} ${shown}`)
}
