import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { openDatabase } from '../../db/open.ts'
import { freePort, onPostgres } from '../../db/testing-postgres.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { startSite as startMeasuredSite } from '../../scripts/start-site.ts'
import { blankSettings } from '../../server/settings.ts'
import { expect, startProcess, startSite, test } from './visitors.ts'

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'noren-start-'))

// Playwright sets FORCE_COLOR, and Node warns if NO_COLOR is set too.
const withoutForcedColor = { FORCE_COLOR: undefined }

/** Starts the site, waits until it is open or has exited, and stops it. `code` is null if the site was open. */
async function start(environment: Record<string, string>, { inTerminal = false } = {}) {
  const settings = { ...blankSettings, ...withoutForcedColor, PORT: '0', LOG_LEVEL: 'silent', ...environment }
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

test('creates the database and the secret at the first start, and prints who can become administrator at each start', async () => {
  const folder = join(emptyFolder(), 'new')
  const first = await start({ DATA_DIR: folder })
  expect(first).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(first.output).toMatch(
    /^サイトを開きました: http:\/\/localhost:\d+\nまだ管理者の方がいません。[^\n]*\n\n {2}http:\/\/localhost:\d+\/welcome\?key=[\w-]{43}\n\n[^\n]*最初にメンバー登録をした方が[^\n]*\nメール: 送る設定（SMTP_URL）がないため[^\n]*mails[^\n]*\nデータの場所: .*site\.db$/,
  )
  const secret = readFileSync(join(folder, 'secret'), 'utf8')
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)

  const second = await start({ DATA_DIR: folder, OWNER_EMAIL: 'hanako@example.jp', LOG_LEVEL: 'info' })
  expect(second).toMatchObject({ code: null, codeAtTheEnd: 0 })
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(secret)
  expect(JSON.parse(second.output.split('\n')[0] ?? '')).toMatchObject({
    version: packageJson.version,
    msg: 'site opened',
  })
  expect(second.output).toContain('管理者になれるのは、設定 OWNER_EMAIL の hanako@example.jp の方だけです。')
  expect(second.output).not.toContain('最初にメンバー登録をした方')
  // Each start creates its own setup key and does not store it in clear text.
  const keys = [first, second].map(({ output }) => /key=([\w-]{43})/.exec(output)?.[1] ?? '')
  expect(new Set(keys).size).toBe(2)
  for (const name of readdirSync(folder).filter((name) => name.startsWith('site.db')))
    for (const key of keys) expect(readFileSync(join(folder, name)).includes(key), name).toBe(false)
})

test('prints a URL with brackets and stays open in a terminal when HOST is an IPv6 address', async () => {
  test.skip(process.platform !== 'linux', 'script(1) has other options elsewhere')
  const settings = { DATA_DIR: emptyFolder(), HOST: '::', PUBLIC_ORIGIN: '', HOLIDAYS_URL: '' }
  const { code, output } = await start(settings, { inTerminal: true })
  expect(code).toBeNull()
  const [, key] = /\/welcome\?key=(\S+)/.exec(output) ?? []
  const [, address] = /サイトを開きました: (\S+)/.exec(output) ?? []
  expect(address).toMatch(/^http:\/\/\[::\]:\d+$/)
  expect(output).toContain(`${address}/welcome?key=${key}`)
})

test('starts the demo and the sites under test without the settings of this machine', async () => {
  // An invalid setting prevents the start.
  process.env.NOTIFY_URL = process.env.BACKUP_COPY_DIR = 'invalid'
  try {
    const measured = await startMeasuredSite()
    await measured.stop()
    const { stop } = await startSite()
    await stop()
    const settings = { PORT: '0', LOG_LEVEL: 'warn', HOLIDAYS_URL: '', NOTIFY_URL: 'invalid', SECRET: 'short' }
    const demo = await startProcess('scripts/demo.ts', settings, /^サイトを開きました: (\S+)$/)
    await demo.stop()
  } finally {
    delete process.env.NOTIFY_URL
    delete process.env.BACKUP_COPY_DIR
  }
})

/** Starts the site without waiting until the site is open. Takes the same settings as `start`. */
function spawnSite(settings: Record<string, string>, stdio: StdioOptions = 'pipe') {
  const env = {
    ...process.env,
    ...blankSettings,
    ...withoutForcedColor,
    PORT: '0',
    DATA_DIR: emptyFolder(),
    ...settings,
  }
  return spawn(process.execPath, ['server/main.ts'], { env, stdio })
}

