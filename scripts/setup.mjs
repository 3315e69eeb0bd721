// This script must run on any Node from version 18, because it runs before the packages are installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
const targets = process.argv.slice(2)

const WORK_FOLDER = '.setup'
const LOCK = join(WORK_FOLDER, 'lock')
const HEARTBEAT_MS = 1000
const STALE_LOCK_MS = 10_000
const LEFTOVER_TTL_MS = 60 * 60 * 1000
const ownerCommands = ['start', 'appoint', 'backup', 'restore', 'import', 'export', 'doctor', 'update']
let runningChild
let folder

refuseForeignOwner()
await install()
if (targets.includes('build')) await build()
if (targets.includes('browser')) await installBrowser()

async function install() {
  await buildOnce('node_modules', '.installed', digestOf(['package.json', 'package-lock.json']), async (folder) => {
    console.log('必要なパッケージをインストールしています（初回は1分ほどかかります）…')
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(file, join(folder, file))
    // No package needs its install script, and some install scripts would require a compiler. Without `--include=dev`,
    // NODE_ENV=production would omit the build tools.
    const arguments_ = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
    // npm waits five minutes by default. A mirroring registry may fetch a whole package before it sends the first byte.
    arguments_.push('--fetch-timeout=30000', '--fetch-retries=1', '--fetch-retry-mintimeout=1000')
    const installPackages = (node) =>
      run(
        node,
        [npm(), ...arguments_, '--prefix', folder],
        'パッケージをインストールできませんでした。ネットワークを確認して、もう一度お試しください。',
      )
    await installPackages(process.execPath)
    const nodePath = linkNode(join(folder, 'node_modules'))
    if (!nodePath || !skipsPackages(process.versions.node)) return
    const node = join(folder, 'node')
    copyFileSync(nodePath, node)
    await installPackages(node)
    linkNode(join(folder, 'node_modules'))
  })
}

// Node has one package per platform. When npm before version 11 removes the packages of other platforms, it also
// removes the link `.bin/node`.
function linkNode(packages) {
  const packageNames = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  const nodePath = packageNames.find((name) => existsSync(join(packages, name, 'bin', 'node')))
  if (!nodePath) return
  if (!existsSync(join(packages, '.bin', 'node'))) {
    mkdirSync(join(packages, '.bin'), { recursive: true })
    symlinkSync(join('..', nodePath, 'bin', 'node'), join(packages, '.bin', 'node'))
  }
  return join(packages, nodePath, 'bin', 'node')
}

// npm skips platform packages that do not support the running Node. The Node versions below are too old for rolldown, a
// dependency of Vite.
function skipsPackages(version) {
  const [major, minor] = version.split('.').map(Number)
  return major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
}

// If root runs a command, root owns the new files in the data folder and in node_modules. The site then cannot write to
// these files.
function refuseForeignOwner() {
  const command = (process.env.npm_lifecycle_event ?? '').replace('pre', '')
  const checkedFolder = existsSync('data') ? 'data' : command === 'start' ? null : '.'
  if (process.getuid?.() !== 0 || !checkedFolder || !ownerCommands.includes(command)) return
  const { uid } = statSync(checkedFolder)
  if (uid === 0) return
  const { stdout } = spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' })
  const owner = stdout?.trim() || `'#${uid}'`
  fail(`このサイトの所有者は ${owner} です。そのユーザーで実行してください: sudo -u ${owner} npm run ${command}`)
}

async function build() {
  const sources = [
    'package-lock.json',
    'vite.config.ts',
    'react-router.config.ts',
    'scripts/build.ts',
    'scripts/oldest-browsers.ts',
    'app',
    'server',
    'db',
  ]
  await buildOnce('build', '.built', digestOf(sources), async (folder) => {
    const sentence = 'サイトをビルドできませんでした。上の行をご覧ください。'
    await run(installedNode(), ['scripts/build.ts', join(folder, 'build')], sentence)
  })
}

