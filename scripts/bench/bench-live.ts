import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { addCard } from '../../app/cards/cards.server.ts'
import { openDatabase } from '../../db/open.ts'
import { startSite } from '../start-site.ts'
import { asKilobytes, asMilliseconds, atMost, figure, memoryOf, type Row } from './bench-figures.ts'

const STREAMS = 1000
const CHANGES = 10
const BUDGET_MS = 1000

/** How long a change made in another process takes to reach every one of a thousand open streams. */
export async function live(): Promise<Row[]> {
  // All of them come from this machine.
  await using site = await startSite({ LIVE_STREAMS_PER_NETWORK: `${STREAMS}` })
  const db = await openDatabase({ file: join(site.dataFolder, 'site.db') })
  const before = memoryOf(site.pid)
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(`${site.address}/api/live`)))
  const bytesPerStream = (memoryOf(site.pid) - before) / STREAMS

  const delays: number[] = []
  for (let change = 0; change < CHANGES; change += 1) {
    const all = Promise.all(streams.map(nextChange))
    const author = { accountId: null, at: new Date().toISOString() }
    await addCard(db, 'dining', { title: `${change}`, content: 'measured' }, author)
    const committed = performance.now()
    delays.push(...(await all).map((arrived) => arrived - committed))
  }
  for (const stream of streams) stream.destroy()
  await db.destroy()

  delays.sort((a, b) => a - b)
  const at = (share: number) => delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN
  return [
    {
      what: `a commit of another process to ${STREAMS} streams, ${CHANGES} times`,
      figures: [
        figure('p50', at(0.5), asMilliseconds),
        figure('p95', at(0.95), asMilliseconds),
        atMost('last', at(1), BUDGET_MS, asMilliseconds),
        figure('memory per stream', bytesPerStream, asKilobytes),
      ],
    },
  ]
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
