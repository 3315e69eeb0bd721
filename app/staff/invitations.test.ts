import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { demoAccounts, openAccounts } from '../../server/demo.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, linkIn, provenOf, signedInOn, tokenIn } from '../../server/testing-account.ts'
import { hired, invitedBy, openedShop, owner, staffOf, tsugu } from '../../server/testing-shop.ts'
import { keyOf } from '../accounts/mailed-links.server.ts'
import { rolesOf } from '../roles/roles.server.ts'
import { acceptInvitation, endInvitation, INVITATION_LASTS, invite } from './invitations.server.ts'

const where = (response: Response) => [response.status, response.headers.get('location')]
const told = async (response: Response) => {
  const html = await response.text()
  const sentence = Object.entries(sentences).find(([, words]) => html.includes(words))
  return [response.status, sentence?.[0]]
}
const sentences = {
  forged: 'この招待は見つかりません。',
  used: 'この招待は、すでに使われています。',
  own: 'この招待は、すでに受け取っています。',
  ended: 'この招待は取り消されています。',
  expired: 'この招待は期限を過ぎています。',
  already: 'いまのアカウントですでにすべて行えます。',
}
const signUp = (key: string, account = tsugu) => ({ intent: 'sign up', key, ...account })
/** Sends a form of the invitation's page, from where it stands. */
const send = (browser: ReturnType<typeof browserOf>, form: { key: string } & Record<string, string>) =>
  browser.post(`/invitation?key=${form.key}`, form)
const accept = (key: string, name = tsugu.name) => ({ intent: 'accept', key, name })
const accountIds = async (db: Kysely<Tables>) =>
  Object.fromEntries(
    (await db.selectFrom('accounts').select(['email', 'id']).execute()).map(({ email, id }) => [email, id]),
  )

