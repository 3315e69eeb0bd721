import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Notification } from './subscription.ts'

// These tests wait only for events that arrive at once, so a long timeout would not help.
vi.setConfig({ testTimeout: 10_000 })

const SECOND = 1000

/** Fake EventSource on which a test delivers messages. */
class Stream {
  static opened: Stream[] = []
  static awaited: (() => void)[] = []
  isClosed = false
  onmessage: (event: { data: string; lastEventId: string }) => void = () => {}
  onerror = () => {}
  readonly url: string
  constructor(url: string) {
    this.url = url
    Stream.opened.push(this)
    for (const came of Stream.awaited.splice(0)) came()
  }
  says(lastEventId: string, data = '') {
    this.onmessage({ data, lastEventId })
  }
  close() {
    this.isClosed = true
  }
}

/** Resolves to the next stream that a tab opens. */
const opening = async () => {
  await new Promise<void>((resolve) => Stream.awaited.push(resolve))
  return Stream.opened.at(-1) as Stream
}

type Missed = { id: string; topics: string[]; room: boolean }

/** Fake poll request. The test sends its response, if any. */
class Question {
  static asked: Question[] = []
  readonly since: string
  readonly signal: AbortSignal
  private readonly answered = Promise.withResolvers<Response>()
  constructor(url: string, { headers, signal }: RequestInit) {
    this.since = /^\/api\/live\?since=(.*)$/.exec(url)?.[1] ?? url
    this.signal = signal as AbortSignal
    expect(headers).toEqual({ accept: 'application/json' })
    this.signal.addEventListener('abort', () => this.answered.reject(this.signal.reason))
    Question.asked.push(this)
  }
  static ask = (url: string, init: RequestInit) => new Question(url, init).answered.promise
  /** Sends a response and resolves after the page has processed it. */
  async answer(answer: Missed | number | 'gone') {
    if (answer === 'gone') this.answered.reject(new TypeError('Failed to fetch'))
    else if (typeof answer === 'number') this.answered.resolve(Response.json({}, { status: answer }))
    else this.answered.resolve(Response.json(answer))
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const lastQuestion = () => Question.asked.at(-1) as Question

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('fetch', Question.ask)
  Stream.opened = []
  Question.asked = []
})
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

let tabs = 0

/** Opens a browser tab with its own module instance and document. Locks and channels are shared by all tabs. */
async function openTab() {
  tabs += 1
  const { subscribe, freshSince }: typeof import('./subscription.ts') = await import(
    /* @vite-ignore */ `./subscription.ts?tab=${tabs}`
  )
  const document = Object.assign(new EventTarget(), { hidden: false })
  const inTab = <T>(act: () => T) => {
    vi.stubGlobal('document', document)
    return act()
  }
  return {
    freshSince,
    /** Renders a page with the data of `lastChange`. `heard` has its notifications; `next()` resolves to the next one. */
    show(lastChange: string) {
      const heard: Notification[] = []
      const waiting: ((news: Notification) => void)[] = []
      const leave = inTab(() =>
        subscribe(lastChange, (topics) => {
          heard.push(topics)
          waiting.shift()?.(topics)
        }),
      )
      closing.push(
        () => inTab(leave),
        () => inTab(() => vi.advanceTimersByTime(0)),
      )
      return { heard, leave, next: () => new Promise<Notification>((resolve) => waiting.push(resolve)) }
    },
    see(seen: boolean) {
      inTab(() => {
        document.hidden = !seen
        document.dispatchEvent(new Event('visibilitychange'))
      })
    },
  }
}

/** Opens a tab with a page whose data is from a change. Returns the tab, the page and the opened stream. */
async function shown(change: string) {
  const tab = await openTab()
  const first = opening()
  const page = tab.show(change)
  return { tab, page, stream: await first }
}

