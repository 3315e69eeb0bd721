import type { RouteConfigEntry } from '@react-router/dev/routes'
import { describe, expect, test } from 'vitest'
import type { Db } from '../db/tables.ts'
import { copySqlite } from '../db/testing.ts'
import { createTestDependencies, dataPathOf, noon, sampleSite } from '../server/testing.ts'
import { actionDataOf } from '../server/testing-action-data.ts'
import { demoAccounts, openAccounts, type Person } from '../server/tools/demo.ts'
import { addApiToken } from './accounts/testing-api-tokens.ts'
import { Event } from './calendar/event.ts'
import { addEvent, listAllEvents } from './calendar/events.server.ts'
import { addGuest } from './calendar/guests.server.ts'
import { saveRsvp } from './calendar/rsvps.server.ts'
import { addCard, listCards } from './cards/cards.server.ts'
import { receiveMessage } from './contact/messages.server.ts'
import { listSpecialDays } from './hours/business-days.server.ts'
import { type Topic, topics } from './live/topics.ts'
import type { MemberAction } from './members/administration.server.ts'
import { fieldsOf, memberFieldNames } from './members/member.ts'
import { listFormFields, readStepInput } from './members/member-drafting.server.ts'
import { parseMember } from './members/member-schema.ts'
import { createMemberToken } from './members/member-tokens.server.ts'
import { saveNotice } from './notices/notices.server.ts'
import { pageSettingsOf } from './pages/page-record.server.ts'
import { addPage } from './pages/pages.server.ts'
import { readForm } from './platform/form.server.ts'
import routes from './routes.ts'
import { saveSection } from './sections/sections.server.ts'
import { readSiteToEdit, saveSite } from './settings/site.server.ts'
import type { SiteSettings } from './settings/site.ts'
import { invite } from './staff/invitations.server.ts'

const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator', 'editor', 'manager'] as const

type StatusByPerson = Record<Person, number>
/** The expected status for all visitors together, or for each kind of visitor. */
type Statuses = number | StatusByPerson
type RouteAccess = { url: string; path?: string; get: Statuses; post?: Statuses }

/** Returns one status for administrators (members or staff) and one for all other visitors. */
function administratorsAndOthers(status: number, others: number): StatusByPerson {
  return { ...everyone(others), administrator: status, manager: status }
}

function everyone(status: number): StatusByPerson {
  return Object.fromEntries(people.map((person) => [person, status])) as StatusByPerson
}

const NOT_PERMITTED = { ...everyone(403), guest: 401 }

/** Returns the expected status for each visitor if only administrators have permission. */
const administrators = (status: number): StatusByPerson => ({
  ...NOT_PERMITTED,
  administrator: status,
  manager: status,
})
/** Returns the expected status for each visitor if all staff, including editors, have permission. */
const shop = (status: number): StatusByPerson => ({ ...administrators(status), editor: status })
/** Returns the expected status for each visitor if staff and approved members have permission. */
const editors = (status: number): StatusByPerson => ({ ...shop(status), approved: status })
/** Returns the expected status for each visitor if only the member of a record and administrators have permission. */
const owners = (status: number): StatusByPerson => ({ ...administrators(status), applicant: status, approved: status })
/** Returns the expected status for each visitor if every signed-in user has permission. */
const accounts = (status: number): StatusByPerson => ({ ...everyone(status), guest: 401 })

/** A page that all visitors may open and that accepts no form. */
const page = (url: string, path = `/${url}`): RouteAccess => ({ url, path, get: 200, post: 405 })

