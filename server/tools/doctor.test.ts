import dns from 'node:dns'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import tls from 'node:tls'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, type MockInstance, onTestFinished, test, vi } from 'vitest'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { enqueue } from '../../app/mail/outbox.server.ts'
import { noteCopy } from '../../app/owner/copies.server.ts'
import { makeBackup } from '../../db/backup.ts'
import { untypedTables } from '../../db/engine.ts'
import { connect, openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { freshPostgresUrl, onServer } from '../../db/testing.ts'
import { openPooler } from '../../db/testing-pooler.ts'
import { freeBytesOf } from '../disk-space.ts'
import { readOrCreateSecret } from '../secret.ts'
import { backupFile, backupFolder, listBackups } from '../tasks/backups.ts'
import { makeCertificate } from '../testing-certificate.ts'
import { folderOnOtherDisk, newFolder } from '../testing-disks.ts'
import { startS3 } from '../testing-s3.ts'
import { demoAccounts, registerPeople } from './demo.ts'
import { examine } from './doctor.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const MB = 1024 ** 2
const lastNight = Date.now() - HOUR
const HEALTHY = '{"status":"ok"}'
const closers: (() => void)[] = []
afterAll(() => closers.forEach((close) => void close()))

const certificates = {
  site: makeCertificate(),
  ending: makeCertificate({ days: 5 }),
  other: makeCertificate({ host: 'other.example' }),
}
tls.setDefaultCACertificates([
  ...tls.getCACertificates('default'),
  ...Object.values(certificates).map(({ cert }) => String(cert)),
])

/** Starts a local HTTP server, or HTTPS with a certificate. Returns the port. */
async function portOf(response: RequestListener, certificate?: (typeof certificates)['site']) {
  const server = certificate ? createTlsServer(certificate, response) : createServer(response)
  closers.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function mailPort() {
  const mail = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ password }, _, done) => done(password === 'right' ? null : new Error('no'), { user: 'shop' }),
  })
  closers.push(() => mail.close(() => {}))
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  return (mail.server.address() as AddressInfo).port
}

const respondHealthy: RequestListener = (_, response) => void response.end(HEALTHY)
const ports = {
  site: await portOf(respondHealthy, certificates.site),
  ending: await portOf(respondHealthy, certificates.ending),
  stranger: await portOf(respondHealthy, certificates.other),
  silent: await portOf((_, response) => void response.writeHead(502).end('Bad Gateway'), certificates.site),
  failing: await portOf((_, response) => void response.writeHead(503).end('{"status":"failing"}'), certificates.site),
  clock: await portOf(respondHealthy),
  late: await portOf((_, response) => {
    response.writeHead(200, { date: new Date(Date.now() - HOUR).toUTCString() }).end()
  }),
  // This case has its own port, because the connection to the www name stays open during later tests.
  staying: await portOf(respondHealthy),
  parked: await portOf(({ headers: { host } }, response) => {
    if (host?.startsWith('www.')) response.writeHead(302, { location: 'https://parked.example/' }).end()
    else response.end(HEALTHY)
  }),
  // `moved` redirects like the site behind a proxy that forwards Host. `looping` redirects like the site behind a proxy
  // that does not forward Host.
  moved: await portOf(({ headers: { host = '' }, url = '' }, response) => {
    const origin = `http://${host.replace('www.', '')}`
    if (host.startsWith('www.')) response.writeHead(308, { location: `${origin}${url}` }).end()
    else response.end(HEALTHY)
  }),
  looping: await portOf(({ headers: { host = '' }, url }, response) => {
    if (url === '/api/health') response.end(HEALTHY)
    else response.writeHead(308, { location: `http://${host}${url}` }).end()
  }),
  mail: await mailPort(),
}

