import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { startSite } from '../../scripts/start-site.ts'
import { asMegabytes, median, memoryOf } from '../bench/bench-figures.ts'
import { serve } from '../bench/bench-load.ts'
import { openAudit } from './audit.ts'
import { doOne } from './operations.ts'
import { type Asked, none, some, type Tried } from './goals.ts'
import { openPlace } from './site-copy.ts'
import { send } from './requests.ts'
import { openWriter } from './workload.ts'

const STREAMS = 200
const MONTHS = 24
const GUESTS_EVERY_MS = 50
const MAX_WAITING = 100
const REOPENED_AFTER_MS = 1000
const SAVES_EVERY = 25
const ASKS_EVERY_MS = 200
const MAX_GROWTH = 1.05
const MAX_MORE_FILES = 5

/**
 * Runs a busy site for a long time, with a tenth of the maximum rate of cached pages. After the first third, memory and
 * open files must not grow.
 */
export async function soak({ seed, minutes, on }: Asked): Promise<Tried[]> {
  const [engine] = on
  if (!engine) return []
  const place = await openPlace(engine)
  const site = await startSite(
    { ...place.settings, LIVE_STREAMS_PER_NETWORK: `${2 * STREAMS}` },
    { folder: place.folder },
  )
  const over = new AbortController()
  const streams = Array.from({ length: STREAMS }, () => keepStream(site.address, over.signal))
  const ceiling = await serve(Number(new URL(site.address).port), asBrowsersDo)
  const perSecond = Math.round(ceiling.requestsPerSecond / 10)
  const writer = openWriter(place, seed)
  const hands = Object.values(writer.hands)
  await writer.doEach(site.address)
  const seen: { memory: number; files: number }[] = []
  const wrong: string[] = []
  const until = performance.now() + minutes * 60_000
  const guests = visit(site.address, perSecond, over.signal)
  for (let turn = 0; performance.now() < until; turn += 1) {
    const month = `2026-${String((turn % 12) + 1).padStart(2, '0')}`
    const path = turn % 2 ? '/dining' : `/calendar?month=${turn % MONTHS < 12 ? month : month.replace('2026', '2027')}`
    const reply = await send(site.address, path)
    if (reply?.status !== 200) wrong.push(`${path} was answered ${reply?.status ?? 'not at all'}`)
    const hand = hands[(turn / SAVES_EVERY) % hands.length]
    if (hand) await doOne({ ...hand, address: site.address })
    seen.push({ memory: memoryOf(site.pid), files: readdirSync(`/proc/${site.pid}/fd`).length })
    await pause(ASKS_EVERY_MS)
  }
  over.abort()
  const given = await guests
  const cut = (await Promise.all(streams)).flat()
  const audit = openAudit()
  await audit.look(place, writer.ledger, { run: 'at the end', address: site.address })
  audit.close(writer.ledger)
  await site.stop()
  await place.close()
  return [
    {
      of: `${engine}, ${minutes} minutes`,
      runs: 1,
      deeds: audit.deeds(),
      goals: [
        ...audit.goals(),
        ...growth(seen),
        none('pages and streams that failed', [...wrong, ...given.failed, ...cut]),
        some(`kept pages given, ${perSecond.toLocaleString('en')} a second`, given.pages),
      ],
    },
  ]
}

function growth(seen: { memory: number; files: number }[]) {
  const tenth = Math.ceil(seen.length / 10)
  const [first, last] = [seen.slice(Math.floor(seen.length / 3)).slice(0, tenth), seen.slice(-tenth)]
  const of = (some: typeof seen, what: 'memory' | 'files') => median(some.map((each) => each[what]))
  const [memoryBefore, memoryAfter] = [of(first, 'memory'), of(last, 'memory')]
  const [filesBefore, filesAfter] = [of(first, 'files'), of(last, 'files')]
  return [
    {
      goal: 'memory after the first third: grows by less than 5 %',
      measured: `${asMegabytes(memoryBefore)}, then ${asMegabytes(memoryAfter)}`,
      missed: !(memoryAfter < memoryBefore * MAX_GROWTH),
    },
    {
      goal: 'open files after the first third: no more',
      measured: `${filesBefore}, then ${filesAfter}`,
      missed: filesAfter > filesBefore + MAX_MORE_FILES,
    },
  ]
}

const asBrowsersDo = { 'accept-encoding': 'br' }

/** Requests a cached page at a constant rate until `over` aborts. Returns the number of pages and the failures. */
async function visit(address: string, perSecond: number, over: AbortSignal) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const began = performance.now()
  const failed: string[] = []
  let [asked, pages, waiting] = [0, 0, 0]
  const ask = () => {
    waiting += 1
    get(`${address}/dining`, { agent, headers: asBrowsersDo }, (response) => {
      if (response.statusCode === 200) response.once('end', () => (pages += 1))
      else failed.push(`/dining was answered ${response.statusCode}`)
      response.resume()
    })
      .on('error', (error) => failed.push(`/dining was not answered: ${error.message}`))
      .once('close', () => (waiting -= 1))
  }
  while (!over.aborted || waiting > 0) {
    const due = over.aborted ? 0 : Math.floor(((performance.now() - began) / 1000) * perSecond)
    // Requests beyond the machine's capacity are skipped.
    for (; asked < due; asked += 1) if (waiting < MAX_WAITING) ask()
    await pause(GUESTS_EVERY_MS)
  }
  agent.destroy()
  return { pages, failed }
}

/** Keeps one live stream open and reconnects when the site ends it. Returns the failures. */
async function keepStream(address: string, over: AbortSignal) {
  const failed: string[] = []
  while (!over.aborted) {
    try {
      const [response] = (await once(get(`${address}/api/live`, { agent: false, signal: over }), 'response')) as [
        IncomingMessage,
      ]
      if (response.statusCode !== 200) failed.push(`/api/live was answered ${response.statusCode}`)
      await finished(response.resume())
    } catch (error) {
      if (!over.aborted) failed.push(`/api/live was cut: ${error}`)
    }
    if (!over.aborted) await pause(REOPENED_AFTER_MS)
  }
  return failed
}
