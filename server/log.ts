import pino from 'pino'

const ERROR = 50
const MINUTE = 60_000
const MAX_A_MINUTE = 1000

type Destination = { write(line: string): unknown }
type Terminal = Destination & { hasColors(): boolean }

/** Creates the JSON log. Errors and other lines are limited to 1000 a minute each, so that the disk cannot fill up. */
export function openLog(level: string, to: Destination) {
  const told = { count: 0, minute: 0 }
  const wrong = { count: 0, minute: 0 }
  const bounded = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const kept = bounded.lastLevel >= ERROR ? wrong : told
      const minute = Math.floor(Date.now() / MINUTE)
      if (minute !== kept.minute) {
        const missing = kept.count - MAX_A_MINUTE
        if (missing > 0)
          to.write(`${JSON.stringify({ level: 40, time: Date.now(), missing, msg: 'too many lines' })}\n`)
        Object.assign(kept, { count: 0, minute })
      }
      kept.count += 1
      if (kept.count <= MAX_A_MINUTE) to.write(line)
    },
  }
  return pino({ level }, bounded)
}

/** Formats log lines for a person, in the machine's local time. */
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
