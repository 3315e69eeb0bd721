import { maySubscribe, type Visitor } from '../permissions.ts'
import { countOfNetworks } from '../platform/network.ts'
import { cursorFor } from './cursor.ts'
import type { Live } from './live.server.ts'
import { topics as allTopics, isTopic, type Topic } from './topics.ts'

type Reader = {
  /** The requested topics that the visitor may see. */
  heard: readonly Topic[]
  visitor: Visitor
  network: string
  look: () => Promise<Visitor>
}
type Stream = Reader & { controller: ReadableStreamDefaultController<Uint8Array>; endsAt: number }

/** Limits of streams. A client is disconnected with `unread` queued messages, or with any at a heartbeat. */
export const streamLimits = { heartbeatMs: 20_000, lifetimeMs: 30 * 60_000, streams: 12_000, unread: 64 }

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode('data:\n\n')

type Limits = typeof streamLimits & { perNetwork: number }

/** SSE endpoint that sends the names of changed topics. Allows `perNetwork` streams per network prefix. */
export class LiveStreams {
  readonly #live: Live
  readonly #limits: Limits
  readonly #open = new Set<Stream>()
  readonly #openIn = countOfNetworks()
  #timer: NodeJS.Timeout | undefined

  constructor(live: Live, limits: Limits) {
    this.#live = live
    this.#limits = limits
    live.listen((news) => {
      if ('changed' in news) this.#publish(news.changed)
      else if ('closing' in news) for (const stream of [...this.#open]) this.#end(stream)
      else
        for (const stream of [...this.#open]) if (stream.visitor?.accountId === news.account) void this.#check(stream)
    })
  }

  count() {
    return this.#open.size
  }

  /** Returns a stream, or JSON for a page that polls. `look` resolves the current visitor of the request. */
  async open(request: Request, network: string, look: () => Promise<Visitor>) {
    const query = new URL(request.url).searchParams
    const asked: readonly string[] = query.get('topics')?.split(',') ?? allTopics
    if (!asked.every(isTopic)) return text('Unknown topic', 400)
    const visitor = await look()
    const heard = asked.filter((topic) => maySubscribe(visitor, topic))
    if (heard.length === 0) return text('Not for you', 403)
    if (this.#live.isClosing()) return text('Come again later', 503, { 'retry-after': '10' })
    const since = request.headers.get('last-event-id') ?? query.get('since')
    const missed = () => (since === null ? [] : this.#live.changedSince(since).filter((topic) => heard.includes(topic)))
    const { streams, perNetwork } = this.#limits
    const full = this.#open.size >= streams ? 503 : this.#openIn.of(network) >= perNetwork ? 429 : null
    if (request.headers.get('accept')?.includes('application/json')) {
      const answer = { id: this.#idFor(visitor), topics: missed(), room: full === null }
      return Response.json(answer, { headers: { 'cache-control': 'no-store' } })
    }
    if (full) return text('No more streams: ask for JSON each minute', full, { 'retry-after': '60' })
    const body = request.method === 'HEAD' ? null : this.#enter({ heard, visitor, network, look }, missed)
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        // A keep-alive connection would delay the shutdown of the process after the stream has ended.
        connection: 'close',
      },
    })
  }

  #idFor(visitor: Visitor) {
    return cursorFor(visitor, this.#live.lastChange())
  }

  #enter(reader: Reader, missed: () => Topic[]) {
    let stream: Stream
    const start = (controller: Stream['controller']) => {
      // The jitter prevents streams that opened together from reconnecting together.
      stream = { ...reader, controller, endsAt: Date.now() + this.#limits.lifetimeMs * (0.9 + Math.random() / 5) }
      this.#open.add(stream)
      this.#openIn.change(stream.network, 1)
      this.#timer ??= setInterval(() => this.#beat(), this.#limits.heartbeatMs).unref()
      const first = message(this.#idFor(stream.visitor), missed().join())
      controller.enqueue(encoder.encode(`retry: 2000\n${first}`))
      // A permission may have been lost after `look` and before the stream was registered.
      void this.#check(stream)
    }
    const cancel = () => void this.#forget(stream)
    return new ReadableStream<Uint8Array>({ start, cancel }, { highWaterMark: this.#limits.unread })
  }

  #publish(changed: readonly Topic[]) {
    const encoded = new Map<string, Uint8Array>()
    for (const stream of [...this.#open]) {
      const names = stream.heard.filter((topic) => changed.includes(topic)).join()
      if (!names) continue
      const text = message(this.#idFor(stream.visitor), names)
      const bytes = encoded.get(text) ?? encoder.encode(text)
      encoded.set(text, bytes)
      this.#send(stream, bytes)
    }
    // Membership decides which topics a visitor may see.
    if (changed.includes('members')) for (const stream of [...this.#open]) void this.#check(stream)
  }

  #beat() {
    for (const stream of [...this.#open]) {
      const behind = (stream.controller.desiredSize ?? 0) < this.#limits.unread
      if (behind) this.#drop(stream)
      else if (Date.now() > stream.endsAt) this.#end(stream)
      else {
        this.#send(stream, HEARTBEAT)
        void this.#check(stream)
      }
    }
  }

  /** Notifies and ends a stream if the permissions of its visitor have changed. The browser then reconnects. */
  async #check(stream: Stream) {
    if (!stream.visitor) return
    const visitor = await stream.look().catch(() => undefined)
    const now = visitor === undefined ? '' : this.#idFor(visitor)
    if (now === this.#idFor(stream.visitor) || !this.#open.has(stream)) return
    if (now) this.#send(stream, encoder.encode(message(now, '')))
    this.#end(stream)
  }

  #send(stream: Stream, bytes: Uint8Array) {
    if ((stream.controller.desiredSize ?? 0) > 0) stream.controller.enqueue(bytes)
    else this.#drop(stream)
  }

  #end(stream: Stream) {
    if (this.#forget(stream)) stream.controller.close()
  }

  #drop(stream: Stream) {
    if (this.#forget(stream)) stream.controller.error(new Error('The reader of a live stream is too slow'))
  }

  #forget(stream: Stream) {
    const was = this.#open.delete(stream)
    if (was) this.#openIn.change(stream.network, -1)
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return was
  }
}

function message(id: string, names: string) {
  return `id: ${id}\ndata: ${names}\n\n`
}

function text(body: string, status: number, headers: Record<string, string> = {}) {
  return new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } })
}
