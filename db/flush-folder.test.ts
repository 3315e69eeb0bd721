import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flushFolder } from './flush-folder.ts'

// A handle that nobody closed ends the process when it is collected.
test.skipIf(process.platform !== 'linux')(
  'where the disk does not flush, that is said, and nothing stays open',
  async () => {
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    await expect(flushFolder('/dev/null')).rejects.toThrow('EINVAL')
    expect(open()).toBe(before)
  },
)
