import { fetchBytes, publicPages, startSite } from '../../scripts/start-site.ts'
import { asMegabytes, asSeconds, figureAtMost, median, type Row, readMemory } from './bench-figures.ts'

const STARTS = 5

/**
 * Measures the time from the start of the process to the first page. Then requests each page once and measures the
 * memory.
 */
export async function start(): Promise<Row[]> {
  const times: number[] = []
  const memory: number[] = []
  for (let i = 0; i < STARTS; i++) {
    await using site = await startSite()
    times.push(site.msToFirst200)
    for (const path of await publicPages(site.address)) await fetchBytes(`${site.address}${path}`)
    memory.push(readMemory(site.pid))
  }
  return [
    {
      label: `median of ${STARTS} starts with an empty data folder`,
      figures: [
        figureAtMost('first 200 of /', median(times), 800, asSeconds),
        figureAtMost('memory after each page once', median(memory), 165_000_000, asMegabytes),
      ],
    },
  ]
}