onEachEngine((fresh) => {
  test('an administrator invites; whoever opens the link signs up, and may what they were invited for', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const by = await openedShop(site)
      const answer = await by.post('/staff', { intent: 'invite', name: tsugu.name, role: 'editing' })
      const html = await answer.text()
      const [, key = ''] = /value="http:\/\/localhost\/invitation\?key=([\w-]{43})"/.exec(html) ?? []
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')])
      expect(html).toMatch(/<svg[^>]* role="img" aria-label="招待のQRコード"/)
      // It is shown this once, and kept as a hash.
      const listed = await by.text('/staff')
      expect(listed).not.toContain(key)
      expect(listed).toContain('まだ受け取られていない招待')
      expect(JSON.stringify(await site.db.selectFrom('invitations').selectAll().execute())).not.toContain(key)

      const browser = browserOf(site)
      const page = await browser.text(`/invitation?key=${key}`)
      for (const shown of [tsugu.name, 'お料理、営業日と営業時間、予定', 'アカウントをお持ちの方'])
        expect(page).toContain(shown)
      expect(page).not.toContain(owner.email)
      expect(where(await send(browser, signUp(key)))).toEqual([302, '/'])
      expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration', [tsugu.name]: 'editing' })
      expect(await site.db.selectFrom('members').select('id').execute()).toEqual([])
      // Signed in at once, led to the first page, and to what they edit.
      expect(where(await browser.get('/login/welcome'))).toEqual([302, '/'])
      expect(await browser.text('/dining')).toContain('料理を追加')
      expect(await browser.text('/staff')).not.toContain(owner.email)
      expect(await browser.text('/site')).not.toContain('name="recipients.shop"')
      expect(JSON.stringify(site.logged)).not.toContain(key)
      const mails = site.mails.filter(({ to }) => to === tsugu.email)
      expect(mails).toHaveLength(verifies ? 1 : 0)
      if (!verifies) continue
      expect((await browserOf(site).post('/emaillogin', tsugu)).status).toBe(403)
      expect((await browser.post('/verifyemail', { token: tokenIn(linkIn(site.mails.at(-1))) })).status).toBe(200)
      expect(where(await browserOf(site).post('/emaillogin', tsugu))).toEqual([302, '/login/welcome'])
    }
  })

  test('who has an account signs in on the invitation, and keeps what they are', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const by = await openedShop(site)
      await (await signedInOn(site, hana)).post('/logout', {})
      const key = await invitedBy(by)
      const browser = browserOf(site)
      const wrong = await send(browser, { intent: 'sign in', key, ...hana, password: 'wrong' })
      expect(wrong.status).toBe(401)
      const signedIn = await send(browser, { intent: 'sign in', key, ...hana })
      expect(where(signedIn)).toEqual([302, `/invitation?key=${key}`])
      expect(await browser.text(`/invitation?key=${key}`)).toContain('このアカウントで受け取る')
      expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
      expect((await send(browser, accept(key, ' '))).status).toBe(400)
      expect(where(await send(browser, accept(key)))).toEqual([302, '/'])
      expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration', [tsugu.name]: 'editing' })
    }
  })

  test('used, expired, ended, forged: each says so, to guests and to whoever is signed in, and changes nothing', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const [used, ended] = [await invitedBy(by), await invitedBy(by)]
    const ending = { intent: `invitation ${keyOf(ended)}`, key: keyOf(ended) }
    expect((await by.post('/staff', ending)).status).toBe(200)
    expect((await by.post('/staff', ending)).status).toBe(409)
    const guest = browserOf(site)
    const user = browserOf(site)
    await send(user, signUp(used))
    const late = await invitedBy(by)
    site.clock.now += INVITATION_LASTS - 1
    expect((await guest.text(`/invitation?key=${late}`)).includes('登録して受け取る')).toBe(true)
    site.clock.now += 1
    const somebody = await signedInOn(site, hana)
    const staff = await staffOf(site.db)
    const accounts = await accountIds(site.db)
    for (const [key, state] of [
      [used, 'used'],
      [late, 'expired'],
      [ended, 'ended'],
      ['none', 'forged'],
      ['', 'forged'],
    ] as const) {
      for (const browser of [guest, somebody]) {
        expect(await told(await browser.get(`/invitation?key=${key}`)), state).toEqual([200, state])
        for (const form of [
          accept(key),
          signUp(key, { ...tsugu, email: 'new@example.jp' }),
          { intent: 'sign in', key, ...hana },
        ]) {
          expect(await told(await send(browser, form)), `${form.intent} ${state}`).toEqual([410, state])
        }
      }
    }
    expect(await told(await user.get(`/invitation?key=${used}`))).toEqual([200, 'own'])
    expect(await told(await send(user, accept(used)))).toEqual([409, 'own'])
    expect(await staffOf(site.db)).toEqual(staff)
    expect(await accountIds(site.db)).toEqual(accounts)
  })

  test('whoever may it already gets a sentence, keeps every right, and the invitation stays for another', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await openAccounts(site.db, hana.password, noon)
    const circle = browserOf(site)
    await circle.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    // The last administrator, of the circle here, opens what they have made themselves.
    for (const role of ['editing', 'administration'] as const) {
      const key = await invitedBy(circle, role)
      expect(await told(await circle.get(`/invitation?key=${key}`)), role).toEqual([200, 'already'])
      expect(await told(await send(circle, accept(key))), role).toEqual([409, 'already'])
      expect(await staffOf(site.db)).toEqual({})
      expect((await circle.text('/staff')).includes('招待する')).toBe(true)
    }
    const manager = await hired(site, circle, 'administration')
    const editor = await hired(site, circle, 'editing', { ...tsugu, name: '実', email: 'minoru@example.jp' })
    const before = await staffOf(site.db)
    const key = await invitedBy(circle, 'editing')
    for (const browser of [manager, editor]) {
      expect(await told(await send(browser, accept(key)))).toEqual([409, 'already'])
    }
    expect(await staffOf(site.db)).toEqual(before)
    expect(where(await send(await signedInOn(site, hana), accept(key, '花')))).toEqual([302, '/'])
    // More than they had is theirs.
    expect(where(await send(editor, accept(await invitedBy(manager, 'administration'), '実')))).toEqual([302, '/'])
    expect(await staffOf(site.db)).toEqual({ ...before, 実: 'administration', 花: 'editing' })
  })

  test('an approved member who is invited is of both, and loses nothing', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await openAccounts(site.db, hana.password, noon)
    const by = browserOf(site)
    await by.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    const member = browserOf(site)
    await member.post('/emaillogin', { email: demoAccounts.approved.email, password: hana.password })
    expect((await send(member, accept(await invitedBy(by)))).status).toBe(302)
    expect(await rolesOf(site.db, demoAccounts.approved.accountId)).toMatchObject({
      member: { admin: true, administrator: false },
      staff: { role: 'editing' },
    })
    expect(await member.text('/memberlist')).toContain('暖簾 結')
  })

  test('signed in as another, one leaves first and takes it with one’s own account', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const key = await invitedBy(by)
    const shared = await signedInOn(site, hana)
    const page = await shared.text(`/invitation?key=${key}`)
    expect(page).toContain(`${hana.email}`)
    expect(page).toContain('ログアウトしてから受け取ってください')
    expect(where(await send(shared, { intent: 'leave', key }))).toEqual([302, `/invitation?key=${key}`])
    expect(shared.cookies.size).toBe(0)
    expect(where(await send(shared, signUp(key)))).toEqual([302, '/'])
    expect(await shared.text('/account')).toContain(tsugu.email)
    expect((await rolesOf(site.db, (await accountIds(site.db))[hana.email] ?? '')).staff).toBeNull()
  })

  test('an invitation of somebody who no longer runs the site opens nothing', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const manager = await hired(site, by, 'administration')
    const ids = await accountIds(site.db)
    const key = await invitedBy(manager, 'administration', '客')
    const set = (changed: { role?: 'editing' | 'administration'; deletedAt?: string | null }) =>
      site.db
        .updateTable('staff')
        .set(changed)
        .where('accountId', '=', ids[tsugu.email] ?? '')
        .execute()
    for (const changed of [{ role: 'editing' as const }, { role: 'administration' as const, deletedAt: 'then' }]) {
      await set(changed)
      expect(await told(await browserOf(site).get(`/invitation?key=${key}`))).toEqual([200, 'ended'])
      const form = signUp(key, { ...hana, name: '客' })
      expect(await told(await send(browserOf(site), form))).toEqual([410, 'ended'])
      expect(await by.text('/staff')).not.toContain('まだ受け取られていない招待')
    }
    expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
    expect(Object.keys(await accountIds(site.db))).not.toContain(hana.email)
  })

  test('only whoever runs the site makes, sees or ends one', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const editor = await hired(site, by, 'editing')
    await invitedBy(by, 'editing', '客')
    const before = await site.db.selectFrom('invitations').selectAll().orderBy('key').execute()
    const open = before.find(({ usedAt }) => usedAt === null)
    for (const [browser, status] of [
      [browserOf(site), 401],
      [await signedInOn(site, hana), 403],
      [editor, 403],
    ] as const) {
      const making = await browser.post('/staff', { intent: 'invite', name: '客', role: 'administration' })
      const ending = await browser.post('/staff', { intent: `invitation ${open?.key}`, key: `${open?.key}` })
      expect([making.status, ending.status]).toEqual([status, status])
      for (const path of ['/staff', '/staff.data']) expect(await browser.text(path)).not.toContain(`${open?.key}`)
    }
    for (const [given, said] of [
      [{ name: ' ' }, 'お名前を入力してください'],
      [{ name: 'あ'.repeat(51) }, '50文字まで'],
      [{ name: '客\n人' }, '使えない文字'],
      [{ role: 'owner' }, 'どちらかをお選びください'],
      [{ role: 'toString' }, 'どちらかをお選びください'],
    ] as const) {
      const answer = await by.post('/staff', { intent: 'invite', name: '客', role: 'editing', ...given })
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(said)])
    }
    expect(await site.db.selectFrom('invitations').selectAll().orderBy('key').execute()).toEqual(before)
  })

  test('an address that has an account is told by its field, and nothing is used up; nor by a common password', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const by = await openedShop(site)
      await signedInOn(site, hana)
      const key = await invitedBy(by)
      const before = [await accountIds(site.db), await site.db.selectFrom('signInMethods').selectAll().execute()]
      const taken = await send(browserOf(site), signUp(key, { ...tsugu, email: hana.email }))
      expect([taken.status, await taken.text()]).toEqual([409, expect.stringContaining('すでに登録されています')])
      const common = await send(browserOf(site), signUp(key, { ...tsugu, password: 'password1' }))
      expect(common.status).toBe(400)
      expect([await accountIds(site.db), await site.db.selectFrom('signInMethods').selectAll().execute()]).toEqual(
        before,
      )
      expect(where(await send(browserOf(site), signUp(key)))).toEqual([302, '/'])
    }
  })

  test('passwords are not guessed on an invitation, nor is an account made from elsewhere', async () => {
    const site = await sampleSite(await fresh())
    const key = await invitedBy(await openedShop(site))
    const foreign = await browserOf(site).send(`/invitation?key=${key}`, {
      method: 'POST',
      body: new URLSearchParams(signUp(key)),
      headers: { origin: 'https://elsewhere.example' },
    })
    expect([400, 403]).toContain(foreign.status)
    const tries: number[] = []
    for (let time = 0; time < 11; time++) {
      const guess = { intent: 'sign in', key, email: owner.email, password: `guess-${time}` }
      tries.push((await send(browserOf(site, { address: `198.51.100.${time}` }), guess)).status)
    }
    expect(tries).toEqual([...Array(10).fill(401), 429])
    expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
  })

  test('two sign-ups at once, two accounts at once: one gets it, the other is told, and has become nothing', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const [one, two] = [hana, { ...hana, name: '次郎', email: 'jiro@example.jp' }] as const
    const key = await invitedBy(by)
    const signUps = [one, two].map((account) => send(browserOf(site), signUp(key, account)))
    const answers = await Promise.all(signUps)
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 410])
    for (const answer of answers) if (answer.status === 410) expect(await told(answer)).toEqual([410, 'used'])
    expect(Object.keys(await accountIds(site.db))).toHaveLength(2)
    expect(Object.keys(await staffOf(site.db))).toHaveLength(2)

    // Of one address, too: nothing but one account of it.
    const twice = await Promise.all(
      [await invitedBy(by), await invitedBy(by)].map((each) => send(browserOf(site), signUp(each))),
    )
    expect(twice.map(({ status }) => status).sort()).toEqual([302, 409])

    const next = await invitedBy(by)
    const browsers = [
      await signedInOn(site, { ...hana, email: 'a@example.jp' }),
      await signedInOn(site, { ...hana, email: 'b@example.jp' }),
    ]
    const accepted = await Promise.all(browsers.map((browser, index) => send(browser, accept(next, `${index}`))))
    expect(accepted.map(({ status }) => status).sort()).toEqual([302, 410])
    expect(Object.keys(await staffOf(site.db))).toHaveLength(4)
  })

  test('who comes second to an invitation finds it used, or ended; who ends it second finds it used', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    await openedShop(site)
    const ids = await accountIds(db)
    const visitorOf = async (accountId: string) => ({
      accountId,
      name: '',
      email: '',
      emailVerified: true,
      ...(await rolesOf(db, accountId)),
    })
    const administrator = await visitorOf(ids[owner.email] ?? '')
    const [one, two] = [await visitorOf('one'), await visitorOf('two')]
    const made = async (role: 'editing' | 'administration' = 'editing') =>
      (await invite(db, administrator, { name: '客', role }, noon))?.token ?? ''
    const take = (visitor: typeof one, token: string, within: Kysely<Tables> = db) =>
      acceptInvitation(within, visitor, { token, name: visitor.accountId }, noon)

    const token = await made()
    expect(
      await overtaken(
        db,
        (trx) => take(one, token, trx),
        () => take(two, token),
      ),
    ).toBe('used')
    expect(await take(one, token)).toBe('used by oneself')

    const ending = await made()
    const key = keyOf(ending)
    const at = new Date(noon).toISOString()
    expect(
      await overtaken(
        db,
        (trx) => endInvitation(trx, administrator, key, at),
        () => take(two, ending),
      ),
    ).toBe('ended')
    const ended = await made()
    expect(
      await overtaken(
        db,
        (trx) => take(two, ended, trx),
        () => endInvitation(db, administrator, keyOf(ended), at),
      ),
    ).toBe(false)

    // The same account with two of them: the larger right stays, whichever comes first.
    for (const [accountId, roles] of [
      ['three', ['administration', 'editing']],
      ['four', ['editing', 'administration']],
    ] as const) {
      const somebody = await visitorOf(accountId)
      const [first = '', second = ''] = [await made(roles[0]), await made(roles[1])]
      const late = await overtaken(
        db,
        (trx) => take(somebody, first, trx),
        () => take(somebody, second),
      )
      expect(late).toBe(roles[0] === 'administration' ? 'already' : null)
      expect((await rolesOf(db, accountId)).staff).toMatchObject({ role: 'administration' })
    }
  })

  test('with mail a mistyped address is a stranger’s: neither its mail nor a reset gives them the shop', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const by = await openedShop(site)
    const browser = await hired(site, by, 'administration')
    const link = linkIn(site.mails.findLast(({ to }) => to === tsugu.email))
    const token = tokenIn(link)
    const stranger = browserOf(site)
    expect(await stranger.text(link)).toContain('今のパスワード')
    for (const current of ['', 'guess-high-9']) {
      const answer = await stranger.post('/verifyemail', { token, current })
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('今のパスワードが正しくありません'),
      ])
    }
    expect((await (await signedInOn(site, hana)).post('/verifyemail', { token })).status).toBe(400)
    site.mails.length = 0
    const asked = await stranger.post('/resetpassword', { email: tsugu.email })
    const other = await stranger.post('/resetpassword', { email: 'nobody@example.jp' })
    const said = async (response: Response, email: string) => [
      response.status,
      (await response.text()).replaceAll(email, ''),
    ]
    expect(await said(asked, tsugu.email)).toEqual(await said(other, 'nobody@example.jp'))
    expect(site.mails).toEqual([])
    expect(await provenOf(site.db)).toEqual([hana.email])

    // The person proves it with the password elsewhere, or on the device that is signed in.
    expect(await browser.text(link)).not.toContain('今のパスワード')
    const elsewhere = await browserOf(site).post('/verifyemail', { token, current: tsugu.password })
    expect(elsewhere.status).toBe(200)
    expect(await provenOf(site.db)).toContain(tsugu.email)
    await stranger.post('/resetpassword', { email: tsugu.email })
    expect(linkIn(site.mails.at(-1))).toContain('/resetpassword')
  })

  test('passwords are not guessed on the link of a mail either', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await hired(site, await openedShop(site), 'editing')
    const token = tokenIn(linkIn(site.mails.at(-1)))
    const tries: number[] = []
    for (let time = 0; time < 11; time++) {
      const guess = { token, current: `guess-${time}` }
      tries.push((await browserOf(site, { address: `198.51.100.${time}` }).post('/verifyemail', guess)).status)
    }
    expect(tries).toEqual([...Array(10).fill(400), 429])
  })

  test('a new address of somebody of the shop is proven by themselves as well', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await openedShop(site)
    await browser.post('/account', { intent: 'email', email: 'mistyped@example.jp', current: owner.password })
    const token = tokenIn(linkIn(site.mails.findLast(({ to }) => to === 'mistyped@example.jp')))
    expect((await browserOf(site).post('/verifyemail', { token })).status).toBe(400)
    expect(Object.keys(await accountIds(site.db))).toEqual([owner.email])
    expect((await browser.post('/verifyemail', { token })).status).toBe(200)
    expect(Object.keys(await accountIds(site.db))).toEqual(['mistyped@example.jp'])
  })
})
