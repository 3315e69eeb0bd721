import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const IDLE_MS = 30_000
const MOST_MS = 20_000

/** Makes the heading font with the characters of a text, as WOFF2; an urgent one before those that are not. Throws where it fails. */
export type MakeFont = (text: string, how: { urgent: boolean }) => Promise<Uint8Array>

type Wanted = { text: string; urgent: boolean; font: PromiseWithResolvers<Uint8Array> }

/**
 * Makes fonts one at a time in a thread that serves nobody. It begins when one is wanted and ends half a minute after
 * the last: what the font takes in memory is given back, and a making that crashes brings down nothing else.
 */
export function createFontMaker(script: string | URL = './server/heading-font-worker.ts'): MakeFont {
  const queue: Wanted[] = []
  let working = false
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  async function work() {
    if (working) return
    working = true
    for (let next = takeNext(); next; next = takeNext()) {
      await makeNow(next.text).then(next.font.resolve, next.font.reject)
    }
    working = false
  }

  function takeNext() {
    const urgent = queue.findIndex((wanted) => wanted.urgent)
    return queue.splice(Math.max(0, urgent), 1)[0]
  }

  async function makeNow(text: string) {
    clearTimeout(idle)
    worker ??= begin()
    const answered = new AbortController()
    const signal = AbortSignal.any([answered.signal, AbortSignal.timeout(MOST_MS)])
    try {
      worker.postMessage(text)
      const ended = once(worker, 'exit', { signal }).then(([code]) => {
        throw new Error(`The maker of fonts ended with ${code}`)
      })
      const [font] = await Promise.race([once(worker, 'message', { signal }), ended])
      return font as Uint8Array
    } catch (error) {
      end()
      throw error
    } finally {
      answered.abort()
      idle = setTimeout(end, IDLE_MS).unref()
    }
  }

  function begin() {
    const begun = new Worker(script, { execArgv: [] })
    begun.unref()
    // Whoever waits for it hears of an error too.
    begun.on('error', () => {})
    begun.on('exit', () => {
      if (worker === begun) worker = null
    })
    return begun
  }

  function end() {
    worker?.terminate()
    worker = null
  }

  return (text, { urgent }) => {
    const font = Promise.withResolvers<Uint8Array>()
    queue.push({ text, urgent, font })
    work()
    return font.promise
  }
}
