import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import packageJson from '../package.json' with { type: 'json' }
import { blankSettings } from '../server/settings.ts'

const nodeOptions = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'))
const main = join(import.meta.dirname, '..', 'server', 'main.ts')

type StartOptions = { node?: string[]; log?: NodeJS.WritableStream; folder?: string }

/**
 * Starts the site and resolves when the home page has returned 200. If a `folder` is given, it is not removed at the
 * end.
 */
export async function startSite(settings: Record<string, string> = {}, { node = [], log, folder }: StartOptions = {}) {
  const dataFolder = folder ?? mkdtempSync(join(tmpdir(), 'noren-site-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...nodeOptions, ...node, main], {
    env: {
      ...process.env,
      ...blankSettings,
      PORT: '0',
      DATA_DIR: dataFolder,
      // Without MALLOC_ARENA_MAX, the process would restart itself and lose the IPC channel to its parent.
      ...(log && { MALLOC_ARENA_MAX: '2' }),
      ...settings,
    },
    stdio: ['ignore', 'pipe', log ? 'pipe' : 'inherit', ...(log ? (['ipc'] as const) : [])],
  })
  for (const output of log ? [child.stdout, child.stderr] : []) output?.pipe(log as NodeJS.WritableStream)
  const remove = () => {
    if (!folder) rmSync(dataFolder, { recursive: true, force: true })
  }
  const cleanUp = () => {
    child.kill('SIGKILL')
    remove()
  }
  process.once('exit', cleanUp)
  const exited = once(child, 'exit')
  void exited.then(() => process.off('exit', cleanUp))

  const address = await Promise.race([readAddress(child.stdout as Readable), exited.then(failStart)])
  const { status } = await fetchBytes(`${address}/`)
  if (status !== 200) throw new Error(`Home page of the started site: got status ${status}, expected 200`)
  const msToFirst200 = performance.now() - startedAt

  async function stop() {
    child.kill('SIGTERM')
    await exited
    remove()
  }
  const pid = child.pid as number
  return { address, dataFolder, child, pid, exited, msToFirst200, stop, [Symbol.asyncDispose]: stop }
}

export type Site = Awaited<ReturnType<typeof startSite>>

export async function publicPages(address: string) {
  const { body } = await fetchBytes(`${address}/sitemap.xml`)
  return [...body.toString().matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname)
}

/** Fetches a URL without decompressing the body. */
export async function fetchBytes(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const request = get(url, { headers, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
    })
    request.on('error', reject)
  })
}

function readAddress(output: NodeJS.ReadableStream) {
  return new Promise<string>((resolve) => {
    // Continues to read after the match, because a full pipe would block the site.
    createInterface({ input: output }).on('line', (line) => {
      const port = /^サイトを開きました: .*:(\d+)$/.exec(line)?.[1]
      if (port) resolve(`http://127.0.0.1:${port}`)
    })
  })
}

function failStart([code]: unknown[]): never {
  throw new Error(`Site ended before it opened: exit code ${code}`)
}
