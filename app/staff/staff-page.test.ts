import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, linkIn, signedInOn, tokenIn } from '../../server/testing-account.ts'
import { hired, keyOf, openedShop, owner, staffOf, tsugu } from '../../server/testing-shop.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { addCard } from '../cards/cards.server.ts'
import { manageMember } from '../members/administration.server.ts'
import { administratorsOf, LAST_ADMINISTRATOR_SENTENCE, LastAdministrator, rolesOf } from '../settings/roles.server.ts'
import { appointStaff, manageStaff } from './staff.server.ts'
import type { Role } from './staff-words.ts'

type Browser = ReturnType<typeof browserOf>
const minoru = { name: '土鍋 実', email: 'minoru@example.jp', password: 'minoru-low-7' }
const at = new Date(noon).toISOString()

onEachEngine((fresh) => {
  /** The shop with its owner, and the deeds that a browser asks for. */
  async function shop({ verifies = false } = {}) {
    const site = await sampleSite(await fresh(), {}, { verifies })
    const { db } = site
    const by = await openedShop(site)
    const rowOf = (name: string) =>
      db.selectFrom('staff').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
    const deed = async (browser: Browser, name: string, given: Record<string, string>, version?: number) => {
      const row = await rowOf(name)
      const fields = {
        intent: `${given.role ? 'give' : 'end'} ${row.id}`,
        id: row.id,
        version: `${version ?? row.version}`,
        ...given,
      }
      return browser.post('/staff', fields)
    }
    const give = (browser: Browser, name: string, role: Role, version?: number) =>
      deed(browser, name, { role }, version)
    const end = (browser: Browser, name: string, version?: number) => deed(browser, name, {}, version)
    const revisions = () =>
      db.selectFrom('revisions').selectAll().where('subject', '=', 'staff').orderBy('at').execute()
    return { ...site, by, rowOf, give, end, revisions }
  }
  const refusedAsLast = async (answer: Response) => {
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(LAST_ADMINISTRATOR_SENTENCE)])
  }

  test('the shop’s people are listed apart from the circle, given another role, ended and taken back', async () => {
    const site = await shop()
    const { by, give, end, db } = site
    const browser = await hired(site, by, 'editing', minoru)
    const listed = await by.text('/staff')
    for (const shown of [owner.name, owner.email, minoru.name, minoru.email, 'ご自身']) expect(listed).toContain(shown)
    expect(await by.text('/memberlist')).not.toContain(minoru.name)

    const given = await give(by, minoru.name, 'administration')
    expect([given.status, await given.text()]).toEqual([200, expect.stringContaining('「管理」にしました')])
    expect(await browser.text('/staff')).toContain(owner.email)
    expect((await give(by, minoru.name, 'editing', 1)).status).toBe(409)
    expect(await staffOf(db)).toMatchObject({ [minoru.name]: 'administration' })
    await give(by, minoru.name, 'editing')
    const ended = await end(by, minoru.name)
    const html = await ended.text()
    expect([ended.status, html]).toEqual([200, expect.stringContaining('スタッフから外しました')])
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration' })
    expect((await end(by, minoru.name)).status).toBe(404)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)

    const save = await db.selectFrom('revisions').select('saveId').where('action', '=', 'end').executeTakeFirstOrThrow()
    expect((await by.post('/undo', { save: save.saveId ?? '' })).status).toBe(200)
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration', [minoru.name]: 'editing' })
    await browser.post('/emaillogin', minoru)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(400)
  })

  test('signs out a staff member when their acceptance is undone', async () => {
    const site = await shop()
    const browser = await hired(site, site.by, 'editing', minoru)
    const accepted = (await site.revisions()).find(({ action }) => action === 'accept')
    expect((await site.by.post('/undo', { save: accepted?.saveId ?? '' })).status).toBe(200)
    expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)
  })

  test('what somebody changed is told to administrators, also once they have ended', async () => {
    const site = await shop()
    const { by, end, rowOf } = site
    const browser = await hired(site, by, 'editing', minoru)
    const { id, accountId } = await rowOf(minoru.name)
    await addCard(site.db, 'dining', { title: '実の湯葉', content: '引き上げ' }, { accountId, at })
    await addCard(site.db, 'dining', { title: '誰かの膳', content: '膳' }, { accountId: null, at })
    const read = () => by.text(`/staff/${id}`)
    const told = await read()
    expect(told).toContain('実の湯葉')
    expect(told).toContain(`${minoru.name}`)
    expect(told).not.toContain('誰かの膳')
    for (const stranger of [browser, browserOf(site)]) {
      expect(await stranger.text(`/staff/${id}`)).not.toContain('実の湯葉')
      expect(await stranger.text(`/staff/${id}.data`)).not.toContain('実の湯葉')
    }
    await end(by, minoru.name)
    expect(await read()).toContain('実の湯葉')
    for (const none of ['none', "'"]) expect((await by.get(`/staff/${none}`)).status).toBe(404)
  })

  test('the last who runs the site stays it: by no deed, no return, no leaving', async () => {
    const site = await shop()
    const { by, give, end, revisions, db } = site
    await refusedAsLast(await give(by, owner.name, 'editing'))
    await refusedAsLast(await end(by, owner.name))
    const [welcome] = await revisions()
    await refusedAsLast(await by.post('/undo', { save: welcome?.saveId ?? '' }))
    const leave = await by.post('/account', { intent: 'leave', agreed: 'on', current: owner.password })
    expect([leave.status, await leave.text()]).toEqual([409, expect.stringContaining('最後の管理者')])
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration' })

    // The state of somebody who only edited then.
    const browser = await hired(site, by, 'editing', minoru)
    await give(by, minoru.name, 'administration')
    expect((await end(by, owner.name)).status).toBe(200)
    const asEditor = (await revisions()).find(
      ({ action, after }) => action === 'accept' && after?.includes('"editing"'),
    )
    await refusedAsLast(await browser.post('/undo', { revision: asEditor?.id ?? '' }))
    const promoted = (await revisions()).find(({ action }) => action === 'give')
    await refusedAsLast(await browser.post('/undo', { save: promoted?.saveId ?? '' }))
    expect(await staffOf(db)).toEqual({ [minoru.name]: 'administration' })
    expect((await by.post('/staff', { intent: 'invite', name: '客', role: 'editing' })).status).toBe(401)
  })

  test('administrators of the circle and of the shop count together; who only edits, or has no account, does not', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    await site.people()
    await openAccounts(db, hana.password, noon)
    const circle = browserOf(site)
    await circle.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    const { member } = await rolesOf(db, demoAccounts.administrator.accountId)
    const own = member?.id ?? ''
    const asks = (browser: Browser, deed: string) => browser.post('/memberlist', { deed, member: own })
    await hired(site, circle, 'editing', minoru)
    for (const deed of ['unmake administrator', 'delete']) await refusedAsLast(await asks(circle, deed))

    const manager = await hired(site, circle, 'administration')
    expect((await asks(manager, 'unmake administrator')).status).toBe(200)
    expect(await administratorsOf(db)).toHaveLength(1)
    expect((await circle.post('/staff', { intent: 'invite', name: '客', role: 'editing' })).status).toBe(403)
    const { id, version } = await db
      .selectFrom('staff')
      .selectAll()
      .where('name', '=', tsugu.name)
      .executeTakeFirstOrThrow()
    const fields = { intent: `end ${id}`, id, version: `${version}` }
    await refusedAsLast(await manager.post('/staff', fields))
    await asks(manager, 'make administrator')
    expect((await manager.post('/staff', fields)).status).toBe(200)
    await refusedAsLast(await asks(circle, 'unmake administrator'))
    // An account that is both is one of them: none of its two is taken while the other is the last.
    expect(await administratorsOf(db)).toEqual([demoAccounts.administrator.accountId])
  })

  test('two who unmake each other in the same instant, one of the circle and one of the shop: one stays', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    const { administrator } = await site.people()
    const { manager } = await site.staff()
    const member = administrator?.member?.id ?? ''
    const around = { notify: async () => {}, provenAddresses: async () => new Map<string, string>(), origin: '' }
    const unmakeMember = (within: typeof db) =>
      manageMember(within, manager, member, 'unmake administrator', { at, around })
    const endManager = (within: typeof db) =>
      manageStaff(
        within,
        administrator,
        { id: manager?.staff?.id ?? '', version: 1, deed: 'end' },
        { accountId: null, at },
      )
    const late = overtaken(db, unmakeMember, () => endManager(db))
    await expect(late).rejects.toThrow(LastAdministrator)
    expect(await administratorsOf(db)).toEqual([demoAccounts.manager.accountId])
  })

  test('whoever loses a role while a stream is open is not told any more, and the next request is refused', async () => {
    const site = await shop()
    const { by, give, end } = site
    const browser = await hired(site, by, 'administration', minoru)
    const listen = async (topic: string) => {
      const answer = await browser.get(`/api/live?topics=${topic}`)
      const reader = answer.body?.getReader()
      const ended = async () => {
        for (;;) if ((await reader?.read())?.done !== false) return true
      }
      return { status: answer.status, ended }
    }
    const streams = [await listen('backups'), await listen('members')]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const { id } = await site.rowOf(minoru.name)
    const stale = { intent: 'invite', name: '客', role: 'administration' }
    await give(by, minoru.name, 'editing')
    expect(await Promise.all(streams.map(({ ended }) => ended()))).toEqual([true, true])
    expect([(await listen('backups')).status, (await listen('members')).status]).toEqual([403, 403])
    expect((await browser.post('/staff', stale)).status).toBe(403)
    expect(await browser.text(`/staff/${id}`)).not.toContain(`${minoru.name} さんの変更履歴`)

    const events = await listen('events')
    expect(events.status).toBe(200)
    await end(by, minoru.name)
    expect(await events.ended()).toBe(true)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)
  })

  test('who leaves takes the shop’s record along; what they changed stays, without a name for strangers', async () => {
    const site = await shop()
    const { by, db, rowOf } = site
    const browser = await hired(site, by, 'editing', minoru)
    const { id, accountId } = await rowOf(minoru.name)
    const card = await addCard(db, 'dining', { title: '実の湯葉', content: '引き上げ' }, { accountId, at })
    const data = await (await browser.get('/account/data')).json()
    expect(data.staff).toMatchObject([{ id, name: minoru.name, role: 'editing' }])
    expect(await by.text(`/history/card/${card}`)).toContain(minoru.name)

    const left = await browser.post('/account', { intent: 'leave', agreed: 'on', current: minoru.password })
    expect([left.status, left.headers.get('location')]).toEqual([302, '/home'])
    for (const table of [
      'accounts',
      'staff',
      'invitations',
      'revisions',
      'sessions',
      'signInMethods',
      'outbox',
    ] as const) {
      const rows = JSON.stringify(await db.selectFrom(table).selectAll().execute())
      for (const gone of [minoru.name, minoru.email, id]) expect(rows, table).not.toContain(gone)
    }
    expect(await by.text('/dining')).toContain('実の湯葉')
    const history = await (await by.get(`/history/card/${card}`)).json()
    expect(history.entries).toHaveLength(1)
    expect(JSON.stringify(history)).not.toContain(minoru.name)
    expect(await browserOf(site).text(`/history/card/${card}`)).not.toContain('実の湯葉')
    expect((await by.get(`/staff/${id}`)).status).toBe(404)
  })

  test('a name of the shop’s people is no stranger’s to read', async () => {
    const site = await shop()
    const browser = await hired(site, site.by, 'editing', minoru)
    const added = await browser.post('/dining/new/add', { title: '実の湯葉', content: '引き上げ', intent: 'add' })
    expect(added.status).toBe(302)
    const guest = browserOf(site)
    for (const path of ['/', '/dining', '/calendar', '/memberlist', '/bin', '/staff', '/privacy']) {
      for (const address of [path, path === '/' ? '/_.data' : `${path}.data`]) {
        const body = await guest.text(address)
        for (const hidden of [minoru.name, minoru.email, owner.name, owner.email])
          expect(body, address).not.toContain(hidden)
      }
    }
  })

  test('who signs in is led to the first page where they are of the shop, never to the registration', async () => {
    const site = await shop({ verifies: true })
    const browser = await hired(site, site.by, 'editing', minoru)
    await browser.post('/verifyemail', { token: tokenIn(linkIn(site.mails.at(-1))) })
    const again = browserOf(site)
    const signedIn = await again.post('/emaillogin', minoru)
    expect(signedIn.headers.get('location')).toBe('/login/welcome')
    const led = await again.get('/login/welcome')
    expect([led.status, led.headers.get('location')]).toEqual([302, '/'])
    await site.end(site.by, minoru.name)
    await again.post('/emaillogin', minoru)
    expect((await again.get('/login/welcome')).status).toBe(200)
  })

  test('whoever runs the server appoints an account to the shop: one that only edits, one that has ended, the first of all', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    const key = await keyOf(site)
    const browser = await signedInOn(site, minoru)
    const account = await db.selectFrom('accounts').select(['id', 'name']).executeTakeFirstOrThrow()
    expect(await appointStaff(db, account, at)).toBe(minoru.name)
    expect(await browser.text('/staff')).toContain(minoru.email)
    expect((await browserOf(site).post(`/welcome?key=${key}`, { intent: 'begin', key, ...owner })).status).toBe(410)
    for (const earlier of [{ role: 'editing' as const }, { role: 'editing' as const, deletedAt: at }]) {
      await db.updateTable('staff').set(earlier).execute()
      expect((await browser.post('/staff', { intent: 'invite', name: '客', role: 'editing' })).status).toBe(403)
      await appointStaff(db, account, at)
      expect(await staffOf(db)).toEqual({ [minoru.name]: 'administration' })
    }
    expect(await db.selectFrom('staff').select('id').execute()).toHaveLength(1)
  })
})
