import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signedInOn } from '../../server/testing-account.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { createMailedLink } from './mailed-links.server.ts'

const QUARTER = 15 * 60_000

// Looking at a password takes a while, and whoever knows the old one can have much under way at once.
onEachEngine((fresh) => {
  test('what the old password had under way ends with a reset', async () => {
    const { site, id, link } = await siteOfHana(await fresh())
    let { password } = hana
    for (let round = 0; round < 2; round += 1) {
      site.clock.now += QUARTER
      const thief = await signedInOn(site, { ...hana, password })
      const current = password
      password = `slice-low-${round}`
      const token = await link('reset')
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

  test('of a reset and a change of the password by whoever knows the old one, the reset is what stays', async () => {
    const { site, link } = await siteOfHana(await fresh())
    let { password } = hana
    for (let round = 0; round < 2; round += 1) {
      site.clock.now += QUARTER
      const thief = await signedInOn(site, { ...hana, password })
      const [mine, theirs] = [`mine-9-${round}`, `theirs-9-${round}`]
      const token = await link('reset')
      const [reset] = await Promise.all([
        browserOf(site).post('/resetpassword', { token, password: mine }),
        thief.post('/account', { intent: 'password', current: password, password: theirs }),
      ])
      // Where the change came first, the link ended with it, and says so.
      password = reset.status === 302 ? mine : theirs
      expect([302, 410]).toContain(reset.status)
      expect((await browserOf(site).post('/emaillogin', { ...hana, password })).status).toBe(302)
    }
  })

  test('what the old password had under way ends with a change that is taken back', async () => {
    const { site, id, link } = await siteOfHana(await fresh())
    const thief = await signedInOn(site, hana)
    const token = await link('undo')
    const [undone] = await Promise.all([
      browserOf(site).post('/undoaddress', { token }),
      thief.post('/account', { intent: 'leave', agreed: 'on', current: hana.password }),
      ...[0, 1].map(() => browserOf(site).post('/emaillogin', hana)),
    ])
    expect(await site.db.selectFrom('sessions').select('id').where('accountId', '=', id).execute()).toEqual([])
    const accounts = await site.db.selectFrom('accounts').select('id').execute()
    expect([undone.status, accounts.length]).toEqual(undone.status === 302 ? [302, 1] : [410, 0])
  })

  test('what a device had under way ends when it is signed out from another one', async () => {
    const { site } = await siteOfHana(await fresh())
    const [thief, owner] = [await signedInOn(site, hana), await signedInOn(site, hana)]
    const [asked] = await Promise.all([
      thief.post('/account', { intent: 'email', email: 'thief@example.jp', current: hana.password }),
      owner.post('/account', { intent: 'other devices' }),
    ])
    // Signed out before what it sent is looked at, or while it is.
    const said = /変更していません。|ログインしてからご覧ください。/
    expect([asked.status, await asked.text()]).toEqual([401, expect.stringMatching(said)])
    expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
  })

  test('whoever has no password changes no address: any word would do', async () => {
    const { site } = await siteOfHana(await fresh())
    const browser = await signedInOn(site, hana)
    await site.db.updateTable('signInMethods').set({ provider: 'google', subject: '1', password: null }).execute()
    const change = { intent: 'email', email: 'new@example.jp', current: 'whatever' }
    const refused = await browser.post('/account', change)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('パスワードがありません')])
    expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
  })

  test('where the address must be proven first, a new password keeps this device signed in, and ends the others', async () => {
    const { site } = await siteOfHana(await fresh())
    const [browser, other] = [await signedInOn(site, hana), await signedInOn(site, hana)]
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

  test('a form that is held back does nothing once its session has ended', async () => {
    const { site } = await siteOfHana(await fresh())
    const thief = await signedInOn(site, hana)
    const owner = await signedInOn(site, hana)
    const cookie = [...thief.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const held = await holdBack(site, cookie, '/account', { intent: 'leave', agreed: 'on', current: hana.password })
    await owner.post('/account', { intent: 'other devices' })
    expect((await held.send()).status).toBe(401)
    expect(await site.db.selectFrom('accounts').select('id').execute()).toHaveLength(1)
  })

  test('nor is a dish added with a session that has ended meanwhile', async () => {
    const db = await fresh()
    const site = await sampleSite(db)
    await site.people()
    await openAccounts(db, hana.password, noon)
    const browser = browserOf(site)
    await browser.post('/emaillogin', { email: demoAccounts.approved.email, password: hana.password })
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const dish = { intent: 'add', title: '湯葉', content: '引き上げたばかり' }
    const held = await holdBack(site, cookie, '/dining/new/add', dish)
    await db.deleteFrom('sessions').execute()
    expect((await held.send()).status).toBe(401)
    expect(await db.selectFrom('cards').select('id').where('title', '=', dish.title).execute()).toEqual([])
  })
})

/** A form whose body is being waited for, by who has looked who sends it; `send` lets it come, and gives the answer. */
async function holdBack(
  { app }: Awaited<ReturnType<typeof sampleSite>>,
  cookie: string,
  path: string,
  fields: Record<string, string>,
) {
  const asked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const source: UnderlyingSource = {
    async pull(controller) {
      asked.resolve()
      await release.promise
      controller.enqueue(new TextEncoder().encode(new URLSearchParams(fields).toString()))
      controller.close()
    },
  }
  // Without a store of its own, so that nothing is asked for before somebody reads.
  const body = new ReadableStream(source, { highWaterMark: 0 })
  const headers = { cookie, origin: 'http://localhost', 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  const answer = app.request(`http://localhost${path}`, sent)
  await asked.promise
  const send = () => {
    release.resolve()
    return answer
  }
  return { send }
}

/** A site where Hana has an account; `link` makes the token of a link that was mailed to her. */
async function siteOfHana(db: Parameters<typeof sampleSite>[0]) {
  const site = await sampleSite(db, {}, { verifies: true })
  await signedInOn(site, hana)
  await site.db.deleteFrom('sessions').execute()
  const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  const link = (purpose: 'reset' | 'undo') =>
    createMailedLink(site.db, { purpose, accountId: id, email: hana.email }, site.clock.now)
  return { site, id, link }
}
