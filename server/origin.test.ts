import { expect, test } from 'vitest'
import { hostInUrl, isFromOwnPage, isLoopback, originOf } from './origin.ts'

test('recognises only the loopback names of this machine', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) expect(isLoopback(host), host).toBe(true)
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'localhost.example', '127.0.0.1.example', 'my-localhost'])
    expect(isLoopback(host), host).toBe(false)
})

test('returns PUBLIC_ORIGIN if set, otherwise the origin of an acceptable Host', () => {
  const request = new Request('http://elsewhere.example/dining')
  const publicOrigin = 'https://example.jp'
  expect(originOf(request, { publicOrigin, host: '127.0.0.1' })).toBe(publicOrigin)
  expect(originOf(request, { publicOrigin: undefined, host: '127.0.0.1' })).toBeNull()
  expect(originOf(request, { publicOrigin: undefined, host: '0.0.0.0' })).toBe('http://elsewhere.example')
})

test('recognises requests from pages of this site by Origin, or by Sec-Fetch-Site when Origin is missing', () => {
  const isOwn = (headers: Record<string, string>) =>
    isFromOwnPage(new Request('http://localhost/mail', { headers }), 'http://localhost')
  expect(isOwn({ origin: 'http://localhost' })).toBe(true)
  expect(isOwn({})).toBe(true)
  for (const site of ['same-origin', 'none']) expect(isOwn({ 'sec-fetch-site': site }), site).toBe(true)
  for (const site of ['same-site', 'cross-site']) expect(isOwn({ 'sec-fetch-site': site }), site).toBe(false)
  // Origin takes precedence over Sec-Fetch-Site.
  expect(isOwn({ origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(false)
  expect(isOwn({ origin: '', 'sec-fetch-site': 'same-origin' })).toBe(false)
})

test('returns an IPv6 host in brackets, and localhost for other loopback hosts', () => {
  expect(['::', '::1', '127.0.0.1', '192.0.2.1'].map(hostInUrl)).toEqual(['[::]', '[::1]', 'localhost', '192.0.2.1'])
})
