import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { signInDemoPeople } from '../sign-in-demo-people.ts'
import { fetchBytes, startSite } from '../start-site.ts'
import {
  asCount,
  asMegabytes,
  asMilliseconds,
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

/** How long a visitor of a kept page waits, and what the site holds in memory, while strangers ask for all that has to be made. */
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

/** What the site holds in memory on an evening of guests and members, ten minutes long. */
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

/** What was answered, and the milliseconds of a visitor who asks for a kept page twenty times a second meanwhile. */
async function beside({ address }: { address: string }, asking: Asking) {
  const guests = fork(join(import.meta.dirname, 'bench-strangers-guests.ts'))
  guests.send({ ...asking, port: Number(new URL(address).port) } satisfies Guests)
  const done = Promise.race([once(guests, 'message'), once(guests, 'exit')])
  let over = false
  void done.then(() => (over = true))
  const waits: number[] = []
  while (!over) {
    const began = performance.now()
    const { status } = await fetchBytes(`${address}/`, { 'accept-encoding': 'br' })
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
