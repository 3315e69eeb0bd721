import { expect, test } from 'vitest'
import { isPostgres } from '../../db/engine.ts'
import type { Db, MemberRow, StaffRow } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken, untilWaiting } from '../../db/testing-at-once.ts'
import { inTransaction } from '../../db/transaction.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import { createKey, hireByInvitation, openShop, owner, staffOf, tsugu } from '../../server/testing-shop.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'
import { addCard } from '../cards/cards.server.ts'
import { manageMember } from '../members/administration.server.ts'
import { memberRecord } from '../members/member-record.server.ts'
import { newSave, type RecordType } from '../records/record.ts'
import { lockRow, remove } from '../records/records.server.ts'
import {
  LAST_ADMINISTRATOR_SENTENCE,
  LastAdministrator,
  listAdministrators,
  readRoles,
} from '../settings/roles.server.ts'
import { appointStaff, manageStaff } from './staff.server.ts'
import type { Role } from './staff.ts'
import { staffRecord } from './staff-records.server.ts'

type Browser = ReturnType<typeof browserOf>
const minoru = { name: '土鍋 実', email: 'minoru@example.jp', password: 'minoru-low-7' }
const at = new Date(noon).toISOString()

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  /** Returns the shop, a browser in which the owner is signed in, and functions that submit the forms of /staff. */
  async function shop({ verifies = false } = {}) {
    const site = await sampleSite(await fresh(), {}, { verifies })
    const { db } = site
    const adminBrowser = await openShop(site)
    const rowOf = (name: string) =>
      db.selectFrom('staff').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
    const submitAction = async (browser: Browser, name: string, fields: Record<string, string>, version?: number) => {
      const row = await rowOf(name)
      const body = {
        intent: `${fields.role ? 'give' : 'end'} ${row.id}`,
        id: row.id,
        version: `${version ?? row.version}`,
        ...fields,
      }
      return browser.post('/staff', body)
    }
    const giveRole = (browser: Browser, name: string, role: Role, version?: number) =>
      submitAction(browser, name, { role }, version)
    const endRole = (browser: Browser, name: string, version?: number) => submitAction(browser, name, {}, version)
    const revisions = () =>
      db.selectFrom('revisions').selectAll().where('subject', '=', 'staff').orderBy('at').execute()
    return { ...site, adminBrowser, rowOf, giveRole, endRole, revisions }
  }
  const expectLastAdministratorError = async (response: Response) => {
    expect([response.status, await response.text()]).toEqual([
      409,
      expect.stringContaining(LAST_ADMINISTRATOR_SENTENCE),
    ])
  }

  test('changes, ends and restores the roles of staff', async () => {
    const site = await shop()
    const { adminBrowser, giveRole, endRole, db } = site
    const browser = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    const staffList = await adminBrowser.text('/staff')
    for (const text of [owner.name, owner.email, minoru.name, minoru.email, 'ご自身']) expect(staffList).toContain(text)
    expect(await adminBrowser.text('/memberlist')).not.toContain(minoru.name)

    const roleResponse = await giveRole(adminBrowser, minoru.name, 'administration')
    expect([roleResponse.status, await roleResponse.text()]).toEqual([
      200,
      expect.stringContaining('「管理」にしました'),
    ])
    expect(await browser.text('/staff')).toContain(owner.email)
    expect((await giveRole(adminBrowser, minoru.name, 'editing', 1)).status).toBe(409)
    expect(await staffOf(db)).toMatchObject({ [minoru.name]: 'administration' })
    await giveRole(adminBrowser, minoru.name, 'editing')
    const endResponse = await endRole(adminBrowser, minoru.name)
    const html = await endResponse.text()
    expect([endResponse.status, html]).toEqual([200, expect.stringContaining('スタッフから外しました')])
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration' })
    expect((await endRole(adminBrowser, minoru.name)).status).toBe(404)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)

    const save = await db.selectFrom('revisions').select('saveId').where('action', '=', 'end').executeTakeFirstOrThrow()
    expect((await adminBrowser.post('/undo', { save: save.saveId ?? '' })).status).toBe(200)
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration', [minoru.name]: 'editing' })
    await browser.post('/emaillogin', minoru)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(400)
  })

  onSqlite('signs out a staff member when the acceptance of the invitation is undone', async () => {
    const site = await shop()
    const browser = await hireByInvitation(site, site.adminBrowser, 'editing', minoru)
    const acceptance = (await site.revisions()).find(({ action }) => action === 'accept')
    expect((await site.adminBrowser.post('/undo', { save: acceptance?.saveId ?? '' })).status).toBe(200)
    expect(await staffOf(site.db)).toEqual({ [owner.name]: 'administration' })
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)
  })

  test('lists the changes by present and former staff to administrators only', async () => {
    const site = await shop()
    const { adminBrowser, endRole, rowOf } = site
    const browser = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    const { id, accountId } = await rowOf(minoru.name)
    await addCard(site.db, 'dining', { title: '実の湯葉', content: '引き上げ' }, { accountId, at })
    await addCard(site.db, 'dining', { title: '誰かの膳', content: '膳' }, { accountId: null, at })
    const read = () => adminBrowser.text(`/staff/${id}`)
    const html = await read()
    expect(html).toContain('実の湯葉')
    expect(html).toContain(`${minoru.name}`)
    expect(html).not.toContain('誰かの膳')
    for (const otherBrowser of [browser, browserOf(site)]) {
      expect(await otherBrowser.text(`/staff/${id}`)).not.toContain('実の湯葉')
      expect(await otherBrowser.text(`/staff/${id}.data`)).not.toContain('実の湯葉')
    }
    await endRole(adminBrowser, minoru.name)
    expect(await read()).toContain('実の湯葉')
    for (const unknownId of ['none', "'"]) expect((await adminBrowser.get(`/staff/${unknownId}`)).status).toBe(404)
  })

  test('lists twenty changes by a staff member on each page, newest first', async () => {
    const site = await shop()
    await hireByInvitation(site, site.adminBrowser, 'editing', minoru)
    const { id, accountId } = await site.rowOf(minoru.name)
    let minute = 0
    const readPage = async (number: number) => {
      const html = await site.adminBrowser.text(`/staff/${id}?changes=${number}`)
      const times = [...html.matchAll(/<li><time dateTime="([^"]+)"/g)].map(([, time = '']) => time)
      return { times, hasOlder: html.includes('rel="next"') }
    }
    const first = (await readPage(1)).times
    const addChange = () => {
      minute += 1
      const author = { accountId, at: new Date(noon + minute * 60_000).toISOString() }
      return addCard(site.db, 'dining', { title: `${minute}品目`, content: '膳' }, author)
    }
    while (first.length + minute < 20) await addChange()
    expect(await readPage(1)).toMatchObject({ times: { length: 20 }, hasOlder: false })
    await addChange()
    const [newest, oldest] = [await readPage(1), await readPage(2)]
    expect([newest.times.length, newest.hasOlder]).toEqual([20, true])
    expect(newest.times).toEqual(newest.times.toSorted().toReversed())
    expect([oldest.times.length, oldest.hasOlder]).toEqual([1, false])
  })

  onSqlite('rejects every action, undo and erasure that would remove the last administrator', async () => {
    const site = await shop()
    const { adminBrowser, giveRole, endRole, revisions, db } = site
    await expectLastAdministratorError(await giveRole(adminBrowser, owner.name, 'editing'))
    await expectLastAdministratorError(await endRole(adminBrowser, owner.name))
    const [welcome] = await revisions()
    await expectLastAdministratorError(await adminBrowser.post('/undo', { save: welcome?.saveId ?? '' }))
    const leave = await adminBrowser.post('/account', { intent: 'leave', agreed: 'on', current: owner.password })
    expect([leave.status, await leave.text()]).toEqual([409, expect.stringContaining('最後の管理者')])
    expect(await staffOf(db)).toEqual({ [owner.name]: 'administration' })

    // This revert would make the last administrator an editor again.
    const browser = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    await giveRole(adminBrowser, minoru.name, 'administration')
    expect((await endRole(adminBrowser, owner.name)).status).toBe(200)
    const asEditor = (await revisions()).find(
      ({ action, after }) => action === 'accept' && after?.includes('"editing"'),
    )
    await expectLastAdministratorError(await browser.post('/undo', { revision: asEditor?.id ?? '' }))
    const promotion = (await revisions()).find(({ action }) => action === 'give')
    await expectLastAdministratorError(await browser.post('/undo', { save: promotion?.saveId ?? '' }))
    expect(await staffOf(db)).toEqual({ [minoru.name]: 'administration' })
    expect((await adminBrowser.post('/staff', { intent: 'invite', name: '客', role: 'editing' })).status).toBe(401)
  })

  test('counts the administrators among members and staff together', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    await site.people()
    await openAccounts(db, hana.password, noon)
    const memberBrowser = browserOf(site)
    await memberBrowser.post('/emaillogin', { email: demoAccounts.administrator.email, password: hana.password })
    const { member } = await readRoles(db, demoAccounts.administrator.accountId)
    const ownMemberId = member?.id ?? ''
    const submitMemberAction = (browser: Browser, deed: string) =>
      browser.post('/memberlist', { deed, member: ownMemberId })
    await hireByInvitation(site, memberBrowser, 'editing', minoru)
    for (const deed of ['unmake administrator', 'delete'])
      await expectLastAdministratorError(await submitMemberAction(memberBrowser, deed))

    const manager = await hireByInvitation(site, memberBrowser, 'administration')
    expect((await submitMemberAction(manager, 'unmake administrator')).status).toBe(200)
    expect(await listAdministrators(db)).toHaveLength(1)
    expect((await memberBrowser.post('/staff', { intent: 'invite', name: '客', role: 'editing' })).status).toBe(403)
    const { id, version } = await db
      .selectFrom('staff')
      .selectAll()
      .where('name', '=', tsugu.name)
      .executeTakeFirstOrThrow()
    const fields = { intent: `end ${id}`, id, version: `${version}` }
    await expectLastAdministratorError(await manager.post('/staff', fields))
    await submitMemberAction(manager, 'make administrator')
    expect((await manager.post('/staff', fields)).status).toBe(200)
    await expectLastAdministratorError(await submitMemberAction(memberBrowser, 'unmake administrator'))
    expect(await listAdministrators(db)).toEqual([demoAccounts.administrator.accountId])
  })

  test('leaves one administrator when a member and a staff member remove each other concurrently', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    const { administrator } = await site.people()
    const { manager } = await site.staff()
    const member = administrator?.member?.id ?? ''
    const notices = { notify: async () => {}, readVerifiedEmails: async () => new Map<string, string>(), origin: '' }
    const unmakeMember = (connection: typeof db) =>
      manageMember(connection, manager, member, 'unmake administrator', { at, around: notices })
    const endManager = (connection: typeof db) =>
      manageStaff(connection, { id: manager?.staff?.id ?? '', version: 1, deed: 'end' }, { accountId: null, at })
    const secondResult = overtaken(db, unmakeMember, () => endManager(db))
    await expect(secondResult).rejects.toThrow(LastAdministrator)
    expect(await listAdministrators(db)).toEqual([demoAccounts.manager.accountId])
  })

  onSqlite('ends the live streams of staff who lose their role', async () => {
    const site = await shop()
    const { adminBrowser, giveRole, endRole } = site
    const browser = await hireByInvitation(site, adminBrowser, 'administration', minoru)
    const openStream = async (topic: string) => {
      const response = await browser.get(`/api/live?topics=${topic}`)
      const reader = response.body?.getReader()
      const waitForEnd = async () => {
        for (;;) if ((await reader?.read())?.done !== false) return true
      }
      return { status: response.status, waitForEnd }
    }
    const streams = [await openStream('backups'), await openStream('messages')]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const { id } = await site.rowOf(minoru.name)
    const inviteFields = { intent: 'invite', name: '客', role: 'administration' }
    await giveRole(adminBrowser, minoru.name, 'editing')
    expect(await Promise.all(streams.map(({ waitForEnd }) => waitForEnd()))).toEqual([true, true])
    expect([(await openStream('backups')).status, (await openStream('messages')).status]).toEqual([403, 403])
    expect((await browser.post('/staff', inviteFields)).status).toBe(403)
    expect(await browser.text(`/staff/${id}`)).not.toContain(`${minoru.name} さんの変更履歴`)

    const events = await openStream('events')
    expect(events.status).toBe(200)
    await endRole(adminBrowser, minoru.name)
    expect(await events.waitForEnd()).toBe(true)
    expect((await browser.post('/dining/new/add', { title: '湯葉' })).status).toBe(401)
  })

  /** Removes the record of a person who deletes the account at the same moment. */
  async function removeDuringDeletion<Row extends StaffRow | MemberRow>(
    db: Db,
    browser: Browser,
    { recordType, id, password }: { recordType: RecordType<Row>; id: string; password: string },
  ) {
    let deletion: Promise<Response> | undefined
    await inTransaction(db, async (trx) => {
      const row = await lockRow(trx, recordType, id)
      deletion = browser.post('/account', { intent: 'leave', agreed: 'on', current: password })
      if (isPostgres(db)) await untilWaiting(db, 1)
      if (row) await remove(trx, recordType, row, newSave({ accountId: null, at }, 'delete'))
    })
    return deletion
  }

  test('ends the role of a person who deletes the account at the same moment', async () => {
    const site = await shop()
    const { adminBrowser, db, rowOf } = site
    const browser = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    const { id } = await rowOf(minoru.name)
    const { password } = minoru
    const response = await removeDuringDeletion(db, browser, { recordType: staffRecord, id, password })
    // The end of the role has ended the session.
    expect(response?.status).toBe(401)
    expect(await rowOf(minoru.name)).toMatchObject({ deletedAt: at })
  })

  test('deletes a member who deletes the account at the same moment', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const { db } = site
    const { password } = hana
    await openAccounts(db, password, noon)
    const { accountId, email } = demoAccounts.approved
    const browser = browserOf(site)
    await browser.post('/emaillogin', { email, password })
    const members = db.selectFrom('members').select(['id', 'deletedAt']).where('accountId', '=', accountId)
    const { id } = await members.executeTakeFirstOrThrow()
    const response = await removeDuringDeletion(db, browser, { recordType: memberRecord, id, password })
    expect(response?.status).toBe(401)
    expect(await members.executeTakeFirst()).toMatchObject({ deletedAt: at })
  })

  test('erases the staff record, but not the changes, of a person who deletes the account', async () => {
    const site = await shop()
    const { adminBrowser, db, rowOf } = site
    const browser = await hireByInvitation(site, adminBrowser, 'editing', minoru)
    const { id, accountId } = await rowOf(minoru.name)
    const card = await addCard(db, 'dining', { title: '実の湯葉', content: '引き上げ' }, { accountId, at })
    const data = await (await browser.get('/account/data')).json()
    expect(data.staff).toMatchObject([{ id, name: minoru.name, role: 'editing' }])
    expect(await adminBrowser.text(`/history/card/${card}`)).toContain(minoru.name)

    const leaveResponse = await browser.post('/account', { intent: 'leave', agreed: 'on', current: minoru.password })
    expect([leaveResponse.status, leaveResponse.headers.get('location')]).toEqual([302, '/home'])
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
      for (const erased of [minoru.name, minoru.email, id]) expect(rows, table).not.toContain(erased)
    }
    expect(await adminBrowser.text('/dining')).toContain('実の湯葉')
    const history = await (await adminBrowser.get(`/history/card/${card}`)).json()
    expect(history.entries).toHaveLength(1)
    expect(JSON.stringify(history)).not.toContain(minoru.name)
    expect(await browserOf(site).text(`/history/card/${card}`)).not.toContain('実の湯葉')
    expect((await adminBrowser.get(`/staff/${id}`)).status).toBe(404)
  })

  onSqlite('shows no name or e-mail address of staff to guests', async () => {
    const site = await shop()
    const browser = await hireByInvitation(site, site.adminBrowser, 'editing', minoru)
    const addResponse = await browser.post('/dining/new/add', { title: '実の湯葉', content: '引き上げ', intent: 'add' })
    expect(addResponse.status).toBe(302)
    const guest = browserOf(site)
    for (const path of ['/', '/dining', '/calendar', '/memberlist', '/bin', '/staff', '/privacy']) {
      for (const address of [path, path === '/' ? '/_.data' : `${path}.data`]) {
        const body = await guest.text(address)
        for (const privateText of [minoru.name, minoru.email, owner.name, owner.email])
          expect(body, address).not.toContain(privateText)
      }
    }
  })

  onSqlite('redirects staff to the home page after sign-in', async () => {
    const site = await shop({ verifies: true })
    const browser = await hireByInvitation(site, site.adminBrowser, 'editing', minoru)
    await browser.post('/verifyemail', { token: findToken(findLink(site.mails.at(-1))) })
    const newBrowser = browserOf(site)
    const signedIn = await newBrowser.post('/emaillogin', minoru)
    expect(signedIn.headers.get('location')).toBe('/login/welcome')
    const redirect = await newBrowser.get('/login/welcome')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/'])
    await site.endRole(site.adminBrowser, minoru.name)
    await newBrowser.post('/emaillogin', minoru)
    expect((await newBrowser.get('/login/welcome')).status).toBe(200)
  })

  onSqlite('lets the server operator appoint the first account, an editor or a former staff member', async () => {
    const site = await sampleSite(await fresh())
    const { db } = site
    const key = await createKey(site)
    const browser = await signInBrowser(site, minoru)
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
