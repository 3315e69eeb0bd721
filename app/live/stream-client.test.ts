import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Notification } from './stream-client.ts'

const SECOND = 1000

/** Fake EventSource that receives messages from a test. */
class FakeStream {
  static opened: FakeStream[] = []
  static waiters: (() => void)[] = []
  isClosed = false
  onmessage: (event: { data: string; lastEventId: string }) => void = () => {}
  onerror = () => {}
  readonly url: string
  constructor(url: string) {
    this.url = url
    FakeStream.opened.push(this)
    for (const resolve of FakeStream.waiters.splice(0)) resolve()
  }
  receive(lastEventId: string, data = '') {
    this.onmessage({ data, lastEventId })
  }
  close() {
    this.isClosed = true
  }
}

/** Resolves to the next stream that a tab opens. */
const nextStream = async () => {
  await new Promise<void>((resolve) => FakeStream.waiters.push(resolve))
  return FakeStream.opened.at(-1) as FakeStream
}

type PollResult = { id: string; topics: string[]; room: boolean }

/** Fake poll request. A test may send the response with `respond`. */
class FakePoll {
  static sent: FakePoll[] = []
  readonly since: string
  readonly signal: AbortSignal
  private readonly response = Promise.withResolvers<Response>()
  constructor(url: string, { headers, signal }: RequestInit) {
    this.since = /^\/api\/live\?since=(.*)$/.exec(url)?.[1] ?? url
    this.signal = signal as AbortSignal
    expect(headers).toEqual({ accept: 'application/json' })
    this.signal.addEventListener('abort', () => this.response.reject(this.signal.reason))
    FakePoll.sent.push(this)
  }
  static fetch = (url: string, init: RequestInit) => new FakePoll(url, init).response.promise
  /** Sends a response and resolves after the page has processed the response. */
  async respond(result: PollResult | number | 'gone') {
    if (result === 'gone') this.response.reject(new TypeError('Failed to fetch'))
    else if (typeof result === 'number') this.response.resolve(Response.json({}, { status: result }))
    else this.response.resolve(Response.json(result))
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const lastPoll = () => FakePoll.sent.at(-1) as FakePoll

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  vi.stubGlobal('EventSource', FakeStream)
  vi.stubGlobal('fetch', FakePoll.fetch)
  FakeStream.opened = []
  FakePoll.sent = []
})
const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

let tabCount = 0

/** Opens a browser tab with its own module instance and document. All tabs share locks and channels. */
async function openTab() {
  tabCount += 1
  const { subscribe, readFreshTime }: typeof import('./stream-client.ts') = await import(
    /* @vite-ignore */ `./stream-client.ts?tab=${tabCount}`
  )
  const document = Object.assign(new EventTarget(), { hidden: false })
  const runInTab = <T>(work: () => T) => {
    vi.stubGlobal('document', document)
    return work()
  }
  return {
    readFreshTime,
    /** Opens a page with the data up to `lastChange`. `next()` resolves to the next notification of the page. */
    openPage(lastChange: string) {
      const notifications: Notification[] = []
      const waiters: ((notification: Notification) => void)[] = []
      const leave = runInTab(() =>
        subscribe(lastChange, (topics) => {
          notifications.push(topics)
          waiters.shift()?.(topics)
        }),
      )
      cleanups.push(
        () => runInTab(leave),
        () => runInTab(() => vi.advanceTimersByTime(0)),
      )
      return { notifications, leave, next: () => new Promise<Notification>((resolve) => waiters.push(resolve)) }
    },
    setVisible(isVisible: boolean) {
      runInTab(() => {
        document.hidden = !isVisible
        document.dispatchEvent(new Event('visibilitychange'))
      })
    },
  }
}

/** Opens a tab and a page with the data up to `change`. Returns the tab, the page and the opened stream. */
async function openTabWithStream(change: string) {
  const tab = await openTab()
  const first = nextStream()
  const page = tab.openPage(change)
  return { tab, page, stream: await first }
}

