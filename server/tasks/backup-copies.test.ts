import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCopies } from '../../app/owner/copies.server.ts'
import { makeBackup } from '../../db/backup.ts'
import { connect, openDatabase } from '../../db/open.ts'
import { engines, freshPostgresUrl } from '../../db/testing.ts'
import { noon } from '../testing.ts'
import { folderElsewhere, newFolder } from '../testing-disks.ts'
import { runScript } from '../testing-process.ts'
import { stopTimers } from '../testing-timers.ts'
import { copyNights, faultOfCopyFolder, inTime, NotCopied, startCopyingNights } from './backup-copies.ts'
import { backupFile, backupFolder } from './backups.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const SITE = 'example.jp'

const [own, others] = [await backupOf(SITE), await backupOf('elsewhere.example')]

async function backupOf(site: string) {
  const file = join(newFolder(), 'a.noren')
  const db = await openDatabase({ file: ':memory:' })
  await db.insertInto('identity').values({ id: 'site', name: site }).execute()
  await makeBackup(db, file, { program: '0.1.0', now: noon })
  await db.destroy()
  return readFileSync(file)
}

/** A data folder with the backups of so many nights, the last at noon, and a second folder on another disk. */
function twoFolders(nights: number) {
  const dataFolder = newFolder()
  const copyFolder = folderElsewhere(dataFolder)
  mkdirSync(backupFolder(dataFolder))
  for (let ago = 0; ago < nights; ago += 1) writeFileSync(backupFile(dataFolder, 'night', noon - ago * DAY), own)
  const bring = (given: Partial<Parameters<typeof copyNights>[0]> = {}) =>
    copyNights({
      dataFolder,
      copyFolder,
      site: SITE,
      now: noon,
      progress: () => {},
      has: async () => {},
      ...given,
    })
  return { dataFolder, copyFolder, bring }
}

const nameOf = (ago: number) =>
  `${new Date(noon - ago * DAY).toISOString().slice(0, 10).replaceAll('-', '')}-120000-night.noren`

test('the nights are brought whole, for their owner alone; the folder tells when it has the newest', async () => {
  const { dataFolder, copyFolder, bring } = twoFolders(3)
  for (const occasion of ['hand', 'before-0009-x'] as const) writeFileSync(backupFile(dataFolder, occasion, noon), own)
  const has: number[] = []
  await bring({ has: async (madeAt) => void has.push(madeAt) })
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(2), nameOf(1), nameOf(0)])
  for (const name of readdirSync(copyFolder)) {
    expect(readFileSync(join(copyFolder, name)).equals(own)).toBe(true)
    expect(statSync(join(copyFolder, name)).mode & 0o777).toBe(0o600)
  }
  expect(has).toEqual([noon])
})

test('what is there is not brought again; what was missed is, when the folder is back', async () => {
  const { dataFolder, copyFolder, bring } = twoFolders(2)
  await bring()
  const before = statSync(join(copyFolder, nameOf(0)))
  for (const ahead of [1, 2]) writeFileSync(backupFile(dataFolder, 'night', noon + ahead * DAY), own)
  await bring()
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), nameOf(0), nameOf(-1), nameOf(-2)])
  expect(statSync(join(copyFolder, nameOf(0)))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
})

