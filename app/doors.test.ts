import type { RouteConfigEntry } from '@react-router/dev/routes'
import { describe, expect, test } from 'vitest'
import { freshSqlite } from '../db/testing.ts'
import type { Person } from '../server/demo.ts'
import { noon, sampleSite } from '../server/testing.ts'
import { listCards } from './cards/cards.server.ts'
import { readForm } from './form.server.ts'
import type { Deed } from './members/administration.server.ts'
import { fieldsOf, memberFieldNames } from './members/member.ts'
import { formFields, typedIn } from './members/member-drafting.server.ts'
import { parseMember } from './members/member-schema.ts'
import { pageFactsOf } from './pages/page-record.server.ts'
import { addPage } from './pages/pages.server.ts'
import routes from './routes.ts'

const people = ['guest', 'signedIn', 'applicant', 'approved', 'administrator', 'editor', 'manager'] as const

/** One answer for everyone, or one for each of the people. */
type Statuses = number | readonly [number, number, number, number, number]
type Door = { url: string; path?: string; get: Statuses; post?: Statuses }

/** Opens a page of everyone's that takes no forms. */
const page = (url: string, path = `/${url}`): Door => ({ url, path, get: 200, post: 405 })

// Every screen opens for everyone; what may be saved differs. `{own}` and `{other}` are members' ids,
// `{dish}` and `{match}` cards' of two collections.
const doors: Door[] = [
  page('', '/'),
  { url: '', path: '/?index', get: 200, post: [401, 403, 403, 403, 409] },
  { url: 'home', path: '/home', get: 200, post: [401, 403, 403, 403, 409] },
  page('infomation'),
  { url: 'bussinessdays', path: '/bussinessdays', get: 200, post: [401, 403, 403, 400, 400] },
  { url: 'today', path: '/today', get: 200, post: [401, 403, 403, 409, 409] },
  { url: 'dining', path: '/dining', get: 200, post: [401, 403, 403, 400, 400] },
  { url: 'new/add', path: '/dining/new/add', get: 200, post: [401, 403, 403, 400, 400] },
  { url: ':id/edit', path: '/dining/{dish}/edit', get: 200, post: [401, 403, 403, 400, 400] },
  { url: ':id/edit', path: '/dining/{match}/edit', get: 404, post: [401, 403, 403, 403, 400] },
  { url: 'dining', path: '/dining?add', get: 302, post: 302 },
  { url: 'dining', path: '/dining?edit={dish}', get: 302, post: 302 },
  page('access'),
  { url: 'calendar', path: '/calendar', get: 200, post: [401, 403, 403, 400, 400] },
  { url: 'undo', path: '/undo', get: 200, post: 404 },
  { url: 'history/:subject/:id', path: '/history/event/none', get: 200 },
  { url: 'calendar.ics', path: '/calendar.ics', get: 200 },
  { url: 'calendar/:file', path: '/calendar/none.ics', get: 404 },
  { url: 'mail', path: '/mail', get: 200, post: 400 },
  { url: 'inbox', path: '/inbox', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'site', path: '/site', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'pages', path: '/pages', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'p/:name', path: '/p/{written}', get: 200, post: 405 },
  { url: 'p/:name', path: '/p/none', get: 404, post: 405 },
  { url: 'p/:name', path: '/p/No!', get: 404, post: 405 },
  {
    url: 'firestoreservice',
    path: '/firestoreservice?databasename=p-{written}',
    get: 200,
    post: [401, 403, 403, 403, 400],
  },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=p-none', get: 404, post: 404 },
  { url: 'pages/:id/edit', path: '/pages/dining/edit', get: 200, post: [401, 403, 403, 403, 400] },
  {
    url: 'pages/:id/edit',
    path: '/pages/none/edit',
    get: [200, 200, 200, 200, 404],
    post: [401, 403, 403, 403, 404],
  },
  { url: 'bin', path: '/bin', get: 200, post: [401, 403, 403, 400, 400] },
  // An administrator has no session here either, whose password could be asked for: see backup-page.test.ts.
  { url: 'backup', path: '/backup', get: 200, post: [401, 403, 403, 403, 401] },
  page('login'),
  { url: 'login/google', path: '/login/google', get: 302 },
  { url: 'login/finished', path: '/login/finished', get: 302, post: 405 },
  { url: 'login/welcome', path: '/login/welcome', get: [302, 200, 302, 302, 302], post: 405 },
  { url: 'emaillogin', path: '/emaillogin', get: 200, post: 400 },
  { url: 'signupform', path: '/signupform', get: 200, post: 400 },
  { url: 'resetpassword', path: '/resetpassword', get: 200, post: 400 },
  { url: 'verifyemail', path: '/verifyemail', get: 200, post: 410 },
  { url: 'undoaddress', path: '/undoaddress', get: 200, post: 410 },
  // Nobody here has a session: what an account's own may do is in accounts.test.ts.
  { url: 'account', path: '/account', get: 200, post: 401 },
  { url: 'account/data', path: '/account/data', get: 401 },
  { url: 'logout', path: '/logout', get: 200, post: 302 },
  page('privacy'),

  // An empty form: nothing is filled in, so a guest too is told which fields are missing; who has registered is refused.
  { url: 'membercreate', path: '/membercreate', get: 200, post: [400, 400, 403, 403, 403] },
  { url: 'membercreate', path: '/membercreate?for=nonmember', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'membercreate/:id', path: '/membercreate/{own}', get: 200, post: [401, 403, 400, 400, 400] },
  { url: 'membercreate/:id', path: '/membercreate/{other}', get: 200, post: [401, 403, 403, 403, 400] },
  {
    url: 'membercreate/:id',
    path: '/membercreate/none',
    get: [200, 200, 200, 200, 404],
    post: [401, 403, 403, 403, 403],
  },
  { url: 'membercreate/:id', path: '/membercreate/%20', get: 200, post: [401, 403, 403, 403, 403] },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm', get: 200, post: [401, 302, 302, 302, 302] },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for=nonmember', get: 200, post: [401, 403, 403, 403, 302] },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for={own}', get: 200, post: [401, 403, 302, 302, 302] },
  { url: 'memberdetailconfirm', path: '/memberdetailconfirm?for={other}', get: 200, post: [401, 403, 403, 403, 302] },
  { url: 'memberlist', path: '/memberlist', get: 200, post: [401, 403, 403, 403, 400] },

  // Whose collection is not known has nothing to be added to.
  { url: 'firestoreservice', path: '/firestoreservice', get: 200, post: 400 },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=members', get: 200, post: 400 },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=home', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'firestoreservice', path: '/firestoreservice?databasename=dining', get: 200, post: [401, 403, 403, 400, 400] },
  { url: 'firestoreservice/:id/add', path: '/firestoreservice/new/add', get: 200, post: 400 },
  { url: 'firestoreservice/:id/edit', path: '/firestoreservice/none/edit', get: 404, post: 404 },
  {
    url: 'firestoreservice/:id/edit',
    path: '/firestoreservice/{dish}/edit',
    get: 200,
    post: [401, 403, 403, 400, 400],
  },
  {
    url: 'firestoreservice/:id/edit',
    path: '/firestoreservice/{match}/edit',
    get: 200,
    post: [401, 403, 403, 403, 400],
  },
  page('videoproduction'),
  page('municipalarchitect'),
  page('vbacreate'),
  page('webdesignincludebackend'),
  {
    url: 'webdesignincludebackend/:id/add',
    path: '/webdesignincludebackend/new/add',
    get: 200,
    post: [401, 403, 403, 403, 400],
  },
  { url: 'webdesignincludebackend/:id/edit', path: '/webdesignincludebackend/none/edit', get: 404, post: 404 },
  { url: 'webdesignincludebackend/:Id/:eventState', path: '/webdesignincludebackend/none/show', get: 404, post: 405 },
  page('tennisrelated'),
  { url: 'tennisrelated/:id/add', path: '/tennisrelated/new/add', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'tennisrelated/:id/edit', path: '/tennisrelated/none/edit', get: 404, post: 404 },
  { url: 'tennisrelated/:id/edit', path: '/tennisrelated/{match}/edit', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'tennisrelated/:Id/:eventState', path: '/tennisrelated/none/show', get: 404, post: 405 },
  page('socialefficiency'),
  { url: 'socialefficiency/:id/add', path: '/socialefficiency/new/add', get: 200, post: [401, 403, 403, 403, 400] },
  { url: 'socialefficiency/:id/edit', path: '/socialefficiency/none/edit', get: 404, post: 404 },
  { url: 'socialefficiency/:Id/:eventState', path: '/socialefficiency/none/show', get: 404, post: 405 },
  { url: 'information', path: '/information', get: 301 },
  { url: 'businessdays', path: '/businessdays', get: 301 },
  { url: '*', path: '/unknown', get: 404, post: 405 },
]

