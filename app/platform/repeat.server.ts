type RepeatOptions = {
  /** The delay after each run, in milliseconds; `afterFailure` is the delay after a failed run. */
  every: number
  afterFailure?: number
  failed: (error: unknown) => void
}

/** Runs the work now and repeatedly, never concurrently. Returns a function that stops and awaits the current run. */
export function repeat(
  work: (stopping: AbortSignal) => Promise<unknown>,
  { every, afterFailure = every, failed }: RepeatOptions,
) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const run = async () => {
    let delay = every
    try {
      await work(signal)
    } catch (error) {
      const isAborted = signal.aborted && error instanceof Error && error.name === 'AbortError'
      if (!isAborted) failed(error)
      delay = afterFailure
    }
    if (!signal.aborted) timer = setTimeout(() => (currentRun = run()), delay)
  }
  let currentRun = run()
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await currentRun
  }
}
