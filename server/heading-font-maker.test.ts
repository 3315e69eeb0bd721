import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFontMaker } from './heading-font-maker.ts'

const ordinary = { urgent: false }

test('fonts are made one after the other, the urgent ones first', async () => {
  const makeFont = createFontMaker(answering('text'))
  const made: unknown[] = []
  const make = async (text: string, urgent: boolean) => made.push(await makeFont(text, { urgent }))
  await Promise.all([make('a', false), make('b', false), make('c', true), make('d', true)])
  expect(made).toEqual(['a', 'c', 'd', 'b'])
})

test('a thread that crashes or ends fails for one font alone, and one that is not there for each', async () => {
  const makeFont = createFontMaker(answering('text.startsWith("!") ? end(text) : text'))
  const made = await Promise.allSettled(['!crash', 'a', '!exit', 'b'].map((text) => makeFont(text, ordinary)))
  expect(made).toMatchObject([
    { reason: new Error('!crash') },
    { value: 'a' },
    { reason: new Error('The maker of fonts ended with 7') },
    { value: 'b' },
  ])
  await expect(createFontMaker('./server/none.ts')('a', ordinary)).rejects.toThrow('none.ts')
})

test('the thread works on while it is wanted, and ends half a minute after the last', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const makeFont = createFontMaker(answering('threadId'))
  const first = await makeFont('a', ordinary)
  await turn()
  vi.advanceTimersByTime(29_000)
  expect(await makeFont('b', ordinary)).toBe(first)
  vi.advanceTimersByTime(29_000)
  expect(await makeFont('c', ordinary)).toBe(first)
  vi.advanceTimersByTime(30_000)
  expect(await makeFont('d', ordinary)).not.toBe(first)
})

/** A thread that answers each text with this expression. */
function answering(expression: string) {
  const script = `import { parentPort, threadId } from 'node:worker_threads'
    function end(text) {
      if (text === '!exit') process.exit(7)
      throw new Error(text)
    }
    parentPort.on('message', async (text) => parentPort.postMessage(await (${expression})))`
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`)
}
