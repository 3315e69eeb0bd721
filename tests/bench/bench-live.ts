import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { startSite } from '../../scripts/start-site.ts'
import {
  asCount,
  asKilobytes,
  asMilliseconds,
  atMost,
  figure,
  memoryOf,
  percentile,
  type Row,
} from './bench-figures.ts'
import { askingAsAdministrator } from './bench-two-editors.ts'

// The site and the client need a file for every stream: Node takes as many as `ulimit -Hn` allows.
const STREAMS = [1000, 10_000]
const CHANGES = 10

/** Measures how long a save takes to reach a thousand open pages, and ten thousand. */
export async function live(): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of STREAMS) rows.push(await reach(count))
  return rows
}

async function reach(count: number): Promise<Row> {
  // All streams come from the network of this machine.
  await using site = await startSite({ LIVE_STREAMS_PER_NETWORK: `${count}`, LOG_LEVEL: 'warn' })
  const owner = await askingAsAdministrator(site)
  const before = memoryOf(site.pid)
  const streams: IncomingMessage[] = []
  while (streams.length < count) {
    const some = Array.from({ length: 500 }, () => openStream(`${site.address}/api/live`))
    streams.push(...(await Promise.all(some)))
  }
  const bytesPerStream = (memoryOf(site.pid) - before) / count

  const delays: number[] = []
  for (let change = 0; change < CHANGES; change += 1) {
    const all = Promise.all(streams.map(nextChange))
    const { status } = await owner('/api/collections/dining', { json: { title: `${change}`, content: 'measured' } })
    if (status !== 201) throw new Error(`A save was answered ${status}.`)
    const answered = performance.now()
    delays.push(...(await all).map((arrived) => arrived - answered))
  }
  for (const stream of streams) stream.destroy()

  delays.sort((a, b) => a - b)
  return {
    what: `a save to ${asCount(count)} streams, ${CHANGES} times`,
    figures: [
      figure('p50', percentile(delays, 0.5), asMilliseconds),
      figure('p95', percentile(delays, 0.95), asMilliseconds),
      atMost('last', percentile(delays, 1), 300, asMilliseconds),
      atMost('memory per stream', bytesPerStream, 20_000, asKilobytes),
    ],
  }
}

async function openStream(url: string) {
  const request = get(url, { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}.`)
  await once(response, 'data')
  return response
}

function nextChange(stream: IncomingMessage) {
  return new Promise<number>((resolve) => {
    const hear = (bytes: Buffer) => {
      // A heartbeat is no change.
      if (!bytes.includes('dining')) return
      stream.off('data', hear)
      resolve(performance.now())
    }
    stream.on('data', hear)
  })
}
