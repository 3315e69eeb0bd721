import { describe, expect, test } from 'vitest'
import { readSettings } from '../../server/settings.ts'
import { isPushService } from './push-services.ts'

describe('isPushService', () => {
  const services = readSettings({}).pushServices

  test.each([
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/QAbc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
  ])('accepts %s', (endpoint) => {
    expect(isPushService(endpoint, services)).toBe(true)
  })

  test.each([
    'https://127.0.0.1/push',
    'https://[::1]/push',
    'https://169.254.169.254/latest/meta-data',
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://fcm.googleapis.com.example.jp/abc',
    'https://fcm.googleapis.com@example.jp/abc',
    'https://user:password@fcm.googleapis.com/abc',
    'https://any.fcm.googleapis.com/abc',
    'https://push.apple.com.example.jp/abc',
    'https://evilpush.apple.com/abc',
    'https://example.jp/.push.apple.com',
    'https://example.jp/#.push.apple.com',
    'file:///etc/passwd',
    'fcm.googleapis.com',
    '',
  ])('rejects %s', (endpoint) => {
    expect(isPushService(endpoint, services)).toBe(false)
  })
})
