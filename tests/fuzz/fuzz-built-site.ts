import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asCount, asKilobytes, asMegabytes, asMilliseconds } from '../bench/bench-figures.ts'
import { openLog } from './site-log.ts'
import type { Answers } from './site-probe.ts'
import { hostileRequests } from './hostile-requests.ts'
import { type Hostile, inOneLine, type Sender } from './request-bytes.ts'
import { type Line, openLine, type Reply } from './connection.ts'
import { fillForHostile, keepSignedIn, readUntouchable, shownAnswer, signIn, startVisiting } from './hostile-site.ts'

const AT_ONCE = 8
const BATCH = 250
const VALID = 10_000
const MAX_GROWTH = 1.2
const MAX_TRIES = 200
const MAX_TURN_MS = 100
const HELD = `The thread was held for more than ${MAX_TURN_MS} ms of CPU time.`

/**
 * Sends this number of hostile requests to the built site in a child process, and prints a report. Returns false if the
 * site failed. The same `seed` sends the same requests.
 */
export async function withstandRequests(count: number, seed: number) {
  const log = openLog(join(mkdtempSync(join(tmpdir(), 'noren-abuse-')), 'site.log'))
  await using site = await startSite(
    { TRUSTED_PROXY: '127.0.0.1' },
    { node: ['--expose-gc', '--import', join(import.meta.dirname, 'site-probe.ts')], log: log.stream },
  )
  console.log(`${site.address}, whose log is ${log.file}`)
  const db = await openDatabase({ file: join(site.dataFolder, 'site.db') })
  const siege = await besiege(site, db, log)
  const { underWay, faults, note, lines } = siege
  const ended = once(site.child, 'exit').then(([code, signal]) => {
    throw new Error(`The site ended with ${signal ?? code}.\n${[...underWay].map(inOneLine).join('\n')}`)
  })
  const work = attack(siege, count, seed)
  try {
    await Promise.race([work, ended])
  } catch (error) {
    note((error as Error).message, log.last())
    work.catch(() => {})
  }
  ended.catch(() => {})
  for (const line of lines) line.close()
  await db.destroy()
  for (const [fault, { times, shown }] of faults) console.log(`\n${times} × ${fault}\n${shown}`)
  console.log(faults.size === 0 ? 'All of them were answered well.' : `\n${faults.size} faults`)
  return faults.size === 0
}

type Siege = Awaited<ReturnType<typeof besiege>>

// Opens the connections to the site and collects the senders and the results.
async function besiege(
  site: Awaited<ReturnType<typeof startSite>>,
  db: Kysely<Tables>,
  log: ReturnType<typeof openLog>,
) {
  const { host } = new URL(site.address)
  const lines = Array.from({ length: AT_ONCE + 2 }, () => openLine(Number(host.split(':')[1])))
  const [quiet, calm, ...loud] = lines as [Line, Line, ...Line[]]
  const { known, own } = await fillForHostile(db, Date.now())
  const { cookies, owner } = await signIn(quiet, host)
  const faults = new Map<string, { times: number; shown: string }>()
  return {
    ...{ site, log, lines, quiet, loud, faults },
    signInAgain: await keepSignedIn(db),
    visit: startVisiting(calm, host, { owner, own }),
    hostile: (senders: Sender[]) => hostileRequests({ host, cookies, known }, senders),
    untouchable: () => readUntouchable(db, { member: known.member, own }),
    underWay: new Set<Hostile>(),
    statuses: new Map<number, number>(),
    slowest: [] as { ms: number; request: Hostile }[],
    longestTurn: 0,
    /** The request with the longest event-loop turn among those sent alone after a batch had a long turn. */
    longestAlone: { ms: 0, request: '' },
    explained: new Set<string>(),
    note(fault: string, shown = '') {
      const { times, shown: first } = faults.get(fault) ?? { times: 0, shown }
      faults.set(fault, { times: times + 1, shown: first })
    },
  }
}

