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
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readCopies } from '../../app/owner/copies.server.ts'
import { makeBackup } from '../../db/backup.ts'
import { connect, openDatabase } from '../../db/open.ts'
import { engines, freshPostgresUrl } from '../../db/testing.ts'
import { noon } from '../testing.ts'
import { folderOnOtherDisk, newFolder } from '../testing-disks.ts'
import { runScript } from '../testing-process.ts'
import { stopTimers } from '../testing-timers.ts'
import { copyNights, faultOfCopyFolder, inTime, NotCopied, startCopyingNights } from './backup-copies.ts'
import { backupFile, backupFolder } from './backups.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const SITE = 'example.jp'

const [own, foreignBackup] = [await backupOf(SITE), await backupOf('elsewhere.example')]

async function backupOf(site: string) {
  const file = join(newFolder(), 'a.noren')
  const db = await openDatabase({ file: ':memory:' })
  await db.insertInto('identity').values({ id: 'site', name: site }).execute()
  await makeBackup(db, file, { program: '0.1.0', now: noon })
  await db.destroy()
  return readFileSync(file)
}

/** Creates a data folder with nightly backups and a second folder on another disk. The last backup is from noon. */
function twoFolders(nights: number) {
  const dataFolder = newFolder()
  const copyFolder = folderOnOtherDisk(dataFolder)
  mkdirSync(backupFolder(dataFolder))
  for (let daysAgo = 0; daysAgo < nights; daysAgo += 1)
    writeFileSync(backupFile(dataFolder, 'night', noon - daysAgo * DAY), own)
  const copyAll = (options: Partial<Parameters<typeof copyNights>[0]> = {}) =>
    copyNights({
      dataFolder,
      copyFolder,
      site: SITE,
      now: noon,
      progress: () => {},
      has: async () => {},
      ...options,
    })
  return { dataFolder, copyFolder, copyAll }
}

const nameOf = (daysAgo: number) =>
  `${new Date(noon - daysAgo * DAY).toISOString().slice(0, 10).replaceAll('-', '')}-120000-night.noren`

test('copies the nightly backups into files that only their owner can read, and reports the newest copy', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(3)
  for (const occasion of ['hand', 'before-0009-x'] as const) writeFileSync(backupFile(dataFolder, occasion, noon), own)
  const copiedAt: number[] = []
  await copyAll({ has: async (madeAt) => void copiedAt.push(madeAt) })
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(2), nameOf(1), nameOf(0)])
  for (const name of readdirSync(copyFolder)) {
    expect(readFileSync(join(copyFolder, name)).equals(own)).toBe(true)
    expect(statSync(join(copyFolder, name)).mode & 0o777).toBe(0o600)
  }
  expect(copiedAt).toEqual([noon])
})

test('copies and reports the newest backup after the clock was years ahead for a while', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(1)
  const ahead = Array.from({ length: 8 }, (_, night) => noon + (1000 + 31 * night) * DAY)
  for (const at of ahead) writeFileSync(backupFile(dataFolder, 'night', at), own)
  writeFileSync(join(copyFolder, basename(backupFile(dataFolder, 'night', ahead[0] ?? 0))), own)
  const copiedAt: number[] = []
  await copyAll({ has: async (madeAt) => void copiedAt.push(madeAt) })
  expect(copiedAt).toEqual([noon])
  expect(readdirSync(copyFolder)).toContain(nameOf(0))
  expect(readdirSync(copyFolder)).toHaveLength(2)
})

test('copies only the backups that the second folder does not have yet', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(2)
  await copyAll()
  const before = statSync(join(copyFolder, nameOf(0)))
  for (const daysAhead of [1, 2]) writeFileSync(backupFile(dataFolder, 'night', noon + daysAhead * DAY), own)
  await copyAll({ now: noon + 2 * DAY })
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), nameOf(0), nameOf(-1), nameOf(-2)])
  expect(statSync(join(copyFolder, nameOf(0)))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
})

