import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../db/testing-postgres.ts'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import { asCount, figure, figureAtLeast, type Row } from './bench-figures.ts'
import { measureBareServer, measureThroughput } from './bench-load.ts'

const gzipHeaders = { 'accept-encoding': 'gzip' }
const ROUNDS = 3
const asRatio = (value: number) => value.toFixed(2)

type Page = Awaited<ReturnType<typeof fetchBytes>>

/**
 * Compares the site's cached pages with the same bytes from a bare node:http server. Includes one nginx process if
 * nginx is installed (Debian: `apt install nginx-light`). Uses gzip and alternates between the servers.
 */
export async function peersFree(): Promise<Row[]> {
  await using site = await startSite()
  const port = Number(new URL(site.address).port)
  const rows: Row[] = []
  for (const path of ['/dining', '/', '/calendar', '/infomation']) {
    const page = await fetchBytes(`${site.address}${path}`, gzipHeaders)
    if (page.headers['content-encoding'] !== 'gzip')
      throw new Error(`Compression of ${path}: got ${page.headers['content-encoding']}, expected gzip`)
    await using nginx = path === '/dining' ? await startNginx(path, page) : undefined
    const samples = { noren: [] as number[], bare: [] as number[], nginx: [] as number[], spread: [] as number[] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const throughput = await measureThroughput(port, gzipHeaders, path)
      samples.noren.push(throughput.requestsPerSecond)
      samples.spread.push(throughput.p99 / throughput.p50)
      samples.bare.push((await measureBareServer(page, gzipHeaders)).requestsPerSecond)
      if (nginx) samples.nginx.push((await measureThroughput(nginx.port, gzipHeaders, path)).requestsPerSecond)
    }
    const [noren, bare] = [mean(samples.noren), mean(samples.bare)]
    rows.push({
      label: `${path} cached, ${asCount(page.body.length)} bytes`,
      figures: [
        figure('requests/s', noren, asCount),
        figure('p99 : p50', mean(samples.spread), asRatio),
        figure('bare node:http', bare, asCount),
        figureAtLeast('of bare', noren / bare, path === '/dining' ? 0.7 : 0.6, asRatio),
        ...(nginx
          ? [figure('nginx', mean(samples.nginx), asCount), figure('of nginx', noren / mean(samples.nginx), asRatio)]
          : []),
      ],
      notes: path === '/dining' && !nginx ? ['nginx is not installed, so its ratio is missing.'] : [],
    })
  }
  return rows
}

async function startNginx(path: string, { headers, body }: Page) {
  if (spawnSync('nginx', ['-v']).error) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'noren-nginx-'))
  const port = await freePort()
  const { date: _, connection: __, 'keep-alive': ___, etag: ____, 'content-length': _____, ...copiedHeaders } = headers
  const added = Object.entries(copiedHeaders)
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `add_header ${name} ${JSON.stringify(String(value))};`)
  // If root starts nginx, its worker runs as another user, who must be able to read the folder.
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'page'), body)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; daemon off; pid nginx.pid; error_log stderr error;
    events { worker_connections 1024; }
    http { access_log off; sendfile on; keepalive_requests 1000000000; server { listen 127.0.0.1:${port};
      location = ${path} { alias ${join(folder, 'page')}; default_type text/html; ${added.join(' ')} } } }`,
  )
  const server = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' })
  const exited = once(server, 'exit')
  const status = () =>
    fetchBytes(`http://127.0.0.1:${port}${path}`, gzipHeaders).then(
      (response) => response.status,
      () => 0,
    )
  for (let response = await status(); response !== 200; response = await status()) {
    if (response > 0 || server.exitCode !== null)
      throw new Error(`nginx failed: status ${response}, see the lines above`)
    await pause(50)
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function mean(values: number[]) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
