import { once } from 'node:events'
import { mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeBackup } from '../../db/backup.ts'
import { readHeader } from '../../db/backup-file.ts'
import { connect, openDatabase, type Place } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { engines, freshPostgresUrl, freshSqlite, onEachEngine } from '../../db/testing.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import type { SiteDependencies } from '../../server/http/request-dependencies.ts'
import { backUpInAnotherProcess, backupFolder, freshBackup } from '../../server/tasks/backups.ts'
import { browserOf, listenLocally, noon, sampleSite } from '../../server/testing.ts'
import { loaderDataOf } from '../../server/testing-action-data.ts'
import { runScript } from '../../server/testing-process.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { addCard } from '../cards/cards.server.ts'
import { hideSection, saveSection } from '../sections/sections.server.ts'
import { noteCopy, noteCopyFailure, readCopies } from './copies.server.ts'

const DAY = 24 * 60 * 60 * 1000
const password = 'miso-soup-12'
const newFolder = () => mkdtempSync(join(tmpdir(), 'noren-taking-'))

/** Creates the sample site with an account for each person. `signIn` returns a browser with the session of a person. */
async function siteWithPeople(db: Db, overrides: Partial<Pick<SiteDependencies, 'freshBackup' | 'settings'>> = {}) {
  const site = await sampleSite(db, overrides.settings, overrides)
  await site.people()
  await openAccounts(db, password, noon)
  const signIn = async (person: keyof typeof demoAccounts = 'administrator') => {
    const browser = browserOf(site)
    await browser.post('/emaillogin', { email: demoAccounts[person].email, password })
    return browser
  }
  return { ...site, signIn }
}
type Site = Awaited<ReturnType<typeof siteWithPeople>>
type Browser = ReturnType<typeof browserOf>

/** Returns the backup URL in the response to a password check, or '' if the response has no backup URL. */
const fileUrlIn = (html: string) => /\/backup\/file\?permit=[\w.-]+/.exec(html)?.[0] ?? ''

async function requestPermit(browser: Browser) {
  const response = await browser.post('/backup', { current: password })
  expect(response.status).toBe(200)
  return fileUrlIn(await response.text())
}

/** Starts an HTTP server for the site. Returns a function that sends a GET request with the cookies of the browser. */
async function startServer({ app }: Site, browser: Browser) {
  const { server, close, port } = await listenLocally(app)
  onTestFinished(async () => {
    server.closeAllConnections()
    await close()
  })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return async (path: string) => {
    const clientRequest = request({ port, host: '127.0.0.1', path, headers: { host: 'localhost', cookie } }).end()
    const [response] = await once(clientRequest, 'response')
    return response as IncomingMessage
  }
}

const newestCopy = async (db: Db) => (await readCopies(db, noon)).left