const healthyFolder = newFolder()
beforeAll(async () => {
  readOrCreateSecret(healthyFolder)
  const db = await openDatabase({ file: join(healthyFolder, 'site.db') })
  const at = new Date(Date.now() - 72 * HOUR).toISOString()
  await db.insertInto('marks').values({ name: 'sample shop decided', at }).execute()
  await db.insertInto('identity').values({ id: 'site', name: 'example.jp' }).execute()
  // The outbox has a new e-mail and an e-mail that has finally failed. Neither e-mail waits for a retry after an error.
  await enqueue(db, mailTo('soon@example.jp'), { at })
  await enqueue(db, mailTo('gone@example.jp'), { at })
  await db.updateTable('outbox').set({ state: 'failed', trouble: 'refused' }).where('to', 'like', 'gone%').execute()
  await makeBackup(db, backupFile(healthyFolder, 'night', lastNight), { program: '0.1.0', now: lastNight })
  await db.destroy()
})

/** Creates a site without faults that is three days old. Returns its paths and settings. */
function createHealthySite() {
  const dataFolder = newFolder()
  cpSync(healthyFolder, dataFolder, { recursive: true })
  const environment: Record<string, string> = {
    DATA_DIR: dataFolder,
    PUBLIC_ORIGIN: `https://localhost:${ports.site}`,
    TRUSTED_PROXY: '127.0.0.1',
    HOLIDAYS_URL: `http://127.0.0.1:${ports.clock}/`,
    SMTP_URL: `smtp://shop:right@127.0.0.1:${ports.mail}`,
    MAIL_FROM: 'shop@example.jp',
    OWNER_EMAIL: 'owner@example.jp',
  }
  const backup = backupFile(dataFolder, 'night', lastNight)
  return { dataFolder, file: join(dataFolder, 'site.db'), backup, environment }
}

type Site = ReturnType<typeof createHealthySite>
type Machine = Parameters<typeof examine>[1]

const mailTo = (to: string) => ({ to, subject: '題', text: '文', html: '<p>文</p>' })

const examineSite = (environment: Site['environment'], machine: Partial<Machine> = {}) =>
  examine(environment, { now: Date.now(), freeBytes: freeBytesOf, ...machine })

const findFinding = async (of: string, ...given: Parameters<typeof examineSite>) =>
  (await examineSite(...given)).find((finding) => finding.of === of)

const faultsIn = async (...given: Parameters<typeof examineSite>) =>
  (await examineSite(...given)).flatMap(({ of, faults }) => faults.map((fault) => `${of}: ${fault}`))

test('finds no fault in a healthy site, and changes nothing', async () => {
  const { file, environment, dataFolder } = createHealthySite()
  const before = readFileSync(file)
  const machine = [
    '設定',
    '版',
    'データの置き場所',
    'ディスクの空き',
    'データベース',
    '控え',
    'サーバー外の控え',
    '時計',
  ]
  const note = 'お問い合わせは owner@example.jp に届きます'
  expect(await examineSite(environment)).toEqual([
    ...machine.map((of) => ({ of, faults: [] })),
    { of: 'メール', faults: [], note },
    { of: 'プロキシ', faults: [] },
    { of: '公開するアドレス', faults: [] },
  ])
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(await listBackups(backupFolder(dataFolder))).toHaveLength(1)
})

test('names the recipients of contact messages: nobody, the owner or a verified administrator', async () => {
  const site = createHealthySite()
  const recipientNote = async () => (await findFinding('メール', site.environment))?.note
  expect(await recipientNote()).toBe('お問い合わせは owner@example.jp に届きます')
  delete site.environment.OWNER_EMAIL
  expect(await recipientNote()).toBe('お問い合わせを受け取る方が決まっていません。「お店の情報」で設定してください')
  await inDatabase(async (db) => {
    await registerPeople(db, Date.now())
    const { administrator } = demoAccounts
    await addAccount(db, { ...administrator, id: administrator.accountId, hash: 'none' }, new Date().toISOString())
    await db.updateTable('accounts').set({ emailVerified: true }).execute()
  })(site)
  expect(await recipientNote()).toBe('お問い合わせは noren@example.jp に届きます')
})

