import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeBackup } from '../../db/backup.ts'
import { readHeader } from '../../db/backup-file.ts'
import { connect, openDatabase, type Place } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { engines, freshPostgresUrl, freshSqlite, onEachEngine } from '../../db/testing.ts'
import type { SiteDependencies } from '../../server/http/request-dependencies.ts'
import { backUpInAnotherProcess, backupFolder, freshBackup } from '../../server/tasks/backups.ts'
import { browserOf, listenHere, noon, sampleSite } from '../../server/testing.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { noteCopy, noteCopyFailure, readCopies } from './copies.server.ts'

// A machine that is busy is slow, not wrong.
const WAIT = { timeout: 30_000 }
const DAY = 24 * 60 * 60 * 1000
const password = 'miso-soup-12'
const newFolder = () => mkdtempSync(join(tmpdir(), 'noren-taking-'))

/** The sample site with its people, each with an account of this password; `signedIn` gives a browser of one of them. */
async function siteWithPeople(
  db: Kysely<Tables>,
  given: Partial<Pick<SiteDependencies, 'freshBackup' | 'settings'>> = {},
) {
  const site = await sampleSite(db, given.settings, given)
  await site.people()
  await openAccounts(db, password, noon)
  const signedIn = async (person: keyof typeof demoAccounts = 'administrator') => {
    const browser = browserOf(site)
    await browser.post('/emaillogin', { email: demoAccounts[person].email, password })
    return browser
  }
  return { ...site, signedIn }
}
type Site = Awaited<ReturnType<typeof siteWithPeople>>
type Browser = ReturnType<typeof browserOf>

/** Where the answer to a proof says that the backup is. */
const fileIn = (html: string) => /\/backup\/file\?permit=[\w.-]+/.exec(html)?.[0] ?? ''

async function proven(browser: Browser) {
  const answer = await browser.post('/backup', { current: password })
  expect(answer.status).toBe(200)
  return fileIn(await answer.text())
}

/** The site where it can be reached, and what a signed-in browser is answered there; `socket` is the connection. */
async function reached({ app }: Site, browser: Browser) {
  const { server, close, port } = await listenHere(app)
  onTestFinished(async () => {
    server.closeAllConnections()
    await close()
  })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return async (path: string) => {
    const asked = request({ port, host: '127.0.0.1', path, headers: { host: 'localhost', cookie } }).end()
    const [answer] = await once(asked, 'response')
    return answer as IncomingMessage
  }
}

const left = async (db: Kysely<Tables>) => (await readCopies(db)).left