test('deletes expired copies of this site, but no files of other sites', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(1)
  const write = (name: string, bytes: Buffer | string) => writeFileSync(join(copyFolder, name), bytes)
  for (let daysAgo = 1; daysAgo <= 40; daysAgo += 1) write(nameOf(daysAgo), own)
  const foreign = {
    '20200101-033000-night.noren': foreignBackup,
    '20200102-033000-night.noren': 'a file of this name that is no backup',
    '20200103-120000-hand.noren': own,
    '写真.jpg': 'a picture',
    [`${nameOf(9)}.x.part`]: foreignBackup,
  }
  for (const [name, bytes] of Object.entries(foreign)) write(name, bytes)
  for (const part of ['old', 'ahead', 'young']) write(`${nameOf(8)}.${part}.part`, own)
  const modificationTimes = {
    [`${nameOf(8)}.old`]: 1e9,
    // The clock was a year ahead.
    [`${nameOf(8)}.ahead`]: (noon + 365 * DAY) / 1000,
    [`${nameOf(8)}.young`]: noon / 1000 - 60,
  }
  for (const [name, at] of Object.entries({ ...modificationTimes, [`${nameOf(9)}.x`]: noon / 1000 - 2 * DAY }))
    utimesSync(join(copyFolder, `${name}.part`), at, at)
  await copyAll()
  const remaining = readdirSync(copyFolder)
  for (const [name, bytes] of Object.entries(foreign)) {
    expect(remaining).toContain(name)
    expect(readFileSync(join(copyFolder, name)).equals(Buffer.from(bytes))).toBe(true)
  }
  expect(remaining).not.toContain(`${nameOf(8)}.old.part`)
  expect(remaining).not.toContain(`${nameOf(8)}.ahead.part`)
  expect(remaining).toContain(`${nameOf(8)}.young.part`)
  const nights = remaining.filter((name) => name.endsWith('-night.noren') && !name.startsWith('2020'))
  // Counted back from 20 November: seven days, and the last days of four weeks and of the months.
  expect(nights.sort()).toEqual([
    '20261031-120000-night.noren',
    '20261101-120000-night.noren',
    '20261108-120000-night.noren',
    ...[14, 15, 16, 17, 18, 19, 20].map((day) => `202611${day}-120000-night.noren`),
  ])
  // A backup that would be deleted again is not copied.
  writeFileSync(backupFile(dataFolder, 'night', noon - 10 * DAY), own)
  await copyAll()
  expect(readdirSync(copyFolder).sort()).toEqual(remaining.sort())
})

test('throws without overwriting when the backup of another site has the same name', async () => {
  const { copyFolder, copyAll } = twoFolders(1)
  writeFileSync(join(copyFolder, nameOf(0)), foreignBackup)
  await expect(copyAll()).rejects.toThrow(/は、このサイトの控えではありません。.*BACKUP_COPY_DIR/)
  expect(readFileSync(join(copyFolder, nameOf(0))).equals(foreignBackup)).toBe(true)
})

test('replaces a truncated copy, and copies no damaged backup', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(1)
  writeFileSync(join(copyFolder, nameOf(0)), own.subarray(0, -10))
  await copyAll()
  expect(readFileSync(join(copyFolder, nameOf(0))).equals(own)).toBe(true)
  const damaged = Buffer.from(own)
  damaged[damaged.length - 200] = (damaged.at(-200) ?? 0) ^ 1
  writeFileSync(backupFile(dataFolder, 'night', noon + DAY), damaged)
  await expect(copyAll({ now: noon + DAY })).rejects.toThrow(/コピーできません（この控えは壊れています/)
  expect(readdirSync(copyFolder)).toEqual([nameOf(0)])
})

/** Changes four bytes of a backup, as a failing disk might. */
function corrupt(file: string) {
  const bytes = readFileSync(file)
  for (let index = bytes.length - 200; index < bytes.length - 196; index += 1) bytes[index] = 255 - (bytes[index] ?? 0)
  writeFileSync(file, bytes)
  return bytes
}

/** Creates copies of several nights. The oldest copy was verified the longest ago. */
async function createCopies(nights: number) {
  const folders = twoFolders(nights)
  await folders.copyAll()
  const checkedAt = (daysAgo: number) => noon - (30 + daysAgo) * DAY
  for (let daysAgo = 0; daysAgo < nights; daysAgo += 1) {
    const copy = join(folders.copyFolder, nameOf(daysAgo))
    utimesSync(copy, checkedAt(daysAgo) / 1000, checkedAt(daysAgo) / 1000)
  }
  return { ...folders, checkedAt, copy: (daysAgo: number) => join(folders.copyFolder, nameOf(daysAgo)) }
}

test('verifies at each run the copy that was verified the longest ago', async () => {
  const { copy, checkedAt, copyAll } = await createCopies(3)
  const checks = () => [0, 1, 2].map((daysAgo) => statSync(copy(daysAgo)).mtimeMs)
  await copyAll()
  expect(checks()).toEqual([checkedAt(0), checkedAt(1), noon])
  await copyAll({ now: noon + DAY })
  expect(checks()).toEqual([checkedAt(0), noon + DAY, noon])
  for (const days of [2, 3]) await copyAll({ now: noon + days * DAY })
  expect(checks()).toEqual([noon + 2 * DAY, noon + DAY, noon + 3 * DAY])
})

test('verifies a copy that was made or verified while a clock was a year ahead', async () => {
  const { copy, copyAll } = await createCopies(2)
  corrupt(copy(1))
  for (const [daysAgo, at] of [noon, noon + 365 * DAY].entries()) utimesSync(copy(daysAgo), at / 1000, at / 1000)
  await expect(copyAll({ now: noon + DAY })).rejects.toThrow(`（${nameOf(1)}）が壊れていたため、コピーし直しました。`)
})

