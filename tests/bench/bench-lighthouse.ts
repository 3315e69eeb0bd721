import { chromium } from '@playwright/test'
import measure, { type Result } from 'lighthouse'
import { freePort } from '../../db/testing-postgres.ts'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import { asCount, asMilliseconds, asSeconds, atLeast, atMost, figure, median, type Row } from './bench-figures.ts'

const RUNS = 5
const scores = { performance: 99, accessibility: 100, 'best-practices': 100, seo: 100 }
type Category = keyof typeof scores
type Place = { node?: { selector?: string }; sourceLocation?: { url?: string } }

/** Runs Lighthouse with its mobile settings on every public page. */
export async function lighthouse(): Promise<Row[]> {
  await using site = await startSite()
  const rows: Row[] = []
  for (const path of await publicPages(site.address)) {
    console.error(`Lighthouse: ${path}`)
    // The first visit waits until the page and its fonts are made, which the `start` benchmark measures.
    await lookOnce(`${site.address}${path}`)
    const runs: Result[] = []
    const withoutScripts: Result[] = []
    while (runs.length < RUNS) {
      runs.push(await look(`${site.address}${path}`))
      withoutScripts.push(await look(`${site.address}${path}`, ['*.js']))
    }
    rows.push(row(path, runs, withoutScripts))
  }
  return rows
}

/** Runs Lighthouse, and again if Chromium lost the trace, as Lighthouse advises. */
async function look(url: string, blocked: string[] = []) {
  const first = await lookOnce(url, blocked)
  const result = first.runtimeError ? await lookOnce(url, blocked) : first
  if (first.runtimeError) console.error(`  once more after ${first.runtimeError.code}`)
  if (result.runtimeError) throw new Error(`Lighthouse, ${url}: ${result.runtimeError.message}`)
  return result
}

async function lookOnce(url: string, blockedUrlPatterns: string[] = []) {
  const port = await freePort()
  const args = [...browserFlags, `--remote-debugging-port=${port}`]
  await using _ = await chromium.launch({ executablePath: findBrowser(), args })
  const settings = { formFactor: 'mobile', throttlingMethod: 'simulate', logLevel: 'error' } as const
  const result = await measure(url, { ...settings, blockedUrlPatterns, port })
  if (!result) throw new Error(`Lighthouse has nothing to say about ${url}.`)
  return result.lhr
}

function row(path: string, runs: Result[], withoutScripts: Result[]): Row {
  const of = (audit: string, looks = runs) =>
    median(looks.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN))
  const lcp = of('largest-contentful-paint')
  const blocked = of('total-blocking-time')
  const categories = (Object.keys(scores) as Category[]).map((category) => ({
    category,
    figure: atLeast(category, scoreOf(runs, category), scores[category], asCount),
  }))
  return {
    what: path,
    figures: [
      ...categories.map(({ figure }) => figure),
      atMost('LCP', lcp, 1400, asSeconds),
      atMost('CLS', of('cumulative-layout-shift'), 0, String),
      figure('TBT', blocked, asMilliseconds),
      atMost('by scripts', blocked - of('total-blocking-time', withoutScripts), 40, asMilliseconds),
    ],
    notes: categories
      .filter(({ figure }) => figure.broken)
      .map(({ category }) => `${category}: ${[...new Set(runs.flatMap((run) => faults(run, category)))].join(', ')}`),
  }
}

// Only the performance score varies between runs, so the other scores use the worst run.
function scoreOf(runs: Result[], category: Category) {
  const seen = runs.map(({ categories }) => Math.round((categories[category]?.score ?? 0) * 100))
  return category === 'performance' ? median(seen) : Math.min(...seen)
}

function faults({ audits, categories }: Result, category: Category) {
  const weighed = categories[category]?.auditRefs.filter(({ weight }) => weight > 0) ?? []
  return weighed
    .filter(({ id }) => (audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => [id, placeOf(audits[id]?.details)].filter(Boolean).join(' at '))
}

/** Returns the first element or file in the details of an audit, or undefined. */
function placeOf(details: unknown) {
  const [first] = (details as { items?: Place[] } | undefined)?.items ?? []
  return first?.node?.selector ?? first?.sourceLocation?.url
}