describe('live subscription', () => {
  test('notifies a page of changes after its data, and dates the data by the last message', async () => {
    const { tab, page, stream } = await shown('a-1')
    expect(stream.url).toBe('/api/live?since=a-1')
    stream.says('a-1')
    expect(page.heard).toEqual([])
    vi.advanceTimersByTime(20 * SECOND)
    stream.says('a-3', 'dining,events')
    expect(page.heard).toEqual([['dining', 'events']])
    expect(tab.freshSince()).toBe(Date.now())
    vi.advanceTimersByTime(10 * SECOND)
    expect(tab.freshSince()).toBe(Date.now() - 10 * SECOND)
  })

  test('replaces a stream that is silent for fifty seconds, from the last received change', async () => {
    const tab = await openTab()
    const first = opening()
    tab.show('a-1')
    const stream = await first
    vi.advanceTimersByTime(49 * SECOND)
    stream.says('a-2', 'dining')
    vi.advanceTimersByTime(49 * SECOND)
    stream.says('a-2')
    vi.advanceTimersByTime(50 * SECOND - 1)
    expect(stream.isClosed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(stream.isClosed).toBe(true)
    vi.advanceTimersByTime(2 * SECOND)
    expect(Stream.opened.map(({ url }) => url)).toEqual(['/api/live?since=a-1', '/api/live?since=a-2'])
    // A stream that never sends a message is replaced too.
    vi.advanceTimersByTime(50 * SECOND)
    expect(Stream.opened[1]?.isClosed).toBe(true)
  })

  test('polls an unreachable server with a backoff of up to a minute and reconnects when it responds', async () => {
    const { page, stream } = await shown('a-1')
    stream.says('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(Stream.opened).toHaveLength(2)
    Stream.opened[1]?.onerror()
    for (const pause of [2, 4, 8, 16, 32, 50, 50]) {
      const [count, failedAt] = [Question.asked.length, Date.now()]
      vi.advanceTimersToNextTimer()
      expect(Question.asked).toHaveLength(count + 1)
      expect(Date.now() - failedAt).toBeGreaterThanOrEqual(pause * SECOND)
      expect(Date.now() - failedAt).toBeLessThanOrEqual(Math.min(2 * pause, 70) * SECOND)
      await lastQuestion().answer(pause === 8 ? 502 : 'gone')
    }
    expect([page.heard, Stream.opened.length]).toEqual([[], 2])
    vi.advanceTimersToNextTimer()
    await lastQuestion().answer({ id: 'b-0', topics: ['dining', 'events'], room: true })
    expect(page.heard).toEqual([['dining', 'events']])
    expect(Stream.opened.map(({ url }) => url).slice(2)).toEqual(['/api/live?since=b-0'])
    Stream.opened[2]?.says('b-0')
    Stream.opened[2]?.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(Stream.opened).toHaveLength(4)
  })

  test('polls every minute until the server has a free stream', async () => {
    const { tab, page, stream } = await shown('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(Question.asked.map(({ since }) => since)).toEqual(['a-1'])
    await lastQuestion().answer({ id: 'a-2', topics: ['dining'], room: false })
    expect(page.heard).toEqual([['dining']])
    expect(tab.freshSince()).toBe(Date.now())

    for (const minute of [2, 3, 4]) {
      vi.advanceTimersByTime(50 * SECOND - 1)
      expect(Question.asked).toHaveLength(minute - 1)
      vi.advanceTimersByTime(20 * SECOND + 1)
      expect(Question.asked).toHaveLength(minute)
      await lastQuestion().answer({ id: 'a-2', topics: [], room: false })
      expect(tab.freshSince()).toBe(Date.now())
    }
    expect([page.heard, Stream.opened.length]).toEqual([[['dining']], 1])

    vi.advanceTimersByTime(70 * SECOND)
    await lastQuestion().answer({ id: 'a-4', topics: ['events', 'site'], room: true })
    expect(page.heard).toEqual([['dining'], ['events', 'site']])
    expect(Stream.opened[1]?.url).toBe('/api/live?since=a-4')
    // Another client took the free stream, so the page polls again after a minute.
    Stream.opened[1]?.onerror()
    vi.advanceTimersByTime(50 * SECOND - 1)
    expect(Question.asked).toHaveLength(5)
    vi.advanceTimersByTime(20 * SECOND + 1)
    expect(Question.asked.map(({ since }) => since)).toEqual(['a-1', 'a-2', 'a-2', 'a-2', 'a-2', 'a-4'])
    expect(Stream.opened).toHaveLength(2)
  })

  test('aborts a poll after fifty seconds without a response', async () => {
    const tab = await openTab()
    const first = opening()
    tab.show('a-1')
    const stream = await first
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    const [unanswered] = Question.asked
    vi.advanceTimersByTime(47 * SECOND)
    expect(unanswered?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(unanswered?.signal.aborted).toBe(true)
    vi.advanceTimersByTime(4 * SECOND)
    expect(Question.asked).toHaveLength(2)
  })

  test('polls in one of two tabs and notifies both', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = opening()
    one.show('a-1')
    const stream = await first
    const there = two.show('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(Question.asked).toHaveLength(1)
    const passed = there.next()
    await lastQuestion().answer({ id: 'a-2', topics: ['dining'], room: false })
    expect(await passed).toEqual(['dining'])
    vi.advanceTimersByTime(70 * SECOND)
    expect([Question.asked.length, Stream.opened.length]).toEqual([2, 1])
  })

  test('stops polling and ignores a late response while the page is hidden', async () => {
    const { tab, page, stream } = await shown('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    tab.see(false)
    expect(lastQuestion().signal.aborted).toBe(true)
    await lastQuestion().answer({ id: 'a-2', topics: ['dining'], room: true })
    vi.advanceTimersByTime(10 * 60 * SECOND)
    expect([page.heard, Question.asked.length, Stream.opened.length]).toEqual([[], 1, 1])
    const second = opening()
    tab.see(true)
    expect((await second).url).toBe('/api/live?since=a-1')
  })

  test('revalidates a new page only when its data is older than the last change', async () => {
    const { tab, page, stream } = await shown('a-9')
    stream.says('a-10', 'dining')
    expect(page.heard).toEqual([['dining']])
    expect(tab.show('a-9').heard).toEqual(['anything'])
    expect(tab.show('a-10').heard).toEqual([])
    expect(tab.show('a-11').heard).toEqual([])
    // Changes of a restarted server are not comparable.
    expect(tab.show('b-11').heard).toEqual(['anything'])
    expect(Stream.opened).toHaveLength(1)
  })

  test('notifies a page once when the visitor of the stream changes', async () => {
    const { page, stream } = await shown('a-1.hana:01')
    expect(stream.url).toBe('/api/live?since=a-1.hana%3A01')
    stream.says('a-1.hana:01')
    stream.says('a-2.hana:01', 'dining')
    expect(page.heard).toEqual([['dining']])
    stream.says('a-2')
    expect(page.heard).toEqual([['dining'], 'visitor'])
    stream.says('a-3', 'dining')
    expect(page.heard).toEqual([['dining'], 'visitor', ['dining']])
  })

  test('reopens the stream for a page of another visitor, from the change of that page', async () => {
    const { tab, page, stream } = await shown('a-5')
    const second = opening()
    const next = tab.show('a-4.hana:')
    expect((await second).url).toBe('/api/live?since=a-4.hana%3A')
    expect(stream.isClosed).toBe(true)
    ;(await second).says('a-5.hana:', 'events')
    expect([page.heard, next.heard]).toEqual([[['events']], [['events']]])
  })

  test('reuses the stream for the next page and closes it after the last one', async () => {
    const { tab, page, stream } = await shown('a-1')
    page.leave()
    const next = tab.show('a-1')
    vi.advanceTimersByTime(0)
    stream.says('a-2', 'events')
    expect([page.heard, next.heard]).toEqual([[], [['events']]])
    next.leave()
    vi.advanceTimersByTime(0)
    expect(stream.isClosed).toBe(true)
    // A page that opens later subscribes from the change of its own data.
    const second = opening()
    const later = tab.show('a-5')
    expect((await second).url).toBe('/api/live?since=a-5')
    expect(later.heard).toEqual([])
  })

  test('shares one stream between two tabs and hands it over when the leader is hidden', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = opening()
    const here = one.show('a-1')
    const stream = await first
    const there = two.show('a-1')
    const passed = there.next()
    stream.says('a-2', 'dining')
    expect(here.heard).toEqual([['dining']])
    expect(await passed).toEqual(['dining'])
    const passedOn = there.next()
    stream.says('a-2.hana:')
    expect(await passedOn).toBe('visitor')
    const passedBack = there.next()
    stream.says('a-2')
    expect(await passedBack).toBe('visitor')
    expect(two.freshSince()).toBe(Date.now())
    expect(Stream.opened).toHaveLength(1)

    const second = opening()
    one.see(false)
    expect(stream.isClosed).toBe(true)
    expect((await second).url).toBe('/api/live?since=a-2')
  })

  test('notifies a tab that becomes visible only when it has missed a change', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = opening()
    one.show('a-1')
    const stream = await first
    const page = two.show('a-1')
    const answered = () => {
      const told = new BroadcastChannel('live')
      return new Promise<void>((resolve) => {
        told.onmessage = ({ data }) => {
          if (typeof data !== 'object') return
          told.close()
          resolve()
        }
      })
    }
    // Without a missed change, the next notification is the next change.
    two.see(false)
    const quiet = answered()
    two.see(true)
    await quiet
    const change = page.next()
    stream.says('a-2', 'events')
    expect(await change).toEqual(['events'])

    two.see(false)
    stream.says('a-3', 'dining')
    const missed = page.next()
    two.see(true)
    expect(await missed).toBe('anything')
    // The page is notified once and continues from there.
    two.see(false)
    const again = answered()
    two.see(true)
    await again
    const last = page.next()
    stream.says('a-4', 'site')
    expect(await last).toEqual(['site'])
    expect(page.heard).toEqual([['events'], 'anything', ['site']])
    expect(Stream.opened).toHaveLength(1)
  })

  test('makes no hidden tab the leader when the leader leaves', async () => {
    const [one, two, three] = [await openTab(), await openTab(), await openTab()]
    const first = opening()
    const page = one.show('a-1')
    await first
    two.show('a-1')
    two.see(false)
    three.show('a-2')
    const second = opening()
    page.leave()
    vi.advanceTimersByTime(0)
    expect((await second).url).toBe('/api/live?since=a-2')
    expect(Stream.opened).toHaveLength(2)
  })

  test('closes the stream of a hidden page and resumes it from the last change', async () => {
    const tab = await openTab()
    const first = opening()
    tab.show('a-1')
    const stream = await first
    stream.says('a-2', 'dining')
    tab.see(false)
    expect(stream.isClosed).toBe(true)
    vi.advanceTimersByTime(10 * 60 * SECOND)
    expect(Stream.opened).toHaveLength(1)
    const second = opening()
    tab.see(true)
    expect((await second).url).toBe('/api/live?since=a-2')
  })

  test('opens a stream in each tab when the browser has no locks', async () => {
    vi.stubGlobal('navigator', {})
    const [one, two] = [await openTab(), await openTab()]
    one.show('a-1')
    two.show('a-2')
    expect(Stream.opened.map(({ url }) => url)).toEqual(['/api/live?since=a-1', '/api/live?since=a-2'])
  })
})