const secret = (person: string) => ({
  email: `${person}@secret.example`,
  address: `住所の秘密-${person}`,
  telNum: `電話の秘密-${person}`,
  birthday: `誕生日の秘密-${person}`,
  realname: `本名の秘密-${person}`,
  profile: `自己紹介の秘密-${person}`,
})

async function site() {
  const db = await freshSqlite()
  const sample = await sampleSite(db)
  const visitors = await sample.people()
  const idOf = (person: Person) => visitors[person]?.member?.id ?? ''
  for (const person of ['applicant', 'approved', 'administrator'] as const) {
    await db.updateTable('members').set(secret(person)).where('id', '=', idOf(person)).execute()
  }
  const [dish] = await listCards(db, 'dining')
  const [match] = await listCards(db, 'tennisrelated')
  const facts = { ...pageFactsOf('p-about', null), title: '店のこと' }
  await addPage(db, 'p-about', facts, { accountId: null, at: new Date(noon).toISOString() })
  // The other's record is one that this visitor has no part in.
  const pathFor = (person: Person, path: string) =>
    path
      .replace('{written}', 'about')
      .replace('{dish}', dish?.id ?? '')
      .replace('{match}', match?.id ?? '')
      .replace('{own}', idOf(person) || idOf('approved'))
      .replace('{other}', idOf(person === 'administrator' ? 'approved' : 'administrator'))
  return { ...sample, idOf, pathFor }
}

