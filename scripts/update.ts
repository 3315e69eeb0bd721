import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { readArguments } from '../server/command-line.ts'
import { errorSentence } from '../server/error-sentence.ts'
import { prepareProcess } from '../server/prepare-process.ts'
import { secretNames } from '../server/settings.ts'

// The home folder contains `.env`, `data`, the repository and its first version. `versions` contains the later versions.
// The links `current` and `previous` lead to the version that the next start runs, and to the version before it.
const { word } = readArguments('npm run update -- [版]')
prepareProcess()
const program = process.cwd()
const home = basename(dirname(program)) === 'versions' ? join(program, '..', '..') : program
const versions = join(home, 'versions')
const [current, previous] = [join(home, 'current'), join(home, 'previous')]
const secretFiles = secretNames.flatMap((name) => process.env[`${name}_FILE`] || [])
const sharedPaths = ['.env', process.env.DATA_DIR || 'data', ...secretFiles].filter((path) => !isAbsolute(path))
const RELEASE_TAG = /^v\d+\.\d+\.\d+$/

try {
  update(word)
} catch (error) {
  console.error(`更新していません。現在の版は、そのまま動きます。${errorSentence(error)}`)
  process.exit(1)
}

function update(wanted: string | undefined) {
  if (!existsSync(current) || realpathSync(current) !== program)
    throw new Error(`${current} で実行してください。ないときは、手引きの「新しい版にする」をご覧ください。`)
  for (const path of sharedPaths) assertShared(path)
  run('git', ['-C', home, 'fetch', '--quiet', '--tags'], '新しい版を取得できませんでした。')
  const tag = findTag(wanted)
  const folder = join(versions, tag)
  if (folder === realpathSync(current)) return console.log(`すでに ${tag} です。`)
  run('npm', ['run', 'backup'], '控えを作れませんでした。')
  removeOthers()
  if (!existsSync(folder)) build(tag, folder)
  // Without this call, a power failure could leave the links to files that are not yet on the disk.
  run('sync', [], 'ディスクに書き込めませんでした。')
  link(previous, realpathSync(current))
  link(current, folder)
  console.log(`${tag} の用意ができました。サイトを再起動すると、新しい版になります。`)
}

// Without this check, the next version would use other settings or older data.
function assertShared(path: string) {
  const [used, shared] = [join(program, path), join(home, path)]
  if (existsSync(used) && !(existsSync(shared) && realpathSync(used) === realpathSync(shared)))
    throw new Error(`${used} を ${shared} に移してから、もう一度お試しください。`)
}

function findTag(wanted: string | undefined) {
  const tags = spawnSync('git', ['-C', home, 'tag', '--sort=-version:refname'], { encoding: 'utf8' }).stdout.split('\n')
  const releases = tags.filter((tag) => RELEASE_TAG.test(tag))
  const tag = wanted ? releases.find((each) => each === `v${wanted.replace(/^v/, '')}`) : releases[0]
  if (!tag) throw new Error(`${wanted ? `${wanted} という版` : '公開された版'}は見つかりません。`)
  return tag
}

// Also removes the version that an interrupted update has left, and the large folders of the first version.
function removeOthers() {
  const linked = [current, previous].filter((path) => existsSync(path)).map((path) => realpathSync(path))
  mkdirSync(versions, { recursive: true })
  for (const name of readdirSync(versions))
    if (!linked.includes(join(versions, name))) rmSync(join(versions, name), { recursive: true })
  if (linked.includes(home)) return
  for (const name of ['node_modules', 'build']) rmSync(join(home, name), { recursive: true, force: true })
}

function build(tag: string, folder: string) {
  try {
    const clone = ['clone', '--quiet', '--config', 'advice.detachedHead=false', '--branch', tag, home, folder]
    run('git', clone, `${tag} をコピーできませんでした。`)
    shareSettingsAndData(folder)
    // The build retains these assets, because open pages still request them.
    const assets = join('build', 'client', 'assets')
    if (existsSync(assets)) cpSync(assets, join(folder, assets), { recursive: true, preserveTimestamps: true })
    run('npm', ['run', 'prestart'], `${tag} をビルドできませんでした。`, folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function shareSettingsAndData(folder: string) {
  for (const path of sharedPaths) {
    if (!existsSync(join(home, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    link(join(folder, path), join(home, path))
  }
}

/** Creates or replaces a link in one step, so that a reader never finds none. */
function link(path: string, target: string) {
  const part = `${path}.part`
  rmSync(part, { force: true })
  symlinkSync(relative(dirname(path), target) || '.', part)
  renameSync(part, path)
}

function run(command: string, arguments_: string[], failure: string, folder = program) {
  const { status, error } = spawnSync(command, arguments_, { cwd: folder, stdio: 'inherit' })
  if (error || status !== 0) throw error ?? new Error(failure)
}
