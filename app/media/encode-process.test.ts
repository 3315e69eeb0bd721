import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

// Script of a parent process, which starts the encoding of an image.
const parentScript = `
import { fork } from 'node:child_process'
import sharp from 'sharp'
const bytes = await sharp({ create: { width: 900, height: 900, channels: 3, background: '#b33' } }).png().toBuffer()
const encoder = fork('app/media/encode-process.ts', { serialization: 'advanced', execArgv: [] })
encoder.send({ bytes, box: 'card' }, () => console.log('begun'))
`

test('ends the encoder process without output when the parent process is killed', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentScript])
  const errors: string[] = []
  parent.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  await once(parent.stdout, 'data')
  parent.kill('SIGKILL')
  // The encoder inherits the output of its parent, so `close` fires only after both processes have ended.
  await once(parent, 'close')
  expect(errors).toEqual([])
})
