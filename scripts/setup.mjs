// Runs on any installed Node from 18 on. Installs the required Node and all missing packages.
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
const wanted = process.argv.slice(2)

const WORKSHOP = '.setup'
const LOCK = join(WORKSHOP, 'lock')
const BEAT_MS = 1000
const DEAD_AFTER_MS = 10_000
const LEFT_AFTER_MS = 60 * 60 * 1000
const ofTheOwner = ['start', 'appoint', 'backup', 'restore', 'import', 'export', 'doctor']
let running
let folder

refuseOthers()
await install()
if (wanted.includes('build')) await build()
if (wanted.includes('browser')) await installBrowser()

async function install() {
  await once('node_modules', '.installed', digestOf(['package.json', 'package-lock.json']), async (folder) => {
    console.log('必要な部品を入れています（はじめての時は1分ほどかかります）…')
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(file, join(folder, file))
    // No package needs its install script, and some would require a compiler. NODE_ENV would omit the build tools.
    const arguments_ = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
    // npm's defaults are five minutes for a silent registry and a minute before a retry. A mirroring registry may fetch
    // a whole package before its first byte.
    arguments_.push('--fetch-timeout=30000', '--fetch-retries=1', '--fetch-retry-mintimeout=1000')
    const bring = (node) =>
      run(
        node,
        [npm(), ...arguments_, '--prefix', folder],
        '部品を入れられませんでした。ネットワークを確かめて、もう一度お試しください。',
      )
    await bring(process.execPath)
    const brought = linkNode(join(folder, 'node_modules'))
    if (!brought || !leavesOut(process.versions.node)) return
    const node = join(folder, 'node')
    copyFileSync(brought, node)
    await bring(node)
    linkNode(join(folder, 'node_modules'))
  })
}

// If a program has one package per platform, npm before 11 removes its link with the packages of other platforms.
function linkNode(packages) {
  const own = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  const brought = own.find((name) => existsSync(join(packages, name, 'bin', 'node')))
  if (!brought) return
  if (!existsSync(join(packages, '.bin', 'node'))) {
    mkdirSync(join(packages, '.bin'), { recursive: true })
    symlinkSync(join('..', brought, 'bin', 'node'), join(packages, '.bin', 'node'))
  }
  return join(packages, brought, 'bin', 'node')
}

// npm skips platform packages that do not support the running Node. These versions are too old for Vite's rolldown.
function leavesOut(version) {
  const [major, minor] = version.split('.').map(Number)
  return major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)
}

// The site cannot write to files that another user has made in the data or among the packages.
function refuseOthers() {
  const command = (process.env.npm_lifecycle_event ?? '').replace('pre', '')
  const theirs = existsSync('data') ? 'data' : command === 'start' ? null : '.'
  if (process.getuid?.() !== 0 || !theirs || !ofTheOwner.includes(command)) return
  const { uid } = statSync(theirs)
  if (uid === 0) return
  const { stdout } = spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' })
  const owner = stdout?.trim() || `'#${uid}'`
  fail(`このサイトの持ち主は ${owner} です。その名前で打ってください: sudo -u ${owner} npm run ${command}`)
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
  await once('build', '.built', digestOf(sources), async (folder) => {
    const sentence = 'サイトを組み立てられませんでした。上の行をご覧ください。'
    await run(newNode(), ['scripts/build.ts', join(folder, 'build')], sentence)
  })
}

async function installBrowser() {
  const shell = onPath('chromium-headless-shell')
  const here = shell || ['chromium', 'chromium-browser', 'google-chrome'].some((name) => onPath(name))
  if (shell && hasJapaneseFonts()) return
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.log('試験用のブラウザと日本語の文字を入れています…')
    const packages = ['chromium-headless-shell', 'fonts-noto-cjk']
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
    const installed = (await ran('apt-get', ['update', '-qq'])) && (await ran('apt-get', install))
    if (installed || (here && hasJapaneseFonts())) return
    fail(`Debianのパッケージ ${packages.join(' と ')} を入れられませんでした。apt-get install でお試しください。`)
  } else if (!here) {
    await run(
      newNode(),
      ['node_modules/@playwright/test/cli.js', 'install', 'chromium'],
      '試験用のブラウザを入れられませんでした。Chromiumを入れて、もう一度お試しください。',
    )
  }
}

/**
 * Calls `make` with a temporary folder, then moves the result into place with its stamp, so that interrupted work is
 * never visible. Of several concurrent starts, one does the work.
 */
async function once(name, stamp, digest, make) {
  const isWhole = () => existsSync(join(name, stamp)) && readFileSync(join(name, stamp), 'utf8') === digest
  if (isWhole()) return
  await alone(async () => {
    if (isWhole()) return
    folder = mkdtempSync(join(WORKSHOP, `${name}-${hostname()}-${process.pid}-`))
    await make(folder)
    writeFileSync(join(folder, name, stamp), digest)
    if (existsSync(name)) renameSync(name, join(folder, 'before'))
    renameSync(join(folder, name), name)
  })
}

async function alone(work) {
  mkdirSync(WORKSHOP, { recursive: true })
  await takeLock()
  const beat = setInterval(breathe, BEAT_MS)
  process.once('exit', leave)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  clearLeftovers()
  await work()
  // npm may have continued to write after its start was killed.
  clearLeftovers()
  clearInterval(beat)
  process.off('exit', leave)
  leave()
}

async function takeLock() {
  for (let waits = false; !isFree(); waits = true) {
    if (!waits) console.log('ほかの起動が準備をしています。終わるのを待っています…')
    const beat = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0
    // The lock is stale. If that is wrong, two starts do the work, each in its own folder.
    if (Date.now() - beat > DEAD_AFTER_MS) rmSync(LOCK, { force: true })
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

function breathe() {
  try {
    utimesSync(LOCK, new Date(), new Date())
  } catch {
    // Another start removed the lock as stale; each has its own folder.
  }
}

function leave() {
  running?.kill()
  if (folder) remove(folder)
  rmSync(LOCK, { force: true })
}

// It is unknown whether a process on another machine still runs, so its folder is removed after an hour.
function clearLeftovers() {
  for (const name of readdirSync(WORKSHOP)) {
    const left = join(WORKSHOP, name)
    const age = Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    const [, host, pid] = /^[a-z_]+-(.+)-(\d+)-\w+$/.exec(name) ?? []
    const hasEnded = host === hostname() && !isRunning(Number(pid))
    if (name !== 'lock' && (hasEnded || age > LEFT_AFTER_MS)) remove(left)
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
    // A later start removes files that are still being written.
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
  return process.env.npm_execpath ?? fail('npm start のように、npm から始めてください。')
}

function newNode() {
  return join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
}

function onPath(name) {
  return (process.env.PATH ?? '').split(':').some((folder) => folder && existsSync(join(folder, name)))
}

function hasJapaneseFonts() {
  const found = spawnSync('fc-list', [':lang=ja', 'family'], { encoding: 'utf8' })
  return found.status !== 0 || found.stdout.trim() !== ''
}

async function run(command, arguments_, sentence) {
  if (!(await ran(command, arguments_))) fail(sentence)
}

function ran(command, arguments_) {
  return new Promise((resolve) => {
    running = spawn(command, arguments_, { stdio: 'inherit', shell: command.endsWith('.cmd') })
    running.on('error', ({ message }) => {
      console.error(`${command} を始められませんでした（${message}）。`)
      resolve(false)
    })
    running.on('close', (code) => resolve(code === 0))
  })
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
