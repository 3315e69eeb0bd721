import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listCards } from '../app/cards/cards.server.ts'
import { MAX_TEXT_FORM_BYTES } from '../app/platform/body.server.ts'
import { readForm } from '../app/platform/form.server.ts'
import { onEachEngine } from '../db/testing.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { cpuTimeOf, jsonCall, listenLocally, sampleSite } from './testing.ts'
import type { Person } from './tools/demo.ts'

const site = async () => {
  const sampleShop = await sampleSite()
  await sampleShop.people()
  return sampleShop
}
type Site = Awaited<ReturnType<typeof site>>

const origin = 'http://localhost'
const guestPaths = ['/mail', '/emaillogin', '/signupform', '/resetpassword', '/verifyemail', '/membercreate']
const administratorPaths = [
  ...['/inbox', '/site', '/today', '/bussinessdays', '/bin', '/calendar', '/memberlist', '/home', '/dining'],
  '/firestoreservice?databasename=dining',
]
const forms = [
  ...guestPaths.map((path): [Person, string] => ['guest', path]),
  ...administratorPaths.map((path): [Person, string] => ['administrator', path]),
]

async function send({ as }: Site, person: Person, path: string, body: string | FormData, type?: string) {
  const headers = { origin, 'content-type': type ?? 'application/x-www-form-urlencoded' }
  const { ...others } = typeof body === 'string' || type ? { headers } : { headers: { origin } }
  const response = await as(person, path, { method: 'POST', body, ...others })
  return { status: response.status, text: await response.text() }
}

const nestedNames = (times: number) => `x${'[y]'.repeat(times)}=1&z${'.z'.repeat(times)}=1`
const unusualBodies = [
  'x[300000]=1',
  'x[99999999]=1&email[99999999]=1&subject[99999999]=1&text[0][99999999]=1',
  nestedNames(3000),
  '__intent__=reset&__intent__=1',
  '__state__={',
  '__state__=%7B%22key%22%3A%7B%7D%7D',
  '__proto__=1&__proto__[admin]=1&constructor.prototype=1&toString=1',
  'x=1&'.repeat(900),
]

test('reads a repeated field once, or up to its maximum when the field may have several values', async () => {
  const body = new URLSearchParams('title=a&title=b&allergens=1&allergens=2&allergens=3&other=x')
  const request = new Request(origin, { method: 'POST', body })
  const form = await readForm(request, ['title', 'allergens'], { several: { allergens: 2 } })
  expect([...form]).toEqual([
    ['title', 'a'],
    ['allergens', '1'],
    ['allergens', '2'],
  ])
})

