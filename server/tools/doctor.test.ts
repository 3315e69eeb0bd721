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
import { type Kysely, sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, type MockInstance, onTestFinished, test, vi } from 'vitest'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { enqueue } from '../../app/mail/outbox.server.ts'
import { noteCopy } from '../../app/owner/copies.server.ts'
import { makeBackup } from '../../db/backup.ts'
import { untypedTables } from '../../db/engine.ts'
import { connect, openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { freshPostgresUrl, onServer } from '../../db/testing.ts'
import { openPooler } from '../../db/testing-pooler.ts'
import { freeBytesOf } from '../disk-space.ts'
import { readOrMakeSecret } from '../secret.ts'
import { backupFile, listBackups } from '../tasks/backups.ts'
import { makeCertificate } from '../testing-certificate.ts'
import { folderElsewhere, newFolder } from '../testing-disks.ts'
import { demoAccounts, registerPeople } from './demo.ts'
import { examine } from './doctor.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const MB = 1024 ** 2
const lastNight = Date.now() - HOUR
const well = '{"status":"ok"}'
const closing: (() => void)[] = []
afterAll(() => closing.forEach((close) => void close()))

const trusted = {
  site: makeCertificate(),
  ending: makeCertificate({ days: 5 }),
  other: makeCertificate({ host: 'other.example' }),
}
tls.setDefaultCACertificates([
  ...tls.getCACertificates('default'),
  ...Object.values(trusted).map(({ cert }) => String(cert)),
])

/** Opens a server on a port of this machine, with a certificate or without. Returns the port. */
async function portOf(answer: RequestListener, certificate?: (typeof trusted)['site']) {
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
  closing.push(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function mailPort() {
  const mail = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ password }, _, done) => done(password === 'right' ? null : new Error('no'), { user: 'shop' }),
  })
  closing.push(() => mail.close(() => {}))
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  return (mail.server.address() as AddressInfo).port
}

const isWell: RequestListener = (_, answer) => void answer.end(well)
const ports = {
  site: await portOf(isWell, trusted.site),
  ending: await portOf(isWell, trusted.ending),
  stranger: await portOf(isWell, trusted.other),
  silent: await portOf((_, answer) => void answer.writeHead(502).end('Bad Gateway'), trusted.site),
  failing: await portOf((_, answer) => void answer.writeHead(503).end('{"status":"failing"}'), trusted.site),
  clock: await portOf(isWell),
  late: await portOf((_, answer) => {
    answer.writeHead(200, { date: new Date(Date.now() - HOUR).toUTCString() }).end()
  }),
  // Its own: a connection to a www name stays open for later tests.
  staying: await portOf(isWell),
  parked: await portOf(({ headers: { host } }, answer) => {
    if (host?.startsWith('www.')) answer.writeHead(302, { location: 'https://parked.example/' }).end()
    else answer.end(well)
  }),
  // As the site does it, behind a proxy that passes Host on, and behind one that does not.
  moved: await portOf(({ headers: { host = '' }, url = '' }, answer) => {
    const origin = `http://${host.replace('www.', '')}`
    if (host.startsWith('www.')) answer.writeHead(308, { location: `${origin}${url}` }).end()
    else answer.end(well)
  }),
  looping: await portOf(({ headers: { host = '' }, url }, answer) => {
    if (url === '/api/health') answer.end(well)
    else answer.writeHead(308, { location: `http://${host}${url}` }).end()
  }),
  mail: await mailPort(),
}

const wellFolder = newFolder()
beforeAll(async () => {
  readOrMakeSecret(wellFolder)
  const db = await openDatabase({ file: join(wellFolder, 'site.db') })
  const at = new Date(Date.now() - 72 * HOUR).toISOString()
  await db.insertInto('marks').values({ name: 'sample shop decided', at }).execute()
  await db.insertInto('identity').values({ id: 'site', name: 'example.jp' }).execute()
  // One that is to leave soon, and one that was given up long ago: nothing waits.
  await enqueue(db, mailTo('soon@example.jp'), { at })
  await enqueue(db, mailTo('gone@example.jp'), { at })
  await db.updateTable('outbox').set({ state: 'failed', trouble: 'refused' }).where('to', 'like', 'gone%').execute()
  await makeBackup(db, backupFile(wellFolder, 'night', lastNight), { program: '0.1.0', now: lastNight })
  await db.destroy()
})