// All visitors may open all pages. The permission to save differs. `{own}` and `{other}` are IDs of members. `{dish}`
// and `{match}` are IDs of cards in two collections.
const routeAccess: RouteAccess[] = [
  page('', '/'),
  { url: '', path: '/?index', get: 200, post: administrators(409) },
  { url: 'home', path: '/home', get: 200, post: administrators(409) },
  page('infomation'),
  { url: 'bussinessdays', path: '/bussinessdays', get: 200, post: editors(400) },
  { url: 'today', path: '/today', get: 200, post: editors(409) },
  { url: 'dining', path: '/dining', get: 200, post: editors(400) },
  { url: 'new/add', path: '/dining/new/add', get: 200, post: editors(400) },
  { url: ':id/edit', path: '/dining/{dish}/edit', get: 200, post: editors(400) },
  { url: ':id/edit', path: '/dining/{match}/edit', get: 404, post: administrators(400) },
  { url: 'dining/prices', path: '/dining/prices', get: 200, post: editors(400) },
  { url: 'sections/new/add', path: '/dining/sections/new/add', get: 200, post: editors(404) },
  { url: 'sections/:id/edit', path: '/dining/sections/{section}/edit', get: 200, post: editors(400) },
  {
    url: 'sections/:id/edit',
    path: '/dining/sections/none/edit',
    get: { ...everyone(404), guest: 200, signedIn: 200, applicant: 200 },
    post: editors(404),
  },
  { url: 'dining', path: '/dining?add', get: 302, post: 302 },
  { url: 'dining', path: '/dining?edit={dish}', get: 302, post: 302 },
  page('dining/print'),
  { url: 'notices', path: '/notices', get: 200, post: 405 },
  { url: 'new/add', path: '/notices/new/add', get: 200, post: editors(404) },
  { url: ':id/edit', path: '/notices/{notice}/edit', get: 200, post: editors(400) },
  {
    url: ':id/edit',
    path: '/notices/none/edit',
    get: { ...everyone(200), approved: 404, administrator: 404, manager: 404, editor: 404 },
    post: editors(404),
  },
  page('access'),
  { url: 'calendar', path: '/calendar', get: 200, post: editors(400) },
  { url: 'undo', path: '/undo', get: 200, post: 404 },
  { url: 'history/:subject/:id', path: '/history/event/none', get: 200 },
  { url: 'calendar.ics', path: '/calendar.ics', get: 200 },
  // The token in the URL decides, not the visitor: member-feed.test.ts tests valid tokens.
  { url: 'calendar/member.ics', path: '/calendar/member.ics?token=unknown', get: 404 },
  { url: 'calendar/occurrences', path: '/calendar/occurrences', get: 200 },
  { url: 'calendar/:file', path: '/calendar/none.ics', get: 404 },
  { url: 'calendar/:id/people', path: '/calendar/{meeting}/people', get: 200, post: shop(400) },
  {
    url: 'calendar/:id/people',
    path: '/calendar/none/people',
    get: { ...administratorsAndOthers(404, 200), editor: 404 },
    post: shop(404),
  },
  { url: 'calendar/:id/people.csv', path: '/calendar/{meeting}/people.csv', get: shop(200) },
  { url: 'calendar/:id/people.csv', path: '/calendar/none/people.csv', get: shop(404) },
  { url: 'memberlist.csv', path: '/memberlist.csv', get: shop(200) },
  // The pages of tables are off: ask-page.test.ts tests them when they are on.
  { url: 'table', path: '/table', get: 404, post: 404 },
  { url: 'table/:id', path: '/table/none', get: 404, post: 404 },
  { url: 'mail', path: '/mail', get: 200, post: 400 },
  { url: 'inbox', path: '/inbox', get: 200, post: administrators(400) },
  // Without the switch of the shop. bookings-page.test.ts tests the page with the switch.
  { url: 'tables', path: '/tables', get: 404, post: 404 },
  { url: 'site', path: '/site', get: 200, post: administrators(400) },
  { url: 'translations', path: '/translations', get: 200, post: 405 },
  { url: 'translations/:language/:group', path: '/translations/en/dining', get: 200, post: editors(200) },
  { url: 'translations/:language/:group', path: '/translations/en/site', get: 200, post: administrators(200) },
  {
    url: 'translations/:language/:group',
    path: '/translations/en/none',
    get: administratorsAndOthers(404, 200),
    post: administrators(404),
  },
  { url: 'pages', path: '/pages', get: 200, post: administrators(400) },
  { url: 'p/:name', path: '/p/{written}', get: 200, post: 405 },
  { url: 'p/:name', path: '/p/none', get: 404, post: 405 },
  { url: 'p/:name', path: '/p/No!', get: 404, post: 405 },
  {
    url: 'firestoreservice',
    path: '/firestoreservice?databasename=p-{written}',
    get: 200,
    post: administrators(400),
  },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=p-none', get: 404, post: 404 },
  { url: 'pages/:id/edit', path: '/pages/dining/edit', get: 200, post: administrators(400) },
  {
    url: 'pages/:id/edit',
    path: '/pages/none/edit',
    get: administratorsAndOthers(404, 200),
    post: administrators(404),
  },
  { url: 'p/:name', path: '/p/hidden', get: administratorsAndOthers(200, 404), post: 405 },
  { url: 'staff', path: '/staff', get: 200, post: administrators(400) },
  { url: 'staff/:id', path: '/staff/{editor}', get: 200, post: 405 },
  { url: 'staff/:id', path: '/staff/none', get: administratorsAndOthers(404, 200), post: 405 },
  // The invitation key and the setup key are unknown. The wizard redirects administrators to its next step.
  { url: 'invitation', path: '/invitation?key=none', get: 200, post: 410 },
  { url: 'invitation', path: '/invitation', get: 200, post: 410 },
  { url: 'welcome', path: '/welcome', get: administratorsAndOthers(302, 200), post: administratorsAndOthers(302, 410) },
  {
    url: 'welcome',
    path: '/welcome?key=none',
    get: administratorsAndOthers(302, 200),
    post: administratorsAndOthers(302, 410),
  },
  { url: 'bin', path: '/bin', get: 200, post: editors(400) },
  // These visitors have no session, so reauthentication fails. backup-page.test.ts tests reauthentication with a
  // session.
  { url: 'backup', path: '/backup', get: 200, post: administrators(401) },
  { ...page('login'), post: 400 },
  { url: 'login/finished', path: '/login/finished', get: 302, post: 405 },
  { url: 'login/welcome', path: '/login/welcome', get: { ...everyone(302), signedIn: 200 }, post: 405 },
  { url: 'emaillogin', path: '/emaillogin', get: 200, post: 400 },
  { url: 'signupform', path: '/signupform', get: 200, post: 400 },
  { url: 'resetpassword', path: '/resetpassword', get: 200, post: 400 },
  { url: 'verifyemail', path: '/verifyemail', get: 200, post: 410 },
  { url: 'undoaddress', path: '/undoaddress', get: 200, post: 410 },
  // These visitors have no session. accounts.test.ts tests the account pages with a session.
  { url: 'account', path: '/account', get: 200, post: 401 },
  { url: 'account/data', path: '/account/data', get: 401 },
  { url: 'logout', path: '/logout', get: 200, post: 302 },
  page('privacy'),
  page('accessibility'),

  // An empty form returns field errors to guests too. Registered members may not register again.
  {
    url: 'membercreate',
    path: '/membercreate',
    get: 200,
    post: { ...everyone(400), applicant: 403, approved: 403, administrator: 403 },
  },
  { url: 'membercreate', path: '/membercreate?for=nonmember', get: 200, post: administrators(400) },
  { url: 'membercreate/:id', path: '/membercreate/{own}', get: 200, post: owners(400) },
  { url: 'membercreate/:id', path: '/membercreate/{other}', get: 200, post: administrators(400) },
  {
    url: 'membercreate/:id',
    path: '/membercreate/none',
    get: administratorsAndOthers(404, 200),
    post: administrators(404),
  },
  { url: 'membercreate/:id', path: '/membercreate/%20', get: 200, post: NOT_PERMITTED },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm', get: 200, post: accounts(302) },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for=nonmember', get: 200, post: administrators(302) },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for={own}', get: 200, post: owners(302) },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for={other}', get: 200, post: administrators(302) },
  { url: 'memberlist', path: '/memberlist', get: 200, post: administrators(400) },
  { url: 'memberlist/message', path: '/memberlist/message', get: 200, post: shop(400) },
  // The tokens of a link decide, not the visitor.
  { url: 'answer', path: '/answer', get: 404, post: 404 },
  { url: 'answer', path: '/answer?token=none', get: 404, post: 404 },
  { url: 'answer', path: '/answer?token={answer}', get: 200 },
  { url: 'answer', path: '/answer?token={past}', get: 410, post: 410 },
  { url: 'answer', path: '/answer?token={unapproved}', get: 410, post: 410 },
  { url: 'answer', path: '/answer?token={unsubscribe}', get: 404, post: 404 },
  { url: 'unsubscribe', path: '/unsubscribe', get: 404, post: 404 },
  { url: 'unsubscribe', path: '/unsubscribe?token={unsubscribe}', get: 200, post: 200 },
  { url: 'unsubscribe', path: '/unsubscribe?token={answer}', get: 404, post: 404 },

  // A card cannot be added to an unknown collection.
  { url: 'firestoreservice', path: '/firestoreservice', get: 200, post: 400 },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=members', get: 200, post: 400 },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=home', get: 200, post: administrators(400) },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=dining', get: 200, post: editors(400) },
  { url: 'firestoreservice/:id/add', path: '/firestoreservice/new/add', get: 200, post: 400 },
  { url: 'firestoreservice/:id/edit', path: '/firestoreservice/none/edit', get: 404, post: 404 },
  {
    url: 'firestoreservice/:id/edit',
    path: '/firestoreservice/{dish}/edit',
    get: 200,
    post: editors(400),
  },
  {
    url: 'firestoreservice/:id/edit',
    path: '/firestoreservice/{match}/edit',
    get: 200,
    post: administrators(400),
  },
  page('videoproduction'),
  page('municipalarchitect'),
  page('vbacreate'),
  page('webdesignincludebackend'),
  {
    url: 'webdesignincludebackend/:id/add',
    path: '/webdesignincludebackend/new/add',
    get: 200,
    post: administrators(400),
  },
  { url: 'webdesignincludebackend/:id/edit', path: '/webdesignincludebackend/none/edit', get: 404, post: 404 },
  { url: 'webdesignincludebackend/:Id/:eventState', path: '/webdesignincludebackend/none/show', get: 404, post: 405 },
  page('tennisrelated'),
  { url: 'tennisrelated/:id/add', path: '/tennisrelated/new/add', get: 200, post: administrators(400) },
  { url: 'tennisrelated/:id/edit', path: '/tennisrelated/none/edit', get: 404, post: 404 },
  { url: 'tennisrelated/:id/edit', path: '/tennisrelated/{match}/edit', get: 200, post: administrators(400) },
  { url: 'tennisrelated/:Id/:eventState', path: '/tennisrelated/none/show', get: 404, post: 405 },
  page('socialefficiency'),
  { url: 'socialefficiency/:id/add', path: '/socialefficiency/new/add', get: 200, post: administrators(400) },
  { url: 'socialefficiency/:id/edit', path: '/socialefficiency/none/edit', get: 404, post: 404 },
  { url: 'socialefficiency/:Id/:eventState', path: '/socialefficiency/none/show', get: 404, post: 405 },
  { url: 'information', path: '/information', get: 301 },
  { url: 'businessdays', path: '/businessdays', get: 301 },
  { url: '*', path: '/unknown', get: 404, post: 405 },
  { url: 'welcome/shop', path: '/welcome/shop', get: 200, post: administrators(302) },
  { url: 'welcome/hours', path: '/welcome/hours', get: 200, post: administrators(400) },
  { url: 'welcome/pictures', path: '/welcome/pictures', get: 200, post: administrators(400) },
  // An empty form is valid: it hides all optional pages.
  { url: 'welcome/pages', path: '/welcome/pages', get: 200, post: administrators(302) },
]

