import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import {
  accept,
  accountIds,
  createInvitation,
  hireByInvitation,
  openShop,
  owner,
  redirectOf,
  sendInvitation,
  signUp,
  staffOf,
  tsugu,
} from '../../server/testing-shop.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { readRoles } from '../settings/roles.server.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('grants the invited role to an account that signs up by the invitation link', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const adminBrowser = await openShop(site)
      const response = await adminBrowser.post('/staff', { intent: 'invite', name: tsugu.name, role: 'editing' })
      const html = await response.text()
      const [, key = ''] = /value="http:\/\/localhost\/invitation\?key=([\w-]{43})"/.exec(html) ?? []
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        expect.stringContaining('no-store'),
      ])
      expect(html).toMatch(/<svg[^>]* role="img" aria-label="招待のQRコード"/)
      // The page shows the token once. The database contains only a hash of the token.
      const listed = await adminBrowser.text('/staff')
      expect(listed).not.toContain(key)
      expect(listed).toContain('まだ受け取られていない招待')
      expect(JSON.stringify(await site.db.selectFrom('invitations').selectAll().execute())).not.toContain(key)

      const browser = browserOf(site)
      const page = await browser.text(`/invitation?key=${key}`)
      for (const text of [tsugu.name, 'お料理、営業日と営業時間、予定', 'アカウントをお持ちの方'])
        expect(page).toContain(text)
      expect(page).not.toContain(owner.email)
      expect(redirectOf(await sendInvitation(browser, signUp(key)))).toEqual([302, '/'])
      expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration', [tsugu.name]: 'editing' })
      expect(await site.db.selectFrom('members').select('id').execute()).toEqual([])
      // The new account is signed in and may edit the dishes, but not the settings or the staff.
      expect(redirectOf(await browser.get('/login/welcome'))).toEqual([302, '/'])
      expect(await browser.text('/dining')).toContain('料理を追加')
      expect(await browser.text('/staff')).not.toContain(owner.email)
      expect(await browser.text('/site')).not.toContain('name="recipients.shop"')
      expect(JSON.stringify(site.logged)).not.toContain(key)
      const mails = site.mails.filter(({ to }) => to === tsugu.email)
      expect(mails).toHaveLength(verifies ? 1 : 0)
      if (!verifies) continue
      expect((await browserOf(site).post('/emaillogin', tsugu)).status).toBe(403)
      expect((await browser.post('/verifyemail', { token: findToken(findLink(site.mails.at(-1))) })).status).toBe(200)
      expect(redirectOf(await browserOf(site).post('/emaillogin', tsugu))).toEqual([302, '/login/welcome'])
    }
  })

  test('creates one invitation when the form is repeated after a lost response', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const invite = async (name: string, once: string) => {
      const response = await adminBrowser.post('/staff', { intent: 'invite', name, role: 'editing', once })
      const [, key = ''] = /value="http:\/\/localhost\/invitation\?key=([\w-]{43})"/.exec(await response.text()) ?? []
      return { status: response.status, key }
    }
    const first = await invite(tsugu.name, 'first')
    expect(first).toEqual({ status: 200, key: expect.stringMatching(/./) })
    expect(await invite(tsugu.name, 'first')).toEqual(first)
    expect(await invite('別の人', 'first')).toEqual({ status: 409, key: '' })
    const invitations = site.db.selectFrom('invitations').selectAll()
    expect(await invitations.execute()).toHaveLength(1)
    for (const table of ['invitations', 'onceKeys'] as const)
      expect(JSON.stringify(await site.db.selectFrom(table).selectAll().execute())).not.toContain(first.key)
    expect((await sendInvitation(browserOf(site), signUp(first.key))).status).toBe(302)

    expect((await invite(tsugu.name, 'second')).key).not.toBe(first.key)
    expect(await invitations.execute()).toHaveLength(2)
  })

  onSqlite('grants the invited role to an existing account after its owner signs in', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const adminBrowser = await openShop(site)
      await (await signInBrowser(site, hana)).post('/logout', {})
      const key = await createInvitation(adminBrowser)
      const browser = browserOf(site)
      const wrongPasswordResponse = await sendInvitation(browser, {
        intent: 'sign in',
        key,
        ...hana,
        password: 'wrong',
      })
      expect(wrongPasswordResponse.status).toBe(401)
      const signedIn = await sendInvitation(browser, { intent: 'sign in', key, ...hana })
      expect(redirectOf(signedIn)).toEqual([302, `/invitation?key=${key}`])
      expect(await browser.text(`/invitation?key=${key}`)).toContain('このアカウントで受け取る')
      expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
      expect((await sendInvitation(browser, accept(key, ' '))).status).toBe(400)
      expect(redirectOf(await sendInvitation(browser, accept(key)))).toEqual([302, '/'])
      expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration', [tsugu.name]: 'editing' })
    }
  })

  test('leaves the membership unchanged when a member accepts an invitation', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await openAccounts(site.db, hana.password, noon)
    const adminBrowser = browserOf(site)
    await adminBrowser.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    const member = browserOf(site)
    await member.post('/emaillogin', { email: demoAccounts.approved.email, password: hana.password })
    expect((await sendInvitation(member, accept(await createInvitation(adminBrowser)))).status).toBe(302)
    expect(await readRoles(site.db, demoAccounts.approved.accountId)).toMatchObject({
      member: { admin: true, administrator: false },
      staff: { role: 'editing' },
    })
    expect(await member.text('/memberlist')).toContain('暖簾 結')
  })

  onSqlite('accepts an invitation with another account after the first account has signed out', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const key = await createInvitation(adminBrowser)
    const sharedBrowser = await signInBrowser(site, hana)
    const page = await sharedBrowser.text(`/invitation?key=${key}`)
    expect(page).toContain(`${hana.email}`)
    expect(page).toContain('ログアウトしてから受け取ってください')
    expect(redirectOf(await sendInvitation(sharedBrowser, { intent: 'leave', key }))).toEqual([
      302,
      `/invitation?key=${key}`,
    ])
    expect(sharedBrowser.cookies.size).toBe(0)
    expect(redirectOf(await sendInvitation(sharedBrowser, signUp(key)))).toEqual([302, '/'])
    expect(await sharedBrowser.text('/account')).toContain(tsugu.email)
    expect((await readRoles(site.db, (await accountIds(site.db))[hana.email] ?? '')).staff).toBeNull()
  })

  test('creates, lists and ends invitations for administrators only', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const editor = await hireByInvitation(site, adminBrowser, 'editing')
    await createInvitation(adminBrowser, 'editing', '客')
    const invitationsBefore = await site.db.selectFrom('invitations').selectAll().orderBy('key').execute()
    const openInvitation = invitationsBefore.find(({ usedAt }) => usedAt === null)
    for (const [browser, status] of [
      [browserOf(site), 401],
      [await signInBrowser(site, hana), 403],
      [editor, 403],
    ] as const) {
      const inviteResponse = await browser.post('/staff', { intent: 'invite', name: '客', role: 'administration' })
      const endResponse = await browser.post('/staff', {
        intent: `invitation ${openInvitation?.key}`,
        key: `${openInvitation?.key}`,
      })
      expect([inviteResponse.status, endResponse.status]).toEqual([status, status])
      for (const path of ['/staff', '/staff.data'])
        expect(await browser.text(path)).not.toContain(`${openInvitation?.key}`)
    }
    for (const [changes, sentence] of [
      [{ name: ' ' }, 'お名前を入力してください'],
      [{ name: 'あ'.repeat(51) }, '50文字まで'],
      [{ role: 'owner' }, 'どちらかをお選びください'],
      [{ role: 'toString' }, 'どちらかをお選びください'],
    ] as const) {
      const response = await adminBrowser.post('/staff', { intent: 'invite', name: '客', role: 'editing', ...changes })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(sentence)])
    }
    expect(await site.db.selectFrom('invitations').selectAll().orderBy('key').execute()).toEqual(invitationsBefore)
  })

  onSqlite('rejects a taken e-mail address or a common password without using up the invitation', async () => {
    for (const verifies of [false, true]) {
      const site = await sampleSite(await fresh(), {}, { verifies })
      const adminBrowser = await openShop(site)
      await signInBrowser(site, hana)
      const key = await createInvitation(adminBrowser)
      const accountsBefore = [
        await accountIds(site.db),
        await site.db.selectFrom('signInMethods').selectAll().execute(),
      ]
      const takenResponse = await sendInvitation(browserOf(site), signUp(key, { ...tsugu, email: hana.email }))
      expect([takenResponse.status, await takenResponse.text()]).toEqual([
        409,
        expect.stringContaining('すでに登録されています'),
      ])
      const commonResponse = await sendInvitation(browserOf(site), signUp(key, { ...tsugu, password: 'password1' }))
      expect(commonResponse.status).toBe(400)
      expect([await accountIds(site.db), await site.db.selectFrom('signInMethods').selectAll().execute()]).toEqual(
        accountsBefore,
      )
      expect(redirectOf(await sendInvitation(browserOf(site), signUp(key)))).toEqual([302, '/'])
    }
  })

  onSqlite('limits password attempts on an invitation and rejects forms from other sites', async () => {
    const site = await sampleSite(await fresh())
    const key = await createInvitation(await openShop(site))
    const foreign = await browserOf(site).send(`/invitation?key=${key}`, {
      method: 'POST',
      body: new URLSearchParams(signUp(key)),
      headers: { origin: 'https://elsewhere.example' },
    })
    expect([400, 403]).toContain(foreign.status)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      const guess = { intent: 'sign in', key, email: owner.email, password: `guess-${attempt}` }
      statuses.push((await sendInvitation(browserOf(site, { address: `198.51.100.${attempt}` }), guess)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
  })
})
