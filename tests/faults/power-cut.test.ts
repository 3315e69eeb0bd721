import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canSimulateFaults, openDisk } from './failing-disk.ts'

// Random source that selects the worst power cut: it drops every write that may be dropped.
const dropEverything = {
  next: () => 0,
  between: (min: number) => min,
  pick: <T>(items: readonly T[]) => items[0],
  chance: () => false,
}

/** Runs a program in a folder and simulates a power cut. Returns the remaining files. */
function runAndCutPower(program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-power-'))
  const disk = openDisk(folder)
  onTestFinished(() => {
    disk.close()
    rmSync(folder, { recursive: true })
  })
  const env = { ...process.env, ...disk.settings, FOLDER: folder }
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  disk.cutPower(dropEverything)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  return files.map(({ name, parentPath }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }))
}

test.skipIf(!canSimulateFaults())('preserves only flushed data in the worst power cut', () => {
  const files = runAndCutPower(`
    import { writeFileSync, openSync, writeSync, fsyncSync } from 'node:fs'
    const flushed = openSync(process.env.FOLDER + '/flushed', 'w')
    writeSync(flushed, 'kept')
    fsyncSync(flushed)
    writeSync(flushed, ' and lost')
    writeFileSync(process.env.FOLDER + '/unflushed', 'lost')
  `)
  expect(files).toEqual([{ name: 'flushed', text: 'kept' }])
})

test.skipIf(!canSimulateFaults())('preserves an e-mail in a power cut when the e-mail was stored as a file', () => {
  const files = runAndCutPower(`
    import { fileMailer } from './app/mail/mailer.server.ts'
    const mailer = fileMailer(process.env.FOLDER + '/mails', 'noreply@example.jp')
    await mailer.send({ id: 'one', to: 'hana@example.jp', subject: 's', text: 'the words', html: '', date: new Date(0) })
  `)
  expect(files).toEqual([{ name: expect.stringMatching(/-one\.eml$/), text: expect.stringContaining('the words') }])
})