onEachEngine((fresh) => {
  test('who has proven who they are gets a whole backup, that is remembered, and nothing is left of it', async () => {
    const db = await fresh()
    const folder = newFolder()
    const site = await siteWithPeople(db, {
      freshBackup: () => freshBackup(folder, (file) => makeBackup(db, file, { program: '0.1.0', now: noon })),
    })
    const browser = await site.signedIn()
    expect(await browser.text('/backup')).toContain('登録された方の連絡先')
    const get = await reached(site, browser)
    const answer = await get(await proven(browser))
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/octet-stream'])
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-disposition': 'attachment; filename="localhost-20261120-120000.noren"',
    })
    const bytes = Buffer.concat(await answer.toArray())
    expect(bytes.length).toBe(Number(answer.headers['content-length']))
    const file = join(newFolder(), 'taken.noren')
    writeFileSync(file, bytes)
    expect((await readHeader(file)).header).toMatchObject({ site: expect.any(String) })
    await vi.waitFor(async () => expect(await left(db)).not.toBeNull(), WAIT)
    expect(await left(db)).toEqual({
      way: 'download',
      madeAt: new Date(noon).toISOString(),
      accountId: 'demo-administrator',
      trouble: null,
    })
    expect(readdirSync(backupFolder(folder))).toEqual([])
    const today = (await browser.text('/today')).replaceAll('<!-- -->', '')
    expect(today).toContain('2026年11月20日 12:00のもの（暖簾 結 さんがダウンロード）')
  })

  test('a wrong password is said by its field, tries are counted, and nobody else gets so far', async () => {
    const site = await siteWithPeople(await fresh())
    const browser = await site.signedIn()
    const empty = await browser.post('/backup', {})
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining('パスワードを入力してください')])
    for (let time = 0; time < 10; time += 1) {
      const wrong = await browser.post('/backup', { current: 'wrong' })
      const html = await wrong.text()
      expect([wrong.status, fileIn(html)]).toEqual([400, ''])
      expect(html).toMatch(/aria-invalid="true"[^>]*name="current"|name="current"[^>]*aria-invalid="true"/)
      expect(html).toContain('現在のパスワードが正しくありません')
      expect(html).not.toContain('value="wrong"')
    }
    const late = await browser.post('/backup', { current: password })
    expect([late.status, await late.text()]).toEqual([429, expect.stringContaining('お試しの回数が多すぎます')])
    for (const [person, status] of [
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 403],
    ] as const) {
      const other = await site.signedIn(person)
      const refused = await other.post('/backup', { current: password })
      const html = await refused.text()
      expect([refused.status, fileIn(html)], person).toEqual([status, ''])
      expect(html).toContain('この操作は管理者だけが行えます。')
      expect(await other.text('/backup')).not.toContain('name="current"')
    }
    expect((await browserOf(site).post('/backup', { current: password })).status).toBe(401)
  })

  test('what a proof opens is for its session alone, for five minutes, and ends with the password', async () => {
    const site = await siteWithPeople(await fresh())
    const [browser, other] = [await site.signedIn(), await site.signedIn()]
    const file = await proven(browser)
    const over = [303, '/backup?trouble=over']
    const asked = async (by: Browser, path = file) => {
      const answer = await by.get(path)
      await answer.body?.cancel()
      return [answer.status, answer.headers.get('location')]
    }
    expect(await asked(other)).toEqual(over)
    expect(await asked(browser, `${file}a`)).toEqual(over)
    expect((await browserOf(site).get(file)).status).toBe(401)
    site.clock.now += 5 * 60_000 - 1
    expect(await asked(browser)).toEqual([200, null])
    site.clock.now += 1
    expect(await asked(browser)).toEqual(over)
    expect(await browser.text('/backup?trouble=over')).toContain('受け付けてから時間がたったため')

    const again = await proven(browser)
    await site.db.updateTable('signInMethods').set({ password: 'another' }).execute()
    expect(await asked(browser, again)).toEqual(over)
    await site.db.deleteFrom('sessions').execute()
    expect((await browser.get(again)).status).toBe(401)
    expect(await left(site.db)).toBeNull()
  })

  test('who has no password signs in anew instead', async () => {
    const site = await siteWithPeople(await fresh())
    const browser = await site.signedIn()
    await site.db
      .updateTable('signInMethods')
      .set({ provider: 'google', password: null })
      .where('owner', '=', demoAccounts.administrator.accountId)
      .execute()
    const begunAgo = (minutes: number) =>
      site.db
        .updateTable('sessions')
        .set({ createdAt: new Date(site.clock.now - minutes * 60_000).toISOString() })
        .execute()
    await begunAgo(10)
    const asked = await browser.text('/backup')
    expect(asked).toContain('href="/login/google?for=backup"')
    expect(asked).not.toContain('name="current"')
    const refused = await browser.post('/backup', { current: '' })
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('もう一度ログインして')])
    await begunAgo(9)
    expect(await browser.text('/backup')).not.toContain('/login/google')
    const file = fileIn(await (await browser.post('/backup', {})).text())
    expect((await browser.get(file)).status).toBe(200)
  })

  test('administrators are told of the backups, and reminded after a month; nobody else is told', async () => {
    const site = await siteWithPeople(await fresh())
    const told = async (person: 'guest' | 'approved' | 'administrator', path = '/today') => {
      const text = (await (await site.as(person, path)).text()).replaceAll('<!-- -->', '')
      return text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    }
    const reminder = /サーバー外に置いた控えが、(?:まだありません|1か月より古くなりました)。/
    const first = await told('administrator')
    expect(first).toContain('今夜から毎晩、自動で作ります。')
    expect(first).toContain('href="/backup"')
    for (const person of ['guest', 'approved'] as const) {
      for (const path of ['/today', '/backup']) {
        expect(await told(person, path), path).not.toMatch(/毎晩の控え|サーバー外|name="current"/)
      }
      expect(await told(person)).not.toContain('/backup')
    }

    site.backup.last = noon
    expect(await told('administrator')).toContain('2026年11月20日 12:00に作り、戻せることを確認しました。')
    site.clock.now = site.backup.last = noon + 31 * DAY
    expect(await told('administrator')).not.toMatch(reminder)
    site.clock.now += 1
    for (const path of ['/today', '/backup']) {
      expect(await told('administrator', path)).toContain('サーバー外に置いた控えが、まだありません。')
      expect(await told('administrator', path)).toMatch(/data-notice="word"[^>]*>サーバー外に置いた控え/)
    }
    await noteCopy(site.db, 'download', { madeAt: site.clock.now, accountId: 'gone' })
    expect(await told('administrator')).not.toMatch(reminder)
    expect(await told('administrator')).toContain('2026年12月21日 12:00のもの（ダウンロード）')
    site.clock.now += 31 * DAY + 1
    expect(await told('administrator')).toContain('1か月より古くなりました。')

    expect(await told('administrator')).toMatch(/data-notice="trouble"[^>]*>データの控えが、2026年12月21日 12:00のあと/)
    site.backup.last = null
    expect(await told('administrator')).toMatch(/data-notice="trouble"[^>]*>データの控えが、まだ一度も/)
  })

  test('the second folder is told of where there is to be one, aloud where it fails', async () => {
    const db = await fresh()
    const settings = { backupCopyFolder: '/media/usb/noren' } as SiteDependencies['settings']
    const site = await siteWithPeople(db, { settings })
    const told = async () => (await (await site.as('administrator', '/today')).text()).replaceAll('<!-- -->', '')
    expect(await told()).toContain('毎晩の控えを、作ったあとにコピーします。')
    await noteCopy(db, 'folder', { madeAt: noon })
    expect(await told()).toContain('最後にコピーしたのは、2026年11月20日 12:00のものです。')
    await noteCopyFailure(db, '控えの二つ目の場所（/media/usb/noren）が見つかりません。')
    for (const [way, ago] of [
      ['download', DAY],
      ['hand', 2 * DAY],
    ] as const)
      await noteCopy(db, way, { madeAt: noon - ago })
    const html = await told()
    expect(html).toMatch(/data-notice="trouble"[^>]*>データの控えを、二つ目の場所にコピーできていません。/)
    // Where it lies is for whoever looks after the machine.
    expect(html).not.toContain('/media/usb')
    expect(html).toContain('2026年11月20日 12:00のもの（二つ目の場所）')
    expect(await (await site.as('approved', '/today')).text()).not.toContain('二つ目の場所')
    await noteCopy(db, 'folder', { madeAt: noon + DAY })
    expect(await told()).not.toContain('コピーできていません')
    const { as } = await siteWithPeople(await fresh())
    expect(await (await as('administrator', '/today')).text()).not.toContain('二つ目の場所')
  })
})

