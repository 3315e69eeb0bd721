type Repeated = {
  /** The delay after each run, in milliseconds; `afterFailure` is the delay after a failed run. */
  every: number
  afterFailure?: number
  /** Called after a failed run, unless the stop aborted the run. */
  failed: (error: unknown) => void
}

/** Runs the work now and repeatedly, never concurrently. Returns a function that stops and awaits the current run. */
export function repeat(
  work: (stopping: AbortSignal) => Promise<unknown>,
  { every, afterFailure = every, failed }: Repeated,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    let pause = every
    try {
      await work(signal)
    } catch (error) {
      const cutShort = signal.aborted && error instanceof Error && error.name === 'AbortError'
      if (!cutShort) failed(error)
      pause = afterFailure
    }
    if (!signal.aborted) timer = setTimeout(() => (running = run()), pause)
  }
  let running = run()
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await running
  }
}