const setVariables = (change: Record<string, string>) => (site: Site) => void Object.assign(site.environment, change)
/** Sets PUBLIC_ORIGIN to a local port. */
const setOrigin = (scheme: string, port: keyof typeof ports) =>
  setVariables({ PUBLIC_ORIGIN: `${scheme}://localhost:${ports[port]}` })
/** Sets PUBLIC_ORIGIN, and makes the DNS resolve the www name to this machine. */
const withWwwName = (scheme: string, port: keyof typeof ports) => (site: Site) => {
  const { lookup } = dns
  const spy = vi.spyOn(dns, 'lookup') as unknown as MockInstance<(name: string, ...rest: unknown[]) => void>
  spy.mockImplementation((name, ...rest) =>
    Reflect.apply(lookup, dns, [name.replace('www.localhost', 'localhost'), ...rest]),
  )
  onTestFinished(() => spy.mockRestore())
  setOrigin(scheme, port)(site)
}
const inDatabase =
  (write: (db: Db) => Promise<unknown>) =>
  async ({ file }: Site) => {
    const db = await connect({ file })
    await write(db)
    await db.destroy()
  }
const tomorrow = new Date(Date.now() + DAY).toISOString()
const revision = {
  ...{ id: 'r1', subject: 'member', subjectId: 'm1', action: 'edit', before: null, after: '{}' },
  ...{ accountId: null, at: tomorrow, version: 1, saveId: 's1' },
} as const
const setLastBackup =
  (at: number) =>
  ({ backup, dataFolder }: Site) =>
    renameSync(backup, backupFile(dataFolder, 'night', at))
const addProxy = (ip: string, at: number) =>
  inDatabase((db) =>
    db
      .insertInto('marks')
      .values({ name: `untrusted proxy ${ip}`, ...timeColumn(at) })
      .execute(),
  )
const timeColumn = (at: number) => ({ at: new Date(at).toISOString() })
const setCreation = (at: number) => (db: Db) => db.updateTable('marks').set(timeColumn(at)).execute()

type SiteWithCopies = Site & { copyFolder: string; copy: string }
/** Adds a second folder with a copy of last night's backup, and calls `prepare`. */
const withCopyFolder = (prepare: (site: SiteWithCopies) => unknown) => (site: Site) => {
  const copyFolder = folderOnOtherDisk(site.dataFolder)
  const copy = join(copyFolder, basename(site.backup))
  cpSync(site.backup, copy)
  setVariables({ BACKUP_COPY_DIR: copyFolder })(site)
  return prepare({ ...site, copyFolder, copy })
}

/** Adds a bucket with a copy of last night's backup, and calls `prepare`. */
const withBucket =
  (prepare: (given: { site: Site; s3: Awaited<ReturnType<typeof startS3>> }) => unknown) => async (site: Site) => {
    const s3 = await startS3()
    setVariables({ ...s3.variables, BACKUP_PASSPHRASE: 'a passphrase of the owner' })(site)
    const key = `example.jp/${basename(site.backup)}.2.age`
    s3.objects.set(key, { body: Buffer.from('ok'), sha256: '' })
    return prepare({ site, s3 })
  }

