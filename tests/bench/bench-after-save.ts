import { setTimeout as wait } from 'node:timers/promises'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, atMost, figure, median, percentile, type Row } from './bench-figures.ts'
import { askingAs, askingAsAdministrator } from './bench-two-editors.ts'
import { cardTasks } from './bench-two-tasks.ts'

const SAVES = 5
const CONNECTIONS = 8
const SECOND = 1000
/** Milliseconds after a save from which the response times are compared. */
const SOON = 100

type Answer = { path: string; asked: number; took: number; text: string }

/**
 * Measures, under the load of eight connections, whether public pages are fresh after a save and how soon they are fast
 * again.
 */
export async function afterSave(): Promise<Row[]> {
  await using site = await startSite({ LOG_LEVEL: 'warn' })
  const owner = await askingAsAdministrator(site)
  const task = (await cardTasks(owner)).find(({ topic }) => topic === 'home')
  let version = (await task?.read(owner)) ?? 0
  if (!task || version === 0) throw new Error('There is no slide of the home page to save.')
  const pages = await publicPages(site.address)
  const guest = askingAs(site.address, new Map())

  const answers: Answer[] = []
  let over = false
  const visit = async (first: number) => {
    for (let index = first; !over; index += 1) {
      const path = pages[index % pages.length] ?? '/'
      const asked = performance.now()
      const { text } = await guest(path)
      answers.push({ path, asked, took: performance.now() - asked, text })
    }
  }
  const visiting = Array.from({ length: CONNECTIONS }, (_, index) => visit(index * 2))
  const [old, renewed, before, after] = [[] as Answer[], [] as number[], [] as number[], [] as number[]]
  for (let save = 0; save < SAVES; save += 1) {
    await wait(SECOND)
    const { status } = await task.save(owner, version)
    if (status === 0 || status >= 400) throw new Error(`The save was answered ${status}.`)
    const saved = performance.now()
    const wanted: number = version + 1
    version = wanted
    before.push(...answers.splice(0).map(({ took }) => took))
    await wait(SECOND)
    const later = answers.splice(0).filter(({ asked }) => asked >= saved)
    old.push(...later.filter(({ path, text }) => path === task.page && !task.shows(text, wanted)))
    renewed.push(Math.max(...pages.map((path) => endOfFirst(path, later) - saved)))
    after.push(...later.filter(({ asked }) => asked >= saved + SOON).map(({ took }) => took))
  }
  over = true
  await Promise.all(visiting)
  for (const times of [before, after]) times.sort((a, b) => a - b)
  return [
    {
      what: `${pages.length} pages, asked for by ${CONNECTIONS} at once, ${SAVES} saves; after: from ${SOON} ms on`,
      figures: [
        atMost('old', old.length, 0, asCount),
        figure('all new after', median(renewed), asMilliseconds),
        figure('p50 before', median(before), asMilliseconds),
        figure('p95 before', percentile(before, 0.95), asMilliseconds),
        figure('p95 after', percentile(after, 0.95), asMilliseconds),
        atMost('p50 after : before', median(after) / median(before), 1.25, (value) => value.toFixed(2)),
      ],
    },
  ]
}

function endOfFirst(wanted: string, answers: Answer[]) {
  const [first] = answers.filter(({ path }) => path === wanted).sort((a, b) => a.asked - b.asked)
  return first ? first.asked + first.took : Number.NaN
}
