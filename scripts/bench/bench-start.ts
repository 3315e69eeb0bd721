import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fetchBytes, publicPages, startSite } from '../start-site.ts'
import { asMegabytes, asSeconds, atMost, median, type Row } from './bench-figures.ts'

const STARTS = 5

/** From the start of the process to the first page, and the memory it holds once each kind of page was shown. */
export async function start(): Promise<Row[]> {
  const times: number[] = []
  const memory: number[] = []
  for (let i = 0; i < STARTS; i++) {
    await using site = await startSite()
    times.push(site.msToFirst200)
    for (const path of await publicPages(site.address)) await fetchBytes(`${site.address}${path}`)
    memory.push(residentBytes(site.pid))
  }
  return [
    {
      what: `median of ${STARTS} starts with an empty data folder`,
      figures: [
        atMost('first 200 of /', median(times), 1000, asSeconds),
        atMost('memory after each page once', median(memory), 180_000_000, asMegabytes),
      ],
    },
  ]
}

function residentBytes(pid: number) {
  const status = `/proc/${pid}/status`
  const kibibytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kibibytes) * 1024
}