const faultyCases: [string, (site: Site) => unknown, RegExp, Partial<Machine>?][] = [
  ['an invalid setting', setVariables({ PORT: 'three' }), /^設定: 設定 PORT が正しくありません/],
  [
    'half a Google key',
    setVariables({ GOOGLE_CLIENT_ID: 'id' }),
    /GOOGLE_CLIENT_SECRET が正しくありません: GOOGLE_CLIENT_ID があります/,
  ],
  [
    'a public origin without HTTPS',
    setVariables({ PUBLIC_ORIGIN: `http://0.0.0.0:${ports.clock}` }),
    /PUBLIC_ORIGIN が http:/,
  ],
  [
    'a site that listens on the network without a public origin',
    setVariables({ HOST: '0.0.0.0', PUBLIC_ORIGIN: '', SMTP_URL: '' }),
    /PUBLIC_ORIGIN がありません/,
  ],
  ['a missing TRUSTED_PROXY', setVariables({ TRUSTED_PROXY: '' }), /TRUSTED_PROXY がありません/],
  [
    'a proxy that is missing in TRUSTED_PROXY',
    addProxy('172.18.0.1', Date.now() - HOUR),
    /^プロキシ: TRUSTED_PROXY にない 172\.18\.0\.1 が、.* TRUSTED_PROXY=127\.0\.0\.1,172\.18\.0\.1 と書き/,
  ],
  ['impossible password lengths', setVariables({ PASSWORD_MIN: '20', PASSWORD_MAX: '10' }), /PASSWORD_MIN/],
  ['a missing sender of e-mails', setVariables({ MAIL_FROM: '' }), /MAIL_FROM がありません/],
  [
    'an unreachable mail server',
    setVariables({ SMTP_URL: 'smtp://127.0.0.1:9' }),
    /^メール: .*つながりません.*SMTP_URL/,
  ],
  [
    'a wrong mail password',
    setVariables({ SMTP_URL: `smtp://shop:wrong@127.0.0.1:${ports.mail}` }),
    /^メール: .*受け付けません（535）.*SMTP_URL/,
  ],
  [
    'e-mails that wait after an error',
    inDatabase((db) => db.updateTable('outbox').set({ state: 'waiting', trouble: 'refused' }).execute()),
    /^メール: 送信できていないメールが2通/,
  ],
  ['a secret that other users can read', ({ dataFolder }) => chmodSync(join(dataFolder, 'secret'), 0o604), /chmod 600/],
  [
    'a database that other users can read',
    ({ dataFolder, file }) => {
      chmodSync(dataFolder, 0o755)
      chmodSync(file, 0o644)
    },
    /^データの置き場所: ほかのユーザーが site\.db を読めます。chmod -R go= /,
  ],
  [
    'e-mails and backups that other users can read',
    ({ dataFolder, file, backup }) => {
      chmodSync(dataFolder, 0o711)
      chmodSync(file, 0o600)
      mkdirSync(join(dataFolder, 'mails'), { mode: 0o755 })
      writeFileSync(join(dataFolder, 'mails', 'a.eml'), '', { mode: 0o644 })
      chmodSync(dirname(backup), 0o755)
      chmodSync(backup, 0o640)
    },
    /^データの置き場所: ほかのユーザーが backups\/\S+\.noren、mails\/a\.eml を読めます。chmod -R go= /,
  ],
  ['a secret that its group can read', ({ dataFolder }) => chmodSync(join(dataFolder, 'secret'), 0o640), /chmod 600/],
  [
    'a secret that is too short',
    ({ dataFolder }) => writeFileSync(join(dataFolder, 'secret'), 'a'.repeat(31)),
    /空か短すぎます。32文字以上/,
  ],
  [
    'a folder at the path of the secret',
    ({ dataFolder }) => {
      rmSync(join(dataFolder, 'secret'))
      mkdirSync(join(dataFolder, 'secret'))
    },
    /^データの置き場所: .*secret がフォルダーです/,
  ],
  ['a nearly full disk', () => {}, /空きが 100 MB です。500 MB 以上/, { freeBytes: async () => 100 * MB }],
  [
    'a disk without space for a backup and its trial restore',
    ({ file }) => truncateSync(file, 200 * MB),
    /空きが 599 MB です。600 MB 以上/,
    { freeBytes: async () => 600 * MB - 1 },
  ],
  ['a missing database', ({ file }) => rmSync(file), /^データベース: データベースがありません/],
  [
    'a file that is not a database',
    ({ file }) => writeFileSync(file, 'not a database'.repeat(1000)),
    /^データベース: .*壊れています。控えから/,
  ],
  ['a damaged database', ({ file }) => damage(file), /^データベース: .*壊れています.*控えから戻して/],
  [
    'a database with a broken foreign key',
    inDatabase(async (db) => {
      await sql`pragma foreign_keys = off`.execute(db)
      await db.updateTable('outbox').set({ about: 'a message that is gone' }).where('state', '=', 'failed').execute()
    }),
    /^データベース: .*参照関係が壊れています（outbox）.*控えから戻して/,
  ],
  [
    'a database of a newer program',
    inDatabase((db) =>
      untypedTables(db).insertInto('kysely_migration').values({ name: '9999-newer', timestamp: tomorrow }).execute(),
    ),
    /新しい版のものです（9999-newer）/,
  ],
  [
    'an unreachable PostgreSQL',
    setVariables({ DATABASE_URL: 'postgres://shop:hidden@127.0.0.1:9/x' }),
    /^データベース: 設定 DATABASE_URL のデータベースにつながりません/,
  ],
  [
    'a read-only PostgreSQL',
    async (site) => {
      const url = await freshPostgresUrl()
      await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
      setVariables({ DATABASE_URL: url })(site)
    },
    /^データベース: データベースが読み取り専用です/,
  ],
  [
    'a PostgreSQL behind a transaction pooler',
    async (site) => {
      const url = await openPooler(await freshPostgresUrl(), 'transaction')
      setVariables({ DATABASE_URL: url })(site)
    },
    /^データベース: データベースの前にあるプーラー/,
  ],
  ['a backup of three days ago', setLastBackup(Date.now() - 73 * HOUR), /3日前のもの.*npm run backup/],
  ['a backup of the night before last', setLastBackup(Date.now() - 37 * HOUR), /1日前のもの.*npm run backup/],
  ['only a backup of years ahead', setLastBackup(Date.now() + 1000 * DAY), /控えがまだ一つもありません/],
  ['a missing backup', ({ backup }) => rmSync(backup), /控えがまだ一つもありません/],
  [
    'a damaged backup',
    ({ backup }) => writeFileSync(backup, readFileSync(backup).subarray(1)),
    /（\d+-\d+-night\.noren）が壊れています/,
  ],
  [
    'a missing external copy of the backups',
    inDatabase(setCreation(Date.now() - 32 * DAY)),
    /^サーバー外の控え: サーバー外に控えを置いた記録がありません。「本日の営業」.*BACKUP_COPY_DIR/,
  ],
  [
    'an external copy of the backups from years ahead',
    inDatabase(async (db) => {
      await setCreation(Date.now() - 32 * DAY)(db)
      await noteCopy(db, 'download', { madeAt: Date.now() + 1000 * DAY })
    }),
    /^サーバー外の控え: サーバー外に控えを置いた記録がありません/,
  ],
  [
    'an old external copy of the backups',
    inDatabase((db) => noteCopy(db, 'download', { madeAt: Date.now() - 40 * DAY })),
    /^サーバー外の控え: サーバー外に置いた控えが40日前のものです。「本日の営業」/,
  ],
  [
    'a missing second folder',
    withCopyFolder((site) => rmSync(site.copyFolder, { recursive: true })),
    /^サーバー外の控え: 控えの二つ目の場所（.*）が見つかりません。USBメモリー/,
  ],
  [
    'a second folder on the disk of the data',
    (site) => {
      const copyFolder = newFolder()
      cpSync(site.backup, join(copyFolder, basename(site.backup)))
      setVariables({ BACKUP_COPY_DIR: copyFolder })(site)
    },
    /^サーバー外の控え: 控えの二つ目の場所（.*）が、データと同じディスクの中です/,
  ],
  [
    'a second folder without last night’s backup',
    withCopyFolder((site) => rmSync(site.copy)),
    /^サーバー外の控え: .*いちばん新しい夜の控え（\d+-\d+-night\.noren）がありません。npm run backup -- --copy/,
  ],
  [
    'a damaged backup in the second folder',
    withCopyFolder((site) => writeFileSync(site.copy, readFileSync(site.backup).fill(1, 300, 310))),
    /^サーバー外の控え: .*（\d+-\d+-night\.noren）が壊れています。.*替えてください/,
  ],
  [
    'a backup of another size in the second folder',
    withCopyFolder(async (site) => {
      const db = await openDatabase({ file: ':memory:' })
      rmSync(site.copy)
      await makeBackup(db, site.copy, { program: '0.1.0', now: lastNight })
      await db.destroy()
    }),
    /^サーバー外の控え: .*（\d+-\d+-night\.noren）が壊れています/,
  ],
  [
    'a copy in the second folder that is marked as damaged',
    withCopyFolder((site) => writeFileSync(`${site.copy}.damaged`, '')),
    /^サーバー外の控え: .*壊れた控え（\d+-\d+-night\.noren\.damaged）があります。.*消してください/,
  ],
  [
    'a bucket without last night’s backup',
    withBucket(({ s3 }) => s3.objects.clear()),
    /^サーバー外の控え: クラウドの保管先（copies）に、いちばん新しい夜の控え（\d+-\d+-night\.noren）がありません。npm run backup -- --copy-s3/,
  ],
  [
    'a bucket with a partial copy of last night’s backup',
    withBucket(({ s3 }) => {
      const [[key, { body, sha256 }] = ['', { body: Buffer.alloc(0), sha256: '' }]] = s3.objects
      s3.objects.set(key, { body: body.subarray(1), sha256 })
      s3.objects.set('example.jp/20261101-033000-night.noren.2.age', { body: Buffer.from('ok'), sha256: '' })
    }),
    /がありません。保管先の最新は2026年11月1日（\d+日前）のものです。/,
  ],
  [
    'a wrong secret for the bucket',
    withBucket(({ site }) => setVariables({ BACKUP_S3_SECRET_ACCESS_KEY: 'hidden' })(site)),
    /^サーバー外の控え: クラウドの保管先（copies）が「SignatureDoesNotMatch 403」と応答しました。アクセスキーが受け付けられません/,
  ],
  [
    'an unreachable bucket',
    withBucket(({ site }) => setVariables({ BACKUP_S3_ENDPOINT: 'http://127.0.0.1:2' })(site)),
    /^サーバー外の控え: クラウドの保管先（http:\/\/127\.0\.0\.1:2）につながらないか.*BACKUP_S3_ENDPOINT/,
  ],
  [
    'an invalid BACKUP_COPY_DIR',
    setVariables({ BACKUP_COPY_DIR: 'usb' }),
    /^設定: 設定 BACKUP_COPY_DIR が正しくありません/,
  ],
  [
    'a wrong clock',
    setVariables({ HOLIDAYS_URL: `http://127.0.0.1:${ports.late}/` }),
    /^時計: .*60分ずれています.*timedatectl/,
  ],
  [
    'a clock behind the data',
    inDatabase((db) => db.insertInto('marks').values({ name: 'tomorrow', at: tomorrow }).execute()),
    /^時計: .*遅れています/,
  ],
  [
    'a clock behind the history',
    inDatabase((db) => db.insertInto('revisions').values(revision).execute()),
    /^時計: .*遅れています/,
  ],
  [
    'a clock that is older than the program',
    () => {},
    /^時計: サーバーの時計が 2026 年を指しています/,
    { now: Date.parse('2026-10-31T23:59:00Z') },
  ],
  ['a certificate that expires soon', setOrigin('https', 'ending'), /証明書があと4日で切れます/],
  [
    'an expired certificate',
    (site) => {
      setLastBackup(Date.now() + 5 * DAY)(site)
      Object.assign(site.environment, { PUBLIC_ORIGIN: `https://localhost:${ports.ending}`, HOLIDAYS_URL: '' })
    },
    /証明書の期限が切れています/,
    { now: Date.now() + 6 * DAY },
  ],
  ['a certificate for another name', setOrigin('https', 'stranger'), /証明書をブラウザが信頼しません/],
  ['a public origin on a closed port', setVariables({ PUBLIC_ORIGIN: 'https://localhost:9' }), /安全につながりません/],
  ['a proxy that does not reach the site', setOrigin('https', 'silent'), /このサイトが応答しません/],
  [
    'a www name without a certificate',
    withWwwName('https', 'site'),
    /https:\/\/www\.localhost:\d+ を開いても https:\/\/localhost:\d+ に移りません。.*Caddyfile/,
  ],
  [
    'a www name that does not lead to the site',
    withWwwName('http', 'staying'),
    /http:\/\/www\.localhost:\d+ を開いても http:\/\/localhost:\d+ に移りません。.*Caddyfile/,
  ],
  [
    'a www name that redirects to another site',
    withWwwName('http', 'parked'),
    /を開いても http:\/\/localhost:\d+ に移りません/,
  ],
  [
    'a proxy that hides the Host of the visitor',
    setOrigin('http', 'looping'),
    /http:\/\/localhost:\d+ のリダイレクトが繰り返されます。.*X-Forwarded-Host/,
  ],
  ['a site that cannot read its database', setOrigin('https', 'failing'), /データベースを読めていません/],
]

