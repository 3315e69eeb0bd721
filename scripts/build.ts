import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

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
forgetStylesheet()
for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) compress(join(assets, file))
bringBack()

// It stands in every page: the router would ask for it once more at each navigation, and wait for it.
function forgetStylesheet() {
  for (const name of readdirSync(assets).filter((name) => name.startsWith('manifest-'))) {
    const manifest = readFileSync(join(assets, name), 'utf8')
    // Nor need every page be told what each route does not have.
    const short = manifest.replaceAll(/"css":\["[^"]*"\]/g, '"css":[]').replaceAll(/"has\w+":false,/g, '')
    writeFileSync(join(assets, name), short)
  }
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