onEachEngine((fresh) => {
  test('ignores fields that the form does not declare', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    for (const [person, path] of forms) {
      const [page = '', query = ''] = path.split('?')
      const data = `${page}.data${query && `?${query}`}`
      const nothing = await send(sampleShop, person, data, '')
      expect([200, 202, 400, 401, 403, 404, 409, 410], data).toContain(nothing.status)
      for (const body of unusualBodies)
        expect(await send(sampleShop, person, data, body), `${data} ${body.slice(0, 60)}`).toEqual(nothing)
    }
    expect(sampleShop.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

test('ignores all repetitions of a form field', async () => {
  const sampleShop = await site()
  const repeated = await send(
    sampleShop,
    'guest',
    '/mail.data',
    'to=shop&to=circle&subject=a&subject=b&from=not+an+address',
  )
  expect(repeated.status).toBe(400)
  expect(repeated.text).toContain('"a"')
  expect(repeated.text).not.toContain('"b"')
  const manyTimes = await send(sampleShop, 'guest', '/mail.data', `${'subject=a&'.repeat(999)}to=shop`)
  expect(manyTimes).toMatchObject({ status: 400 })
  expect(manyTimes.text.length).toBeLessThan(2000)
})

test.each([
  ['fields', 'subject=a&'.repeat(5000)],
  ['separators', 'a&'.repeat(250_000)],
  ['names', Array.from({ length: 90_000 }, (_, index) => index.toString(36)).join('&')],
])('rejects a form with too many %s before parsing', async (_, body) => {
  const sampleShop = await site()
  for (const path of ['/mail', '/mail.data', '/memberlist', '/membercreate.data']) {
    const { status, text } = await send(sampleShop, 'guest', path, body)
    expect(status, path).toBe(413)
    expect(text, path).toContain('送信された項目が多すぎます。')
  }
  // Sign-in and identity forms have a smaller limit.
  for (const path of ['/undo', '/invitation.data'])
    expect((await send(sampleShop, 'guest', path, body.slice(0, 64 * 1024))).status, path).toBe(413)
})

test('limits the number of separators in forms, but not in JSON', async () => {
  const sampleShop = await site()
  const message = { to: 'shop', subject: 'a', text: '&'.repeat(2000) }
  const response = await send(sampleShop, 'guest', '/api/mail', JSON.stringify(message), 'application/json')
  expect(response).toMatchObject({ status: 200 })
})

test('rejects an upload with more than 100 parts', async () => {
  const sampleShop = await site()
  const part = (name: string, value = '') =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const sent = (parts: string) =>
    send(sampleShop, 'administrator', '/api/upload', `${parts}--edge--`, 'multipart/form-data; boundary=edge')
  expect((await sent(part('note').repeat(99) + part('image'))).text).toContain('ファイルの中身がありません')
  for (const parts of [part('note').repeat(100) + part('image'), '--edge\r\n\r\n\r\n'.repeat(20_000)]) {
    const refused = await sent(parts)
    expect(refused.status).toBe(400)
    expect(refused.text).not.toContain('ファイルの中身がありません')
  }
})

test('rejects an upload whose boundary has fewer than four characters', async () => {
  const sampleShop = await site()
  const upload = (edge: string) => {
    const body = `--${edge}\r\ncontent-disposition: form-data; name="image"\r\n\r\n\r\n--${edge}--`
    return send(sampleShop, 'administrator', '/api/upload', body, `multipart/form-data; boundary=${edge}`)
  }
  expect((await upload('abc')).status).toBe(415)
  expect((await upload('abcd')).text).toContain('ファイルの中身がありません')
})

test('rejects an upload whose boundary has more than 70 characters', async () => {
  const sampleShop = await site()
  for (const edge of ['x'.repeat(71), `${'x'.repeat(70)}--`, `"${'x'.repeat(71)}"`]) {
    const line = `--${edge.replaceAll('"', '')}`
    const body = `${line}\r\ncontent-disposition: form-data; name="image"\r\n\r\nbytes\r\n${line}--`
    const type = `multipart/form-data; boundary=${edge}`
    const { status, text } = await send(sampleShop, 'administrator', '/api/upload', body, type)
    expect([edge, status, text]).toEqual([edge, expect.toBeOneOf([400, 415]), expect.stringContaining('ください。')])
  }
})

test('normalises a text of combining marks in linear time', async () => {
  const sampleShop = await site()
  const marks = encodeURIComponent('\u0301'.repeat(20_000) + '\u0323'.repeat(20_000))
  const fields = 'to=shop&subject=a&from=a@example.jp&shownAt=0'
  const write = async () => {
    const response = await send(sampleShop, 'guest', '/mail.data', `${fields}&text=${marks}`)
    expect(response.status).toBeLessThan(500)
  }
  // Sorting all combining marks at once would take three seconds.
  expect(await cpuTimeOf(write)).toBeLessThan(1000)
})

test('accepts a form without a body', async () => {
  const form = await readForm(new Request(origin, { method: 'POST' }), ['title'])
  expect([...form]).toEqual([])
})

test('returns an error sentence when a body has an unsupported content type', async () => {
  const sampleShop = await site()
  const multipart = new FormData()
  multipart.append('email', 'a@example.jp')
  for (const [person, path] of forms) {
    for (const [body, type] of [
      ['{"email":"a@example.jp"}', 'application/json'],
      ['email', 'text/plain'],
      ['email=a', ''],
    ] as const) {
      const response = await send(sampleShop, person, path, body, type || 'x')
      expect(response.status, `${path} ${type}`).toBe(415)
      expect(response.text, path).toContain('この形式ではお受けできません')
    }
  }
  expect((await send(sampleShop, 'guest', '/mail', multipart)).status).toBe(415)
  expect((await send(sampleShop, 'administrator', '/dining/new/add', multipart)).status).toBe(415)
  expect((await send(sampleShop, 'guest', '/access', 'a=1')).status).toBe(405)
  expect(sampleShop.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('limits the body of each form to 64 KB or 512 KB', async () => {
  const sampleShop = await site()
  const [account, texts] = [64 * 1024, 512 * 1024]
  const limits: [Person, string, number][] = [
    ...['/emaillogin', '/signupform.data', '/resetpassword', '/verifyemail', '/logout'].map(
      (path): [Person, string, number] => ['guest', path, account],
    ),
    ['administrator', '/account', account],
    ['administrator', '/backup', account],
    ...['/mail', '/mail.data', '/membercreate', '/dining', '/firestoreservice', '/x/1/edit', '/unknown'].map(
      (path): [Person, string, number] => ['guest', path, texts],
    ),
    ['administrator', '/inbox.data', texts],
    ['approved', '/site', texts],
    ['guest', '/site.data', texts],
    ['administrator', '/calendar', texts],
    ['administrator', '/dining/new/add', texts],
    ['administrator', '/site', texts],
  ]
  for (const [person, path, maxBytes] of limits) {
    expect((await send(sampleShop, person, path, 'x'.repeat(maxBytes))).status, path).not.toBe(413)
    const refused = await send(sampleShop, person, path, 'x'.repeat(maxBytes + 1))
    expect(refused, path).toEqual({ status: 413, text: '送信された内容が大きすぎます。' })
  }
})

test('stops reading a body at the limit', async () => {
  const sampleShop = await site()
  let sent = 0
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        // Ends, so that a missing limit fails the test instead of filling the memory.
        if (sent > 40 * 1024 * 1024) return controller.error(new Error('No limit'))
        sent += 16 * 1024
        controller.enqueue(Buffer.alloc(16 * 1024, 'x'))
      },
    })
  const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
  const init = () => ({ method: 'POST', headers, body: endless(), duplex: 'half' }) as RequestInit
  expect((await sampleShop.as('guest', '/emaillogin', init())).status).toBe(413)
  expect(sent).toBeLessThan(128 * 1024)
  sent = 0
  const withContentLength = { ...init(), headers: { ...headers, 'content-length': String(25 * 1024 * 1024) } }
  expect((await sampleShop.as('guest', '/mail', withContentLength)).status).toBe(413)
  expect(sent).toBeLessThan(64 * 1024)
})

describe('a slow form', () => {
  const slowSite = async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sampleShop = await site()
    // Sends a byte every eight seconds and never ends.
    const sendSlowly = (address: string, size = 1000) => {
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded', 'content-length': `${size}` }
      let sent = 0
      const body = new ReadableStream({
        async pull(controller) {
          if (sent > 0) await new Promise((resolve) => setTimeout(resolve, 8000))
          sent += 1
          controller.enqueue(Buffer.from('a'))
        },
      })
      const env = { incoming: { socket: { remoteAddress: address } } }
      return sampleShop.app.request(
        `${origin}/mail`,
        { method: 'POST', headers, body, duplex: 'half' } as RequestInit,
        env,
      )
    }
    const statusesAfterTimeout = async (pending: (Response | Promise<Response>)[]) => {
      await vi.advanceTimersByTimeAsync(20_000)
      return (await Promise.all(pending)).map(({ status }) => status)
    }
    return { ...sampleShop, sendSlowly, statusesAfterTimeout }
  }

  test('is aborted 20 seconds after its first byte, even if bytes arrive regularly', async () => {
    const { sendSlowly } = await slowSite()
    const pending = sendSlowly('192.0.2.1')
    let ended = false
    void Promise.resolve(pending).then(() => (ended = true))
    await vi.advanceTimersByTimeAsync(19_999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const response = await pending
    expect([response.status, await response.text()]).toEqual([
      408,
      '送信が途中で止まりました。もう一度お試しください。',
    ])
  })

  test('is aborted when its network sends more than a hundred slow forms at once', async () => {
    const { sendSlowly, statusesAfterTimeout } = await slowSite()
    const others = Array.from({ length: 100 }, (_, index) => sendSlowly(`2001:db8:5:6::${index.toString(16)}`))
    const pending = Array.from({ length: 102 }, (_, index) => sendSlowly(`2001:db8:5:5::${index.toString(16)}`))
    expect(await statusesAfterTimeout([...pending, ...others])).toEqual([429, 429, ...Array(200).fill(408)])
  })

  test.each([
    ['ten networks', (index: number) => `192.0.2.${index % 10}`, 1100, 1000, 1000],
    ['a thousand networks', (index: number) => `2001:db8:0:${index.toString(16)}::1`, 1100, 1000, 1024],
    [
      'a hundred networks, each half a megabyte',
      (index: number) => `192.0.2.${index % 100}`,
      200,
      MAX_TEXT_FORM_BYTES,
      128,
    ],
  ])('does not block other visitors when slow forms arrive from %s', async (_, ipOf, count, size, maxForms) => {
    const { sendSlowly, statusesAfterTimeout, ...sampleShop } = await slowSite()
    const pending = Array.from({ length: count }, (_, index) => sendSlowly(ipOf(index), size))
    expect((await send(sampleShop, 'guest', '/mail', 'to=shop&subject=a&text=a&shownAt=0')).status).toBe(302)
    for (let round = 0; round < 20; round += 1) {
      expect((await send(sampleShop, 'guest', '/mail', 'to=shop')).text).toContain('件名を入力してください')
      pending.push(sendSlowly(ipOf(round), size))
    }
    // Only the newest forms continue, up to the memory limit for forms.
    const statuses = await statusesAfterTimeout(pending)
    expect(statuses.slice(-20)).toEqual(Array(20).fill(408))
    const stayed = statuses.filter((status) => status === 408).length
    expect(stayed).toBeLessThanOrEqual(maxForms)
    expect(stayed).toBeGreaterThan(maxForms * 0.9)
  })
})

test('rejects malformed requests over a real connection, and logs one line for each request', async () => {
  const { app, logged } = await site()
  const { server, port } = await listenLocally(app)
  onTestFinished(() => void server.close())
  const requests = { begun: 0 }
  server.on('request', () => (requests.begun += 1))
  const host = `localhost:${port}`
  const sendLines = async (...lines: string[]) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      socket.end()
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await once(socket, 'close')
    return received.split('\r\n', 1)[0]
  }
  const error = vi.spyOn(console, 'error')
  onTestFinished(() => error.mockRestore())
  expect(await sendLines('TRACE / HTTP/1.1', `Host: ${host}`)).toContain('405')
  expect(await sendLines('PROPFIND /mail HTTP/1.1', `Host: ${host}`)).toContain('405')
  expect(await sendLines(`GET http://user:pw@${host}/ HTTP/1.1`, `Host: ${host}`)).toContain('400')
  expect(await sendLines('GET /%E0%A4%A HTTP/1.1', `Host: ${host}`)).toContain('400')
  expect(await sendLines('GET /%zz/x.data?_routes=%zz HTTP/1.1', `Host: ${host}`)).toContain('400')
  const form = ['POST /mail HTTP/1.1', `Host: ${host}`, 'Content-Type: application/x-www-form-urlencoded']
  const aborted = connect(port, '127.0.0.1')
  aborted.write(`${[...form, `Origin: http://${host}`, 'Content-Length: 100'].join('\r\n')}\r\n\r\nto=sho`)
  await vi.waitUntil(() => requests.begun === 6, WAIT_OPTIONS)
  aborted.resetAndDestroy()
  await vi.waitUntil(() => logged.length === 6, WAIT_OPTIONS)
  expect(logged.map(({ msg, status }) => [msg, status])).toEqual(
    [405, 405, 400, 400, 400, 400].map((status) => ['request', status]),
  )
  expect(error).not.toHaveBeenCalled()
})

onEachEngine((fresh) => {
  test('rejects a reorder of 250,000 cards before locking a row', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const ids = ','.repeat(250_000)
    const reorder = async () => {
      const { status } = await send(
        sampleShop,
        'administrator',
        '/dining.data',
        `intent=reorder&seen=${ids}&wanted=${ids}`,
      )
      expect(status).toBe(409)
    }
    expect(await cpuTimeOf(reorder)).toBeLessThan(1000)
  })

  test('handles malformed dates, IDs and idempotency keys without an internal error', async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const day = { selectedYear: 2026, selectedMonth: 1, selectedDay: 1 }
    for (const [name, message] of [
      ['tennisrelated', { title: '汁', content: '汁', ...day, selectedMonth: { toString: 1 } }],
      ['bussinessDaysSpecial', { reason: '臨時休業', ...day, selectedDay: { toString: 1 } }],
    ] as const) {
      const response = await sampleShop.as('administrator', `/api/collections/${name}`, jsonCall(message))
      expect([name, response.status]).toEqual([name, 400])
    }
    const on = await send(sampleShop, 'administrator', '/inbox', 'deed=send+on&message=%E3%81%82%FF')
    expect(on.status).toBe(200)

    const key = 'once=k'
    const card = 'intent=add&title=a&content=b&price=1'
    const dishes = await listCards(sampleShop.db, 'dining', { drafts: true })
    const seen = dishes.map(({ id }) => id)
    const moving = `intent=reorder&seen=${seen}&wanted=${seen.toReversed()}&${key}`
    expect((await send(sampleShop, 'administrator', '/dining', moving)).status).toBe(200)
    const add = (title: string) =>
      send(sampleShop, 'administrator', '/dining/new/add', `${card}&imageAlt=${title}&${key}`)
    const statuses = [(await add('1')).status, (await add('1')).status, (await add('2')).status]
    expect(statuses).toEqual([302, 302, 409])
    expect(await sampleShop.db.selectFrom('cards').select('title').where('title', '=', 'a').execute()).toHaveLength(1)
    expect(sampleShop.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})
