import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { build } from 'vite'

// The security policy of the site, without hashes, media and frames.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
].join('; ')
const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', jpg: 'image/jpeg' }

/** Builds a page with only the text field and its preview, and serves it under the security policy of the site. */
export async function startHarness() {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: 'tests/e2e/text-harness/harness.tsx',
        output: { entryFileNames: 'harness.js', assetFileNames: '[name][extname]' },
      },
    },
  })
  if (!('output' in built)) throw new Error('Expected a build with output, got a watcher')
  const files = new Map<string, string | Uint8Array>(
    built.output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
  )
  const style = [...files.keys()].find((name) => name.endsWith('.css'))
  files.set(
    '/',
    `<!doctype html><html lang="ja"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>文章</title><link rel="stylesheet" href="${style}"><link rel="icon" href="/pictures/icon-800.jpg"><body><script type="module" src="/harness.js"></script></body></html>`,
  )
  const picture = await sharp({ create: { width: 800, height: 500, channels: 3, background: '#983a25' } })
    .jpeg()
    .toBuffer()
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://here.invalid')
    const file = pathname.startsWith('/pictures/') ? picture : files.get(pathname)
    const type = types[pathname.split('.').at(-1) ?? ''] ?? 'text/html'
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type, 'content-security-policy': policy })
    response.end(file)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    service: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
