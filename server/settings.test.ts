import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

test('nothing set: this machine, port 3000, the data folder, the sample shop', () => {
  expect(readSettings({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    sampleShop: true,
    logLevel: 'info',
    trustedProxies: [],
  })
  expect(readSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, databaseUrl: undefined })
})

test.each([
  ['PORT', 'abc'],
  ['PORT', '70000'],
  ['PORT', '80.5'],
  ['DATABASE_URL', 'mysql://localhost/a'],
  ['DATABASE_URL', 'site.db'],
  ['PUBLIC_ORIGIN', 'example.jp'],
  ['PUBLIC_ORIGIN', 'https://example.jp/shop'],
  ['TRUSTED_PROXY', 'proxy.local'],
  ['SAMPLE_SHOP', 'maybe'],
  ['HOLIDAYS_URL', 'holidays.json'],
  ['LOG_LEVEL', 'loud'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^設定 ${name} が正しくありません: [^\\n]*[ぁ-ん]`))
})

test('every wrong setting is named at once', () => {
  expect(() => readSettings({ PORT: 'x', SAMPLE_SHOP: 'x' })).toThrow(/PORT[\s\S]*SAMPLE_SHOP/)
})

test('the source of holidays is the public one, another, or none', () => {
  expect(readSettings({}).holidaysUrl).toMatch(/^https:/)
  expect(readSettings({ HOLIDAYS_URL: 'http://localhost/x.json' }).holidaysUrl).toBe('http://localhost/x.json')
  expect(readSettings({ HOLIDAYS_URL: '' }).holidaysUrl).toBeNull()
})

test('an origin with a closing slash is the same origin', () => {
  expect(readSettings({ PUBLIC_ORIGIN: 'https://example.jp/' }).publicOrigin).toBe('https://example.jp')
})