/** A site whose backup is a file of so many bytes, made when `made` says so. */
async function siteWithFile(bytes: number, made: (signal: AbortSignal) => Promise<unknown> = async () => {}) {
  const folder = newFolder()
  const site = await siteWithPeople(await freshSqlite(), {
    freshBackup: (signal) =>
      freshBackup(folder, async (file) => {
        await made(signal)
        writeFileSync(file, '')
        truncateSync(file, bytes)
      }),
  })
  return { ...site, remains: () => readdirSync(backupFolder(folder)) }
}

test('a connection that is cut has got nothing that counts, and another may begin at once', async () => {
  const site = await siteWithFile(64 * 1024 * 1024)
  const browser = await site.signedIn()
  const get = await reached(site, browser)
  const cut = await get(await proven(browser))
  await once(cut, 'readable')
  expect(site.remains()).toEqual([])
  cut.destroy()
  const other = await site.signedIn()
  const getOther = await reached(site, other)
  const file = await proven(other)
  await vi.waitFor(async () => expect((await getOther(file)).statusCode).toBe(200), WAIT)
  expect(await left(site.db)).toBeNull()
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('one is made at a time: who asks again takes the place of their own, anyone else is told to wait', async () => {
  const signals: AbortSignal[] = []
  const { promise: go, resolve: letGo } = Promise.withResolvers<void>()
  const site = await siteWithFile(10, async (signal) => {
    signals.push(signal)
    await Promise.race([go, once(signal, 'abort').then(() => Promise.reject(signal.reason))])
  })
  const [browser, other] = [await site.signedIn(), await site.signedIn()]
  const first = browser.get(await proven(browser))
  await vi.waitFor(() => expect(signals).toHaveLength(1), WAIT)
  const busy = await other.get(await proven(other))
  expect([busy.status, busy.headers.get('location')]).toEqual([303, '/backup?trouble=busy'])
  expect(await other.text('/backup?trouble=busy')).toContain('いま控えを受け取っています')
  const second = browser.get(await proven(browser))
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]), WAIT)
  expect([(await first).status, (await first).headers.get('content-disposition')]).toEqual([408, null])
  letGo()
  const given = await second
  expect([given.status, (await given.arrayBuffer()).byteLength]).toEqual([200, 10])
  const file = await proven(other)
  await vi.waitFor(async () => expect((await other.get(file)).status).toBe(200), WAIT)
  expect(site.remains()).toEqual([])
})

