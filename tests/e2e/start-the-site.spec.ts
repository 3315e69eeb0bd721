import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import SQLite from 'better-sqlite3'
import { onPostgres } from '../../db/testing-postgres.ts'
import { expect, test } from './visitors.ts'

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'noren-start-'))

/** Starts the site, waits until it is open or has exited, and stops it. `code` is null if the site was open. */
async function start(environment: Record<string, string>, { inTerminal = false } = {}) {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: '', ...environment }
  const node = [process.execPath, 'server/main.ts']
  const [command = '', ...words] = inTerminal ? ['script', '-qefc', `exec ${node.join(' ')}`, '/dev/null'] : node
  const site = spawn(command, words, { env: { ...process.env, ...settings } })
  let output = ''
  const siteOpened = new Promise<null>((resolve) => {
    for (const stream of [site.stdout, site.stderr]) {
      stream.on('data', (text) => {
        output += text
        if (output.includes('データの場所')) resolve(null)
      })
    }
  })
  const siteClosed = once(site, 'close').then(([code]) => code as number)
  const code = await Promise.race([siteOpened, siteClosed])
  site.kill()
  const codeAtTheEnd = await siteClosed
  return { code, codeAtTheEnd, output: output.trim() }
}

test('creates the database and the secret at the first start and reuses them', async () => {
  const folder = join(emptyFolder(), 'new')
  const first = await start({ DATA_DIR: folder })
  expect(first).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(first.output).toMatch(
    /^サイトを開きました: http:\/\/localhost:\d+\nまだ管理者の方がいません。[^\n]*\n\n {2}http:\/\/localhost:\d+\/welcome\?key=[\w-]{43}\n\n[^\n]*最初にメンバー登録をした方が[^\n]*\nメール: 送る設定（SMTP_URL）がないため[^\n]*mails[^\n]*\nデータの場所: .*site\.db$/,
  )
  const secret = readFileSync(join(folder, 'secret'), 'utf8')
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)

  const second = await start({ DATA_DIR: folder })
  expect(second).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(secret)
  // Each start creates its own setup key and does not store it in clear text.
  const keys = [first, second].map(({ output }) => /key=([\w-]{43})/.exec(output)?.[1] ?? '')
  expect(new Set(keys).size).toBe(2)
  for (const name of readdirSync(folder).filter((name) => name.startsWith('site.db')))
    for (const key of keys) expect(readFileSync(join(folder, name)).includes(key), name).toBe(false)
})

for (const [host, shown] of [
  ['::', '[::]'],
  ['::1', '[::1]'],
] as const)
  test(`prints a URL with brackets and stays open in a terminal when HOST is ${host}`, async () => {
    test.skip(process.platform !== 'linux', 'script(1) has other options elsewhere')
    const settings = { DATA_DIR: emptyFolder(), HOST: host, PUBLIC_ORIGIN: '', HOLIDAYS_URL: '' }
    const { code, output } = await start(settings, { inTerminal: true })
    expect(code).toBeNull()
    const [, key] = /\/welcome\?key=(\S+)/.exec(output) ?? []
    const [, address] = /サイトを開きました: (\S+)/.exec(output) ?? []
    expect(address).toMatch(new RegExp(`^http://\\${shown}:\\d+$`))
    expect(output).toContain(`${address}/welcome?key=${key}`)
  })

/** Starts the site without waiting until the site is open. Takes the same settings as `start`. */
function spawnSite(settings: Record<string, string>, stdio: StdioOptions = 'pipe') {
  const env = { ...process.env, PORT: '0', DATABASE_URL: '', DATA_DIR: emptyFolder(), ...settings }
  return spawn(process.execPath, ['server/main.ts'], { env, stdio })
}

/** Opens a server on a free local port. Returns the server and its port. */
async function occupyPort() {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  return { taken, port: String((taken.address() as AddressInfo).port) }
}

test('stays open and logs the cause when the setup key cannot be stored', async () => {
  const folder = emptyFolder()
  await start({ DATA_DIR: folder })
  const file = new SQLite(join(folder, 'site.db'))
  file.exec(`create trigger refuse before insert on "welcomeKeys" begin select raise(abort, 'no room'); end`)
  file.close()
  const { code, codeAtTheEnd, output } = await start({ DATA_DIR: folder, LOG_LEVEL: 'error' })
  expect([code, codeAtTheEnd]).toEqual([null, 0])
  expect(output).toMatch(/"message":"no room".*"msg":"setup key not created"/)
  expect(output).not.toContain('/welcome?key=')
})

