import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import type { FixedResponse } from './bench-bare-server.ts'
import { asCount, asMilliseconds, figure, type Row } from './bench-figures.ts'
import type { Load, Throughput } from './bench-load-generator.ts'

const path = '/dining'
const uncachedPath = '/dining/new/add' // /dining with a dialog; this page is never cached
const browserHeaders = { 'accept-encoding': 'br' }
const load32 = { connections: 32, warmUpSeconds: 2, seconds: 5 }

/**
 * Measures the requests per second for the dining page: rendered for each request, cached, and as the same bytes from a
 * bare server.
 */
export async function load(): Promise<Row[]> {
  await using site = await startSite()
  const page = await fetchBytes(`${site.address}${path}`, browserHeaders)
  if (page.headers['content-encoding'] !== 'br')
    throw new Error(`Compression of ${path}: got ${page.headers['content-encoding']}, expected br`)

  const port = Number(new URL(site.address).port)
  const fresh = await measureThroughput(port, browserHeaders, uncachedPath)
  const cached = await measureThroughput(port, browserHeaders)
  const bare = await measureBareServer(page, browserHeaders)
  return [
    throughputRow(`${uncachedPath} rendered fresh, ${load32.connections} connections`, fresh),
    throughputRow(`${path} cached`, cached),
    throughputRow(`the same ${asCount(page.body.length)} bytes from bare node:http`, bare),
    ratio('fresh : bare', fresh, bare),
    ratio('cached : bare', cached, bare),
  ]
}

function ratio(label: string, ours: Throughput, bare: Throughput): Row {
  const shown = `1 : ${(bare.requestsPerSecond / ours.requestsPerSecond).toFixed(1)}`
  return { label, figures: [{ name: 'requests/s', shown }] }
}

/** Measures the maximum requests per second of a server, by default for /dining. */
export async function measureThroughput(port: number, headers: Record<string, string>, requestedPath = path) {
  const generator = fork(join(import.meta.dirname, 'bench-load-generator.ts'))
  generator.send({ ...load32, path: requestedPath, port, headers } satisfies Load)
  const [throughput] = await Promise.race([once(generator, 'message'), once(generator, 'exit').then(endedEarly)])
  generator.disconnect()
  return throughput as Throughput
}

/** Measures the maximum requests per second of a bare server that only returns this response. */
export async function measureBareServer(
  { headers, body }: Awaited<ReturnType<typeof fetchBytes>>,
  requestHeaders: Record<string, string>,
) {
  const server = fork(join(import.meta.dirname, 'bench-bare-server.ts'))
  // Node adds the omitted headers itself, as it does for the site.
  const { date: _, connection: __, 'keep-alive': ___, ...own } = headers
  server.send({ headers: own, body: body.toString('base64') } satisfies FixedResponse)
  const [port] = await Promise.race([once(server, 'message'), once(server, 'exit').then(endedEarly)])
  const result = await measureThroughput(port as number, requestHeaders)
  server.disconnect()
  return result
}

function throughputRow(label: string, { requestsPerSecond, p50, p99 }: Throughput): Row {
  return {
    label,
    figures: [
      figure('requests/s', requestsPerSecond, asCount),
      figure('p50', p50, asMilliseconds),
      figure('p99', p99, asMilliseconds),
    ],
  }
}

function endedEarly(): never {
  throw new Error('Load measurement failed: see the lines above')
}