async function attack(siege: Siege, count: number, seed: number) {
  const { log, site, visit, untouchable, note } = siege
  for (let turn = 0; turn < Math.min(VALID, count); turn += 1) await visit()
  const before = await ask(siege, 'memory')
  await ask(siege, 'longest turn')
  log.errors.length = 0
  const bytes = log.bytes()
  const visitor = new Worker(join(import.meta.dirname, 'visitor-worker.ts'), { workerData: { address: site.address } })
  const began = performance.now()

  const untouched = new Set(await untouchable())
  await sendAll(siege, ['guest', 'member'], Math.ceil(count / 2), seed)
  for (const row of await untouchable()) if (!untouched.delete(row)) note('A row was made or changed.', row)
  for (const row of untouched) note('A row is gone, or was changed.', row)
  await sendAll(siege, ['administrator', 'member', 'guest'], Math.floor(count / 2), seed + count)

  const seconds = (performance.now() - began) / 1000
  const logged = log.bytes() - bytes
  visitor.postMessage('enough')
  const [{ waits, refused }] = (await once(visitor, 'message')) as [{ waits: number[]; refused: number }]
  if (refused > 0) note(`A visitor got no page ${refused} times.`)
  // A save invalidates the page cache.
  for (let turn = 0; turn < 100; turn += 1) await visit()
  const after = await ask(siege, 'memory')
  if (after.heapUsed > before.heapUsed * MAX_GROWTH) note('The heap has grown by more than a fifth.')

  console.log(`requests: ${asCount(count)} in ${asCount(seconds)} s, ${asCount(count / seconds)} a second`)
  tellOfAnswers(siege, waits)
  const { longestTurn, longestAlone } = siege
  console.log(
    `longest turn of the event loop: ${asMilliseconds(longestTurn)} of CPU time with ${AT_ONCE} requests at once`,
  )
  if (longestAlone.ms > 0) console.log(`longest alone: ${asMilliseconds(longestAlone.ms)}, ${longestAlone.request}`)
  console.log(`heap: ${asMegabytes(before.heapUsed)} before, ${asMegabytes(after.heapUsed)} after`)
  console.log(`process: ${asMegabytes(before.rss)} before, ${asMegabytes(after.rss)} after`)
  console.log(`log: ${asKilobytes(logged / count)} a request`)
}

function tellOfAnswers({ statuses, slowest }: Siege, waits: number[]) {
  waits.sort((a, b) => a - b)
  const wait = (part: number) => asMilliseconds(waits[Math.floor((waits.length - 1) * part)] ?? Number.NaN)
  const byStatus = [...statuses].sort(([a], [b]) => a - b)
  console.log(`answers: ${byStatus.map(([status, times]) => `${status || 'none'} ${asCount(times)}`).join(', ')}`)
  console.log(`a visitor's wait: p50 ${wait(0.5)}, p95 ${wait(0.95)}, at most ${wait(1)}`)
  for (const { ms, request } of slowest) console.log(`slow: ${asMilliseconds(ms)}, ${inOneLine(request).slice(0, 300)}`)
}

async function sendAll(siege: Siege, senders: Sender[], number: number, first: number) {
  const each = siege.hostile(senders)
  for (let sent = 0; sent < number; sent += BATCH) {
    const batch = { seed: first + sent, numRuns: Math.min(BATCH, number - sent) }
    const all = fc.sample(each, batch)
    const failed = new Set<number>()
    const next = all.entries()
    const sending = siege.loud.map(async (line) => {
      for (const [index, request] of next) if (!(await isAnsweredWell(siege, line, request))) failed.add(index)
    })
    for (let turn = 0; turn < all.length / 25; turn += 1) await siege.visit()
    await Promise.all(sending)
    await siege.log.settled()
    const isNew = siege.log.errors.splice(0).some((error) => !siege.explained.has(messageOf(error)))
    const turn = await ask(siege, 'longest turn')
    siege.longestTurn = Math.max(siege.longestTurn, turn)
    const isHeld = turn > MAX_TURN_MS
    await siege.signInAgain()
    // Any request of the batch may have caused an error without a response, or a long turn.
    let isExplained = false
    for (const [index, request] of all.entries()) {
      if (!failed.has(index) && !isHeld && (failed.size > 0 || !isNew)) continue
      const explanation = await explain(siege, request, { each, seed: batch.seed, path: `${index}` })
      isExplained ||= explanation
      if (!explanation && failed.has(index)) siege.note('Answered well when it was sent again', inOneLine(request))
    }
    // A request that is sent alone does not reveal work that the server does after its response.
    if (isHeld && !isExplained) siege.note(`${HELD} No request alone explains it.`, `seed ${batch.seed}: ${turn} ms`)
  }
}

