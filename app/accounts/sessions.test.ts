import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'

const COOKIE = 'noren.session_token'
const SIGN_IN_FIRST = 'ログインしてからご覧ください'
const DAY_MS = 24 * 60 * 60_000

// Created by Better Auth 1.7.7 with the secret of the tests.
const earlierToken = 'Zx9cVb6nMa3sDf1gHj4kLp7qWe2rTy5u'
const earlierCookie = 'Zx9cVb6nMa3sDf1gHj4kLp7qWe2rTy5u.%2Fa%2BVn2ouYEz5ixzKymDu4Uw9BXWJPRGir%2FBedRAIoqM%3D'

onEachEngine((fresh) => {
  describe('sessions', () => {
    test('stay valid with the cookies of earlier versions', async () => {
      const site = await sampleSite(await fresh())
      await signInBrowser(site, hana)
      await site.db.updateTable('sessions').set({ token: earlierToken }).execute()
      const browser = browserOf(site)
      browser.cookies.set(COOKIE, earlierCookie)
      expect(await browser.text('/account')).toContain('ログインしている端末')
      await site.db
        .updateTable('sessions')
        .set({ expiresAt: new Date(Date.now() + 28 * DAY_MS).toISOString() })
        .execute()
      expect((await browser.get('/account')).headers.getSetCookie()).toEqual([
        `${COOKIE}=${earlierCookie}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`,
      ])
    })

    test('reject a cookie with a wrong signature', async () => {
      const site = await sampleSite(await fresh())
      await signInBrowser(site, hana)
      await site.db.updateTable('sessions').set({ token: earlierToken }).execute()
      const [, signature = ''] = earlierCookie.split('.')
      for (const value of [
        '',
        '.',
        earlierToken,
        `${earlierToken}.`,
        `${earlierToken}.${signature.slice(0, -4)}`,
        `${earlierToken}.${signature.replace('M', 'N')}`,
        `x${earlierCookie}`,
        `${earlierCookie}x`,
        '%',
      ]) {
        const browser = browserOf(site)
        browser.cookies.set(COOKIE, value)
        expect(await browser.text('/account'), value).toContain(SIGN_IN_FIRST)
      }
      expect(await site.db.selectFrom('sessions').select('token').execute()).toEqual([{ token: earlierToken }])
    })

    test('get a new token at every sign-in', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      const before = browser.cookies.get(COOKIE)
      await browser.post('/emaillogin', hana)
      expect(browser.cookies.get(COOKIE)).not.toBe(before)
      expect(await site.db.selectFrom('sessions').select('id').execute()).toHaveLength(1)
    })

    test('are deleted together with their cookie when they have expired', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      await site.db
        .updateTable('sessions')
        .set({ expiresAt: new Date(Date.now() - 1).toISOString() })
        .execute()
      expect(await browser.text('/account')).toContain(SIGN_IN_FIRST)
      expect([...browser.cookies]).toEqual([])
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual([])
    })

    test('do not start for a removed account', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      await browser.post('/logout', {})
      await site.db
        .updateTable('accounts')
        .set({ deletedAt: new Date(site.clock.now).toISOString() })
        .execute()
      expect((await browser.post('/emaillogin', hana)).status).toBe(401)
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual([])
    })

    test.each([
      ['2001:DB8:0:12::5', '2001:0db8:0000:0012:0000:0000:0000:0000'],
      ['::1', '0000:0000:0000:0000:0000:0000:0000:0000'],
      ['192.0.2.7', '192.0.2.7'],
    ])('store the IP address %s as %s', async (ip, expected) => {
      const site = await sampleSite(await fresh())
      await browserOf(site, { address: ip }).post('/signupform', hana)
      expect(await site.db.selectFrom('sessions').select('ipAddress').execute()).toEqual([{ ipAddress: expected }])
    })
  })
})
