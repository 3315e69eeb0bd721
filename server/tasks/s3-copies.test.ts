import { createHash } from 'node:crypto'
import dns from 'node:dns'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { expect, type MockInstance, onTestFinished, test, vi } from 'vitest'
import { readCopies } from '../../app/owner/copies.server.ts'
import { makeBackup } from '../../db/backup.ts'
import { connect, openDatabase } from '../../db/open.ts'
import { often } from '../../scripts/abuse.ts'
import { randomFrom } from '../../tests/faults/random.ts'
import { readSettings } from '../settings.ts'
import { noon } from '../testing.ts'
import { newFolder } from '../testing-disks.ts'
import { runScript } from '../testing-process.ts'
import { startS3 } from '../testing-s3.ts'
import { CopyDamaged, NotCopied } from './backup-copies.ts'
import { backupFile, backupFolder } from './backups.ts'
import { copyNightsToS3, inTimeOfBucket, listS3Copies, withS3Copy } from './s3-copies.ts'

const DAY = 24 * 60 * 60_000
const SITE = 'example.jp'
const PASSPHRASE = 'a passphrase of the owner'

const secretKey = await generateIdentity()
const backup = await backupOfSite()

async function backupOfSite() {
  const file = join(newFolder(), 'a.noren')
  const db = await openDatabase({ file: ':memory:' })
  await db.insertInto('identity').values({ id: 'site', name: SITE }).execute()
  await makeBackup(db, file, { program: '0.1.0', now: noon })
  await db.destroy()
  return readFileSync(file)
}

/** Creates a data folder with nightly backups and an empty bucket. The last backup is from noon. */
async function siteWithBucket(nights: number, variables: Record<string, string> = {}) {
  const s3 = await startS3()
  const dataFolder = newFolder()
  mkdirSync(backupFolder(dataFolder))
  const addNight = (daysAgo: number, bytes = backup) =>
    writeFileSync(backupFile(dataFolder, 'night', noon - daysAgo * DAY), bytes)
  for (let daysAgo = 0; daysAgo < nights; daysAgo += 1) addNight(daysAgo)
  const bucketWith = (changed: Record<string, string>) => {
    const { backupBucket } = readSettings({ ...s3.variables, BACKUP_AGE_KEY: secretKey, ...variables, ...changed })
    if (!backupBucket) throw new Error('No bucket in the settings')
    return backupBucket
  }
  const bucket = bucketWith({})
  const noted: number[] = []
  const copy = (options: Partial<Parameters<typeof copyNightsToS3>[0]> = {}) =>
    copyNightsToS3({
      ...{ dataFolder, bucket, site: SITE, now: noon, progress: () => {} },
      has: async (madeAt) => void noted.push(madeAt),
      ...options,
    })
  const readCopy = (name: string, options = { bucket }) =>
    withS3Copy(name, { dataFolder, progress: () => {}, ...options }, async (file) => readFileSync(file))
  const leftoverFiles = () => readdirSync(backupFolder(dataFolder)).filter((name) => name.endsWith('.part'))
  return { ...s3, dataFolder, addNight, bucket, bucketWith, noted, copy, readCopy, leftoverFiles }
}

const nameOf = (daysAgo: number) =>
  `${new Date(noon - daysAgo * DAY).toISOString().slice(0, 10).replaceAll('-', '')}-120000-night.noren`

async function decrypt(bytes: Buffer) {
  const decrypter = new Decrypter()
  decrypter.addIdentity(secretKey)
  return Buffer.from(await decrypter.decrypt(bytes))
}

