/**
 * Returns the result of the work, or that of `onTimeout` if `ms` milliseconds pass without a result or a call of
 * `progress`. A result that arrived while this process was busy is still in time.
 */
export async function withTimeout<T>(ms: number, work: (progress: () => void) => Promise<T>, onTimeout: () => T) {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => setImmediate(() => setImmediate(resolve)), ms)
  try {
    return await Promise.race([work(() => timer.refresh()), timedOut.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}
