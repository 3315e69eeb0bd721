import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { isExpectedError } from './hostile-site.ts'

const ERROR_LEVEL = 50
const SETTLED_MS = 20

/** Writes the site's log to a file and collects its errors. */
export function openLog(file: string) {
  const output = createWriteStream(file)
  const errors: string[] = []
  let bytes = 0
  let partialLine = ''
  let lastLines: string[] = []

  // A line that is not JSON is part of an uncaught error. Indented lines continue the previous line.
  function readLine(line: string) {
    const level = /^\{"level":(\d+)/.exec(line)?.[1]
    if (level === undefined && /^[\s}]/.test(line)) errors.push(`${errors.pop() ?? ''}\n${line}`)
    else if (level === undefined || (Number(level) >= ERROR_LEVEL && !isExpectedError(JSON.parse(line))))
      errors.push(line)
  }

  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.length
      const lines = (partialLine + chunk.toString()).split('\n')
      partialLine = lines.pop() ?? ''
      for (const line of lines) readLine(line)
      lastLines = [...lastLines, ...lines].slice(-20)
      if (output.write(chunk)) done()
      else output.once('drain', () => done())
    },
  })
  return {
    file,
    stream,
    errors,
    bytes: () => bytes,
    /** Returns the last 20 lines of the log. */
    lastLines: () => lastLines.join('\n'),
    /** Waits until pending log lines have arrived. */
    waitUntilSettled: () => setTimeout(SETTLED_MS),
  }
}
