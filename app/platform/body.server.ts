import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSemaphore, inSlot } from '../../db/semaphore.ts'
import { networkOf } from './network.ts'

export const MAX_SMALL_FORM_BYTES = 64 * 1024
export const MAX_TEXT_FORM_BYTES = 512 * 1024
/** Maximum bytes of a form with an image of 25 MB, including other fields, boundaries and headers. */
export const MAX_IMAGE_FORM_BYTES = 25 * 1024 * 1024 + 128 * 1024

// Aborts a body after this time without a byte. A form without an image must arrive completely within this time.
const STALL_TIMEOUT_MS = 20_000
// 128 kbit/s, the rate to which Japanese carriers throttle phones. listen.ts ends a request after five minutes.
const MIN_UPLOAD_BYTES_PER_MS = 16
// Arriving forms without an image are buffered in memory.
const MAX_ARRIVING_BYTES = 64 * 1024 * 1024
// Carriers put many phones behind one IP address.
const MAX_FORMS_PER_NETWORK = 100
const MAX_CONCURRENT_UPLOADS = 20
const MAX_UPLOADS_PER_NETWORK = 10
// The largest form, the translations of a menu with 200 dishes, has about 1200 fields.
const MAX_FIELDS = 5000

/** A rejected request body. The message is the text of the response for the visitor. */
export class BodyRejected extends Error {
  readonly status: 400 | 408 | 413 | 429 | 503

  constructor(status: BodyRejected['status'], message: string) {
    super(message)
    this.status = status
  }
}

// A form usually arrives within seconds, so the oldest form is aborted as a possible attack when a limit is reached.
const admitForm = createAdmission({
  capacity: MAX_ARRIVING_BYTES,
  perNetwork: MAX_FORMS_PER_NETWORK,
  abortsOldest: true,
})
// An aborted upload would start again from its first byte, so a new upload is rejected instead when a limit is reached.
const admitUpload = createAdmission({
  capacity: MAX_CONCURRENT_UPLOADS,
  perNetwork: MAX_UPLOADS_PER_NETWORK,
  abortsOldest: false,
})
// Limits the memory of complete uploads. Encoding an image takes a minute at most.
const uploadSemaphore = createSemaphore(32 * 1024 * 1024, 5 * 60_000, () => tooMany(503))

/** Runs `work` when the whole body has arrived. Throws `BodyRejected` if the body is too slow or above `most` bytes. */
export async function withBody<T>(
  request: Request,
  { most, address }: { most: number; address: string | null },
  work: (arrived: Request) => Promise<T>,
): Promise<T> {
  const body = request.body
  if (!body) return work(request)
  const contentLength = request.headers.get('content-length')
  const size = contentLength === null ? most : Number(contentLength)
  if (!(size <= most)) throw tooLarge()
  const network = networkOf(address)
  if (size <= MAX_TEXT_FORM_BYTES) {
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '')
    // The minimum size accounts for the memory overhead of a tiny body.
    const bytes = await admitForm({ network, size: Math.max(size, MAX_SMALL_FORM_BYTES) }, (controller) => {
      const chunks = chunksOf(body, { size, timeout: STALL_TIMEOUT_MS }, controller)
      return readIntoMemory(isForm ? formChunksOf(chunks) : chunks, size)
    })
    return work(replaceBody(request, bytes))
  }
  return admitUpload({ network, size: 1 }, async (controller) => {
    const limits = { size, timeout: STALL_TIMEOUT_MS + size / MIN_UPLOAD_BYTES_PER_MS }
    const folder = await mkdtemp(join(tmpdir(), 'noren-body-'))
    try {
      const file = join(folder, 'body')
      await writeFile(file, chunksOf(body, limits, controller), { flag: 'wx', mode: 0o600 })
      const whole = await openAsBlob(file)
      return await inSlot(uploadSemaphore, () => work(replaceBody(request, whole)), whole.size)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

/** Returns the JSON of a body, or null if the JSON is invalid. Throws `BodyRejected` as `withBody` does. */
export function readJson(request: Request, limits: { most: number; address: string | null }): Promise<unknown> {
  return withBody(request, limits, (arrived) => arrived.json().catch(() => null))
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  { size, timeout }: { size: number; timeout: number },
  controller: AbortController,
) {
  const reader = body.getReader()
  const abort = () => controller.abort(new BodyRejected(408, '送信が途中で止まりました。もう一度お試しください。'))
  const [whole, stall] = [setTimeout(abort, timeout), setTimeout(abort, STALL_TIMEOUT_MS)]
  let length = 0
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), controller.signal)
      if (done) return
      stall.refresh()
      length += value.length
      if (length > size) throw tooLarge()
      yield value
    }
  } finally {
    clearTimeout(whole)
    clearTimeout(stall)
    // Not awaited, because cancelling may wait for bytes that never arrive and would delay the response.
    void reader.cancel().catch(() => {})
  }
}