const circlePeople = ['applicant', 'approved', 'administrator'] as const
const isAdministrator = (person: Person) => person === 'administrator' || person === 'manager'

const privateFields = (person: string) => ({
  username: `名の秘密-${person}`,
  email: `${person}@secret.example`,
  address: `住所の秘密-${person}`,
  telNum: `電話の秘密-${person}`,
  birthday: `誕生日の秘密-${person}`,
  realname: `本名の秘密-${person}`,
  profile: `自己紹介の秘密-${person}`,
})

/** Texts that only administrators may see: messages, card drafts, hidden pages, mail recipients, invitations, notes of RSVPs. */
const adminSecrets = {
  letter: '手紙の秘密',
  writer: 'writer@secret.example',
  recipient: 'recipient@secret.example',
  hidden: '隠したページの秘密',
  draft: '下書きの秘密',
  invited: '招かれた人の秘密',
  note: 'ひとことの秘密',
}
const staffEmails = { editor: demoAccounts.editor.email, manager: demoAccounts.manager.email }

/** The setting that reserves dishes, hours and events for staff. */
const STAFF_ONLY: keyof SiteSettings = 'dishesAndCalendarByStaffOnly'

let filledShop: ReturnType<typeof fillShop> | undefined

/** Fills the sample shop once with people and secrets. */
async function fillShop() {
  const sample = await sampleSite()
  const { db } = sample
  const visitors = await sample.people()
  const { editor, manager } = await sample.staff()
  await openAccounts(db, 'toss-high-9', noon)
  const idOf = (person: Person) => visitors[person]?.member?.id ?? ''
  for (const person of circlePeople) {
    await db.updateTable('members').set(privateFields(person)).where('id', '=', idOf(person)).execute()
  }
  const author = { accountId: null, at: new Date(noon).toISOString() }
  const [dish] = await listCards(db, 'dining')
  const [match] = await listCards(db, 'tennisrelated')
  const [event] = await listAllEvents(db, null)
  const [special] = await listSpecialDays(db, '')
  for (const [name, title, shown] of [
    ['about', '店のこと', true],
    ['hidden', adminSecrets.hidden, false],
  ] as const) {
    await addPage(db, `p-${name}`, { ...pageSettingsOf(`p-${name}`, null), title, shown }, author)
  }
  await addCard(db, 'tennisrelated', { title: adminSecrets.draft, content: '', draft: true }, author)
  const section = crypto.randomUUID()
  await saveSection(db, section, { version: 0, facts: { name: 'お飲みもの' } }, author)
  const { letter: text, writer: from } = adminSecrets
  const arrival = { address: null, spam: false, origin: 'http://localhost', now: noon }
  await receiveMessage(db, { to: 'shop', subject: text, text, from }, arrival)
  await invite(
    db,
    { name: adminSecrets.invited, role: 'editing' },
    { owner: manager?.accountId ?? '', form: '', key: '', at: author.at },
    'secret',
  )
  const notice = crypto.randomUUID()
  const meeting = crypto.randomUUID()
  await addEvent(db, meeting, Event.parse({ day: '2026-11-28', title: '夜の練習', attendance: true }), author)
  const rsvp = { answer: 'yes', note: adminSecrets.note } as const
  const member = { eventId: meeting, memberId: idOf('administrator'), version: 0 }
  await saveRsvp(db, { ...member, said: rsvp }, author, '2026-11-20')
  const guest = crypto.randomUUID()
  await addGuest(db, { id: guest, eventId: meeting, name: '招いた人' }, author)
  await saveNotice(db, notice, { version: 0, facts: { text: '正月の準備', shownFrom: '2027-01-01T00:00' } }, author)
  const { facts } = await readSiteToEdit(db)
  await changeSite(db, { recipients: { ...facts.recipients, shop: adminSecrets.recipient } })
  const past = crypto.randomUUID()
  await addEvent(db, past, Event.parse({ day: '2026-11-19', title: '練習', attendance: true }), author)
  const { secret } = createTestDependencies(db, sample.live)
  const answerToken = (person: Person, eventId: string) =>
    createMemberToken(secret, 'answer', { memberId: idOf(person), subject: eventId })
  const tokens = {
    answer: answerToken('approved', meeting),
    past: answerToken('approved', past),
    unapproved: answerToken('applicant', meeting),
    unsubscribe: createMemberToken(secret, 'unsubscribe', { memberId: idOf('approved'), subject: 'change' }),
  }
  const ids = { idOf, dish, section, match, event, special, notice, meeting, guest, editor }
  return { open: await copySqlite(db), ...ids, tokens }
}

