import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachEngine } from '../db/testing.ts'
import { inTransaction } from '../db/transaction.ts'
import { browserOf, noon, sampleSite } from '../server/testing.ts'
import { type Attempt, countAttempt } from './attempts.server.ts'

const hana = { name: '桜井 花', email: 'hana@example.jp', password: 'toss-high-9' }
const MINUTE = 60_000

onEachEngine((fresh, engine) => {
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

  test('an IPv6 household is one network, whichever of its addresses it comes from', async () => {
    const site = await sampleSite(await fresh())
    for (let i = 0; i < 100; i++) {
      const tried = { account: `guess-${i}@example.jp`, address: `2001:db8:1:2::${i}` }
      await countAttempt(site.db, 'signIn', { ...tried, now: site.clock.now })
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
    ['password', 10, 100, 15],
    ['draft', Number.POSITIVE_INFINITY, 60, 60],
    ['google', Number.POSITIVE_INFINITY, 100, 15],
    ['message', Number.POSITIVE_INFINITY, 5, 60],
    ['upload', 200, Number.POSITIVE_INFINITY, 60],
    ['font', Number.POSITIVE_INFINITY, 10, 1],
  ])(
    'of %s, %d tries are for an account and %d for a network, in %d minutes',
    async (kind, most, mostOfNetwork, minutes) => {
      const db = await fresh()
      const now = 1_700_000_000_000
      const outcomes = async (most: number, who: (n: number) => { account?: string; address: string | null }) => {
        const times = most === Number.POSITIVE_INFINITY ? 20 : most + 1
        const waits: (number | null)[] = []
        for (let n = 0; n < times; n++) waits.push(await countAttempt(db, kind, { ...who(n), now }))
        return [waits.indexOf(minutes), waits.filter((wait) => wait !== null).length]
      }
      const expected = (most: number) => (most === Number.POSITIVE_INFINITY ? [-1, 0] : [most, 1])
      const ofAccount = await outcomes(most, (n) => ({ account: 'someone', address: `192.0.2.${n}` }))
      expect(ofAccount).toEqual(expected(most))
      const ofNetwork = await outcomes(mostOfNetwork, (n) => ({ account: `other-${n}`, address: '198.51.100.1' }))
      expect(ofNetwork).toEqual(expected(mostOfNetwork))
      // Those of whom nothing is known are one network.
      expect(await outcomes(mostOfNetwork, () => ({ address: null }))).toEqual(expected(mostOfNetwork))
    },
  )

  test.runIf(engine === 'PostgreSQL')('what a message counts keeps nobody waiting who signs in', async () => {
    const db = await fresh()
    await countAttempt(db, 'message', { address: '192.0.2.1', now: noon })
    const now = noon + 60 * MINUTE
    await inTransaction(db, async (arrival) => {
      await countAttempt(arrival, 'message', { address: '192.0.2.1', now })
      await inTransaction(db, async (other) => {
        await sql`set local lock_timeout = '2s'`.execute(other)
        expect(await countAttempt(other, 'signIn', { account: hana.email, address: '192.0.2.1', now })).toBeNull()
      })
    })
  })

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
