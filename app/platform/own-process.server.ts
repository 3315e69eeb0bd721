import { fork } from 'node:child_process'
import { once } from 'node:events'

const MOST_MS = 60_000

/**
 * Has a script answer one message in a process of its own, which ends with that: what it takes in memory is given back,
 * and where it is brought down nothing else is. It throws then, and after a minute.
 */
export async function inOwnProcess<Answer>(script: string, message: unknown) {
  const child = fork(script, {
    serialization: 'advanced',
    execArgv: [],
    // Else its C library keeps a hundred megabytes for threads that come and go.
    env: { ...process.env, MALLOC_ARENA_MAX: '2' },
  })
  // Whoever waits for it hears of an error too.
  child.on('error', () => {})
  const signal = AbortSignal.timeout(MOST_MS)
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
