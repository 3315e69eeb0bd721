import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rulesOf } from './stylesheet-rules.ts'

// Builds the site into a folder, from where scripts/setup.mjs puts it into its place.
const folder = process.argv[2] ?? 'build'
const assets = join(folder, 'client', 'assets')
const assetsBefore = join('build', 'client', 'assets')
const KEPT_FOR_MS = 7 * 24 * 60 * 60 * 1000

const { status, error } = spawnSync(process.execPath, ['node_modules/@react-router/dev/bin.cjs', 'build'], {
  env: { ...process.env, BUILD_FOLDER: folder },
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (error) throw error
if (status !== 0) process.exit(1)
divideStylesheet()
for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) compress(join(assets, file))
bringBack()

// Each page has what it needs of it from the first byte, and the whole before the router is there: that one would ask for
// it once more at each navigation, and wait for it.
function divideStylesheet() {
  const [manifest = ''] = readdirSync(assets).filter((name) => name.startsWith('manifest-'))
  const routes = readFileSync(join(assets, manifest), 'utf8')
  const [, stylesheet = ''] = /"css":\["\/assets\/([^"]+)"\]/.exec(routes) ?? []
  const rules = rulesOf(readFileSync(join(assets, stylesheet), 'utf8'))
  writeFileSync(join(folder, 'server', 'styles.json'), JSON.stringify(rules))
  // Nor need every page be told what each route does not have.
  const short = routes.replaceAll(/"css":\["[^"]*"\]/g, '"css":[]').replaceAll(/"has\w+":false,/g, '')
  writeFileSync(join(assets, manifest), short)
  // The server's build leaves one in an order of its own, for which nobody asks.
  for (const name of readdirSync(assets)) if (name.endsWith('.css') && name !== stylesheet) rmSync(join(assets, name))
}

// A page opened before the update still asks for the assets of the build that made it.
function bringBack() {
  if (!existsSync(assetsBefore)) return
  for (const name of readdirSync(assetsBefore)) {
    const young = Date.now() - statSync(join(assetsBefore, name)).mtimeMs < KEPT_FOR_MS
    if (young && !existsSync(join(assets, name)))
      cpSync(join(assetsBefore, name), join(assets, name), { preserveTimestamps: true })
  }
}

function compress(file: string) {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