async function changeSite(db: Db, facts: Partial<SiteSettings>) {
  const current = await readSiteToEdit(db)
  const author = { accountId: null, at: new Date(noon).toISOString() }
  await saveSite(db, { version: current.version, facts: { ...current.facts, ...facts } }, author)
}

async function site() {
  filledShop ??= fillShop()
  const { open, idOf, dish, section, match, event, special, notice, meeting, guest, editor, tokens } = await filledShop
  const sample = await sampleSite(await open())
  // `{other}` is the record of another member.
  const pathFor = (person: Person, path: string) =>
    path
      .replace('{written}', 'about')
      .replace('{dish}', dish?.id ?? '')
      .replace('{section}', section)
      .replace('{match}', match?.id ?? '')
      .replace('{event}', event?.id ?? '')
      .replace('{special}', special?.day ?? '')
      .replace('{notice}', notice)
      .replace('{meeting}', meeting)
      .replace('{guest}', guest)
      .replace('{editor}', editor?.staff?.id ?? '')
      .replace(/\{(answer|past|unapproved|unsubscribe)\}/, (_, name: keyof typeof tokens) => tokens[name])
      .replace('{own}', idOf(person) || idOf('approved'))
      .replace('{other}', idOf(person === 'administrator' ? 'approved' : 'administrator'))
  const call = (person: Person, method: string, path: string) =>
    as(person, pathFor(person, path), {
      method,
      headers: { 'content-type': 'application/json', origin: 'http://localhost' },
      ...(method !== 'GET' && { body: '{}' }),
    })
  const { as } = sample
  const reserveForStaff = () => changeSite(sample.db, { [STAFF_ONLY]: true })
  return { ...sample, idOf, pathFor, call, reserveForStaff, editor }
}

const statusFor = (statuses: Statuses, person: Person) => (typeof statuses === 'number' ? statuses : statuses[person])

test('the access matrix contains every route', () => {
  const urls = (entries: RouteConfigEntry[]): string[] =>
    entries.flatMap(({ path = '', children = [] }) => [path, ...urls(children)])
  expect([...new Set(routeAccess.map(({ url }) => url))].sort()).toEqual([...new Set(urls(routes))].sort())
})

