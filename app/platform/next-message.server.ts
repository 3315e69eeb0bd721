import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'

/** Resolves with the next message of a worker or child. Rejects on its error, its exit or after `timeoutMs`. */
export async function nextMessage<T>(from: Worker | ChildProcess, name: string, timeoutMs: number) {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(timeoutMs)])
  const ended = once(from, 'exit', { signal }).then(([code, killed]) => {
    throw new Error(`${name} ended with ${killed ?? code}`)
  })
  try {
    const [message] = await Promise.race([once(from, 'message', { signal }), ended])
    return message as T
  } finally {
    done.abort()
  }
}
