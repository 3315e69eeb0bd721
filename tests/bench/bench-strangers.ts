import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import { googleAt } from '../google-stand-in.ts'
import {
  asCount,
  asMegabytes,
  asMilliseconds,
  asPercent,
  figure,
  figureAtLeast,
  figureAtMost,
  percentile,
  type Row,
  readMemory,
} from './bench-figures.ts'
import type { Guests, StatusCounts } from './bench-strangers-guests.ts'

type GuestOptions = Omit<Guests, 'port'>

const GUESTS = 200
const SECONDS = 60
const MAX_WAIT_MS = 300
const MAX_MEMORY = 400_000_000
const MAX_EVENING_MEMORY = 300_000_000
const MAX_ATTACKED_WAIT_MS = 100

/** Measures the response time of a cached page and the memory of the site while strangers send uncacheable requests. */
export async function strangers(): Promise<Row[]> {
  await using site = await startSite()
  const options: GuestOptions = { guests: GUESTS, seconds: SECONDS, kind: 'strangers', pauseMs: 0, cookies: [] }
  const { statuses, waitAt } = await measureVisitor(site, options)
  const failures = Object.keys(statuses).filter((status) => Number(status) >= 500 && status !== '503')
  if (failures.length > 0) throw new Error(`Requests of strangers failed: statuses ${failures.join(', ')}`)
  return [
    {
      label: `a visitor during the requests of ${GUESTS} guests, ${SECONDS} s`,
      figures: [
        figure('p50', waitAt(0.5), asMilliseconds),
        figureAtMost('p95', waitAt(0.95), MAX_WAIT_MS, asMilliseconds),
        figure('last', waitAt(1), asMilliseconds),
        figureAtMost('memory', readMemory(site.pid, true), MAX_MEMORY, asMegabytes),
      ],
      notes: [formatStatuses(statuses)],
    },
  ]
}

/** Measures the memory of the site during ten minutes of ordinary traffic. */
export async function evening(): Promise<Row[]> {
  await using site = await startSite()
  const cookies = Object.values(await signInDemoPeople(site))
  const { statuses, waitAt } = await measureVisitor(site, {
    guests: 40,
    seconds: 600,
    kind: 'ordinary',
    pauseMs: 400,
    cookies,
  })
  const failures = Object.keys(statuses).filter((status) => Number(status) >= 500 || status === '0')
  if (failures.length > 0) throw new Error(`Requests of guests failed: statuses ${failures.join(', ')}`)
  return [
    {
      label: '40 guests and members, 10 minutes',
      figures: [
        figure('p95', waitAt(0.95), asMilliseconds),
        figureAtMost('memory', readMemory(site.pid, true), MAX_EVENING_MEMORY, asMegabytes),
      ],
      notes: [formatStatuses(statuses)],
    },
  ]
}

/**
 * Measures, during each attack, the response times of cached and rendered pages, and the share of forms that succeed.
 * Each attack has four senders, but the attack with slow forms has 1,000 senders in ten networks.
 */
export async function attacks({ seconds = SECONDS }: { seconds?: number }): Promise<Row[]> {
  const provider = createServer().listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  const discovery = `http://127.0.0.1:${port}/.well-known/openid-configuration`
  await using site = await startSite(googleAt(discovery, { clientId: 'bench', clientSecret: 'bench' }))
  const { administrator: editor } = await signInDemoPeople(site)
  const fourSenders = { guests: 4, seconds, pauseMs: 0 }
  const all: GuestOptions[] = [
    { ...fourSenders, kind: 'many slashes', cookies: [] },
    { ...fourSenders, kind: 'many fields', cookies: [] },
    { ...fourSenders, kind: 'many parts', cookies: Array(4).fill(editor) },
    { ...fourSenders, kind: 'silent Google', cookies: [] },
    { ...fourSenders, kind: 'slow forms', guests: 1000, cookies: [] },
  ]
  const rows: Row[] = []
  for (const options of all) {
    const forms = await startSendingForms(site, editor)
    const { statuses, waitAt } = await measureVisitor(site, options, (round) =>
      round % 2 === 0 ? '/' : `/login?problem=${round}`,
    )
    const { sent, served } = await forms.stop()
    rows.push({
      label: `${options.kind}, ${asCount(options.guests)} at once, ${seconds} s`,
      figures: [
        figure('p50', waitAt(0.5), asMilliseconds),
        figureAtMost('p95', waitAt(0.95), MAX_ATTACKED_WAIT_MS, asMilliseconds),
        figure('last', waitAt(1), asMilliseconds),
        figure('forms', sent, asCount),
        figureAtLeast('served', served / sent, 1, asPercent),
      ],
      notes: [formatStatuses(statuses)],
    })
  }
  provider.close()
  return rows
}

/** Twice a second until `stop` is called, sends a guest's form with a missing text, and sends a save by an editor. */
async function startSendingForms({ address }: { address: string }, cookie: string) {
  const [dish] = (await (await fetch(`${address}/api/collections/dining`)).json()) as { id: string }[]
  const send = async (path: string, fields: Record<string, string>, headers = {}) => {
    const options = { method: 'POST', headers: { origin: address, ...headers }, body: new URLSearchParams(fields) }
    const response = await fetch(`${address}${path}`, options).catch(() => null)
    await response?.arrayBuffer()
    return response?.status
  }
  let [isStopped, sent, served] = [false, 0, 0]
  const sending = (async () => {
    while (!isStopped) {
      if ((await send('/mail.data', { to: 'shop', subject: '予約' })) === 400) served += 1
      const intent = served % 4 < 2 ? 'sold out' : 'not sold out'
      if ((await send('/dining.data', { intent, id: dish?.id ?? '' }, { cookie })) === 200) served += 1
      sent += 2
      await wait(500)
    }
  })()
  const stop = async () => {
    isStopped = true
    await sending
    return { sent, served }
  }
  return { stop }
}

/**
 * Runs the traffic while a visitor requests a page every 50 ms. Returns the number of responses to the traffic by
 * status, and the visitor's response times in milliseconds.
 */
async function measureVisitor(
  { address }: { address: string },
  options: GuestOptions,
  pathAt: (round: number) => string = () => '/',
) {
  const guests = fork(join(import.meta.dirname, 'bench-strangers-guests.ts'))
  guests.send({ ...options, port: Number(new URL(address).port) } satisfies Guests)
  const done = Promise.race([once(guests, 'message'), once(guests, 'exit')])
  let isOver = false
  void done.then(() => (isOver = true))
  const waits: number[] = []
  for (let round = 0; !isOver; round += 1) {
    const began = performance.now()
    const { status } = await fetchBytes(`${address}${pathAt(round)}`, { 'accept-encoding': 'br' })
    if (status !== 200) throw new Error(`Visitor request failed: got status ${status}, expected 200`)
    waits.push(performance.now() - began)
    await wait(50)
  }
  const [statuses] = (await done) as [StatusCounts]
  guests.disconnect()
  waits.sort((a, b) => a - b)
  return { statuses, waitAt: (share: number) => percentile(waits, share) }
}

function formatStatuses(statuses: StatusCounts) {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}: ${asCount(count)}`)
    .join(', ')
}
