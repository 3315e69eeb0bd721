import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rulesOf } from './stylesheet-rules.ts'

const folder = process.argv[2] ?? 'build'
const assets = join(folder, 'client', 'assets')
const OLD_ASSETS_TTL_MS = 7 * 24 * 60 * 60 * 1000

const { status, error } = spawnSync(process.execPath, ['node_modules/@react-router/dev/bin.cjs', 'build'], {
  env: { ...process.env, BUILD_FOLDER: folder },
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (error) throw error
if (status !== 0) process.exit(1)
splitStylesheet()
shortenManifest()
for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) compress(join(assets, file))
restoreOldAssets()

// Each page contains its rules inline and links to the whole stylesheet. If the manifest named the stylesheet, the
// router would request the stylesheet again at each navigation.
function splitStylesheet() {
  const [, stylesheet = ''] = /"css":\["\/assets\/([^"]+)"\]/.exec(readFileSync(manifest(), 'utf8')) ?? []
  const rules = rulesOf(readFileSync(join(assets, stylesheet), 'utf8'))
  writeFileSync(join(folder, 'server', 'styles.json'), JSON.stringify(rules))
  // The server build emits another stylesheet with a different order of rules. No page uses this stylesheet.
  for (const name of readdirSync(assets)) if (name.endsWith('.css') && name !== stylesheet) rmSync(join(assets, name))
}

// Every page loads the manifest. The router reads the imports of a route only for `<Link prefetch>`, which no page
// uses.
function shortenManifest() {
  const [, before = '', json = ''] = /^([^{]*)(.*\});$/s.exec(readFileSync(manifest(), 'utf8')) ?? []
  const { entry, routes, ...rest } = JSON.parse(json)
  for (const route of Object.values<{ imports: string[] }>(routes)) route.imports = []
  const shorten = (name: string, value: unknown) => (name === 'css' || value === false ? undefined : value)
  writeFileSync(manifest(), `${before}${JSON.stringify({ entry, routes, ...rest }, shorten)}`)
}

function manifest() {
  return join(assets, readdirSync(assets).find((name) => name.startsWith('manifest-')) ?? '')
}

// Pages opened before an update still request the assets of their build. A running server still imports its chunks.
function restoreOldAssets() {
  for (const part of ['client', 'server']) {
    const [before, after] = [join('build', part, 'assets'), join(folder, part, 'assets')]
    for (const name of existsSync(before) ? readdirSync(before) : []) {
      const isRecent = Date.now() - statSync(join(before, name)).mtimeMs < OLD_ASSETS_TTL_MS
      if (isRecent && !existsSync(join(after, name)))
        cpSync(join(before, name), join(after, name), { preserveTimestamps: true })
    }
  }
}

function compress(file: string) {
  const bytes = readFileSync(file)
  // This parameter makes the compressed scripts 0.2 % smaller.
  const params = { [constants.BROTLI_PARAM_NPOSTFIX]: 1 }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
