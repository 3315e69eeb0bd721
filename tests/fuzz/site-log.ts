import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { isPromised } from './hostile-site.ts'

const ERROR = 50
const SETTLED_MS = 20

/** Writes the site's log to a file and collects its errors. */
export function openLog(file: string) {
  const kept = createWriteStream(file)
  const errors: string[] = []
  let bytes = 0
  let begun = ''
  let last: string[] = []

  // A line that is not JSON is part of an uncaught error. Indented lines continue the previous line.
  function hear(line: string) {
    const level = /^\{"level":(\d+)/.exec(line)?.[1]
    if (level === undefined && /^[\s}]/.test(line)) errors.push(`${errors.pop() ?? ''}\n${line}`)
    else if (level === undefined || (Number(level) >= ERROR && !isPromised(JSON.parse(line)))) errors.push(line)
  }

  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.length
      const lines = (begun + chunk.toString()).split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) hear(line)
      last = [...last, ...lines].slice(-20)
      if (kept.write(chunk)) done()
      else kept.once('drain', () => done())
    },
  })
  return {
    file,
    stream,
    errors,
    bytes: () => bytes,
    /** Returns the last lines. */
    last: () => last.join('\n'),
    /** Waits for log lines in transit. */
    settled: () => setTimeout(SETTLED_MS),
  }
}
