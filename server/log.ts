import pino from 'pino'

const ERROR = 50
const MINUTE = 60_000
const MOST_A_MINUTE = 1000

const MOST_UNWRITTEN = 1024 * 1024

// A log that cannot be written, as on a full disk, ends nothing: of what waits for room, a little is kept.
function standardOutput() {
  return pino.destination({ fd: 1, maxLength: MOST_UNWRITTEN }).on('error', () => {})
}

/** What takes the lines of the log. */
type Destination = { write(line: string): void }

/**
 * The site's log, a line of JSON each. No stranger fills the disk with it: of what is only told, and of what is wrong, it
 * has a thousand lines a minute each, then one that says how many are missing.
 */
export function openLog(level: string, to: Destination = standardOutput(), clock: () => number = Date.now) {
  const told = { count: 0, minute: 0 }
  const wrong = { count: 0, minute: 0 }
  const bounded = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const kept = bounded.lastLevel >= ERROR ? wrong : told
      const minute = Math.floor(clock() / MINUTE)
      if (minute !== kept.minute) {
        const missing = kept.count - MOST_A_MINUTE
        if (missing > 0) to.write(`${JSON.stringify({ level: 40, time: clock(), missing, msg: 'too many lines' })}\n`)
        Object.assign(kept, { count: 0, minute })
      }
      kept.count += 1
      if (kept.count <= MOST_A_MINUTE) to.write(line)
    },
  }
  return pino({ level }, bounded)
}
