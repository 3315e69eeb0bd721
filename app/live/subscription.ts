// All tabs of a browser share one SSE stream: the visible tab that holds the lock is the leader and forwards messages.
// A hidden tab leaves and catches up when visible again. If the server or a proxy rejects streams, the leader polls.

import { isBefore, parseCursor, visitorPartOf } from './cursor.ts'

/** Changed topics; 'anything' if the topics are unknown; 'visitor' if the session or permissions have changed. */
export type Notification = string[] | 'anything' | 'visitor'
type Hear = (news: Notification) => void
/** Message between tabs: a forwarded stream message, the request `HOW_FAR`, or its response without topics. */
type Passed = typeof HOW_FAR | Message
type Message = { id: string; topics?: string }
/** The response to a poll; `room` is whether the server has a free stream. */
type Missed = { id: string; topics: string[]; room: boolean }

const HOW_FAR = '?'

const FIRST_PAUSE = 1000
// Together with the jitter about a minute.
const LONGEST_PAUSE = 50_000
const MAX_JITTER = 20_000
// The server sends a heartbeat every 20 seconds.
const SILENCE = 50_000

const hearers = new Set<Hear>()
let last = ''
let freshAt = 0
let leave: (() => void) | undefined

/** Subscribes to changes after `lastChange`, the change ID of the page's data. Returns a function that unsubscribes. */
export function subscribe(lastChange: string, hear: Hear) {
  freshAt = Date.now()
  // A stream is only valid for the visitor who opened it.
  if (leave && visitorPartOf(lastChange) !== visitorPartOf(last)) leave()
  if (!leave) last = lastChange
  else if (isBehind(lastChange, last)) hear('anything')
  hearers.add(hear)
  document.addEventListener('visibilitychange', comeOrGo)
  comeOrGo()
  return () => {
    hearers.delete(hear)
    // Delayed, so that the next page can subscribe before the stream closes.
    setTimeout(comeOrGo)
  }
}

/** Notifies all subscribers that any topic may have changed, for example because a new day began. */
export function notifyAll() {
  tell('anything')
}

/** Returns the last time at which the data was known to be fresh, in milliseconds since 1970. */
export function freshSince() {
  return freshAt
}

function comeOrGo() {
  const wanted = hearers.size > 0 && !document.hidden
  if (!wanted) leave?.()
  else if (!leave) leave = listen()
}

function listen() {
  const tabs = new BroadcastChannel('live')
  const leaving = new AbortController()
  let stop: (() => void) | undefined
  tabs.onmessage = ({ data }: MessageEvent<Passed>) => {
    if (data === HOW_FAR) {
      if (stop) tabs.postMessage({ id: last })
    } else if (data.topics !== undefined) accept(data)
    else {
      const behind = isBehind(last, data.id)
      accept(data)
      if (behind) tell('anything')
    }
  }
  const lead = () =>
    new Promise<void>((resolve) => {
      const close = follow((message) => {
        accept(message)
        if (navigator.locks) tabs.postMessage(message)
      })
      stop = () => {
        close()
        resolve()
      }
    })
  // Locks need a secure context; without locks each tab has its own stream.
  if (navigator.locks) navigator.locks.request('live', { signal: leaving.signal }, lead).catch(() => {})
  else void lead()
  tabs.postMessage(HOW_FAR)
  return () => {
    leave = undefined
    leaving.abort()
    stop?.()
    tabs.close()
  }
}

/** Receives changes from a stream, or by polling while no stream is available. Returns a function that stops. */
function follow(hear: (message: Required<Message>) => void) {
  let close = () => {}
  let timer: ReturnType<typeof setTimeout>
  let pause = FIRST_PAUSE

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(then, ms)
  }
  const waitLonger = (then: () => void) => {
    wait(pause + Math.random() * Math.min(pause, MAX_JITTER), then)
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }

  const connect = () => {
    const source = new EventSource(`/api/live?since=${encodeURIComponent(last)}`)
    close = () => source.close()
    // EventSource does not report the cause of an error. If no message has arrived, a proxy may reject streams, so poll.
    let next: () => void = ask
    const lose = () => {
      close()
      waitLonger(next)
    }
    source.onerror = lose
    source.onmessage = ({ data, lastEventId }) => {
      next = connect
      pause = FIRST_PAUSE
      wait(SILENCE, lose)
      hear({ id: lastEventId, topics: data })
    }
    wait(SILENCE, lose)
  }

  const ask = async () => {
    const question = new AbortController()
    let stopped = false
    close = () => {
      stopped = true
      question.abort()
    }
    wait(SILENCE, () => question.abort())
    const answer: Missed | null = await fetch(`/api/live?since=${encodeURIComponent(last)}`, {
      headers: { accept: 'application/json' },
      signal: question.signal,
    })
      .then((response) => (response.ok ? response.json() : null))
      .catch(() => null)
    if (stopped) return
    if (answer) hear({ id: answer.id, topics: answer.topics.join() })
    if (answer?.room) return connect()
    if (answer) pause = LONGEST_PAUSE
    waitLonger(ask)
  }

  connect()
  return () => {
    clearTimeout(timer)
    close()
  }
}

function accept({ id, topics }: Message) {
  const another = visitorPartOf(id) !== visitorPartOf(last)
  last = id
  freshAt = Date.now()
  if (another) tell('visitor')
  if (topics) tell(topics.split(','))
}

function tell(news: Notification) {
  for (const hear of hearers) hear(news)
}

// Change IDs of different server processes are not comparable, so such a page counts as behind.
function isBehind(change: string, other: string) {
  return parseCursor(change).life !== parseCursor(other).life || isBefore(change, other)
}