test('who goes away while it is made has it given up', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<AbortSignal>()
  const site = await siteWithFile(10, async (signal) => {
    resolve(signal)
    await once(signal, 'abort')
    throw signal.reason
  })
  const browser = await site.signedIn()
  const away = new AbortController()
  const file = await proven(browser)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const asked = site.app.request(`http://localhost${file}`, { headers: { cookie }, signal: away.signal })
  const signal = await begun
  away.abort()
  expect((await asked).headers.get('content-disposition')).toBeNull()
  expect([signal.aborted, site.remains()]).toEqual([true, []])
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('who is no administrator any more when it is made gets none', async () => {
  let db: Kysely<Tables> | undefined
  const site = await siteWithFile(10, async () => {
    await db?.updateTable('members').set({ administrator: false }).execute()
  })
  db = site.db
  const browser = await site.signedIn()
  const refused = await browser.get(await proven(browser))
  expect([refused.status, await refused.text()]).toEqual([403, 'この操作は管理者だけが行えます。'])
  expect(site.remains()).toEqual([])
})

test('one that could not be made is said so, with the number under which the log tells more', async () => {
  const site = await siteWithFile(10, () =>
    Promise.reject(new Error('控えを作れませんでした。ディスクの空きがありません')),
  )
  const browser = await site.signedIn()
  const failed = await browser.get(await proven(browser))
  const to = failed.headers.get('location') ?? ''
  expect([failed.status, to]).toEqual([303, expect.stringMatching(/^\/backup\?trouble=failed&reference=[0-9a-f]{8}$/)])
  const reference = to.slice(-8)
  expect(await browser.text(to)).toContain(`控えを作れませんでした（受付番号 ${reference}）。`)
  expect(site.logged.findLast(({ msg }) => msg === 'backup not made')).toMatchObject({ reference, level: 50 })
  expect(site.remains()).toEqual([])
  for (const strange of ['?trouble=constructor', '?trouble=failed&reference=%3Cb%3E', '?problem=x'])
    expect(await browser.text(`/backup${strange}`)).not.toMatch(/受付番号|constructor|<b>/)
})

test.each(engines)(
  'on %s, made by another process and downloaded, it is brought back by npm run restore',
  async (engine) => {
    const [dataFolder, to] = [newFolder(), newFolder()]
    const url = engine === 'PostgreSQL' ? await freshPostgresUrl() : undefined
    const place: Place = { url, file: join(dataFolder, 'site.db') }
    const db = await openDatabase(place)
    onTestFinished(() => db.destroy())
    vi.stubEnv('DATA_DIR', dataFolder).stubEnv('DATABASE_URL', url ?? '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const site = await siteWithPeople(db, {
      freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
    })
    const browser = await site.signedIn()
    const get = await reached(site, browser)
    const answer = await get(await proven(browser))
    expect(answer.statusCode).toBe(200)
    const file = join(to, 'taken.noren')
    writeFileSync(file, Buffer.concat(await answer.toArray()))
    await vi.waitFor(async () => expect(await left(db)).toMatchObject({ way: 'download' }), WAIT)
    expect(readdirSync(backupFolder(dataFolder))).toEqual([])

    const env = { PATH: process.env.PATH, DATABASE_URL: '', DATA_DIR: to }
    const child = spawn(process.execPath, ['scripts/restore.ts', file], { env })
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    const restored = await connect({ file: join(to, 'site.db') })
    onTestFinished(() => restored.destroy())
    for (const table of ['members', 'accounts', 'cards', 'events', 'site', 'signInMethods'] as const) {
      const rows = await db.selectFrom(table).selectAll().orderBy('id').execute()
      expect(rows.length, table).toBeGreaterThan(0)
      expect(await restored.selectFrom(table).selectAll().orderBy('id').execute(), table).toEqual(rows)
    }
    // What it does not know of itself is no harm: it says less than there is.
    expect(await left(restored)).toBeNull()
  },
)