const statusFor = (statuses: Statuses, person: Person) =>
  typeof statuses === 'number' ? statuses : statuses[people.indexOf(person)]

test('every address of the site has its doors in this table', () => {
  const urls = (entries: RouteConfigEntry[]): string[] =>
    entries.flatMap(({ path = '', children = [] }) => [path, ...urls(children)])
  expect([...new Set(doors.map(({ url }) => url))].sort()).toEqual([...new Set(urls(routes))].sort())
})

describe.each(people)('for %s', { timeout: 30_000 }, (person) => {
  test('each address opens as it should, and tells nothing that is not for them', async () => {
    const { as, pathFor } = await site()
    for (const { path = '', get } of doors) {
      const address = pathFor(person, path)
      const response = await as(person, address)
      expect(response.status, address).toBe(statusFor(get, person))
      const body = (await response.text()) + (await (await as(person, dataOf(address))).text())
      for (const someone of ['applicant', 'approved', 'administrator'] as const) {
        const { profile, birthday, realname, ...contact } = secret(someone)
        const own = someone === person
        const alone = path.startsWith('/membercreate/')
        if (!own && person !== 'administrator') {
          for (const hidden of Object.values(contact)) expect(body, `${address}: ${someone}`).not.toContain(hidden)
        }
        if (!own && person !== 'administrator' && !(person === 'approved' && someone === 'administrator')) {
          expect(body, `${address}: ${someone}`).not.toContain(profile)
        }
        if (!alone || (!own && person !== 'administrator')) {
          for (const hidden of [birthday, realname]) expect(body, `${address}: ${someone}`).not.toContain(hidden)
        }
      }
    }
  })

  test('each form is taken from those it is for, and nothing changes', async () => {
    const { db, post, pathFor } = await site()
    const all = async () => [
      await db.selectFrom('members').selectAll().orderBy('id').execute(),
      await db.selectFrom('cards').selectAll().orderBy('id').execute(),
    ]
    const before = await all()
    for (const { path = '', post: expected } of doors) {
      if (expected === undefined) continue
      const address = pathFor(person, path)
      const { status } = await post(person, address, {})
      expect(status, `POST ${address}`).toBe(statusFor(expected, person))
    }
    expect(await all()).toEqual(before)
  })

  test('each call of the pages, and of what the seal makes', async () => {
    const { db, as } = await site()
    const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
    const write = [401, 403, 403, 403, 400] as const
    const outdated = [401, 403, 403, 403, 409] as const
    const calls: [method: string, path: string, expected: Statuses][] = [
      ['GET', '/api/collections/pages', 200],
      ['GET', '/api/collections/pages/p-about', 200],
      ['GET', '/api/collections/pages/p-none', 404],
      ['GET', '/api/collections/p-about', 200],
      ['GET', '/api/collections/p-none', 404],
      ['POST', '/api/collections/pages', write],
      ['PATCH', '/api/collections/pages/dining', outdated],
      ['DELETE', '/api/collections/pages/p-about', outdated],
      ['POST', '/api/collections/p-about', write],
      ['POST', '/api/collections/p-none', 404],
      ['GET', '/favicon.ico', 302],
      ['GET', `/seal/${'0'.repeat(16)}/icon-32.png`, 302],
      ['GET', '/seal/none/icon-32.png', 404],
      ['GET', `/seal/${'0'.repeat(16)}/other.png`, 404],
    ]
    const before = await db.selectFrom('pages').selectAll().orderBy('id').execute()
    for (const [method, path, expected] of calls) {
      const { status } = await as(person, path, { method, headers, ...(method !== 'GET' && { body: '{}' }) })
      expect(status, `${method} ${path}`).toBe(statusFor(expected, person))
    }
    expect(await db.selectFrom('pages').selectAll().orderBy('id').execute()).toEqual(before)
  })

  test('each state is put back by those it is for', async () => {
    const { db, post, pathFor } = await site()
    const expected = { guest: 401, signedIn: 403, applicant: 403, approved: 302, administrator: 302 }[person]
    const forAdministrators = person === 'approved' ? 403 : expected
    const history = () => db.selectFrom('revisions').select(['id', 'subject', 'subjectId']).orderBy('at').execute()
    const before = await history()
    for (const [subject, status] of [
      ['card', forAdministrators],
      ['event', expected],
      ['businessWeek', expected],
      ['specialDay', expected],
      ['site', forAdministrators],
      ['page', forAdministrators],
      ['member', forAdministrators],
    ] as const) {
      const other = pathFor(person, '{other}')
      const own = before.find((each) => each.subject === subject && (subject !== 'member' || other === each.subjectId))
      const { status: answered } = await post(person, '/undo', { revision: own?.id ?? '' })
      expect(answered, `${person}: ${subject}`).toBe(status)
    }
    if (expected !== 302) expect(await history()).toEqual(before)
  })

  test('to upload a picture, and to remove one', async () => {
    const { db, as } = await site()
    const send = async (path: string, init: RequestInit) => {
      const response = await as(person, path, { method: 'POST', ...init })
      const answer = await response.json()
      if (path === '/api/upload') expect(answer).toMatchObject({ success: false, url: '', message: expect.any(String) })
      return response.status
    }
    const may = (status: number) => ({
      guest: 401,
      signedIn: 403,
      applicant: 403,
      approved: status,
      administrator: status,
    })
    expect(await send('/api/upload', {})).toBe(may(415)[person])
    expect(await send('/api/delete', {})).toBe(may(415)[person])
    const form = new FormData()
    form.append('image', new File(['GIF89a'], 'photo.gif'))
    expect(await send('/api/upload', { body: form })).toBe(may(400)[person])
    const headers = { 'content-type': 'application/json' }
    expect(await send('/api/delete', { headers, body: '{"filename":"x.jpg"}' })).toBe(may(404)[person])
    expect(await send('/api/upload', { body: form, headers: { origin: 'https://elsewhere.example' } })).toBe(403)
    expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
  })

  test('to take a backup away', async () => {
    const { db, as } = await site()
    const expected = { guest: 401, signedIn: 403, applicant: 403, approved: 403, administrator: 303 }[person]
    for (const query of ['', '?permit=', `?permit=${noon * 2}.${'a'.repeat(43)}`]) {
      const answer = await as(person, `/backup/file${query}`)
      expect([answer.status, answer.headers.get('content-disposition')], query).toEqual([expected, null])
      expect(await answer.text()).not.toContain('"noren":"backup"')
      if (person === 'administrator') expect(answer.headers.get('location')).toBe('/backup?trouble=over')
    }
    expect((await as(person, '/backup/file', { method: 'HEAD' })).status).toBe(405)
    expect(await db.selectFrom('backupCopies').selectAll().execute()).toEqual([])
  })

  const deeds: Deed[] = ['approve', 'withdraw', 'make administrator', 'unmake administrator', 'delete', 'restore']
  test.each(deeds)('to %s someone', async (deed) => {
    const { db, post, idOf } = await site()
    for (const whom of ['applicant', 'approved'] as const) {
      const before = await db.selectFrom('members').selectAll().where('id', '=', idOf(whom)).executeTakeFirst()
      const { status } = await post(person, '/memberlist', { deed, member: idOf(whom) })
      expect(status).toBe({ guest: 401, signedIn: 403, applicant: 403, approved: 403, administrator: 200 }[person])
      const after = await db.selectFrom('members').selectAll().where('id', '=', idOf(whom)).executeTakeFirst()
      if (person !== 'administrator') expect(after).toEqual(before)
    }
  })
})

