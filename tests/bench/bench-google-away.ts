import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import { googleAt } from '../google-stand-in.ts'
import { asCount, asMilliseconds, asSeconds, figure, figureAtMost, percentile, type Row } from './bench-figures.ts'

const SIGN_INS = 50
const BUDGET_MS = 50
// Both cached pages and pages that the site renders for each visitor.
const paths = ['/', '/dining', '/calendar', '/account', '/membercreate', '/mail']

/**
 * Measures the response times of other visitors during fifty sign-ins. The OpenID provider accepts their connections
 * but never responds.
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
  const waitsBefore = await measureWaits(site.address, wait(5000))

  const began = performance.now()
  const signIns = Promise.all(Array.from({ length: SIGN_INS }, signIn))
  const waits = await measureWaits(site.address, signIns)
  const responses = await signIns
  const signInMs = performance.now() - began
  const lastSignInAt = performance.now()
  responses.push(await signIn())
  const lastSignInMs = performance.now() - lastSignInAt
  provider.closeAllConnections()
  provider.close()
  for (const { headers } of responses) {
    if (!headers.location?.endsWith('problem=unreachable'))
      throw new Error(`Sign-in redirect: got ${headers.location}, expected problem=unreachable`)
  }
  return [
    {
      label: `other pages during ${SIGN_INS} requests of /login/google`,
      figures: [
        figure('p95 without', percentile(waitsBefore, 0.95), asMilliseconds),
        figure('p50', percentile(waits, 0.5), asMilliseconds),
        figureAtMost('p95', percentile(waits, 0.95), BUDGET_MS, asMilliseconds),
        figure('pages', waits.length, asCount),
        figure('sign-ins', signInMs, asSeconds),
        figure('next sign-in', lastSignInMs, asMilliseconds),
        figureAtMost('attempts', attempts, 1, asCount),
      ],
    },
  ]
}

/** Requests pages in sequence until `finished` settles. Returns the sorted response times in milliseconds. */
async function measureWaits(address: string, finished: Promise<unknown>) {
  let isOver = false
  void finished.finally(() => {
    isOver = true
  })
  const waits: number[] = []
  for (let index = 0; !isOver; index += 1) {
    const began = performance.now()
    const { status } = await fetchBytes(`${address}${paths[index % paths.length]}`)
    if (status !== 200) throw new Error(`Page request failed: got status ${status}, expected 200`)
    waits.push(performance.now() - began)
    await wait(50)
  }
  return waits.sort((a, b) => a - b)
}
