import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, asKilobytes, asMegabytes, asMilliseconds } from '../bench/bench-figures.ts'
import { type Connection, openConnection, type Reply } from './connection.ts'
import { hostileRequests } from './hostile-requests.ts'
import {
  createSessionRestorer,
  fillSampleSite,
  formatResponse,
  readProtectedRows,
  signIn,
  startVisiting,
} from './hostile-site.ts'
import { formatRequest, type Hostile, type Sender } from './request-bytes.ts'
import { openLog } from './site-log.ts'
import type { ProbeResponses } from './site-probe.ts'

const CONCURRENCY = 8
const BATCH = 250
const WARM_UP_REQUESTS = 10_000
const MAX_GROWTH = 1.2
const MAX_SHRINKS = 200
const MAX_TURN_MS = 100
const TURN_TOO_LONG = `Event loop blocked for more than ${MAX_TURN_MS} ms of CPU time.`

/**
 * Starts the built site in a child process, sends `count` hostile requests, and prints a report. Returns false if a
 * failure was recorded. The same `seed` generates the same requests.
 */
export async function fuzzBuiltSite(count: number, seed: number) {
  const log = openLog(join(mkdtempSync(join(tmpdir(), 'noren-abuse-')), 'site.log'))
  await using site = await startSite(
    { TRUSTED_PROXY: '127.0.0.1' },
    { node: ['--expose-gc', '--import', join(import.meta.dirname, 'site-probe.ts')], log: log.stream },
  )
  console.log(`site: ${site.address}, log: ${log.file}`)
  const db = await openDatabase({ file: join(site.dataFolder, 'site.db') })
  const run = await startFuzzRun(site, db, log)
  const { pendingRequests, failures, recordFailure, connections } = run
  const ended = once(site.child, 'exit').then(([code, signal]) => {
    throw new Error(`Site process ended: ${signal ?? code}.\n${[...pendingRequests].map(formatRequest).join('\n')}`)
  })
  const attackDone = attack(run, count, seed)
  try {
    await Promise.race([attackDone, ended])
  } catch (error) {
    recordFailure((error as Error).message, log.lastLines())
    attackDone.catch(() => {})
  }
  ended.catch(() => {})
  for (const connection of connections) connection.close()
  await db.destroy()
  for (const [failure, { count, report }] of failures) console.log(`\n${count} × ${failure}\n${report}`)
  console.log(failures.size === 0 ? 'No failures.' : `\n${failures.size} failures`)
  return failures.size === 0
}

type FuzzRun = Awaited<ReturnType<typeof startFuzzRun>>

// Opens the connections to the site. Returns the functions that send requests and record results.
async function startFuzzRun(site: Awaited<ReturnType<typeof startSite>>, db: Db, log: ReturnType<typeof openLog>) {
  const { host } = new URL(site.address)
  const connections = Array.from({ length: CONCURRENCY + 2 }, () => openConnection(Number(host.split(':')[1])))
  const [sequentialConnection, visitorConnection, ...attackConnections] = connections as [
    Connection,
    Connection,
    ...Connection[],
  ]
  const { known, ownerIds } = await fillSampleSite(db, Date.now())
  const { cookies, owner } = await signIn(sequentialConnection, host)
  const failures = new Map<string, { count: number; report: string }>()
  return {
    ...{ site, log, connections, sequentialConnection, attackConnections, failures },
    restoreSessions: await createSessionRestorer(db),
    visit: startVisiting(visitorConnection, host, { owner, ownerIds }),
    hostile: (senders: Sender[]) => hostileRequests({ host, cookies, known }, senders),
    readProtected: () => readProtectedRows(db, { member: known.member, ownerIds }),
    pendingRequests: new Set<Hostile>(),
    statuses: new Map<number, number>(),
    slowest: [] as { ms: number; request: Hostile }[],
    longestTurn: 0,
    /** Longest event-loop turn and its request, among the requests that were sent alone. */
    longestAlone: { ms: 0, request: '' },
    explained: new Set<string>(),
    recordFailure(failure: string, report = '') {
      const { count, report: first } = failures.get(failure) ?? { count: 0, report }
      failures.set(failure, { count: count + 1, report: first })
    },
  }
}

