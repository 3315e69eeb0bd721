import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../db/testing-postgres.ts'
import { makeCertificate } from './testing-certificate.ts'

// Only Linux has the whole network 127.0.0.0/8 on the loopback interface, which the tests use as addresses of proxies.
export const hasNginx = process.platform === 'linux' && spawnSync('nginx', ['-v']).status === 0

/** Starts nginx with docs/nginx.conf, other ports and a local certificate. Returns its stop function. */
export async function startNginx(port: number, sitePort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-nginx-'))
  const { key, cert } = makeCertificate()
  writeFileSync(join(folder, 'privkey.pem'), key)
  writeFileSync(join(folder, 'fullchain.pem'), cert)
  const sample = readFileSync('docs/nginx.conf', 'utf8')
    .replaceAll('/etc/letsencrypt/live/example.jp', folder)
    .replaceAll(/^\tlisten \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('127.0.0.1:3000', `127.0.0.1:${sitePort}`)
  writeFileSync(join(folder, 'noren.conf'), sample)
  const temporaryFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${of};`)
  const main = `daemon off; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1;
events {}
http { access_log off; ${temporaryFolders.join(' ')} include noren.conf; }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  const server = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'error_log stderr notice;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stderr.on('data', (text) => {
      output += text
      if (output.includes('start worker process ')) resolve()
    })
    server.once('close', () => reject(new Error(`nginx did not start: ${output}`)))
  })
  return async () => {
    const closed = once(server, 'close')
    server.kill('SIGTERM')
    await closed
  }
}
