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
  atLeast,
  atMost,
  figure,
  memoryOf,
  percentile,
  type Row,
} from './bench-figures.ts'
import type { Answered, Guests } from './bench-strangers-guests.ts'

type Asking = Omit<Guests, 'port'>

const GUESTS = 200
const SECONDS = 60
const BUDGET_MS = 300
const BUDGET_MEMORY = 400_000_000
const BUDGET_EVENING = 300_000_000
const BUDGET_ATTACKED_MS = 100

/** Measures the wait for a cached page and the memory of the site while strangers send uncacheable requests. */
export async function strangers(): Promise<Row[]> {
  await using site = await startSite()
  const asking: Asking = { guests: GUESTS, seconds: SECONDS, kind: 'strangers', pauseMs: 0, cookies: [] }
  const { answered, at } = await beside(site, asking)
  const wrong = Object.keys(answered).filter((status) => Number(status) >= 500 && status !== '503')
  if (wrong.length > 0) throw new Error(`Strangers were answered ${wrong.join(', ')}.`)
  return [
    {
      what: `a visitor beside ${GUESTS} guests, ${SECONDS} s`,
      figures: [
        figure('p50', at(0.5), asMilliseconds),
        atMost('p95', at(0.95), BUDGET_MS, asMilliseconds),
        figure('last', at(1), asMilliseconds),
        atMost('memory', memoryOf(site.pid, true), BUDGET_MEMORY, asMegabytes),
      ],
      notes: [inWords(answered)],
    },
  ]
}

/** Measures the memory of the site during ten minutes of ordinary traffic. */
export async function evening(): Promise<Row[]> {
  await using site = await startSite()
  const cookies = Object.values(await signInDemoPeople(site))
  const { answered, at } = await beside(site, { guests: 40, seconds: 600, kind: 'ordinary', pauseMs: 400, cookies })
  const wrong = Object.keys(answered).filter((status) => Number(status) >= 500 || status === '0')
  if (wrong.length > 0) throw new Error(`Guests were answered ${wrong.join(', ')}.`)
  return [
    {
      what: '40 guests and members, 10 minutes',
      figures: [
        figure('p95', at(0.95), asMilliseconds),
        atMost('memory', memoryOf(site.pid, true), BUDGET_EVENING, asMegabytes),
      ],
      notes: [inWords(answered)],
    },
  ]
}

/**
 * Measures, during each attack, the waits for cached and rendered pages, and the share of forms that succeed. Each
 * attack has four senders; 1,000 slow forms come from ten networks.
 */
export async function attacks({ seconds = SECONDS }: { seconds?: number }): Promise<Row[]> {
  const provider = createServer().listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  const discovery = `http://127.0.0.1:${port}/.well-known/openid-configuration`
  await using site = await startSite(googleAt(discovery, { clientId: 'bench', clientSecret: 'bench' }))
  const { administrator: editor } = await signInDemoPeople(site)
  const four = { guests: 4, seconds, pauseMs: 0 }
  const all: Asking[] = [
    { ...four, kind: 'many slashes', cookies: [] },
    { ...four, kind: 'many fields', cookies: [] },
    { ...four, kind: 'many parts', cookies: Array(4).fill(editor) },
    { ...four, kind: 'silent Google', cookies: [] },
    { ...four, kind: 'slow forms', guests: 1000, cookies: [] },
  ]
  const rows: Row[] = []
  for (const asking of all) {
    const forms = await startSendingForms(site, editor)
    const { answered, at } = await beside(site, asking, (turn) => (turn % 2 === 0 ? '/' : `/login?problem=${turn}`))
    const { sent, served } = await forms.stop()
    rows.push({
      what: `${asking.kind}, ${asCount(asking.guests)} at once, ${seconds} s`,
      figures: [
        figure('p50', at(0.5), asMilliseconds),
        atMost('p95', at(0.95), BUDGET_ATTACKED_MS, asMilliseconds),
        figure('last', at(1), asMilliseconds),
        figure('forms', sent, asCount),
        atLeast('served', served / sent, 1, asPercent),
      ],
      notes: [inWords(answered)],
    })
  }
  provider.close()
  return rows
}

/** Sends a guest's form with a missing text and an editor's save twice a second until `stop` is called. */
async function startSendingForms({ address }: { address: string }, cookie: string) {
  const [dish] = (await (await fetch(`${address}/api/collections/dining`)).json()) as { id: string }[]
  const send = async (path: string, fields: Record<string, string>, headers = {}) => {
    const options = { method: 'POST', headers: { origin: address, ...headers }, body: new URLSearchParams(fields) }
    const response = await fetch(`${address}${path}`, options).catch(() => null)
    await response?.arrayBuffer()
    return response?.status
  }
  let [stopped, sent, served] = [false, 0, 0]
  const sending = (async () => {
    while (!stopped) {
      if ((await send('/mail.data', { to: 'shop', subject: '予約' })) === 400) served += 1
      const intent = served % 4 < 2 ? 'sold out' : 'not sold out'
      if ((await send('/dining.data', { intent, id: dish?.id ?? '' }, { cookie })) === 200) served += 1
      sent += 2
      await wait(500)
    }
  })()
  const stop = async () => {
    stopped = true
    await sending
    return { sent, served }
  }
  return { stop }
}

/**
 * Runs the traffic while a visitor requests a page every 50 ms. Returns the statuses of the traffic and the visitor's
 * response times in ms.
 */
async function beside({ address }: { address: string }, asking: Asking, pathAt: (turn: number) => string = () => '/') {
  const guests = fork(join(import.meta.dirname, 'bench-strangers-guests.ts'))
  guests.send({ ...asking, port: Number(new URL(address).port) } satisfies Guests)
  const done = Promise.race([once(guests, 'message'), once(guests, 'exit')])
  let over = false
  void done.then(() => (over = true))
  const waits: number[] = []
  for (let turn = 0; !over; turn += 1) {
    const began = performance.now()
    const { status } = await fetchBytes(`${address}${pathAt(turn)}`, { 'accept-encoding': 'br' })
    if (status !== 200) throw new Error(`A visitor was answered ${status}.`)
    waits.push(performance.now() - began)
    await wait(50)
  }
  const [answered] = (await done) as [Answered]
  guests.disconnect()
  waits.sort((a, b) => a - b)
  return { answered, at: (share: number) => percentile(waits, share) }
}

function inWords(answered: Answered) {
  return Object.entries(answered)
    .map(([status, count]) => `${status}: ${asCount(count)}`)
    .join(', ')
}
