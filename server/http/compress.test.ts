import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { textPage } from './compress.ts'

const respond = (text: string, headers: Record<string, string> = {}, status = 200, options = {}) =>
  textPage(text, status, new Headers(), options).respond(new Request('http://localhost/', { headers }))
const long = 'あ'.repeat(400)

test('compresses responses of 1024 bytes or more with the best accepted encoding', async () => {
  const encoding = async (text: string, accepted: string) =>
    (await respond(text, { 'accept-encoding': accepted })).headers.get('content-encoding')
  expect(await encoding('a'.repeat(1023), 'br')).toBeNull()
  expect(await encoding('a'.repeat(1024), 'br')).toBe('br')
  // The limit counts bytes, and each of these characters has three bytes.
  for (const [accepted, expected] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.0, gzip', 'gzip'],
    ['br;q=0.01', 'br'],
    ['gzip, zstd', 'zstd'],
    ['zstd;q=0, gzip', 'gzip'],
    ['brotli, x-gzipped', null],
    ['identity', null],
    ['', null],
  ] as const)
    expect(await encoding(long, accepted), accepted).toBe(expected)
})

test('compresses a response for a single visitor with the fastest accepted encoding', async () => {
  for (const [accepted, expected, decompress] of [
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    for (const isPersonal of [true, false]) {
      const response = await respond(long, { 'accept-encoding': accepted }, 200, { isPersonal })
      const encoding = response.headers.get('content-encoding')
      expect(encoding).toBe(isPersonal || expected !== 'zstd' ? expected : 'br')
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(response.headers.get('content-length')).toBe(`${bytes.length}`)
      expect((encoding === 'br' ? brotliDecompressSync : decompress)(bytes).toString()).toBe(long)
    }
  }
})

test('derives the ETag from the text, and sends no ETag with an error', async () => {
  const etag = async (text: string, status = 200) => (await respond(text, {}, status)).headers.get('etag')
  const own = await etag(long)
  expect(own).toMatch(/^W\/"[\w-]{22}"$/)
  expect([await etag(long), await etag(`${long}。`)]).toEqual([own, expect.not.stringMatching(own ?? '')])
  expect([await etag(long, 404), await etag(long, 500)]).toEqual([null, null])
  const notModified = await respond(long, { 'if-none-match': `"other", ${own}`, 'accept-encoding': 'br' })
  expect([notModified.status, notModified.headers.get('etag'), await notModified.text()]).toEqual([304, own, ''])
  for (const known of [`${own}`, 'null'])
    expect((await respond(long, { 'if-none-match': known }, 404)).status).toBe(404)
  const head = await textPage(long, 200, new Headers()).respond(new Request('http://localhost/', { method: 'HEAD' }))
  expect([head.headers.get('etag'), await head.text()]).toEqual([own, ''])
})
