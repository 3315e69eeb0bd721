import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { startSite } from '../../scripts/start-site.ts'
import {
  asCount,
  asKilobytes,
  asMilliseconds,
  figure,
  figureAtMost,
  percentile,
  type Row,
  readMemory,
} from './bench-figures.ts'
import { createAdministratorClient } from './bench-two-editors.ts'

// The site and the client need an open file for every stream. Node raises its limit to the value of `ulimit -Hn`.
const STREAMS = [1000, 10_000]
const CHANGES = 10

/** Measures the delay from a save until its event reaches a thousand open pages, and ten thousand open pages. */
export async function live(): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of STREAMS) rows.push(await measureDelays(count))
  return rows
}

async function measureDelays(count: number): Promise<Row> {
  // All streams come from one network, so the limit per network must permit all of them.
  await using site = await startSite({ LIVE_STREAMS_PER_NETWORK: `${count}`, LOG_LEVEL: 'warn' })
  const owner = await createAdministratorClient(site)
  const before = readMemory(site.pid)
  const streams: IncomingMessage[] = []
  while (streams.length < count) {
    const batch = Array.from({ length: 500 }, () => openStream(`${site.address}/api/live`))
    streams.push(...(await Promise.all(batch)))
  }
  const bytesPerStream = (readMemory(site.pid) - before) / count

  const delays: number[] = []
  for (let change = 0; change < CHANGES; change += 1) {
    const all = Promise.all(streams.map(waitForChange))
    const { status } = await owner('/api/collections/dining', { json: { title: `${change}`, content: 'measured' } })
    if (status !== 201) throw new Error(`Save failed: got status ${status}, expected 201`)
    const respondedAt = performance.now()
    delays.push(...(await all).map((arrived) => arrived - respondedAt))
  }
  for (const stream of streams) stream.destroy()

  delays.sort((a, b) => a - b)
  return {
    label: `a save to ${asCount(count)} streams, ${CHANGES} times`,
    figures: [
      figure('p50', percentile(delays, 0.5), asMilliseconds),
      figure('p95', percentile(delays, 0.95), asMilliseconds),
      figureAtMost('last', percentile(delays, 1), 300, asMilliseconds),
      figureAtMost('memory per stream', bytesPerStream, 20_000, asKilobytes),
    ],
  }
}

async function openStream(url: string) {
  const request = get(url, { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`Stream failed: got status ${response.statusCode}, expected 200`)
  await once(response, 'data')
  return response
}

function waitForChange(stream: IncomingMessage) {
  return new Promise<number>((resolve) => {
    const onData = (bytes: Buffer) => {
      // A heartbeat contains no topic and must not count as the change.
      if (!bytes.includes('dining')) return
      stream.off('data', onData)
      resolve(performance.now())
    }
    stream.on('data', onData)
  })
}
