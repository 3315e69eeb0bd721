const INTERVAL_MS = 15_000

/**
 * Returns a function that counts one item as done, and prints the progress every 15 seconds. The time left assumes that
 * an item takes time in proportion to its weight.
 */
export function createProgress(total: { count: number; weight: number }, items: string) {
  const began = performance.now()
  const done = { count: 0, weight: 0 }
  let printedAt = began
  return (weight: number) => {
    done.count += 1
    done.weight += weight
    const now = performance.now()
    if (now - printedAt < INTERVAL_MS || done.count === total.count) return
    printedAt = now
    const left = ((now - began) / done.weight) * (total.weight - done.weight)
    console.log(`── ${done.count} of ${total.count} ${items}, about ${inMinutes(left)} left`)
  }
}

function inMinutes(ms: number) {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