test('verifies no copy twice a day', async () => {
  const { copy, copyAll } = await createCopies(1)
  await copyAll()
  await copyAll({ now: noon + DAY / 4 })
  expect(statSync(copy(0)).mtimeMs).toBe(noon)
})

/** Creates two copies. The older copy is damaged and will be verified next. */
async function damagedCopy() {
  const { copy, ...folders } = await createCopies(2)
  const damagedBytes = corrupt(copy(1))
  utimesSync(copy(1), 1, 1)
  const original = backupFile(folders.dataFolder, 'night', noon - DAY)
  return { ...folders, copy: copy(1), damagedBytes, original }
}

test('replaces a damaged copy by its original, and stores the damaged file beside the new copy', async () => {
  const { copyFolder, copy, damagedBytes, copyAll } = await damagedCopy()
  await expect(copyAll()).rejects.toThrow(
    `控えの二つ目の場所（${copyFolder}）の控え（${nameOf(1)}）が壊れていたため、コピーし直しました。`,
  )
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), `${nameOf(1)}.damaged`, nameOf(0)])
  expect(readFileSync(copy).equals(own)).toBe(true)
  expect(readFileSync(`${copy}.damaged`).equals(damagedBytes)).toBe(true)
  await copyAll({ now: noon + DAY })
})

test('renames a damaged copy when no original can replace it', async () => {
  const { copyFolder, copy, damagedBytes, original, copyAll } = await damagedCopy()
  rmSync(original)
  await expect(copyAll()).rejects.toThrow(/が壊れています。元の控えもないため、コピーし直せません。/)
  expect(readdirSync(copyFolder).sort()).toEqual([`${nameOf(1)}.damaged`, nameOf(0)])
  expect(readFileSync(`${copy}.damaged`).equals(damagedBytes)).toBe(true)
  await copyAll({ now: noon + DAY })
})

test('leaves a damaged copy in place when its original is damaged too', async () => {
  const { copyFolder, original, copyAll } = await damagedCopy()
  corrupt(original)
  await expect(copyAll({ now: noon + DAY })).rejects.toThrow(/コピーできません（この控えは壊れています/)
  expect(readdirSync(copyFolder).sort()).toEqual([nameOf(1), nameOf(0)])
})

test('reports an unusable second folder with its remedy, and writes nothing', async () => {
  const { dataFolder, copyFolder, copyAll } = twoFolders(1)
  expect(await faultOfCopyFolder({ dataFolder, copyFolder })).toBeNull()
  const faults: [string, RegExp][] = [
    [join(copyFolder, 'gone'), /が見つかりません。USBメモリーなどがつながっているかを/],
    [newFolder(), /データと同じディスクの中です。.*コピーしていません。.*つながっているか/],
  ]
  writeFileSync(join(copyFolder, 'file'), '')
  faults.push([join(copyFolder, 'file'), /フォルダーではありません/])
  for (const [folder, pattern] of faults) {
    const before = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : null
    await expect(copyAll({ copyFolder: folder })).rejects.toThrow(pattern)
    await expect(copyAll({ copyFolder: folder })).rejects.toThrow(NotCopied)
    if (before) expect(readdirSync(folder)).toEqual(before)
    expect(await faultOfCopyFolder({ dataFolder, copyFolder: folder })).toMatch(/ください。$/)
  }
})

test.skipIf(process.getuid?.() === 0)('reports a second folder that is not writable', async () => {
  const { copyFolder, copyAll } = twoFolders(1)
  chmodSync(copyFolder, 0o500)
  onTestFinished(() => chmodSync(copyFolder, 0o700))
  await expect(copyAll()).rejects.toThrow(/に書き込めません。フォルダーの所有者/)
})

test('rejects after a timeout when work in the second folder makes no progress', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const never = new Promise<void>(() => {})
  const rejected = expect(inTime('/media/usb', 150, () => never)).rejects.toThrow(/（\/media\/usb）が応答しません/)
  await vi.advanceTimersByTimeAsync(150)
  await rejected
  const slow = async (progress: () => void) => {
    for (let step = 0; step < 10; step += 1) {
      progress()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return 'done'
  }
  const done = inTime('/media/usb', 150, slow)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await done).toBe('done')
})

