import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Encoded, Refusal } from './encode.ts'
import type { Box } from './image.ts'

const MOST_MS = 60_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Encodes a picture, one at a time and each in a process of its own: what decoding takes in memory is given back, and a
 * picture that brings it down brings down nothing else. It throws then.
 */
export function encode(bytes: Buffer, box: Box): Promise<Encoded | Refusal> {
  const turn = last.then(() => encodeNow(bytes, box))
  last = turn.catch(() => {})
  return turn
}

async function encodeNow(bytes: Buffer, box: Box) {
  const encoder = fork('app/media/encode-process.ts', {
    serialization: 'advanced',
    execArgv: [],
    // Else its C library keeps a hundred megabytes for threads that come and go.
    env: { ...process.env, MALLOC_ARENA_MAX: '2' },
  })
  // Whoever waits for it hears of an error too.
  encoder.on('error', () => {})
  const signal = AbortSignal.timeout(MOST_MS)
  try {
    encoder.send({ bytes, box })
    const ended = once(encoder, 'exit', { signal }).then(([code, killed]) => {
      throw new Error(`The encoder ended with ${killed ?? code}`)
    })
    const [answer] = await Promise.race([once(encoder, 'message', { signal }), ended])
    return answer as Encoded | Refusal
  } finally {
    encoder.kill('SIGKILL')
  }
}
