import { expect, test } from 'vitest'
import { deviceName } from './device.ts'

test.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1', 'iPhone・Safari'],
  ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36', 'Android・Chrome'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/150.0 Safari/537.36 Edg/150.0', 'Windows・Edge'],
  ['curl/8', '不明な端末'],
  [null, '不明な端末'],
])('deviceName returns a readable name for the User-Agent %s', (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name)
})
