import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import {
  accept,
  accountIds,
  createInvitation,
  openShop,
  owner,
  readInvitationError,
  sendInvitation,
  signUp,
  staffOf,
} from '../../server/testing-shop.ts'
import { hashToken } from '../accounts/mailed-links.server.ts'
import { readRoles } from '../settings/roles.server.ts'
import { acceptInvitation, endInvitation, invite } from './invitations.server.ts'

onEachEngine((fresh) => {
  test('accepts one of two concurrent uses of an invitation', async () => {
    const site = await sampleSite(await fresh())
    const adminBrowser = await openShop(site)
    const [one, two] = [hana, { ...hana, name: '次郎', email: 'jiro@example.jp' }] as const
    const key = await createInvitation(adminBrowser)
    const signUps = [one, two].map((account) => sendInvitation(browserOf(site), signUp(key, account)))
    const responses = await Promise.all(signUps)
    expect(responses.map(({ status }) => status).sort()).toEqual([302, 410])
    for (const response of responses)
      if (response.status === 410) expect(await readInvitationError(response)).toEqual([410, 'used'])
    expect(Object.keys(await accountIds(site.db))).toHaveLength(2)
    expect(Object.keys(await staffOf(site.db))).toHaveLength(2)

    // If two invitations are used with the same e-mail address, they create only one account.
    const sameEmailResponses = await Promise.all(
      [await createInvitation(adminBrowser), await createInvitation(adminBrowser)].map((invitationKey) =>
        sendInvitation(browserOf(site), signUp(invitationKey)),
      ),
    )
    expect(sameEmailResponses.map(({ status }) => status).sort()).toEqual([302, 409])

    const nextKey = await createInvitation(adminBrowser)
    const browsers = [
      await signInBrowser(site, { ...hana, email: 'a@example.jp' }),
      await signInBrowser(site, { ...hana, email: 'b@example.jp' }),
    ]
    const acceptances = await Promise.all(
      browsers.map((browser, index) => sendInvitation(browser, accept(nextKey, `${index}`))),
    )
    expect(acceptances.map(({ status }) => status).sort()).toEqual([302, 410])
    expect(Object.keys(await staffOf(site.db))).toHaveLength(4)
  })

  test('rejects the later of two concurrent changes to an invitation', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    await openShop(site)
    const ids = await accountIds(db)
    const visitorOf = async (accountId: string) => ({
      accountId,
      name: '',
      email: '',
      emailVerified: true,
      ...(await readRoles(db, accountId)),
    })
    const [one, two] = [await visitorOf('one'), await visitorOf('two')]
    const at = new Date(noon).toISOString()
    const createToken = (role: 'editing' | 'administration' = 'editing') =>
      invite(db, { name: '客', role }, { owner: ids[owner.email] ?? '', form: '', key: '', at }, 'secret')
    const acceptAs = (visitor: typeof one, token: string, connection: Db = db) =>
      acceptInvitation(connection, visitor, { token, name: visitor.accountId }, noon)

    const token = await createToken()
    expect(
      await overtaken(
        db,
        (trx) => acceptAs(one, token, trx),
        () => acceptAs(two, token),
      ),
    ).toBe('used')
    expect(await acceptAs(one, token)).toBe('used by oneself')

    const endingToken = await createToken()
    const key = hashToken(endingToken)
    expect(
      await overtaken(
        db,
        (trx) => endInvitation(trx, key, at),
        () => acceptAs(two, endingToken),
      ),
    ).toBe('ended')
    const endedToken = await createToken()
    expect(
      await overtaken(
        db,
        (trx) => acceptAs(two, endedToken, trx),
        () => endInvitation(db, hashToken(endedToken), at),
      ),
    ).toBe(false)

    // An account that accepts two invitations has the higher role afterwards, whichever invitation comes first.
    for (const [accountId, roles] of [
      ['three', ['administration', 'editing']],
      ['four', ['editing', 'administration']],
    ] as const) {
      const somebody = await visitorOf(accountId)
      const [firstToken = '', secondToken = ''] = [await createToken(roles[0]), await createToken(roles[1])]
      const secondResult = await overtaken(
        db,
        (trx) => acceptAs(somebody, firstToken, trx),
        () => acceptAs(somebody, secondToken),
      )
      expect(secondResult).toBe(roles[0] === 'administration' ? 'already' : null)
      expect((await readRoles(db, accountId)).staff).toMatchObject({ role: 'administration' })
    }
  })
})
