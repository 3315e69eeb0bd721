// One stream for all tabs of a browser: the visible tab that holds the lock listens to the server and passes on what it
// hears. A hidden tab leaves, and asks for what it missed when it is seen again. Where the server has no room for one more
// stream, or something between lets none through, that tab asks each minute what changed.

import { countOf, isBefore, whose } from './change.ts'

/** What is heard: which topics changed; that nobody knows which; or that the page was made for another visitor. */
export type Heard = string[] | 'anything' | 'visitor'
type Hear = (news: Heard) => void
/** What goes from tab to tab: a message of the stream; a question, and its answer without topics. */
type Passed = typeof HOW_FAR | Message
type Message = { id: string; topics?: string }
/** What is said to who asks. */
type Missed = { id: string; topics: string[]; room: boolean }

const HOW_FAR = '?'

const FIRST_PAUSE = 1000
// With the jitter about a minute.
const LONGEST_PAUSE = 50_000
const MOST_JITTER = 20_000
// The server says something every 20 seconds.
const SILENCE = 50_000

const hearers = new Set<Hear>()
let last = ''
let freshAt = 0
let leave: (() => void) | undefined

/** Hears of every change after `lastChange`, which the page's data have in them. Returns how to stop. */
export function join(lastChange: string, hear: Hear) {
  freshAt = Date.now()
  // What a stream tells is for whom it was opened.
  if (leave && whose(lastChange) !== whose(last)) leave()
  if (!leave) last = lastChange
  else if (isBehind(lastChange, last)) hear('anything')
  hearers.add(hear)
  document.addEventListener('visibilitychange', comeOrGo)
  comeOrGo()
  return () => {
    hearers.delete(hear)
    // Later, since the next page may be about to join.
    setTimeout(comeOrGo)
  }
}

/** Tells who has joined that nobody knows what changed: the time, which no message tells of. */
export function tellAnything() {
  tell('anything')
}

/** When the shown data were last known to be right, in milliseconds since 1970. */
export function knownFreshAt() {
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
  // Only a safe origin has locks; elsewhere each tab has its own stream.
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

/** Hears of changes by a stream or, while there is none, by asking now and then. Returns how to stop. */
function follow(hear: (message: Required<Message>) => void) {
  let close = () => {}
  let timer: ReturnType<typeof setTimeout>
  let pause = FIRST_PAUSE

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(then, ms)
  }
  const waitLonger = (then: () => void) => {
    wait(pause + Math.random() * Math.min(pause, MOST_JITTER), then)
    pause = Math.min(pause * 2, LONGEST_PAUSE)
  }

  const connect = () => {
    const source = new EventSource(`/api/live?since=${encodeURIComponent(last)}`)
    close = () => source.close()
    // It does not say why there is none. One that never spoke may have been refused: asking tells.
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
  const another = whose(id) !== whose(last)
  last = id
  freshAt = Date.now()
  if (another) tell('visitor')
  if (topics) tell(topics.split(','))
}

function tell(news: Heard) {
  for (const hear of hearers) hear(news)
}

// Of two lives of the server nobody knows which is ahead.
function isBehind(change: string, other: string) {
  return countOf(change).life !== countOf(other).life || isBefore(change, other)
}