test('old nights are thinned out by the rule of the first folder; what is not this site’s stays', async () => {
  const { dataFolder, copyFolder, bring } = twoFolders(1)
  const put = (name: string, bytes: Buffer | string) => writeFileSync(join(copyFolder, name), bytes)
  for (let ago = 1; ago <= 40; ago += 1) put(nameOf(ago), own)
  const foreign = {
    '20200101-033000-night.noren': others,
    '20200102-033000-night.noren': 'a file of this name that is no backup',
    '20200103-120000-hand.noren': own,
    '写真.jpg': 'a picture',
    [`${nameOf(9)}.x.part`]: others,
  }
  for (const [name, bytes] of Object.entries(foreign)) put(name, bytes)
  for (const part of ['old', 'young']) put(`${nameOf(8)}.${part}.part`, own)
  const dated = { [`${nameOf(8)}.old`]: 1e9, [`${nameOf(8)}.young`]: noon / 1000 - 60 }
  for (const [name, at] of Object.entries({ ...dated, [`${nameOf(9)}.x`]: noon / 1000 - 2 * DAY }))
    utimesSync(join(copyFolder, `${name}.part`), at, at)
  await bring()
  const left = readdirSync(copyFolder)
  for (const [name, bytes] of Object.entries(foreign)) {
    expect(left).toContain(name)
    expect(readFileSync(join(copyFolder, name)).equals(Buffer.from(bytes))).toBe(true)
  }
  expect(left).not.toContain(`${nameOf(8)}.old.part`)
  expect(left).toContain(`${nameOf(8)}.young.part`)
  const nights = left.filter((name) => name.endsWith('-night.noren') && !name.startsWith('2020'))
  // Of 20 November backwards: seven days, the ends of four weeks, the ends of the months.
  expect(nights.sort()).toEqual([
    '20261031-120000-night.noren',
    '20261101-120000-night.noren',
    '20261108-120000-night.noren',
    ...[14, 15, 16, 17, 18, 19, 20].map((day) => `202611${day}-120000-night.noren`),
  ])
  // Nothing that would be thinned out again is brought.
  writeFileSync(backupFile(dataFolder, 'night', noon - 10 * DAY), own)
  await bring()
  expect(readdirSync(copyFolder).sort()).toEqual(left.sort())
})

test('a name that another site has is left to it, and told', async () => {
  const { copyFolder, bring } = twoFolders(1)
  writeFileSync(join(copyFolder, nameOf(0)), others)
  await expect(bring()).rejects.toThrow(/は、このサイトの控えではありません。.*BACKUP_COPY_DIR/)
  expect(readFileSync(join(copyFolder, nameOf(0))).equals(others)).toBe(true)
})

test('one of our own that is cut is brought anew; one that is damaged at home is not brought', async () => {
  const { dataFolder, copyFolder, bring } = twoFolders(1)
  writeFileSync(join(copyFolder, nameOf(0)), own.subarray(0, -10))
  await bring()
  expect(readFileSync(join(copyFolder, nameOf(0))).equals(own)).toBe(true)
  const damaged = Buffer.from(own)
  damaged[damaged.length - 200] = (damaged.at(-200) ?? 0) ^ 1
  writeFileSync(backupFile(dataFolder, 'night', noon + DAY), damaged)
  await expect(bring()).rejects.toThrow(/コピーできません（この控えは壊れています/)
  expect(readdirSync(copyFolder)).toEqual([nameOf(0)])
})

/** Changes four bytes of a backup, as a disk does that forgets. */
function rot(file: string) {
  const bytes = readFileSync(file)
  for (let place = bytes.length - 200; place < bytes.length - 196; place += 1) bytes[place] = 255 - (bytes[place] ?? 0)
  writeFileSync(file, bytes)
  return bytes
}

/** Copies of so many nights, the oldest of them checked the longest ago. */
async function copiesOf(nights: number) {
  const folders = twoFolders(nights)
  await folders.bring()
  const checkedAt = (ago: number) => noon - (30 + ago) * DAY
  for (let ago = 0; ago < nights; ago += 1) {
    const copy = join(folders.copyFolder, nameOf(ago))
    utimesSync(copy, checkedAt(ago) / 1000, checkedAt(ago) / 1000)
  }
  return { ...folders, checkedAt, copy: (ago: number) => join(folders.copyFolder, nameOf(ago)) }
}

test('checks the copy whose last check is the oldest at each run', async () => {
  const { copy, checkedAt, bring } = await copiesOf(3)
  const checks = () => [0, 1, 2].map((ago) => statSync(copy(ago)).mtimeMs)
  await bring()
  expect(checks()).toEqual([checkedAt(0), checkedAt(1), noon])
  await bring({ now: noon + DAY })
  expect(checks()).toEqual([checkedAt(0), noon + DAY, noon])
  for (const days of [2, 3]) await bring({ now: noon + days * DAY })
  expect(checks()).toEqual([noon + 2 * DAY, noon + DAY, noon + 3 * DAY])
})

test('checks no copy twice on one day', async () => {
  const { copy, bring } = await copiesOf(1)
  await bring()
  await bring({ now: noon + DAY / 4 })
  expect(statSync(copy(0)).mtimeMs).toBe(noon)
})