test('stays open and logs the cause when the setup key cannot be stored', async () => {
  const folder = emptyFolder()
  await (await openDatabase({ file: join(folder, 'site.db') })).destroy()
  const file = new SQLite(join(folder, 'site.db'))
  file.exec(`create trigger refuse before insert on "welcomeKeys" begin select raise(abort, 'no room'); end`)
  file.close()
  const { code, codeAtTheEnd, output } = await start({ DATA_DIR: folder, LOG_LEVEL: 'error' })
  expect([code, codeAtTheEnd]).toEqual([null, 0])
  expect(output).toMatch(/"message":"no room".*"msg":"setup key not created"/)
  expect(output).not.toContain('/welcome?key=')
})

test('denies other users access to its files, and refuses to start a second site on the same data folder', async () => {
  const folder = emptyFolder()
  chmodSync(folder, 0o755)
  const command = ['-c', 'umask 022 && exec "$0" server/main.ts', process.execPath]
  const settings = { ...blankSettings, PORT: '0', DATA_DIR: folder }
  const first = spawn('sh', command, { env: { ...process.env, ...settings } })
  await once(first.stdout, 'data')
  try {
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    const names = ['secret', 'serving.lock', 'site.db', 'site.db-shm', 'site.db-wal']
    expect(Object.fromEntries(modes)).toMatchObject(Object.fromEntries(names.map((name) => [name, 0o600])))
    const second = await start({ DATA_DIR: folder })
    expect(second.code).toBe(1)
    expect(second.output).toMatch(/^データの置き場所（.*）では、すでにサイトが動いています。[^\n]*$/)
    expect(first.exitCode).toBeNull()
  } finally {
    // The lock is released even after SIGKILL.
    first.kill('SIGKILL')
    await once(first, 'close')
  }
  expect(await start({ DATA_DIR: folder })).toMatchObject({ code: null, codeAtTheEnd: 0 })
})

test('runs and measures two processes on one port, replaces a killed process, and stops all processes', async () => {
  await onPostgres(async (url) => {
    const token = '0123456789abcdef0123456789abcdef'
    const settings = { DATABASE_URL: url, WEB_PROCESSES: '2', HOLIDAYS_URL: '', METRICS_TOKEN: token }
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
        .poll(async () => [await sendRequest(), getServingProcesses().size], { timeout: 0 })
        .toEqual([200, processes])

    // A slow process or a slow database is missing in a response.
    const expectMetricsOf = (processes: unknown[]) =>
      expect
        .poll(
          async () => {
            const [, address] = /サイトを開きました: (\S+)/.exec(output) ?? []
            const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } })
            const text = await response.text()
            const ids = [...text.matchAll(/^process_cpu_seconds_total\{process="(\d+)"\}/gm)].map(([, id]) =>
              Number(id),
            )
            return [text.match(/^noren_database_up 1$/gm)?.length, ...ids.sort()]
          },
          { timeout: 0 },
        )
        .toEqual([1, ...processes])

    try {
      await requestUntil(2)
      await expectMetricsOf([1, 2])
      const [one] = getServingProcesses()
      process.kill(one as number, 'SIGKILL')
      await expect.poll(() => output).toContain('process replaced')
      await requestUntil(3)
      await expectMetricsOf([expect.any(Number), 3])
      site.kill('SIGTERM')
      expect(await siteClosed).toEqual([0, null])
      for (const pid of getServingProcesses()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      expect(output.match(/サイトを開きました/g)).toHaveLength(1)
    } finally {
      site.kill('SIGTERM')
    }
  })
})

test('keeps serving when the log disk is full', async () => {
  const full = openSync('/dev/full', 'w')
  const port = String(await freePort())
  const site = spawnSite({ PORT: port, LOG_LEVEL: 'info' }, ['ignore', full, full])
  const status = () =>
    fetch(`http://127.0.0.1:${port}/dining`).then(
      (answer) => answer.status,
      () => 0,
    )
  await expect.poll(status, { timeout: 0 }).toBe(200)
  for (let request = 0; request < 20; request += 1) expect(await status()).toBe(200)
  expect(site.exitCode).toBeNull()
  const ended = once(site, 'close')
  site.kill()
  expect(await ended).toEqual([0, null])
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
