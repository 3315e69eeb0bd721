import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { storeImage } from '../../app/media/images.server.ts'
import { makeBackup, restoreBackup } from '../../db/backup.ts'
import { connect, migrate, openDatabase } from '../../db/open.ts'
import { emptyPostgresUrl, freshPostgresUrl } from '../../db/testing.ts'
import { openPooler } from '../../db/testing-pooler.ts'
import { openSite } from '../open-site.ts'
import { noon, sampleSite } from '../testing.ts'
import { newFolder } from '../testing-disks.ts'
import { runScript } from '../testing-process.ts'
import { stopTimers } from '../testing-timers.ts'
import {
  backUpInAnotherProcess,
  backupFile,
  backupFolder,
  expiredNames,
  isDue,
  lastBackup,
  startNightlyBackups,
  tidyBackups,
} from './backups.ts'

const backUpNight = (settings: Record<string, string>) => runScript('backup', ['--night'], settings)
const inJapan = (time: string) => Date.parse(`${time}+09:00`)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

test('serves the same pages and images after a move to PostgreSQL and back', async () => {
  const databases = [
    { file: join(newFolder(), 'site.db') },
    { url: await emptyPostgresUrl(), file: '' },
    { file: join(newFolder(), 'site.db') },
  ]
  const seen: Record<string, string>[] = []
  let last = ''
  for (const database of databases) {
    if (last) await restoreBackup(last, database)
    const db = await openDatabase(database)
    const site = await sampleSite(db)
    if (!last) {
      await site.people()
      const photo = sharp({ create: { width: 90, height: 60, channels: 3, background: '#983a25' } })
      const author = { accountId: null, at: new Date(noon).toISOString() }
      expect(await storeImage(db, await photo.png().toBuffer(), 'card', author)).toEqual(expect.any(String))
    }
    seen.push(await renderEveryPage(site))
    last = join(newFolder(), 'moved.noren')
    await makeBackup(db, last, { program: '0.1.0', now: noon })
    await db.destroy()
  }
  expect(Object.keys(seen[0] ?? {}).length).toBeGreaterThan(15)
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

async function renderEveryPage({ get, text, as, db }: Awaited<ReturnType<typeof sampleSite>>) {
  const sitemap = await text('/sitemap.xml')
  const paths = [...sitemap.matchAll(/<loc>http:\/\/localhost([^<]*)</g)].map(([, path]) => path || '/')
  const pages: Record<string, string> = {}
  // The cursor of the live updates is no part of the data.
  const addPage = async (name: string, response: Response | Promise<Response>) => {
    pages[name] = (await (await response).text()).replace(/(lastChange\\",\\")[^\\]*/, '$1')
  }
  for (const path of paths) await addPage(path, get(path))
  for (const path of ['/memberlist', '/inbox', '/today', '/bussinessdays', '/calendar.ics'])
    await addPage(`as administrator ${path}`, as('administrator', path))
  const files = await db.selectFrom('pictureFiles').select(['name', 'width', 'format']).execute()
  expect(files.length).toBeGreaterThan(2)
  for (const { name, width, format } of files) {
    const path = `/pictures/${name}-${width}.${format}`
    const bytes = await (await get(path)).arrayBuffer()
    pages[path] = Buffer.from(bytes).toString('base64')
  }
  return pages
}

test('considers a nightly backup due from 03:30 in Japan', () => {
  const last = inJapan('2026-11-20T03:30:05')
  expect(isDue(last, inJapan('2026-11-20T23:59:00'))).toBe(false)
  expect(isDue(last, inJapan('2026-11-21T03:29:59'))).toBe(false)
  expect(isDue(last, inJapan('2026-11-21T03:30:00'))).toBe(true)
  expect(isDue(inJapan('2026-11-20T03:29:59'), inJapan('2026-11-20T03:30:00'))).toBe(true)
  expect(isDue(inJapan('2026-11-21T03:30:00'), inJapan('2026-11-21T03:40:00'))).toBe(false)
})

test('retains the last backups of 7 days, 4 weeks and 6 months', () => {
  let retained: { name: string; at: number; night: boolean }[] = []
  for (let at = inJapan('2025-11-20T03:30:00'); at <= inJapan('2026-11-20T03:30:00'); at += DAY) {
    retained.push({ name: new Date(at + 9 * 60 * 60 * 1000).toISOString().slice(0, 10), at, night: true })
    const expired = expiredNames(retained)
    retained = retained.filter(({ name }) => !expired.has(name))
  }
  expect(retained.map(({ name }) => name)).toEqual([
    ...['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'],
    ...['2026-11-01', '2026-11-08'],
    ...['2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'],
  ])
})

test('deletes expired nightly and unfinished backups, but no manual backups and no backups before migrations', async () => {
  const folder = newFolder()
  mkdirSync(backupFolder(folder))
  const file = (name: string) => join(backupFolder(folder), name)
  for (let day = 1; day <= 30; day += 1) writeFileSync(backupFile(folder, 'night', noon - day * DAY), '')
  for (const name of ['20200101-033000-hand.noren', '20200101-033000-before-0009-x.noren', 'お店の写真.noren'])
    writeFileSync(file(name), '')
  for (const name of ['a.noren.1-2.part', 'b.noren.1-2.part', 'b.noren.1-2.part.db']) writeFileSync(file(name), '')
  utimesSync(file('a.noren.1-2.part'), noon / 1000 - 60, noon / 1000 - 60)
  for (const name of ['b.noren.1-2.part', 'b.noren.1-2.part.db']) utimesSync(file(name), 1e9, 1e9)
  await tidyBackups(folder, noon)
  const remaining = readdirSync(backupFolder(folder)).sort()
  expect(remaining).toEqual([
    '20200101-033000-before-0009-x.noren',
    '20200101-033000-hand.noren',
    '20261031-120000-night.noren',
    ...['20261101-120000-night.noren', '20261108-120000-night.noren', '20261113-120000-night.noren'],
    ...[14, 15, 16, 17, 18, 19].map((day) => `202611${day}-120000-night.noren`),
    'a.noren.1-2.part',
    'お店の写真.noren',
  ])
})

test('makes one backup each night, and retries a failed backup after an hour', async () => {
  const dataFolder = newFolder()
  mkdirSync(backupFolder(dataFolder))
  const attempts: string[] = []
  const errors: unknown[] = []
  let isFailing = true
  const start = () =>
    startNightlyBackups({
      dataFolder,
      begunAt: inJapan('2026-11-20T12:00:00'),
      clock: Date.now,
      log: { error: (error: unknown) => void errors.push(error) },
      make: async () => {
        attempts.push(new Date(Date.now() + 9 * 60 * MINUTE).toISOString().slice(0, 16))
        if (isFailing) throw new Error('no space left')
        writeFileSync(backupFile(dataFolder, 'night', Date.now()), '')
      },
    })
  const advance = stopTimers(inJapan('2026-11-21T03:21:00'))
  const stop = start()
  await advance(10)
  expect([attempts, errors.length]).toEqual([['2026-11-21T03:31'], 1])
  isFailing = false
  await advance(59)
  await advance(1)
  vi.setSystemTime(inJapan('2026-11-22T03:21:00'))
  await advance(10)
  await advance(10)
  await stop()
  // The machine was off for two nights. A manual backup does not replace a nightly backup.
  vi.setSystemTime(inJapan('2026-11-24T10:00:00'))
  writeFileSync(backupFile(dataFolder, 'hand', Date.now() - 60 * MINUTE), '')
  await start()()
  expect(attempts.slice(1)).toEqual(['2026-11-21T04:31', '2026-11-22T03:31', '2026-11-24T10:00'])
  expect(await lastBackup(dataFolder, Date.now())).toBe(inJapan('2026-11-24T10:00:00'))
})

test('makes the first backup at once when the clock was years ahead at the creation of the site', async () => {
  const dataFolder = newFolder()
  const made: number[] = []
  const now = inJapan('2026-11-20T12:00:00')
  const options = {
    dataFolder,
    begunAt: now + 1000 * DAY,
    clock: () => now,
    log: { error: () => expect.unreachable() },
  }
  await startNightlyBackups({ ...options, make: async () => void made.push(now) })()
  await startNightlyBackups({ ...options, begunAt: now, make: async () => void made.push(now) })()
  expect(made).toEqual([now])
})

test('makes a backup every night after the clock was years ahead for a while', async () => {
  const dataFolder = newFolder()
  mkdirSync(backupFolder(dataFolder))
  const ahead = [1, 2, 3, 4, 5, 6, 7, 8].map((month) => inJapan(`2030-0${month}-01T03:31:00`))
  for (const at of ahead) writeFileSync(backupFile(dataFolder, 'night', at), '')
  const begunAt = inJapan('2026-11-20T12:00:00')
  const made: number[] = []
  const make = async () => {
    made.push(Date.now())
    writeFileSync(backupFile(dataFolder, 'night', Date.now()), '')
    await tidyBackups(dataFolder, Date.now())
  }
  const log = { error: () => expect.unreachable() }
  const advance = stopTimers(inJapan('2026-11-21T03:21:00'))
  expect(await lastBackup(dataFolder, Date.now())).toBeNull()
  const stop = startNightlyBackups({ dataFolder, begunAt, clock: Date.now, log, make })
  await advance(10)
  await advance(10)
  // The clock is set back by less than the time since the backup.
  vi.setSystemTime(inJapan('2026-11-21T03:26:00'))
  await advance(10)
  await stop()
  expect(made).toEqual([expect.closeTo(inJapan('2026-11-21T03:31:00'), -4)])
  expect(await lastBackup(dataFolder, Date.now())).toBe(inJapan('2026-11-21T03:31:00'))
  expect(readdirSync(backupFolder(dataFolder))).toHaveLength(ahead.length + 1)
})

test('aborts a running backup when the task stops', async () => {
  const started = Promise.withResolvers<void>()
  const stop = startNightlyBackups({
    dataFolder: newFolder(),
    begunAt: 0,
    clock: () => noon,
    log: { error: () => expect.unreachable() },
    make: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        started.resolve()
      }),
  })
  await started.promise
  await stop()
})

