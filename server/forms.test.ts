import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listCards } from '../app/cards/cards.server.ts'
import { TEXT_FORM } from '../app/platform/body.server.ts'
import { readForm } from '../app/platform/form.server.ts'
import { onEachEngine } from '../db/testing.ts'
import { cpuTimeOf, jsonCall, listenHere, sampleSite } from './testing.ts'
import type { Person } from './tools/demo.ts'

const site = async () => {
  const made = await sampleSite()
  await made.people()
  return made
}
type Site = Awaited<ReturnType<typeof site>>

const origin = 'http://localhost'
const ofGuests = ['/mail', '/emaillogin', '/signupform', '/resetpassword', '/verifyemail', '/membercreate']
const ofAdministrators = [
  ...['/inbox', '/site', '/today', '/bussinessdays', '/bin', '/calendar', '/memberlist', '/home', '/dining'],
  '/firestoreservice?databasename=dining',
]
const forms = [
  ...ofGuests.map((path): [Person, string] => ['guest', path]),
  ...ofAdministrators.map((path): [Person, string] => ['administrator', path]),
]

async function send({ as }: Site, person: Person, path: string, body: string | FormData, type?: string) {
  const headers = { origin, 'content-type': type ?? 'application/x-www-form-urlencoded' }
  const { ...others } = typeof body === 'string' || type ? { headers } : { headers: { origin } }
  const answer = await as(person, path, { method: 'POST', body, ...others })
  return { status: answer.status, text: await answer.text() }
}

const deep = (times: number) => `x${'[y]'.repeat(times)}=1&z${'.z'.repeat(times)}=1`
const strange = [
  'x[300000]=1',
  'x[99999999]=1&email[99999999]=1&subject[99999999]=1&text[0][99999999]=1',
  deep(3000),
  '__intent__=reset&__intent__=1',
  '__state__={',
  '__state__=%7B%22key%22%3A%7B%7D%7D',
  '__proto__=1&__proto__[admin]=1&constructor.prototype=1&toString=1',
  'x=1&'.repeat(900),
]

