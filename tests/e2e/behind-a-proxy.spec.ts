import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createSecureServer } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../db/open.ts'
import { freePort } from '../../db/testing-postgres.ts'
import { makeCertificate } from '../../server/testing-certificate.ts'
import { openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { signInByMail } from './registering.ts'
import { expect, open, pressAndRead, startSite, test } from './visitors.ts'

// Caddy is what the guide recommends. The small proxy replaces Caddy on a machine without Caddy.
const hasCaddy = spawnSync('caddy', ['version']).status === 0

test(`signs in, saves and streams live updates over HTTPS behind ${hasCaddy ? 'Caddy with docs/Caddyfile' : 'a proxy'}`, async ({
  browser,
}) => {
  const [port, sitePort] = [await freePort(), await freePort()]
  const origin = `https://localhost:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'noren-proxy-'))
  const settings = { PORT: String(sitePort), PUBLIC_ORIGIN: origin, TRUSTED_PROXY: '127.0.0.1' }
  await createDemoAccounts(folder)
  const site = await startSite({ folder, settings })
  const stopProxy = await (hasCaddy ? startCaddy : startTlsProxy)(port, sitePort)
  const context = await browser.newContext({ baseURL: origin, ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  try {
    const visitor = await context.newPage()
    const pageErrors: string[] = []
    context.on('weberror', (error) => pageErrors.push(String(error.error())))
    const listening = visitor.waitForResponse(/\/api\/live/)
    const first = await open(visitor, '/')
    expect(first?.headers()['strict-transport-security']).toContain('max-age=')
    expect((await listening).headers()['content-type']).toContain('text/event-stream')

    const owner = await browser.newContext({ baseURL: origin, ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
    const page = await owner.newPage()
    await open(page, '/emaillogin')
    const readCookieNames = async () => (await owner.cookies()).map(({ name }) => name)
    await expect.poll(readCookieNames).toContain('__Host-noren.passkey')
    await signInByMail(page, 'noren@example.jp', password)
    await expect(page.getByRole('navigation', { name: '管理メニュー' })).toBeVisible()
    const cookies = (await owner.cookies()).sort((a, b) => a.name.localeCompare(b.name))
    const cookieAttributes = { path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }
    expect(cookies).toMatchObject([
      { name: '__Host-noren.device', ...cookieAttributes },
      { name: '__Host-noren.passkey', ...cookieAttributes },
      { name: '__Host-noren.session_token', ...cookieAttributes },
    ])

    // The save of the owner updates the open page of a visitor through the proxy.
    await open(page, '/today')
    await pressAndRead(page, /^臨時休業/, '本日を「臨時休業」にしました')
    await expect(visitor.getByText('本日は臨時休業です')).toBeVisible()

    const foreign = { origin: 'https://elsewhere.example', 'content-type': 'application/json' }
    expect((await page.request.post('/api/mail', { headers: foreign, data: {} })).status()).toBe(403)
    expect(pageErrors).toEqual([])
    await owner.close()
  } finally {
    await context.close()
    await stopProxy()
    await site.stop()
  }
})

const password = 'irasshaimase'

async function createDemoAccounts(folder: string) {
  const db = await openDatabase({ file: join(folder, 'site.db') })
  await openAccounts(db, password, Date.now())
  await registerPeople(db, Date.now())
  await db.destroy()
}

/** Starts a small TLS proxy with HTTP/2 that sets X-Forwarded-For as Caddy does. Returns its stop function. */
async function startTlsProxy(port: number, sitePort: number) {
  const server = createSecureServer({ ...makeCertificate(), allowHTTP1: true })
  server.on('request', (incoming, outgoing) => {
    const sender = incoming.socket.remoteAddress
    const { ':authority': authority, host, ...clientHeaders } = incoming.headers
    const forwardedHeaders = Object.entries(clientHeaders).filter(
      ([name]) => !name.startsWith(':') && name !== 'connection',
    )
    const headers = { ...Object.fromEntries(forwardedHeaders), host: authority ?? host, 'x-forwarded-for': sender }
    const target = { host: '127.0.0.1', port: sitePort, path: incoming.url, method: incoming.method, headers }
    const onward = request(target, (response: IncomingMessage) => {
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...siteHeaders } = response.headers
      outgoing.writeHead(response.statusCode ?? 502, siteHeaders)
      response.pipe(outgoing)
    })
    onward.on('error', () => outgoing.end())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  return async () => {
    for (const session of sessions) session.destroy()
    server.close()
    await once(server, 'close')
  }
}

/** Starts Caddy with docs/Caddyfile, other ports and a local certificate. Returns its stop function. */
async function startCaddy(port: number, sitePort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-caddy-'))
  const sample = readFileSync('docs/Caddyfile', 'utf8')
  const globalOptions = '{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n'
  writeFileSync(join(folder, 'Caddyfile'), globalOptions + sample)
  const server = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    env: {
      ...process.env,
      DOMAIN: `localhost:${port}`,
      SITES: `127.0.0.1:${sitePort}`,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stderr.on('data', (text) => {
      output += text
      if (output.includes('serving initial configuration')) resolve()
    })
    server.once('close', () => reject(new Error(`Caddy did not start: ${output}`)))
  })
  return async () => {
    const closed = once(server, 'close')
    server.kill('SIGTERM')
    await closed
  }
}
