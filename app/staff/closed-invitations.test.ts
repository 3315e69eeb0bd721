import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import {
  accept,
  accountIds,
  createInvitation,
  hireByInvitation,
  openShop,
  owner,
  readInvitationError,
  redirectOf,
  sendInvitation,
  signUp,
  staffOf,
  tsugu,
} from '../../server/testing-shop.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { hashToken } from '../accounts/mailed-links.server.ts'
import { INVITATION_LIFETIME_MS } from './invitations.server.ts'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('rejects a used, expired, ended or forged invitation and shows the reason', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const [usedKey, endedKey] = [await createInvitation(adminBrowser), await createInvitation(adminBrowser)]
    const endFields = { intent: `invitation ${hashToken(endedKey)}`, key: hashToken(endedKey) }
    expect((await adminBrowser.post('/staff', endFields)).status).toBe(200)
    expect((await adminBrowser.post('/staff', endFields)).status).toBe(409)
    const guest = browserOf(site)
    const user = browserOf(site)
    await sendInvitation(user, signUp(usedKey))
    const lateKey = await createInvitation(adminBrowser)
    const { now } = site.clock
    site.clock.now = now - INVITATION_LIFETIME_MS
    // The clock was ahead when this invitation was created.
    expect(await readInvitationError(await guest.get(`/invitation?key=${lateKey}`))).toEqual([200, 'expired'])
    site.clock.now = now + INVITATION_LIFETIME_MS - 1
    expect((await guest.text(`/invitation?key=${lateKey}`)).includes('登録して受け取る')).toBe(true)
    site.clock.now += 1
    const otherUser = await signInBrowser(site, hana)
    // The response to the sign-up may be lost, so the page of a used invitation leads to the sign-in.
    expect(await guest.text(`/invitation?key=${usedKey}`)).toContain('メールアドレスでログイン</a>')
    expect(await otherUser.text(`/invitation?key=${usedKey}`)).not.toContain('メールアドレスでログイン</a>')
    const repeated = await guest.post('/invitation.data', signUp(usedKey))
    expect(await repeated.text()).toContain('isOutdated')
    const staff = await staffOf(site.db)
    const accounts = await accountIds(site.db)
    for (const [key, state] of [
      [usedKey, 'used'],
      [lateKey, 'expired'],
      [endedKey, 'ended'],
      ['none', 'forged'],
      ['', 'forged'],
    ] as const) {
      for (const browser of [guest, otherUser]) {
        expect(await readInvitationError(await browser.get(`/invitation?key=${key}`)), state).toEqual([200, state])
        for (const form of [
          accept(key),
          signUp(key, { ...tsugu, email: 'new@example.jp' }),
          { intent: 'sign in', key, ...hana },
        ]) {
          expect(await readInvitationError(await sendInvitation(browser, form)), `${form.intent} ${state}`).toEqual([
            410,
            state,
          ])
        }
      }
    }
    expect(await readInvitationError(await user.get(`/invitation?key=${usedKey}`))).toEqual([200, 'own'])
    expect(await readInvitationError(await sendInvitation(user, accept(usedKey)))).toEqual([409, 'own'])
    expect(await staffOf(site.db)).toEqual(staff)
    expect(await accountIds(site.db)).toEqual(accounts)
  })

  onSqlite('rejects an invitation that grants nothing new without using it up', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await openAccounts(site.db, hana.password, noon)
    const memberBrowser = browserOf(site)
    await memberBrowser.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    // This member is the last administrator and opens invitations that the member has created.
    for (const role of ['editing', 'administration'] as const) {
      const key = await createInvitation(memberBrowser, role)
      expect(await readInvitationError(await memberBrowser.get(`/invitation?key=${key}`)), role).toEqual([
        200,
        'already',
      ])
      expect(await readInvitationError(await sendInvitation(memberBrowser, accept(key))), role).toEqual([
        409,
        'already',
      ])
      expect(await staffOf(site.db)).toEqual({})
      expect((await memberBrowser.text('/staff')).includes('招待する')).toBe(true)
    }
    const manager = await hireByInvitation(site, memberBrowser, 'administration')
    const editor = await hireByInvitation(site, memberBrowser, 'editing', {
      ...tsugu,
      name: '実',
      email: 'minoru@example.jp',
    })
    const staffBefore = await staffOf(site.db)
    const key = await createInvitation(memberBrowser, 'editing')
    for (const browser of [manager, editor]) {
      expect(await readInvitationError(await sendInvitation(browser, accept(key)))).toEqual([409, 'already'])
    }
    expect(await staffOf(site.db)).toEqual(staffBefore)
    expect(redirectOf(await sendInvitation(await signInBrowser(site, hana), accept(key, '花')))).toEqual([302, '/'])
    // An invitation to a higher role is accepted.
    expect(
      redirectOf(await sendInvitation(editor, accept(await createInvitation(manager, 'administration'), '実'))),
    ).toEqual([302, '/'])
    expect(await staffOf(site.db)).toEqual({ ...staffBefore, 実: 'administration', 花: 'editing' })
  })

  test('ends the invitations that a former administrator has created', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const manager = await hireByInvitation(site, adminBrowser, 'administration')
    const ids = await accountIds(site.db)
    const key = await createInvitation(manager, 'administration', '客')
    const updateStaff = (changes: { role?: 'editing' | 'administration'; deletedAt?: string | null }) =>
      site.db
        .updateTable('staff')
        .set(changes)
        .where('accountId', '=', ids[tsugu.email] ?? '')
        .execute()
    for (const changes of [{ role: 'editing' as const }, { role: 'administration' as const, deletedAt: 'then' }]) {
      await updateStaff(changes)
      expect(await readInvitationError(await browserOf(site).get(`/invitation?key=${key}`))).toEqual([200, 'ended'])
      const form = signUp(key, { ...hana, name: '客' })
      expect(await readInvitationError(await sendInvitation(browserOf(site), form))).toEqual([410, 'ended'])
      expect(await adminBrowser.text('/staff')).not.toContain('まだ受け取られていない招待')
    }
    expect(Object.keys(await staffOf(site.db))).toEqual([owner.name])
    expect(Object.keys(await accountIds(site.db))).not.toContain(hana.email)
  })
})
