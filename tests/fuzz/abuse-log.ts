import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { isPromised } from './hostile-site.ts'

const ERROR = 50
const SETTLED_MS = 20

/** What the site says, written into a file; the lines of its errors are at hand too. */
export function openLog(file: string) {
  const kept = createWriteStream(file)
  const errors: string[] = []
  let bytes = 0
  let begun = ''
  let last: string[] = []

  // What is no JSON was not meant to be said: an error of several lines, the further ones indented.
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
    /** The last lines. */
    last: () => last.join('\n'),
    /** Lets come in what was said just now. */
    settled: () => setTimeout(SETTLED_MS),
  }
}
