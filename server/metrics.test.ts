import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { enqueue } from '../app/mail/outbox.server.ts'
import { onEachEngine } from '../db/testing.ts'
import packageJson from '../package.json' with { type: 'json' }
import { createApp } from './app.ts'
import { DATABASE_TIMEOUTS } from './http/health.ts'
import { createMetrics } from './metrics.ts'
import { readSettings } from './settings.ts'
import {
  browserOf,
  createTestDependencies,
  createTestLive,
  jsonCall,
  listenLocally,
  noon,
  sampleSite,
} from './testing.ts'
import { newFolder } from './testing-disks.ts'

const metricsToken = '0123456789abcdef0123456789abcdef'
const authorized = { headers: { authorization: `Bearer ${metricsToken}` } }
const measuredSite = () => sampleSite(undefined, { metricsToken })

type MeasuredSite = Pick<Awaited<ReturnType<typeof sampleSite>>, 'get'>

/** Scrapes the metrics. Returns the values by name and labels. */
async function scrape({ get }: MeasuredSite) {
  const response = await get('/metrics', authorized)
  expect(response.status).toBe(200)
  return parseMetrics(await response.text())
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/.source
const SAMPLE = new RegExp(
  `^([a-zA-Z_:][\\w:]*)(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?[\\d.]+(?:e[-+]?\\d+)?|Nan|[-+]Inf)$`,
)

/** Parses the text format 0.0.4 of Prometheus. Throws if the text breaks a rule of the format. */
function parseMetrics(text: string) {
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  let family = ''
  expect(text).toMatch(/\n$/)
  for (const line of text.split('\n').filter(Boolean)) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (keyword === 'TYPE') {
      expect(['counter', 'gauge', 'histogram']).toContain(rest)
      expect(types.has(name), `second type of ${name}`).toBe(false)
      expect(name.endsWith('_total'), name).toBe(rest === 'counter')
      types.set(name, rest)
      family = name
    }
    if (keyword) continue
    const [, sampleName = '', labels = '', ...others] = SAMPLE.exec(line) ?? []
    expect(sampleName.replace(types.get(family) === 'histogram' ? /_(?:bucket|sum|count)$/ : '', ''), line).toBe(family)
    const series = labels ? `${sampleName}{${labels}}` : sampleName
    expect(values.has(series), `second value of ${series}`).toBe(false)
    values.set(series, Number(others.at(-1)?.replace('Inf', 'Infinity')))
  }
  checkBuckets(values)
  return values
}

function checkBuckets(values: Map<string, number>) {
  let previous = 0
  for (const [series, value] of values) {
    const [, bound] = /_bucket\{le="([^"]+)"/.exec(series) ?? []
    if (!bound) continue
    if (value < previous) expect(value, series).toBeGreaterThanOrEqual(previous)
    previous = bound === '+Inf' ? 0 : value
    const count = series
      .replace('_bucket', '_count')
      .replace(/le="\+Inf",?/, '')
      .replace('{}', '')
    if (bound === '+Inf') expect(values.get(count), series).toBe(value)
  }
}

const routesIn = (values: Map<string, number>) =>
  new Set([...values.keys()].flatMap((series) => /\broute="([^"]*)"/.exec(series)?.[1] ?? []))

test('is an unknown page without a token in the settings', async () => {
  const site = await sampleSite()
  const [metrics, unknown] = [await site.get('/metrics', authorized), await site.get('/unknown')]
  expect([metrics.status, metrics.headers.get('www-authenticate')]).toEqual([404, null])
  expect(await metrics.text()).toBe(await unknown.text())
})

test('exports the metrics of the site and of its process in the text format', async () => {
  const site = await measuredSite()
  const response = await site.get('/metrics', authorized)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  const values = parseMetrics(await response.text())
  expect(values.get(`noren_build_info{version="${packageJson.version}"}`)).toBe(1)
  expect(values.get('noren_database_up')).toBe(1)
  expect(values.get('noren_live_streams')).toBe(0)
  expect(values.get('noren_backup_failures_total')).toBe(0)
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(values.get(name), name).toBeGreaterThan(0)
})

