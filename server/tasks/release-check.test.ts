import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { stopAbortTimeouts } from '../../db/testing-timers.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { sampleSite } from '../testing.ts'
import { createReleaseCheck } from './release-check.ts'

const notes = 'https://example.jp/noren/releases/99.10.2'
const respondWith = (content: unknown): RequestListener => {
  return (_, response) => response.end(JSON.stringify(content))
}

async function startSource(listener: RequestListener) {
  const source = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    source.closeAllConnections()
    source.close()
  })
  await new Promise((resolve) => source.once('listening', resolve))
  return `http://127.0.0.1:${(source.address() as AddressInfo).port}/latest`
}

/** Creates a release check. `run` checks once, with the current handler of the source. */
async function createCheck(handler: RequestListener) {
  stopAbortTimeouts()
  const source = { handler }
  const url = await startSource((request, response) => source.handler(request, response))
  const logged: { msg: string; cause: string }[] = []
  const releases = createReleaseCheck(url, pino({}, { write: (line) => void logged.push(JSON.parse(line)) }))
  const run = async (handler: RequestListener) => {
    source.handler = handler
    await releases.start()()
    return releases.newer()
  }
  await run(handler)
  return { releases, run, logged }
}

test('shows a newer version with its notes on /today, to administrators only', async () => {
  const { releases, logged } = await createCheck(respondWith({ tag_name: 'v99.10.2', html_url: notes, body: '…' }))
  const { as, text, people } = await sampleSite(undefined, {}, { releases })
  await people()
  const page = await (await as('administrator', '/today')).text()
  expect(page).toContain('新しい版 99.10.2 が公開されています')
  expect(page).toContain(`href="${notes}"`)
  expect(await (await as('approved', '/today')).text()).not.toContain('99.10.2')
  expect(await text('/today')).not.toContain('99.10.2')
  expect(logged).toEqual([])
})

test('shows the running version on /site', async () => {
  const { as, people } = await sampleSite()
  await people()
  const page = await (await as('administrator', '/site')).text()
  expect(page).toContain(`サイトのプログラムの版：${packageJson.version}`)
})

test('sends no cookie, body or referrer with the request', async () => {
  const sent: unknown[] = []
  await createCheck((request, response) => {
    sent.push([request.method, request.url, Object.keys(request.headers).sort()])
    response.end('{}')
  })
  const headers = ['accept', 'accept-encoding', 'accept-language', 'connection', 'host', 'sec-fetch-mode', 'user-agent']
  expect(sent).toEqual([['GET', '/latest', headers]])
})

test.each([packageJson.version, `v${packageJson.version}`, '0.99.0'])('ignores the version %s', async (tag_name) => {
  const { run } = await createCheck(respondWith({ tag_name: '99.9.9', html_url: notes }))
  expect(await run(respondWith({ tag_name, html_url: notes }))).toBeNull()
})

test('makes no request when no URL is set', async () => {
  const releases = createReleaseCheck(null, pino({ level: 'silent' }))
  await releases.start()()
  expect(releases.newer()).toBeNull()
})

test.each<[string, RequestListener]>([
  ['is missing', (_, response) => response.writeHead(404).end('{}')],
  ['closes the connection', (request) => request.socket.destroy()],
  ['is HTML', (_, response) => response.end('<!doctype html><title>404</title>')],
  ['has no version', respondWith({ html_url: notes })],
  ['has a version that is no version', respondWith({ tag_name: '<b>99.0.0</b>', html_url: notes })],
  ['has a script as notes', respondWith({ tag_name: 'v99.0.0', html_url: 'javascript:alert(1)//https://' })],
  ['has notes without TLS', respondWith({ tag_name: 'v99.0.0', html_url: 'http://example.jp/' })],
  ['is larger than the limit', respondWith({ tag_name: 'v99.0.0', html_url: notes, body: 'x'.repeat(300_000) })],
])('logs once and keeps the known version when the response %s', async (_, listener) => {
  const { run, logged } = await createCheck(respondWith({ tag_name: 'v98.0.0', html_url: notes }))
  expect(await run(listener)).toEqual({ version: '98.0.0', notes })
  await run(listener)
  expect(logged).toMatchObject([{ msg: 'release check failed', cause: expect.stringMatching(/^[^\n]+$/) }])
})

test('requests nothing from the target of a redirect', async () => {
  let requests = 0
  const target = await startSource((_, response) => {
    requests += 1
    response.end(JSON.stringify({ tag_name: 'v99.0.0', html_url: notes }))
  })
  const { releases, logged } = await createCheck((_, response) => response.writeHead(302, { location: target }).end())
  expect([releases.newer(), requests, logged.length]).toEqual([null, 0, 1])
})
