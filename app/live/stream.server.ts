import { maySubscribe, type Visitor } from '../permissions.ts'
import { createNetworkCounter } from '../platform/network.ts'
import { cursorFor } from './cursor.ts'
import type { Live } from './live.server.ts'
import { isTopic, type Topic, topics } from './topics.ts'

type Subscriber = {
  /** The requested topics that the visitor may see. */
  topics: readonly Topic[]
  visitor: Visitor
  network: string
  resolveVisitor: () => Promise<Visitor>
}
type Stream = Subscriber & { controller: ReadableStreamDefaultController<Uint8Array>; endsAt: number }

/** A client is disconnected if `unread` messages are queued, or if a heartbeat finds a queued message. */
export const streamLimits = { heartbeatMs: 20_000, lifetimeMs: 30 * 60_000, streams: 12_000, unread: 64 }

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode('data:\n\n')

type Limits = typeof streamLimits & { perNetwork: number }

export class LiveStreams {
  readonly #live: Live
  readonly #limits: Limits
  readonly #streams = new Set<Stream>()
  readonly #countPerNetwork = createNetworkCounter()
  #timer: NodeJS.Timeout | undefined

  constructor(live: Live, limits: Limits) {
    this.#live = live
    this.#limits = limits
    live.subscribe((message) => {
      if ('changed' in message) this.#publish(message.changed)
      else if ('closing' in message) for (const stream of [...this.#streams]) this.#end(stream)
      else
        for (const stream of [...this.#streams])
          if (stream.visitor?.accountId === message.account) void this.#checkPermissions(stream)
    })
  }

  count() {
    return this.#streams.size
  }

  /** Returns a stream, or JSON if the page polls. `resolveVisitor` resolves to the current visitor of the request. */
  async open(request: Request, network: string, resolveVisitor: () => Promise<Visitor>) {
    const query = new URL(request.url).searchParams
    const requested: readonly string[] = query.get('topics')?.split(',') ?? topics
    if (!requested.every(isTopic)) return new Response('Unknown topic', { status: 400 })
    const visitor = await resolveVisitor()
    const allowed = requested.filter((topic) => maySubscribe(visitor, topic))
    if (allowed.length === 0) return new Response('Not for you', { status: 403 })
    if (this.#live.isClosing())
      return new Response('Come again later', { status: 503, headers: { 'retry-after': '10' } })
    const since = request.headers.get('last-event-id') ?? query.get('since')
    const missed = () =>
      since === null ? [] : this.#live.changedSince(since).filter((topic) => allowed.includes(topic))
    const { streams, perNetwork } = this.#limits
    const fullStatus =
      this.#streams.size >= streams ? 503 : this.#countPerNetwork.of(network) >= perNetwork ? 429 : null
    if (request.headers.get('accept')?.includes('application/json')) {
      const result = { id: this.#idFor(visitor), topics: missed(), room: fullStatus === null }
      return Response.json(result, { headers: { 'cache-control': 'no-store' } })
    }
    if (fullStatus) {
      const headers = { 'retry-after': '60' }
      return new Response('No more streams: ask for JSON each minute', { status: fullStatus, headers })
    }
    const body =
      request.method === 'HEAD' ? null : this.#openStream({ topics: allowed, visitor, network, resolveVisitor }, missed)
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

  #openStream(subscriber: Subscriber, missed: () => Topic[]) {
    let stream: Stream
    const start = (controller: Stream['controller']) => {
      // The jitter prevents streams that opened at the same time from reconnecting at the same time.
      stream = { ...subscriber, controller, endsAt: Date.now() + this.#limits.lifetimeMs * (0.9 + Math.random() / 5) }
      this.#streams.add(stream)
      this.#countPerNetwork.change(stream.network, 1)
      this.#timer ??= setInterval(() => this.#sendHeartbeats(), this.#limits.heartbeatMs).unref()
      const first = formatEvent(this.#idFor(stream.visitor), missed().join())
      controller.enqueue(encoder.encode(`retry: 2000\n${first}`))
      // The visitor may have lost a permission between `resolveVisitor` and the registration of the stream.
      void this.#checkPermissions(stream)
    }
    const cancel = () => void this.#remove(stream)
    return new ReadableStream<Uint8Array>({ start, cancel }, { highWaterMark: this.#limits.unread })
  }

  #publish(changed: readonly Topic[]) {
    const encoded = new Map<string, Uint8Array>()
    for (const stream of [...this.#streams]) {
      const names = stream.topics.filter((topic) => changed.includes(topic)).join()
      if (!names) continue
      const text = formatEvent(this.#idFor(stream.visitor), names)
      const bytes = encoded.get(text) ?? encoder.encode(text)
      encoded.set(text, bytes)
      this.#send(stream, bytes)
    }
    // A change of members may change the topics that a visitor may see.
    if (changed.includes('members')) for (const stream of [...this.#streams]) void this.#checkPermissions(stream)
  }

  #sendHeartbeats() {
    for (const stream of [...this.#streams]) {
      const behind = (stream.controller.desiredSize ?? 0) < this.#limits.unread
      if (behind) this.#drop(stream)
      else if (Date.now() > stream.endsAt) this.#end(stream)
      else {
        this.#send(stream, HEARTBEAT)
        void this.#checkPermissions(stream)
      }
    }
  }

  /** If the permissions of the visitor have changed, ends the stream, so that the browser reconnects. */
  async #checkPermissions(stream: Stream) {
    if (!stream.visitor) return
    const visitor = await stream.resolveVisitor().catch(() => undefined)
    const currentId = visitor === undefined ? '' : this.#idFor(visitor)
    if (currentId === this.#idFor(stream.visitor) || !this.#streams.has(stream)) return
    if (currentId) this.#send(stream, encoder.encode(formatEvent(currentId, '')))
    this.#end(stream)
  }

  #send(stream: Stream, bytes: Uint8Array) {
    if ((stream.controller.desiredSize ?? 0) > 0) stream.controller.enqueue(bytes)
    else this.#drop(stream)
  }

  #end(stream: Stream) {
    if (this.#remove(stream)) stream.controller.close()
  }

  #drop(stream: Stream) {
    if (this.#remove(stream)) stream.controller.error(new Error('Live stream ended: the client is too slow'))
  }

  #remove(stream: Stream) {
    const wasOpen = this.#streams.delete(stream)
    if (wasOpen) this.#countPerNetwork.change(stream.network, -1)
    if (this.#streams.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    return wasOpen
  }
}

function formatEvent(id: string, names: string) {
  return `id: ${id}\ndata: ${names}\n\n`
}
