import { openLine } from '../../db/testing-line.ts'
import { type Fault, runUnderFault } from './fault-run.ts'
import type { TrialOptions, TrialResult } from './goals.ts'
import { postgres, type SiteCopy } from './site-copy.ts'

/** Disconnects, suspends or crashes PostgreSQL for a limited time, and then makes it available again. */
export async function database({ runs = 6, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  if (!selectedEngines.includes('PostgreSQL')) return []
  const isCorrectHealth = (status: number) => status === 503
  const options = {
    engine: 'PostgreSQL',
    open,
    durationMs: [1000, 6000] as [number, number],
    isCorrectHealth,
    showsStaleTime: true,
  } as const
  return [await runUnderFault({ ...options, runs, seed })]
}

async function open({ url = '' }: SiteCopy): Promise<Fault> {
  const proxy = await openLine(url)
  const { crash, restart } = await postgres()
  const faultTypes = [
    { begin: () => proxy.break(), end: () => proxy.mend() },
    { begin: () => proxy.hold(), end: () => proxy.resume() },
    { begin: crash, end: restart },
  ]
  let faultType = faultTypes[0]
  return {
    settings: { DATABASE_URL: proxy.url },
    begin: (random) => {
      faultType = random.pick(faultTypes)
      return faultType?.begin()
    },
    end: () => faultType?.end(),
    close: () => proxy.close(),
  }
}
