import { tellReach } from './reach.ts'

const FIRST_WAIT = 1000
const LONGEST_WAIT = 10_000

/** Wraps the global fetch to retry requests for route data. React Router would show an error instead of the page. */
export function keepAskingForData() {
  const ask = window.fetch
  window.fetch = async (input, init) => {
    if (!isForData(input, init)) return ask(input, init)
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      const answer = await ask(input, init).catch((error: unknown) => {
        if (init?.signal?.aborted || !(error instanceof TypeError)) throw error
        return null
      })
      if (answer && answer.status < 500) {
        tellReach('reached')
        return answer
      }
      tellReach(answer ? 'failing' : 'unreachable')
      await pause(wait, init?.signal)
    }
  }
}

function isForData(input: RequestInfo | URL, init: RequestInit | undefined) {
  return input instanceof URL && (init?.method ?? 'GET') === 'GET' && input.pathname.endsWith('.data')
}

/** Resolves after `ms` milliseconds or when the browser is online again. Rejects if the signal aborts. */
export function pause(ms: number, signal?: AbortSignal | null) {
  return new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
