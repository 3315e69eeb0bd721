type Repeated = {
  /** The pause after each run, in milliseconds; `afterFailure` where that one is another. */
  every: number
  afterFailure?: number
  /** Is told why a run failed; one that was cut short by the stop has not. */
  failed: (error: unknown) => void
}

/** Does the work now and again and again, never twice at once; returns how to stop, which waits for the run under way. */
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
