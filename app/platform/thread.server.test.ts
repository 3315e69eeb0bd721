import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createThread } from './thread.server.ts'

describe('createThread', () => {
  test('runs tasks one after the other, urgent tasks first', async () => {
    const runTask = createThread<string, unknown>(writeWorker('text'))
    const results: unknown[] = []
    const run = async (text: string, urgent: boolean) => results.push(await runTask(text, { urgent }))
    await Promise.all([run('a', false), run('b', false), run('c', true), run('d', true)])
    expect(results).toEqual(['a', 'c', 'd', 'b'])
  })

  test('rejects one task when the thread crashes, and every task when the script is missing', async () => {
    const runTask = createThread<string, unknown>(writeWorker('text.startsWith("!") ? end(text) : text'))
    const results = await Promise.allSettled(['!crash', 'a', '!exit', 'b'].map((text) => runTask(text)))
    expect(results).toMatchObject([
      { reason: new Error('!crash') },
      { value: 'a' },
      { reason: new Error('worker thread exited with 7, expected a message') },
      { value: 'b' },
    ])
    await expect(createThread<string, unknown>('./server/none.ts')('a')).rejects.toThrow('none.ts')
  })

  test('ends the thread 30 seconds after the last task', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const runTask = createThread<string, unknown>(writeWorker('threadId'))
    const first = await runTask('a')
    await turn()
    vi.advanceTimersByTime(29_000)
    expect(await runTask('b')).toBe(first)
    vi.advanceTimersByTime(29_000)
    expect(await runTask('c')).toBe(first)
    vi.advanceTimersByTime(30_000)
    expect(await runTask('d')).not.toBe(first)
  })
})
/** Returns the path of a worker script that responds to each text with the value of the expression. */
function writeWorker(expression: string) {
  const script = `import { parentPort, threadId } from 'node:worker_threads'
    function end(text) {
      if (text === '!exit') process.exit(7)
      throw new Error(text)
    }
    parentPort.on('message', async (text) => parentPort.postMessage(await (${expression})))`
  const folder = mkdtempSync(join(tmpdir(), 'noren-thread-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'answering.mjs')
  writeFileSync(file, script)
  return file
}
