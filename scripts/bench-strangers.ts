import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { asCount, asMegabytes, asMilliseconds, atMost, figure, type Row } from './bench-figures.ts'
import type { Answered, Guests } from './bench-strangers-guests.ts'
import { fetchBytes, startSite } from './start-site.ts'

const GUESTS = 200
const SECONDS = 60
const BUDGET_MS = 300
const BUDGET_MEMORY = 400_000_000

/** How long a visitor of a kept page waits, and what the site holds in memory, while strangers ask for all that has to be made. */
export async function strangers(): Promise<Row[]> {
  await using site = await startSite()
  const guests = fork(join(import.meta.dirname, 'bench-strangers-guests.ts'))
  const port = Number(new URL(site.address).port)
  guests.send({ port, guests: GUESTS, seconds: SECONDS } satisfies Guests)
  const done = Promise.race([once(guests, 'message'), once(guests, 'exit')])
  let over = false
  void done.then(() => (over = true))

  const waits: number[] = []
  while (!over) {
    const began = performance.now()
    const { status } = await fetchBytes(`${site.address}/`, { 'accept-encoding': 'br' })
    if (status !== 200) throw new Error(`A visitor was answered ${status}.`)
    waits.push(performance.now() - began)
    await wait(50)
  }
  const [answered] = (await done) as [Answered]
  guests.disconnect()
  const wrong = Object.keys(answered).filter((status) => Number(status) >= 500 && status !== '503')
  if (wrong.length > 0) throw new Error(`Guests were answered ${wrong.join(', ')}.`)

  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.ceil(waits.length * share) - 1] ?? Number.NaN
  const all = Object.values(answered).reduce((sum, count) => sum + count, 0)
  return [
    {
      what: `a visitor beside ${GUESTS} guests, ${SECONDS} s`,
      figures: [
        figure('p50', at(0.5), asMilliseconds),
        atMost('p95', at(0.95), BUDGET_MS, asMilliseconds),
        figure('last', at(1), asMilliseconds),
        atMost('memory', mostMemory(site.pid), BUDGET_MEMORY, asMegabytes),
        figure('answers', all, asCount),
      ],
      notes: [
        Object.entries(answered)
          .map(([status, count]) => `${status}: ${asCount(count)}`)
          .join(', '),
      ],
    },
  ]
}

function mostMemory(pid: number) {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}