test('denies other users access to every file of an existing data folder', async () => {
  const folder = emptyFolder()
  chmodSync(folder, 0o755)
  const command = ['-c', 'umask 022 && exec "$0" server/main.ts', process.execPath]
  const settings = { PORT: '0', DATABASE_URL: '', DATA_DIR: folder, HOLIDAYS_URL: '' }
  const site = spawn('sh', command, { env: { ...process.env, ...settings } })
  await once(site.stdout, 'data')
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
  site.kill()
  await once(site, 'close')
  const names = ['secret', 'serving.lock', 'site.db', 'site.db-shm', 'site.db-wal']
  expect(Object.fromEntries(modes)).toMatchObject(Object.fromEntries(names.map((name) => [name, 0o600])))
})

test('refuses to start a second site on the same data folder', async () => {
  const folder = emptyFolder()
  const first = spawnSite({ DATA_DIR: folder })
  await once(first.stdout as Readable, 'data')
  const second = await start({ DATA_DIR: folder })
  expect(second.code).toBe(1)
  expect(second.output).toMatch(/^データの置き場所（.*）では、すでにサイトが動いています。[^\n]*$/)
  expect(first.exitCode).toBeNull()
  // The lock is released even after SIGKILL.
  first.kill('SIGKILL')
  await once(first, 'close')
  expect(await start({ DATA_DIR: folder })).toMatchObject({ code: null, codeAtTheEnd: 0 })
})

test('refuses to start and lists the backups when the database is missing or empty', async () => {
  const folder = emptyFolder()
  await start({ DATA_DIR: folder })
  const file = join(folder, 'site.db')
  rmSync(file)
  for (const left of [null, '']) {
    if (left !== null) writeFileSync(file, left)
    const { code, output } = await start({ DATA_DIR: folder })
    expect(code).toBe(1)
    expect(output).toContain(`データベース（${file}）がないか空です。新しいサイトとしては起動しません。`)
    expect(output).toContain('控えは')
  }
  mkdirSync(join(folder, 'backups'))
  for (const day of ['19', '20', '21', '22'])
    writeFileSync(join(folder, 'backups', `202611${day}-033000-night.noren`), '')
  const { output } = await start({ DATA_DIR: folder })
  expect(output.match(/npm run restore -- \S+/g)?.map((line) => line.slice(-23, -13))).toEqual([
    '1122-03300',
    '1121-03300',
    '1120-03300',
  ])
  expect(statSync(file).size).toBe(0)
})