test('notes a www name that redirects to the site', async () => {
  const site = createHealthySite()
  withWwwName('http', 'moved')(site)
  const { faults, note } = (await examineSite(site.environment)).at(-1) ?? {}
  expect([faults, note]).toEqual([[], `http://www.localhost:${ports.moved} からも開けます`])
})

test.each(faultyCases)('reports %s as the only fault', async (_, prepare, pattern, machine) => {
  const site = createHealthySite()
  await prepare(site)
  const faults = await faultsIn(site.environment, machine)
  expect(faults).toEqual([expect.stringMatching(pattern)])
  expect(faults[0]).toMatch(/(?:ください|ます)(?:（[^）]*）)?$/)
  expect(faults[0]).not.toContain('hidden')
})

const healthyCases: [string, (site: Site) => unknown, Partial<Machine>?][] = [
  ['a site for this machine only', setVariables({ PUBLIC_ORIGIN: '', TRUSTED_PROXY: '', SMTP_URL: '' })],
  [
    'a local origin without HTTPS',
    setVariables({ PUBLIC_ORIGIN: `http://localhost:${ports.clock}`, TRUSTED_PROXY: '' }),
  ],
  ['a proxy on another machine', setVariables({ HOST: '0.0.0.0' })],
  ['a proxy of a week ago', addProxy('172.18.0.1', Date.now() - 7 * DAY)],
  [
    'a proxy that TRUSTED_PROXY contains since yesterday',
    (site) => {
      setVariables({ TRUSTED_PROXY: '127.0.0.1,172.16.0.0/12' })(site)
      return addProxy('172.18.0.1', Date.now() - DAY)(site)
    },
  ],
  ['passwords of one length', setVariables({ PASSWORD_MIN: '10', PASSWORD_MAX: '10' })],
  ['a disk with just enough space', () => {}, { freeBytes: async () => 500 * MB }],
  [
    'a new site before its first backup',
    async (site) => {
      rmSync(site.backup)
      await inDatabase(setCreation(Date.now() - 35 * HOUR))(site)
    },
  ],
  ['a backup of last night', setLastBackup(Date.now() - 35 * HOUR)],
  [
    'a PostgreSQL behind a session pooler',
    async (site) => {
      const url = await openPooler(await freshPostgresUrl(), 'session')
      setVariables({ DATABASE_URL: url })(site)
    },
  ],
  [
    'a readable database in a folder that other users may not enter',
    ({ dataFolder, file }) => {
      chmodSync(dataFolder, 0o700)
      chmodSync(file, 0o644)
    },
  ],
  [
    'readable backups in a folder that other users may not enter',
    ({ dataFolder, file, backup }) => {
      chmodSync(dataFolder, 0o755)
      for (const each of [file, dirname(backup)]) chmodSync(each, each === file ? 0o600 : 0o700)
      chmodSync(backup, 0o644)
    },
  ],
  ['a clock that is a minute late', inDatabase(setCreation(Date.now() + 60_000))],
  ['a second folder with last night’s backup', withCopyFolder(() => {})],
  [
    'a second folder twenty minutes after the backup',
    (site) => {
      const now = Date.now()
      setLastBackup(now - 20 * 60_000)(site)
      const before = backupFile(site.dataFolder, 'night', now - DAY)
      cpSync(backupFile(site.dataFolder, 'night', now - 20 * 60_000), before)
      withCopyFolder(({ copyFolder }) => cpSync(before, join(copyFolder, basename(before))))({
        ...site,
        backup: before,
      })
    },
  ],
  ['a bucket with last night’s backup', withBucket(() => {})],
  [
    'a bucket before the first backup',
    withBucket(({ site, s3 }) => {
      s3.objects.clear()
      rmSync(site.backup)
      return inDatabase(setCreation(Date.now() - HOUR))(site)
    }),
  ],
  ['a site in its first month', inDatabase(setCreation(Date.now() - 30 * DAY))],
  ['an external copy from a month ago', inDatabase((db) => noteCopy(db, 'hand', { madeAt: Date.now() - 30 * DAY }))],
]

