import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import { type Attempt, countAttempt, readWait } from './attempts.server.ts'

const MINUTE_MS = 60_000

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('rate limits', () => {
    test('count the attempts per account across networks, and per network across accounts', async () => {
      const site = await sampleSite(await fresh())
      await browserOf(site).post('/signupform', hana)
      const signInStatus = async (email: string, address: string) =>
        (await browserOf(site, { address }).post('/emaillogin', { email, password: 'wrong-one' })).status
      const countAttempts = async (times: number, source: { account: string; address: string }) => {
        for (let i = 0; i < times; i++) await countAttempt(site.db, 'signIn', { ...source, now: site.clock.now })
      }
      await countAttempts(9, { account: hana.email, address: '192.0.2.50' })
      expect(await signInStatus(hana.email, '192.0.2.51')).toBe(401)
      expect(await signInStatus('HANA@example.jp', '192.0.2.52')).toBe(429)
      const rightPassword = await browserOf(site).post('/emaillogin', hana)
      expect([rightPassword.status, await rightPassword.text()]).toEqual([
        429,
        expect.stringContaining('お試しの回数が多すぎます'),
      ])

      for (let i = 0; i < 10; i++) await countAttempts(10, { account: `guess-${i}@example.jp`, address: '192.0.2.60' })
      expect(await signInStatus('another@example.jp', '192.0.2.60')).toBe(429)
      expect(await signInStatus('another@example.jp', '192.0.2.61')).toBe(401)
      // Attempts during the wait do not extend the wait.
      site.clock.now += 14 * MINUTE_MS
      const blocked = await browserOf(site).post('/emaillogin', hana)
      expect([blocked.status, await blocked.text()]).toEqual([429, expect.stringContaining('1分ほどおいてから')])
      site.clock.now += MINUTE_MS
      await countAttempts(9, { account: hana.email, address: '192.0.2.50' })
      await countAttempts(10, { account: 'guess@example.jp', address: '192.0.2.50' })
      expect((await browserOf(site, { address: '192.0.2.70' }).post('/emaillogin', hana)).status).toBe(302)
      // A successful sign-in resets the counter of this account only.
      await countAttempts(9, { account: hana.email, address: '192.0.2.50' })
      expect((await browserOf(site, { address: '192.0.2.71' }).post('/emaillogin', hana)).status).toBe(302)
      expect(await signInStatus('guess@example.jp', '192.0.2.72')).toBe(429)
      const counters = await site.db.selectFrom('attempts').selectAll().execute()
      expect(JSON.stringify(counters)).not.toContain('example.jp')
      // Expired counters are deleted.
      expect(counters.filter(({ until }) => Date.parse(until) <= site.clock.now)).toEqual([])
    })

    onSqlite('count all IP addresses of an IPv6 household together', async () => {
      const site = await sampleSite(await fresh())
      for (let i = 0; i < 100; i++) {
        const source = { account: `guess-${i}@example.jp`, address: `2001:db8:1:2::${i}` }
        await countAttempt(site.db, 'signIn', { ...source, now: site.clock.now })
      }
      const signIn = async (address: string) =>
        (await browserOf(site, { address }).post('/emaillogin', { email: hana.email, password: 'wrong-one' })).status
      expect(await signIn('2001:db8:1:2:ffff::1')).toBe(429)
      expect(await signIn('2001:db8:1:3::1')).toBe(401)
    })

    test.each<[Attempt, account: number, network: number, minutes: number]>([
      ['signIn', 10, 100, 15],
      ['signUp', 5, 60, 60],
      ['mail', 3, 30, 15],
      ['mailbox', 5, Number.POSITIVE_INFINITY, 15],
      ['password', 10, 100, 15],
      ['draft', Number.POSITIVE_INFINITY, 60, 60],
      ['google', Number.POSITIVE_INFINITY, 100, 15],
      ['message', Number.POSITIVE_INFINITY, 5, 60],
      ['upload', 200, Number.POSITIVE_INFINITY, 60],
      ['font', Number.POSITIVE_INFINITY, 10, 1],
    ])(
      'permit for "%s" %d attempts per account and %d per network in %d minutes',
      async (kind, max, maxPerNetwork, minutes) => {
        const db = await fresh()
        const now = 1_700_000_000_000
        const outcomes = async (max: number, sourceOf: (n: number) => { account?: string; address: string | null }) => {
          const times = max === Number.POSITIVE_INFINITY ? 20 : max + 1
          const waits: (number | null)[] = []
          for (let n = 0; n < times; n++) waits.push(await countAttempt(db, kind, { ...sourceOf(n), now }))
          return [waits.indexOf(minutes), waits.filter((wait) => wait !== null).length]
        }
        const expected = (max: number) => (max === Number.POSITIVE_INFINITY ? [-1, 0] : [max, 1])
        const perAccount = await outcomes(max, (n) => ({ account: 'someone', address: `192.0.2.${n}` }))
        expect(perAccount).toEqual(expected(max))
        const perNetwork = await outcomes(maxPerNetwork, (n) => ({ account: `other-${n}`, address: '198.51.100.1' }))
        expect(perNetwork).toEqual(expected(maxPerNetwork))
        // Unknown IP addresses count as one network.
        expect(await outcomes(maxPerNetwork, () => ({ address: null }))).toEqual(expected(maxPerNetwork))
      },
    )

    test('end after the clock was years ahead for a while', async () => {
      const site = await sampleSite(await fresh())
      await browserOf(site).post('/signupform', hana)
      const source = { account: hana.email, address: '192.0.2.50' }
      const ahead = site.clock.now + 1000 * 24 * 60 * MINUTE_MS
      for (let time = 0; time < 10; time += 1) await countAttempt(site.db, 'signIn', { ...source, now: ahead })
      expect(await readWait(site.db, 'signIn', { ...source, now: ahead })).toBe(15)
      expect(await readWait(site.db, 'signIn', { ...source, now: site.clock.now })).toBeNull()
      expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(302)
    })

    test('apply when the clocks of two servers differ, and when a clock is set back', async () => {
      const db = await fresh()
      const source = { account: hana.email, address: '192.0.2.50' }
      for (let time = 0; time < 10; time += 1) await countAttempt(db, 'signIn', { ...source, now: noon })
      for (const minutes of [0.1, 5, 50]) {
        const now = noon - minutes * MINUTE_MS
        expect(await countAttempt(db, 'signIn', { ...source, now })).toBe(15 + Math.ceil(minutes))
        expect(await readWait(db, 'signIn', { ...source, now })).toBe(15 + Math.ceil(minutes))
      }
      expect(await countAttempt(db, 'signIn', { ...source, now: noon + 15 * MINUTE_MS })).toBeNull()
    })

    test.runIf(engine === 'PostgreSQL')(
      'do not block a sign-in while the transaction of a message is open',
      async () => {
        const db = await fresh()
        await countAttempt(db, 'message', { address: '192.0.2.1', now: noon })
        const now = noon + 60 * MINUTE_MS
        await inTransaction(db, async (arrival) => {
          await countAttempt(arrival, 'message', { address: '192.0.2.1', now })
          await inTransaction(db, async (other) => {
            await sql`set local lock_timeout = '2s'`.execute(other)
            expect(await countAttempt(other, 'signIn', { account: hana.email, address: '192.0.2.1', now })).toBeNull()
          })
        })
      },
    )

    onSqlite('admit a known device of the account despite the attempts of strangers', async () => {
      const site = await sampleSite(await fresh())
      const createKnownDevice = async (account: typeof hana) => {
        const browser = await signInBrowser(site, account)
        await browser.get('/login/welcome')
        await browser.post('/logout', {})
        return browser
      }
      const other = await createKnownDevice({ ...hana, email: 'other@example.jp' })
      const own = await createKnownDevice(hana)
      const deviceCookieOf = ({ cookies }: typeof own) => [...cookies].find(([name]) => name.endsWith('.device')) ?? []
      const [name = '', value = ''] = deviceCookieOf(own)
      // Another sign-in adds no second entry to the cookie.
      await own.post('/emaillogin', hana)
      await own.get('/login/welcome')
      await own.post('/logout', {})
      expect(deviceCookieOf(own)).toEqual([name, value])
      const signInAsStranger = async (password: string) =>
        (await browserOf(site, { address: '198.51.100.7' }).post('/emaillogin', { ...hana, password })).status
      await countGuesses(site, 9, { account: hana.email })
      expect([await signInAsStranger('not-this-one'), await signInAsStranger(hana.password)]).toEqual([401, 429])
      // The known device cookie is valid only for its own account. A forged cookie is never valid.
      expect((await other.post('/emaillogin', hana)).status).toBe(429)
      const forger = browserOf(site)
      const tamperAt = (position: number) =>
        value.slice(0, position) + (value[position] === 'A' ? 'B' : 'A') + value.slice(position + 1)
      for (const forged of [tamperAt(0), tamperAt(20)]) {
        forger.cookies.set(name, forged)
        expect((await forger.post('/emaillogin', hana)).status).toBe(429)
      }

      // A known device is also exempt from the limit of its network.
      await countGuesses(site, 100, { address: '192.0.2.1' })
      expect((await other.post('/emaillogin', { ...hana, email: 'unknown@example.jp' })).status).toBe(429)
      // A known device has a limit of its own.
      await countGuesses(site, 9, { account: hana.email, device: value.slice(0, 16) })
      expect((await own.post('/emaillogin', { ...hana, password: 'mistyped' })).status).toBe(401)
      expect((await own.post('/emaillogin', hana)).status).toBe(429)
      site.clock.now += 15 * MINUTE_MS
      expect((await own.post('/emaillogin', hana)).status).toBe(302)
      expect(await own.text('/account')).toContain('ログインしている端末')

      // A new password invalidates earlier known device cookies; this browser gets a new cookie.
      const stolen = new Map(own.cookies)
      const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
      expect((await own.post('/account', change)).status).toBe(200)
      await own.post('/logout', {})
      await countGuesses(site, 10, { account: hana.email })
      const thief = browserOf(site)
      for (const [name, value] of stolen) thief.cookies.set(name, value)
      expect((await thief.post('/emaillogin', { ...hana, password: 'slice-low-8' })).status).toBe(429)
      expect((await own.post('/emaillogin', { ...hana, password: 'slice-low-8' })).status).toBe(302)
    })

    onSqlite('admit the user after a password reset despite the attempts of strangers', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await signInBrowser(site, hana)
      const owner = browserOf(site)
      await owner.post('/resetpassword', { email: hana.email })
      const token = findToken(findLink(site.mails.at(-1)))
      expect((await owner.post('/resetpassword', { token, password: 'slice-low-8' })).status).toBe(302)
      await countGuesses(site, 10, { account: hana.email })
      const account = { ...hana, password: 'slice-low-8' }
      expect((await browserOf(site).post('/emaillogin', account)).status).toBe(429)
      expect((await owner.post('/emaillogin', account)).status).toBe(302)
      expect(await owner.text('/account')).toContain('ログインしている端末')
    })

    onSqlite('give each session only one known device, and limit all devices of an account together', async () => {
      const site = await sampleSite(await fresh())
      const cookieValues = new Set<string>()
      const renewDeviceCookie = async (browser: Awaited<ReturnType<typeof signInBrowser>>) => {
        for (const name of browser.cookies.keys()) if (name.endsWith('.device')) browser.cookies.delete(name)
        await browser.get('/login/welcome')
        return [...browser.cookies].find(([name]) => name.endsWith('.device')) ?? ['', '']
      }
      const first = await signInBrowser(site, hana)
      for (let i = 0; i < 5; i += 1) cookieValues.add((await renewDeviceCookie(first))[1])
      expect(cookieValues.size).toBe(1)
      // The cookie has the five newest entries. Later entries are ignored.
      const [deviceCookie, own] = await renewDeviceCookie(first)
      const others = Array.from({ length: 5 }, (_, index) => `${String(index).repeat(16)}.${'A'.repeat(43)}`)
      first.cookies.set(deviceCookie, [...others, own].join('.'))
      await first.get('/login/welcome')
      expect(first.cookies.get(deviceCookie)).toBe([own, ...others.slice(0, 4)].join('.'))
      const devices = [await renewDeviceCookie(first), await renewDeviceCookie(await signInBrowser(site, hana))]
      // Successful sign-ins count too, because each creates a session.
      const signIn = async ([name, value]: [string, string]) => {
        const copy = browserOf(site)
        copy.cookies.set(name, value)
        return (await copy.post('/emaillogin', hana)).status
      }
      const [one, other] = devices as [[string, string], [string, string]]
      expect(one[1]).not.toBe(other[1])
      expect(await signIn(one)).toBe(302)
      for (const [, value] of devices) await countGuesses(site, 5, { account: hana.email, device: value.slice(0, 16) })
      expect([await signIn(other), await signIn(one), await signIn(other)]).toEqual([302, 429, 429])
    })

    onSqlite('let a signed-in user sign in again despite the attempts of strangers', async () => {
      const site = await sampleSite(await fresh())
      const own = await signInBrowser(site, hana)
      await countGuesses(site, 10, { account: hana.email })
      expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(429)
      const other = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      expect((await other.post('/emaillogin', hana)).status).toBe(429)
      expect((await own.post('/emaillogin', hana)).status).toBe(302)
      // The successful sign-in resets no counter of the strangers.
      expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(429)
    })

    test.runIf(engine === 'SQLite')(
      'permit at most 100 of 2,000 guesses per hour from 1,000 IP addresses',
      async () => {
        const site = await sampleSite(await fresh())
        let permitted = 0
        for (let i = 0; i < 2000; i += 1) {
          const address = `198.51.${Math.floor((i % 1000) / 250)}.${i % 250}`
          const wait = await countAttempt(site.db, 'signIn', { account: hana.email, address, now: noon + i * 1800 })
          if (wait === null) permitted += 1
        }
        expect(permitted).toBeGreaterThan(0)
        expect(permitted).toBeLessThanOrEqual(100)
      },
    )

    onSqlite('apply to every form that checks a password or sends a mail', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = await signInBrowser(site, hana)
      site.mails.length = 0
      const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      const countAttempts = async (kind: Attempt, account: string, times: number) => {
        for (let i = 0; i < times; i++)
          await countAttempt(site.db, kind, { account, address: null, now: site.clock.now })
      }
      await countAttempts('signUp', 'new@example.jp', 5)
      await countAttempts('mail', hana.email, 3)
      await countAttempts('password', id, 10)
      const accounts = await site.db.selectFrom('accounts').selectAll().execute()
      for (const [path, fields] of [
        ['/signupform', { ...hana, email: 'new@example.jp' }],
        ['/resetpassword', { email: hana.email }],
        ['/account', { intent: 'verify' }],
        ['/account', { intent: 'password', current: hana.password, password: 'slice-low-8' }],
        ['/account', { intent: 'email', current: hana.password, email: 'new@example.jp' }],
        ['/account', { intent: 'leave', current: hana.password, agreed: 'on' }],
      ] as [string, Record<string, string>][]) {
        const response = await browser.post(path, fields)
        expect([response.status, await response.text()], JSON.stringify(fields)).toEqual([
          429,
          expect.stringContaining('お試しの回数が多すぎます'),
        ])
      }
      expect(await site.db.selectFrom('accounts').selectAll().execute()).toEqual(accounts)
      expect(site.mails).toEqual([])
    })
  })
})

/** Counts sign-in attempts without verifying a password. */
async function countGuesses(
  { db, clock }: Awaited<ReturnType<typeof sampleSite>>,
  times: number,
  source: AttemptSource,
) {
  for (let i = 0; i < times; i += 1) {
    await countAttempt(db, 'signIn', { address: '198.51.100.7', ...source, now: clock.now })
  }
}
type AttemptSource = { account?: string; device?: string; address?: string }
