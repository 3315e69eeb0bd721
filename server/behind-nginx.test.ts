import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../db/testing-postgres.ts'
import { readSettings } from './settings.ts'
import { listenLocally, sampleSite } from './testing.ts'
import { hasNginx, startNginx } from './testing-nginx.ts'

const PROXY = '127.0.0.2'
const VISITOR = '127.0.0.3'

type Sent = { body?: string | Buffer; headers?: Record<string, string>; from?: string }

/** Starts the sample shop behind nginx. Returns a function that sends a request, by default from a second proxy. */
async function startSite() {
  const port = await freePort()
  const origin = `https://localhost:${port}`
  const site = await sampleSite(undefined, readSettings({ PUBLIC_ORIGIN: origin, TRUSTED_PROXY: `127.0.0.1,${PROXY}` }))
  const { port: sitePort, close } = await listenLocally(site.app)
  onTestFinished(close)
  onTestFinished(await startNginx(port, sitePort))
  const agent = new Agent({ rejectUnauthorized: false })
  onTestFinished(() => agent.destroy())

  return async (path: string, { body, headers = {}, from = PROXY }: Sent = {}) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request({ agent, host: '127.0.0.1', localAddress: from, port, path, method })
    for (const [name, value] of Object.entries({ host: `localhost:${port}`, origin, ...headers }))
      sent.setHeader(name, value)
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
}

const textOf = async (response: IncomingMessage) => String(Buffer.concat(await response.toArray()))

test.runIf(hasNginx)('streams live updates behind docs/nginx.conf', async () => {
  const send = await startSite()
  const response = await send('/api/live')
  expect(response.headers['content-type']).toContain('text/event-stream')
  await once(response, 'data')
  response.destroy()
})

test.runIf(hasNginx)('limits visitors separately behind docs/nginx.conf and a second proxy', async () => {
  const send = await startSite()
  const message = JSON.stringify({ to: 'shop', from: 'a@example.jp', subject: '席', text: '四名です。' })
  const sendMessages = async (count: number, headersOf: (index: number) => Record<string, string>, from = PROXY) => {
    const statuses: (number | undefined)[] = []
    for (const index of Array(count).keys()) {
      const headers = { 'content-type': 'application/json', ...headersOf(index) }
      const response = await send('/api/mail', { body: message, headers, from })
      response.resume()
      statuses.push(response.statusCode)
    }
    return statuses
  }
  const forged = (index: number) => ({
    'x-forwarded-for': `192.0.2.${index}, 198.51.100.4`,
    forwarded: `for=203.0.113.${index}`,
    'x-forwarded-host': 'evil.example',
  })
  expect(await sendMessages(6, forged)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await sendMessages(6, forged, VISITOR)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await sendMessages(1, () => ({ 'x-forwarded-for': '198.51.100.5' }))).toEqual([200])
})

test.runIf(hasNginx)('rejects too large images with the sentence of the site behind docs/nginx.conf', async () => {
  const send = await startSite()
  const body = Buffer.alloc(26 * 1024 * 1024)
  const response = await send('/api/upload', { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  expect(JSON.parse(await textOf(response))).toMatchObject({ success: false })
})