test('copies each night once, retries a failure hourly, and logs one failure per night', async () => {
  const { dataFolder } = twoFolders(1)
  const log: unknown[] = []
  const attempts: number[] = []
  let isFailing = false
  const start = () =>
    startCopyingNights({
      dataFolder,
      target: 'the second folder',
      log: { error: (error: unknown) => void log.push(error) },
      copy: async () => {
        attempts.push(Date.now())
        if (isFailing) throw new Error('gone')
      },
    })
  const advance = stopTimers(noon)
  const stop = start()
  for (let time = 0; time < 5; time += 1) await advance(10)
  expect([attempts.length, log.length]).toEqual([1, 0])
  isFailing = true
  writeFileSync(backupFile(dataFolder, 'night', Date.now()), own)
  await advance(10)
  await advance(50)
  expect(attempts).toHaveLength(2)
  await advance(10)
  for (let hour = 0; hour < 2; hour += 1) await advance(60)
  expect([attempts.length, log.length]).toEqual([5, 1])
  writeFileSync(backupFile(dataFolder, 'night', Date.now()), own)
  await advance(60)
  expect([attempts.length, log.length]).toEqual([6, 2])
  isFailing = false
  await advance(60)
  for (let time = 0; time < 3; time += 1) await advance(10)
  expect([attempts.length, log.length]).toEqual([7, 2])
  await stop()
})

const backup = (word: string, settings: Record<string, string>) => runScript('backup', [word], settings)

test.each(engines)(
  'makes a backup on %s without the second folder, and copies the backup when the folder returns',
  async (engine) => {
    const dataFolder = newFolder()
    const url = engine === 'PostgreSQL' ? await freshPostgresUrl() : undefined
    const database = { url, file: join(dataFolder, 'site.db') }
    const copyFolder = join(folderOnOtherDisk(dataFolder), 'noren')
    const settings = { DATA_DIR: dataFolder, DATABASE_URL: url ?? '', BACKUP_COPY_DIR: copyFolder }
    const opened = await openDatabase(database)
    await opened.insertInto('identity').values({ id: 'site', name: SITE }).execute()
    await opened.destroy()
    const copies = async () => {
      const db = await connect(database)
      return readCopies(db, Date.now()).finally(() => db.destroy())
    }

    const begun = Math.floor(Date.now() / 1000) * 1000
    expect((await backup('--night', settings)).code).toBe(0)
    const [night = ''] = readdirSync(backupFolder(dataFolder))
    const missingMessage = `控えの二つ目の場所（${copyFolder}）が見つかりません。USBメモリーなどがつながっているかをご確認ください。\n`
    expect(await backup('--copy', settings)).toEqual({ code: 1, output: missingMessage })
    expect(existsSync(copyFolder)).toBe(false)
    expect(await copies()).toMatchObject({ left: null, folder: { trouble: expect.stringContaining('見つかりません') } })

    mkdirSync(copyFolder)
    expect(await backup('--copy', settings)).toMatchObject({ code: 0 })
    expect(readdirSync(copyFolder)).toEqual([night])
    const { left, folder } = await copies()
    expect(left).toMatchObject({ way: 'folder', trouble: null })
    expect(folder?.madeAt).toBe(left?.madeAt)
    expect(Date.parse(left?.madeAt ?? '')).toBeGreaterThanOrEqual(begun)

    corrupt(join(copyFolder, night))
    utimesSync(join(copyFolder, night), 1, 1)
    const replacedMessage = expect.stringContaining(`（${night}）が壊れていたため、コピーし直しました。`)
    expect(await backup('--copy', settings)).toEqual({ code: 1, output: replacedMessage })
    expect((await copies()).folder?.trouble).toBeNull()
    expect(await backup('--copy', settings)).toMatchObject({ code: 0 })
    expect(readdirSync(copyFolder).sort()).toEqual([night, `${night}.damaged`])

    // The time of the last copy is still recorded after the folder is removed.
    rmSync(copyFolder, { recursive: true })
    expect((await backup('--copy', settings)).code).toBe(1)
    expect(await copies()).toMatchObject({ left: { madeAt: left?.madeAt }, folder: { trouble: expect.any(String) } })
    const unset = await backup('--copy', { ...settings, BACKUP_COPY_DIR: '' })
    expect(unset).toMatchObject({ code: 1, output: expect.stringContaining('設定 BACKUP_COPY_DIR がありません') })
  },
)

test('records a manual backup as an external copy only when its file is on another disk', async () => {
  const dataFolder = newFolder()
  const database = { file: join(dataFolder, 'site.db') }
  await (await openDatabase(database)).destroy()
  const readLastCopy = async () => {
    const db = await connect(database)
    return (await readCopies(db, Date.now()).finally(() => db.destroy())).left
  }
  expect((await backup(join(newFolder(), 'same.noren'), { DATA_DIR: dataFolder })).code).toBe(0)
  expect(await readLastCopy()).toBeNull()
  expect((await backup(join(folderOnOtherDisk(dataFolder), 'other.noren'), { DATA_DIR: dataFolder })).code).toBe(0)
  expect(await readLastCopy()).toMatchObject({ way: 'hand', accountId: null })
})