test('makes the nightly backup in a child process, and rejects with the error output of this process', async () => {
  const [empty, dataFolder] = [newFolder(), newFolder()]
  const { signal } = new AbortController()
  vi.stubEnv('DATABASE_URL', '').stubEnv('DATA_DIR', empty)
  await expect(backUpInAnotherProcess('--night', signal)).rejects.toThrow(
    /控えを作れませんでした。データベースがありません/,
  )
  await (await openDatabase({ file: join(dataFolder, 'site.db') })).destroy()
  vi.stubEnv('DATA_DIR', dataFolder)
  await backUpInAnotherProcess('--night', signal)
  vi.unstubAllEnvs()
  expect(readdirSync(empty)).toEqual([])
  expect(readdirSync(backupFolder(dataFolder))).toEqual([expect.stringMatching(/-night\.noren$/)])
})

test('makes one nightly backup when two processes share one PostgreSQL', async () => {
  const settings = { DATABASE_URL: await freshPostgresUrl(), DATA_DIR: newFolder() }
  const byHand = backupFile(settings.DATA_DIR, 'hand', Date.now())
  mkdirSync(backupFolder(settings.DATA_DIR))
  writeFileSync(byHand, '')
  const results = await Promise.all([backUpNight(settings), backUpNight(settings)])
  expect(results.map(({ code }) => code)).toEqual([0, 0])
  expect(await backUpNight(settings)).toEqual({ code: 0, output: '' })
  const nights = readdirSync(backupFolder(settings.DATA_DIR)).filter((name) => name !== basename(byHand))
  expect(nights).toEqual([expect.stringMatching(/^\d{8}-\d{6}-night\.noren$/)])
})

