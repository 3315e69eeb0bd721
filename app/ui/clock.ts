const MINUTE = 60_000
const TOLERATED = 2 * MINUTE
const ANSWERED_WITHIN = 5000

// How far the server's clock is ahead of the device's; 0 where they are near enough.
let ahead = 0
// What the time was when it was looked up last, beside a clock that nobody sets.
let last: { time: number; steady: number } | undefined
let isKnown = false
let isSure = true
let asking: Promise<void> | undefined

/**
 * The time in milliseconds since 1970: the device's, or the server's where the two are more than two minutes apart.
 * `asOf`, which is when the server made the page, until that is known.
 */
export function timeNow(asOf: number) {
  return isKnown ? Date.now() + ahead : asOf
}

/**
 * Tells the time now, at every minute, and as soon as a hidden page is seen again. `asOf` is when the server made the
 * page. Returns how to stop.
 */
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

// The page may be an old one, the device may have slept, or its clock is not right: an answer of this moment tells.
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