/** Two copies; the older one has rotted and is checked next. */
async function rottenCopy() {
  const { copy, ...folders } = await copiesOf(2)
  const rotten = rot(copy(1))
  utimesSync(copy(1), 1, 1)
  const original = backupFile(folders.dataFolder, 'night', noon - DAY)
  return { ...folders, copy: copy(1), rotten, original }
}

test('replaces a rotten copy by its original, and keeps the rotten file beside it', async () => {
  const { copyFolder, copy, rotten, bring } = await rottenCopy()
  await expect(bring()).rejects.toThrow(
    `控えの二つ目の場所（${copyFolder}）の控え（${nameOf(1)}）が壊れていたため、コピーし直しました。`,
  )
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), `${nameOf(1)}.damaged`, nameOf(0)])
  expect(readFileSync(copy).equals(own)).toBe(true)
  expect(readFileSync(`${copy}.damaged`).equals(rotten)).toBe(true)
  await bring({ now: noon + DAY })
})

test('keeps a rotten copy whose original is gone, and says that nothing replaces it', async () => {
  const { copyFolder, copy, rotten, original, bring } = await rottenCopy()
  rmSync(original)
  await expect(bring()).rejects.toThrow(/が壊れています。元の控えもないため、コピーし直せません。/)
  expect(readdirSync(copyFolder).sort()).toEqual([`${nameOf(1)}.damaged`, nameOf(0)])
  expect(readFileSync(`${copy}.damaged`).equals(rotten)).toBe(true)
  await bring({ now: noon + DAY })
})

test('keeps a rotten copy in its place when its original is rotten too', async () => {
  const { copyFolder, original, bring } = await rottenCopy()
  rot(original)
  await expect(bring()).rejects.toThrow(/コピーできません（この控えは壊れています/)
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), nameOf(0)])
})

test('each thing that can be wrong with the folder is named with its remedy, and nothing is written', async () => {
  const { dataFolder, copyFolder, bring } = twoFolders(1)
  expect(await faultOfCopyFolder({ dataFolder, copyFolder })).toBeNull()
  const faults: [string, RegExp][] = [
    [join(copyFolder, 'gone'), /が見つかりません。USBメモリーなどがつながっているかを/],
    [newFolder(), /データと同じディスクの中です。.*コピーしていません。.*つながっているか/],
  ]
  writeFileSync(join(copyFolder, 'file'), '')
  faults.push([join(copyFolder, 'file'), /フォルダーではありません/])
  for (const [folder, says] of faults) {
    const before = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : null
    await expect(bring({ copyFolder: folder })).rejects.toThrow(says)
    await expect(bring({ copyFolder: folder })).rejects.toThrow(NotCopied)
    if (before) expect(readdirSync(folder)).toEqual(before)
    expect(await faultOfCopyFolder({ dataFolder, copyFolder: folder })).toMatch(/ください。$/)
  }
})

test.skipIf(process.getuid?.() === 0)('a folder that may not be written to is named', async () => {
  const { copyFolder, bring } = twoFolders(1)
  chmodSync(copyFolder, 0o500)
  onTestFinished(() => chmodSync(copyFolder, 0o700))
  await expect(bring()).rejects.toThrow(/に書き込めません。フォルダーの所有者/)
})

