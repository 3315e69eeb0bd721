// Runs on the Node that happens to be there (20 or newer): it brings the Node that the site needs, and what else is missing.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
const wanted = process.argv.slice(2)

install()
if (wanted.includes('build')) build()
if (wanted.includes('browser')) installBrowser()

function install() {
  once('node_modules/.installed', digestOf(['package.json', 'package-lock.json']), () => {
    console.log('必要な部品を入れています（はじめての時は1分ほどかかります）…')
    // Install scripts would want a compiler; nothing here needs them. NODE_ENV would leave out what builds the site.
    const arguments_ = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
    run(
      process.execPath,
      [npm(), ...arguments_],
      '部品を入れられませんでした。ネットワークを確かめて、もう一度お試しください。',
    )
  })
}

function build() {
  const sources = [
    'package-lock.json',
    'vite.config.ts',
    'react-router.config.ts',
    'scripts/build.ts',
    'app',
    'server',
    'db',
  ]
  once('build/.built', digestOf(sources), () => {
    run(newNode(), ['scripts/build.ts'], 'サイトを組み立てられませんでした。上の行をご覧ください。')
  })
}

function installBrowser() {
  const shell = onPath('chromium-headless-shell')
  const here = shell || ['chromium', 'chromium-browser', 'google-chrome'].some((name) => onPath(name))
  if (shell && hasJapaneseFonts()) return
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.log('試験用のブラウザと日本語の文字を入れています…')
    const packages = ['chromium-headless-shell', 'fonts-noto-cjk']
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
    if ((ran('apt-get', ['update', '-qq']) && ran('apt-get', install)) || (here && hasJapaneseFonts())) return
    fail(`Debianのパッケージ ${packages.join(' と ')} を入れられませんでした。apt-get install でお試しください。`)
  } else if (!here) {
    run(
      newNode(),
      ['node_modules/@playwright/test/cli.js', 'install', 'chromium'],
      '試験用のブラウザを入れられませんでした。Chromiumを入れて、もう一度お試しください。',
    )
  }
}

function once(stamp, digest, work) {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  work()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, digest)
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
  const path = process.env.npm_execpath
  if (path) return path
  console.error('npm start のように、npm から始めてください。')
  process.exit(1)
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

function run(command, arguments_, sentence) {
  if (!ran(command, arguments_)) fail(sentence)
}

function ran(command, arguments_) {
  return spawnSync(command, arguments_, { stdio: 'inherit', shell: command.endsWith('.cmd') }).status === 0
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