onEachEngine((fresh) => {
  test('sends and records a complete backup after a password check', async () => {
    const db = await fresh()
    const folder = newFolder()
    const site = await siteWithPeople(db, {
      freshBackup: () => freshBackup(folder, (file) => makeBackup(db, file, { program: '0.1.0', now: noon })),
    })
    const browser = await site.signIn()
    expect(await browser.text('/backup')).toContain('登録された方の連絡先')
    const get = await startServer(site, browser)
    const response = await get(await requestPermit(browser))
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/octet-stream'])
    expect(response.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-disposition': 'attachment; filename="localhost-20261120-120000.noren"',
      'x-accel-buffering': 'no',
    })
    const bytes = Buffer.concat(await response.toArray())
    expect(bytes.length).toBe(Number(response.headers['content-length']))
    const file = join(newFolder(), 'taken.noren')
    writeFileSync(file, bytes)
    expect((await readHeader(file)).header).toMatchObject({ site: expect.any(String) })
    await vi.waitFor(async () => expect(await newestCopy(db)).not.toBeNull(), WAIT_OPTIONS)
    expect(await newestCopy(db)).toEqual({
      way: 'download',
      madeAt: new Date(noon).toISOString(),
      accountId: 'demo-administrator',
      trouble: null,
    })
    expect(readdirSync(backupFolder(folder))).toEqual([])
    const today = (await browser.text('/today')).replaceAll('<!-- -->', '')
    expect(today).toContain('2026年11月20日 12:00のもの（暖簾 結 さんがダウンロード）')
  })

  test('rejects a wrong password and rate-limits the attempts', async () => {
    const site = await siteWithPeople(await fresh())
    const browser = await site.signIn()
    const empty = await browser.post('/backup', {})
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringContaining('パスワードを入力してください')])
    for (let time = 0; time < 10; time += 1) {
      const wrong = await browser.post('/backup', { current: 'wrong' })
      const html = await wrong.text()
      expect([wrong.status, fileUrlIn(html)]).toEqual([400, ''])
      expect(html).toMatch(/aria-invalid="true"[^>]*name="current"|name="current"[^>]*aria-invalid="true"/)
      expect(html).toContain('現在のパスワードが正しくありません')
      expect(html).not.toContain('value="wrong"')
    }
    const limited = await browser.post('/backup', { current: password })
    expect([limited.status, await limited.text()]).toEqual([429, expect.stringContaining('お試しの回数が多すぎます')])
    for (const [person, status] of [
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 403],
    ] as const) {
      const other = await site.signIn(person)
      const denied = await other.post('/backup', { current: password })
      const html = await denied.text()
      expect([denied.status, fileUrlIn(html)], person).toEqual([status, ''])
      expect(html).toContain('この操作は管理者だけが行えます。')
      expect(await other.text('/backup')).not.toContain('name="current"')
    }
    expect((await browserOf(site).post('/backup', { current: password })).status).toBe(401)
  })

  test('rejects a download permit after five minutes or in another session', async () => {
    const site = await siteWithPeople(await fresh())
    const [browser, other] = [await site.signIn(), await site.signIn()]
    const file = await requestPermit(browser)
    const expired = [303, '/backup?trouble=over']
    const requestFile = async (caller: Browser, path = file) => {
      const response = await caller.get(path)
      await response.body?.cancel()
      return [response.status, response.headers.get('location')]
    }
    expect(await requestFile(other)).toEqual(expired)
    expect(await requestFile(browser, `${file}a`)).toEqual(expired)
    expect((await browserOf(site).get(file)).status).toBe(401)
    site.clock.now += 5 * 60_000 - 1
    expect(await requestFile(browser)).toEqual([200, null])
    site.clock.now += 1
    expect(await requestFile(browser)).toEqual(expired)
    expect(await browser.text('/backup?trouble=over')).toContain('受け付けてから時間がたったため')

    const secondFile = await requestPermit(browser)
    await site.db.updateTable('signInMethods').set({ password: 'another' }).execute()
    expect(await requestFile(browser, secondFile)).toEqual(expired)
    await site.db.deleteFrom('sessions').execute()
    expect((await browser.get(secondFile)).status).toBe(401)
    expect(await newestCopy(site.db)).toBeNull()
  })

  test('requires a recent sign-in when the account has no password', async () => {
    const site = await siteWithPeople(await fresh())
    const browser = await site.signIn()
    await site.db
      .updateTable('signInMethods')
      .set({ provider: 'google', password: null })
      .where('owner', '=', demoAccounts.administrator.accountId)
      .execute()
    const setSessionAge = (minutes: number) =>
      site.db
        .updateTable('sessions')
        .set({ createdAt: new Date(site.clock.now - minutes * 60_000).toISOString() })
        .execute()
    // The sign-in may be from a clock that was ahead.
    for (const minutes of [-10, 10]) {
      await setSessionAge(minutes)
      const html = await browser.text('/backup')
      expect(html).toContain('href="/login/google?for=backup"')
      expect(html).not.toContain('name="current"')
      const denied = await browser.post('/backup', { current: '' })
      expect([denied.status, await denied.text()]).toEqual([403, expect.stringContaining('もう一度ログインして')])
    }
    // The open page then loads its data again, because it has no button of Google yet.
    expect(await (await browser.post('/backup.data', {})).text()).toContain('isOutdated')
    await setSessionAge(9)
    expect(await browser.text('/backup')).not.toContain('/login/google')
    const file = fileUrlIn(await (await browser.post('/backup', {})).text())
    expect((await browser.get(file)).status).toBe(200)
  })

  test('shows the backup state and the reminder of an old backup only to administrators', async () => {
    const site = await siteWithPeople(await fresh())
    const mainHtml = async (person: 'guest' | 'approved' | 'administrator', path = '/today') => {
      const text = (await (await site.as(person, path)).text()).replaceAll('<!-- -->', '')
      return text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    }
    const reminder = /サーバー外に置いた控えが、(?:まだありません|1か月より古くなりました)。/
    const first = await mainHtml('administrator')
    expect(first).toContain('今夜から毎晩、自動で作ります。')
    expect(first).toContain('href="/backup"')
    for (const person of ['guest', 'approved'] as const) {
      for (const path of ['/today', '/backup']) {
        expect(await mainHtml(person, path), path).not.toMatch(/毎晩の控え|サーバー外|name="current"/)
      }
      expect(await mainHtml(person)).not.toContain('/backup')
    }

    site.backup.last = noon
    expect(await mainHtml('administrator')).toContain('2026年11月20日 12:00に作り、戻せることを確認しました。')
    site.clock.now = site.backup.last = noon + 31 * DAY
    expect(await mainHtml('administrator')).not.toMatch(reminder)
    site.clock.now += 1
    for (const path of ['/today', '/backup']) {
      expect(await mainHtml('administrator', path)).toContain('サーバー外に置いた控えが、まだありません。')
      expect(await mainHtml('administrator', path)).toMatch(/data-notice="word"[^>]*>サーバー外に置いた控え/)
    }
    await noteCopy(site.db, 'hand', { madeAt: site.clock.now + 1000 * DAY })
    expect(await mainHtml('administrator')).toContain('サーバー外に置いた控えが、まだありません。')
    await noteCopy(site.db, 'download', { madeAt: site.clock.now, accountId: 'gone' })
    expect(await mainHtml('administrator')).not.toMatch(reminder)
    expect(await mainHtml('administrator')).toContain('2026年12月21日 12:00のもの（ダウンロード）')
    site.clock.now += 31 * DAY + 1
    expect(await mainHtml('administrator')).toContain('1か月より古くなりました。')

    expect(await mainHtml('administrator')).toMatch(
      /data-notice="trouble"[^>]*>データの控えが、2026年12月21日 12:00のあと/,
    )
    site.backup.last = null
    expect(await mainHtml('administrator')).toMatch(/data-notice="trouble"[^>]*>データの控えが、まだ一度も/)
  })

  test('reports to an administrator only the time of a download of their own', async () => {
    const site = await siteWithPeople(await fresh())
    const browser = await site.signIn()
    type Data = { backups: { ownDownload: string } }
    const ownDownload = async () =>
      (await loaderDataOf<Data>(await browser.get('/backup.data'), 'owner/backup-page')).backups.ownDownload
    const { accountId } = demoAccounts.administrator
    await noteCopy(site.db, 'download', { madeAt: noon, accountId })
    await noteCopy(site.db, 'hand', { madeAt: noon + 1 })
    expect(await ownDownload()).toBe(new Date(noon).toISOString())
    await noteCopy(site.db, 'download', { madeAt: noon + 2, accountId: 'other' })
    expect(await ownDownload()).toBe('')
  })

  test('shows the state of the second backup folder when the folder is configured', async () => {
    const db = await fresh()
    const settings = { backupCopyFolder: '/media/usb/noren' } as SiteDependencies['settings']
    const site = await siteWithPeople(db, { settings })
    const todayHtml = async () => (await (await site.as('administrator', '/today')).text()).replaceAll('<!-- -->', '')
    expect(await todayHtml()).toContain('毎晩の控えを、作ったあとにコピーします。')
    await noteCopy(db, 'folder', { madeAt: noon })
    expect(await todayHtml()).toContain('最後にコピーしたのは、2026年11月20日 12:00のものです。')
    await noteCopyFailure(db, 'folder', '控えの二つ目の場所（/media/usb/noren）が見つかりません。')
    for (const [way, ago] of [
      ['download', DAY],
      ['hand', 2 * DAY],
    ] as const)
      await noteCopy(db, way, { madeAt: noon - ago })
    const html = await todayHtml()
    expect(html).toMatch(/data-notice="trouble"[^>]*>データの控えを、二つ目の場所にコピーできていません。/)
    // The page omits the path of the folder, because the path concerns only the operator.
    expect(html).not.toContain('/media/usb')
    expect(html).toContain('2026年11月20日 12:00のもの（二つ目の場所）')
    expect(await (await site.as('approved', '/today')).text()).not.toContain('二つ目の場所')
    await noteCopy(db, 'folder', { madeAt: noon + DAY })
    expect(await todayHtml()).not.toContain('コピーできていません')
    const { as } = await siteWithPeople(await fresh())
    expect(await (await as('administrator', '/today')).text()).not.toContain('二つ目の場所')
  })
})

