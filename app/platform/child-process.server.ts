import { fork } from 'node:child_process'
import { nextMessage } from './next-message.server.ts'

const TIMEOUT_MS = 60_000

/** Runs a script for one message in a child process. Throws if it exits first or does not respond within a minute. */
export async function runInChildProcess<Result>(script: string, message: unknown) {
  const child = fork(script, { serialization: 'advanced', execArgv: [] })
  // This listener prevents an uncaught exception. `nextMessage` rejects on the error too.
  child.on('error', () => {})
  try {
    child.send(message as object)
    return await nextMessage<Result>(child, script, TIMEOUT_MS)
  } finally {
    child.kill('SIGKILL')
  }
}
