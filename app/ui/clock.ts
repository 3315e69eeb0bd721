const MINUTE_MS = 60_000
const TOLERANCE_MS = 2 * MINUTE_MS
const TIMEOUT_MS = 5000

// Milliseconds by which the server's clock is ahead of the device's; 0 within the tolerance.
let offset = 0
let lastCheck: { time: number; monotonic: number } | undefined
let isKnown = false
let isConfirmed = true
let request: Promise<void> | undefined

/** Returns the corrected time in milliseconds since 1970, or `serverTime` before the first check. */
export function timeNow(serverTime: number) {
  return isKnown ? Date.now() + offset : serverTime
}

export function everyMinute(serverTime: number, onTick: (now: number) => void) {
  let timer: ReturnType<typeof setTimeout>
  let stopped = false
  lastCheck ??= { time: serverTime, monotonic: performance.now() }

  const check = async () => {
    if (document.hidden) return
    if (!isConfirmed || hasDrifted()) {
      if (isKnown) notify()
      await fetchServerTime()
    }
    isKnown = true
    notify()
    lastCheck = { time: timeNow(serverTime), monotonic: performance.now() }
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(check, MINUTE_MS - (timeNow(serverTime) % MINUTE_MS))
  }
  const notify = () => {
    if (!stopped) onTick(timeNow(serverTime))
  }

  check()
  document.addEventListener('visibilitychange', check)
  return () => {
    stopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', check)
  }
}

// Detects a cached page, a device that slept, and a wrong clock, by comparison with the monotonic clock.
function hasDrifted() {
  if (!lastCheck) return false
  return Math.abs(Date.now() + offset - lastCheck.time - (performance.now() - lastCheck.monotonic)) > TOLERANCE_MS
}

function fetchServerTime() {
  request ??= fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then(({ headers }) => {
      const difference = Date.parse(headers.get('date') ?? '') - Date.now()
      offset = Math.abs(difference) > TOLERANCE_MS ? difference : 0
      isConfirmed = !Number.isNaN(difference)
    })
    .catch(() => {
      isConfirmed = false
    })
    .finally(() => {
      request = undefined
    })
  return request
}
