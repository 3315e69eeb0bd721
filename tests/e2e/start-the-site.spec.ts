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

/** Starts the site, waits until it is open or has given up, and ends it; `code` is null where it was open. */
async function start(environment: Record<string, string>, { inTerminal = false } = {}) {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: '', ...environment }
  const node = [process.execPath, 'server/main.ts']
  const [command = '', ...words] = inTerminal ? ['script', '-qefc', `exec ${node.join(' ')}`, '/dev/null'] : node
  const site = spawn(command, words, { env: { ...process.env, ...settings } })
  let said = ''
  const opened = new Promise<null>((resolve) => {
    for (const stream of [site.stdout, site.stderr]) {
      stream.on('data', (text) => {
        said += text
        if (said.includes('データの場所')) resolve(null)
      })
    }
  })
  const closed = once(site, 'close').then(([code]) => code as number)
  const code = await Promise.race([opened, closed])
  site.kill()
  const codeAtTheEnd = await closed
  return { code, codeAtTheEnd, said: said.trim() }
}

test('a first start makes its database and its secret, a second one keeps them', async () => {
  const folder = join(emptyFolder(), 'new')
  const first = await start({ DATA_DIR: folder })
  expect(first).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(first.said).toMatch(
    /^サイトを開きました: http:\/\/localhost:\d+\nまだ管理者の方がいません。[^\n]*\n\n {2}http:\/\/localhost:\d+\/welcome\?key=[\w-]{43}\n\n[^\n]*最初にメンバー登録をした方が[^\n]*\nメール: 送る設定（SMTP_URL）がないため[^\n]*mails[^\n]*\nデータの場所: .*site\.db$/,
  )
  const secret = readFileSync(join(folder, 'secret'), 'utf8')
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)

  const second = await start({ DATA_DIR: folder })
  expect(second).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(secret)
  // Each start has its own key to the first evening, and none of them lies with the data.
  const keys = [first, second].map(({ said }) => /key=([\w-]{43})/.exec(said)?.[1] ?? '')
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
    const { code, said } = await start(settings, { inTerminal: true })
    expect(code).toBeNull()
    const [, key] = /\/welcome\?key=(\S+)/.exec(said) ?? []
    const [, address] = /サイトを開きました: (\S+)/.exec(said) ?? []
    expect(address).toMatch(new RegExp(`^http://\\${shown}:\\d+$`))
    expect(said).toContain(`${address}/welcome?key=${key}`)
  })

/** Starts the site as a process that goes on; the settings are those of `start`. */
function spawnSite(settings: Record<string, string>, stdio: StdioOptions = 'pipe') {
  const env = { ...process.env, PORT: '0', DATABASE_URL: '', DATA_DIR: emptyFolder(), ...settings }
  return spawn(process.execPath, ['server/main.ts'], { env, stdio })
}

/** A server on a port of this machine, and the number of that port. */
async function openPort() {
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
  const { code, codeAtTheEnd, said } = await start({ DATA_DIR: folder, LOG_LEVEL: 'error' })
  expect([code, codeAtTheEnd]).toEqual([null, 0])
  expect(said).toMatch(/"message":"no room".*"msg":"setup key not created"/)
  expect(said).not.toContain('/welcome?key=')
})

