import { chromium } from '@playwright/test'
import measure, { type Result } from 'lighthouse'
import { freePort } from '../../db/testing-postgres.ts'
import { browserFlags, findBrowser } from '../../scripts/find-browser.ts'
import { publicPages, startSite } from '../../scripts/start-site.ts'
import {
  asCount,
  asMilliseconds,
  asSeconds,
  figure,
  figureAtLeast,
  figureAtMost,
  median,
  type Row,
} from './bench-figures.ts'

const RUNS = 5
const scores = { performance: 99, accessibility: 100, 'best-practices': 100, seo: 100 }
type Category = keyof typeof scores
type AuditItem = { node?: { selector?: string }; sourceLocation?: { url?: string } }

/** Runs Lighthouse with its mobile settings on every public page. */
export async function lighthouse(): Promise<Row[]> {
  await using site = await startSite()
  const rows: Row[] = []
  for (const path of await publicPages(site.address)) {
    console.error(`Lighthouse: ${path}`)
    // During the first visit, the site generates the page and its fonts. The `start` benchmark measures this time.
    await runLighthouseOnce(`${site.address}${path}`)
    const runs: Result[] = []
    const withoutScripts: Result[] = []
    while (runs.length < RUNS) {
      runs.push(await runLighthouse(`${site.address}${path}`))
      withoutScripts.push(await runLighthouse(`${site.address}${path}`, ['*.js']))
    }
    rows.push(row(path, runs, withoutScripts))
  }
  return rows
}

/** Runs Lighthouse. If Chromium lost the trace, runs Lighthouse again, as its documentation advises. */
async function runLighthouse(url: string, blockedPatterns: string[] = []) {
  const first = await runLighthouseOnce(url, blockedPatterns)
  const result = first.runtimeError ? await runLighthouseOnce(url, blockedPatterns) : first
  if (first.runtimeError) console.error(`  repeated after ${first.runtimeError.code}`)
  if (result.runtimeError) throw new Error(`Lighthouse, ${url}: ${result.runtimeError.message}`)
  return result
}

async function runLighthouseOnce(url: string, blockedUrlPatterns: string[] = []) {
  const port = await freePort()
  const args = [...browserFlags, `--remote-debugging-port=${port}`]
  await using _ = await chromium.launch({ executablePath: findBrowser(), args })
  const settings = { formFactor: 'mobile', throttlingMethod: 'simulate', logLevel: 'error' } as const
  const result = await measure(url, { ...settings, blockedUrlPatterns, port })
  if (!result) throw new Error(`Lighthouse returned no result for ${url}`)
  return result.lhr
}

function row(path: string, runs: Result[], withoutScripts: Result[]): Row {
  const medianOf = (audit: string, results = runs) =>
    median(results.map(({ audits }) => audits[audit]?.numericValue ?? Number.NaN))
  const lcp = medianOf('largest-contentful-paint')
  const blockingMs = medianOf('total-blocking-time')
  const categories = (Object.keys(scores) as Category[]).map((category) => ({
    category,
    figure: figureAtLeast(category, scoreOf(runs, category), scores[category], asCount),
  }))
  return {
    label: path,
    figures: [
      ...categories.map(({ figure }) => figure),
      figureAtMost('LCP', lcp, 1400, asSeconds),
      figureAtMost('CLS', medianOf('cumulative-layout-shift'), 0, String),
      figure('TBT', blockingMs, asMilliseconds),
      figureAtMost('by scripts', blockingMs - medianOf('total-blocking-time', withoutScripts), 40, asMilliseconds),
    ],
    notes: categories
      .filter(({ figure }) => figure.isExceeded)
      .map(
        ({ category }) => `${category}: ${[...new Set(runs.flatMap((run) => listFailures(run, category)))].join(', ')}`,
      ),
  }
}

// Only the performance score varies between runs, so the other scores use the worst run.
function scoreOf(runs: Result[], category: Category) {
  const runScores = runs.map(({ categories }) => Math.round((categories[category]?.score ?? 0) * 100))
  return category === 'performance' ? median(runScores) : Math.min(...runScores)
}

function listFailures({ audits, categories }: Result, category: Category) {
  const weighted = categories[category]?.auditRefs.filter(({ weight }) => weight > 0) ?? []
  return weighted
    .filter(({ id }) => (audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => [id, findLocation(audits[id]?.details)].filter(Boolean).join(' at '))
}

/** Returns the first element or file in the details of an audit, or undefined. */
function findLocation(details: unknown) {
  const [first] = (details as { items?: AuditItem[] } | undefined)?.items ?? []
  return first?.node?.selector ?? first?.sourceLocation?.url
}
