import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings, secretNames } from './settings.ts'
import { newFolder } from './testing-disks.ts'

test('returns defaults for a local site when no variable is set', () => {
  expect(readSettings({})).toMatchObject({
    ...{ port: 3000, host: '127.0.0.1', sampleShop: true, logLevel: 'info' },
    trustedProxies: { rules: [] },
    liveStreamsPerNetwork: 200,
  })
  expect(readSettings({ SAMPLE_SHOP: 'no' }).sampleShop).toBe(false)
  expect(readSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, databaseUrl: undefined })
})

test.each([
  ['PORT', 'abc'],
  ['PORT', '70000'],
  ['PORT', '80.5'],
  ['PORT', '-1'],
  ['DATABASE_URL', 'mysql://localhost/a'],
  ['DATABASE_URL', 'site.db'],
  ['TRUSTED_PROXY', 'proxy.local'],
  ['TRUSTED_PROXY', '10.0.0.0/33'],
  ['SAMPLE_SHOP', 'maybe'],
  ['BACKUP_COPY_DIR', 'usb'],
  ['BACKUP_S3_ENDPOINT', 's3.example.jp'],
  ['BACKUP_S3_ENDPOINT', 'https://id:secret@s3.example.jp'],
  ['BACKUP_S3_BUCKET', 'https://s3.example.jp/copies'],
  ['BACKUP_S3_PREFIX', '../other'],
  ['BACKUP_PASSPHRASE', 'fifteen letters'],
  ['BACKUP_AGE_KEY', 'ssh-ed25519 AAAA'],
  ['HOLIDAYS_URL', 'holidays.json'],
  ['UPDATE_URL', 'latest.json'],
  ['UPDATE_URL', 'http://example.jp/latest.json'],
  ['OWNER_EMAIL', 'the owner'],
  ['MAIL_FROM', 'the shop'],
  ['SMTP_URL', 'mail.example.jp'],
  ['SMTP_URL', 'smtps://shop#1:password@mail.example.jp'],
  ['DATABASE_URL', 'postgres://noren:pass#word@localhost/noren'],
  ['SECRET', 'a'.repeat(31)],
  ['PASSWORD_MIN', '0'],
  ['PASSWORD_MAX', '201'],
  ['PASSWORD_MAX', '12.5'],
  ['LIVE_STREAMS_PER_NETWORK', '0'],
  ['LIVE_STREAMS_PER_NETWORK', 'many'],
  ['METRICS_TOKEN', 'too-short'],
  ['METRICS_TOKEN', '0123456789abcdef 0123456789abcdef'],
  ['PUSH_SERVICES', 'http://push.example.jp'],
  ['PUSH_SERVICES', 'https://push.example.jp/path'],
  ['PUSH_SERVICES', 'https://push.*.example.jp'],
  ['PUSH_SERVICES', 'https://*'],
  ['NOTIFY_URL', 'http://ntfy.sh/topic'],
  ['NOTIFY_URL', 'https://shop:password@ntfy.sh/topic'],
  ['NOTIFY_SECRET', 'whsec_short'],
  ['LOG_LEVEL', 'loud'],
])('throws with the name of the variable when %s=%s', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^設定 ${name} が正しくありません: [^\\n]*[ぁ-ん]`))
})

test('names every invalid variable in one error', () => {
  expect(() => readSettings({ PORT: 'x', SAMPLE_SHOP: 'x' })).toThrow(/PORT[\s\S]*SAMPLE_SHOP/)
})

test('accepts a URL or an empty value for HOLIDAYS_URL', () => {
  expect(readSettings({}).holidaysUrl).toMatch(/^https:/)
  expect(readSettings({ HOLIDAYS_URL: 'http://localhost/x.json' }).holidaysUrl).toBe('http://localhost/x.json')
  expect(readSettings({ HOLIDAYS_URL: '' }).holidaysUrl).toBeNull()
})

test('accepts an HTTPS or loopback URL for UPDATE_URL, which has no default', () => {
  expect(readSettings({}).updateUrl).toBeNull()
  for (const UPDATE_URL of ['https://example.jp/latest.json', 'http://127.0.0.1:3001/', 'http://localhost/latest.json'])
    expect(readSettings({ UPDATE_URL }).updateUrl).toBe(UPDATE_URL)
})

test('accepts NOTIFY_URL only together with NOTIFY_SECRET', () => {
  const NOTIFY_SECRET = `whsec_${'a'.repeat(43)}=`
  expect(readSettings({}).webhook).toBeNull()
  for (const NOTIFY_URL of [
    'https://ntfy.sh/topic?tpl=yes&title={{.title}}',
    'http://192.168.1.5:8080/',
    'http://ntfy/',
  ])
    expect(readSettings({ NOTIFY_URL, NOTIFY_SECRET }).webhook).toEqual({ url: NOTIFY_URL, secret: NOTIFY_SECRET })
  expect(() => readSettings({ NOTIFY_URL: 'https://ntfy.sh/topic' })).toThrow('設定 NOTIFY_SECRET が正しくありません')
  expect(() => readSettings({ NOTIFY_SECRET })).toThrow('設定 NOTIFY_URL が正しくありません')
})

test('returns the origins of PUSH_SERVICES in lower case and without a default port', () => {
  const PUSH_SERVICES = 'https://Push.Example.JP:443, https://*.push.apple.com'
  expect(readSettings({ PUSH_SERVICES }).pushServices).toEqual(['https://push.example.jp', 'https://*.push.apple.com'])
})

test('converts OWNER_EMAIL to lower case, as accounts store their e-mail addresses', () => {
  expect(readSettings({ OWNER_EMAIL: 'Owner@Example.JP' }).ownerEmail).toBe('owner@example.jp')
})

const bucketVariables = {
  BACKUP_S3_ENDPOINT: 'https://s3.example.jp',
  BACKUP_S3_BUCKET: 'copies',
  BACKUP_S3_ACCESS_KEY_ID: 'id',
  BACKUP_S3_SECRET_ACCESS_KEY: 'secret',
}
const BACKUP_PASSPHRASE = 'sixteen letters.'

test('reads a bucket for copies only with its address, its access key and one way to encrypt', () => {
  expect(readSettings({ BACKUP_PASSPHRASE, BACKUP_S3_PREFIX: 'shops' }).backupBucket).toBeNull()
  const prefixes = { '': '', noren: 'noren/', '/shops/kyoto/': 'shops/kyoto/' }
  for (const [BACKUP_S3_PREFIX, prefix] of Object.entries(prefixes))
    expect(readSettings({ ...bucketVariables, BACKUP_PASSPHRASE, BACKUP_S3_PREFIX }).backupBucket).toEqual({
      ...{ endpoint: 'https://s3.example.jp', name: 'copies', accessKeyId: 'id', secretAccessKey: 'secret' },
      ...{ region: undefined, prefix, isPathStyle: true },
      key: { passphrase: BACKUP_PASSPHRASE, ageKey: undefined },
    })
  for (const name of Object.keys(bucketVariables))
    expect(() => readSettings({ ...bucketVariables, BACKUP_PASSPHRASE, [name]: '' })).toThrow(
      `設定 ${name} が正しくありません: 控えをクラウドに送るには`,
    )
  const BACKUP_AGE_KEY = `age1${'q'.repeat(58)}`
  for (const keys of [{}, { BACKUP_PASSPHRASE, BACKUP_AGE_KEY }])
    expect(() => readSettings({ ...bucketVariables, ...keys })).toThrow(
      'BACKUP_PASSPHRASE か BACKUP_AGE_KEY の、どちらか一つを書いてください',
    )
})

test('rejects a BACKUP_COPY_DIR within the data folder, but accepts a missing folder', () => {
  expect(readSettings({}).backupCopyFolder).toBeNull()
  expect(readSettings({ BACKUP_COPY_DIR: '' }).backupCopyFolder).toBeNull()
  expect(readSettings({ BACKUP_COPY_DIR: '/media/none/noren' }).backupCopyFolder).toBe('/media/none/noren')
  const data = { DATA_DIR: '/srv/noren/data' }
  for (const BACKUP_COPY_DIR of ['/srv/noren/data', '/srv/noren/data/backups', '/srv/noren/data/../data/x'])
    expect(() => readSettings({ ...data, BACKUP_COPY_DIR })).toThrow(
      '設定 BACKUP_COPY_DIR が正しくありません: データの置き場所（DATA_DIR）の外の',
    )
  for (const BACKUP_COPY_DIR of ['/srv/noren/data2', '/srv/noren', '/'])
    expect(readSettings({ ...data, BACKUP_COPY_DIR }).backupCopyFolder).toBe(BACKUP_COPY_DIR)
})

test('accepts password lengths from 1 to 200 characters', () => {
  expect(readSettings({ PASSWORD_MIN: '1', PASSWORD_MAX: '200' }).passwords).toMatchObject({ min: 1, max: 200 })
})

test('enables Google sign-in only when both client ID and secret are set', () => {
  expect(readSettings({}).google).toBeNull()
  const [id, secret] = [{ GOOGLE_CLIENT_ID: 'id' }, { GOOGLE_CLIENT_SECRET: 'secret' }]
  expect(() => readSettings(id)).toThrow(/^設定 GOOGLE_CLIENT_SECRET が正しくありません: GOOGLE_CLIENT_ID があります/)
  expect(() => readSettings(secret)).toThrow(
    /^設定 GOOGLE_CLIENT_ID が正しくありません: GOOGLE_CLIENT_SECRET があります/,
  )
  const both = readSettings({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' })
  expect(both.google).toMatchObject({ clientId: 'id', clientSecret: 'secret' })
})

test('rejects several processes without PostgreSQL', () => {
  const url = { DATABASE_URL: 'postgres://localhost/noren' }
  expect([readSettings({}).processes, readSettings({ ...url, WEB_PROCESSES: '2' }).processes]).toEqual([1, 2])
  expect(readSettings({ WEB_PROCESSES: '1' }).processes).toBe(1)
  expect(() => readSettings({ WEB_PROCESSES: '2' })).toThrow(/^設定 WEB_PROCESSES が正しくありません: .*PostgreSQL/)
  for (const WEB_PROCESSES of ['0', '65', '1.5', 'two'])
    expect(() => readSettings({ ...url, WEB_PROCESSES })).toThrow(/^設定 WEB_PROCESSES が正しくありません: /)
})

test('requires PUBLIC_ORIGIN when the site sends e-mail and listens on the network', () => {
  const open = { HOST: '0.0.0.0', SMTP_URL: 'smtp://127.0.0.1' }
  expect(() => readSettings(open)).toThrow(
    /^設定 PUBLIC_ORIGIN が正しくありません: メールを送り、外部に公開するサイトには/,
  )
  expect(readSettings({ ...open, PUBLIC_ORIGIN: 'https://example.jp' }).publicOrigin).toBe('https://example.jp')
  expect(readSettings({ HOST: '0.0.0.0' }).publicOrigin).toBeUndefined()
  expect(readSettings({ SMTP_URL: 'smtp://127.0.0.1' }).publicOrigin).toBeUndefined()
})

test.each([
  ['https://example.jp/', 'https://example.jp'],
  ['https://Example.JP', 'https://example.jp'],
  ['HTTPS://example.jp', 'https://example.jp'],
  ['https://example.jp:443', 'https://example.jp'],
  ['http://example.jp:80', 'http://example.jp'],
  ['https://example.jp:8443', 'https://example.jp:8443'],
  ['https://日本語.jp', 'https://xn--wgv71a119e.jp'],
  ['https://[2001:DB8:0::1]:3000', 'https://[2001:db8::1]:3000'],
])('reads PUBLIC_ORIGIN %s as %s, which browsers send as Origin', (PUBLIC_ORIGIN, origin) => {
  expect(readSettings({ PUBLIC_ORIGIN }).publicOrigin).toBe(origin)
})

test.each([
  ['https://example.jp/shop', '余分な文字が付いています'],
  ['https://example.jp/?', '余分な文字が付いています'],
  ['https://example.jp#top', '余分な文字が付いています'],
  ['https://noren@example.jp', '余分な文字が付いています'],
  ['https://', 'アドレスとして読めません'],
  ['https://exa mple.jp', 'アドレスとして読めません'],
  ['https://example.jp:99999', 'アドレスとして読めません'],
  ['example.jp', 'https:// から書いてください'],
  ['example.jp:443', 'https:// から書いてください'],
  ['//example.jp', 'https:// から書いてください'],
  ['Example.jp', 'https:// から書いてください'],
  ['日本語.jp', 'https:// から書いてください'],
  ['localhost:3000', 'https:// から書いてください'],
  ['ftp://example.jp', 'https:// から書いてください'],
])('rejects PUBLIC_ORIGIN %s with its reason', (PUBLIC_ORIGIN, reason) => {
  const sentence = `設定 PUBLIC_ORIGIN が正しくありません: ${reason}（例: https://example.jp）`
  expect(() => readSettings({ PUBLIC_ORIGIN })).toThrow(new Error(sentence))
})