function dataOf(path: string) {
  const [pathname = '', search] = path.split('?')
  const data = pathname === '/' ? '/_.data' : `${pathname}.data`
  return search ? `${data}?${search}` : data
}

describe('privileged fields sent by a member', { timeout: 30_000 }, () => {
  const values = [
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
  const filled: Record<string, string> = {
    ...Object.fromEntries(memberFieldNames.map((name) => [name, '変更しました'])),
    accountname: '新しい名',
    email: 'new@example.jp',
  }

  /** A form with fields beside its own: in this spelling, once with each value, or with all of them. */
  function formWith(fields: Record<string, string>, spelling: string[], several: string[]) {
    const form = new URLSearchParams(fields)
    for (const each of spelling) for (const value of several) form.append(each, value)
    return form
  }

  test.each(names)('%s is not read from a form, in no spelling', async (name) => {
    for (const spelling of spellings(name)) {
      for (const several of values) {
        const ignored: string[] = []
        const body = formWith(filled, spelling, several)
        const form = await readForm(
          new Request('http://localhost/membercreate', { method: 'POST', body }),
          formFields({ mayGiveFlags: false }),
          { others: (names) => ignored.push(...names) },
        )
        expect(ignored).toEqual([...new Set(spelling)])
        for (const step of [1, 2, 3, 4, 5] as const) {
          expect(typedIn(form, step)).toEqual(Object.fromEntries(fieldsOf(step).map((field) => [field, filled[field]])))
        }
        const sent = { ...filled, ...Object.fromEntries(formWith({}, spelling, several)) }
        expect(parseMember(sent)).toEqual({ fields: filled })
      }
    }
  })

  test('each stays as it is, in every write', async () => {
    const { db, post, idOf, logged } = await site()
    const id = idOf('applicant')
    const row = () => db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const before = await row()
    for (const name of names) {
      const send = (path: string, fields: Record<string, string>) =>
        post('applicant', path, formWith(fields, spellings(name).flat(), values.flat()))
      await send(`/membercreate/${id}`, { ...filled, step: '1', intent: 'next' })
      await send('/memberlist', { member: id, deed: name })
      const told = logged.findLast(({ msg }) => msg === 'fields ignored')
      expect(told?.ignored, name).toContain(name)
    }
    const everything = names.flatMap((name) => spellings(name).flat())
    for (const step of ['2', '3', '4', '5']) {
      await post('applicant', `/membercreate/${id}`, formWith({ ...filled, step, intent: 'next' }, everything, ['1']))
    }
    await post('applicant', `/memberdetailconfirm?for=${id}`, formWith({}, everything, ['true']))
    const { updatedAt, version, ...kept } = before
    // The edit itself went through, once.
    expect(await row()).toEqual({ ...kept, ...filled, accountnameKey: '新しい名', version: version + 1, updatedAt })
    expect(await db.selectFrom('members').select('id').where('administrator', '=', 1).execute()).toHaveLength(1)
  })

  test('and a newcomer registers without them', async () => {
    const { db, post } = await site()
    const flags = { administrator: 'true', admin: 'true', flags: '1', accountId: 'other', nonMemberId: 'nonMember-1' }
    for (const step of [1, 2, 3, 4, 5]) {
      await post('signedIn', '/membercreate', { ...filled, ...flags, step: String(step), intent: 'next' })
    }
    const { status } = await post('signedIn', '/memberdetailconfirm', flags)
    expect(status).toBe(302)
    const row = await db.selectFrom('members').selectAll().where('accountnameKey', '=', '新しい名').executeTakeFirst()
    expect(row).toMatchObject({
      administrator: 0,
      admin: 0,
      accountId: 'demo-signed-in',
      nonMemberId: null,
      version: 1,
    })
  })
})
