// All tabs of a browser share one SSE stream. The leader is the visible tab that holds the lock. The leader forwards
// messages to the other tabs. A hidden tab disconnects, and checks for missed changes when the tab is visible again. If
// the server or a proxy rejects streams, the leader polls.

import { isBefore, parseCursor, visitorPartOf } from './cursor.ts'

/** Changed topics; 'anything' if the topics are unknown; 'visitor' if the session or permissions have changed. */
export type Notification = string[] | 'anything' | 'visitor'
type Subscriber = (notification: Notification) => void
type TabMessage = typeof REQUEST_LAST_CHANGE | StreamMessage
type StreamMessage = { id: string; topics?: string }
type PollResult = { id: string; topics: string[]; room: boolean }

const REQUEST_LAST_CHANGE = '?'

const MIN_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 50_000
const MAX_JITTER_MS = 20_000
// The server sends a heartbeat every 20 seconds, so a stream without messages has failed.
const SILENCE_TIMEOUT_MS = 50_000

const subscribers = new Set<Subscriber>()
let lastReceived = ''
let freshTime = 0
let disconnect: (() => void) | undefined

/** Subscribes to changes after `lastChange`, the change ID of the page's data. Returns a function that unsubscribes. */
export function subscribe(lastChange: string, onNotification: Subscriber) {
  freshTime = Date.now()
  // A stream sends only the topics that its visitor may see, so another visitor needs a new stream.
  if (disconnect && visitorPartOf(lastChange) !== visitorPartOf(lastReceived)) disconnect()
  if (!disconnect) lastReceived = lastChange
  else if (isBehind(lastChange, lastReceived)) onNotification('anything')
  subscribers.add(onNotification)
  document.addEventListener('visibilitychange', updateConnection)
  updateConnection()
  return () => {
    subscribers.delete(onNotification)
    // The delay lets the next page subscribe before the stream closes.
    setTimeout(updateConnection)
  }
}

export function notifyAll() {
  notifySubscribers('anything')
}

/** Returns the last time at which the data was known to be fresh, in milliseconds since 1970. */
export function readFreshTime() {
  return freshTime
}

function updateConnection() {
  const shouldConnect = subscribers.size > 0 && !document.hidden
  if (!shouldConnect) disconnect?.()
  else if (!disconnect) disconnect = connectTab()
}

function connectTab() {
  const tabs = new BroadcastChannel('live')
  const lockAbort = new AbortController()
  let stopLeading: (() => void) | undefined
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data === REQUEST_LAST_CHANGE) {
      if (stopLeading) tabs.postMessage({ id: lastReceived })
    } else if (data.topics !== undefined) handleMessage(data)
    else {
      const isTabBehind = isBehind(lastReceived, data.id)
      handleMessage(data)
      if (isTabBehind) notifySubscribers('anything')
    }
  }
  const becomeLeader = () =>
    new Promise<void>((resolve) => {
      const close = receiveMessages((message) => {
        handleMessage(message)
        if (navigator.locks) tabs.postMessage(message)
      })
      stopLeading = () => {
        close()
        resolve()
      }
    })
  // The Web Locks API needs a secure context. In other contexts, each tab opens its own stream.
  if (navigator.locks) navigator.locks.request('live', { signal: lockAbort.signal }, becomeLeader).catch(() => {})
  else void becomeLeader()
  tabs.postMessage(REQUEST_LAST_CHANGE)
  return () => {
    disconnect = undefined
    lockAbort.abort()
    stopLeading?.()
    tabs.close()
  }
}

function receiveMessages(onMessage: (message: Required<StreamMessage>) => void) {
  let close = () => {}
  let timer: ReturnType<typeof setTimeout>
  let backoffMs = MIN_BACKOFF_MS

  const schedule = (ms: number, run: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(run, ms)
  }
  const scheduleWithBackoff = (run: () => void) => {
    schedule(backoffMs + Math.random() * Math.min(backoffMs, MAX_JITTER_MS), run)
    backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
  }

  const openStream = () => {
    const source = new EventSource(`/api/live?since=${encodeURIComponent(lastReceived)}`)
    close = () => source.close()
    // EventSource does not report the cause of an error. If no message has arrived, a proxy may reject streams, so poll.
    let next: () => void = poll
    const retryLater = () => {
      close()
      scheduleWithBackoff(next)
    }
    source.onerror = retryLater
    source.onmessage = ({ data, lastEventId }) => {
      next = openStream
      backoffMs = MIN_BACKOFF_MS
      schedule(SILENCE_TIMEOUT_MS, retryLater)
      onMessage({ id: lastEventId, topics: data })
    }
    schedule(SILENCE_TIMEOUT_MS, retryLater)
  }

  const poll = async () => {
    const controller = new AbortController()
    let isClosed = false
    close = () => {
      isClosed = true
      controller.abort()
    }
    schedule(SILENCE_TIMEOUT_MS, () => controller.abort())
    const result: PollResult | null = await fetch(`/api/live?since=${encodeURIComponent(lastReceived)}`, {
      headers: { accept: 'application/json' },
      signal: controller.signal,
    })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null)
    if (isClosed) return
    if (result) onMessage({ id: result.id, topics: result.topics.join() })
    if (result?.room) return openStream()
    if (result) backoffMs = MAX_BACKOFF_MS
    scheduleWithBackoff(poll)
  }

  openStream()
  return () => {
    clearTimeout(timer)
    close()
  }
}

function handleMessage({ id, topics }: StreamMessage) {
  const isOtherVisitor = visitorPartOf(id) !== visitorPartOf(lastReceived)
  lastReceived = id
  freshTime = Date.now()
  if (isOtherVisitor) notifySubscribers('visitor')
  if (topics) notifySubscribers(topics.split(','))
}

function notifySubscribers(notification: Notification) {
  for (const notify of subscribers) notify(notification)
}

// Change IDs of different server processes are not comparable, so the change of another process counts as behind.
function isBehind(change: string, other: string) {
  return parseCursor(change).processId !== parseCursor(other).processId || isBefore(change, other)
}