describe('live subscription', () => {
  test('notifies a page of changes that are newer than its data', async () => {
    const { tab, page, stream } = await openTabWithStream('a-1')
    expect(stream.url).toBe('/api/live?since=a-1')
    stream.receive('a-1')
    expect(page.notifications).toEqual([])
    vi.advanceTimersByTime(20 * SECOND)
    stream.receive('a-3', 'dining,events')
    expect(page.notifications).toEqual([['dining', 'events']])
    expect(tab.readFreshTime()).toBe(Date.now())
    vi.advanceTimersByTime(10 * SECOND)
    expect(tab.readFreshTime()).toBe(Date.now() - 10 * SECOND)
  })

  test('opens a new stream from the last received change after fifty seconds of silence', async () => {
    const tab = await openTab()
    const first = nextStream()
    tab.openPage('a-1')
    const stream = await first
    vi.advanceTimersByTime(49 * SECOND)
    stream.receive('a-2', 'dining')
    vi.advanceTimersByTime(49 * SECOND)
    stream.receive('a-2')
    vi.advanceTimersByTime(50 * SECOND - 1)
    expect(stream.isClosed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(stream.isClosed).toBe(true)
    vi.advanceTimersByTime(2 * SECOND)
    expect(FakeStream.opened.map(({ url }) => url)).toEqual(['/api/live?since=a-1', '/api/live?since=a-2'])
    // A stream that never sends a message is replaced too.
    vi.advanceTimersByTime(50 * SECOND)
    expect(FakeStream.opened[1]?.isClosed).toBe(true)
  })

  test('polls an unreachable server with an increasing backoff until the server responds', async () => {
    const { page, stream } = await openTabWithStream('a-1')
    stream.receive('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(FakeStream.opened).toHaveLength(2)
    FakeStream.opened[1]?.onerror()
    for (const pause of [2, 4, 8, 16, 32, 50, 50]) {
      const count = FakePoll.sent.length
      vi.advanceTimersByTime(pause * SECOND - 1)
      expect(FakePoll.sent).toHaveLength(count)
      vi.advanceTimersByTime(Math.min(pause, 20) * SECOND + 1)
      expect(FakePoll.sent).toHaveLength(count + 1)
      await lastPoll().respond(pause === 8 ? 502 : 'gone')
    }
    expect([page.notifications, FakeStream.opened.length]).toEqual([[], 2])
    vi.advanceTimersByTime(70 * SECOND)
    await lastPoll().respond({ id: 'b-0', topics: ['dining', 'events'], room: true })
    expect(page.notifications).toEqual([['dining', 'events']])
    expect(FakeStream.opened.map(({ url }) => url).slice(2)).toEqual(['/api/live?since=b-0'])
    FakeStream.opened[2]?.receive('b-0')
    FakeStream.opened[2]?.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(FakeStream.opened).toHaveLength(4)
  })

  test('polls about once a minute until the server accepts another stream', async () => {
    const { tab, page, stream } = await openTabWithStream('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(FakePoll.sent.map(({ since }) => since)).toEqual(['a-1'])
    await lastPoll().respond({ id: 'a-2', topics: ['dining'], room: false })
    expect(page.notifications).toEqual([['dining']])
    expect(tab.readFreshTime()).toBe(Date.now())

    for (const minute of [2, 3, 4]) {
      vi.advanceTimersByTime(50 * SECOND - 1)
      expect(FakePoll.sent).toHaveLength(minute - 1)
      vi.advanceTimersByTime(20 * SECOND + 1)
      expect(FakePoll.sent).toHaveLength(minute)
      await lastPoll().respond({ id: 'a-2', topics: [], room: false })
      expect(tab.readFreshTime()).toBe(Date.now())
    }
    expect([page.notifications, FakeStream.opened.length]).toEqual([[['dining']], 1])

    vi.advanceTimersByTime(70 * SECOND)
    await lastPoll().respond({ id: 'a-4', topics: ['events', 'site'], room: true })
    expect(page.notifications).toEqual([['dining'], ['events', 'site']])
    expect(FakeStream.opened[1]?.url).toBe('/api/live?since=a-4')
    // Another client took the free stream, so the page polls again after about a minute.
    FakeStream.opened[1]?.onerror()
    vi.advanceTimersByTime(50 * SECOND - 1)
    expect(FakePoll.sent).toHaveLength(5)
    vi.advanceTimersByTime(20 * SECOND + 1)
    expect(FakePoll.sent.map(({ since }) => since)).toEqual(['a-1', 'a-2', 'a-2', 'a-2', 'a-2', 'a-4'])
    expect(FakeStream.opened).toHaveLength(2)
  })

  test('aborts a poll after fifty seconds without a response', async () => {
    const tab = await openTab()
    const first = nextStream()
    tab.openPage('a-1')
    const stream = await first
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    const [poll] = FakePoll.sent
    vi.advanceTimersByTime(47 * SECOND)
    expect(poll?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    expect(poll?.signal.aborted).toBe(true)
    vi.advanceTimersByTime(4 * SECOND)
    expect(FakePoll.sent).toHaveLength(2)
  })

  test('polls in only one of two tabs, but notifies both tabs', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = nextStream()
    one.openPage('a-1')
    const stream = await first
    const otherPage = two.openPage('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    expect(FakePoll.sent).toHaveLength(1)
    const forwarded = otherPage.next()
    await lastPoll().respond({ id: 'a-2', topics: ['dining'], room: false })
    expect(await forwarded).toEqual(['dining'])
    vi.advanceTimersByTime(70 * SECOND)
    expect([FakePoll.sent.length, FakeStream.opened.length]).toEqual([2, 1])
  })

  test('pauses polling while the page is hidden, even when a late response arrives', async () => {
    const { tab, page, stream } = await openTabWithStream('a-1')
    stream.onerror()
    vi.advanceTimersByTime(2 * SECOND)
    tab.setVisible(false)
    expect(lastPoll().signal.aborted).toBe(true)
    await lastPoll().respond({ id: 'a-2', topics: ['dining'], room: true })
    vi.advanceTimersByTime(10 * 60 * SECOND)
    expect([page.notifications, FakePoll.sent.length, FakeStream.opened.length]).toEqual([[], 1, 1])
    const second = nextStream()
    tab.setVisible(true)
    expect((await second).url).toBe('/api/live?since=a-1')
  })

  test('notifies a new page only when its data may be older than the last change', async () => {
    const { tab, page, stream } = await openTabWithStream('a-9')
    stream.receive('a-10', 'dining')
    expect(page.notifications).toEqual([['dining']])
    expect(tab.openPage('a-9').notifications).toEqual(['anything'])
    expect(tab.openPage('a-10').notifications).toEqual([])
    expect(tab.openPage('a-11').notifications).toEqual([])
    // Change IDs from before and after a restart of the server are not comparable.
    expect(tab.openPage('b-11').notifications).toEqual(['anything'])
    expect(FakeStream.opened).toHaveLength(1)
  })

  test('notifies a page once when the visitor of the stream changes', async () => {
    const { page, stream } = await openTabWithStream('a-1.hana:01')
    expect(stream.url).toBe('/api/live?since=a-1.hana%3A01')
    stream.receive('a-1.hana:01')
    stream.receive('a-2.hana:01', 'dining')
    expect(page.notifications).toEqual([['dining']])
    stream.receive('a-2')
    expect(page.notifications).toEqual([['dining'], 'visitor'])
    stream.receive('a-3', 'dining')
    expect(page.notifications).toEqual([['dining'], 'visitor', ['dining']])
  })

  test('replaces the stream when the next page belongs to another visitor', async () => {
    const { tab, page, stream } = await openTabWithStream('a-5')
    const second = nextStream()
    const next = tab.openPage('a-4.hana:')
    expect((await second).url).toBe('/api/live?since=a-4.hana%3A')
    expect(stream.isClosed).toBe(true)
    ;(await second).receive('a-5.hana:', 'events')
    expect([page.notifications, next.notifications]).toEqual([[['events']], [['events']]])
  })

  test('reuses the stream for the next page and closes the stream after the last page', async () => {
    const { tab, page, stream } = await openTabWithStream('a-1')
    page.leave()
    const next = tab.openPage('a-1')
    vi.advanceTimersByTime(0)
    stream.receive('a-2', 'events')
    expect([page.notifications, next.notifications]).toEqual([[], [['events']]])
    next.leave()
    vi.advanceTimersByTime(0)
    expect(stream.isClosed).toBe(true)
    // A page that opens later subscribes to the changes after its own data.
    const second = nextStream()
    const later = tab.openPage('a-5')
    expect((await second).url).toBe('/api/live?since=a-5')
    expect(later.notifications).toEqual([])
  })

  test('shares one stream between two tabs and changes the leader when the first tab is hidden', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = nextStream()
    const leaderPage = one.openPage('a-1')
    const stream = await first
    const otherPage = two.openPage('a-1')
    const forwarded = otherPage.next()
    stream.receive('a-2', 'dining')
    expect(leaderPage.notifications).toEqual([['dining']])
    expect(await forwarded).toEqual(['dining'])
    const secondForwarded = otherPage.next()
    stream.receive('a-2.hana:')
    expect(await secondForwarded).toBe('visitor')
    const thirdForwarded = otherPage.next()
    stream.receive('a-2')
    expect(await thirdForwarded).toBe('visitor')
    expect(two.readFreshTime()).toBe(Date.now())
    expect(FakeStream.opened).toHaveLength(1)

    const second = nextStream()
    one.setVisible(false)
    expect(stream.isClosed).toBe(true)
    expect((await second).url).toBe('/api/live?since=a-2')
  })

  test('notifies a newly visible tab only when the tab has missed a change', async () => {
    const [one, two] = [await openTab(), await openTab()]
    const first = nextStream()
    one.openPage('a-1')
    const stream = await first
    const page = two.openPage('a-1')
    const nextTabMessage = () => {
      const channel = new BroadcastChannel('live')
      return new Promise<void>((resolve) => {
        channel.onmessage = ({ data }) => {
          if (typeof data !== 'object') return
          channel.close()
          resolve()
        }
      })
    }
    // If the tab has missed no change, the next notification is about the next change.
    two.setVisible(false)
    const reply = nextTabMessage()
    two.setVisible(true)
    await reply
    const change = page.next()
    stream.receive('a-2', 'events')
    expect(await change).toEqual(['events'])

    two.setVisible(false)
    stream.receive('a-3', 'dining')
    const missed = page.next()
    two.setVisible(true)
    expect(await missed).toBe('anything')
    // The page is notified of a missed change only once.
    two.setVisible(false)
    const secondReply = nextTabMessage()
    two.setVisible(true)
    await secondReply
    const last = page.next()
    stream.receive('a-4', 'site')
    expect(await last).toEqual(['site'])
    expect(page.notifications).toEqual([['events'], 'anything', ['site']])
    expect(FakeStream.opened).toHaveLength(1)
  })

  test('makes a visible tab the next leader when the page of the leader is closed', async () => {
    const [one, two, three] = [await openTab(), await openTab(), await openTab()]
    const first = nextStream()
    const page = one.openPage('a-1')
    await first
    two.openPage('a-1')
    two.setVisible(false)
    three.openPage('a-2')
    const second = nextStream()
    page.leave()
    vi.advanceTimersByTime(0)
    expect((await second).url).toBe('/api/live?since=a-2')
    expect(FakeStream.opened).toHaveLength(2)
  })

  test('resumes from the last change when a hidden page becomes visible', async () => {
    const tab = await openTab()
    const first = nextStream()
    tab.openPage('a-1')
    const stream = await first
    stream.receive('a-2', 'dining')
    tab.setVisible(false)
    expect(stream.isClosed).toBe(true)
    vi.advanceTimersByTime(10 * 60 * SECOND)
    expect(FakeStream.opened).toHaveLength(1)
    const second = nextStream()
    tab.setVisible(true)
    expect((await second).url).toBe('/api/live?since=a-2')
  })

  test('opens a stream in each tab when the browser lacks the Web Locks API', async () => {
    vi.stubGlobal('navigator', {})
    const [one, two] = [await openTab(), await openTab()]
    one.openPage('a-1')
    two.openPage('a-2')
    expect(FakeStream.opened.map(({ url }) => url)).toEqual(['/api/live?since=a-1', '/api/live?since=a-2'])
  })
})
