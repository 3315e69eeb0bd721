import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'

// Replaces npm and the registry. Installs one half of the packages at once, and the other half when the test creates
// the file `go`.
const npm = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
const root = process.cwd()
const prefix = process.argv.indexOf('--prefix')
const folder = prefix < 0 ? root : process.argv[prefix + 1]
appendFileSync(join(root, 'begun'), '.')
mkdirSync(join(folder, 'node_modules'), { recursive: true })
writeFileSync(join(folder, 'node_modules/first'), '')
const look = setInterval(() => {
  if (!existsSync(join(root, 'go'))) return
  clearInterval(look)
  if (existsSync(join(root, 'fails'))) process.exit(1)
  writeFileSync(join(folder, 'node_modules/last'), '')
  if (!existsSync(join(root, 'brings'))) return
  const brought = join(folder, 'node_modules', 'node-' + process.platform + '-' + process.arch, 'bin')
  mkdirSync(brought, { recursive: true })
  writeFileSync(join(brought, 'node'), '#!/bin/sh\\nexec "' + process.execPath + '" "$@"\\n', { mode: 0o755 })
}, 20)
`

/** Creates a checkout without installed packages. */
async function createCheckout() {
  const root = await mkdtemp(join(tmpdir(), 'setup-'))
  mkdirSync(join(root, 'scripts'))
  copyFileSync('scripts/setup.mjs', join(root, 'scripts/setup.mjs'))
  writeFileSync(join(root, 'npm.mjs'), npm)
  for (const file of ['package.json', 'package-lock.json']) writeFileSync(join(root, file), '{}')
  const createFile = (file: string) => writeFileSync(join(root, file), '')
  const has = (file: string) => existsSync(join(root, file))
  const start = (...wanted: string[]) => startAs('', ...wanted)
  const startAs = (command: string, ...wanted: string[]) => {
    const child = spawn(process.execPath, ['scripts/setup.mjs', ...wanted], {
      cwd: root,
      env: { ...process.env, npm_execpath: join(root, 'npm.mjs'), npm_lifecycle_event: command },
      detached: true,
    })
    onTestFinished(() => void kill(child))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    const ended = once(child, 'close').then(([code]) => code as number | null)
    return { child, ended, readOutput: () => output }
  }
  const waitForInstalls = async (times: number) =>
    vi.waitFor(() => expect(readFileSync(join(root, 'begun'), 'utf8')).toHaveLength(times), WAIT_OPTIONS)
  return { root, createFile, has, start, startAs, waitForInstalls }
}

// Kills the child process together with its process group.
function kill({ pid = 0 }: ChildProcess) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

test('reuses the result of a concurrent setup process', async () => {
  const { root, createFile, has, start, waitForInstalls } = await createCheckout()
  const first = start()
  await waitForInstalls(1)
  const second = start()
  await vi.waitFor(() => expect(second.readOutput()).toContain('ほかの起動が準備をしています'), WAIT_OPTIONS)
  expect(has('node_modules')).toBe(false)
  createFile('go')
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0])
  await waitForInstalls(1)
  expect(readdirSync(join(root, 'node_modules')).sort()).toEqual(['.installed', 'first', 'last'])
  expect(readdirSync(join(root, '.setup'))).toEqual([])
  const third = start()
  expect([await third.ended, third.readOutput()]).toEqual([0, ''])
})

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('repeats an installation that %s interrupted', async (signal) => {
  const { root, createFile, has, start, waitForInstalls } = await createCheckout()
  const first = start()
  await waitForInstalls(1)
  process.kill(-(first.child.pid ?? 0), signal)
  expect(await first.ended).not.toBe(0)
  expect(has('node_modules')).toBe(false)
  // A killed process cannot remove its lock, which becomes stale without a heartbeat.
  expect(has('.setup/lock')).toBe(signal === 'SIGKILL')
  if (signal === 'SIGKILL') utimesSync(join(root, '.setup/lock'), 0, 0)
  createFile('go')
  const secondStart = start()
  expect(await secondStart.ended).toBe(0)
  expect(readdirSync(join(root, 'node_modules')).sort()).toEqual(['.installed', 'first', 'last'])
  expect(readdirSync(join(root, '.setup'))).toEqual([])
})

test('preserves the folder of a suspended setup process while another process does the setup', async () => {
  const { root, createFile, start, waitForInstalls } = await createCheckout()
  const first = start()
  await waitForInstalls(1)
  first.child.kill('SIGSTOP')
  utimesSync(join(root, '.setup/lock'), 0, 0)
  const second = start()
  await waitForInstalls(2)
  expect(readdirSync(join(root, '.setup')).filter((name) => name.startsWith('node_modules-'))).toHaveLength(2)
  createFile('go')
  expect(await second.ended).toBe(0)
  first.child.kill('SIGCONT')
  expect(await first.ended).toBe(0)
  expect(readdirSync(join(root, 'node_modules')).sort()).toEqual(['.installed', 'first', 'last'])
  expect(readdirSync(join(root, '.setup'))).toEqual([])
})

test('removes the lock of a killed setup process when the clock was ahead', async () => {
  const { root, createFile, start } = await createCheckout()
  createFile('go')
  mkdirSync(join(root, '.setup'))
  createFile('.setup/lock')
  const nextYear = Date.now() / 1000 + 365 * 24 * 60 * 60
  utimesSync(join(root, '.setup/lock'), nextYear, nextYear)
  expect(await start().ended).toBe(0)
})

test('removes the leftovers of another machine only after an hour', async () => {
  const { root, createFile, start } = await createCheckout()
  const leftoverPath = (name: string) => join(root, '.setup', name)
  const [old, young] = ['node_modules-other.example-1-old', 'node_modules-other.example-1-young']
  for (const name of [old, young]) mkdirSync(leftoverPath(name), { recursive: true })
  utimesSync(leftoverPath(old), 0, 0)
  createFile('go')
  expect(await start().ended).toBe(0)
  expect(readdirSync(join(root, '.setup'))).toEqual([young])
})

/** Runs the setup with the real npm and the registry at this URL. */
async function startWithRegistry(registry: string) {
  const { root, has } = await createCheckout()
  const dependencies = { noren: '1.0.0' }
  const packages = { '': { dependencies }, 'node_modules/noren': { version: '1.0.0', integrity: 'sha512-none' } }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ dependencies }))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  const npm = process.env.npm_execpath ?? realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    cwd: root,
    env: { ...process.env, npm_execpath: npm, npm_config_registry: registry, npm_config_cache: join(root, 'cache') },
    detached: true,
  })
  onTestFinished(() => void kill(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  return { code, output, has }
}

test('reports a failed installation when the registry refuses connections', async () => {
  const registry = createServer().listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  registry.close()
  const { code, output, has } = await startWithRegistry(`http://127.0.0.1:${port}`)
  expect(code).toBe(1)
  expect(output).toContain('パッケージをインストールできませんでした。ネットワークを確認して、もう一度お試しください。')
  expect(has('node_modules')).toBe(false)
})

