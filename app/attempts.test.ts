import { expect, test } from 'vitest'
import { onEachEngine } from '../db/testing.ts'
import { browserOf, sampleSite } from '../server/testing.ts'
import { type Attempt, countAttempt } from './attempts.server.ts'

const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }
const MINUTE = 60_000

onEachEngine((fresh) => {
  test('too many tries wait, per account wherever they come from, and per address whatever they try', async () => {
    const site = await sampleSite(await fresh())
    await browserOf(site).post('/signupform', hana)
    const tryOnce = async (email: string, address: string) =>
      (await browserOf(site, { address }).post('/emaillogin', { email, password: 'wrong-one' })).status
    const already = async (times: number, tried: { account: string; address: string }) => {
      for (let i = 0; i < times; i++) await countAttempt(site.db, 'signIn', { ...tried, now: site.clock.now })
    }
    await already(9, { account: hana.email, address: '192.0.2.50' })
    expect(await tryOnce(hana.email, '192.0.2.51')).toBe(401)
    expect(await tryOnce('HANA@example.jp', '192.0.2.52')).toBe(429)
    const right = await browserOf(site).post('/emaillogin', hana)
    expect([right.status, await right.text()]).toEqual([429, expect.stringContaining('お試しの回数が多すぎます')])

    for (let i = 0; i < 10; i++) await already(10, { account: `guess-${i}@example.jp`, address: '192.0.2.60' })
    expect(await tryOnce('another@example.jp', '192.0.2.60')).toBe(429)
    expect(await tryOnce('another@example.jp', '192.0.2.61')).toBe(401)
    // Trying while one waits does not make it longer.
    site.clock.now += 14 * MINUTE
    const waiting = await browserOf(site).post('/emaillogin', hana)
    expect([waiting.status, await waiting.text()]).toEqual([429, expect.stringContaining('1分ほどおいてから')])
    site.clock.now += MINUTE
    await already(9, { account: hana.email, address: '192.0.2.50' })
    await already(10, { account: 'guess@example.jp', address: '192.0.2.50' })
    expect((await browserOf(site, { address: '192.0.2.70' }).post('/emaillogin', hana)).status).toBe(302)
    // Who is in has ten tries again; nobody else has.
    await already(9, { account: hana.email, address: '192.0.2.50' })
    expect((await browserOf(site, { address: '192.0.2.71' }).post('/emaillogin', hana)).status).toBe(302)
    expect(await tryOnce('guess@example.jp', '192.0.2.72')).toBe(429)
    const kept = await site.db.selectFrom('attempts').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain('example.jp')
    // What has ended is gone.
    expect(kept.filter(({ until }) => Date.parse(until) <= site.clock.now)).toEqual([])
  })

  test.each<[Attempt, account: number, address: number, minutes: number]>([
    ['signIn', 10, 100, 15],
    ['signUp', 5, 60, 60],
    ['mail', 3, 30, 15],
    ['password', 10, 100, 15],
    ['draft', Number.POSITIVE_INFINITY, 60, 60],
    ['google', Number.POSITIVE_INFINITY, 100, 15],
  ])(
    'of %s, %d tries are for an account and %d for a network address, in %d minutes',
    async (kind, most, mostOfAddress, minutes) => {
      const db = await fresh()
      const now = 1_700_000_000_000
      const outcomes = async (who: { account?: string; address: string | null }) => {
        const times = Math.min(who.account ? most : mostOfAddress, 150)
        const waits: (number | null)[] = []
        for (let i = 0; i <= times; i++) waits.push(await countAttempt(db, kind, { ...who, now }))
        return [waits.indexOf(minutes), waits.filter((wait) => wait !== null).length]
      }
      expect(await outcomes({ account: 'someone', address: null })).toEqual(
        most === Number.POSITIVE_INFINITY ? [-1, 0] : [most, 1],
      )
      expect(await outcomes({ address: '192.0.2.1' })).toEqual([mostOfAddress, 1])
    },
  )

  test('each form that could be tried without end has its limit', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const tried = async (kind: Attempt, account: string, times: number) => {
      for (let i = 0; i < times; i++) await countAttempt(site.db, kind, { account, address: null, now: site.clock.now })
    }
    await tried('signUp', 'new@example.jp', 5)
    await tried('mail', hana.email, 3)
    await tried('password', id, 10)
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