test('sends each nightly backup once, encrypted, and reports the newest copy', async () => {
  const { objects, requests, dataFolder, addNight, copy, noted, bucket, leftoverFiles } = await siteWithBucket(3)
  for (const occasion of ['hand', 'before-0009-x'] as const)
    writeFileSync(backupFile(dataFolder, occasion, noon), backup)
  await copy()
  const keys = [2, 1, 0].map((daysAgo) => expect.stringMatching(`^${SITE}/${nameOf(daysAgo)}\\.\\d+\\.age$`))
  expect([...objects.keys()].sort()).toEqual(keys)
  for (const { body } of objects.values()) {
    expect(body.includes('"noren":"backup"')).toBe(false)
    expect((await decrypt(body)).equals(backup)).toBe(true)
  }
  expect([noted, leftoverFiles()]).toEqual([[noon], []])

  requests.length = 0
  await copy()
  // Only lists the copies.
  expect(requests.map((request) => request.split('?')[0])).toEqual(['GET /copies/'])
  addNight(-1)
  await copy({ now: noon + DAY })
  expect(requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
  expect((await listS3Copies(bucket, SITE)).map(({ name }) => name)).toEqual([2, 1, 0, -1].map(nameOf))
  expect(noted.at(-1)).toBe(noon + DAY)
})

test('encrypts for a public age key, which cannot open the copies', async () => {
  const { objects, copy, bucketWith, readCopy } = await siteWithBucket(1)
  const bucket = bucketWith({ BACKUP_AGE_KEY: await identityToRecipient(secretKey) })
  await copy({ bucket })
  expect((await decrypt([...objects.values()][0]?.body ?? Buffer.alloc(0))).equals(backup)).toBe(true)
  await expect(readCopy(`${SITE}/${nameOf(0)}`, { bucket })).rejects.toThrow(/秘密鍵（AGE-SECRET-KEY-…）を書いて/)
})

test('addresses the bucket as a host name, below a prefix', async () => {
  const { lookup } = dns
  const spy = vi.spyOn(dns, 'lookup') as unknown as MockInstance<(name: string, ...rest: unknown[]) => void>
  spy.mockImplementation((name, ...rest) =>
    Reflect.apply(lookup, dns, [name.replace('copies.localhost', 'localhost'), ...rest]),
  )
  onTestFinished(() => spy.mockRestore())
  const { objects, requests, port, bucketWith, copy, readCopy } = await siteWithBucket(4)
  const bucket = bucketWith({
    BACKUP_S3_ENDPOINT: `http://localhost:${port}`,
    ...{ BACKUP_S3_PATH_STYLE: 'no', BACKUP_S3_PREFIX: '/shops/kyoto' },
  })
  await copy({ bucket })
  const key = expect.stringMatching(/^shops\/kyoto\/example\.jp\/\d+-120000-night\.noren\.\d+\.age$/)
  expect([...objects.keys()]).toEqual([key, key, key, key])
  expect(requests.some((request) => request.includes('/copies'))).toBe(false)
  expect((await readCopy(`${SITE}/${nameOf(0)}`, { bucket })).equals(backup)).toBe(true)
})

test('deletes expired copies of this site, but no other objects', async () => {
  const { objects, copy, bucket } = await siteWithBucket(1)
  const put = (key: string, body = Buffer.from('12345')) =>
    objects.set(key, { body, sha256: createHash('sha256').update(body).digest('hex') })
  for (let daysAgo = 1; daysAgo <= 40; daysAgo += 1) put(`${SITE}/${nameOf(daysAgo)}.5.age`)
  const foreign = [
    'other.example/20200101-033000-night.noren.5.age',
    `${SITE}/20200102-033000-hand.noren.5.age`,
    `${SITE}/20200103-033000-night.noren.5.age.txt`,
    `${SITE}/20200104-033000-night.noren.6.age`,
    `${SITE}.example/20200105-033000-night.noren.5.age`,
    '20200106-033000-night.noren',
    'photo.jpg',
  ]
  for (const key of foreign) put(key)
  await copy()
  expect([...objects.keys()]).toEqual(expect.arrayContaining(foreign))
  // Counted back from 20 November: seven days, and the last days of four weeks and of the months.
  const days = ['20261031', '20261101', '20261108', ...[14, 15, 16, 17, 18, 19, 20].map((day) => `202611${day}`)]
  expect((await listS3Copies(bucket, SITE)).map(({ name }) => name.slice(0, 8))).toEqual(days)
  expect((await listS3Copies(bucket)).map(({ site }) => site)).toContain('other.example')
})

test('keeps the old copies when no new backup is made', async () => {
  const { objects, copy } = await siteWithBucket(0)
  objects.set(`${SITE}/20200101-033000-night.noren.1.age`, { body: Buffer.from('1'), sha256: '' })
  await copy()
  expect(objects.size).toBe(1)
})

test('sends no damaged backup', async () => {
  const { objects, addNight, copy, noted, leftoverFiles } = await siteWithBucket(1)
  const damaged = Buffer.from(backup)
  damaged[damaged.length - 200] = (damaged.at(-200) ?? 0) ^ 1
  addNight(0, damaged)
  await expect(copy()).rejects.toThrow(/^クラウドの保管先（copies）に控えを送れません（この控えは壊れています/)
  expect([objects.size, noted, leftoverFiles()]).toEqual([0, [], []])
})

/** Sends two backups, then changes a byte of the older copy, which the next night verifies. */
async function siteWithDamagedCopy() {
  const site = await siteWithBucket(2)
  await site.copy()
  const [key = ''] = [...site.objects.keys()].filter((each) => each.includes(nameOf(1)))
  const { body = Buffer.alloc(0) } = site.objects.get(key) ?? {}
  body[1000] = (body[1000] ?? 0) ^ 1
  site.addNight(-1)
  const now = noon + (Math.floor(noon / DAY) % 2) * DAY
  return { ...site, key, now }
}

test('replaces a damaged copy by its original', async () => {
  const { objects, key, now, copy } = await siteWithDamagedCopy()
  await expect(copy({ now })).rejects.toThrow(
    new CopyDamaged(`クラウドの保管先（copies）の控え（${nameOf(1)}）が壊れていたため、送り直しました。`),
  )
  expect((await decrypt(objects.get(key)?.body ?? Buffer.alloc(0))).equals(backup)).toBe(true)
})

test('reports a damaged copy that has no original', async () => {
  const { key, now, copy, dataFolder } = await siteWithDamagedCopy()
  rmSync(backupFile(dataFolder, 'night', noon - DAY))
  await expect(copy({ now })).rejects.toThrow(
    `元の控えもないため、送り直せません。保管先から ${key} を削除してください。`,
  )
})

test('never leaves a partial copy when the connection is cut at random bytes', async () => {
  const { objects, transferred, cutAfter, mend, copy, noted, bucket, readCopy, leftoverFiles } = await siteWithBucket(1)
  await copy()
  const total = { ...transferred }
  const random = randomFrom(7)
  const outcomes = { absent: 0, partial: 0, complete: 0 }
  for (let run = 0; run < often(12, 200); run += 1) {
    objects.clear()
    noted.length = 0
    const direction = random.next() < 0.8 ? 'up' : 'down'
    cutAfter(Math.floor(random.next() * total[direction]), direction)
    await expect(copy(), `run ${run}`).rejects.toThrow(/つながらないか、通信が途中で切れました/)
    mend()
    const copies = await listS3Copies(bucket)
    for (const { site, name } of copies) expect((await readCopy(`${site}/${name}`)).equals(backup)).toBe(true)
    // A copy is recorded only if it is complete.
    expect(noted.length).toBeLessThanOrEqual(copies.length)
    expect(leftoverFiles()).toEqual([])
    outcomes[copies.length > 0 ? 'complete' : objects.size > 0 ? 'partial' : 'absent'] += 1
    await copy()
    expect(await listS3Copies(bucket)).toHaveLength(1)
  }
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0)
})

