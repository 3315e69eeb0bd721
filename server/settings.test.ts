import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

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
  ['HOLIDAYS_URL', 'holidays.json'],
  ['OWNER_EMAIL', 'the owner'],
  ['MAIL_FROM', 'the shop'],
  ['SMTP_URL', 'mail.example.jp'],
  ['PASSWORD_MIN', '0'],
  ['PASSWORD_MAX', '201'],
  ['PASSWORD_MAX', '12.5'],
  ['LIVE_STREAMS_PER_NETWORK', '0'],
  ['LIVE_STREAMS_PER_NETWORK', 'many'],
  ['METRICS_TOKEN', 'too-short'],
  ['METRICS_TOKEN', '0123456789abcdef 0123456789abcdef'],
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

test('converts OWNER_EMAIL to lower case, as accounts store their e-mail addresses', () => {
  expect(readSettings({ OWNER_EMAIL: 'Owner@Example.JP' }).ownerEmail).toBe('owner@example.jp')
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
