const INTERVAL_MS = 15_000

export function createProgress(total: number, items: string) {
  const began = performance.now()
  let printedAt = began
  let done = 0
  return () => {
    done += 1
    const now = performance.now()
    if (now - printedAt < INTERVAL_MS || done === total) return
    printedAt = now
    console.log(`── ${done} of ${total} ${items}, about ${inMinutes(((now - began) / done) * (total - done))} left`)
  }
}

function inMinutes(ms: number) {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