test('does not take a partial object for a copy, and replaces it', async () => {
  const { objects, copy, bucket } = await siteWithBucket(1)
  await copy()
  const [[key, { body, sha256 }] = ['', { body: backup, sha256: '' }]] = objects
  objects.set(key, { body: body.subarray(0, -1), sha256 })
  expect(await listS3Copies(bucket)).toEqual([])
  await copy()
  expect(objects.get(key)?.body.length).toBe(body.length)
})

test('deletes the stored object when the server stored other bytes', async () => {
  const site = await siteWithBucket(1)
  const set = site.objects.set.bind(site.objects)
  site.objects.set = (key, { body, sha256 }) => set(key, { body: body.subarray(1), sha256 })
  await expect(site.copy()).rejects.toThrow(/と違うものを保存しました。別の保管先をお使いください。$/)
  expect([site.objects.size, site.noted]).toEqual([0, []])
})

const failures: [string, Record<string, string>, { status: number; code: string } | null, RegExp][] = [
  [
    'an unknown access key',
    { BACKUP_S3_ACCESS_KEY_ID: 'OTHER' },
    null,
    /「InvalidAccessKeyId 403」と応答しました。アクセスキーが受け付けられません/,
  ],
  [
    'a wrong secret',
    { BACKUP_S3_SECRET_ACCESS_KEY: 'hidden' },
    null,
    /「SignatureDoesNotMatch 403」と応答しました。アクセスキーが受け付けられません/,
  ],
  ['a missing bucket', { BACKUP_S3_BUCKET: 'elsewhere' }, null, /バケットが見つかりません.*BACKUP_S3_BUCKET/],
  ['another region', { BACKUP_S3_REGION: 'osaka-1' }, null, /アクセスキーが受け付けられません/],
  ['a redirect to another region', {}, { status: 301, code: 'PermanentRedirect' }, /BACKUP_S3_REGION/],
  ['a key without permission', {}, { status: 403, code: 'AccessDenied' }, /権限がありません.*書き込み、削除を許可/],
  ['a wrong clock', {}, { status: 403, code: 'RequestTimeTooSkewed' }, /時計がずれています.*timedatectl/],
  ['a full storage', {}, { status: 403, code: 'QuotaExceeded' }, /容量の上限に達しています/],
  ['a storage without space', {}, { status: 507, code: '' }, /容量の上限に達しています/],
  ['an overloaded server', {}, { status: 503, code: 'SlowDown' }, /一時的に応答できません.*再試行/],
  ['an unknown error', {}, { status: 400, code: 'Odd' }, /「Odd 400」と応答しました。保管先が受け付けません/],
  ['an unreachable server', { BACKUP_S3_ENDPOINT: 'http://127.0.0.1:2' }, null, /つながらないか.*（ECONNREFUSED）/],
]