test('a folder that does not answer is not waited for', async () => {
  const never = new Promise<void>(() => {})
  await expect(inTime('/media/usb', 20, () => never)).rejects.toThrow(/（\/media\/usb）が応答しません/)
  const slow = async (progress: () => void) => {
    for (let step = 0; step < 10; step += 1) {
      progress()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return 'done'
  }
  expect(await inTime('/media/usb', 150, slow)).toBe('done')
})

test('the loop brings each night once; a fault is said once a night, and tried again every hour', async () => {
  const { dataFolder } = twoFolders(1)
  const log: unknown[] = []
  const tried: number[] = []
  let broken = false
  const start = () =>
    startCopyingNights({
      dataFolder,
      log: { error: (said: unknown) => void log.push(said) },
      copy: async () => {
        tried.push(Date.now())
        if (broken) throw new Error('gone')
      },
    })
  const pass = stopTimers(noon)
  const stop = start()
  for (let time = 0; time < 5; time += 1) await pass(10)
  expect([tried.length, log.length]).toEqual([1, 0])
  broken = true
  writeFileSync(backupFile(dataFolder, 'night', noon + DAY), own)
  await pass(10)
  await pass(50)
  expect(tried).toHaveLength(2)
  await pass(10)
  for (let hour = 0; hour < 2; hour += 1) await pass(60)
  expect([tried.length, log.length]).toEqual([5, 1])
  writeFileSync(backupFile(dataFolder, 'night', noon + 2 * DAY), own)
  await pass(60)
  expect([tried.length, log.length]).toEqual([6, 2])
  broken = false
  await pass(60)
  for (let time = 0; time < 3; time += 1) await pass(10)
  expect([tried.length, log.length]).toEqual([7, 2])
  await stop()
})

const backup = (word: string, settings: Record<string, string>) => runScript('backup', [word], settings)

test.each(engines)('a night on %s without the second folder is a good one, and is caught up with', async (engine) => {
  const dataFolder = newFolder()
  const url = engine === 'PostgreSQL' ? await freshPostgresUrl() : undefined
  const place = { url, file: join(dataFolder, 'site.db') }
  const copyFolder = join(folderElsewhere(dataFolder), 'noren')
  const settings = { DATA_DIR: dataFolder, DATABASE_URL: url ?? '', BACKUP_COPY_DIR: copyFolder }
  const opened = await openDatabase(place)
  await opened.insertInto('identity').values({ id: 'site', name: SITE }).execute()
  await opened.destroy()
  const copies = async () => {
    const db = await connect(place)
    return readCopies(db).finally(() => db.destroy())
  }

  expect((await backup('--night', settings)).code).toBe(0)
  const [night = ''] = readdirSync(backupFolder(dataFolder))
  const missing = `控えの二つ目の場所（${copyFolder}）が見つかりません。USBメモリーなどがつながっているかをご確認ください。\n`
  expect(await backup('--copy', settings)).toEqual({ code: 1, said: missing })
  expect(existsSync(copyFolder)).toBe(false)
  expect(await copies()).toMatchObject({ left: null, folder: { trouble: expect.stringContaining('見つかりません') } })

  mkdirSync(copyFolder)
  expect(await backup('--copy', settings)).toMatchObject({ code: 0 })
  expect(readdirSync(copyFolder)).toEqual([night])
  const { left, folder } = await copies()
  expect(left).toMatchObject({ way: 'folder', trouble: null })
  expect(folder?.madeAt).toBe(left?.madeAt)
  expect(Date.now() - Date.parse(left?.madeAt ?? '')).toBeLessThan(2 * MINUTE)

  rot(join(copyFolder, night))
  utimesSync(join(copyFolder, night), 1, 1)
  const mended = expect.stringContaining(`（${night}）が壊れていたため、コピーし直しました。`)
  expect(await backup('--copy', settings)).toEqual({ code: 1, said: mended })
  expect((await copies()).folder?.trouble).toBeNull()
  expect(await backup('--copy', settings)).toMatchObject({ code: 0 })
  expect(readdirSync(copyFolder).sort()).toEqual([night, `${night}.damaged`])

  // Taken away again: when the last one was brought is still known.
  rmSync(copyFolder, { recursive: true })
  expect((await backup('--copy', settings)).code).toBe(1)
  expect(await copies()).toMatchObject({ left: { madeAt: left?.madeAt }, folder: { trouble: expect.any(String) } })
  const unset = await backup('--copy', { ...settings, BACKUP_COPY_DIR: '' })
  expect(unset).toMatchObject({ code: 1, said: expect.stringContaining('設定 BACKUP_COPY_DIR がありません') })
})

test('a backup by hand counts as one that left where it lies on another disk', async () => {
  const dataFolder = newFolder()
  const place = { file: join(dataFolder, 'site.db') }
  await (await openDatabase(place)).destroy()
  const left = async () => {
    const db = await connect(place)
    return (await readCopies(db).finally(() => db.destroy())).left
  }
  expect((await backup(join(newFolder(), 'same.noren'), { DATA_DIR: dataFolder })).code).toBe(0)
  expect(await left()).toBeNull()
  expect((await backup(join(folderElsewhere(dataFolder), 'other.noren'), { DATA_DIR: dataFolder })).code).toBe(0)
  expect(await left()).toMatchObject({ way: 'hand', accountId: null })
})