test('closes every file of an existing data folder to other users', async () => {
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

test('a second site on one folder says so and does not start; the first goes on', async () => {
  const folder = emptyFolder()
  const first = spawnSite({ DATA_DIR: folder })
  await once(first.stdout as Readable, 'data')
  const second = await start({ DATA_DIR: folder })
  expect(second.code).toBe(1)
  expect(second.said).toMatch(/^データの置き場所（.*）では、すでにサイトが動いています。[^\n]*$/)
  expect(first.exitCode).toBeNull()
  // However it ends, its place is free.
  first.kill('SIGKILL')
  await once(first, 'close')
  expect(await start({ DATA_DIR: folder })).toMatchObject({ code: null, codeAtTheEnd: 0 })
})

test('where a site has been and its database is gone or empty, no new one begins, and its backups are named', async () => {
  const folder = emptyFolder()
  await start({ DATA_DIR: folder })
  const file = join(folder, 'site.db')
  rmSync(file)
  for (const left of [null, '']) {
    if (left !== null) writeFileSync(file, left)
    const { code, said } = await start({ DATA_DIR: folder })
    expect(code).toBe(1)
    expect(said).toContain(`データベース（${file}）がないか空です。新しいサイトとしては起動しません。`)
    expect(said).toContain('控えは')
  }
  mkdirSync(join(folder, 'backups'))
  for (const day of ['19', '20', '21', '22'])
    writeFileSync(join(folder, 'backups', `202611${day}-033000-night.noren`), '')
  const { said } = await start({ DATA_DIR: folder })
  expect(said.match(/npm run restore -- \S+/g)?.map((line) => line.slice(-23, -13))).toEqual([
    '1122-03300',
    '1121-03300',
    '1120-03300',
  ])
  expect(statSync(file).size).toBe(0)
})

test('two processes answer at one address, one that ends is replaced, and all end with the site', async () => {
  await onPostgres(async (url) => {
    const settings = { DATABASE_URL: url, WEB_PROCESSES: '2', HOLIDAYS_URL: '' }
    const site = spawnSite({ ...settings, HOST: '127.0.0.1', LOG_LEVEL: 'info' }, ['ignore', 'pipe', 'inherit'])
    const closed = once(site, 'close')
    let said = ''
    site.stdout?.on('data', (text) => {
      said += text
    })
    const answeredBy = () => new Set([...said.matchAll(/"pid":(\d+).*"path":"\/mail"/g)].map(([, pid]) => Number(pid)))
    // Each on a connection of its own: that is what the processes share.
    const ask = async () => {
      const [, address] = /サイトを開きました: (\S+)/.exec(said) ?? []
      if (!address) return 0
      const asked = fetch(`${address}/mail`, { headers: { connection: 'close' } })
      return asked.then(
        ({ status }) => status,
        () => 0,
      )
    }
    const askUntil = (processes: number) =>
      expect.poll(async () => [await ask(), answeredBy().size], { timeout: 30_000 }).toEqual([200, processes])

    try {
      await askUntil(2)
      const [one] = answeredBy()
      process.kill(one as number, 'SIGKILL')
      await expect.poll(() => said).toContain('process replaced')
      await askUntil(3)
      site.kill('SIGTERM')
      expect(await closed).toEqual([0, null])
      for (const pid of answeredBy()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      expect(said.match(/サイトを開きました/g)).toHaveLength(1)
    } finally {
      site.kill('SIGTERM')
    }
  })
})

test('several processes on one file are refused at the start', async () => {
  const { code, said } = await start({ DATA_DIR: emptyFolder(), WEB_PROCESSES: '2' })
  expect([code, said]).toEqual([1, expect.stringMatching(/^設定 WEB_PROCESSES が正しくありません: [^\n]*$/)])
})

test('a log on a full disk ends nothing', async () => {
  const full = openSync('/dev/full', 'w')
  const { taken, port } = await openPort()
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

test('a broken database file stops the start in one sentence and stays as it was', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'site.db')
  writeFileSync(file, 'not a database'.repeat(1000))
  const { code, said } = await start({ DATA_DIR: folder })
  expect(code).toBe(1)
  expect(said).toMatch(/^データベースのファイルが壊れています。[^\n]*$/)
  expect(readFileSync(file, 'utf8')).toBe('not a database'.repeat(1000))
})

test('stops in one sentence when its port is taken', async () => {
  const { taken, port } = await openPort()
  const { code, said } = await start({ DATA_DIR: emptyFolder(), PORT: port })
  taken.close()
  expect(code).toBe(1)
  expect(said).toMatch(/^設定 PORT のポート番号は、ほかのプログラムが使っています。[^\n]*$/)
})

test('a data folder that cannot be written stops the start in one sentence', async () => {
  const file = join(emptyFolder(), 'in-the-way')
  writeFileSync(file, 'kept')
  for (const folder of [file, join(file, 'below')]) {
    const { code, said } = await start({ DATA_DIR: folder })
    expect(code).toBe(1)
    expect(said).toMatch(/^フォルダーの場所に、ファイルがあります: [^\n]*$/)
  }
  expect(readFileSync(file, 'utf8')).toBe('kept')
})

test('wrong settings stop the start, each by its name, before anything is made', async () => {
  const folder = join(emptyFolder(), 'new')
  const { code, said } = await start({ DATA_DIR: folder, PORT: 'three', SAMPLE_SHOP: 'perhaps' })
  expect(code).toBe(1)
  expect(said.split('\n')).toEqual([
    expect.stringMatching(/^設定 PORT が正しくありません/),
    expect.stringMatching(/^設定 SAMPLE_SHOP が正しくありません/),
  ])
  expect(existsSync(folder)).toBe(false)
})

test('where the settings name an owner the start says that nobody else becomes administrator', async () => {
  const { said } = await start({ DATA_DIR: emptyFolder(), OWNER_EMAIL: 'hanako@example.jp' })
  expect(said).toContain('/welcome?key=')
  expect(said).toContain('管理者になれるのは、設定 OWNER_EMAIL の hanako@example.jp の方だけです。')
  expect(said).not.toContain('最初にメンバー登録をした方')
})

test('a PostgreSQL that is not there stops the start in one sentence', async () => {
  const folder = emptyFolder()
  const DATABASE_URL = 'postgres://nobody:secret-word@127.0.0.1:9/none'
  const { code, said } = await start({ DATA_DIR: folder, DATABASE_URL })
  expect(code).toBe(1)
  expect(said).toMatch(/^設定 DATABASE_URL のデータベースにつながりません[^\n]*$/)
  expect(said).not.toContain('secret-word')
  expect(readdirSync(folder)).toEqual([])
})
