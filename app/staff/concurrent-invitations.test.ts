import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signedInOn } from '../../server/testing-account.ts'
import {
  accept,
  accountIds,
  invitedBy,
  openedShop,
  owner,
  sendInvitation,
  signUp,
  staffOf,
  toldOfInvitation,
} from '../../server/testing-shop.ts'
import { hashToken } from '../accounts/mailed-links.server.ts'
import { rolesOf } from '../settings/roles.server.ts'
import { acceptInvitation, endInvitation, invite } from './invitations.server.ts'

onEachEngine((fresh) => {
  test('accepts one of two concurrent uses of an invitation', async () => {
    const site = await sampleSite(await fresh())
    const by = await openedShop(site)
    const [one, two] = [hana, { ...hana, name: '次郎', email: 'jiro@example.jp' }] as const
    const key = await invitedBy(by)
    const signUps = [one, two].map((account) => sendInvitation(browserOf(site), signUp(key, account)))
    const answers = await Promise.all(signUps)
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 410])
    for (const answer of answers)
      if (answer.status === 410) expect(await toldOfInvitation(answer)).toEqual([410, 'used'])
    expect(Object.keys(await accountIds(site.db))).toHaveLength(2)
    expect(Object.keys(await staffOf(site.db))).toHaveLength(2)

    // Two invitations with the same e-mail address create one account.
    const twice = await Promise.all(
      [await invitedBy(by), await invitedBy(by)].map((each) => sendInvitation(browserOf(site), signUp(each))),
    )
    expect(twice.map(({ status }) => status).sort()).toEqual([302, 409])

    const next = await invitedBy(by)
    const browsers = [
      await signedInOn(site, { ...hana, email: 'a@example.jp' }),
      await signedInOn(site, { ...hana, email: 'b@example.jp' }),
    ]
    const accepted = await Promise.all(
      browsers.map((browser, index) => sendInvitation(browser, accept(next, `${index}`))),
    )
    expect(accepted.map(({ status }) => status).sort()).toEqual([302, 410])
    expect(Object.keys(await staffOf(site.db))).toHaveLength(4)
  })

  test('rejects the later of two concurrent changes of an invitation', async () => {
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
    const key = hashToken(ending)
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
        () => endInvitation(db, administrator, hashToken(ended), at),
      ),
    ).toBe(false)

    // An account that accepts two invitations has the higher role afterwards, in either order.
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
})