test('runs two processes on one port, replaces a killed process, and stops all processes', async () => {
  await onPostgres(async (url) => {
    const settings = { DATABASE_URL: url, WEB_PROCESSES: '2', HOLIDAYS_URL: '' }
    const site = spawnSite({ ...settings, HOST: '127.0.0.1', LOG_LEVEL: 'info' }, ['ignore', 'pipe', 'inherit'])
    const siteClosed = once(site, 'close')
    let output = ''
    site.stdout?.on('data', (text) => {
      output += text
    })
    const getServingProcesses = () =>
      new Set([...output.matchAll(/"pid":(\d+).*"path":"\/mail"/g)].map(([, pid]) => Number(pid)))
    // Each request uses a new connection, because the processes divide the connections among them.
    const sendRequest = async () => {
      const [, address] = /サイトを開きました: (\S+)/.exec(output) ?? []
      if (!address) return 0
      const pendingResponse = fetch(`${address}/mail`, { headers: { connection: 'close' } })
      return pendingResponse.then(
        ({ status }) => status,
        () => 0,
      )
    }
    const requestUntil = (processes: number) =>
      expect
        .poll(async () => [await sendRequest(), getServingProcesses().size], { timeout: 30_000 })
        .toEqual([200, processes])

    try {
      await requestUntil(2)
      const [one] = getServingProcesses()
      process.kill(one as number, 'SIGKILL')
      await expect.poll(() => output).toContain('process replaced')
      await requestUntil(3)
      site.kill('SIGTERM')
      expect(await siteClosed).toEqual([0, null])
      for (const pid of getServingProcesses()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      expect(output.match(/サイトを開きました/g)).toHaveLength(1)
    } finally {
      site.kill('SIGTERM')
    }
  })
})

test('refuses to start several processes on one SQLite file', async () => {
  const { code, output } = await start({ DATA_DIR: emptyFolder(), WEB_PROCESSES: '2' })
  expect([code, output]).toEqual([1, expect.stringMatching(/^設定 WEB_PROCESSES が正しくありません: [^\n]*$/)])
})

test('keeps serving when the log disk is full', async () => {
  const full = openSync('/dev/full', 'w')
  const { taken, port } = await occupyPort()
  taken.close()
  const site = spawnSite({ PORT: port, LOG_LEVEL: 'info' }, ['ignore', full, full])
  const status = () =>
    fetch(`http://127.0.0.1:${port}/dining`).then(
      (answer) => answer.status,
      () => 0,
    )
  await expect.poll(status, { timeout: 30_000 }).toBe(200)
  for (let request = 0; request < 20; request += 1) expect(await status()).toBe(200)
  expect(site.exitCode).toBeNull()
  const ended = once(site, 'close')
  site.kill()
  expect(await ended).toEqual([0, null])
})

test('refuses to start with one sentence when the database file is corrupt', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'site.db')
  writeFileSync(file, 'not a database'.repeat(1000))
  const { code, output } = await start({ DATA_DIR: folder })
  expect(code).toBe(1)
  expect(output).toMatch(/^データベースのファイルが壊れています。[^\n]*$/)
  expect(readFileSync(file, 'utf8')).toBe('not a database'.repeat(1000))
})

test('refuses to start with one sentence when its port is taken', async () => {
  const { taken, port } = await occupyPort()
  const { code, output } = await start({ DATA_DIR: emptyFolder(), PORT: port })
  taken.close()
  expect(code).toBe(1)
  expect(output).toMatch(/^設定 PORT のポート番号は、ほかのプログラムが使っています。[^\n]*$/)
})

test('refuses to start with one sentence when the data folder cannot be written', async () => {
  const file = join(emptyFolder(), 'in-the-way')
  writeFileSync(file, 'kept')
  for (const folder of [file, join(file, 'below')]) {
    const { code, output } = await start({ DATA_DIR: folder })
    expect(code).toBe(1)
    expect(output).toMatch(/^フォルダーの場所に、ファイルがあります: [^\n]*$/)
  }
  expect(readFileSync(file, 'utf8')).toBe('kept')
})

test('names every invalid setting and refuses to start before it creates a file', async () => {
  const folder = join(emptyFolder(), 'new')
  const { code, output } = await start({ DATA_DIR: folder, PORT: 'three', SAMPLE_SHOP: 'perhaps' })
  expect(code).toBe(1)
  expect(output.split('\n')).toEqual([
    expect.stringMatching(/^設定 PORT が正しくありません/),
    expect.stringMatching(/^設定 SAMPLE_SHOP が正しくありません/),
  ])
  expect(existsSync(folder)).toBe(false)
})

test('prints that only the owner of OWNER_EMAIL can become administrator when OWNER_EMAIL is set', async () => {
  const { output } = await start({ DATA_DIR: emptyFolder(), OWNER_EMAIL: 'hanako@example.jp' })
  expect(output).toContain('/welcome?key=')
  expect(output).toContain('管理者になれるのは、設定 OWNER_EMAIL の hanako@example.jp の方だけです。')
  expect(output).not.toContain('最初にメンバー登録をした方')
})

test('prints one sentence and exits when PostgreSQL is unreachable', async () => {
  const folder = emptyFolder()
  const DATABASE_URL = 'postgres://nobody:secret-word@127.0.0.1:9/none'
  const { code, output } = await start({ DATA_DIR: folder, DATABASE_URL })
  expect(code).toBe(1)
  expect(output).toMatch(/^設定 DATABASE_URL のデータベースにつながりません[^\n]*$/)
  expect(output).not.toContain('secret-word')
  expect(readdirSync(folder)).toEqual([])
})
