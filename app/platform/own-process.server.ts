import { fork } from 'node:child_process'
import { once } from 'node:events'

const MAX_MS = 60_000

/** Runs a script for one message in a child process to isolate memory and crashes. Throws on exit or after a minute. */
export async function inOwnProcess<Answer>(script: string, message: unknown) {
  const child = fork(script, { serialization: 'advanced', execArgv: [] })
  // Prevents an uncaught exception; `once` rejects on the error too.
  child.on('error', () => {})
  const signal = AbortSignal.timeout(MAX_MS)
  try {
    child.send(message as object)
    const ended = once(child, 'exit', { signal }).then(([code, killed]) => {
      throw new Error(`${script} ended with ${killed ?? code}`)
    })
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended])
    return answer as Answer
  } finally {
    child.kill('SIGKILL')
  }
}