describe('the file of a secret', () => {
  const fileWith = (content: string | Buffer) => {
    const file = join(newFolder(), 'secret')
    writeFileSync(file, content)
    return file
  }
  const secret = 'smtp://127.0.0.1'

  test('exists for each secret', () => {
    expect(secretNames).toEqual(expect.arrayContaining(['SECRET', 'DATABASE_URL', 'SMTP_URL', 'GOOGLE_CLIENT_SECRET']))
    expect(secretNames).not.toContain('PORT')
  })

  test.each([secret, `${secret}\r\n`, `\ufeff${secret}\n`, Buffer.from(`\ufeff${secret}`, 'utf16le')])(
    'contains the value without white space at its end (%j)',
    (content) => {
      expect(readSettings({ SMTP_URL_FILE: fileWith(content) }).smtpUrl).toBe(secret)
    },
  )

  test('has no effect when its name is empty', () => {
    expect(readSettings({ SMTP_URL_FILE: '', SMTP_URL: secret }).smtpUrl).toBe(secret)
    expect(readSettings({ SMTP_URL_FILE: fileWith(secret), SMTP_URL: '' }).smtpUrl).toBe(secret)
  })

  test.each<[fault: string, content: string, settings: Record<string, string>]>([
    ['SMTP_URL もありますので、どちらか一つにしてください', secret, { SMTP_URL: secret }],
    ['ファイルが空です: ', '\n', {}],
    ['ファイルがありません: /nowhere', secret, { SMTP_URL_FILE: '/nowhere' }],
    ['ファイルの場所に、フォルダーがあります: ', secret, { SMTP_URL_FILE: newFolder() }],
  ])('is rejected with its name: %s', (fault, content, settings) => {
    const read = () => readSettings({ SMTP_URL_FILE: fileWith(content), ...settings })
    expect(read).toThrow(`設定 SMTP_URL_FILE が正しくありません: ${fault}`)
  })

  test('is validated without printing its content', () => {
    const file = fileWith('mail.example.jp:hidden')
    expect(() => readSettings({ SMTP_URL_FILE: file })).toThrow(/^設定 SMTP_URL が正しくありません: (?!.*hidden)/)
  })
})
