import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flushFolder } from './flush-folder.ts'

// Node ends the process when it garbage-collects a file handle that is still open.
test.skipIf(process.platform !== 'linux')('closes its handle and throws when the disk cannot flush', async () => {
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  await expect(flushFolder('/dev/null')).rejects.toThrow('EINVAL')
  expect(open()).toBe(before)
})