test('preserves the previous packages when an installation fails', async () => {
  const { root, createFile, has, start } = await createCheckout()
  createFile('go')
  expect(await start().ended).toBe(0)
  createFile('node_modules/of-before')
  writeFileSync(join(root, 'package.json'), '{ "version": "2" }')
  createFile('fails')
  const failing = start()
  expect(await failing.ended).toBe(1)
  expect(failing.readOutput()).toContain('パッケージをインストールできませんでした')
  expect(has('node_modules/of-before')).toBe(true)
})

test('prints the name of a program that cannot be started', async () => {
  const { createFile, start, has, root } = await createCheckout()
  const sources = ['vite.config.ts', 'react-router.config.ts', 'scripts/build.ts', 'scripts/oldest-browsers.ts']
  for (const file of sources) createFile(file)
  for (const folder of ['app', 'server', 'db']) mkdirSync(join(root, folder))
  createFile('go')
  const building = start('build')
  expect(await building.ended).toBe(1)
  expect(building.readOutput()).toMatch(
    /node_modules\/\.bin\/node を起動できませんでした（[^）]*ENOENT[^）]*）。\nサイトをビルドできませんでした/,
  )
  expect(has('build')).toBe(false)
})

test.runIf(process.platform === 'linux')('restores the link to Node when npm has removed the link', async () => {
  const { root, createFile, start } = await createCheckout()
  for (const file of ['go', 'brings']) createFile(file)
  expect(await start().ended).toBe(0)
  const nodePath = join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  expect(readlinkSync(join(root, 'node_modules/.bin/node'))).toBe(nodePath)
})

test.runIf(process.platform === 'linux').each([
  ['18.20.4', 2],
  ['20.18.3', 2],
  ['20.19.0', 1],
  ['22.11.0', 2],
  ['24.1.0', 1],
])('with Node %s, runs the installation %i times (twice if this Node is too old)', async (version, times) => {
  const { root, createFile, start, waitForInstalls } = await createCheckout()
  for (const file of ['go', 'brings']) createFile(file)
  const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
  vi.stubEnv('NODE_OPTIONS', `--import=data:text/javascript,${encodeURIComponent(older)}`)
  expect(await start().ended).toBe(0)
  vi.unstubAllEnvs()
  await waitForInstalls(times)
  expect(readdirSync(root)).not.toContain('node')
})

test.runIf(process.getuid?.() === 0)('refuses to run as root when the site belongs to another user', async () => {
  const { root, createFile, has, startAs } = await createCheckout()
  createFile('go')
  chownSync(root, 1, 1)
  const restoring = startAs('prerestore')
  expect([await restoring.ended, has('node_modules')]).toEqual([1, false])
  expect(restoring.readOutput()).toMatch(/所有者は (\S+) です。.*: sudo -u \1 npm run restore\n$/)
  // In a container, a developer may be root and use a folder of another user.
  for (const command of ['prestart', 'pretest', '']) expect(await startAs(command).ended, command).toBe(0)
  mkdirSync(join(root, 'data'))
  expect(await startAs('prebackup').ended).toBe(0)
  chownSync(join(root, 'data'), 1, 1)
  expect(await startAs('prestart').ended).toBe(1)
})