async function installBrowser() {
  const hasShell = isOnPath('chromium-headless-shell')
  const hasBrowser = hasShell || ['chromium', 'chromium-browser', 'google-chrome'].some((name) => isOnPath(name))
  if (hasShell && hasJapaneseFonts()) return
  if (process.getuid?.() === 0 && isOnPath('apt-get')) {
    console.log('テスト用のブラウザと日本語フォントをインストールしています…')
    const packages = ['chromium-headless-shell', 'fonts-noto-cjk']
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
    const installed = (await tryCommand('apt-get', ['update', '-qq'])) && (await tryCommand('apt-get', install))
    if (installed || (hasBrowser && hasJapaneseFonts())) return
    fail(
      `Debianのパッケージ ${packages.join(' と ')} をインストールできませんでした。apt-get install でお試しください。`,
    )
  } else if (!hasBrowser) {
    await run(
      installedNode(),
      ['node_modules/@playwright/test/cli.js', 'install', 'chromium'],
      'テスト用のブラウザをインストールできませんでした。Chromiumをインストールして、もう一度お試しください。',
    )
  }
}

/**
 * Moves the result of `make` into place, so that an incomplete result is never visible. Only one setup process does the
 * work.
 */
async function buildOnce(name, stamp, digest, make) {
  const isComplete = () => existsSync(join(name, stamp)) && readFileSync(join(name, stamp), 'utf8') === digest
  if (isComplete()) return
  await withLock(async () => {
    if (isComplete()) return
    folder = mkdtempSync(join(WORK_FOLDER, `${name}-${hostname()}-${process.pid}-`))
    await make(folder)
    writeFileSync(join(folder, name, stamp), digest)
    if (existsSync(name)) renameSync(name, join(folder, 'before'))
    renameSync(join(folder, name), name)
  })
}

async function withLock(work) {
  mkdirSync(WORK_FOLDER, { recursive: true })
  await takeLock()
  const heartbeat = setInterval(touchLock, HEARTBEAT_MS)
  process.once('exit', releaseLock)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  clearLeftovers()
  await work()
  // npm may have continued to write after its setup process was killed.
  clearLeftovers()
  clearInterval(heartbeat)
  process.off('exit', releaseLock)
  releaseLock()
}

async function takeLock() {
  for (let hasWaited = false; !isFree(); hasWaited = true) {
    if (!hasWaited) console.log('ほかの起動が準備をしています。終わるのを待っています…')
    const heartbeat = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0
    // The lock is stale, or of a clock that was ahead. If its owner is still running, both processes do the work, each in
    // its own folder.
    if (Math.abs(Date.now() - heartbeat) > STALE_LOCK_MS) rmSync(LOCK, { force: true })
    else await setTimeout(200)
  }
}

function isFree() {
  try {
    writeFileSync(LOCK, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`サイトの置き場所に書き込めません: ${root}（${error.message}）`)
    return false
  }
}

function touchLock() {
  try {
    utimesSync(LOCK, new Date(), new Date())
  } catch {
    // Another process has removed the lock as stale. Each process works in its own folder.
  }
}

function releaseLock() {
  runningChild?.kill()
  if (folder) remove(folder)
  rmSync(LOCK, { force: true })
}

// A process on another machine may still be running, so its folder is removed only after an hour.
function clearLeftovers() {
  for (const name of readdirSync(WORK_FOLDER)) {
    const leftover = join(WORK_FOLDER, name)
    const age = Date.now() - (statSync(leftover, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    const [, host, pid] = /^[a-z_]+-(.+)-(\d+)-\w+$/.exec(name) ?? []
    const hasEnded = host === hostname() && !isRunning(Number(pid))
    if (name !== 'lock' && (hasEnded || age > LEFTOVER_TTL_MS)) remove(leftover)
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // If another process still writes to the folder, a later setup process removes the folder.
  }
}

function digestOf(paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap(filesIn)) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

function npm() {
  return process.env.npm_execpath ?? fail('npm start のように、npm から起動してください。')
}

function installedNode() {
  return join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(':').some((folder) => folder && existsSync(join(folder, name)))
}

function hasJapaneseFonts() {
  const found = spawnSync('fc-list', [':lang=ja', 'family'], { encoding: 'utf8' })
  return found.status !== 0 || found.stdout.trim() !== ''
}

async function run(command, arguments_, sentence) {
  if (!(await tryCommand(command, arguments_))) fail(sentence)
}

function tryCommand(command, arguments_) {
  return new Promise((resolve) => {
    runningChild = spawn(command, arguments_, { stdio: 'inherit', shell: command.endsWith('.cmd') })
    runningChild.on('error', ({ message }) => {
      console.error(`${command} を起動できませんでした（${message}）。`)
      resolve(false)
    })
    runningChild.on('close', (code) => resolve(code === 0))
  })
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
