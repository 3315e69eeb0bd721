import fs, { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readOrCreateSecret } from './secret.ts'
import { newFolder } from './testing-disks.ts'

test('creates the secret once, readable only by the owner of the file', () => {
  const newDataFolder = () => join(newFolder(), 'data')
  const folder = newDataFolder()
  const secret = readOrCreateSecret(folder)
  // A new secret would sign everyone out at each start.
  expect(readOrCreateSecret(folder)).toBe(secret)
  expect(readOrCreateSecret(newDataFolder())).not.toBe(secret)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)
})

test('leaves no partial secret when writing fails, and creates a secret at the next start', () => {
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
  expect(() => readOrCreateSecret(folder)).toThrow(full)
  expect(readdirSync(folder)).toEqual([])
  expect(readOrCreateSecret(folder)).toHaveLength(43)
})

test.each(['', '\n', 'a', 'a'.repeat(31)])('throws when the secret is empty or too short (%j)', (content) => {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret'), content)
  expect(() => readOrCreateSecret(folder)).toThrow(/secret が空か短すぎます。32文字以上が必要です。消してから/)
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(content)
})

test('accepts a long enough secret of the operator', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'secret'), `${'a'.repeat(32)}\n`)
  expect(readOrCreateSecret(folder)).toBe('a'.repeat(32))
})

test('throws when a folder has the path of the secret', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'secret'))
  expect(() => readOrCreateSecret(folder)).toThrow(/secret がフォルダーです。別の場所に移してから/)
})
