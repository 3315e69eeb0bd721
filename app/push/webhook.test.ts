import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { clock, createShop, event, inquiry, MINUTE, SECOND, usePushService } from './testing-notifications.ts'

usePushService()

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')
  const openShop = async (options?: Parameters<typeof createShop>[1]) => createShop(await fresh(), options)

  test('signs the webhook as Standard Webhooks describes and leaves out the kinds of members', async () => {
    const webhook = await startWebhook()
    const { deliver, send, rows } = await openShop({ webhook })
    webhook.statuses.push(500)
    await send(inquiry)
    await send(event)
    await deliver()
    clock.now += MINUTE
    await deliver()
    const [first, second, ...others] = webhook.received
    expect(others).toEqual([])
    const click = 'https://example.jp/inbox'
    expect(JSON.parse(second?.body ?? '')).toEqual({
      ...{ kind: 'inquiry', title: 'お問い合わせが届きました', message: '受信箱でご確認ください。', click },
    })
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (name) => second?.headers[`webhook-${name}`],
    )
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${second?.body}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
    expect([timestamp, id]).toEqual([String(clock.now / SECOND), first?.headers['webhook-id']])
    expect(await rows()).toMatchObject([{ channel: 'webhook', state: 'sent', text: '' }])
  })

  onSqlite('follows no redirect of the webhook', async () => {
    const webhook = await startWebhook()
    const { deliver, send, rows } = await openShop({ webhook })
    webhook.statuses.push(307)
    await send(inquiry)
    await deliver()
    expect(webhook.received.map(({ path }) => path)).toEqual(['/topic'])
    expect(await rows()).toMatchObject([{ state: 'failed', trouble: 'HTTP 307' }])
  })

  onSqlite('drops the webhook when NOTIFY_URL is not set', async () => {
    const { deliver, send, rows } = await openShop()
    await send(inquiry)
    await deliver()
    expect(await rows()).toEqual([])
  })
})

async function startWebhook() {
  const received: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ path: request.url, headers: request.headers, body })
    response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/topic`
  return { url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, received, statuses }
}
