import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { backgroundWork } from '../../server/dependencies.ts'
import { runInChildProcess } from '../platform/child-process.server.ts'

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

test.each([
  ['the encoder', () => runInChildProcess('app/media/encode-process.ts', { bytes: Buffer.alloc(0), box: 'card' })],
  ['the logo process', () => backgroundWork.drawLogo({ characters: '結', name: '結', palette: 'shu' })],
])('stores the compiled code of %s for the next start, although the parent kills the process', async (_, run) => {
  const folder = mkdtempSync(join(tmpdir(), 'noren-compiled-'))
  vi.stubEnv('NODE_COMPILE_CACHE', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  await run()
  expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(10)
})