test('shows the state of the copies in the bucket when the bucket is configured', async () => {
  const db = await freshSqlite()
  const settings = { backupCopyFolder: null, backupBucket: { name: 'copies' } } as SiteDependencies['settings']
  const site = await siteWithPeople(db, { settings })
  const todayHtml = async () => (await (await site.as('administrator', '/today')).text()).replaceAll('<!-- -->', '')
  expect(await todayHtml()).toContain('毎晩の控えを、作ったあとに暗号化して送ります。')
  await noteCopyFailure(db, 's3', 'クラウドの保管先（copies）が応答しません。')
  expect(await todayHtml()).toMatch(
    /data-notice="trouble"[^>]*>データの控えを、クラウドの保管先にまだ一度も送れていません。/,
  )
  await noteCopy(db, 's3', { madeAt: noon })
  expect(await todayHtml()).toContain('最後に送ったのは、2026年11月20日 12:00のものです。')
  expect(await todayHtml()).toContain('2026年11月20日 12:00のもの（クラウドの保管先）')
  expect(await todayHtml()).not.toMatch(/送れていません|二つ目の場所/)
  await noteCopyFailure(db, 's3', 'クラウドの保管先（copies）が応答しません。')
  const html = await todayHtml()
  expect(html).toMatch(/クラウドの保管先に送れていません。送れたのは、2026年11月20日 12:00のものまでです。/)
  expect(html).not.toContain('copies')
  expect(await (await site.as('approved', '/today')).text()).not.toContain('クラウド')
})