test.each(healthyCases)('reports no fault for %s', async (_, prepare, machine) => {
  const site = createHealthySite()
  await prepare(site)
  expect(await faultsIn(site.environment, machine)).toEqual([])
})

test('notes the day of the last external copy', async () => {
  const site = createHealthySite()
  await inDatabase((db) => noteCopy(db, 'folder', { madeAt: Date.parse('2026-11-20T03:30:00+09:00') }))(site)
  const now = Date.parse('2026-11-21T12:00:00+09:00')
  expect(await findFinding('サーバー外の控え', site.environment, { now })).toEqual({
    of: 'サーバー外の控え',
    faults: [],
    note: '2026年11月20日のものまで',
  })
})

test('notes the age of the newest copy in the bucket', async () => {
  const site = createHealthySite()
  await withBucket(() => {})(site)
  const day = new Intl.DateTimeFormat('ja-JP', { dateStyle: 'long', timeZone: 'Asia/Tokyo' }).format(lastNight)
  const note = `クラウドの保管先（copies）は${day}（0日前）のものまで`
  expect((await findFinding('サーバー外の控え', site.environment))?.note).toBe(note)
  await inDatabase((db) => noteCopy(db, 's3', { madeAt: Date.parse('2026-11-20T03:30:00+09:00') }))(site)
  expect((await findFinding('サーバー外の控え', site.environment))?.note).toBe(`2026年11月20日のものまで。${note}`)
})

