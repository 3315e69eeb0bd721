import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Encoded, Refusal } from './encode.ts'
import type { Box } from './image.ts'

const MOST_MS = 60_000
const RESTS_AFTER_MS = 10_000

let encoder: ChildProcess | null = null
let resting: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Encodes a picture, one at a time, in a process of its own: what decoding takes in memory is given back when that ends,
 * and a picture that brings it down brings down nothing else. It throws then.
 */
export function encode(bytes: Buffer, box: Box): Promise<Encoded | Refusal> {
  const turn = last.then(() => encodeNow(bytes, box))
  last = turn.catch(() => {})
  return turn
}

async function encodeNow(bytes: Buffer, box: Box) {
  clearTimeout(resting)
  encoder ??= start()
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(MOST_MS)])
  try {
    encoder.send({ bytes, box })
    const ended = once(encoder, 'exit', { signal }).then(([code, killed]) => {
      throw new Error(`The encoder ended with ${killed ?? code}`)
    })
    const [answer] = await Promise.race([once(encoder, 'message', { signal }), ended])
    resting = setTimeout(rest, RESTS_AFTER_MS).unref()
    return answer as Encoded | Refusal
  } catch (error) {
    rest()
    throw error
  } finally {
    done.abort()
  }
}

function start() {
  const child = fork('app/media/encode-process.ts', {
    serialization: 'advanced',
    execArgv: [],
    // Else its C library keeps a hundred megabytes for threads that come and go.
    env: { ...process.env, MALLOC_ARENA_MAX: '2' },
  })
  // It ends with the site, and does not keep it from ending.
  child.unref()
  child.channel?.unref()
  // Whoever waits for it hears of this too.
  child.on('error', () => {})
  child.once('exit', () => {
    if (encoder === child) encoder = null
  })
  return child
}

function rest() {
  encoder?.kill('SIGKILL')
  encoder = null
}
