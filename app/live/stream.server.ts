import { mayHear, type Visitor } from '../permissions.ts'
import { countOfNetworks } from '../platform/network.ts'
import type { Live } from './announce.server.ts'
import { changeFor } from './change.ts'
import { topics as allTopics, isTopic, type Topic } from './topics.ts'

type Reader = {
  /** The requested topics that the visitor may see. */
  heard: readonly Topic[]
  visitor: Visitor
  network: string
  look: () => Promise<Visitor>
}
type Stream = Reader & { controller: ReadableStreamDefaultController<Uint8Array>; endsAt: number }

/** Intervals and maximum numbers; `unread` is the number of messages that a client may be behind at a heartbeat. */
export const streamLimits = { heartbeatMs: 20_000, lifetimeMs: 30 * 60_000, streams: 12_000, unread: 64 }

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode('data:\n\n')

type Limits = typeof streamLimits & { perNetwork: number }

/** Creates the SSE endpoint with at most `perNetwork` streams per network. Streams only send the changed topics. */
export function createStreams(live: Live, { heartbeatMs, lifetimeMs, streams: most, perNetwork, unread }: Limits) {
  const open = new Set<Stream>()
  const openIn = countOfNetworks()
  let timer: NodeJS.Timeout | undefined
  const idFor = (visitor: Visitor) => changeFor(visitor, live.lastChange())

  live.listen((news) => {
    if ('changed' in news) tell(news.changed)
    else if ('closing' in news) for (const stream of [...open]) end(stream)
    else for (const stream of [...open]) if (stream.visitor?.accountId === news.account) void check(stream)
  })

  function tell(changed: readonly Topic[]) {
    const encoded = new Map<string, Uint8Array>()
    for (const stream of [...open]) {
      const names = stream.heard.filter((topic) => changed.includes(topic)).join()
      if (!names) continue
      const text = message(idFor(stream.visitor), names)
      const bytes = encoded.get(text) ?? encoder.encode(text)
      encoded.set(text, bytes)
      send(stream, bytes)
    }
    // Membership decides which topics a visitor may see.
    if (changed.includes('members')) for (const stream of [...open]) void check(stream)
  }

  function send(stream: Stream, bytes: Uint8Array) {
    if ((stream.controller.desiredSize ?? 0) > 0) stream.controller.enqueue(bytes)
    else drop(stream)
  }

  function beat() {
    for (const stream of [...open]) {
      const behind = (stream.controller.desiredSize ?? 0) < unread
      if (behind) drop(stream)
      else if (Date.now() > stream.endsAt) end(stream)
      else {
        send(stream, HEARTBEAT)
        void check(stream)
      }
    }
  }

  /** Ends a stream if its visitor's permissions have changed. Notifies the page first; the browser then reconnects. */
  async function check(stream: Stream) {
    if (!stream.visitor) return
    const visitor = await stream.look().catch(() => undefined)
    const now = visitor === undefined ? '' : idFor(visitor)
    if (now === idFor(stream.visitor) || !open.has(stream)) return
    if (now) send(stream, encoder.encode(message(now, '')))
    end(stream)
  }

  function forget(stream: Stream) {
    const was = open.delete(stream)
    if (was) openIn.change(stream.network, -1)
    if (open.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    return was
  }
  function end(stream: Stream) {
    if (forget(stream)) stream.controller.close()
  }
  function drop(stream: Stream) {
    if (forget(stream)) stream.controller.error(new Error('The reader of a live stream is too slow'))
  }

  function enter(reader: Reader, missed: () => Topic[]) {
    let stream: Stream
    const start = (controller: Stream['controller']) => {
      // Random, so that streams that opened together do not reconnect together.
      stream = { ...reader, controller, endsAt: Date.now() + lifetimeMs * (0.9 + Math.random() / 5) }
      open.add(stream)
      openIn.change(stream.network, 1)
      timer ??= setInterval(beat, heartbeatMs).unref()
      const first = message(idFor(stream.visitor), missed().join())
      controller.enqueue(encoder.encode(`retry: 2000\n${first}`))
      // A permission lost since `look` was not reported to this stream.
      void check(stream)
    }
    return new ReadableStream<Uint8Array>({ start, cancel: () => void forget(stream) }, { highWaterMark: unread })
  }

  return {
    count: () => open.size,
    /** Opens a stream; `look` resolves its current visitor. A page without a stream polls JSON every minute instead. */
    async open(request: Request, network: string, look: () => Promise<Visitor>) {
      const query = new URL(request.url).searchParams
      const asked: readonly string[] = query.get('topics')?.split(',') ?? allTopics
      if (!asked.every(isTopic)) return text('Unknown topic', 400)
      const visitor = await look()
      const heard = asked.filter((topic) => mayHear(visitor, topic))
      if (heard.length === 0) return text('Not for you', 403)
      if (live.isClosing()) return text('Come again later', 503, { 'retry-after': '10' })
      const since = request.headers.get('last-event-id') ?? query.get('since')
      const missed = () => (since === null ? [] : live.changedSince(since).filter((topic) => heard.includes(topic)))
      const full = open.size >= most ? 503 : openIn.of(network) >= perNetwork ? 429 : null
      if (request.headers.get('accept')?.includes('application/json')) {
        const answer = { id: idFor(visitor), topics: missed(), room: full === null }
        return Response.json(answer, { headers: { 'cache-control': 'no-store' } })
      }
      if (full) return text('No more streams: ask for JSON each minute', full, { 'retry-after': '60' })
      const body = request.method === 'HEAD' ? null : enter({ heard, visitor, network, look }, missed)
      return new Response(body, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
          // A connection kept alive after the stream would delay the shutdown of the process.
          connection: 'close',
        },
      })
    },
  }
}

function message(id: string, names: string) {
  return `id: ${id}\ndata: ${names}\n\n`
}

function text(body: string, status: number, headers: Record<string, string> = {}) {
  return new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } })
}