test('counts responses by route pattern, method and status, with one label for all unknown paths', async () => {
  const site = await measuredSite()
  for (const path of ['/dining', '/dining.data', '/p/none', '/pictures/none.jpg', '/api/collections/dining', '/livez'])
    await site.get(path)
  for (const path of ['/secret-one', '/secret-two', '/%E0%A4%A', '/api/secret-three']) await site.get(path)
  await site.get('/mail', { method: 'POST', headers: { origin: 'https://elsewhere.example' } })
  await site.post('guest', '/mail', { to: 'shop' })
  const values = await scrape(site)
  const countOf = (route: string, method: string, status: number) =>
    values.get(`http_requests_total{route="${route}",method="${method}",status="${status}"}`)
  expect(countOf('/dining', 'GET', 200)).toBe(2)
  expect(countOf('/p/:name', 'GET', 404)).toBe(1)
  expect(countOf('/pictures/:file', 'GET', 404)).toBe(1)
  expect(countOf('/api/collections/:name', 'GET', 200)).toBe(1)
  expect(countOf('/livez', 'GET', 200)).toBe(1)
  expect([countOf('unknown', 'GET', 404), countOf('unknown', 'GET', 400)]).toEqual([2, 1])
  expect(countOf('/api/*', 'GET', 404)).toBe(1)
  expect(countOf('unknown', 'POST', 403)).toBe(1)
  expect(countOf('/mail', 'POST', 400)).toBe(1)
  expect(values.get('http_request_duration_seconds_count{route="/dining",method="GET"}')).toBe(2)
  expect([...routesIn(values)].filter((route) => /secret|none/.test(route))).toEqual([])
})

test('counts cached pages and times only renderings', async () => {
  const site = await measuredSite()
  const { close, port } = await listenLocally(site.app)
  onTestFinished(close)
  // The third response comes from the cache before the application creates a request.
  for (let request = 0; request < 3; request += 1)
    expect(await (await fetch(`http://127.0.0.1:${port}/dining`)).text()).toContain('出汁巻き玉子')
  const values = await scrape(site)
  expect(values.get('http_requests_total{route="/dining",method="GET",status="200"}')).toBe(3)
  expect(values.get('noren_page_cache_requests_total{result="miss"}')).toBe(1)
  expect(values.get('noren_page_cache_requests_total{result="hit"}')).toBe(2)
  expect(values.get('noren_document_rendering_seconds_count')).toBe(1)
})

test('exports waiting e-mails, the newest backup and open streams', async () => {
  const site = await measuredSite()
  const mail = { to: 'a@example.jp', subject: '席', text: '', html: '' }
  // These e-mails are due later, so that no request delivers them.
  for (const minutes of [90, 30]) await enqueue(site.db, mail, { at: new Date(noon + minutes * 60_000).toISOString() })
  site.backup.last = noon
  const stream = await site.get('/api/live')
  const values = await scrape(site)
  expect(values.get('noren_outbox_mails')).toBe(2)
  expect(values.get('noren_outbox_oldest_mail_timestamp_seconds')).toBe(noon / 1000 + 30 * 60)
  expect(values.get('noren_last_backup_timestamp_seconds')).toBe(noon / 1000)
  expect(values.get('noren_live_streams')).toBe(1)
  await stream.body?.cancel()
  expect((await scrape(site)).get('noren_live_streams')).toBe(0)
})

test('exports every metric that the guide names', async () => {
  const site = await measuredSite()
  const at = new Date(noon + 60_000).toISOString()
  await enqueue(site.db, { to: 'a@example.jp', subject: '席', text: '', html: '' }, { at })
  await site.get('/dining')
  const exported = [...(await scrape(site)).keys()].map((series) =>
    series.replace(/(?:_(?:bucket|sum|count))?(?:\{.*)?$/, ''),
  )
  const guide = readFileSync(new URL('../docs/running-the-site.md', import.meta.url), 'utf8')
  const named = new Set(guide.match(/\b(?:http|noren|nodejs|process)_[a-z0-9_]+\b/g))
  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter((name) => !exported.includes(name))).toEqual([])
})

test('leaves out the oldest e-mail, and exports 0 as backup time, when there are none', async () => {
  const values = await scrape(await measuredSite())
  expect(values.get('noren_outbox_mails')).toBe(0)
  expect(values.has('noren_outbox_oldest_mail_timestamp_seconds')).toBe(false)
  expect(values.get('noren_last_backup_timestamp_seconds')).toBe(0)
})

