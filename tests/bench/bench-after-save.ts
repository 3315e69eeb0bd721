import { setTimeout as wait } from 'node:timers/promises'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, figure, figureAtMost, median, percentile, type Row } from './bench-figures.ts'
import { createAdministratorClient, createClient } from './bench-two-editors.ts'
import { cardTasks } from './bench-two-tasks.ts'

const SAVES = 5
const CONNECTIONS = 8
const SECOND = 1000
/** Minimum time between a save and a request whose duration is compared, in milliseconds. */
const SETTLE_MS = 100

type PageResponse = { path: string; sentAt: number; durationMs: number; text: string }

/**
 * Measures whether public pages are fresh after a save, and when they are fast again. Eight connections load the site.
 */
export async function afterSave(): Promise<Row[]> {
  await using site = await startSite({ LOG_LEVEL: 'warn' })
  const owner = await createAdministratorClient(site)
  const task = (await cardTasks(owner)).find(({ topic }) => topic === 'home')
  let version = (await task?.read(owner)) ?? 0
  if (!task || version === 0) throw new Error('No slide of the home page found')
  const pages = await publicPages(site.address)
  const guest = createClient(site.address, new Map())

  const responses: PageResponse[] = []
  let isOver = false
  const visit = async (first: number) => {
    for (let index = first; !isOver; index += 1) {
      const path = pages[index % pages.length] ?? '/'
      const sentAt = performance.now()
      const { text } = await guest(path)
      responses.push({ path, sentAt, durationMs: performance.now() - sentAt, text })
    }
  }
  const visiting = Array.from({ length: CONNECTIONS }, (_, index) => visit(index * 2))
  const [stale, renewalTimes, before, after] = [[] as PageResponse[], [] as number[], [] as number[], [] as number[]]
  for (let save = 0; save < SAVES; save += 1) {
    await wait(SECOND)
    const { status } = await task.save(owner, version)
    if (status === 0 || status >= 400) throw new Error(`Save failed: got status ${status}`)
    const savedAt = performance.now()
    const wanted: number = version + 1
    version = wanted
    before.push(...responses.splice(0).map(({ durationMs }) => durationMs))
    await wait(SECOND)
    const later = responses.splice(0).filter(({ sentAt }) => sentAt >= savedAt)
    stale.push(...later.filter(({ path, text }) => path === task.page && !task.shows(text, wanted)))
    renewalTimes.push(Math.max(...pages.map((path) => findFirstResponseTime(path, later) - savedAt)))
    after.push(...later.filter(({ sentAt }) => sentAt >= savedAt + SETTLE_MS).map(({ durationMs }) => durationMs))
  }
  isOver = true
  await Promise.all(visiting)
  for (const times of [before, after]) times.sort((a, b) => a - b)
  return [
    {
      label: `${pages.length} pages, ${CONNECTIONS} connections, ${SAVES} saves; after: from ${SETTLE_MS} ms on`,
      figures: [
        figureAtMost('stale', stale.length, 0, asCount),
        figure('all fresh after', median(renewalTimes), asMilliseconds),
        figure('p50 before', median(before), asMilliseconds),
        figure('p95 before', percentile(before, 0.95), asMilliseconds),
        figure('p95 after', percentile(after, 0.95), asMilliseconds),
        figureAtMost('p50 after : before', median(after) / median(before), 1.25, (value) => value.toFixed(2)),
      ],
    },
  ]
}

function findFirstResponseTime(wanted: string, responses: PageResponse[]) {
  const [first] = responses.filter(({ path }) => path === wanted).sort((a, b) => a.sentAt - b.sentAt)
  return first ? first.sentAt + first.durationMs : Number.NaN
}
