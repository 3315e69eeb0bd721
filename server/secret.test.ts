import fs, { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readOrMakeSecret } from './secret.ts'
import { newFolder } from './testing-disks.ts'

test('a site makes its secret once, for itself alone', () => {
  const made = () => join(newFolder(), 'data')
  const folder = made()
  const secret = readOrMakeSecret(folder)
  // Another one would sign everyone out at each start.
  expect(readOrMakeSecret(folder)).toBe(secret)
  expect(readOrMakeSecret(made())).not.toBe(secret)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)
})

test('a secret that could not be written whole is not there, and is made at the next start', () => {
  const folder = newFolder()
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const write = vi.spyOn(fs, 'linkSync').mockImplementationOnce(() => {
    throw full
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    write.mockRestore()
    syncBuiltinESMExports()
  })
  expect(() => readOrMakeSecret(folder)).toThrow(full)
  expect(readdirSync(folder)).toEqual([])
  expect(readOrMakeSecret(folder)).toHaveLength(43)
})

test.each(['', '\n', 'a', 'a'.repeat(31)])('refuses a secret that is empty or can be guessed (%j)', (left) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret'), left)
  expect(() => readOrMakeSecret(folder)).toThrow(/secret が空か短すぎます。32文字以上が必要です。消してから/)
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(left)
})

test('accepts a secret of the operator that is long enough', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret'), `${'a'.repeat(32)}\n`)
  expect(readOrMakeSecret(folder)).toBe('a'.repeat(32))
})

test('names a folder that lies in the place of the secret', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'secret'))
  expect(() => readOrMakeSecret(folder)).toThrow(/secret がフォルダーです。別の場所に移してから/)
})