// Each write sends `{}`, without fields or a version.
const calls: [method: string, path: string, expected: Statuses][] = [
  ...(
    [
      'dining',
      'sections',
      'events',
      'bussinessDays',
      'bussinessDaysSpecial',
      'home',
      'members',
      'pages',
      'p-about',
    ] as const
  ).map((name) => ['GET', name, 200] as [string, string, Statuses]),
  ['GET', 'p-none', 404],
  ['GET', 'p-hidden', administratorsAndOthers(200, 404)],
  ['GET', 'dining/{dish}', 200],
  ['POST', 'dining', editors(400)],
  ['PATCH', 'dining/{dish}', editors(409)],
  ['DELETE', 'dining/{dish}', editors(409)],
  ['GET', 'sections/{section}', 200],
  ['POST', 'sections', editors(400)],
  ['PATCH', 'sections/{section}', editors(409)],
  ['DELETE', 'sections/{section}', editors(409)],
  ['GET', 'events/{event}', 200],
  ['POST', 'events', editors(400)],
  ['PATCH', 'events/{event}', editors(409)],
  ['DELETE', 'events/{event}', editors(409)],
  ['GET', 'bussinessDays/week', 200],
  ['POST', 'bussinessDays', editors(400)],
  ['PATCH', 'bussinessDays/week', editors(409)],
  ['DELETE', 'bussinessDays/week', editors(409)],
  ['POST', 'bussinessDaysSpecial', editors(400)],
  ['PATCH', 'bussinessDaysSpecial/{special}', editors(409)],
  ['DELETE', 'bussinessDaysSpecial/{special}', editors(409)],
  ['POST', 'home', administrators(400)],
  ['PATCH', 'tennisrelated/{match}', administrators(409)],
  ['DELETE', 'tennisrelated/{match}', administrators(409)],
  // A dish is not found under the name of another collection.
  ['PATCH', 'home/{dish}', administrators(404)],
  ['GET', 'members/{other}', { ...administratorsAndOthers(200, 404), approved: 200 }],
  ['POST', 'members', accounts(400)],
  ['PATCH', 'members/{own}', owners(409)],
  ['PATCH', 'members/{other}', administrators(409)],
  ['DELETE', 'members/{own}', administrators(409)],
  ['DELETE', 'members/{other}', administrators(409)],
  ['GET', 'pages/p-about', 200],
  ['GET', 'pages/p-hidden', administratorsAndOthers(200, 404)],
  ['GET', 'pages/p-none', 404],
  ['POST', 'pages', administrators(400)],
  ['PATCH', 'pages/dining', administrators(409)],
  ['DELETE', 'pages/p-about', administrators(409)],
  ['POST', 'p-about', administrators(400)],
  ['POST', 'p-none', 404],
  ['POST', 'p-hidden', administratorsAndOthers(400, 404)],
  // These names are tables, but not collections.
  ...(['staff', 'invitations', 'welcomeKeys', 'accounts', 'messages'] as const).flatMap((name) =>
    ['GET', 'POST'].map((method) => [method, name, 404] as [string, string, Statuses]),
  ),
]

const topicStatuses: Record<Topic | 'none', Statuses> = {
  ...(Object.fromEntries(topics.map((topic) => [topic, 200])) as Record<Topic, Statuses>),
  members: { ...administratorsAndOthers(200, 403), approved: 200, editor: 200 },
  answers: { ...administratorsAndOthers(200, 403), approved: 200, editor: 200 },
  backups: administratorsAndOthers(200, 403),
  messages: administratorsAndOthers(200, 403),
  none: 400,
}

/** The visitors who may see the history of each record type and revert its changes. */
const historyAccess: [subject: string, of: string, who: (status: number) => StatusByPerson][] = [
  ['card', '{dish}', editors],
  ['card', '{match}', administrators],
  ['event', '{event}', editors],
  ['businessWeek', '', editors],
  ['specialDay', '{special}', editors],
  ['notice', '{notice}', editors],
  ['guest', '{guest}', shop],
  ['site', '', administrators],
  ['page', 'p-about', administrators],
  ['member', '{other}', administrators],
  ['staff', '{editor}', administrators],
]

const organiserPath = /\/people(?:\.csv)?$|\/memberlist(?:\.csv$|\/message)/

const documents = new Map<Person, ReturnType<typeof readDocuments>>()

/** Requests the document of every page once for each person. */
function documentsOf(person: Person) {
  const found = documents.get(person) ?? readDocuments(person)
  documents.set(person, found)
  return found
}

async function readDocuments(person: Person) {
  const { as, pathFor } = await site()
  const found: { pattern: string; path: string; status: number; html: string }[] = []
  for (const { path: pattern = '' } of routeAccess) {
    const path = pathFor(person, pattern)
    const response = await as(person, path)
    found.push({ pattern, path, status: response.status, html: await response.text() })
  }
  return found
}

/** Returns the paths of the pages that show a secret to an administrator. */
async function findSecretPages() {
  const fields = circlePeople.flatMap((person) => Object.values(privateFields(person)))
  const secrets = [...fields, ...Object.values(adminSecrets), ...Object.values(staffEmails)]
  const found = (await documentsOf('manager')).filter(({ html }) => secrets.some((secret) => html.includes(secret)))
  expect(found.length).toBeGreaterThan(10)
  return found.map(({ pattern }) => pattern)
}

