import pino from 'pino'

const ERROR_LEVEL = 50
const MINUTE = 60_000
const MAX_LINES_PER_MINUTE = 1000

type Destination = { write(line: string): unknown }
type Terminal = Destination & { hasColors(): boolean }

/** Opens the log. Limits errors and other lines to 1000 each a minute, so that the log cannot fill the disk. */
export function openLog(level: string, destination: Destination) {
  const otherLines = { count: 0, minute: 0 }
  const errorLines = { count: 0, minute: 0 }
  const limited = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      const counter = limited.lastLevel >= ERROR_LEVEL ? errorLines : otherLines
      const minute = Math.floor(Date.now() / MINUTE)
      if (minute !== counter.minute) {
        const missing = counter.count - MAX_LINES_PER_MINUTE
        if (missing > 0)
          destination.write(`${JSON.stringify({ level: 40, time: Date.now(), missing, msg: 'too many lines' })}\n`)
        Object.assign(counter, { count: 0, minute })
      }
      counter.count += 1
      if (counter.count <= MAX_LINES_PER_MINUTE) destination.write(line)
    },
  }
  return pino({ level }, limited)
}

/** Opens a terminal as the destination of the log. Times are in the machine's local time. */
export async function openTerminal(terminal: Terminal): Promise<Destination> {
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    colorize: terminal.hasColors(),
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,method,path,status,ms',
    messageFormat: '{msg}{if method} {method} {path} {status}{end}{if ms} {ms} ms{end}',
    singleLine: true,
  })
  return { write: (line) => terminal.write(format(line)) }
}