test('makes a nightly backup although a transaction pooler has retained the connection of an earlier backup', async () => {
  const url = await freshPostgresUrl()
  const pooled = { DATABASE_URL: await openPooler(url, 'transaction'), DATA_DIR: newFolder() }
  const direct = { DATABASE_URL: url, DATA_DIR: newFolder() }
  for (const settings of [pooled, direct]) {
    const message = expect.stringContaining('控えを作り、戻せることを確認しました')
    expect(await backUpNight(settings)).toEqual({ code: 0, output: message })
    expect(readdirSync(backupFolder(settings.DATA_DIR))).toEqual([expect.stringMatching(/-night\.noren$/)])
  }
})

test('prints and logs that another process makes the nightly backup', async () => {
  const settings = { DATABASE_URL: await freshPostgresUrl(), DATA_DIR: newFolder() }
  const db = await openDatabase({ url: settings.DATABASE_URL, file: '' })
  const message = 'ほかのプロセスが今夜の控えを作っているため、ここでは作りません。'
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('noren backup'))`.execute(trx)
    expect(await backUpNight(settings)).toEqual({ code: 0, output: `${message}\n` })
    vi.stubEnv('DATABASE_URL', settings.DATABASE_URL).stubEnv('DATA_DIR', settings.DATA_DIR)
    const logged: unknown[] = []
    const log = { info: (...line: unknown[]) => void logged.push(line) }
    await backUpInAnotherProcess('--night', new AbortController().signal, log)
    vi.unstubAllEnvs()
    expect(logged).toEqual([[{ output: message }, 'backup left to another process']])
  })
  await db.destroy()
  expect(existsSync(backupFolder(settings.DATA_DIR))).toBe(false)
})

test('prints only the success message on a machine without a data folder', async () => {
  const settings = { DATABASE_URL: await freshPostgresUrl(), DATA_DIR: join(newFolder(), 'none') }
  const file = join(newFolder(), 'お店.noren')
  const message = expect.stringMatching(/^(?:.*… .*\n)*控えを作り、戻せることを確認しました（\d+件）: .*お店\.noren\n$/)
  expect(await runScript('backup', [file], settings)).toEqual({ code: 0, output: message })
  expect(existsSync(settings.DATA_DIR)).toBe(false)
})

test('writes a backup to a file and restores it only into an empty folder', async () => {
  const [from, to, file] = [newFolder(), newFolder(), join(newFolder(), 'お店.noren')]
  const withoutFile = await runScript('backup', [], { DATA_DIR: from })
  expect(withoutFile).toMatchObject({ code: 1, output: expect.stringContaining('ありません') })
  expect(readdirSync(from)).toEqual([])
  const db = await openDatabase({ file: join(from, 'site.db') })
  await (await sampleSite(db)).people()
  const members = await db.selectFrom('members').selectAll().execute()
  expect(await runScript('backup', [file], { DATA_DIR: from })).toEqual({
    code: 0,
    output: expect.stringMatching(/^控えを作り、戻せることを確認しました（\d+件）: .*お店\.noren\n$/),
  })
  await db.destroy()

  expect(await runScript('restore', [file], { DATA_DIR: to })).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^\d{4}年\d+月\d+日 \d+:\d\dの控えから、\d+件をすべて戻しました/),
  })
  const restored = await openDatabase({ file: join(to, 'site.db') })
  expect(await restored.selectFrom('members').selectAll().execute()).toEqual(members)
  await restored.destroy()
  expect(await runScript('restore', [file], { DATA_DIR: to })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/空の場所にだけ[^\n]*\n何も変更していません。\n$/),
  })
  expect(await runScript('restore', [join(to, 'none.noren')], { DATA_DIR: newFolder() })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^ファイルがありません: .*none\.noren\n何も/),
  })
})

test('makes a backup before it migrates an older database', async () => {
  const dataFolder = newFolder()
  const file = join(dataFolder, 'site.db')
  const olderDatabase = await connect({ file })
  await migrate(olderDatabase, '0004-members')
  await olderDatabase.insertInto('marks').values({ name: 'old', at: '2026-01-01T00:00:00.000Z' }).execute()
  await olderDatabase.destroy()
  const consoleLog = vi.spyOn(console, 'log').mockReturnValue()
  const db = await openSite({ dataFolder, databaseUrl: undefined }, { serving: false })
  await db.destroy()
  expect(consoleLog).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('-before-0005-calendar-editing.noren'))
  consoleLog.mockRestore()
  const [copy = ''] = readdirSync(backupFolder(dataFolder))
  const restored = { file: join(newFolder(), 'site.db') }
  await restoreBackup(join(backupFolder(dataFolder), copy), restored)
  expect(existsSync(restored.file)).toBe(true)
})