test('a field is read once, one of several as often as there can be', async () => {
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
  test('what a form has no field for does not exist', { timeout: 30_000 }, async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    for (const [person, path] of forms) {
      const [page = '', query = ''] = path.split('?')
      const data = `${page}.data${query && `?${query}`}`
      const nothing = await send(made, person, data, '')
      expect([200, 202, 400, 401, 403, 404, 409, 410], data).toContain(nothing.status)
      for (const body of strange)
        expect(await send(made, person, data, body), `${data} ${body.slice(0, 60)}`).toEqual(nothing)
    }
    expect(made.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

test('a field that comes often is read as often as the form has it', async () => {
  const made = await site()
  const twice = await send(made, 'guest', '/mail.data', 'to=shop&to=circle&subject=a&subject=b&from=not+an+address')
  expect(twice.status).toBe(400)
  expect(twice.text).toContain('"a"')
  expect(twice.text).not.toContain('"b"')
  const often = await send(made, 'guest', '/mail.data', `${'subject=a&'.repeat(999)}to=shop`)
  expect(often).toMatchObject({ status: 400 })
  expect(often.text.length).toBeLessThan(2000)
})

test.each([
  ['fields', 'subject=a&'.repeat(1000)],
  ['separators', 'a&'.repeat(250_000)],
  ['names', Array.from({ length: 90_000 }, (_, index) => index.toString(36)).join('&')],
])('refuses a form of too many %s before parsing it', async (_, body) => {
  const made = await site()
  for (const path of ['/mail', '/mail.data', '/memberlist', '/membercreate.data']) {
    const { status, text } = await send(made, 'guest', path, body)
    expect(status, path).toBe(413)
    expect(text, path).toContain('送信された項目が多すぎます。')
  }
  // Where people say who they are, half as much would be too large.
  for (const path of ['/undo', '/invitation.data'])
    expect((await send(made, 'guest', path, body.slice(0, 64 * 1024))).status, path).toBe(413)
})

test('counts the separators of forms alone', async () => {
  const made = await site()
  const given = { to: 'shop', subject: 'a', text: '&'.repeat(2000) }
  const answer = await send(made, 'guest', '/api/mail', JSON.stringify(given), 'application/json')
  expect(answer).toMatchObject({ status: 200 })
})

test('refuses an upload of more than 100 parts', async () => {
  const made = await site()
  const part = (name: string, value = '') =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const sent = (parts: string) =>
    send(made, 'administrator', '/api/upload', `${parts}--edge--`, 'multipart/form-data; boundary=edge')
  expect((await sent(part('note').repeat(99) + part('image'))).text).toContain('ファイルの中身がありません')
  for (const parts of [part('note').repeat(100) + part('image'), '--edge\r\n\r\n\r\n'.repeat(20_000)]) {
    const refused = await sent(parts)
    expect(refused.status).toBe(400)
    expect(refused.text).not.toContain('ファイルの中身がありません')
  }
})

test('refuses an upload whose boundary has fewer than four characters', async () => {
  const made = await site()
  const upload = (edge: string) => {
    const body = `--${edge}\r\ncontent-disposition: form-data; name="image"\r\n\r\n\r\n--${edge}--`
    return send(made, 'administrator', '/api/upload', body, `multipart/form-data; boundary=${edge}`)
  }
  expect((await upload('abc')).status).toBe(415)
  expect((await upload('abcd')).text).toContain('ファイルの中身がありません')
})

test('composes a text of combining marks in linear time', async () => {
  const made = await site()
  const marks = encodeURIComponent('\u0301'.repeat(20_000) + '\u0323'.repeat(20_000))
  const fields = 'to=shop&subject=a&from=a@example.jp&shownAt=0'
  const write = async () => {
    const answer = await send(made, 'guest', '/mail.data', `${fields}&text=${marks}`)
    expect(answer.status).toBeLessThan(500)
  }
  // Sorted at once they need three seconds.
  expect(await cpuTimeOf(write)).toBeLessThan(1000)
})

test('accepts a form without a body', async () => {
  const form = await readForm(new Request(origin, { method: 'POST' }), ['title'])
  expect([...form]).toEqual([])
})

test('what is no form is refused with a sentence', async () => {
  const made = await site()
  const multipart = new FormData()
  multipart.append('email', 'a@example.jp')
  for (const [person, path] of forms) {
    for (const [body, type] of [
      ['{"email":"a@example.jp"}', 'application/json'],
      ['email', 'text/plain'],
      ['email=a', ''],
    ] as const) {
      const answer = await send(made, person, path, body, type || 'x')
      expect(answer.status, `${path} ${type}`).toBe(415)
      expect(answer.text, path).toContain('この形式ではお受けできません')
    }
  }
  expect((await send(made, 'guest', '/mail', multipart)).status).toBe(415)
  expect((await send(made, 'administrator', '/dining/new/add', multipart)).status).toBe(415)
  expect((await send(made, 'guest', '/access', 'a=1')).status).toBe(405)
  expect(made.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('each form takes what it needs and no more', async () => {
  const made = await site()
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
  for (const [person, path, most] of limits) {
    expect((await send(made, person, path, 'x'.repeat(most))).status, path).not.toBe(413)
    const refused = await send(made, person, path, 'x'.repeat(most + 1))
    expect(refused, path).toEqual({ status: 413, text: '送信された内容が大きすぎます。' })
  }
})

test('what comes after the limit is not read', async () => {
  const made = await site()
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
  expect((await made.as('guest', '/emaillogin', init())).status).toBe(413)
  expect(sent).toBeLessThan(128 * 1024)
  sent = 0
  const said = { ...init(), headers: { ...headers, 'content-length': String(25 * 1024 * 1024) } }
  expect((await made.as('guest', '/mail', said)).status).toBe(413)
  expect(sent).toBeLessThan(64 * 1024)
})

describe('a slow form', () => {
  const slowSite = async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const made = await site()
    // Sends a byte every eight seconds and never ends.
    const drip = (address: string, size = 1000) => {
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
      return made.app.request(`${origin}/mail`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit, env)
    }
    const statusesAfterAll = async (going: (Response | Promise<Response>)[]) => {
      await vi.advanceTimersByTimeAsync(20_000)
      return (await Promise.all(going)).map(({ status }) => status)
    }
    return { ...made, drip, statusesAfterAll }
  }

  test('is ended 20 seconds after its first byte, however regularly its bytes come', async () => {
    const { drip } = await slowSite()
    const going = drip('192.0.2.1')
    let ended = false
    void Promise.resolve(going).then(() => (ended = true))
    await vi.advanceTimersByTimeAsync(19_999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const answer = await going
    expect([answer.status, await answer.text()]).toEqual([408, '送信が途中で止まりました。もう一度お試しください。'])
  })

  test('gives way to a newer one of its network, of which a hundred may be on their way', async () => {
    const { drip, statusesAfterAll } = await slowSite()
    const others = Array.from({ length: 100 }, (_, index) => drip(`2001:db8:5:6::${index.toString(16)}`))
    const going = Array.from({ length: 102 }, (_, index) => drip(`2001:db8:5:5::${index.toString(16)}`))
    expect(await statusesAfterAll([...going, ...others])).toEqual([429, 429, ...Array(200).fill(408)])
  })

  test.each([
    ['ten networks', (index: number) => `192.0.2.${index % 10}`, 1000, 1000],
    ['a thousand networks', (index: number) => `2001:db8:0:${index.toString(16)}::1`, 1000, 1024],
    ['a hundred networks, each half a megabyte', (index: number) => `192.0.2.${index % 100}`, TEXT_FORM, 128],
  ])('keeps nobody out when they come from %s', async (_, addressOf, size, places) => {
    const { drip, statusesAfterAll, ...made } = await slowSite()
    const going = Array.from({ length: 1100 }, (_, index) => drip(addressOf(index), size))
    expect((await send(made, 'guest', '/mail', 'to=shop&subject=a&text=a&shownAt=0')).status).toBe(302)
    for (let turn = 0; turn < 20; turn += 1) {
      expect((await send(made, 'guest', '/mail', 'to=shop')).text).toContain('件名を入力してください')
      going.push(drip(addressOf(turn), size))
    }
    // The newest stay, as many as the memory for forms holds.
    const statuses = await statusesAfterAll(going)
    expect(statuses.slice(-20)).toEqual(Array(20).fill(408))
    const stayed = statuses.filter((status) => status === 408).length
    expect(stayed).toBeLessThanOrEqual(places)
    expect(stayed).toBeGreaterThan(places * 0.9)
  })
})

test('what a browser would not send is refused over a real connection too, in one line of the log each', async () => {
  const { app, logged } = await site()
  const { server, port } = await listenHere(app)
  onTestFinished(() => void server.close())
  const requests = { begun: 0 }
  server.on('request', () => (requests.begun += 1))
  const host = `localhost:${port}`
  const say = async (...lines: string[]) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk
      socket.end()
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await once(socket, 'close')
    return heard.split('\r\n', 1)[0]
  }
  const error = vi.spyOn(console, 'error')
  onTestFinished(() => error.mockRestore())
  expect(await say('TRACE / HTTP/1.1', `Host: ${host}`)).toContain('405')
  expect(await say('PROPFIND /mail HTTP/1.1', `Host: ${host}`)).toContain('405')
  expect(await say(`GET http://user:pw@${host}/ HTTP/1.1`, `Host: ${host}`)).toContain('400')
  expect(await say('GET /%E0%A4%A HTTP/1.1', `Host: ${host}`)).toContain('400')
  expect(await say('GET /%zz/x.data?_routes=%zz HTTP/1.1', `Host: ${host}`)).toContain('400')
  const form = ['POST /mail HTTP/1.1', `Host: ${host}`, 'Content-Type: application/x-www-form-urlencoded']
  const cut = connect(port, '127.0.0.1')
  cut.write(`${[...form, `Origin: http://${host}`, 'Content-Length: 100'].join('\r\n')}\r\n\r\nto=sho`)
  await vi.waitUntil(() => requests.begun === 6)
  cut.resetAndDestroy()
  await vi.waitUntil(() => logged.length === 6)
  expect(logged.map(({ msg, status }) => [msg, status])).toEqual(
    [405, 405, 400, 400, 400, 400].map((status) => ['request', status]),
  )
  expect(error).not.toHaveBeenCalled()
})

onEachEngine((fresh) => {
  test('refuses a new order of 250,000 cards before a row is locked', async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const ids = ','.repeat(250_000)
    const arrange = async () => {
      const { status } = await send(made, 'administrator', '/dining.data', `intent=reorder&seen=${ids}&wanted=${ids}`)
      expect(status).toBe(409)
    }
    expect(await cpuTimeOf(arrange)).toBeLessThan(1000)
  })

  test('parts of a date that are no text, an id that no header can hold and a key of another form are refused as others are', async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const day = { selectedYear: 2026, selectedMonth: 1, selectedDay: 1 }
    for (const [name, given] of [
      ['tennisrelated', { title: '汁', content: '汁', ...day, selectedMonth: { toString: 1 } }],
      ['bussinessDaysSpecial', { reason: '臨時休業', ...day, selectedDay: { toString: 1 } }],
    ] as const) {
      const answer = await made.as('administrator', `/api/collections/${name}`, jsonCall(given))
      expect([name, answer.status]).toEqual([name, 400])
    }
    const on = await send(made, 'administrator', '/inbox', 'deed=send+on&message=%E3%81%82%FF')
    expect(on.status).toBe(200)

    const key = 'once=k'
    const card = 'intent=add&title=a&content=b&price=1'
    const dishes = await listCards(made.db, 'dining', { drafts: true })
    const seen = dishes.map(({ id }) => id)
    const moving = `intent=reorder&seen=${seen}&wanted=${seen.toReversed()}&${key}`
    expect((await send(made, 'administrator', '/dining', moving)).status).toBe(200)
    const add = (title: string) => send(made, 'administrator', '/dining/new/add', `${card}&imageAlt=${title}&${key}`)
    expect([(await add('1')).status, (await add('2')).status]).toEqual([302, 302])
    expect(await made.db.selectFrom('cards').select('title').where('title', '=', 'a').execute()).toHaveLength(1)
    expect(made.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})
