import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { createMailedLink, isEmailReserved } from './mailed-links.server.ts'

const QUARTER_HOUR_MS = 15 * 60_000

// Password verification is slow, so a request with the old password may still be running when the password changes.
onEachEngine((fresh, engine) => {
  describe('account security', () => {
    test('cancels concurrent requests with the old password when the password is reset', async () => {
      const { site, id, createLink } = await siteWithAccount(await fresh())
      let { password } = hana
      for (let round = 0; round < 2; round += 1) {
        site.clock.now += QUARTER_HOUR_MS
        const thief = await signInBrowser(site, { ...hana, password })
        const current = password
        password = `slice-low-${round}`
        const token = await createLink('reset')
        const [reset] = await Promise.all([
          browserOf(site).post('/resetpassword', { token, password }),
          thief.post('/account', { intent: 'email', email: `thief-${round}@example.jp`, current }),
          ...[0, 1].map(() => browserOf(site).post('/emaillogin', { ...hana, password: current })),
        ])
        expect(reset.status).toBe(302)
        expect(await site.db.selectFrom('sessions').select('id').where('accountId', '=', id).execute()).toEqual([])
        const links = await site.db.selectFrom('mailedLinks').select('purpose').execute()
        expect(links.filter(({ purpose }) => purpose !== 'undo')).toEqual([])
      }
    })

    test('keeps the password of a reset unless a concurrent password change has invalidated the reset link', async () => {
      const { site, createLink } = await siteWithAccount(await fresh())
      let { password } = hana
      for (let round = 0; round < 2; round += 1) {
        site.clock.now += QUARTER_HOUR_MS
        const thief = await signInBrowser(site, { ...hana, password })
        const [ownPassword, thiefPassword] = [`mine-9-${round}`, `theirs-9-${round}`]
        const token = await createLink('reset')
        const [reset] = await Promise.all([
          browserOf(site).post('/resetpassword', { token, password: ownPassword }),
          thief.post('/account', { intent: 'password', current: password, password: thiefPassword }),
        ])
        // A password change that came first has invalidated the reset link.
        password = reset.status === 302 ? ownPassword : thiefPassword
        expect([302, 410]).toContain(reset.status)
        expect((await browserOf(site).post('/emaillogin', { ...hana, password })).status).toBe(302)
      }
    })

    test('cancels concurrent requests with the old password when a change of the e-mail address is undone', async () => {
      const { site, id, createLink } = await siteWithAccount(await fresh())
      const thief = await signInBrowser(site, hana)
      const token = await createLink('undo')
      const [undone] = await Promise.all([
        browserOf(site).post('/undoaddress', { token }),
        thief.post('/account', { intent: 'leave', agreed: 'on', current: hana.password }),
        ...[0, 1].map(() => browserOf(site).post('/emaillogin', hana)),
      ])
      expect(await site.db.selectFrom('sessions').select('id').where('accountId', '=', id).execute()).toEqual([])
      const accounts = await site.db.selectFrom('accounts').select('id').execute()
      expect([undone.status, accounts.length]).toEqual(undone.status === 302 ? [302, 1] : [410, 0])
    })

    test.runIf(engine === 'SQLite').each([
      [401, { intent: 'email', email: 'thief@example.jp' }],
      [401, { intent: 'create token', name: 'レジ', scope: 'write' }],
      [400, { intent: 'password', password: 'slice-low-8' }],
    ])(
      'answers with %i to the pending form %j when the password has changed since its verification',
      async (status, fields) => {
        const { site, signIn } = await siteWithPeople(await fresh())
        const thief = await signIn('manager')
        const { hashing, release } = holdHashing()
        const pending = thief.post('/account', { ...fields, current: hana.password })
        await hashing
        await site.db.updateTable('signInMethods').set({ password: 'changed' }).execute()
        release()
        expect((await pending).status).toBe(status)
        for (const table of ['mailedLinks', 'apiTokens'] as const)
          expect(await site.db.selectFrom(table).selectAll().execute()).toEqual([])
        const stored = site.db.selectFrom('signInMethods').select('password').where('password', '!=', 'changed')
        expect(await stored.execute()).toEqual([])
      },
    )

    test('rejects the pending request of a device when another device ends the session of that device', async () => {
      const { site } = await siteWithAccount(await fresh())
      const [thief, owner] = [await signInBrowser(site, hana), await signInBrowser(site, hana)]
      const { hashing, release } = holdHashing()
      const pending = thief.post('/account', { intent: 'email', email: 'thief@example.jp', current: hana.password })
      await hashing
      expect((await owner.post('/account', { intent: 'other devices' })).status).toBe(200)
      release()
      const response = await pending
      expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('変更していません。')])
      expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
    })

    test('rejects a change of the e-mail address when the account has no password', async () => {
      const { site } = await siteWithAccount(await fresh())
      const browser = await signInBrowser(site, hana)
      await site.db.updateTable('signInMethods').set({ provider: 'google', subject: '1', password: null }).execute()
      const change = { intent: 'email', email: 'new@example.jp', current: 'whatever' }
      const rejected = await browser.post('/account', change)
      expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining('パスワードがありません')])
      expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
    })

    test('rejects mailed links and reservations from a clock that was ahead', async () => {
      const { site, createLink } = await siteWithAccount(await fresh())
      const { now } = site.clock
      const expectReset = async (status: number) => {
        const token = await createLink('reset')
        site.clock.now = now
        expect((await browserOf(site).post('/resetpassword', { token, password: 'slice-low-8' })).status).toBe(status)
      }
      const hourMs = 60 * 60_000
      site.clock.now = now + hourMs
      await expectReset(410)
      // The clocks of several processes may differ.
      site.clock.now = now + hourMs - 1
      await expectReset(302)

      site.clock.now = now + 7 * 24 * hourMs
      const undo = await createLink('undo')
      await site.db.deleteFrom('mailedLinks').where('purpose', '!=', 'undo').execute()
      expect(await isEmailReserved(site.db, hana.email, { now: site.clock.now })).toBe(true)
      expect(await isEmailReserved(site.db, hana.email, { now })).toBe(false)
      site.clock.now = now
      expect((await browserOf(site).post('/undoaddress', { token: undo })).status).toBe(410)
    })

    test('requires a recent sign-in to delete an account without a password', async () => {
      const { site } = await siteWithAccount(await fresh())
      const browser = await signInBrowser(site, hana)
      await site.db.updateTable('signInMethods').set({ provider: 'google', subject: '1', password: null }).execute()
      site.clock.now += 10 * 60_000
      const rejected = await browser.post('/account', { intent: 'leave', agreed: 'on' })
      expect(rejected.status).toBe(403)
      const html = await rejected.text()
      expect(html).toContain('Googleでもう一度ログインしてください')
      expect(html).toContain('退会するには、Googleでもう一度ログインしてください')
      expect(html).not.toContain('name="agreed"')
      expect(await site.db.selectFrom('accounts').select('id').execute()).toHaveLength(1)

      site.clock.now -= 1
      const deleted = await browser.post('/account', { intent: 'leave', agreed: 'on' })
      expect(deleted.headers.get('location')).toBe('/home')
      expect(await site.db.selectFrom('accounts').select('id').execute()).toEqual([])
    })

    test('ends the other sessions, but not the current session, when the password of an unverified account changes', async () => {
      const { site } = await siteWithAccount(await fresh())
      const [browser, other] = [await signInBrowser(site, hana), await signInBrowser(site, hana)]
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
      const changed = await browser.post('/account', change)
      expect([changed.status, await changed.text()]).toEqual([
        200,
        expect.stringContaining('ほかの端末はログアウトしました'),
      ])
      expect(await browser.text('/account')).not.toContain('ログインしてからご覧ください')
      expect(await other.text('/account')).toContain('ログインしてからご覧ください')
    })

    test('rejects a slow account form when the session ends before the body arrives', async () => {
      const { site } = await siteWithAccount(await fresh())
      const thief = await signInBrowser(site, hana)
      const owner = await signInBrowser(site, hana)
      const cookie = [...thief.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const delayed = await delayForm(site, cookie, '/account', {
        intent: 'leave',
        agreed: 'on',
        current: hana.password,
      })
      await owner.post('/account', { intent: 'other devices' })
      expect((await delayed.send()).status).toBe(401)
      expect(await site.db.selectFrom('accounts').select('id').execute()).toHaveLength(1)
    })

    test('rejects a new dish when the session ends before the body arrives', async () => {
      const { site, signIn } = await siteWithPeople(await fresh())
      const browser = await signIn('approved')
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const dish = { intent: 'add', title: '湯葉', content: '引き上げたばかり' }
      const delayed = await delayForm(site, cookie, '/dining/new/add', dish)
      await site.db.deleteFrom('sessions').execute()
      expect((await delayed.send()).status).toBe(401)
      expect(await site.db.selectFrom('cards').select('id').where('title', '=', dish.title).execute()).toEqual([])
    })
  })
})