test('rejects requests without the token with 401, and other methods with 405', async () => {
  const site = await measuredSite()
  for (const authorization of ['', 'Bearer', `Bearer ${metricsToken}0`, `Basic ${metricsToken}`, metricsToken]) {
    const response = await site.get('/metrics', authorization ? { headers: { authorization } } : {})
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="metrics"'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).not.toContain('# TYPE')
  }
  expect((await site.get(`/metrics?token=${metricsToken}`)).status).toBe(401)
  expect((await site.get('/metrics', { ...jsonCall({}), ...authorized })).status).toBe(405)
})

test('limits the attempts of a network to guess the token, also if the last attempt is right', async () => {
  const site = await measuredSite()
  const [guesser, other] = [browserOf(site), browserOf(site, { address: '198.51.100.1' })]
  const guess = async () => (await guesser.send('/metrics', { headers: { authorization: 'Bearer guess' } })).status
  const statuses = []
  for (let attempt = 0; attempt < 11; attempt += 1) statuses.push(await guess())
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  expect((await guesser.send('/metrics', authorized)).status).toBe(429)
  expect((await other.send('/metrics', authorized)).status).toBe(200)
  site.clock.now += 60_000
  expect((await guesser.send('/metrics', authorized)).status).toBe(200)
})

test('allows any number of scrapes with the token', async () => {
  const site = await measuredSite()
  for (let attempt = 0; attempt < 12; attempt += 1) await scrape(site)
  expect(await site.db.selectFrom('attempts').selectAll().execute()).toEqual([])
})

test('responds on an IP address of the machine, which other pages redirect to PUBLIC_ORIGIN', async () => {
  const { app } = await sampleSite(undefined, { metricsToken, publicOrigin: 'https://example.jp' })
  expect((await app.request('http://203.0.113.5/metrics', authorized)).status).toBe(200)
  expect((await app.request('http://203.0.113.5/dining', authorized)).status).toBe(308)
})

onEachEngine((fresh, engine) => {
  test('leaves out the values of a database that does not respond', async () => {
    const db = await fresh()
    const deps = createTestDependencies(db, createTestLive(db))
    const metrics = createMetrics({ db, lastBackup: async () => noon, databaseTimeouts: DATABASE_TIMEOUTS })
    const settings = { ...readSettings({}), metricsToken }
    const app = createApp({ ...deps, settings, metrics })
    const site = { get: async (path: string, init?: RequestInit) => app.request(`http://localhost${path}`, init) }
    const scrapeTwice = async () => (await Promise.all([scrape(site), scrape(site)]))[1] as Map<string, number>
    if (engine === 'SQLite') await db.schema.dropTable('outbox').execute()
    const values =
      engine === 'SQLite'
        ? await scrapeTwice()
        : await db.transaction().execute(async (trx) => {
            await sql`lock table outbox`.execute(trx)
            return scrapeTwice()
          })
    expect(values.get('noren_database_up')).toBe(0)
    expect(values.has('noren_outbox_mails')).toBe(false)
    expect(values.get('noren_last_backup_timestamp_seconds')).toBe(noon / 1000)
  })
})

// The second worker never shares its metrics, like a process that starts.
const twoProcesses = `
import cluster from 'node:cluster'
import { Counter, Registry } from '${resolve('node_modules/prom-client/index.js')}'
import { answerMetricsRequests, collectFromAllProcesses, shareMetrics } from '${resolve('server/process-metrics.ts')}'
if (cluster.isPrimary) {
  answerMetricsRequests({ warn: () => {} })
  const silent = cluster.fork({ SILENT: 'yes' })
  silent.once('message', () => cluster.fork().once('exit', () => process.exit()))
} else if (process.env.SILENT) {
  process.on('message', () => {})
  process.send('started')
} else {
  const registry = new Registry()
  new Counter({ name: 'noren_test_total', help: 'Test.', registers: [registry] }).inc()
  shareMetrics(registry)
  console.log(await collectFromAllProcesses(registry))
  process.exit()
}`

test('the metrics of one process are returned while another process starts', () => {
  const file = join(newFolder(), 'two.mjs')
  writeFileSync(file, twoProcesses)
  const output = execFileSync(process.execPath, [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  expect(output).toMatch(/^noren_test_total\{process="2"\} 1$/m)
})
