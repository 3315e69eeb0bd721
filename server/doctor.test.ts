import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBackup } from '../db/backup.ts'
import { openDatabase } from '../db/open.ts'
import { anyTable } from '../db/rows.ts'
import { backupFile, listBackups } from './backups.ts'
import { examine } from './doctor.ts'
import { readOrMakeSecret } from './secret.ts'
import { makeCertificate } from './testing-certificate.ts'

const HOUR = 60 * 60 * 1000
const lastNight = Date.now() - HOUR
const closing: (() => void)[] = []
let ports: Record<'site' | 'ending' | 'stranger' | 'silent' | 'clock' | 'late' | 'mail', number>

beforeAll(async () => {
  const trusted = {
    site: makeCertificate(),
    ending: makeCertificate({ days: 5 }),
    other: makeCertificate({ host: 'other.example' }),
  }
  tls.setDefaultCACertificates([
    ...tls.getCACertificates('default'),
    ...Object.values(trusted).map(({ cert }) => String(cert)),
  ])
  const listen = async (
    server: { listen(port: number, host: string): unknown; close(): unknown } & NodeJS.EventEmitter,
  ) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => server.close())
    return ((server as ReturnType<typeof createServer>).address() as AddressInfo).port
  }
  const well = '{"status":"ok"}'
  const mail = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ password }, _, done) => done(password === 'right' ? null : new Error('no'), { user: 'shop' }),
  })
  closing.push(() => mail.close(() => {}))
  mail.listen(0, '127.0.0.1')
  await once(mail.server, 'listening')
  ports = {
    site: await listen(createTlsServer(trusted.site, (_, answer) => answer.end(well))),
    ending: await listen(createTlsServer(trusted.ending, (_, answer) => answer.end(well))),
    stranger: await listen(createTlsServer(trusted.other, (_, answer) => answer.end(well))),
    silent: await listen(createTlsServer(trusted.site, (_, answer) => answer.writeHead(502).end('Bad Gateway'))),
    clock: await listen(createServer((_, answer) => answer.end())),
    late: await listen(
      createServer((_, answer) => answer.writeHead(200, { date: new Date(Date.now() - HOUR).toUTCString() }).end()),
    ),
    mail: (mail.server.address() as AddressInfo).port,
  }
})
afterAll(() => closing.forEach((close) => void close()))

let well: string
beforeAll(async () => {
  well = mkdtempSync(join(tmpdir(), 'noren-doctor-'))
  readOrMakeSecret(well)
  const db = await openDatabase({ file: join(well, 'site.db') })
  const at = new Date(Date.now() - 72 * HOUR).toISOString()
  await db.insertInto('marks').values({ name: 'sample shop decided', at }).execute()
  await makeBackup(db, backupFile(well, 'night', lastNight), { program: '0.1.0', now: lastNight })
  await db.destroy()
})

/** A site that has run well for three days, and its settings. */
function wellSite() {
  const dataFolder = mkdtempSync(join(tmpdir(), 'noren-doctor-'))
  cpSync(well, dataFolder, { recursive: true })
  const environment: Record<string, string> = {
    DATA_DIR: dataFolder,
    PUBLIC_ORIGIN: `https://localhost:${ports.site}`,
    TRUSTED_PROXY: '127.0.0.1',
    HOLIDAYS_URL: `http://127.0.0.1:${ports.clock}/`,
    SMTP_URL: `smtp://shop:right@127.0.0.1:${ports.mail}`,
    MAIL_FROM: 'shop@example.jp',
  }
  const backup = backupFile(dataFolder, 'night', lastNight)
  return { dataFolder, file: join(dataFolder, 'site.db'), backup, environment }
}

type Site = ReturnType<typeof wellSite>

const faultsIn = async (...given: Parameters<typeof examine>) =>
  (await examine(...given)).flatMap(({ of, faults }) => faults.map((fault) => `${of}: ${fault}`))

test('of a site that is well, nothing is said', async () => {
  const { environment } = wellSite()
  expect(await examine(environment)).toEqual(
    [
      '設定',
      '版',
      'データの置き場所',
      'ディスクの空き',
      'データベース',
      '控え',
      '時計',
      'メール',
      '公開するアドレス',
    ].map((of) => ({ of, faults: [] })),
  )
})

const settings = (change: () => Record<string, string>) => (site: Site) =>
  void Object.assign(site.environment, change())
const inDatabase =
  (name: string, at: string) =>
  async ({ file }: Site) => {
    const db = await openDatabase({ file })
    if (name === '9999-newer')
      await anyTable(db).insertInto('kysely_migration').values({ name, timestamp: at }).execute()
    else await db.insertInto('marks').values({ name, at }).execute()
    await db.destroy()
  }