/** Starts a request whose form body waits until `send` is called. Returns when the server has identified the user. */
async function delayForm(
  { app }: Awaited<ReturnType<typeof sampleSite>>,
  cookie: string,
  path: string,
  fields: Record<string, string>,
) {
  const pulled = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const source: UnderlyingSource = {
    async pull(controller) {
      pulled.resolve()
      await release.promise
      controller.enqueue(new TextEncoder().encode(new URLSearchParams(fields).toString()))
      controller.close()
    },
  }
  // The stream has no buffer, so that the stream pulls only when the server reads the body.
  const body = new ReadableStream(source, { highWaterMark: 0 })
  const headers = { cookie, origin: 'http://localhost', 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  const response = app.request(`http://localhost${path}`, init)
  await pulled.promise
  const send = () => {
    release.resolve()
    return response
  }
  return { send }
}

/** Delays password hashes until `release` is called. `hashing` resolves when the first hash has been requested. */
function holdHashing() {
  const requested = Promise.withResolvers<void>()
  const send = Worker.prototype.postMessage
  const held: (() => void)[] = []
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, task) {
    held.push(() => send.call(this, task))
    requested.resolve()
  })
  const release = () => {
    spy.mockRestore()
    for (const sendTask of held.splice(0)) sendTask()
  }
  onTestFinished(release)
  return { hashing: requested.promise, release }
}

/** Creates a site with an account for Hana. `createLink` returns the token of a new mailed link. */
async function siteWithAccount(db: Db) {
  const site = await sampleSite(db, {}, { verifies: true })
  await signInBrowser(site, hana)
  await site.db.deleteFrom('sessions').execute()
  const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  const createLink = (purpose: 'reset' | 'undo') =>
    createMailedLink(site.db, { purpose, accountId: id, email: hana.email }, site.clock.now)
  return { site, id, createLink }
}

/** Creates a site whose demo people have Hana's password. `signIn` returns the browser of a person. */
async function siteWithPeople(db: Db) {
  const site = await sampleSite(db, {}, { verifies: true })
  await site.people()
  await site.staff()
  await openAccounts(db, hana.password, noon)
  await db.updateTable('accounts').set({ emailVerified: true }).execute()
  const signIn = async (person: keyof typeof demoAccounts) => {
    const browser = browserOf(site)
    await browser.post('/emaillogin', { email: demoAccounts[person].email, password: hana.password })
    return browser
  }
  return { site, signIn }
}