/** A site that has run well for three days, and its settings. */
function wellSite() {
  const dataFolder = newFolder()
  cpSync(wellFolder, dataFolder, { recursive: true })
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

type Site = ReturnType<typeof wellSite>
type Machine = Parameters<typeof examine>[1]

const mailTo = (to: string) => ({ to, subject: '題', text: '文', html: '<p>文</p>' })

const examined = (environment: Site['environment'], machine: Partial<Machine> = {}) =>
  examine(environment, { now: Date.now(), freeBytes: freeBytesOf, ...machine })

const findingOf = async (of: string, ...given: Parameters<typeof examined>) =>
  (await examined(...given)).find((finding) => finding.of === of)

const faultsIn = async (...given: Parameters<typeof examined>) =>
  (await examined(...given)).flatMap(({ of, faults }) => faults.map((fault) => `${of}: ${fault}`))

test('finds no fault in a site that is well, and changes nothing', async () => {
  const { file, environment, dataFolder } = wellSite()
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
  expect(await examined(environment)).toEqual([
    ...machine.map((of) => ({ of, faults: [] })),
    { of: 'メール', faults: [], note },
    { of: '公開するアドレス', faults: [] },
  ])
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(await listBackups(dataFolder)).toHaveLength(1)
})

test('who reads what visitors write is said: nobody, the owner, an administrator whose address is proven', async () => {
  const site = wellSite()
  const said = async () => (await findingOf('メール', site.environment))?.note
  expect(await said()).toBe('お問い合わせは owner@example.jp に届きます')
  delete site.environment.OWNER_EMAIL
  expect(await said()).toBe('お問い合わせを受け取る方が決まっていません。「お店の情報」で設定してください')
  await inDatabase(async (db) => {
    await registerPeople(db, Date.now())
    const { administrator } = demoAccounts
    await addAccount(db, { ...administrator, id: administrator.accountId, hash: 'none' }, new Date().toISOString())
    await db.updateTable('accounts').set({ emailVerified: true }).execute()
  })(site)
  expect(await said()).toBe('お問い合わせは noren@example.jp に届きます')
})

const settings = (change: Record<string, string>) => (site: Site) => void Object.assign(site.environment, change)
/** The site is to be found on this port of this machine. */
const origin = (scheme: string, port: keyof typeof ports) =>
  settings({ PUBLIC_ORIGIN: `${scheme}://localhost:${ports[port]}` })
/** No machine here has a www name: the DNS answers as if this one had. */
const withWwwName = (scheme: string, port: keyof typeof ports) => (site: Site) => {
  const { lookup } = dns
  const spy = vi.spyOn(dns, 'lookup') as unknown as MockInstance<(name: string, ...rest: unknown[]) => void>
  spy.mockImplementation((name, ...rest) =>
    Reflect.apply(lookup, dns, [name.replace('www.localhost', 'localhost'), ...rest]),
  )
  onTestFinished(() => spy.mockRestore())
  origin(scheme, port)(site)
}
const inDatabase =
  (write: (db: Kysely<Tables>) => Promise<unknown>) =>
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
const lastBackupAt =
  (at: number) =>
  ({ backup, dataFolder }: Site) =>
    renameSync(backup, backupFile(dataFolder, 'night', at))
const timeOf = (at: number) => ({ at: new Date(at).toISOString() })
const beganAt = (at: number) => (db: Kysely<Tables>) => db.updateTable('marks').set(timeOf(at)).execute()

type Copied = Site & { copyFolder: string; copy: string }
/** Gives the site a second folder that has last night's backup, and does this with it. */
const withCopies = (happen: (site: Copied) => unknown) => (site: Site) => {
  const copyFolder = folderElsewhere(site.dataFolder)
  const copy = join(copyFolder, basename(site.backup))
  cpSync(site.backup, copy)
  settings({ BACKUP_COPY_DIR: copyFolder })(site)
  return happen({ ...site, copyFolder, copy })
}

const misfortunes: [string, (site: Site) => unknown, RegExp, Partial<Machine>?][] = [
  ['a setting that cannot be', settings({ PORT: 'three' }), /^設定: 設定 PORT が正しくありません/],
  [
    'half a Google key',
    settings({ GOOGLE_CLIENT_ID: 'id' }),
    /GOOGLE_CLIENT_SECRET が正しくありません: GOOGLE_CLIENT_ID があります/,
  ],
  ['an address without a lock', settings({ PUBLIC_ORIGIN: `http://0.0.0.0:${ports.clock}` }), /PUBLIC_ORIGIN が http:/],
  [
    'a site that is open to the network and knows no address',
    settings({ HOST: '0.0.0.0', PUBLIC_ORIGIN: '', SMTP_URL: '' }),
    /PUBLIC_ORIGIN がありません/,
  ],
  ['a proxy that is not named', settings({ TRUSTED_PROXY: '' }), /TRUSTED_PROXY がありません/],
  ['passwords that nobody can choose', settings({ PASSWORD_MIN: '20', PASSWORD_MAX: '10' }), /PASSWORD_MIN/],
  ['no sender of mail', settings({ MAIL_FROM: '' }), /MAIL_FROM がありません/],
  [
    'a mail server that is not there',
    settings({ SMTP_URL: 'smtp://127.0.0.1:9' }),
    /^メール: .*つながりません.*SMTP_URL/,
  ],
  [
    'a wrong mail password',
    settings({ SMTP_URL: `smtp://shop:wrong@127.0.0.1:${ports.mail}` }),
    /^メール: .*受け付けません（535）.*SMTP_URL/,
  ],
  [
    'mail that met trouble and waits',
    inDatabase((db) => db.updateTable('outbox').set({ state: 'waiting', trouble: 'refused' }).execute()),
    /^メール: 送信できていないメールが2通/,
  ],
  ['a secret that others can read', ({ dataFolder }) => chmodSync(join(dataFolder, 'secret'), 0o604), /chmod 600/],
  [
    'a database that others can read',
    ({ dataFolder, file }) => {
      chmodSync(dataFolder, 0o755)
      chmodSync(file, 0o644)
    },
    /^データの置き場所: ほかのユーザーが site\.db を読めます。chmod -R go= /,
  ],
  [
    'mails and backups that others can read',
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
    'a secret that anyone can guess',
    ({ dataFolder }) => writeFileSync(join(dataFolder, 'secret'), 'a'.repeat(31)),
    /空か短すぎます。32文字以上/,
  ],
  [
    'a folder in the place of the secret',
    ({ dataFolder }) => {
      rmSync(join(dataFolder, 'secret'))
      mkdirSync(join(dataFolder, 'secret'))
    },
    /^データの置き場所: .*secret がフォルダーです/,
  ],
  ['a disk that is nearly full', () => {}, /空きが 100 MB です。500 MB 以上/, { freeBytes: async () => 100 * MB }],
  [
    'a disk without the room for a backup and its trial',
    ({ file }) => truncateSync(file, 200 * MB),
    /空きが 599 MB です。600 MB 以上/,
    { freeBytes: async () => 600 * MB - 1 },
  ],
  ['no database', ({ file }) => rmSync(file), /^データベース: データベースがありません/],
  [
    'a file that is no database',
    ({ file }) => writeFileSync(file, 'not a database'.repeat(1000)),
    /^データベース: .*壊れています。控えから/,
  ],
  ['a damaged database', ({ file }) => damage(file), /^データベース: .*壊れています.*控えから戻して/],
  [
    'a database whose rows have lost each other',
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
    'a PostgreSQL that is not there',
    settings({ DATABASE_URL: 'postgres://shop:hidden@127.0.0.1:9/x' }),
    /^データベース: 設定 DATABASE_URL のデータベースにつながりません/,
  ],
  [
    'a read-only PostgreSQL',
    async (site) => {
      const url = await freshPostgresUrl()
      await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
      settings({ DATABASE_URL: url })(site)
    },
    /^データベース: データベースが読み取り専用です/,
  ],
  [
    'a PostgreSQL behind a transaction pooler',
    async (site) => {
      const url = await openPooler(await freshPostgresUrl(), 'transaction')
      settings({ DATABASE_URL: url })(site)
    },
    /^データベース: データベースの前にあるプーラー/,
  ],
  ['a backup of three days ago', lastBackupAt(Date.now() - 73 * HOUR), /3日前のもの.*npm run backup/],
  ['a backup of the night before last', lastBackupAt(Date.now() - 37 * HOUR), /1日前のもの.*npm run backup/],
  ['no backup', ({ backup }) => rmSync(backup), /控えがまだ一つもありません/],
  [
    'a damaged backup',
    ({ backup }) => writeFileSync(backup, readFileSync(backup).subarray(1)),
    /（\d+-\d+-night\.noren）が壊れています/,
  ],
  [
    'a backup that never left the machine',
    inDatabase(beganAt(Date.now() - 32 * DAY)),
    /^サーバー外の控え: サーバー外に控えを置いた記録がありません。「本日の営業」.*BACKUP_COPY_DIR/,
  ],
  [
    'a backup that left the machine long ago',
    inDatabase((db) => noteCopy(db, 'download', { madeAt: Date.now() - 40 * DAY })),
    /^サーバー外の控え: サーバー外に置いた控えが40日前のものです。「本日の営業」/,
  ],
  [
    'a second folder that is not there',
    withCopies((site) => rmSync(site.copyFolder, { recursive: true })),
    /^サーバー外の控え: 控えの二つ目の場所（.*）が見つかりません。USBメモリー/,
  ],
  [
    'a second folder on the disk of the data',
    (site) => {
      const copyFolder = newFolder()
      cpSync(site.backup, join(copyFolder, basename(site.backup)))
      settings({ BACKUP_COPY_DIR: copyFolder })(site)
    },
    /^サーバー外の控え: 控えの二つ目の場所（.*）が、データと同じディスクの中です/,
  ],
  [
    'a second folder without the backup of last night',
    withCopies((site) => rmSync(site.copy)),
    /^サーバー外の控え: .*いちばん新しい夜の控え（\d+-\d+-night\.noren）がありません。npm run backup -- --copy/,
  ],
  [
    'a damaged backup in the second folder',
    withCopies((site) => writeFileSync(site.copy, readFileSync(site.backup).fill(1, 300, 310))),
    /^サーバー外の控え: .*（\d+-\d+-night\.noren）が壊れています。.*替えてください/,
  ],
  [
    'a shorter backup of that name in the second folder',
    withCopies(async (site) => {
      const db = await openDatabase({ file: ':memory:' })
      rmSync(site.copy)
      await makeBackup(db, site.copy, { program: '0.1.0', now: lastNight })
      await db.destroy()
    }),
    /^サーバー外の控え: .*（\d+-\d+-night\.noren）が壊れています/,
  ],
  [
    'a copy in the second folder that was found to be rotten',
    withCopies((site) => writeFileSync(`${site.copy}.damaged`, '')),
    /^サーバー外の控え: .*壊れた控え（\d+-\d+-night\.noren\.damaged）があります。.*消してください/,
  ],
  [
    'a setting for the second folder that cannot be',
    settings({ BACKUP_COPY_DIR: 'usb' }),
    /^設定: 設定 BACKUP_COPY_DIR が正しくありません/,
  ],
  [
    'a clock that goes wrong',
    settings({ HOLIDAYS_URL: `http://127.0.0.1:${ports.late}/` }),
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
    'a clock that stands before this program was written',
    () => {},
    /^時計: サーバーの時計が 2026 年を指しています/,
    { now: Date.parse('2026-10-31T23:59:00Z') },
  ],
  ['a certificate that ends soon', origin('https', 'ending'), /証明書があと4日で切れます/],
  [
    'a certificate that has ended',
    (site) => {
      lastBackupAt(Date.now() + 5 * DAY)(site)
      Object.assign(site.environment, { PUBLIC_ORIGIN: `https://localhost:${ports.ending}`, HOLIDAYS_URL: '' })
    },
    /証明書の期限が切れています/,
    { now: Date.now() + 6 * DAY },
  ],
  ['a certificate of another name', origin('https', 'stranger'), /証明書をブラウザが信頼しません/],
  ['an address where nothing listens', settings({ PUBLIC_ORIGIN: 'https://localhost:9' }), /安全につながりません/],
  ['a proxy without the site behind it', origin('https', 'silent'), /このサイトが応答しません/],
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
  ['a www name that leads elsewhere', withWwwName('http', 'parked'), /を開いても http:\/\/localhost:\d+ に移りません/],
  [
    'a proxy that hides the Host of the visitor',
    origin('http', 'looping'),
    /http:\/\/localhost:\d+ のリダイレクトが繰り返されます。.*X-Forwarded-Host/,
  ],
  ['a site that cannot read its database', origin('https', 'failing'), /データベースを読めていません/],
]

test('names the www name that leads to the site', async () => {
  const site = wellSite()
  withWwwName('http', 'moved')(site)
  const { faults, note } = (await examined(site.environment)).at(-1) ?? {}
  expect([faults, note]).toEqual([[], `http://www.localhost:${ports.moved} からも開けます`])
})

test.each(misfortunes)('%s is named, and nothing else', async (_, happen, sentence, now) => {
  const site = wellSite()
  await happen(site)
  const faults = await faultsIn(site.environment, now)
  expect(faults).toEqual([expect.stringMatching(sentence)])
  expect(faults[0]).toMatch(/(?:ください|ます)(?:（[^）]*）)?$/)
  expect(faults[0]).not.toContain('hidden')
})

const wellAllTheSame: [string, (site: Site) => unknown, Partial<Machine>?][] = [
  ['a site on this machine alone', settings({ PUBLIC_ORIGIN: '', TRUSTED_PROXY: '', SMTP_URL: '' })],
  [
    'an address of this machine without a lock',
    settings({ PUBLIC_ORIGIN: `http://localhost:${ports.clock}`, TRUSTED_PROXY: '' }),
  ],
  ['a proxy on another machine', settings({ HOST: '0.0.0.0' })],
  ['passwords of one length', settings({ PASSWORD_MIN: '10', PASSWORD_MAX: '10' })],
  ['a disk with just enough room', () => {}, { freeBytes: async () => 500 * MB }],
  [
    'a site that began yesterday, before its first backup',
    async (site) => {
      rmSync(site.backup)
      await inDatabase(beganAt(Date.now() - 35 * HOUR))(site)
    },
  ],
  ['a backup of last night', lastBackupAt(Date.now() - 35 * HOUR)],
  [
    'a PostgreSQL behind a session pooler',
    async (site) => {
      const url = await openPooler(await freshPostgresUrl(), 'session')
      settings({ DATABASE_URL: url })(site)
    },
  ],
  [
    'a database in a folder that nobody else may enter',
    ({ dataFolder, file }) => {
      chmodSync(dataFolder, 0o700)
      chmodSync(file, 0o644)
    },
  ],
  [
    'backups in a folder that nobody else may enter',
    ({ dataFolder, file, backup }) => {
      chmodSync(dataFolder, 0o755)
      for (const each of [file, dirname(backup)]) chmodSync(each, each === file ? 0o600 : 0o700)
      chmodSync(backup, 0o644)
    },
  ],
  ['a clock that is a minute late', inDatabase(beganAt(Date.now() + 60_000))],
  ['a second folder that has last night’s backup', withCopies(() => {})],
  [
    'a second folder in the minutes after the backup',
    (site) => {
      lastBackupAt(Date.now() - 29 * 60_000)(site)
      const before = backupFile(site.dataFolder, 'night', Date.now() - DAY)
      cpSync(backupFile(site.dataFolder, 'night', Date.now() - 29 * 60_000), before)
      withCopies(({ copyFolder }) => cpSync(before, join(copyFolder, basename(before))))({ ...site, backup: before })
    },
  ],
  ['a site in its first month', inDatabase(beganAt(Date.now() - 30 * DAY))],
  [
    'a backup that left the machine a month ago',
    inDatabase((db) => noteCopy(db, 'hand', { madeAt: Date.now() - 30 * DAY })),
  ],
]

test.each(wellAllTheSame)('%s is no fault', async (_, happen, now) => {
  const site = wellSite()
  await happen(site)
  expect(await faultsIn(site.environment, now)).toEqual([])
})

test('names the day of the last backup that left the machine', async () => {
  const site = wellSite()
  await inDatabase((db) => noteCopy(db, 'folder', { madeAt: Date.parse('2026-11-20T03:30:00+09:00') }))(site)
  const now = Date.parse('2026-11-21T12:00:00+09:00')
  expect(await findingOf('サーバー外の控え', site.environment, { now })).toEqual({
    of: 'サーバー外の控え',
    faults: [],
    note: '2026年11月20日のものまで',
  })
})

test('says since when every copy in the second folder was checked', async () => {
  const site = wellSite()
  await withCopies(async ({ copyFolder, copy }) => {
    const older = join(copyFolder, '20261101-033000-night.noren')
    cpSync(copy, older)
    const dates = [new Date('2026-11-20T03:31:00+09:00'), new Date('2026-11-12T03:31:00+09:00')] as const
    for (const [index, path] of [copy, older].entries()) utimesSync(path, dates[index] ?? 0, dates[index] ?? 0)
    // The copies of another site are its own matter.
    const foreign = join(copyFolder, '20261031-033000-night.noren')
    writeFileSync(foreign, readFileSync(copy, 'latin1').replace('"site":"', '"site":"x'), 'latin1')
    utimesSync(foreign, 1, 1)
  })(site)
  await inDatabase((db) => noteCopy(db, 'folder', { madeAt: Date.parse('2026-11-20T03:30:00+09:00') }))(site)
  const found = await findingOf('サーバー外の控え', site.environment)
  expect(found?.note).toBe('2026年11月20日のものまで。どの控えも2026年11月12日以降に確認しました')
})

function damage(file: string) {
  const handle = openSync(file, 'r+')
  // The second page and some after it: their contents are read as something else.
  writeSync(handle, Buffer.alloc(3 * 4096, 0xa5), 0, 3 * 4096, 4096)
}
