import { openLine } from '../../db/testing-line.ts'
import { type Fault, withstand } from './fault-run.ts'
import type { Asked, Tried } from './goals.ts'
import { type Place, postgres } from './site-copy.ts'

/** Disconnects, suspends or crashes PostgreSQL, and then recovers it. */
export async function database({ runs = 6, seed, on }: Asked): Promise<Tried[]> {
  if (!on.includes('PostgreSQL')) return []
  const truthful = (status: number) => status === 503
  const how = {
    engine: 'PostgreSQL',
    open,
    lasts: [1000, 6000] as [number, number],
    truthful,
    tellsTime: true,
  } as const
  return [await withstand({ ...how, runs, seed })]
}

async function open({ url = '' }: Place): Promise<Fault> {
  const line = await openLine(url)
  const { crash, restart } = await postgres()
  const ways = [
    { begin: () => line.break(), end: () => line.mend() },
    { begin: () => line.hold(), end: () => line.resume() },
    { begin: crash, end: restart },
  ]
  let way = ways[0]
  return {
    settings: { DATABASE_URL: line.url },
    begin: (random) => {
      way = random.one(ways)
      return way?.begin()
    },
    end: () => way?.end(),
    close: () => line.close(),
  }
}