async function isAnsweredWell({ underWay, statuses, slowest, note }: Siege, line: Line, request: Hostile) {
  const began = performance.now()
  underWay.add(request)
  try {
    const answer = await line.send(request)
    statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
    slowest.push({ ms: performance.now() - began, request })
    slowest.sort((a, b) => b.ms - a.ms).splice(3)
    return !isFault(request, answer)
  } catch (error) {
    note((error as Error).message, inOneLine(request))
    return true
  } finally {
    underWay.delete(request)
  }
}

// Sends a request alone, so that new log lines belong to it, and reduces it to the smallest request with the same
// failure.
async function explain(
  siege: Siege,
  request: Hostile,
  { each, ...replay }: { each: fc.Arbitrary<Hostile>; seed: number; path: string },
) {
  const found = await sendAlone(siege, request)
  if (!found) return false
  const { message, fault, answer, error } = found
  siege.explained.add(message)
  if (siege.faults.has(fault)) siege.note(fault)
  else {
    const limited = fc.limitShrink(each, MAX_TRIES)
    const other = fc.asyncProperty(limited, async (sent) => (await sendAlone(siege, sent))?.fault !== fault)
    const { counterexample } = await fc.check(other, { ...replay, numRuns: 1 })
    const [smallest = request] = counterexample ?? []
    siege.note(fault, [inOneLine(smallest), shownAnswer(answer), error].join('\n'))
  }
  return true
}

async function sendAlone(siege: Siege, request: Hostile) {
  const { quiet, log, underWay, longestAlone } = siege
  underWay.add(request)
  await ask(siege, 'longest turn')
  const answer = await quiet.send(request).catch(() => null)
  underWay.delete(request)
  await log.settled()
  const turn = await ask(siege, 'longest turn')
  if (turn > longestAlone.ms) siege.longestAlone = { ms: turn, request: inOneLine(request).slice(0, 300) }
  const [error] = log.errors.splice(0)
  if (turn > MAX_TURN_MS) return { message: HELD, fault: HELD, answer, error }
  if (!isFault(request, answer) && !error) return null
  const message = error ? messageOf(error) : 'nothing logged'
  return { message, fault: `${answer?.status ?? 'no answer'}: ${message}`, answer, error }
}

function isFault({ whole }: Hostile, answer: Reply | null) {
  return answer ? answer.status >= 500 : whole
}

// Returns the message of an error and the first stack frame of our own code.
function messageOf(error: string) {
  const { msg = '', err = {} } = error.startsWith('{') ? JSON.parse(error) : {}
  const stack: string = err.stack ?? error
  const [, ours = ''] = /\n\s+at (.*build\/server\/app\.js:\d+)/.exec(stack) ?? []
  return [msg, stack.split('\n')[0]?.slice(0, 100), ours.replace(/\(?\S*\//, '')].filter(Boolean).join(' — ')
}

async function ask<Q extends keyof Answers>({ site }: Pick<Siege, 'site'>, question: Q) {
  site.child.send(question)
  const [answer] = (await once(site.child, 'message')) as [Answers[Q]]
  return answer
}
