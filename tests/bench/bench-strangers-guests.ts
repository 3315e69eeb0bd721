// Child process that generates the kind of traffic named in a message from its parent: uncacheable requests without
// pauses, an ordinary evening of guests and members, or an attack.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export type Guests = {
  port: number
  guests: number
  seconds: number
  kind: keyof typeof requestsOf | 'slow forms'
  /** Pause of each guest between two requests, in milliseconds. */
  pauseMs: number
  /** Session cookies of the signed-in guests. */
  cookies: string[]
}
/** Number of responses by status. Status 0 means no response. */
export type StatusCounts = Record<string, number>

process.once('message', async (options: Guests) => {
  const statuses: StatusCounts = {}
  const until = performance.now() + options.seconds * 1000
  await Promise.all(Array.from({ length: options.guests }, (_, index) => sendRequests(index, options, until, statuses)))
  process.send?.(statuses)
})
process.once('disconnect', () => process.exit())

// Sends one byte of a form every 8 to 15 seconds. A hundred connections come from each network. Reopens each connection
// that ends.
async function sendSlowly(index: number, { port }: Guests, until: number, statuses: StatusCounts) {
  const head = `POST /mail HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: http://127.0.0.1:${port}\r\n`
  const type = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 60000\r\n\r\n'
  while (performance.now() < until) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + Math.floor(index / 100)}` })
    let status = 0
    socket.on('error', () => {}).on('data', (bytes) => (status ||= Number(/^HTTP\S+ (\d+)/.exec(String(bytes))?.[1])))
    const drip = () => socket.write('a')
    const dripping = setInterval(drip, 8000 + Math.random() * 7000)
    const closing = setTimeout(() => socket.destroy(), until - performance.now())
    socket.write(head + type)
    await once(socket, 'close')
    clearInterval(dripping)
    clearTimeout(closing)
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}

async function sendRequests(index: number, options: Guests, until: number, statuses: StatusCounts) {
  const { port, kind, pauseMs, cookies } = options
  if (kind === 'slow forms') return sendSlowly(index, options, until, statuses)
  // Each guest uses a separate network, as long as loopback addresses are available.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 1,
    localAddress: `127.0.${1 + (index >> 7)}.${1 + (index & 127)}`,
  })
  for (let count = index; performance.now() < until; count += 1) {
    const status = await sendOnce(
      agent,
      port,
      requestsOf[kind][count % requestsOf[kind].length] as RequestFactory,
      cookies[index],
    )
    statuses[status] = (statuses[status] ?? 0) + 1
    if (pauseMs > 0) await wait(pauseMs * (0.5 + Math.random()))
  }
  agent.destroy()
}

const randomWord = () => Math.random().toString(36).slice(2)
const randomYear = () => 2025 + Math.floor(Math.random() * 75)
const randomMonth = () => String(1 + Math.floor(Math.random() * 12)).padStart(2, '0')

function randomSteps() {
  const codes = Array.from({ length: 150 }, () => 1 + Math.floor(Math.random() * 60))
  return ['fzk', ...codes.map((code) => code.toString(36))].join('.')
}

type RequestFactory = () => { path: string; form?: Record<string, string> | string; type?: string }
const strangers: RequestFactory[] = [
  () => ({ path: `/login?problem=${randomWord()}` }),
  () => ({ path: `/calendar?month=${randomYear()}-${randomMonth()}` }),
  () => ({ path: `/calendar.data?month=${randomYear()}-${randomMonth()}` }),
  () => ({ path: `/calendar?month=${randomWord()}&in=${randomWord()}` }),
  () => ({ path: `/tennisrelated/${randomWord()}/show` }),
  () => ({ path: `/${randomWord()}/${randomWord()}` }),
  () => ({ path: `/dining/${randomWord()}/edit` }),
  () => ({ path: `/membercreate?step=${randomWord()}` }),
  () => ({ path: `/fonts/heading.woff2?steps=${randomSteps()}` }),
  () => ({ path: '/mail', form: { to: 'shop', subject: randomWord(), text: randomWord().repeat(50), shownAt: '0' } }),
  () => ({ path: '/emaillogin', form: { email: `${randomWord()}@example.jp`, password: randomWord() } }),
  () => ({ path: '/signupform.data', form: { email: randomWord(), name: randomWord(), password: randomWord() } }),
]

const ordinary: RequestFactory[] = [
  ...[
    '/',
    '/infomation',
    '/dining',
    '/access',
    '/calendar',
    '/tennisrelated',
    '/videoproduction',
    '/vbacreate',
  ].flatMap((path): RequestFactory[] => [
    () => ({ path }),
    () => ({ path: path === '/' ? '/_.data' : `${path}.data` }),
  ]),
  () => ({ path: `/calendar?month=2026-${randomMonth()}` }),
  () => ({ path: '/memberlist' }),
  () => ({ path: '/account' }),
  () => ({ path: '/mail' }),
  () => ({ path: '/login' }),
  () => ({ path: '/membercreate' }),
  () => ({ path: '/art/story-alley-1280.jpg' }),
  () => ({ path: '/calendar.ics' }),
  () => ({ path: '/mail', form: { to: 'shop', subject: '予約', text: randomWord().repeat(20), shownAt: '0' } }),
  () => ({ path: '/membercreate', form: { step: '1', intent: 'keep', username: randomWord(), email: 'a@example.jp' } }),
]

const manyNames = Array.from({ length: 90_000 }, (_, index) => index.toString(36)).join('&')
const manyFields: RequestFactory[] = [
  () => ({ path: '/mail', form: 'a&'.repeat(250_000) }),
  () => ({ path: '/memberlist.data', form: manyNames }),
  () => ({ path: '/undo', form: 'a&'.repeat(32_000) }),
  () => ({ path: '/invitation.data', form: manyNames.slice(0, 64_000) }),
]
const manyParts = `${'--edge\r\n\r\n\r\n'.repeat(2_000_000)}--edge--`
const type = 'multipart/form-data; boundary=edge'

const requestsOf = {
  strangers,
  ordinary,
  'many slashes': [() => ({ path: `/a${'/'.repeat(15_500)}b/` })],
  'many fields': manyFields,
  'many parts': [() => ({ path: '/dining/new/add.data', form: manyParts, type })],
  'silent Google': [() => ({ path: '/login/google' })],
} satisfies Record<string, RequestFactory[]>

function sendOnce(agent: Agent, port: number, createRequest: RequestFactory, cookie = '') {
  const { path, form, type = 'application/x-www-form-urlencoded' } = createRequest()
  const origin = `http://127.0.0.1:${port}`
  const bodyHeaders = form ? { origin, 'content-type': type } : { 'accept-encoding': 'br' }
  const headers = { ...bodyHeaders, ...(cookie && { cookie }) }
  return new Promise<number>((resolve) => {
    const sent = request(
      { agent, port, host: '127.0.0.1', path, method: form ? 'POST' : 'GET', headers },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', () => resolve(0))
    sent.end(typeof form === 'object' ? new URLSearchParams(form).toString() : form)
  })
}
