import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

// Replaces npm and the registry. `run prestart` fails in a version that contains the file `fails`.
const npm = `#!/bin/sh
echo "npm $2 in $(basename "$PWD")"
test "$2" = prestart && test -e fails && exit 1
mkdir -p build && touch build/.built
test "$2" = prestart && ln -s ${resolve('node_modules')} node_modules
exit 0
`

const programFiles = ['package.json', 'scripts/update.ts', ...globSync('{server,db,app/forms,app/ui}/*.ts')]

/** Creates a repository with releases, and a site with settings and data that runs version 1.0.0. */
async function createSite() {
  const folder = await mkdtemp(join(tmpdir(), 'update-'))
  const [origin, home, bin] = [join(folder, 'origin'), join(folder, 'home'), join(folder, 'bin')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
  for (const file of programFiles) cpSync(file, join(origin, file))
  const git = (...arguments_: string[]) => execFileSync('git', arguments_, { cwd: origin })
  const release = (tag: string, file: string) => {
    writeFileSync(join(origin, file), tag)
    git('add', '.')
    git('-c', 'user.name=Hana', '-c', 'user.email=hana@example.jp', 'commit', '--quiet', '--message', tag)
    git('tag', tag)
  }
  git('init', '--quiet')
  release('v1.0.0', 'first')
  execFileSync('git', ['clone', '--quiet', origin, home])
  mkdirSync(join(home, 'data'))
  writeFileSync(join(home, 'data/site.db'), 'rows')
  writeFileSync(join(home, '.env'), 'PORT=8080')
  const assets = join(home, 'build/client/assets')
  mkdirSync(assets, { recursive: true })
  writeFileSync(join(assets, 'page.js'), '')
  symlinkSync('.', join(home, 'current'))
  symlinkSync(resolve('node_modules'), join(home, 'node_modules'))

  const update = async (wanted = '', cwd = join(home, 'current')) => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
    const child = spawn(process.execPath, ['scripts/update.ts', wanted], { cwd, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    const [code] = await once(child, 'close')
    return { code, output }
  }
  const links = () => [readlinkSync(join(home, 'current')), existsSync(join(home, 'previous')) && previous()]
  const previous = () => readlinkSync(join(home, 'previous'))
  return { home, release, update, links }
}

test('builds the newest release beside the running version and links it with the settings and the data', async () => {
  const { home, release, update, links } = await createSite()
  release('v1.9.0', 'second')
  release('v1.10.0', 'third')
  release('v2.0.0-rc.1', 'candidate')
  const { code, output } = await update()
  expect([code, links()]).toEqual([0, ['versions/v1.10.0', '.']])
  expect(output.indexOf('npm backup in home')).toBeLessThan(output.indexOf('npm prestart in v1.10.0'))
  const read = (file: string) => readFileSync(join(home, 'current', file), 'utf8')
  expect([read('third'), read('.env'), read('data/site.db')]).toEqual(['v1.10.0', 'PORT=8080', 'rows'])
  expect([existsSync(join(home, 'third')), existsSync(join(home, 'build/.built'))]).toEqual([false, true])
  // Open pages still request the assets of the version before.
  expect(read('build/client/assets/page.js')).toBe('')
})

test('leaves the running version in place when the build of the new version fails', async () => {
  const { home, release, update, links } = await createSite()
  release('v1.1.0', 'fails')
  const { code, output } = await update()
  expect([code, links()]).toEqual([1, ['.', false]])
  expect(output).toContain('更新していません。現在の版は、そのまま動きます。')
  expect(existsSync(join(home, 'versions/v1.1.0'))).toBe(false)
})

test('replaces the folder that an interrupted update has left', async () => {
  const { home, release, update, links } = await createSite()
  release('v1.1.0', 'second')
  mkdirSync(join(home, 'versions/v1.1.0/build'), { recursive: true })
  expect([(await update()).code, links()]).toEqual([0, ['versions/v1.1.0', '.']])
  expect(existsSync(join(home, 'current/second'))).toBe(true)
})

test('removes the packages of the first version and unlinked versions at the third update', async () => {
  const { home, release, update, links } = await createSite()
  for (const tag of ['v1.1.0', 'v1.2.0', 'v1.3.0']) {
    mkdirSync(join(home, 'versions/v0.9.0'), { recursive: true })
    release(tag, tag)
    expect((await update(tag.slice(1))).code).toBe(0)
    expect(existsSync(join(home, 'build')), tag).toBe(tag !== 'v1.3.0')
  }
  expect(links()).toEqual(['versions/v1.3.0', 'versions/v1.2.0'])
  expect([existsSync(join(home, 'versions/v0.9.0')), existsSync(join(home, 'data/site.db'))]).toEqual([false, true])
})

test.each([
  ['a release is missing', '9.9.9', '9.9.9 という版は見つかりません'],
  ['the newest release already runs', '1.1.0', 'すでに v1.1.0 です'],
])('changes no link when %s', async (_, wanted, sentence) => {
  const { release, update, links } = await createSite()
  release('v1.1.0', 'second')
  await update()
  const before = links()
  expect((await update(wanted)).output).toContain(sentence)
  expect(links()).toEqual(before)
})

test('refuses to update a site without the link to the running version', async () => {
  const { home, release, update } = await createSite()
  release('v1.1.0', 'second')
  rmSync(join(home, 'current'))
  const { code, output } = await update('', home)
  expect([code, existsSync(join(home, 'versions'))]).toEqual([1, false])
  expect(output).toContain('手引きの「新しい版にする」をご覧ください')
})

test('refuses to update when the running version has data of its own', async () => {
  const { home, release, update, links } = await createSite()
  release('v1.1.0', 'second')
  await update()
  release('v1.2.0', 'third')
  execFileSync('sh', ['-c', 'rm data && mkdir data'], { cwd: join(home, 'current') })
  const { code, output } = await update()
  expect([code, links()]).toEqual([1, ['versions/v1.1.0', '.']])
  expect(output).toMatch(/versions\/v1\.1\.0\/data を \S+home\/data に移してから/)
})

test('links the secret files that the settings name by relative paths', async () => {
  const { home, release, update } = await createSite()
  mkdirSync(join(home, 'secrets'))
  writeFileSync(join(home, 'secrets/site'), 'x'.repeat(32))
  writeFileSync(join(home, '.env'), 'SECRET_FILE=secrets/site')
  release('v1.1.0', 'second')
  const { code, output } = await update()
  expect([code, output]).toEqual([0, expect.stringContaining('v1.1.0 の用意ができました')])
  expect(readFileSync(join(home, 'current/secrets/site'), 'utf8')).toBe('x'.repeat(32))
})