test('notes the oldest check of the copies in the second folder', async () => {
  const site = createHealthySite()
  await withCopyFolder(async ({ copyFolder, copy }) => {
    const older = join(copyFolder, '20261101-033000-night.noren')
    cpSync(copy, older)
    const dates = [new Date('2026-11-20T03:31:00+09:00'), new Date('2026-11-12T03:31:00+09:00')] as const
    for (const [index, path] of [copy, older].entries()) utimesSync(path, dates[index] ?? 0, dates[index] ?? 0)
    // Copies of another site do not count.
    const foreign = join(copyFolder, '20261031-033000-night.noren')
    writeFileSync(foreign, readFileSync(copy, 'latin1').replace('"site":"', '"site":"x'), 'latin1')
    utimesSync(foreign, 1, 1)
  })(site)
  await inDatabase((db) => noteCopy(db, 'folder', { madeAt: Date.parse('2026-11-20T03:30:00+09:00') }))(site)
  const found = await findFinding('サーバー外の控え', site.environment)
  expect(found?.note).toBe('2026年11月20日のものまで。どの控えも2026年11月12日以降に確認しました')
})

function damage(file: string) {
  const handle = openSync(file, 'r+')
  // Overwrites the second, third and fourth pages of the database file.
  writeSync(handle, Buffer.alloc(3 * 4096, 0xa5), 0, 3 * 4096, 4096)
}
