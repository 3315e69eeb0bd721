import { describe, expect, onTestFinished, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { readSettings } from '../../server/settings.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import { redirectOf } from '../../server/testing-shop.ts'

const COOKIE = 'noren.session_token'
const SIGN_IN_FIRST = 'ログインしてからご覧ください'
const DAY_MS = 24 * 60 * 60_000

// Created by Better Auth 1.7.7 with the secret of the tests.
const earlierToken = 'Zx9cVb6nMa3sDf1gHj4kLp7qWe2rTy5u'
const earlierCookie = 'Zx9cVb6nMa3sDf1gHj4kLp7qWe2rTy5u.%2Fa%2BVn2ouYEz5ixzKymDu4Uw9BXWJPRGir%2FBedRAIoqM%3D'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('sessions', () => {
    onSqlite('stay valid with the cookies of earlier versions', async () => {
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

    onSqlite('reject a cookie with a wrong signature', async () => {
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

    onSqlite('get a new token at every sign-in', async () => {
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

    onSqlite('do not start for a removed account', async () => {
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

    onSqlite.each([
      ['2001:DB8:0:12::5', '2001:0db8:0000:0012:0000:0000:0000:0000'],
      ['::1', '0000:0000:0000:0000:0000:0000:0000:0000'],
      ['192.0.2.7', '192.0.2.7'],
    ])('store the IP address %s as %s', async (ip, expected) => {
      const site = await sampleSite(await fresh())
      await browserOf(site, { address: ip }).post('/signupform', hana)
      expect(await site.db.selectFrom('sessions').select('ipAddress').execute()).toEqual([{ ipAddress: expected }])
    })
  })

  describe('a session', () => {
    onSqlite('closes its event streams when a sign-out on any device ends the session', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      const notifications: unknown[] = []
      onTestFinished(site.live.subscribe((event) => void notifications.push(event)))
      const listen = async () => (await browser.get('/api/live?topics=dining')).body?.getReader()
      const readToEnd = async (reader: Awaited<ReturnType<typeof listen>>) => {
        for (;;) if ((await reader?.read())?.done !== false) return true
      }
      const first = await listen()
      const other = browserOf(site)
      await other.post('/emaillogin', hana)
      await other.post('/account', { intent: 'other devices' })
      // The end of the session is published at once, without waiting for the next heartbeat of the stream.
      expect(notifications).toEqual([{ account: id }])
      expect(await readToEnd(first)).toBe(true)
      expect(await other.text('/account')).toContain('ログインしている端末')
      expect(await browser.text('/account')).toContain('ログインしてからご覧ください')

      await browser.post('/emaillogin', hana)
      const second = await listen()
      await browser.post('/logout', {})
      expect(notifications).toEqual([{ account: id }, { account: id }])
      expect(await readToEnd(second)).toBe(true)
    })

    test('becomes invalid after a sign-out, a new password or the deletion of the account', async () => {
      const site = await sampleSite(await fresh())
      const endedSessions: unknown[] = []
      onTestFinished(site.live.subscribe((event) => void ('account' in event && endedSessions.push(event))))
      const signedIn = async () => {
        const browser = browserOf(site)
        expect((await browser.post('/emaillogin', hana)).status).toBe(302)
        return { browser, oldCookies: new Map(browser.cookies) }
      }
      const isValid = async (cookies: Map<string, string>) => {
        const browser = browserOf(site)
        for (const [name, value] of cookies) browser.cookies.set(name, value)
        return (await browser.text('/account')).includes('ログインしている端末')
      }
      await browserOf(site).post('/signupform', hana)

      const sessionToSignOut = await signedIn()
      expect(await isValid(sessionToSignOut.oldCookies)).toBe(true)
      expect((await sessionToSignOut.browser.get('/logout')).status).toBe(200)
      expect(await isValid(sessionToSignOut.oldCookies)).toBe(true)
      // The sign-out button sends no body.
      const signOutResponse = await sessionToSignOut.browser.send('/logout', {
        method: 'POST',
        headers: { origin: 'http://localhost' },
      })
      expect(redirectOf(signOutResponse)).toEqual([302, '/home'])
      expect([await isValid(sessionToSignOut.oldCookies), sessionToSignOut.browser.cookies.size]).toEqual([false, 0])

      const sessionToChange = await signedIn()
      const otherDevice = await signedIn()
      const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
      expect((await sessionToChange.browser.post('/account', { ...change, current: 'wrong' })).status).toBe(400)
      expect(await isValid(sessionToChange.oldCookies)).toBe(true)
      expect((await sessionToChange.browser.post('/account', change)).status).toBe(200)
      expect([await isValid(sessionToChange.oldCookies), await isValid(otherDevice.oldCookies)]).toEqual([false, false])
      expect(await isValid(sessionToChange.browser.cookies)).toBe(true)

      const cookiesBeforeReset = sessionToChange.browser.cookies
      await browserOf(site).post('/resetpassword', { email: hana.email })
      const reset = { token: findToken(findLink(site.mails[0])), password: hana.password }
      expect((await browserOf(site).post('/resetpassword', reset)).status).toBe(302)
      expect(await isValid(cookiesBeforeReset)).toBe(false)

      const sessionToDelete = await signedIn()
      const deletionForm = { intent: 'leave', agreed: 'on', current: hana.password }
      expect(redirectOf(await sessionToDelete.browser.post('/account', deletionForm))).toEqual([302, '/home'])
      expect([await isValid(sessionToDelete.oldCookies), sessionToDelete.browser.cookies.size]).toEqual([false, 0])
      // The sign-out, the new password, the reset and the deletion publish one event each.
      expect(endedSessions).toHaveLength(4)
    })

    test('can be ended from another device only by its own account', async () => {
      const site = await sampleSite(await fresh())
      const ownDevice = browserOf(site, { headers: { 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' } })
      await ownDevice.post('/signupform', hana)
      const thirdDevice = browserOf(site, { headers: { 'user-agent': 'Mozilla/5.0 (iPad) Safari/604.1' } })
      await thirdDevice.post('/emaillogin', hana)
      const otherDevice = browserOf(site, {
        headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/1 Safari/1' },
      })
      await otherDevice.post('/emaillogin', hana)
      const stranger = browserOf(site)
      await stranger.post('/signupform', { ...hana, email: 'stranger@example.jp' })
      const html = await ownDevice.text('/account')
      expect(html).toMatch(/iPhone・Safari[\s\S]*この端末[\s\S]*Windows・Chrome/)
      const sessions = await site.db.selectFrom('sessions').selectAll().execute()
      for (const { token } of sessions) expect(html).not.toContain(token)

      const device = sessions.find(({ userAgent }) => userAgent?.includes('Windows'))?.id ?? ''
      expect(html).toContain(`name="device" value="${device}"`)
      await stranger.post('/resetpassword', { email: hana.email })
      await stranger.post('/account', { intent: 'device', device })
      expect(await site.db.selectFrom('sessions').selectAll().execute()).toHaveLength(4)
      await ownDevice.post('/account', { intent: 'device', device })
      expect(await thirdDevice.text('/account')).toContain('ログインしている端末')
      // Only the end of all other sessions deletes the mailed links.
      expect(await site.db.selectFrom('mailedLinks').select('purpose').execute()).toEqual([{ purpose: 'reset' }])
      expect(await otherDevice.text('/account')).toContain('ログインしてからご覧ください')
      expect(await ownDevice.text('/account')).toContain('ログインしている端末')
      expect((await browserOf(site).post('/account', { intent: 'device', device })).status).toBe(401)
    })

    onSqlite('stores a forwarded IP address only when the proxy is trusted', async () => {
      const site = await sampleSite(await fresh(), readSettings({ TRUSTED_PROXY: '10.0.0.1' }))
      const storedIp = async (address: string, forwardedFor: string) => {
        await site.db.deleteFrom('accounts').execute()
        await browserOf(site, {
          address,
          headers: { 'x-forwarded-for': forwardedFor, 'x-visitor-address': '203.0.113.9' },
        }).post('/signupform', hana)
        return (await site.db.selectFrom('sessions').select('ipAddress').executeTakeFirstOrThrow()).ipAddress
      }
      expect(await storedIp('192.0.2.7', '203.0.113.5')).toBe('192.0.2.7')
      expect(await storedIp('10.0.0.1', '203.0.113.5, 198.51.100.4')).toBe('198.51.100.4')
      expect(await storedIp('::ffff:10.0.0.1', '198.51.100.4, 10.0.0.1')).toBe('198.51.100.4')
    })

    test('expires after 30 days without a visit, and is extended by a visit', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      const { expiresAt } = await site.db.selectFrom('sessions').select('expiresAt').executeTakeFirstOrThrow()
      expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(30)
      expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
      const setExpiry = (days: number) =>
        site.db
          .updateTable('sessions')
          .set({ expiresAt: new Date(Date.now() + days * 86_400_000).toISOString() })
          .execute()
      await setExpiry(28.5)
      expect((await browser.get('/')).headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=2592000')])
      await setExpiry(-0.01)
      expect(await browser.text('/account')).toContain('ログインしてからご覧ください')
    })

    onSqlite('ends when the clock was more than a day ahead at the sign-in', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      site.clock.now -= DAY_MS - 1
      expect(await browser.text('/account')).toContain('ログインしている端末')
      site.clock.now -= 1
      expect(await browser.text('/account')).toContain(SIGN_IN_FIRST)
      expect(await site.db.selectFrom('sessions').select('id').execute()).toEqual([])
    })

    onSqlite('ends 30 days from now when the clock was ahead at the last visit', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      const expiresAt = new Date(Date.now() + 365 * DAY_MS).toISOString()
      await site.db.updateTable('sessions').set({ expiresAt, updatedAt: expiresAt }).execute()
      const response = await browser.get('/account')
      expect(response.headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=2592000')])
      const session = await site.db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()
      expect(Math.round((Date.parse(session.expiresAt) - Date.now()) / DAY_MS)).toBe(30)
      expect(Date.parse(session.updatedAt)).toBeLessThanOrEqual(Date.now())
    })

    onSqlite('ends 90 days after the sign-in, even if the user is active', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      const setSessionAge = (days: number) =>
        site.db
          .updateTable('sessions')
          .set({ createdAt: new Date(site.clock.now - days * 86_400_000).toISOString() })
          .execute()
      await setSessionAge(89.9)
      expect(await browser.text('/account')).toContain('ログインしている端末')
      await setSessionAge(90.1)
      const other = browserOf(site)
      await other.post('/emaillogin', hana)
      expect((await other.text('/account')).match(/name="device"/g)).toBeNull()
      const lastResponse = await browser.get('/account')
      expect(await lastResponse.text()).toContain('ログインしてからご覧ください')
      expect([browser.cookies.size, await site.db.selectFrom('sessions').select('id').execute()]).toEqual([
        0,
        [{ id: expect.any(String) }],
      ])
    })
  })
})