test.each(failures)(
  'reports %s without the credentials, and records no copy',
  async (_, variables, failure, pattern) => {
    const { setFailure, bucketWith, copy, noted, objects } = await siteWithBucket(1)
    if (failure) setFailure({ ...failure })
    const bucket = bucketWith(variables)
    const error: Error = await copy({ bucket }).then(
      () => new Error('copied'),
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(NotCopied)
    expect(error.message).toMatch(pattern)
    expect(error.message).toMatch(/(?:ください|します)。$/)
    expect(error.message).not.toContain(bucket.secretAccessKey)
    expect([noted, objects.size]).toEqual([[], 0])
  },
)

test('reports a server that is full only for uploads', async () => {
  const { setFailure, copy, noted, leftoverFiles } = await siteWithBucket(1)
  setFailure({ method: 'PUT', status: 507, code: 'XMinioStorageFull' })
  await expect(copy()).rejects.toThrow(/「XMinioStorageFull 507」と応答しました。保管先の容量の上限に達しています/)
  expect([noted, leftoverFiles()]).toEqual([[], []])
})

test('rejects after a timeout when the server does not respond', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { bucket } = await siteWithBucket(0)
  const rejected = expect(inTimeOfBucket(bucket, 150, () => new Promise<void>(() => {}))).rejects.toThrow(
    /クラウドの保管先（copies）が応答しません/,
  )
  await vi.advanceTimersByTimeAsync(150)
  await rejected
})

test('refuses an altered or truncated copy at any byte, and leaves no file', async () => {
  const { objects, copy, readCopy, leftoverFiles } = await siteWithBucket(1)
  await copy()
  const [[key = '', object] = []] = objects
  const body = object?.body ?? Buffer.alloc(0)
  const random = randomFrom(5)
  for (let run = 0; run < often(20, 500); run += 1) {
    const place = Math.floor(random.next() * body.length)
    const altered = Buffer.from(body)
    altered[place] = (altered[place] ?? 0) ^ (1 << (run % 8))
    objects.set(key, { body: altered, sha256: '' })
    await expect(readCopy(`${SITE}/${nameOf(0)}`), `byte ${place}`).rejects.toThrow(
      /この控えは壊れています|鍵が違います/,
    )
    objects.delete(key)
    const cutKey = key.replace(/\d+\.age$/, `${place}.age`)
    objects.set(cutKey, { body: body.subarray(0, place), sha256: '' })
    await expect(readCopy(`${SITE}/${nameOf(0)}`), `cut at ${place}`).rejects.toThrow(/この控えは壊れています/)
    objects.delete(cutKey)
  }
  expect(leftoverFiles()).toEqual([])
})