describe.each(people)('the server, for the visitor "%s"', (person) => {
  test('returns each page with the expected status and without hidden data', async () => {
    const { as, call, pathFor } = await site()
    const bodies: string[] = []
    const assertHidden = (body: string, path: string, isMemberForm = false) => {
      bodies.push(body)
      for (const owner of circlePeople) {
        const { profile, username, birthday, realname, ...contact } = privateFields(owner)
        const own = owner === person
        const maySee = own || isAdministrator(person)
        if (!maySee)
          for (const hidden of Object.values(contact)) expect(body, `${path}: ${owner}`).not.toContain(hidden)
        if (!maySee && !(person === 'approved' && owner === 'administrator')) {
          expect(body, `${path}: ${owner}`).not.toContain(profile)
          // Editors organise events, so they see the names of approved members on the pages for this work. An answer link
          // names its member.
          const seesName =
            (person === 'editor' && owner !== 'applicant' && organiserPath.test(path)) ||
            (path.startsWith('/answer') && owner === 'approved')
          if (!seesName) expect(body, `${path}: ${owner}`).not.toContain(username)
        }
        if (!isMemberForm || !maySee) {
          for (const hidden of [birthday, realname]) expect(body, `${path}: ${owner}`).not.toContain(hidden)
        }
      }
      if (isAdministrator(person)) return
      for (const hidden of Object.values(adminSecrets)) expect(body, path).not.toContain(hidden)
      for (const [staffMember, email] of Object.entries(staffEmails)) {
        if (staffMember !== person) expect(body, path).not.toContain(email)
      }
    }
    const expected = routeAccess.map(({ path = '', get }) => [path, statusFor(get, person)])
    const found = await documentsOf(person)
    expect(found.map(({ pattern, status }) => [pattern, status])).toEqual(expected)
    const secretPages = await findSecretPages()
    for (const { pattern, path, html } of found) {
      const isMemberForm = pattern.startsWith('/membercreate/')
      assertHidden(html, path, isMemberForm)
      // A document contains the data of its page. The data alone is another response, which must not reveal a secret.
      if (secretPages.includes(pattern))
        assertHidden(await (await as(person, dataPathOf(path))).text(), path, isMemberForm)
    }
    for (const [method, path] of calls) {
      if (method === 'GET') assertHidden(await (await call(person, method, `/api/collections/${path}`)).text(), path)
    }
    for (const [subject, recordId] of historyAccess) {
      const path = pathFor(person, `/history/${subject}/${recordId}`)
      assertHidden(await (await as(person, path)).text(), path)
    }
    // The texts appear for permitted visitors, so their absence above is meaningful.
    const all = bodies.join()
    const own = isAdministrator(person) ? [...Object.values(adminSecrets), ...Object.values(staffEmails)] : []
    for (const shown of own) expect(all).toContain(shown)
    if (isAdministrator(person)) for (const owner of circlePeople) expect(all).toContain(privateFields(owner).telNum)
    if (person === 'approved') expect(all).toContain(privateFields('administrator').username)
  })

  test('returns the expected status and the reason for each empty form, and changes nothing', async () => {
    const { db, post, pathFor } = await site()
    const all = async () => [
      await db.selectFrom('members').selectAll().orderBy('id').execute(),
      await db.selectFrom('cards').selectAll().orderBy('id').execute(),
      await db.selectFrom('staff').selectAll().orderBy('id').execute(),
      await db.selectFrom('invitations').selectAll().orderBy('key').execute(),
    ]
    const before = await all()
    for (const { path: pattern = '', post: expected } of routeAccess) {
      if (expected === undefined) continue
      const path = pathFor(person, pattern)
      const status = statusFor(expected, person)
      const isDenied = status === 401 || status === 403
      // The confirm screen shows an alert to guests. The backup page requests the password of administrators.
      const hasReason =
        isDenied &&
        (status !== 401 || !(/^\/memberdetailconfirm/.test(path) || (person !== 'guest' && path === '/backup')))
      // The document repeats the whole page with the reason, so that only guests and members request it.
      if (!hasReason || person === 'guest' || person === 'applicant')
        expect((await post(person, path, {})).status, `POST ${path}`).toBe(status)
      if (!hasReason) continue
      const response = await post(person, dataPathOf(path), {})
      expect(response.status, `POST ${path} by script`).toBe(status)
      const answer = await actionDataOf(response)
      const trouble = expect.stringMatching(status === 401 ? /ログインして(?:ください|から)/ : /だけが.+ます。/)
      expect(answer, `POST ${path}`).toMatchObject({ trouble, signIn: status === 401 })
    }
    expect(await all()).toEqual(before)
  })

  test('returns the expected status for each JSON call and changes nothing', async () => {
    const { db, call } = await site()
    const revisions = () => db.selectFrom('revisions').select('id').orderBy('id').execute()
    const before = await revisions()
    for (const [method, path, expected] of calls) {
      const { status } = await call(person, method, `/api/collections/${path}`)
      expect(status, `${method} ${path}`).toBe(statusFor(expected, person))
    }
    expect(await revisions()).toEqual(before)
  })

  test('returns the expected status for each JSON call with an API token and changes nothing', async () => {
    const { db, get, pathFor } = await site()
    if (person === 'guest') return
    const { accountId } = demoAccounts[person]
    const revisions = () => db.selectFrom('revisions').select('id').orderBy('id').execute()
    const before = await revisions()
    for (const scope of ['read', 'write'] as const) {
      const authorization = `Bearer ${await addApiToken(db, accountId, scope)}`
      const headers = { authorization, 'content-type': 'application/json' }
      const send = async (method: string, path: string) => {
        const body = method === 'GET' ? {} : { body: '{}' }
        const { status } = await get(pathFor(person, path), { method, headers, ...body })
        return status
      }
      const expectedOf = (method: string, status: number) => {
        if (!isAdministrator(person)) return 401
        return scope === 'read' && method !== 'GET' ? 403 : status
      }
      for (const [method, path, expected] of calls)
        expect(await send(method, `/api/collections/${path}`), `${scope} ${method} ${path}`).toBe(
          expectedOf(method, statusFor(expected, person)),
        )
      for (const [path, status] of [
        ['/api/upload', 415],
        ['/api/delete', 400],
        ['/api/mail', 400],
      ] as const)
        expect(await send('POST', path), `${scope} ${path}`).toBe(expectedOf('POST', status))
      for (const [topic, expected] of Object.entries(topicStatuses)) {
        const response = await get(`/api/live?topics=${topic}`, { headers: { ...headers, accept: 'application/json' } })
        expect(response.status, `${scope} ${topic}`).toBe(expectedOf('GET', statusFor(expected, person)))
      }
      // Pages ignore the token, so this visitor is a guest there.
      for (const { path = '', post } of routeAccess)
        if (post === 401 || (typeof post === 'object' && post.guest === 401)) {
          const form = { method: 'POST', headers: { authorization }, body: new URLSearchParams() }
          const { status } = await get(pathFor(person, path), form)
          expect(status, `${scope} POST ${path}`).toBe(401)
        }
    }
    expect(await revisions()).toEqual(before)
  })

  test('returns the expected status for each logo image', async () => {
    const { as } = await site()
    for (const [path, status] of [
      ['/favicon.ico', 302],
      [`/seal/${'0'.repeat(16)}/icon-32.png`, 302],
      ['/seal/none/icon-32.png', 404],
      [`/seal/${'0'.repeat(16)}/other.png`, 404],
    ] as const) {
      expect((await as(person, path)).status, path).toBe(status)
    }
  })

  test('permits subscriptions only to visible topics', async () => {
    const { as } = await site()
    for (const [topic, expected] of Object.entries(topicStatuses)) {
      for (const accept of ['text/event-stream', 'application/json']) {
        const response = await as(person, `/api/live?topics=${topic}`, { headers: { accept } })
        await response.body?.cancel()
        expect(response.status, `${topic} as ${accept}`).toBe(statusFor(expected, person))
      }
    }
  })

  test('permits history and revert only to visitors who may edit the record', async () => {
    const { db, as, post, pathFor } = await site()
    const history = () =>
      db.selectFrom('revisions').select(['id', 'subject', 'subjectId']).orderBy('at').orderBy('id').execute()
    for (const [subject, recordId, permitted] of historyAccess) {
      const before = await history()
      const id = pathFor(person, recordId)
      const ownRevision = before.find((revision) => revision.subject === subject && (!id || id === revision.subjectId))
      const { entries } = await (await as(person, `/history/${subject}/${ownRevision?.subjectId}`)).json()
      const status = permitted(['card', 'notice'].includes(subject) ? 302 : 200)[person]
      expect(entries.length > 0, `${person}: the past of ${subject}`).toBe(status < 400)
      const response = await post(person, '/undo', { revision: ownRevision?.id ?? '' })
      expect(response.status, `${person}: ${subject}`).toBe(status)
      if (status >= 400) expect(await history()).toEqual(before)
    }
  })

  test('lets only staff edit dishes and calendar when the site reserves both for staff', async () => {
    const { call, post, pathFor, reserveForStaff } = await site()
    await reserveForStaff()
    for (const [method, path, expected] of calls) {
      if (!/^(dining|sections|events|bussinessDays)/.test(path) || method === 'GET') continue
      const status = statusFor(expected, person)
      const { status: actual } = await call(person, method, `/api/collections/${path}`)
      expect(actual, `${method} ${path}`).toBe(shop(status)[person])
    }
    for (const [path, status] of [
      ['/bussinessdays', 400],
      ['/today', 409],
      ['/dining', 400],
      ['/dining/new/add', 400],
      ['/dining/prices', 400],
      ['/dining/{dish}/edit', 400],
      ['/dining/sections/{section}/edit', 400],
      ['/firestoreservice/{dish}/edit', 400],
      ['/calendar', 400],
      ['/bin', 400],
    ] as const) {
      expect((await post(person, pathFor(person, path), {})).status, path).toBe(shop(status)[person])
    }
    expect((await call(person, 'POST', '/api/upload')).status).toBe(shop(415)[person])
    expect((await call(person, 'POST', '/api/delete')).status).toBe(shop(400)[person])
  })

  test('permits the upload and removal of images only to editors', async () => {
    const { db, as } = await site()
    const send = async (path: string, init: RequestInit) => {
      const response = await as(person, path, { method: 'POST', ...init })
      const result = await response.json()
      if (path === '/api/upload') expect(result).toMatchObject({ success: false, url: '', message: expect.any(String) })
      return response.status
    }
    expect(await send('/api/upload', {})).toBe(editors(415)[person])
    expect(await send('/api/delete', {})).toBe(editors(415)[person])
    const form = new FormData()
    form.append('image', new File(['GIF89a'], 'photo.gif'))
    expect(await send('/api/upload', { body: form })).toBe(editors(400)[person])
    const headers = { 'content-type': 'application/json' }
    expect(await send('/api/delete', { headers, body: '{"filename":"x.jpg"}' })).toBe(editors(404)[person])
    expect(await send('/api/upload', { body: form, headers: { origin: 'https://elsewhere.example' } })).toBe(403)
    expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
  })

  test('rejects a backup download without a valid permit', async () => {
    const { db, as } = await site()
    const expected = administrators(303)[person]
    for (const query of ['', '?permit=', `?permit=${noon * 2}.${'a'.repeat(43)}`]) {
      const response = await as(person, `/backup/file${query}`)
      expect([response.status, response.headers.get('content-disposition')], query).toEqual([expected, null])
      expect(await response.text()).not.toContain('"noren":"backup"')
      if (isAdministrator(person)) expect(response.headers.get('location')).toBe('/backup?trouble=over')
    }
    expect((await as(person, '/backup/file', { method: 'HEAD' })).status).toBe(405)
    expect(await db.selectFrom('backupCopies').selectAll().execute()).toEqual([])
  })

  const memberActions: MemberAction[] = [
    'approve',
    'withdraw',
    'make administrator',
    'unmake administrator',
    'delete',
    'restore',
  ]
  test('permits only administrators to manage members', async () => {
    let current = await site()
    for (const [memberAction, target] of memberActions.flatMap((action) =>
      (['applicant', 'approved'] as const).map((target) => [action, target] as const),
    )) {
      // A permitted action changes the member, so that the next action needs another site.
      if (isAdministrator(person) && target === 'applicant') current = await site()
      const { db, post, idOf } = current
      const row = () => db.selectFrom('members').selectAll().where('id', '=', idOf(target)).executeTakeFirst()
      const before = await row()
      const { status } = await post(person, '/memberlist', { deed: memberAction, member: idOf(target) })
      expect(status, memberAction).toBe(administrators(200)[person])
      if (!isAdministrator(person)) expect(await row()).toEqual(before)
    }
  })

  test('permits only administrators to manage invitations and staff', async () => {
    const { db, post, editor } = await site()
    const id = editor?.staff?.id ?? ''
    const { key } = await db.selectFrom('invitations').select('key').executeTakeFirstOrThrow()
    const all = async () => [
      await db.selectFrom('staff').selectAll().orderBy('id').execute(),
      await db.selectFrom('invitations').selectAll().orderBy('key').execute(),
    ]
    const before = await all()
    const forms: Record<string, string>[] = [
      { intent: 'invite', name: '新しい人', role: 'administration' },
      { intent: `invitation ${key}`, key },
      { intent: `give ${id}`, id, version: '1', role: 'administration' },
      { intent: `end ${id}`, id, version: '2' },
    ]
    for (const fields of forms) {
      expect((await post(person, '/staff', fields)).status, fields.intent).toBe(administrators(200)[person])
    }
    if (!isAdministrator(person)) expect(await all()).toEqual(before)
  })
})

