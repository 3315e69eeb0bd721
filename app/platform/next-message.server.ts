import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'

/** Resolves with the next message of a worker or child process. Rejects on an error, on exit or after `timeoutMs`. */
export async function nextMessage<T>(source: Worker | ChildProcess, name: string, timeoutMs: number) {
  const cleanup = new AbortController()
  const signal = AbortSignal.any([cleanup.signal, AbortSignal.timeout(timeoutMs)])
  const exited = once(source, 'exit', { signal }).then(([code, signalName]) => {
    throw new Error(`${name} exited with ${signalName ?? code}, expected a message`)
  })
  try {
    const [message] = await Promise.race([once(source, 'message', { signal }), exited])
    return message as T
  } finally {
    cleanup.abort()
  }
}
