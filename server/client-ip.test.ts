import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { onEachEngine } from '../db/testing.ts'
import { addIpRange, readClientIp } from './client-ip.ts'
import { readSettings } from './settings.ts'
import { browserOf, jsonCall, sampleSite } from './testing.ts'

function readClient(senderIp: string | undefined, headers: Record<string, string>, ...trusted: string[]) {
  const proxies = new BlockList()
  for (const range of trusted) expect(addIpRange(proxies, range)).toBe(true)
  return readClientIp(new Request('http://localhost/', { headers }), senderIp, proxies)
}

test.each<[string, string | undefined, string | undefined, string[], string | null]>([
  ['the sender without a header', '192.0.2.7', undefined, ['10.0.0.1'], '192.0.2.7'],
  ['the sender that is no trusted proxy', '192.0.2.7', '203.0.113.5', ['10.0.0.1'], '192.0.2.7'],
  ['the proxy without a header', '10.0.0.1', undefined, ['10.0.0.1'], '10.0.0.1'],
  [
    'the last address, because the client forged the first',
    '10.0.0.1',
    '1.1.1.1, 198.51.100.4',
    ['10.0.0.1'],
    '198.51.100.4',
  ],
  [
    'the address before two proxies',
    '::ffff:10.0.0.1',
    '1.1.1.1, 198.51.100.4, 10.0.0.2',
    ['10.0.0.0/30'],
    '198.51.100.4',
  ],
  ['the first address if all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', ['10.0.0.0/8'], '10.0.0.3'],
  ['an IPv6 address behind an IPv6 range', '2001:db8:1::9', '2001:db8:2::1', ['2001:db8:1::/48'], '2001:db8:2::1'],
  ['an IPv6 address behind IPv4', '10.0.0.1', '2001:db8::1', ['10.0.0.1'], '2001:db8::1'],
  ['an address with a port', '10.0.0.1', '198.51.100.4:5678', ['10.0.0.1'], '198.51.100.4'],
  ['an IPv6 address with a port', '10.0.0.1', '[2001:db8::1]:5678', ['10.0.0.1'], '2001:db8::1'],
  ['nothing for an unreadable address', '10.0.0.1', '203.0.113.5, unknown', ['10.0.0.1'], null],
  ['nothing without a sender', undefined, '203.0.113.5', ['10.0.0.1'], null],
])('reads %s', (_, senderIp, forwardedFor, trusted, expected) => {
  expect(readClient(senderIp, forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }, ...trusted)).toBe(
    expected,
  )
})

test.each<[string, string | null]>([
  ['for=198.51.100.4', '198.51.100.4'],
  ['For="[2001:db8::1]:4711";proto=https', '2001:db8::1'],
  ['for="1.1.1.1, for=2.2.2.2", for=198.51.100.4;by=203.0.113.1', '198.51.100.4'],
  ['proto=https;for=198.51.100.4, for=10.0.0.2', '198.51.100.4'],
  ['for=198.51.100.4, for=_hidden', null],
  ['for=198.51.100.4, proto=https', null],
])('reads Forwarded: %s', (forwarded, expected) => {
  expect(readClient('10.0.0.1', { forwarded }, '10.0.0.0/30')).toBe(expected)
  expect(readClient('192.0.2.7', { forwarded }, '10.0.0.0/30')).toBe('192.0.2.7')
})

test('reads nothing from two headers that contradict each other', () => {
  const both = (forwarded: string) => ({ 'x-forwarded-for': '198.51.100.4', forwarded })
  expect(readClient('10.0.0.1', both('for=198.51.100.4'), '10.0.0.1')).toBe('198.51.100.4')
  expect(readClient('10.0.0.1', both('for=203.0.113.5'), '10.0.0.1')).toBeNull()
  expect(readClient('192.0.2.7', both('for=203.0.113.5'), '10.0.0.1')).toBe('192.0.2.7')
})

test.each(['10.0.0.0/33', '10.0.0.0/', '::/129', 'proxy.local', '10.0.0', '10.0.0.0/8/8', '/8'])(
  'refuses the range %s',
  (range) => {
    const proxies = new BlockList()
    expect(addIpRange(proxies, range)).toBe(false)
    expect(proxies.rules).toEqual([])
  },
)

onEachEngine((fresh) => {
  test('limits the messages of each visitor behind two proxies separately', async () => {
    const site = await sampleSite(await fresh(), readSettings({ TRUSTED_PROXY: '10.0.0.0/8' }))
    const message = { to: 'shop', from: 'a@example.jp', subject: '席', text: '四名です。' }
    const send = async (forwardedFor: string | null) => {
      const headers: Record<string, string> = forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor }
      const browser = browserOf(site, { address: '10.0.0.1', headers })
      return (await browser.send('/api/mail', jsonCall(message))).status
    }
    const sendMany = async (routes: (string | null)[]) => {
      const statuses: number[] = []
      for (const route of routes) statuses.push(await send(route))
      return statuses
    }
    const fiveThenRefused = [200, 200, 200, 200, 200, 429]
    const forged = Array.from({ length: 6 }, (_, n) => `192.0.2.${n}, 198.51.100.4, 10.0.0.2`)
    expect(await sendMany(forged)).toEqual(fiveThenRefused)
    const sameNetwork = Array.from({ length: 6 }, (_, n) => `2001:db8:1:1::${n}, 10.0.0.2`)
    expect(await sendMany(sameNetwork)).toEqual(fiveThenRefused)
    expect(await sendMany(['198.51.100.5, 10.0.0.2', '2001:db8:1:2::1, 10.0.0.2'])).toEqual([200, 200])
    expect(await sendMany(Array(6).fill(null))).toEqual(fiveThenRefused)
  })
})
