import pino from 'pino'

const ERROR = 50
const MINUTE = 60_000
const MOST_A_MINUTE = 1000

/** What takes the lines of the log. */
type Destination = { write(line: string): unknown }
type Terminal = Destination & { hasColors(): boolean }

/**
 * The site's log, a line of JSON each. No stranger fills the disk with it: of what is only told, and of what is wrong, it
 * has a thousand lines a minute each, then one that says how many are missing. Lines that find no room are lost.
 */
export function openLog(level: string, to: Destination = process.stdout, clock: () => number = Date.now) {
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

/** Takes the lines of the log to this terminal as a person reads them: the time of the machine, the words, what belongs to them. */
export async function openTerminal(terminal: Terminal): Promise<Destination> {
  const { prettyFactory } = await import('pino-pretty')
  const inWords = prettyFactory({
    colorize: terminal.hasColors(),
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,method,path,status,ms',
    messageFormat: '{msg}{if method} {method} {path} {status}{end}{if ms} {ms} ms{end}',
    singleLine: true,
  })
  return { write: (line) => terminal.write(inWords(line)) }
}