test('copies and reports the newest backup after the clock was years ahead for a while', async () => {
  const { copy, addNight, noted, bucket } = await siteWithBucket(1)
  for (let night = 0; night < 8; night += 1) addNight(-1000 - 31 * night)
  await copy()
  expect(noted).toEqual([noon])
  expect((await listS3Copies(bucket)).map(({ at }) => at)).toEqual([noon])
})

test('creates no data folder when the download is cut or the name is unknown', async () => {
  const { copy, bucket, cutAfter, transferred } = await siteWithBucket(1)
  await copy()
  const down = transferred.down
  const dataFolder = join(newFolder(), 'new')
  const restore = (name: string) =>
    withS3Copy(name, { dataFolder, bucket, progress: () => {} }, async () => expect.fail('restored'))
  await expect(restore(`${SITE}/20200101-033000-night.noren`)).rejects.toThrow(
    /という控えはありません。.*restore -- s3/,
  )
  cutAfter(transferred.down - down + 400, 'down')
  await expect(restore(`${SITE}/${nameOf(0)}`)).rejects.toThrow(/通信が途中で切れました/)
  expect(existsSync(dataFolder)).toBe(false)
})

test('copies and restores a site with a passphrase through the commands', async () => {
  const { variables, objects } = await startS3()
  const dataFolder = newFolder()
  const database = { file: join(dataFolder, 'site.db') }
  const opened = await openDatabase(database)
  await opened.insertInto('identity').values({ id: 'site', name: SITE }).execute()
  await makeBackup(opened, backupFile(dataFolder, 'night', noon), { program: '0.1.0', now: noon })
  await opened.destroy()
  const settings = { ...variables, DATA_DIR: dataFolder, BACKUP_PASSPHRASE: PASSPHRASE }
  const readState = async () => {
    const db = await connect(database)
    return readCopies(db, Date.now()).finally(() => db.destroy())
  }
  const wrongSecret = { ...settings, BACKUP_S3_SECRET_ACCESS_KEY: 'hidden secret' }
  const refused = await runScript('backup', ['--copy-s3'], wrongSecret)
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('アクセスキーが受け付けられません') })
  expect(refused.output).not.toMatch(/hidden secret|passphrase of/)
  expect(await readState()).toMatchObject({ left: null, s3: { trouble: expect.stringContaining('アクセスキー') } })

  expect(await runScript('backup', ['--copy-s3'], settings)).toMatchObject({ code: 0 })
  const { left, s3 } = await readState()
  expect([left?.way, s3?.trouble, objects.size]).toEqual(['s3', null, 1])

  const list = await runScript('restore', ['s3'], settings)
  expect(list).toMatchObject({ code: 0, output: expect.stringContaining(`npm run restore -- s3:${SITE}/${nameOf(0)}`) })
  const restored = join(newFolder(), 'restored')
  const restore = (changed: Record<string, string>) =>
    runScript('restore', [`s3:${SITE}/${nameOf(0)}`], { ...settings, ...changed, DATA_DIR: restored })
  const wrong = await restore({ BACKUP_PASSPHRASE: 'another passphrase' })
  expect(wrong).toMatchObject({
    code: 1,
    output: expect.stringMatching(/パスフレーズが違います。.*\n何も変更していません。/),
  })
  expect(existsSync(restored)).toBe(false)
  expect(await restore({})).toMatchObject({ code: 0, output: expect.stringContaining('すべて戻しました') })
  expect(readdirSync(restored)).toEqual(['site.db'])
  const db = await connect({ file: join(restored, 'site.db') })
  onTestFinished(() => db.destroy())
  expect(await db.selectFrom('identity').select('name').execute()).toEqual([{ name: SITE }])
})