async function attack(run: FuzzRun, count: number, seed: number) {
  const { log, site, visit, readProtected, recordFailure } = run
  for (let turn = 0; turn < Math.min(WARM_UP_REQUESTS, count); turn += 1) await visit()
  const before = await queryProbe(run, 'memory')
  await queryProbe(run, 'longest turn')
  log.errors.length = 0
  const bytes = log.bytes()
  const visitor = new Worker(join(import.meta.dirname, 'visitor-worker.ts'), { workerData: { address: site.address } })
  const began = performance.now()

  const unchangedRows = new Set(await readProtected())
  await sendAll(run, ['guest', 'member'], Math.ceil(count / 2), seed)
  for (const row of await readProtected())
    if (!unchangedRows.delete(row)) recordFailure('Protected row added or changed', row)
  for (const row of unchangedRows) recordFailure('Protected row deleted or changed', row)
  await sendAll(run, ['administrator', 'member', 'guest'], Math.floor(count / 2), seed + count)

  const seconds = (performance.now() - began) / 1000
  const logged = log.bytes() - bytes
  visitor.postMessage('enough')
  const [{ waits, refused }] = (await once(visitor, 'message')) as [{ waits: number[]; refused: number }]
  if (refused > 0) recordFailure(`Visitor requests failed: ${refused}`)
  // The visits include saves, which invalidate the page cache. The cache must not count as growth of the heap.
  for (let turn = 0; turn < 100; turn += 1) await visit()
  const after = await queryProbe(run, 'memory')
  if (after.heapUsed > before.heapUsed * MAX_GROWTH) recordFailure('Heap grew by more than a fifth')

  console.log(`requests: ${asCount(count)} in ${asCount(seconds)} s, ${asCount(count / seconds)} a second`)
  printSummary(run, waits)
  const { longestTurn, longestAlone } = run
  console.log(
    `longest event-loop turn: ${asMilliseconds(longestTurn)} of CPU time with ${CONCURRENCY} requests at once`,
  )
  if (longestAlone.ms > 0) console.log(`longest alone: ${asMilliseconds(longestAlone.ms)}, ${longestAlone.request}`)
  console.log(`heap: ${asMegabytes(before.heapUsed)} before, ${asMegabytes(after.heapUsed)} after`)
  console.log(`process: ${asMegabytes(before.rss)} before, ${asMegabytes(after.rss)} after`)
  console.log(`log: ${asKilobytes(logged / count)} a request`)
}

function printSummary({ statuses, slowest }: FuzzRun, waits: number[]) {
  waits.sort((a, b) => a - b)
  const wait = (part: number) => asMilliseconds(waits[Math.floor((waits.length - 1) * part)] ?? Number.NaN)
  const byStatus = [...statuses].sort(([a], [b]) => a - b)
  console.log(
    `responses by status: ${byStatus.map(([status, count]) => `${status || 'none'} ${asCount(count)}`).join(', ')}`,
  )
  console.log(`visitor response times: p50 ${wait(0.5)}, p95 ${wait(0.95)}, maximum ${wait(1)}`)
  for (const { ms, request } of slowest)
    console.log(`slow: ${asMilliseconds(ms)}, ${formatRequest(request).slice(0, 300)}`)
}

async function sendAll(run: FuzzRun, senders: Sender[], number: number, first: number) {
  const each = run.hostile(senders)
  for (let sent = 0; sent < number; sent += BATCH) {
    const batch = { seed: first + sent, numRuns: Math.min(BATCH, number - sent) }
    const all = fc.sample(each, batch)
    const failed = new Set<number>()
    const next = all.entries()
    const sending = run.attackConnections.map(async (connection) => {
      for (const [index, request] of next) if (!(await sendAndCheck(run, connection, request))) failed.add(index)
    })
    for (let turn = 0; turn < all.length / 25; turn += 1) await run.visit()
    await Promise.all(sending)
    await run.log.waitUntilSettled()
    const isNew = run.log.errors.splice(0).some((error) => !run.explained.has(summarizeError(error)))
    const turn = await queryProbe(run, 'longest turn')
    run.longestTurn = Math.max(run.longestTurn, turn)
    const isTurnTooLong = turn > MAX_TURN_MS
    await run.restoreSessions()
    // Any request of the batch may have caused a logged error or a long event-loop turn, so the requests are sent again
    // alone.
    let isExplained = false
    for (const [index, request] of all.entries()) {
      if (!failed.has(index) && !isTurnTooLong && (failed.size > 0 || !isNew)) continue
      const explanation = await reproduce(run, request, { each, seed: batch.seed, path: `${index}` })
      isExplained ||= explanation
      if (!explanation && failed.has(index)) run.recordFailure('Failure not reproduced', formatRequest(request))
    }
    // A request that is sent alone may not reproduce a long turn, because the server may work after its response.
    if (isTurnTooLong && !isExplained)
      run.recordFailure(`${TURN_TOO_LONG} No single request reproduces it.`, `seed ${batch.seed}: ${turn} ms`)
  }
}

