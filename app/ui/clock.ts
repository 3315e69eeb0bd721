const MINUTE = 60_000
const TOLERATED = 2 * MINUTE
const ANSWERED_WITHIN = 5000

// Milliseconds by which the server's clock is ahead of the device's; 0 within the tolerance.
let ahead = 0
// The time at the last check, and the monotonic clock at that moment.
let last: { time: number; steady: number } | undefined
let isKnown = false
let isSure = true
let asking: Promise<void> | undefined

/** Returns the corrected time in milliseconds since 1970, or `asOf` (from the server) before the first check. */
export function timeNow(asOf: number) {
  return isKnown ? Date.now() + ahead : asOf
}

/** Calls `tell` every full minute and when a hidden page becomes visible. Returns a function that stops the calls. */
export function everyMinute(asOf: number, tell: (now: number) => void) {
  let timer: ReturnType<typeof setTimeout>
  let stopped = false
  last ??= { time: asOf, steady: performance.now() }

  const look = async () => {
    if (document.hidden) return
    if (!isSure || isOff()) {
      if (isKnown) say()
      await ask()
    }
    isKnown = true
    say()
    last = { time: timeNow(asOf), steady: performance.now() }
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(look, MINUTE - (timeNow(asOf) % MINUTE))
  }
  const say = () => {
    if (!stopped) tell(timeNow(asOf))
  }

  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    stopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', look)
  }
}

// Detects a cached page, a device that slept, and a wrong clock, by comparison with the monotonic clock.
function isOff() {
  if (!last) return false
  return Math.abs(Date.now() + ahead - last.time - (performance.now() - last.steady)) > TOLERATED
}

function ask() {
  asking ??= fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERED_WITHIN) })
    .then(({ headers }) => {
      const differs = Date.parse(headers.get('date') ?? '') - Date.now()
      ahead = Math.abs(differs) > TOLERATED ? differs : 0
      isSure = !Number.isNaN(differs)
    })
    .catch(() => {
      isSure = false
    })
    .finally(() => {
      asking = undefined
    })
  return asking
}
