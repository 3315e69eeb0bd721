import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import type { BareAnswer } from './bench-bare-server.ts'
import { asCount, asMilliseconds, figure, type Row } from './bench-figures.ts'
import type { Load, Served } from './bench-load-generator.ts'

const path = '/dining'
const rendered = '/dining/new/add' // the same page with a dialog, which is never cached
const visitor = { 'accept-encoding': 'br' }
const load32 = { connections: 32, warmUpSeconds: 2, seconds: 5 }

/**
 * Measures requests per second of the dining page: rendered fresh, cached, and as the same bytes from a bare server.
 */
export async function load(): Promise<Row[]> {
  await using site = await startSite()
  const answer = await fetchBytes(`${site.address}${path}`, visitor)
  if (answer.headers['content-encoding'] !== 'br') throw new Error(`${path} did not come in brotli.`)

  const port = Number(new URL(site.address).port)
  const fresh = await serve(port, visitor, rendered)
  const kept = await serve(port, visitor)
  const bare = await serveBare(answer, visitor)
  return [
    served(`${rendered} rendered fresh, ${load32.connections} connections`, fresh),
    served(`${path} as kept for everyone`, kept),
    served(`the same ${asCount(answer.body.length)} bytes from bare node:http`, bare),
    ratio('fresh : bare', fresh, bare),
    ratio('kept : bare', kept, bare),
  ]
}

function ratio(what: string, ours: Served, bare: Served): Row {
  const shown = `1 : ${(bare.requestsPerSecond / ours.requestsPerSecond).toFixed(1)}`
  return { what, figures: [{ name: 'requests/s', shown }] }
}

/** Measures the maximum requests per second of a server, by default for /dining. */
export async function serve(port: number, headers: Record<string, string>, asked = path) {
  const generator = fork(join(import.meta.dirname, 'bench-load-generator.ts'))
  generator.send({ ...load32, path: asked, port, headers } satisfies Load)
  const [served] = await Promise.race([once(generator, 'message'), once(generator, 'exit').then(endedEarly)])
  generator.disconnect()
  return served as Served
}

/** Measures the same for a server that only returns this response. */
export async function serveBare(
  { headers, body }: Awaited<ReturnType<typeof fetchBytes>>,
  asking: Record<string, string>,
) {
  const server = fork(join(import.meta.dirname, 'bench-bare-server.ts'))
  // Node adds the other headers itself, as it does for the site.
  const { date: _, connection: __, 'keep-alive': ___, ...own } = headers
  server.send({ headers: own, body: body.toString('base64') } satisfies BareAnswer)
  const [port] = await Promise.race([once(server, 'message'), once(server, 'exit').then(endedEarly)])
  const result = await serve(port as number, asking)
  server.disconnect()
  return result
}

function served(what: string, { requestsPerSecond, p50, p99 }: Served): Row {
  return {
    what,
    figures: [
      figure('requests/s', requestsPerSecond, asCount),
      figure('p50', p50, asMilliseconds),
      figure('p99', p99, asMilliseconds),
    ],
  }
}

function endedEarly(): never {
  throw new Error('The load could not be measured: see the lines above.')
}
