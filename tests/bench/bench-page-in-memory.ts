import { collectedMailer } from '../../app/mail/testing-mailer.ts'
import type { Visitor } from '../../app/permissions.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { builtSite } from '../../scripts/built-site.ts'
import { readSettings } from '../../server/settings.ts'
import { median } from './bench-figures.ts'

const REQUESTS = 60

type PageOptions = {
  fill: (db: Db) => Promise<void>
  note?: (db: Db) => Promise<string>
  /** Visitor who sends the request. The default is a guest. */
  visitor?: Visitor
  /** Whether the cache may serve repeated requests. */
  isCached?: boolean
}

/**
 * Returns the median response time of a page of the built site in milliseconds, after a warm-up, and the mean time
 * of this thread on the processor. `fill` fills the database.
 */
export async function measurePage(path: string, { fill, note, visitor = null, isCached = false }: PageOptions) {
  const { createApp, createDependencies } = await builtSite()
  const { default: pino } = await import('pino')
  const db = await openDatabase({ file: ':memory:' })
  await fill(db)
  const log = pino({ level: 'silent' })
  const dependencies = await createDependencies({
    db,
    log,
    secret: 'of no use anywhere else',
    settings: readSettings({}),
  })
  const { live } = dependencies
  const app = createApp({
    ...dependencies,
    clock: () => Date.parse('2026-11-20T12:00:00+09:00'),
    mailer: collectedMailer(),
    visitorOf: async () => visitor,
  })
  const times: number[] = []
  let cpuStart = process.threadCpuUsage()
  for (let request = 0; request < REQUESTS; request += 1) {
    if (!isCached) live.publish('events')
    if (request === REQUESTS / 2) cpuStart = process.threadCpuUsage()
    const began = performance.now()
    const response = await app.request(`http://localhost${path}`)
    await response.text()
    if (response.status !== 200) throw new Error(`Page request failed: got status ${response.status}, expected 200`)
    times.push(performance.now() - began)
  }
  // The system counts the time of a thread in ticks of several milliseconds, so only the sum is exact.
  const { user, system } = process.threadCpuUsage(cpuStart)
  const cpu = (user + system) / 1000 / (REQUESTS / 2)
  const planNote = (await note?.(db)) ?? ''
  await db.destroy()
  return { median: median(times.slice(REQUESTS / 2)), cpu, note: planNote }
}