async function* formChunksOf(chunks: AsyncIterable<Uint8Array>) {
  let fields = 1
  for await (const chunk of chunks) {
    for (const byte of chunk) if (byte === 0x26) fields += 1
    if (fields > MAX_FIELDS) throw new BodyRejected(413, '送信された項目が多すぎます。')
    yield chunk
  }
}

function abortable<T>(reading: Promise<T>, signal: AbortSignal) {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    const rejectInterrupted = () => reject(new BodyRejected(400, '送信が途中で切れました。もう一度お試しください。'))
    reading.then(resolve, rejectInterrupted).finally(() => signal.removeEventListener('abort', abort))
  })
}

// Copies the chunks into one buffer, because a chunk of one byte occupies a hundred bytes of memory.
async function readIntoMemory(chunks: AsyncIterable<Uint8Array>, size: number) {
  let bytes = Buffer.alloc(0)
  let length = 0
  for await (const chunk of chunks) {
    if (length === 0) bytes = Buffer.alloc(size)
    bytes.set(chunk, length)
    length += chunk.length
  }
  return bytes.subarray(0, length)
}

function replaceBody({ url, method, headers, signal }: Request, body: Uint8Array<ArrayBuffer> | Blob) {
  return new Request(url, { method, headers, signal, body })
}

type Arrival = { network: string; size: number }

/**
 * Returns a function that rejects a new body when a limit is reached. With `abortsOldest`, the function aborts the
 * oldest body of the full or busiest network instead.
 */
function createAdmission(limits: { capacity: number; perNetwork: number; abortsOldest: boolean }) {
  // A set iterates in insertion order, which is the order of arrival.
  const currentArrivals = new Set<Arrival & { controller: AbortController }>()

  function makeRoom({ network, size }: Arrival) {
    for (;;) {
      const networks = Map.groupBy(currentArrivals, (arrival) => arrival.network)
      const ownArrivals = networks.get(network) ?? []
      const totalSize = [...currentArrivals].reduce((sum, arrival) => sum + arrival.size, 0)
      const isOwnFull = ownArrivals.length >= limits.perNetwork
      if (!isOwnFull && totalSize + size <= limits.capacity) return
      const error = tooMany(isOwnFull ? 429 : 503)
      const [largest = []] = [...networks.values()].sort((a, b) => b.length - a.length)
      const [oldest] = isOwnFull ? ownArrivals : largest
      if (!limits.abortsOldest || !oldest) throw error
      currentArrivals.delete(oldest)
      oldest.controller.abort(error)
    }
  }

  return async <T>(arrival: Arrival, readBody: (controller: AbortController) => Promise<T>) => {
    makeRoom(arrival)
    const entry = { ...arrival, controller: new AbortController() }
    currentArrivals.add(entry)
    try {
      return await readBody(entry.controller)
    } finally {
      currentArrivals.delete(entry)
    }
  }
}

function tooMany(status: 429 | 503) {
  return new BodyRejected(status, '多数の送信が重なっています。少し待ってから、もう一度お試しください。')
}

function tooLarge() {
  return new BodyRejected(413, '送信された内容が大きすぎます。')
}
