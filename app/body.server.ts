import { openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGate } from './gate.ts'
import { countOfNetworks, networkOf } from './network.ts'

/** A form that only asks who somebody is. */
export const SMALL_FORM = 64 * 1024
/** A form of texts: a letter, a card, the steps of the registration. */
export const TEXT_FORM = 512 * 1024
/** A form with a picture of 25 MB: beside it stand what else was filled in, boundaries and headers. */
export const PICTURE_FORM = 25 * 1024 * 1024 + 128 * 1024

const PATIENCE_MS = 20_000
const MOST_AT_ONCE = 1000
// Carriers put many telephones behind one address.
const MOST_OF_ONE_NETWORK = 100
const MOST_PICTURES_AT_ONCE = 20
const MOST_PICTURES_OF_ONE_NETWORK = 10

/** Why what was sent is not taken, in the words of an answer with this status. */
export class BodyRefused extends Error {
  readonly status: 400 | 408 | 413 | 429 | 503

  constructor(status: BodyRefused['status'], message: string) {
    super(message)
    this.status = status
  }
}

const small = arrivals({ atOnce: MOST_AT_ONCE, ofOneNetwork: MOST_OF_ONE_NETWORK })
const large = arrivals({ atOnce: MOST_PICTURES_AT_ONCE, ofOneNetwork: MOST_PICTURES_OF_ONE_NETWORK })
// However many have arrived, what is held of them in memory has its limit.
const opening = createGate({ places: MOST_PICTURES_AT_ONCE, room: 32 * 1024 * 1024 })

/**
 * Does `work` with a request whose body is here, whole. Refuses one of more than `most` bytes as soon as that is known, and
 * one of which nothing comes for 20 seconds; what may hold a picture waits for its turn in a file, once it is here.
 */
export async function withBody<T>(
  request: Request,
  { most, address }: { most: number; address: string | null },
  work: (arrived: Request) => Promise<T>,
): Promise<T> {
  const body = request.body
  if (!body) return work(request)
  const said = request.headers.get('content-length')
  const size = said === null ? most : Number(said)
  if (!(size <= most)) throw tooLarge()
  if (size <= TEXT_FORM) {
    const bytes = await small(networkOf(address), () => inMemory(chunksOf(body, most)))
    return work(withWhole(request, bytes))
  }
  return large(networkOf(address), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'noren-body-'))
    try {
      const file = join(folder, 'body')
      const length = await inFile(chunksOf(body, most), file)
      return await opening.pass(length, async () => work(withWhole(request, await openAsBlob(file))))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

async function* chunksOf(body: ReadableStream<Uint8Array>, most: number) {
  const reader = body.getReader()
  let length = 0
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read())
      if (done) return
      length += value.length
      if (length > most) throw tooLarge()
      yield value
    }
  } finally {
    // Whoever sends it hears of the answer first: cancelling waits for what is not coming.
    void reader.cancel().catch(() => {})
  }
}

async function inTime<T>(reading: Promise<T>) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new BodyRefused(408, '送信が途中で止まりました。もう一度お試しください。')),
      PATIENCE_MS,
    )
  })
  try {
    return await Promise.race([reading, late])
  } catch (error) {
    if (error instanceof BodyRefused) throw error
    throw new BodyRefused(400, '送信が途中で切れました。もう一度お試しください。')
  } finally {
    clearTimeout(timer)
  }
}

async function inMemory(chunks: AsyncIterable<Uint8Array>) {
  const held: Uint8Array[] = []
  for await (const chunk of chunks) held.push(chunk)
  return Buffer.concat(held)
}

async function inFile(chunks: AsyncIterable<Uint8Array>, path: string) {
  const file = await open(path, 'wx', 0o600)
  let length = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      length += chunk.length
    }
  } finally {
    await file.close()
  }
  return length
}

function withWhole({ url, method, headers, signal }: Request, body: Uint8Array<ArrayBuffer> | Blob) {
  return new Request(url, { method, headers, signal, body })
}

function arrivals({ atOnce, ofOneNetwork }: { atOnce: number; ofOneNetwork: number }) {
  const arriving = countOfNetworks()
  let all = 0
  const count = (network: string, by: 1 | -1) => {
    all += by
    arriving.change(network, by)
  }
  return async <T>(network: string, arrive: () => Promise<T>) => {
    const sentence = 'たくさんの送信が重なっています。少し待ってから、もう一度お試しください。'
    if (all >= atOnce) throw new BodyRefused(503, sentence)
    if (arriving.of(network) >= ofOneNetwork) throw new BodyRefused(429, sentence)
    count(network, 1)
    try {
      return await arrive()
    } finally {
      count(network, -1)
    }
  }
}

function tooLarge() {
  return new BodyRefused(413, '送られた内容が大きすぎます。')
}
