import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blankSettings } from './settings.ts'
import { folderWith, newFolder } from './testing-disks.ts'

/** Creates a data folder that all users of this machine may enter. An operator might create such a folder. */
function createOpenFolder() {
  const folder = join(newFolder(), 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  return folder
}

/** Runs a script with a umask that lets all users read new files. */
function runScript(script: string, dataFolder: string, ...args: string[]) {
  const command = [process.execPath, join('scripts', `${script}.ts`), ...args]
  const env = { ...process.env, ...blankSettings, DATA_DIR: dataFolder }
  const { stderr } = spawnSync('sh', ['-c', 'umask 022 && exec "$@"', 'sh', ...command], { env, encoding: 'utf8' })
  return stderr
}

/** Returns the files and folders below a folder that other users may read, write or enter. */
function filesOpenToOthers(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(names).not.toEqual([])
  return names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
}

test('creates every file inaccessible to other users, even in a folder that these users may enter', () => {
  const documents = folderWith({ 'dining.json': [{ id: 'a', title: '汁物', content: '白味噌' }] })
  const data = createOpenFolder()
  expect(runScript('import', data, documents)).not.toContain('取り込めませんでした')
  const out = newFolder()
  runScript('export', data, out)
  const backup = join(newFolder(), 'shop.noren')
  runScript('backup', data, backup)
  runScript('backup', data, '--night')
  const restored = createOpenFolder()
  expect(runScript('restore', restored, backup)).toBe('')
  for (const folder of [data, out, join(backup, '..'), restored]) expect(filesOpenToOthers(folder), folder).toEqual([])
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['backups', 'site.db']))
})

test('removes the access of other users to a database of an earlier version', () => {
  const [before, data] = [createOpenFolder(), createOpenFolder()]
  expect(runScript('appoint', before, 'nobody@example.jp')).toContain('見つかりません')
  expect(filesOpenToOthers(before)).toEqual([])
  cpSync(join(before, 'site.db'), join(data, 'site.db'))
  // These files remain after a crash.
  for (const end of ['-wal', '-shm']) writeFileSync(join(data, `site.db${end}`), '')
  for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644)
  runScript('appoint', data, 'nobody@example.jp')
  expect(filesOpenToOthers(data)).toEqual([])
})
