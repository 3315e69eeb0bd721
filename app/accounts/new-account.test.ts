import { InsertQueryNode, type KyselyPlugin, TableNode } from 'kysely'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import {
  createInvitation,
  createKey,
  hireByInvitation,
  openShop,
  owner,
  redirectOf,
  sendInvitation,
  signUp,
  tsugu,
} from '../../server/testing-shop.ts'

onEachEngine((fresh) => {
  /** Creates a site whose database rejects new sessions while `disk.isFull` is true. */
  async function siteWithFullDisk() {
    const disk = { isFull: false }
    const failInserts: KyselyPlugin = {
      transformQuery({ node }) {
        const table =
          InsertQueryNode.is(node) && node.into && TableNode.is(node.into) && node.into.table.identifier.name
        if (disk.isFull && table === 'sessions') throw Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' })
        return node
      },
      transformResult: async ({ result }) => result,
    }
    return { ...(await sampleSite((await fresh()).withPlugin(failInserts))), disk }
  }
  const accountsIn = async ({ db }: Awaited<ReturnType<typeof siteWithFullDisk>>, email: string) =>
    db.selectFrom('accounts').select('email').where('email', '=', email).execute()

  describe('account creation', () => {
    test('redirects a new account to the login form when its session cannot be stored', async () => {
      const site = await siteWithFullDisk()
      site.disk.isFull = true
      const browser = browserOf(site)
      expect(redirectOf(await browser.post('/signupform', owner))).toEqual([302, '/emaillogin?newaccount'])
      expect(await browser.text('/emaillogin?newaccount')).toContain('登録が終わりました。ログインしてください。')
      expect(await accountsIn(site, owner.email)).toHaveLength(1)
      expect(site.logged).toContainEqual(expect.objectContaining({ msg: 'sign-in after save failed' }))
      site.disk.isFull = false
      expect(redirectOf(await browser.post('/emaillogin', owner))).toEqual([302, '/login/welcome'])
    })

    test('redirects an invited person to the login form when the session cannot be stored', async () => {
      const site = await siteWithFullDisk()
      const key = await createInvitation(await openShop(site))
      site.disk.isFull = true
      expect(redirectOf(await sendInvitation(browserOf(site), signUp(key)))).toEqual([302, '/emaillogin?newaccount'])
      expect(await accountsIn(site, tsugu.email)).toHaveLength(1)
    })

    test('redirects the first administrator to the login form when the session cannot be stored', async () => {
      const site = await siteWithFullDisk()
      const key = await createKey(site)
      site.disk.isFull = true
      const response = await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })
      expect(redirectOf(response)).toEqual([302, '/emaillogin?newaccount'])
      expect(await accountsIn(site, owner.email)).toHaveLength(1)
    })

    test('reports the changed password when the new session cannot be stored', async () => {
      const site = await siteWithFullDisk()
      const browser = await hireByInvitation(site, await openShop(site), 'editing')
      site.disk.isFull = true
      const password = 'another-high-9'
      const response = await browser.post('/account', { intent: 'password', current: tsugu.password, password })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('新しいパスワードでログインしてください')
      site.disk.isFull = false
      const signIn = await browserOf(site).post('/emaillogin', { ...tsugu, password })
      expect(redirectOf(signIn)).toEqual([302, '/login/welcome'])
    })
  })
})