/** Creates a site whose backup has `bytes` bytes. The backup is written after `prepare` has resolved. */
async function siteWithFile(bytes: number, prepare: (signal: AbortSignal) => Promise<unknown> = async () => {}) {
  const folder = newFolder()
  const site = await siteWithPeople(await freshSqlite(), {
    freshBackup: (signal) =>
      freshBackup(folder, async (file) => {
        await prepare(signal)
        writeFileSync(file, '')
        truncateSync(file, bytes)
      }),
  })
  return { ...site, leftoverFiles: () => readdirSync(backupFolder(folder)) }
}

test('does not record an interrupted download or block the next download', async () => {
  const site = await siteWithFile(64 * 1024 * 1024)
  const browser = await site.signIn()
  const get = await startServer(site, browser)
  const interrupted = await get(await requestPermit(browser))
  await once(interrupted, 'readable')
  expect(site.leftoverFiles()).toEqual([])
  interrupted.destroy()
  const other = await site.signIn()
  const getOther = await startServer(site, other)
  const file = await requestPermit(other)
  await vi.waitFor(async () => expect((await getOther(file)).statusCode).toBe(200), WAIT_OPTIONS)
  expect(await newestCopy(site.db)).toBeNull()
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('does not record a download that is interrupted while the server waits for the disk', async () => {
  const folder = newFolder()
  const site = await siteWithPeople(await freshSqlite(), {
    freshBackup: async () => {
      const file = await freshBackup(folder, async (path) => writeFileSync(path, 'backup'))
      const destroy = (_: Error | null, done: () => void) => void file.close().finally(done)
      const stalled = new Readable({ read: () => {}, destroy })
      stalled.push('back')
      return Object.assign(file, { createReadStream: () => stalled })
    },
  })
  const [browser, other] = [await site.signIn(), await site.signIn()]
  const get = await startServer(site, browser)
  const interrupted = await get(await requestPermit(browser))
  await once(interrupted, 'data')
  interrupted.destroy()
  const getOther = await startServer(site, other)
  const file = await requestPermit(other)
  await vi.waitFor(async () => expect((await getOther(file)).statusCode).toBe(200), WAIT_OPTIONS)
  expect(await newestCopy(site.db)).toBeNull()
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('cancels an earlier download of the same session, but rejects a concurrent download of another session', async () => {
  const signals: AbortSignal[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const site = await siteWithFile(10, async (signal) => {
    signals.push(signal)
    await Promise.race([released, once(signal, 'abort').then(() => Promise.reject(signal.reason))])
  })
  const [browser, other] = [await site.signIn(), await site.signIn()]
  const first = browser.get(await requestPermit(browser))
  await vi.waitFor(() => expect(signals).toHaveLength(1), WAIT_OPTIONS)
  const busy = await other.get(await requestPermit(other))
  expect([busy.status, busy.headers.get('location')]).toEqual([303, '/backup?trouble=busy'])
  expect(await other.text('/backup?trouble=busy')).toContain('いま控えを受け取っています')
  const second = browser.get(await requestPermit(browser))
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]), WAIT_OPTIONS)
  expect([(await first).status, (await first).headers.get('content-disposition')]).toEqual([408, null])
  release()
  const secondResponse = await second
  expect([secondResponse.status, (await secondResponse.arrayBuffer()).byteLength]).toEqual([200, 10])
  const file = await requestPermit(other)
  await vi.waitFor(async () => expect((await other.get(file)).status).toBe(200), WAIT_OPTIONS)
  expect(site.leftoverFiles()).toEqual([])
})

test('cancels the backup when the client disconnects', async () => {
  const { promise: started, resolve } = Promise.withResolvers<AbortSignal>()
  const site = await siteWithFile(10, async (signal) => {
    resolve(signal)
    await once(signal, 'abort')
    throw signal.reason
  })
  const browser = await site.signIn()
  const clientAbort = new AbortController()
  const file = await requestPermit(browser)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = site.app.request(`http://localhost${file}`, { headers: { cookie }, signal: clientAbort.signal })
  const signal = await started
  clientAbort.abort()
  expect((await response).headers.get('content-disposition')).toBeNull()
  expect([signal.aborted, site.leftoverFiles()]).toEqual([true, []])
  expect(site.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('rejects the download when the user loses the administrator role while the backup is created', async () => {
  let db: Db | undefined
  const site = await siteWithFile(10, async () => {
    await db?.updateTable('members').set({ administrator: false }).execute()
  })
  db = site.db
  const browser = await site.signIn()
  const denied = await browser.get(await requestPermit(browser))
  expect([denied.status, await denied.text()]).toEqual([403, 'この操作は管理者だけが行えます。'])
  expect(site.leftoverFiles()).toEqual([])
})

test('shows the reference of the log entry when a backup fails', async () => {
  const site = await siteWithFile(10, () =>
    Promise.reject(new Error('控えを作れませんでした。ディスクの空きがありません')),
  )
  const browser = await site.signIn()
  const failed = await browser.get(await requestPermit(browser))
  const location = failed.headers.get('location') ?? ''
  expect([failed.status, location]).toEqual([
    303,
    expect.stringMatching(/^\/backup\?trouble=failed&reference=[0-9a-f]{8}$/),
  ])
  const reference = location.slice(-8)
  expect(await browser.text(location)).toContain(`控えを作れませんでした（受付番号 ${reference}）。`)
  expect(site.logged.findLast(({ msg }) => msg === 'backup not made')).toMatchObject({ reference, level: 50 })
  expect(site.leftoverFiles()).toEqual([])
  for (const strange of ['?trouble=constructor', '?trouble=failed&reference=%3Cb%3E', '?problem=x'])
    expect(await browser.text(`/backup${strange}`)).not.toMatch(/受付番号|constructor|<b>/)
})

test.each(engines)('restores a downloaded backup with npm run restore, on %s', async (engine) => {
  const [dataFolder, restoreFolder] = [newFolder(), newFolder()]
  const url = engine === 'PostgreSQL' ? await freshPostgresUrl() : undefined
  const place: Place = { url, file: join(dataFolder, 'site.db') }
  const db = await openDatabase(place)
  onTestFinished(() => db.destroy())
  vi.stubEnv('DATA_DIR', dataFolder).stubEnv('DATABASE_URL', url ?? '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const site = await siteWithPeople(db, {
    freshBackup: (signal) => freshBackup(dataFolder, (file) => backUpInAnotherProcess(file, signal)),
  })
  const author = { accountId: null, at: new Date(noon).toISOString() }
  const facts = { name: 'お飲みもの', served: 'slot2', shownUntil: '2026-12-31T21:00' } as const
  await saveSection(db, 'drinks', { version: 0, facts }, author)
  await addCard(db, 'dining', { title: '宇治のほうじ茶', section: 'drinks', shownFrom: '2026-11-01T09:00' }, author)
  await hideSection(db, 'drinks', '2026-11-21T11:00', author)
  const browser = await site.signIn()
  const get = await startServer(site, browser)
  const response = await get(await requestPermit(browser))
  expect(response.statusCode).toBe(200)
  const file = join(restoreFolder, 'taken.noren')
  writeFileSync(file, Buffer.concat(await response.toArray()))
  await vi.waitFor(async () => expect(await newestCopy(db)).toMatchObject({ way: 'download' }), WAIT_OPTIONS)
  expect(readdirSync(backupFolder(dataFolder))).toEqual([])

  expect(await runScript('restore', [file], { DATA_DIR: restoreFolder })).toMatchObject({ code: 0 })
  const restored = await connect({ file: join(restoreFolder, 'site.db') })
  onTestFinished(() => restored.destroy())
  for (const table of ['members', 'accounts', 'cards', 'menuSections', 'events', 'site', 'signInMethods'] as const) {
    const rows = await db.selectFrom(table).selectAll().orderBy('id').execute()
    expect(rows.length, table).toBeGreaterThan(0)
    expect(await restored.selectFrom(table).selectAll().orderBy('id').execute(), table).toEqual(rows)
  }
  // The download was recorded after the creation of the backup, so the backup does not contain this record.
  expect(await newestCopy(restored)).toBeNull()
})