const misfortunes: [string, (site: Site) => unknown, RegExp, Parameters<typeof examine>[1]?][] = [
  ['a setting that cannot be', settings(() => ({ PORT: 'three' })), /^設定: 設定 PORT が正しくありません/],
  ['half a Google key', settings(() => ({ GOOGLE_CLIENT_ID: 'id' })), /GOOGLE_CLIENT_SECRET の片方/],
  ['a proxy that is not named', settings(() => ({ TRUSTED_PROXY: '' })), /TRUSTED_PROXY がありません/],
  ['passwords that nobody can choose', settings(() => ({ PASSWORD_MIN: '20', PASSWORD_MAX: '10' })), /PASSWORD_MIN/],
  ['no sender of mail', settings(() => ({ MAIL_FROM: '' })), /MAIL_FROM がありません/],
  [
    'a mail server that is not there',
    settings(() => ({ SMTP_URL: 'smtp://127.0.0.1:9' })),
    /^メール: .*つながりません.*SMTP_URL/,
  ],
  [
    'a wrong mail password',
    settings(() => ({ SMTP_URL: `smtp://shop:wrong@127.0.0.1:${ports.mail}` })),
    /^メール: .*受け付けません（535）.*SMTP_URL/,
  ],
  ['a secret that others can read', ({ dataFolder }) => chmodSync(join(dataFolder, 'secret'), 0o644), /chmod 600/],
  [
    'a disk that is nearly full',
    () => {},
    /空きが 100 MB です。500 MB 以上/,
    { freeBytes: async () => 100 * 1024 ** 2 },
  ],
  ['no database', ({ file }) => rmSync(file), /^データベース: データベースがありません/],
  [
    'a file that is no database',
    ({ file }) => writeFileSync(file, 'not a database'.repeat(1000)),
    /^データベース: .*壊れています。控えから/,
  ],
  ['a damaged database', ({ file }) => damage(file), /^データベース: .*壊れています.*控えから戻して/],
  [
    'a database of a newer program',
    inDatabase('9999-newer', '2026-11-20T00:00:00.000Z'),
    /新しい版のものです（9999-newer）/,
  ],
  [
    'a PostgreSQL that is not there',
    settings(() => ({ DATABASE_URL: 'postgres://shop:hidden@127.0.0.1:9/x' })),
    /^データベース: 設定 DATABASE_URL のデータベースにつながりません/,
  ],
  [
    'a backup of three days ago',
    ({ backup, dataFolder }) => renameSync(backup, backupFile(dataFolder, 'night', Date.now() - 73 * HOUR)),
    /3日前のもの.*npm run backup/,
  ],
  ['no backup', ({ backup }) => rmSync(backup), /控えがまだ一つもありません/],
  [
    'a damaged backup',
    ({ backup }) => writeFileSync(backup, readFileSync(backup).subarray(1)),
    /（\d+-\d+-night\.noren）が壊れています/,
  ],
  [
    'a clock that goes wrong',
    settings(() => ({ HOLIDAYS_URL: `http://127.0.0.1:${ports.late}/` })),
    /^時計: .*60分ちがいます.*timedatectl/,
  ],
  [
    'a clock behind the data',
    inDatabase('tomorrow', new Date(Date.now() + 24 * HOUR).toISOString()),
    /^時計: .*遅れています/,
  ],
  [
    'a certificate that ends soon',
    settings(() => ({ PUBLIC_ORIGIN: `https://localhost:${ports.ending}` })),
    /証明書があと4日で切れます/,
  ],
  [
    'a certificate of another name',
    settings(() => ({ PUBLIC_ORIGIN: `https://localhost:${ports.stranger}` })),
    /証明書をブラウザが信じません/,
  ],
  [
    'an address where nothing listens',
    settings(() => ({ PUBLIC_ORIGIN: 'https://localhost:9' })),
    /安全につながりません/,
  ],
  [
    'a proxy without the site behind it',
    settings(() => ({ PUBLIC_ORIGIN: `https://localhost:${ports.silent}` })),
    /このサイトが答えません/,
  ],
]

test.each(misfortunes)('%s is named, and nothing else', async (_, happen, sentence, now) => {
  const site = wellSite()
  await happen(site)
  const faults = await faultsIn(site.environment, now)
  expect(faults).toEqual([expect.stringMatching(sentence)])
  expect(faults[0]).toMatch(/(?:ください|ます)(?:（[^）]*）)?$/)
  expect(faults[0]).not.toContain('hidden')
})

test('looking changes nothing', async () => {
  const { file, environment, dataFolder } = wellSite()
  const before = readFileSync(file)
  await examine(environment)
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(await listBackups(dataFolder)).toHaveLength(1)
})

function damage(file: string) {
  const handle = openSync(file, 'r+')
  // The second page and some after it: their contents are read as something else.
  writeSync(handle, Buffer.alloc(3 * 4096, 0xa5), 0, 3 * 4096, 4096)
}
