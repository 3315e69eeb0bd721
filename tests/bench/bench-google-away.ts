import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import { googleAt } from '../google-stand-in.ts'
import { asCount, asMilliseconds, asSeconds, atMost, figure, percentile, type Row } from './bench-figures.ts'

const AT_ONCE = 50
const BUDGET_MS = 50
// Cached pages and pages that are rendered for each visitor.
const paths = ['/', '/dining', '/calendar', '/account', '/membercreate', '/mail']

/**
 * Measures the waits of other visitors while fifty sign-ins use an OpenID provider that accepts connections but never
 * responds.
 */
export async function googleAway(): Promise<Row[]> {
  let attempts = 0
  const provider = createServer(() => {
    attempts += 1
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  await using site = await startSite({
    ...googleAt(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/`, {
      clientId: 'noren',
      clientSecret: 'nobody hears it',
    }),
    LOG_LEVEL: 'error',
  })
  const signIn = () => fetchBytes(`${site.address}/login/google`)
  const without = await waitsUntil(site.address, wait(5000))

  const began = performance.now()
  const signIns = Promise.all(Array.from({ length: AT_ONCE }, signIn))
  const waits = await waitsUntil(site.address, signIns)
  const answers = await signIns
  const lasted = performance.now() - began
  const remembered = performance.now()
  answers.push(await signIn())
  const next = performance.now() - remembered
  provider.closeAllConnections()
  provider.close()
  for (const { headers } of answers) {
    if (!headers.location?.endsWith('problem=unreachable')) throw new Error(`A sign-in was led to ${headers.location}.`)
  }
  return [
    {
      what: `other pages beside ${AT_ONCE} of /login/google`,
      figures: [
        figure('p95 without', percentile(without, 0.95), asMilliseconds),
        figure('p50', percentile(waits, 0.5), asMilliseconds),
        atMost('p95', percentile(waits, 0.95), BUDGET_MS, asMilliseconds),
        figure('pages', waits.length, asCount),
        figure('sign-ins', lasted, asSeconds),
        figure('the next one', next, asMilliseconds),
        atMost('attempts', attempts, 1, asCount),
      ],
    },
  ]
}

/** Requests pages in sequence until `done` settles. Returns the milliseconds of each response, sorted. */
async function waitsUntil(address: string, done: Promise<unknown>) {
  let over = false
  void done.finally(() => {
    over = true
  })
  const waits: number[] = []
  for (let at = 0; !over; at += 1) {
    const began = performance.now()
    const { status } = await fetchBytes(`${address}${paths[at % paths.length]}`)
    if (status !== 200) throw new Error(`A visitor was answered ${status}.`)
    waits.push(performance.now() - began)
    await wait(50)
  }
  return waits.sort((a, b) => a - b)
}
