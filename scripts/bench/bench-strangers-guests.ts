// A process of its own, told by its parent where to ask: strangers who ask for what has to be made, as fast as they can, or
// an ordinary evening of guests and members.
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export type Guests = {
  port: number
  guests: number
  seconds: number
  kind: 'strangers' | 'ordinary'
  /** How long each thinks before it asks again. */
  pauseMs: number
  /** Of those who are signed in. */
  cookies: string[]
}
/** How many answers of each status; 0 is none at all. */
export type Answered = Record<string, number>

process.once('message', async (wanted: Guests) => {
  const answered: Answered = {}
  const until = performance.now() + wanted.seconds * 1000
  await Promise.all(Array.from({ length: wanted.guests }, (_, index) => ask(index, wanted, until, answered)))
  process.send?.(answered)
})
process.once('disconnect', () => process.exit())

async function ask(index: number, { port, kind, pauseMs, cookies }: Guests, until: number, answered: Answered) {
  // Each from a network of its own, as far as the loopback has them.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 1,
    localAddress: `127.0.${1 + (index >> 7)}.${1 + (index & 127)}`,
  })
  for (let count = index; performance.now() < until; count += 1) {
    const status = await one(
      agent,
      port,
      questionsOf[kind][count % questionsOf[kind].length] as Question,
      cookies[index],
    )
    answered[status] = (answered[status] ?? 0) + 1
    if (pauseMs > 0) await wait(pauseMs * (0.5 + Math.random()))
  }
  agent.destroy()
}

const word = () => Math.random().toString(36).slice(2)
const someYear = () => 2025 + Math.floor(Math.random() * 75)
const someMonth = () => String(1 + Math.floor(Math.random() * 12)).padStart(2, '0')

function steps() {
  const codes = Array.from({ length: 150 }, () => 1 + Math.floor(Math.random() * 60))
  return ['fzk', ...codes.map((code) => code.toString(36))].join('.')
}

type Question = () => { path: string; form?: Record<string, string> }
const strangers: Question[] = [
  () => ({ path: `/login?problem=${word()}` }),
  () => ({ path: `/calendar?month=${someYear()}-${someMonth()}` }),
  () => ({ path: `/calendar.data?month=${someYear()}-${someMonth()}` }),
  () => ({ path: `/calendar?month=${word()}&in=${word()}` }),
  () => ({ path: `/tennisrelated/${word()}/show` }),
  () => ({ path: `/${word()}/${word()}` }),
  () => ({ path: `/dining/${word()}/edit` }),
  () => ({ path: `/membercreate?step=${word()}` }),
  () => ({ path: `/fonts/heading.woff2?steps=${steps()}` }),
  () => ({ path: '/mail', form: { to: 'shop', subject: word(), text: word().repeat(50), shownAt: '0' } }),
  () => ({ path: '/emaillogin', form: { email: `${word()}@example.jp`, password: word() } }),
  () => ({ path: '/signupform.data', form: { email: word(), name: word(), password: word() } }),
]

const ordinary: Question[] = [
  ...[
    '/',
    '/infomation',
    '/dining',
    '/access',
    '/calendar',
    '/tennisrelated',
    '/videoproduction',
    '/vbacreate',
  ].flatMap((path): Question[] => [() => ({ path }), () => ({ path: path === '/' ? '/_.data' : `${path}.data` })]),
  () => ({ path: `/calendar?month=2026-${someMonth()}` }),
  () => ({ path: '/memberlist' }),
  () => ({ path: '/account' }),
  () => ({ path: '/mail' }),
  () => ({ path: '/login' }),
  () => ({ path: '/membercreate' }),
  () => ({ path: '/art/story-alley-1280.jpg' }),
  () => ({ path: '/calendar.ics' }),
  () => ({ path: '/mail', form: { to: 'shop', subject: '予約', text: word().repeat(20), shownAt: '0' } }),
  () => ({ path: '/membercreate', form: { step: '1', intent: 'keep', username: word(), email: 'a@example.jp' } }),
]
const questionsOf = { strangers, ordinary }

function one(agent: Agent, port: number, question: Question, cookie = '') {
  const { path, form } = question()
  const origin = `http://127.0.0.1:${port}`
  const about = form ? { origin, 'content-type': 'application/x-www-form-urlencoded' } : { 'accept-encoding': 'br' }
  const headers = { ...about, ...(cookie && { cookie }) }
  return new Promise<number>((resolve) => {
    const sent = request(
      { agent, port, host: '127.0.0.1', path, method: form ? 'POST' : 'GET', headers },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', () => resolve(0))
    sent.end(form && new URLSearchParams(form).toString())
  })
}
