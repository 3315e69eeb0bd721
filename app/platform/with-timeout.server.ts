/** Times out `ms` milliseconds after the last `progress`. A result that arrived while the process was busy counts. */
export async function withTimeout<T>(ms: number, work: (progress: () => void) => Promise<T>, onTimeout: () => T) {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => setImmediate(() => setImmediate(resolve)), ms)
  try {
    return await Promise.race([work(() => timer.refresh()), timedOut.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}