async function sendAndCheck(
  { pendingRequests, statuses, slowest, recordFailure }: FuzzRun,
  connection: Connection,
  request: Hostile,
) {
  const began = performance.now()
  pendingRequests.add(request)
  try {
    const response = await connection.send(request)
    statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1)
    slowest.push({ ms: performance.now() - began, request })
    slowest.sort((a, b) => b.ms - a.ms).splice(3)
    return !isFailure(request, response)
  } catch (error) {
    recordFailure((error as Error).message, formatRequest(request))
    return true
  } finally {
    pendingRequests.delete(request)
  }
}

// Sends a request alone, so that new log lines belong to this request. Reduces a failing request to the smallest
// request with the same failure.
async function reproduce(
  run: FuzzRun,
  request: Hostile,
  { each, ...replay }: { each: fc.Arbitrary<Hostile>; seed: number; path: string },
) {
  const found = await sendAlone(run, request)
  if (!found) return false
  const { message, failure, response, error } = found
  run.explained.add(message)
  if (run.failures.has(failure)) run.recordFailure(failure)
  else {
    const limited = fc.limitShrink(each, MAX_SHRINKS)
    const other = fc.asyncProperty(limited, async (sent) => (await sendAlone(run, sent))?.failure !== failure)
    const { counterexample } = await fc.check(other, { ...replay, numRuns: 1 })
    const [smallest = request] = counterexample ?? []
    run.recordFailure(failure, [formatRequest(smallest), formatResponse(response), error].join('\n'))
  }
  return true
}

async function sendAlone(run: FuzzRun, request: Hostile) {
  const { sequentialConnection, log, pendingRequests, longestAlone } = run
  pendingRequests.add(request)
  await queryProbe(run, 'longest turn')
  const response = await sequentialConnection.send(request).catch(() => null)
  pendingRequests.delete(request)
  await log.waitUntilSettled()
  const turn = await queryProbe(run, 'longest turn')
  if (turn > longestAlone.ms) run.longestAlone = { ms: turn, request: formatRequest(request).slice(0, 300) }
  const [error] = log.errors.splice(0)
  if (turn > MAX_TURN_MS) return { message: TURN_TOO_LONG, failure: TURN_TOO_LONG, response, error }
  if (!isFailure(request, response) && !error) return null
  const message = error ? summarizeError(error) : 'nothing logged'
  return { message, failure: `${response?.status ?? 'no response'}: ${message}`, response, error }
}

function isFailure({ isComplete }: Hostile, response: Reply | null) {
  return response ? response.status >= 500 : isComplete
}

// Returns the message of an error and the first stack frame in the code of the site.
function summarizeError(error: string) {
  const { msg = '', err = {} } = error.startsWith('{') ? JSON.parse(error) : {}
  const stack: string = err.stack ?? error
  const [, ownFrame = ''] = /\n\s+at (.*build\/server\/app\.js:\d+)/.exec(stack) ?? []
  return [msg, stack.split('\n')[0]?.slice(0, 100), ownFrame.replace(/\(?\S*\//, '')].filter(Boolean).join(' — ')
}

async function queryProbe<Q extends keyof ProbeResponses>({ site }: Pick<FuzzRun, 'site'>, question: Q) {
  site.child.send(question)
  const [response] = (await once(site.child, 'message')) as [ProbeResponses[Q]]
  return response
}