describe('privileged fields sent by a member', () => {
  const valueSets = [
    ['true', 'on'],
    ['1', '{"id":"demo-administrator"}', '2000-01-01T00:00:00.000Z'],
  ]
  const names = [
    'administrator',
    'admin',
    'author',
    'id',
    'accountId',
    'nonMemberId',
    'version',
    'createdAt',
    'updatedAt',
    'deletedAt',
    'birthday',
    'realname',
  ]
  const spellings = (name: string) => [
    [name],
    [name, name],
    [`member[${name}]`, `fields.${name}`, `${name}[id]`, `${name}.id`],
    ['__proto__', `__proto__[${name}]`, `__proto__.${name}`, `constructor[prototype][${name}]`],
    ['flags', name],
  ]
  const validFields: Record<string, string> = {
    ...Object.fromEntries(memberFieldNames.map((name) => [name, '変更しました'])),
    accountname: '新しい名',
    email: 'new@example.jp',
  }

  /** Returns a form with additional fields: every value under every spelling of the name. */
  function formWith(fields: Record<string, string>, spelling: string[], values: string[]) {
    const form = new URLSearchParams(fields)
    for (const fieldName of spelling) for (const value of values) form.append(fieldName, value)
    return form
  }

  test.each(names)('are ignored by the form parsers, however the field name %s is spelled', async (name) => {
    for (const spelling of spellings(name)) {
      for (const values of valueSets) {
        const ignored: string[] = []
        const body = formWith(validFields, spelling, values)
        const form = await readForm(
          new Request('http://localhost/membercreate', { method: 'POST', body }),
          listFormFields({ mayGiveFlags: false }),
          { others: (names) => ignored.push(...names) },
        )
        expect(ignored).toEqual([...new Set(spelling)])
        for (const step of [1, 2, 3, 4, 5] as const) {
          expect(readStepInput(form, step)).toEqual(
            Object.fromEntries(fieldsOf(step).map((field) => [field, validFields[field]])),
          )
        }
        const submitted = { ...validFields, ...Object.fromEntries(formWith({}, spelling, values)) }
        expect(parseMember(submitted)).toEqual({ fields: validFields })
      }
    }
  })

  test('stay unchanged in every write', async () => {
    const { db, post, idOf, logged } = await site()
    const id = idOf('applicant')
    const row = () => db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const before = await row()
    for (const name of names) {
      const send = (path: string, fields: Record<string, string>) =>
        post('applicant', path, formWith(fields, spellings(name).flat(), valueSets.flat()))
      await send(`/membercreate/${id}`, { ...validFields, step: '1', intent: 'next' })
      const logEntry = logged.findLast(({ msg }) => msg === 'fields ignored')
      expect(logEntry?.ignored, name).toContain(name)
      await send('/memberlist', { member: id, deed: name })
    }
    const everything = names.flatMap((name) => spellings(name).flat())
    for (const step of ['2', '3', '4', '5']) {
      await post(
        'applicant',
        `/membercreate/${id}`,
        formWith({ ...validFields, step, intent: 'next' }, everything, ['1']),
      )
    }
    await post('applicant', `/memberdetailconfirm?for=${id}`, formWith({}, everything, ['true']))
    const { updatedAt, version, ...otherColumns } = before
    // The permitted fields were saved once.
    expect(await row()).toEqual({
      ...otherColumns,
      ...validFields,
      accountnameKey: '新しい名',
      version: version + 1,
      updatedAt,
    })
    expect(await db.selectFrom('members').select('id').where('administrator', '=', true).execute()).toHaveLength(1)
  })

  test('are ignored when a new member registers', async () => {
    const { db, post } = await site()
    const flags = { administrator: 'true', admin: 'true', flags: '1', accountId: 'other', nonMemberId: 'nonMember-1' }
    for (const step of [1, 2, 3, 4, 5]) {
      await post('signedIn', '/membercreate', { ...validFields, ...flags, step: String(step), intent: 'next' })
    }
    const { status } = await post('signedIn', '/memberdetailconfirm', flags)
    expect(status).toBe(302)
    const row = await db.selectFrom('members').selectAll().where('accountnameKey', '=', '新しい名').executeTakeFirst()
    expect(row).toMatchObject({
      administrator: false,
      admin: false,
      accountId: 'demo-signed-in',
      nonMemberId: null,
      version: 1,
    })
  })
})
