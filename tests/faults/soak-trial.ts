import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { startSite } from '../../scripts/start-site.ts'
import { asMegabytes, median, readMemory } from '../bench/bench-figures.ts'
import { measureThroughput } from '../bench/bench-load.ts'
import { openAudit } from './audit.ts'
import { noneGoal, someGoal, type TrialOptions, type TrialResult } from './goals.ts'
import { runRandom } from './operations.ts'
import { send } from './requests.ts'
import { openSiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const STREAMS = 200
const MONTHS = 24
const GUEST_INTERVAL_MS = 50
const MAX_WAITING = 100
const RECONNECT_DELAY_MS = 1000
const ROUNDS_PER_SAVE = 25
const REQUEST_INTERVAL_MS = 200
const MAX_GROWTH = 1.05
const MAX_MORE_FILES = 5

/**
 * Runs a busy site for a long time. Cached pages are requested at a tenth of their maximum rate. After the first third,
 * memory and open files must not grow.
 */
export async function soak({ seed, minutes, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  const [engine] = selectedEngines
  if (!engine) return []
  const copy = await openSiteCopy(engine)
  const site = await startSite(
    { ...copy.settings, LIVE_STREAMS_PER_NETWORK: `${2 * STREAMS}` },
    { folder: copy.folder },
  )
  const stopping = new AbortController()
  const streams = Array.from({ length: STREAMS }, () => keepStreamOpen(site.address, stopping.signal))
  const maximum = await measureThroughput(Number(new URL(site.address).port), browserHeaders)
  const perSecond = Math.round(maximum.requestsPerSecond / 10)
  const workload = openWorkload(copy, seed)
  const actors = Object.values(workload.actors)
  await workload.runEach(site.address)
  const samples: { memory: number; files: number }[] = []
  const failures: string[] = []
  const until = performance.now() + minutes * 60_000
  const guests = requestPages(site.address, perSecond, stopping.signal)
  for (let round = 0; performance.now() < until; round += 1) {
    const month = `2026-${String((round % 12) + 1).padStart(2, '0')}`
    const path =
      round % 2 ? '/dining' : `/calendar?month=${round % MONTHS < 12 ? month : month.replace('2026', '2027')}`
    const reply = await send(site.address, path)
    if (reply?.status !== 200) failures.push(`${path} status ${reply?.status ?? 'none'}`)
    const actor = actors[(round / ROUNDS_PER_SAVE) % actors.length]
    if (actor) await runRandom({ ...actor, address: site.address })
    samples.push({ memory: readMemory(site.pid), files: readdirSync(`/proc/${site.pid}/fd`).length })
    await pause(REQUEST_INTERVAL_MS)
  }
  stopping.abort()
  const guestResults = await guests
  const streamFailures = (await Promise.all(streams)).flat()
  const audit = openAudit()
  await audit.check(copy, workload.log, { run: 'at the end', address: site.address })
  audit.close(workload.log)
  await site.stop()
  await copy.close()
  return [
    {
      label: `${engine}, ${minutes} minutes`,
      runs: 1,
      operations: audit.operations(),
      goals: [
        ...audit.goals(),
        ...growth(samples),
        noneGoal('pages and streams that failed', [...failures, ...guestResults.failed, ...streamFailures]),
        someGoal(`cached pages received, ${perSecond.toLocaleString('en')} a second`, guestResults.pages),
      ],
    },
  ]
}

function growth(samples: { memory: number; files: number }[]) {
  const tenth = Math.ceil(samples.length / 10)
  const [first, last] = [samples.slice(Math.floor(samples.length / 3)).slice(0, tenth), samples.slice(-tenth)]
  const medianOf = (someGoal: typeof samples, label: 'memory' | 'files') => median(someGoal.map((each) => each[label]))
  const [memoryBefore, memoryAfter] = [medianOf(first, 'memory'), medianOf(last, 'memory')]
  const [filesBefore, filesAfter] = [medianOf(first, 'files'), medianOf(last, 'files')]
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

const browserHeaders = { 'accept-encoding': 'br' }

/** Requests a cached page at a constant rate until `stopping` aborts. Returns the number of pages and the failures. */
async function requestPages(address: string, perSecond: number, stopping: AbortSignal) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const began = performance.now()
  const failed: string[] = []
  let [requested, pages, waiting] = [0, 0, 0]
  const requestPage = () => {
    waiting += 1
    get(`${address}/dining`, { agent, headers: browserHeaders }, (response) => {
      if (response.statusCode === 200) response.once('end', () => (pages += 1))
      else failed.push(`/dining status ${response.statusCode}`)
      response.resume()
    })
      .on('error', (error) => failed.push(`/dining failed: ${error.message}`))
      .once('close', () => (waiting -= 1))
  }
  while (!stopping.aborted || waiting > 0) {
    const due = stopping.aborted ? 0 : Math.floor(((performance.now() - began) / 1000) * perSecond)
    // Requests beyond the machine's capacity are skipped.
    for (; requested < due; requested += 1) if (waiting < MAX_WAITING) requestPage()
    await pause(GUEST_INTERVAL_MS)
  }
  agent.destroy()
  return { pages, failed }
}

/** Keeps one live stream open and reconnects when the site ends it. Returns the failures. */
async function keepStreamOpen(address: string, stopping: AbortSignal) {
  const failed: string[] = []
  while (!stopping.aborted) {
    try {
      const [response] = (await once(get(`${address}/api/live`, { agent: false, signal: stopping }), 'response')) as [
        IncomingMessage,
      ]
      if (response.statusCode !== 200) failed.push(`/api/live status ${response.statusCode}`)
      await finished(response.resume())
    } catch (error) {
      if (!stopping.aborted) failed.push(`/api/live was cut: ${error}`)
    }
    if (!stopping.aborted) await pause(RECONNECT_DELAY_MS)
  }
  return failed
}
