import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const assets = 'build/client/assets'
const KEPT_FOR_MS = 7 * 24 * 60 * 60 * 1000

const earlier = setAside()
const { status } = spawnSync(process.execPath, ['node_modules/@react-router/dev/bin.cjs', 'build'], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (status !== 0) process.exit(1)
forgetStylesheet()
for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) compress(join(assets, file))
bringBack(earlier)

// It stands in every page (server/document.ts): the router would ask for it once more at each navigation, and wait for it.
function forgetStylesheet() {
  for (const name of readdirSync(assets).filter((name) => name.startsWith('manifest-'))) {
    const manifest = readFileSync(join(assets, name), 'utf8')
    writeFileSync(join(assets, name), manifest.replaceAll(/"css":\["[^"]*"\]/g, '"css":[]'))
  }
}

// A page opened before the update still asks for the assets of the build that made it.
function setAside() {
  if (!existsSync(assets)) return null
  const folder = mkdtempSync(join(tmpdir(), 'noren-assets-'))
  cpSync(assets, folder, { recursive: true, preserveTimestamps: true })
  return folder
}

function bringBack(folder: string | null) {
  if (!folder) return
  for (const name of readdirSync(folder)) {
    const young = Date.now() - statSync(join(folder, name)).mtimeMs < KEPT_FOR_MS
    if (young && !existsSync(join(assets, name)))
      cpSync(join(folder, name), join(assets, name), { preserveTimestamps: true })
  }
  rmSync(folder, { recursive: true })
}

function compress(file: string) {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
