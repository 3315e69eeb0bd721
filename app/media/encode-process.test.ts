import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

// A site that has begun to encode a picture.
const begins = `
import { fork } from 'node:child_process'
import sharp from 'sharp'
const bytes = await sharp({ create: { width: 900, height: 900, channels: 3, background: '#b33' } }).png().toBuffer()
const encoder = fork('app/media/encode-process.ts', { serialization: 'advanced', execArgv: [] })
encoder.send({ bytes, box: 'card' }, () => console.log('begun'))
`

test('an encoder whose site was killed meanwhile ends too, and says nothing', async () => {
  const site = spawn(process.execPath, ['--input-type=module', '-e', begins])
  const said: string[] = []
  site.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await once(site.stdout, 'data')
  site.kill('SIGKILL')
  // Its output is closed when the encoder has ended, which has it too.
  await once(site, 'close')
  expect(said).toEqual([])
})
