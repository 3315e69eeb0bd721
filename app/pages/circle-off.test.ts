import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana, signInBrowser } from '../../server/testing-account.ts'
import { hireByInvitation, openShop } from '../../server/testing-shop.ts'
import type { Person } from '../../server/tools/demo.ts'
import { isRegistrationOpen } from '../accounts/registration.server.ts'
import { Event } from '../calendar/event.ts'
import { addEvent, listEventsWithRsvps, readEvent } from '../calendar/events.server.ts'
import { REMOVE_SAMPLE } from '../owner/sample-left.tsx'
import type { PageName, PageSettings } from './page.ts'
import { pageFormValues } from './page-form.ts'
import { listPages, readPageToEdit, savePage } from './pages.server.ts'

const minoru = { name: '土鍋 実', email: 'minoru@example.jp', password: 'minoru-low-7' }
const author = { accountId: null, at: new Date(noon).toISOString() }
const CIRCLE_TERMS = /サークル|テニス|会員|入会|メンバー/

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  async function shop() {
    const site = await circleSite()
    return { ...site, by: await openShop(site) }
  }

  async function circleSite() {
    const site = await sampleSite(await fresh())
    const change = async (id: PageName, facts: Partial<PageSettings>) => {
      const page = await readPageToEdit(site.db, id)
      if (!page) throw new Error(`No page ${id}`)
      await savePage(site.db, page.id, { version: page.version, facts }, author)
    }
    const setCircle = (shown: boolean) => change('tennisrelated', { shown })
    return { ...site, setCircle }
  }

  test('closes registration when the site has no circle', async () => {
    const site = await shop()
    await site.setCircle(false)
    const stranger = browserOf(site)
    expect((await stranger.get('/signupform')).status).toBe(404)
    expect((await stranger.post('/signupform', hana)).status).toBe(404)
    expect(await site.db.selectFrom('accounts').select('email').where('email', '=', hana.email).execute()).toEqual([])
    for (const path of ['/login', '/emaillogin']) expect(await stranger.text(path)).not.toContain('新規登録')
    await site.setCircle(true)
    expect((await stranger.post('/signupform', hana)).status).toBe(302)
  })

  onSqlite('rejects a registration that began before the circle was hidden', async () => {
    const site = await shop()
    const browser = await signInBrowser(site, hana)
    await site.setCircle(false)
    for (const path of ['/membercreate', '/memberdetailconfirm'])
      expect((await browser.post(path, { intent: 'register' })).status, path).toBe(404)
    const response = await browser.send('/api/collections/members', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost' },
      body: JSON.stringify({ username: '花' }),
    })
    expect(response.status).toBe(403)
    expect(await site.db.selectFrom('members').select('id').execute()).toEqual([])
  })

  onSqlite('opens the form of members only to members and administrators when the circle is hidden', async () => {
    const site = await circleSite()
    const { approved } = await site.people()
    await site.staff()
    await site.setCircle(false)
    const statusFor = async (person: Person, path = '/membercreate') => (await site.as(person, path)).status
    expect(await statusFor('approved', `/membercreate/${approved?.member?.id}`)).toBe(200)
    expect([await statusFor('manager'), await statusFor('editor'), await statusFor('signedIn')]).toEqual([
      200, 404, 404,
    ])
  })

  onSqlite('does not mention the circle to guests, staff and administrators when the site has no circle', async () => {
    const site = await shop()
    const staff = await hireByInvitation(site, site.by, 'editing', minoru)
    await site.by.post('/today', { intent: REMOVE_SAMPLE })
    await site.setCircle(false)
    const paths = ['/login', '/emaillogin', '/privacy', '/account', '/today', '/staff', '/firestoreservice']
    for (const [who, browser] of Object.entries({ guest: browserOf(site), staff, owner: site.by }))
      for (const path of [
        ...paths,
        '/pages/login/edit',
        '/pages/dining/edit',
        '/backup',
        '/mail',
        '/manifest.webmanifest',
      ]) {
        expect((await browser.text(path)).match(CIRCLE_TERMS)?.[0], `${who} ${path}`).toBeUndefined()
      }
    expect(await browserOf(site).text('/')).toContain('スタッフのログイン')
    const switches = (await site.by.text('/site')).match(/<input[^>]* type="checkbox"[^>]*>/g)?.join()
    expect(switches).toContain('name="showEditButtonsToVisitors"')
    expect(switches).not.toContain('name="dishesAndCalendarByStaffOnly"')
  })

  onSqlite('restores the links and names of the circle when the circle is shown again', async () => {
    const site = await shop()
    const circleLinks = async () => {
      const [guest, owner] = [await browserOf(site).text('/access'), await site.by.text('/access')]
      return [
        guest.includes('会員ログイン'),
        guest.includes('メンバー一覧'),
        owner.includes('aria-label="メンバー') || owner.includes('>メンバー<'),
      ]
    }
    const before = await circleLinks()
    await site.setCircle(false)
    const { version, id: _, path: __, ...facts } = (await readPageToEdit(site.db, 'login')) ?? {}
    const values = pageFormValues(facts as PageSettings)
    expect(values.title).toBe('スタッフのログイン')
    const saved = await site.by.post('/pages/login/edit', { ...values, english: 'Sign in', version: String(version) })
    expect(saved.status).toBe(200)
    await site.setCircle(true)
    expect(await circleLinks()).toEqual(before)
    expect(await readPageToEdit(site.db, 'login')).toMatchObject({ title: '会員ログイン', english: 'Sign in' })
  })

  onSqlite('revokes the permissions of approved members while the site has no circle', async () => {
    const site = await circleSite()
    await site.people()
    const statuses = async () => [
      (await site.as('approved', '/memberlist')).status,
      (await site.post('approved', '/dining/new/add', { title: '' })).status,
      (await site.as('approved', '/account')).status,
    ]
    expect(await statuses()).toEqual([200, 400, 200])
    await site.setCircle(false)
    expect(await statuses()).toEqual([404, 403, 200])
    await site.setCircle(true)
    expect(await statuses()).toEqual([200, 400, 200])
  })

  onSqlite('lets a member export data and delete the account when the site has no circle', async () => {
    const site = await shop()
    const browser = await signInBrowser(site, hana)
    await site.setCircle(false)
    expect((await browser.get('/account/data')).status).toBe(200)
    const response = await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
    expect(response.status).toBe(302)
    expect(await site.db.selectFrom('accounts').select('id').where('email', '=', hana.email).execute()).toEqual([])
  })

  onSqlite('preserves the RSVP settings of an event that is edited while the site has no circle', async () => {
    const site = await shop()
    const event = { title: '練習会', day: '2026-12-05', attendance: true, capacity: 8, deadline: '2026-12-01' }
    const id = crypto.randomUUID()
    await addEvent(site.db, id, Event.parse(event), author)
    await site.setCircle(false)
    expect(await site.by.text(`/calendar?event=${id}&edit`)).not.toContain('出欠')
    const edited = { intent: 'save', id, version: '1', title: '集まり', day: event.day, content: '' }
    expect((await site.by.post('/calendar', edited)).status).toBe(200)
    const preserved = { title: '集まり', attendance: true, capacity: 8, deadline: '2026-12-01' }
    expect(await readEvent(site.db, id, null)).toMatchObject(preserved)
    await site.setCircle(true)
    expect(await listEventsWithRsvps(site.db, '2026-12-01', null)).toMatchObject([preserved])
  })

  onSqlite('offers the circle as a contact recipient only when the site has a circle', async () => {
    const site = await shop()
    await site.setCircle(false)
    expect(await browserOf(site).text('/mail')).not.toContain('value="circle"')
    const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
    const body = JSON.stringify({ to: 'circle', subject: '見学', text: '行きたいです' })
    expect((await site.app.request('http://localhost/api/mail', { method: 'POST', headers, body })).status).toBe(400)
    expect(await site.db.selectFrom('messages').selectAll().execute()).toEqual([])
  })

  test('hides the circle and the portfolio on a new site without sample content', async () => {
    const db = await fresh()
    await fillSampleShop(db, { wanted: false, now: noon })
    const shown = (await listPages(db)).filter((page) => page.shown).map(({ id }) => id)
    expect(shown).toEqual([
      'home',
      'infomation',
      'dining',
      'access',
      'calendar',
      'mail',
      'login',
      'privacy',
      'accessibility',
    ])
    // The owner can still register as the first administrator.
    expect(await isRegistrationOpen(db)).toBe(true)
  })
})
