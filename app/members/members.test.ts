import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { type Account, browserOf, dataPathOf, noon, sampleSite } from '../../server/testing.ts'
import { hana } from '../../server/testing-account.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts, openAccounts, type Person } from '../../server/tools/demo.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { appointAdministrator } from './administration.server.ts'
import { readDraft, saveDraft } from './drafts.server.ts'
import { fieldsOf, type MemberFields, memberFieldNames, type Step, sentences } from './member.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

const createFields = (accountname: string) =>
  ({
    ...Object.fromEntries(memberFieldNames.map((name) => [name, `${name}の話`])),
    accountname,
    email: 'typed@example.jp',
  }) as MemberFields

/** Returns a browser with cookies. Setting `state.account` signs the browser in. */
function createBrowser({ app }: Site, account?: Account) {
  const cookies = new Map<string, string>()
  const state = { account }
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    if (state.account) headers.set('x-test-account', state.account.accountId)
    const response = await app.request(`http://localhost${path}`, { ...init, headers })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/max-age=0/i.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const post = (path: string, fields: Record<string, string>) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: 'http://localhost' } })
  const fill = async (fields: MemberFields, path = '/membercreate') => {
    let last: Response | undefined
    for (const step of [1, 2, 3, 4, 5] as Step[]) {
      const input = Object.fromEntries(fieldsOf(step).map((name) => [name, fields[name]]))
      last = await post(path, { ...input, step: String(step), intent: 'next' })
    }
    return last?.headers.get('location')
  }
  return { cookies, state, send, post, fill, text: async (path: string) => (await send(path)).text() }
}

const createAccount = (name: string): Account => ({
  accountId: `account-${name}`,
  name,
  email: `${name}@example.jp`,
  emailVerified: true,
})

function openBrowserAs(site: Site, name: string) {
  const account = createAccount(name)
  site.accounts.set(account.accountId, account)
  return createBrowser(site, account)
}

const readMembers = ({ db }: Site) => db.selectFrom('members').selectAll().execute()

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('makes the first member an administrator who can approve the second member', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const yui = openBrowserAs(site, 'yui')
    expect(await yui.fill(createFields('結'))).toBe('/memberdetailconfirm')
    const confirm = await yui.text('/memberdetailconfirm')
    for (const text of ['結', 'profileの話', '入力に戻る', '上記の内容で登録する']) expect(confirm).toContain(text)
    const confirmResponse = await yui.post('/memberdetailconfirm', { once: 'a' })
    expect([confirmResponse.status, confirmResponse.headers.get('location')]).toEqual([302, '/memberlist?done=first'])
    expect(await yui.text('/memberlist?done=first')).toContain(sentences.firstMember)

    const hana = openBrowserAs(site, 'hana')
    await hana.fill(createFields('花'))
    expect((await hana.post('/memberdetailconfirm', {})).headers.get('location')).toBe('/memberlist?done=registered')
    const list = await hana.text('/memberlist')
    expect(list).toContain(sentences.awaiting)
    expect(list.match(/<article/g)).toHaveLength(1)
    expect(list).not.toContain('参加申込</h2>')

    const [member] = (await readMembers(site)).filter(({ accountId }) => accountId === 'account-hana')
    const listBefore = await yui.text('/memberlist')
    expect(listBefore).toContain(sentences.firstApproval)
    const approval = await yui.post('/memberlist', { deed: 'approve', member: member?.id ?? '' })
    expect(await approval.text()).toContain('通知メール：お送りします')
    expect(await hana.text('/memberlist')).toContain('参加申込</h2>')
    expect(await yui.text('/memberlist')).not.toContain(sentences.firstApproval)
    expect(site.mails.at(-1)).toMatchObject({ to: 'hana@example.jp', subject: expect.stringContaining('承認') })
  })

  test.each([
    [
      'on the list',
      (site: Site, member: string) => site.post('administrator', '/memberlist', { deed: 'delete', member }),
    ],
    [
      'by the JSON API',
      (site: Site, member: string) =>
        site.as('administrator', `/api/collections/members/${member}`, {
          method: 'DELETE',
          headers: { origin: 'http://localhost', 'content-type': 'application/json' },
          body: JSON.stringify({ version: 1 }),
        }),
    ],
  ])('ends the sessions of only the deleted member when an administrator deletes the member %s', async (_, remove) => {
    const site = await sampleSite(await fresh())
    const people = await site.people()
    await openAccounts(site.db, hana.password, noon)
    const signIn = async (person: 'applicant' | 'approved') => {
      const visitor = browserOf(site)
      await visitor.post('/emaillogin', { email: demoAccounts[person].email, password: hana.password })
      return visitor
    }
    const [applicant, approved] = [await signIn('applicant'), await signIn('approved')]
    const reader = (await applicant.get('/api/live?topics=events')).body?.getReader()
    expect((await remove(site, people.applicant?.member?.id ?? '')).status).toBe(200)
    const sessions = await site.db.selectFrom('sessions').select('accountId').execute()
    expect(sessions).toEqual([{ accountId: demoAccounts.approved.accountId }])
    while (!(await reader?.read())?.done);
    expect(await applicant.text('/account')).toContain('ログインしてからご覧ください')
    expect(await approved.text('/account')).toContain('ログインしている端末')
  })

  test('keeps two steps of a draft that are saved at the same time', async () => {
    const db = await fresh()
    const draft = { owner: 'yui', subject: 'new', now: noon }
    await saveDraft(db, draft, { username: '結' })
    await overtaken(
      db,
      (trx) => saveDraft(trx, draft, { profile: '話' }),
      () => saveDraft(db, draft, { playerStyle: '粘り' }),
    )
    const fields = { username: '結', profile: '話', playerStyle: '粘り' }
    expect(await readDraft(db, 'yui', 'new', noon)).toEqual(fields)
  })

  onSqlite('mentions no sent e-mail when the site cannot send e-mails', async () => {
    const site = await sampleSite(await fresh())
    const yui = openBrowserAs(site, 'yui')
    await yui.fill(createFields('結'))
    await yui.post('/memberdetailconfirm', { once: 'a' })
    const hana = openBrowserAs(site, 'hana')
    await hana.fill(createFields('花'))
    await hana.post('/memberdetailconfirm', {})
    const [member] = (await readMembers(site)).filter(({ accountId }) => accountId === 'account-hana')
    const approval = await (await yui.post('/memberlist', { deed: 'approve', member: member?.id ?? '' })).text()
    expect(approval).toContain('通知メール：未送信')
    expect(approval).not.toContain('お送りします')
    expect(await yui.text('/calendar?day=2026-11-20')).toContain('このサイトではメールをお送りできません')
    expect(await yui.text('/calendar?day=2026-11-20')).not.toContain('メールでお知らせします')
  })

  onSqlite('reports an unsent approval e-mail only for members approved by an administrator', async () => {
    const site = await sampleSite(await fresh())
    const register = async (name: string) => {
      const account = { ...createAccount(name), emailVerified: false }
      site.accounts.set(account.accountId, account)
      const person = createBrowser(site, account)
      await person.fill(createFields(name))
      await person.post('/memberdetailconfirm', { once: name })
      return person
    }
    const yui = await register('yui')
    await register('hana')
    await register('ken')
    const at = new Date(site.clock.now).toISOString()
    await appointAdministrator(site.db, 'account-ken', at)
    const ids = new Map((await readMembers(site)).map(({ accountId, id }) => [accountId, id]))
    await yui.post('/memberlist', { deed: 'approve', member: ids.get('account-hana') ?? '' })
    const list = await yui.text('/memberlist')
    const unsentCards = list.split('<article').filter((card) => card.includes('承認メール 未送信'))
    expect(unsentCards).toHaveLength(1)
    expect(unsentCards[0]).toContain('<small>hana</small>')
  })

  onSqlite('continues the registration from the stored draft of a guest after sign-in', async () => {
    const site = await sampleSite(await fresh())
    const otherGuest = createBrowser(site)
    await otherGuest.post('/membercreate', { username: '別の人', intent: 'keep', step: '1' })
    const guest = createBrowser(site)
    await guest.fill(createFields('旅'))
    expect([...guest.cookies.keys()]).toEqual(['draft'])
    expect(await guest.text('/memberdetailconfirm')).toContain('profileの話')
    const confirmResponse = await guest.post('/memberdetailconfirm', {})
    expect(confirmResponse.status).toBe(401)
    expect(await confirmResponse.text()).toContain(sentences.signIn)
    expect(await readMembers(site)).toEqual([])

    guest.state.account = createAccount('tabi')
    site.accounts.set('account-tabi', createAccount('tabi'))
    const formResponse = await guest.send('/membercreate')
    expect([formResponse.status, formResponse.headers.get('location')]).toEqual([302, '/memberdetailconfirm'])
    expect(guest.cookies.size).toBe(0)
    await guest.post('/memberdetailconfirm', {})
    expect(await readMembers(site)).toMatchObject([{ accountId: 'account-tabi', accountname: '旅' }])
    expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toHaveLength(1)
    expect(await otherGuest.text('/membercreate')).toContain('別の人')
  })

  onSqlite('renders one sign-in link when a guest opens a form without permission', async () => {
    const guest = createBrowser(await sampleSite(await fresh()))
    for (const [path, sentence] of [
      ['/membercreate/somebody', 'ご本人と管理者だけが'],
      ['/membercreate?for=nonmember', 'アカウントのない方の登録は'],
    ] as const) {
      const [main = ''] = /<main.*<\/main>/s.exec(await guest.text(path)) ?? []
      expect(main, path).toContain(sentence)
      expect(main.match(/ログイン/g), path).toHaveLength(1)
      expect(main, path).toMatch(/<a [^>]*href="\/login"[^>]*>ログイン</)
    }
  })

  test('uses the newer draft when a guest with a draft signs in to an account with a draft', async () => {
    const site = await sampleSite(await fresh())
    const userBrowser = openBrowserAs(site, 'tabi')
    const guestBrowser = createBrowser(site)
    const typeName = (who: typeof userBrowser, username: string) => {
      site.clock.now += 1000
      return who.post('/membercreate', { username, intent: 'keep', step: '1' })
    }
    const signInAsGuest = async () => {
      guestBrowser.state.account = createAccount('tabi')
      const page = await guestBrowser.text('/membercreate')
      guestBrowser.state.account = undefined
      expect(guestBrowser.cookies.size).toBe(0)
      return page
    }
    await typeName(guestBrowser, '前の人')
    await typeName(userBrowser, '後の人')
    expect(await signInAsGuest()).toContain('後の人')
    await typeName(guestBrowser, '新しい人')
    expect(await signInAsGuest()).toContain('新しい人')
    expect(await userBrowser.text('/membercreate')).toContain('新しい人')
    expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toHaveLength(1)
  })

  test('keeps the steps of an account when its session ends during the registration', async () => {
    const site = await sampleSite(await fresh())
    const browser = openBrowserAs(site, 'tabi')
    const { account } = browser.state
    const { accountname, ...others } = createFields('旅')
    await browser.fill({ ...others, accountname, strengths: '' })
    browser.state.account = undefined
    site.clock.now += 1000
    await browser.post('/membercreate', { step: '1', intent: 'back', username: '', accountname: '改めた旅' })
    await browser.post('/membercreate', { step: '3', intent: 'next', strengths: others.strengths })
    browser.state.account = account
    expect((await browser.send('/membercreate')).headers.get('location')).toBe('/memberdetailconfirm')
    await browser.post('/memberdetailconfirm', {})
    expect(await readMembers(site)).toMatchObject([{ ...others, accountname: '改めた旅' }])
  })

  onSqlite('shows the draft of a guest only in the same browser, for 24 hours', async () => {
    const site = await sampleSite(await fresh())
    const guest = createBrowser(site)
    await guest.post('/membercreate', { username: '途中の人', intent: 'keep', step: '1' })
    expect(await guest.text('/membercreate')).toContain('途中の人')
    expect(await createBrowser(site).text('/membercreate')).not.toContain('途中の人')
    expect(JSON.stringify(await site.db.selectFrom('memberDrafts').select('owner').execute())).not.toContain(
      decodeURIComponent(guest.cookies.get('draft') ?? 'none'),
    )
    site.clock.now += 24 * 60 * 60 * 1000
    expect(await guest.text('/membercreate')).not.toContain('途中の人')
    await createBrowser(site).post('/membercreate', { username: '次の人', intent: 'keep', step: '1' })
    expect(await site.db.selectFrom('memberDrafts').select('owner').execute()).toHaveLength(1)
  })

  onSqlite('limits guests in the same network to sixty new drafts an hour', async () => {
    const site = await sampleSite(await fresh())
    const input = { username: '途中の人', intent: 'keep', step: '1' }
    const openGuestBrowser = (address: string, headers = {}) => browserOf(site, { address, headers })
    const firstGuest = openGuestBrowser('2001:db8:1:2::1')
    for (const guest of [
      firstGuest,
      ...Array.from({ length: 59 }, (_, n) => openGuestBrowser(`2001:db8:1:2:ffff::${n}`)),
    ])
      expect((await guest.post('/membercreate', input)).status).toBe(200)
    // A request with a forged cookie creates a new draft, so the rate limit rejects the request.
    const limited = await openGuestBrowser('2001:db8:1:2::2', { cookie: 'draft=InR5cGVkIg==' }).post(
      '/membercreate',
      input,
    )
    expect(limited.status).toBe(429)
    expect(await limited.text()).toContain('お試しの回数が多すぎます。60分ほどおいてから')
    expect(await site.db.selectFrom('memberDrafts').select('owner').execute()).toHaveLength(60)
    expect((await firstGuest.post('/membercreate', { ...input, username: '続けた人' })).status).toBe(200)
    expect(await firstGuest.text('/membercreate')).toContain('続けた人')
    for (const address of ['192.0.2.2', '2001:db8:1:3::1'])
      expect((await openGuestBrowser(address).post('/membercreate', input)).status, address).toBe(200)
    site.clock.now += 60 * 60_000
    expect((await openGuestBrowser('2001:db8:1:2::2').post('/membercreate', input)).status).toBe(200)
  })

  test('registers a member once when the form is repeated after a lost response', async () => {
    const site = await sampleSite(await fresh())
    const yui = openBrowserAs(site, 'yui')
    await yui.fill(createFields('結'))
    const responses = await Promise.all([1, 2, 3].map(() => yui.post('/memberdetailconfirm', { once: 'same' })))
    expect(responses.map(({ status }) => status)).toEqual([302, 302, 302])
    const lateResponse = await yui.post('/memberdetailconfirm', { once: 'same' })
    expect(lateResponse.headers.get('location')).toMatch(/^\/memberlist/)
    expect(await readMembers(site)).toHaveLength(1)
    expect(site.mails).toHaveLength(1)
  })
})

async function createMemorySite() {
  const db = await openDatabase({ file: ':memory:' })
  onTestFinished(() => db.destroy())
  return sampleSite(db)
}

test('reports a taken account name to users at the first step, but to guests only at the end', async () => {
  const site = await createMemorySite()
  await site.people()
  const yui = openBrowserAs(site, 'yui')
  const fields = createFields('ﾊﾅ')
  await site.db.updateTable('members').set({ accountnameKey: 'ハナ' }).where('accountname', '=', 'はな').execute()
  const response = await yui.post('/membercreate', { ...fields, step: '1', intent: 'next' })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(sentences.accountnameTaken)

  const guest = createBrowser(site)
  await guest.fill(fields)
  guest.state.account = createAccount('yui')
  await guest.send('/memberdetailconfirm')
  const conflict = await guest.post('/memberdetailconfirm', {})
  expect(conflict.status).toBe(409)
  expect(await conflict.text()).toContain(sentences.accountnameTaken)
  expect(await readMembers(site)).toHaveLength(3)
})

test('rejects an incomplete step and does not open a later step', async () => {
  const site = await createMemorySite()
  const guest = createBrowser(site)
  const response = await guest.post('/membercreate', { username: '\u3000', step: '1', intent: 'next' })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(sentences.blank)
  expect(await guest.text('/membercreate?step=4')).toContain('ステップ1／5')
  const back = await guest.post('/membercreate', { strengths: '', step: '3', intent: 'back' })
  expect(back.headers.get('location')).toBe('/membercreate?step=2')
  expect((await guest.send('/memberdetailconfirm')).headers.get('location')).toBe('/membercreate?step=1')
})

test('rejects a draft that exceeds the maximum length', async () => {
  const site = await createMemorySite()
  const response = await createBrowser(site).post('/membercreate', {
    profile: 'a'.repeat(70_000),
    step: '1',
    intent: 'keep',
  })
  expect(response.status).toBe(413)
  expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toEqual([])
})

test('returns and logs the same reference number when a save fails', async () => {
  const site = await createMemorySite()
  const yui = openBrowserAs(site, 'yui')
  await yui.fill(createFields('結'))
  await site.db.schema.dropTable('onceKeys').execute()
  const response = await yui.post('/memberdetailconfirm', { once: 'key' })
  const body = await response.text()
  expect(response.status).toBe(500)
  const [, reference] =
    /データの登録中にエラーが発生しました。詳細: 保存できませんでした（受付番号 (\w+)）/.exec(body) ?? []
  expect(site.logged).toContainEqual(expect.objectContaining({ msg: 'save error', reference }))
  expect(body).not.toContain('onceKeys')
  // The failed save has not deleted the draft.
  expect(await yui.text('/memberdetailconfirm')).toContain('profileの話')
})

test('renders an error and logs the specified message when the URL contains no member ID', async () => {
  const site = await createMemorySite()
  await site.people()
  for (const id of ['undefined', '%20', 'null']) {
    const response = await site.as('administrator', `/membercreate/${id}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('どのメンバーの登録内容か分かりませんでした')
  }
  expect(site.logged.filter(({ msg }) => msg === 'Member ID is missing')).toHaveLength(3)
})

test('reports the deletion of a member to an administrator who is editing the member', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  const id = people.approved?.member?.id ?? ''
  await site.post('administrator', '/memberlist', { deed: 'delete', member: id })
  expect((await site.as('administrator', `/membercreate/${id}`)).status).toBe(404)
  for (const path of [`/membercreate/${id}`, `/memberdetailconfirm?for=${id}`]) {
    const response = await site.post('administrator', dataPathOf(path), { step: '1', intent: 'next', username: '花' })
    expect([path, response.status, await actionDataOf(response)]).toEqual([
      path,
      404,
      expect.objectContaining({ trouble: sentences.gone }),
    ])
  }
})

test('shows private fields only to the member and to administrators', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  const id = people.approved?.member?.id ?? ''
  await site.db
    .updateTable('members')
    .set({ birthday: '1990-04-01', realname: '桜井 花子' })
    .where('id', '=', id)
    .execute()
  const readForm = async (person: Person) => (await site.as(person, `/membercreate/${id}`)).text()
  expect(await readForm('approved')).toContain('桜井 花子')
  expect(site.logged.filter(({ msg }) => msg === 'private fields shown')).toEqual([])
  expect(await readForm('administrator')).toContain('1990-04-01')
  expect(site.logged.filter(({ msg }) => msg === 'private fields shown')).toMatchObject([
    { member: id, by: 'demo-administrator' },
  ])
  for (const person of ['guest', 'signedIn', 'applicant'] as const) expect(await readForm(person)).not.toContain('桜井')
})

test('rejects a registration whose draft has changed since the confirm screen was rendered', async () => {
  const site = await createMemorySite()
  await site.people()
  const administrator = createBrowser(site, { ...createAccount('noren'), accountId: 'demo-administrator' })
  const confirm = '/memberdetailconfirm?for=nonmember'
  const readHiddenFields = (html: string) => ({
    once: 'a',
    draftHash: /name="draftHash" value="([^"]+)"/.exec(html)?.[1] ?? '',
  })
  await administrator.fill(createFields('近所'), '/membercreate?for=nonmember')
  const firstInput = readHiddenFields(await administrator.text(confirm))
  await administrator.fill(createFields('遠方'), '/membercreate?for=nonmember')
  const conflict = await administrator.post(confirm, firstInput)
  const html = await conflict.text()
  expect([conflict.status, html]).toEqual([409, expect.stringContaining('ほかの画面で入力した内容に変わっています')])
  const names = async () => (await readMembers(site)).map(({ accountname }) => accountname)
  expect(html).toContain('遠方')
  expect(await names()).not.toContain('遠方')
  expect((await administrator.post(confirm, readHiddenFields(html))).headers.get('location')).toBe(
    '/memberlist?done=added',
  )
  expect(await names()).toContain('遠方')
  expect(await names()).not.toContain('近所')
})

test('confirms a registration again when its response was lost', async () => {
  const site = await createMemorySite()
  const { approved } = await site.people()
  for (const [person, subject, toast] of [
    ['administrator', 'nonmember', 'added'],
    ['approved', approved?.member?.id ?? '', 'saved'],
  ] as const) {
    const browser = createBrowser(site, demoAccounts[person])
    const form = subject === 'nonmember' ? '/membercreate?for=nonmember' : `/membercreate/${subject}`
    await browser.fill(createFields(`${toast}の話`), form)
    const confirm = `/memberdetailconfirm?for=${subject}`
    const submit = async (once: string) => (await browser.post(confirm, { once })).headers.get('location')
    const before = await readMembers(site)
    expect([await submit('a'), await submit('a')], toast).toEqual(Array(2).fill(`/memberlist?done=${toast}`))
    expect(await submit('b'), toast).toBe(form)
    expect(await readMembers(site)).toHaveLength(before.length + (toast === 'added' ? 1 : 0))
  }
})

test('lets an administrator register and approve a person who has no account', async () => {
  const site = await createMemorySite()
  await site.people()
  const administrator = createBrowser(site, { ...createAccount('noren'), accountId: 'demo-administrator' })
  expect(await administrator.fill(createFields('近所'), '/membercreate?for=nonmember')).toBe(
    '/memberdetailconfirm?for=nonmember',
  )
  await administrator.post('/membercreate?for=nonmember', {
    ...createFields('近所'),
    flags: '1',
    admin: 'on',
    administrator: 'on',
    step: '1',
    intent: 'next',
  })
  // The forms of the later steps contain no flags, so the draft must retain them.
  await administrator.post('/membercreate?for=nonmember', { ...createFields('近所'), step: '2', intent: 'next' })
  const ownRow = (
    await site.db.selectFrom('members').select('id').where('accountId', '=', 'demo-administrator').execute()
  )[0]
  await administrator.post(`/membercreate/${ownRow?.id}`, { profile: '途中の話', intent: 'keep', step: '1' })
  const response = await administrator.post('/memberdetailconfirm?for=nonmember', {})
  expect(response.headers.get('location')).toBe('/memberlist?done=added')
  // The registration must not delete the draft of the administrator's own record.
  expect(await administrator.text(`/membercreate/${ownRow?.id}`)).toContain('途中の話')
  const row = (await readMembers(site)).find(({ accountname }) => accountname === '近所')
  expect(row).toMatchObject({ accountId: null, admin: true, administrator: false })
})

test('returns a conflict when the member has already changed the field that an administrator saves', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  const id = people.applicant?.member?.id ?? ''
  const administrator = createBrowser(site, { ...createAccount('noren'), accountId: 'demo-administrator' })
  const applicant = createBrowser(site, { ...createAccount('wakaba'), accountId: 'demo-applicant' })
  const path = `/membercreate/${id}`
  const createInput = (profile: string) => ({
    ...createFields('かける'),
    profile,
    base: '1',
    step: '1',
    intent: 'next',
  })
  await administrator.post(path, createInput('管理者が書きました'))
  await applicant.post(path, createInput('本人が書きました'))
  await applicant.post(`/memberdetailconfirm?for=${id}`, {})
  const conflict = await administrator.post(`/memberdetailconfirm?for=${id}`, {})
  expect(conflict.status).toBe(409)
  const body = await conflict.text()
  expect(body).toContain('自己紹介')
  expect(body).toContain('この内容で上書きする')
  const profile = async () => (await readMembers(site)).find((row) => row.id === id)?.profile
  expect(await profile()).toBe('本人が書きました')
  const overwrite = (version: string) => administrator.post(`/memberdetailconfirm?for=${id}`, { version })
  // A change after the conflict is another conflict.
  await applicant.post(path, { ...createInput('本人がまた書きました'), base: '2' })
  await applicant.post(`/memberdetailconfirm?for=${id}`, {})
  expect(body).toContain('name="version" value="2"')
  expect((await overwrite('2')).status).toBe(409)
  expect(await profile()).toBe('本人がまた書きました')
  expect((await overwrite('3')).status).toBe(302)
  expect(await profile()).toBe('管理者が書きました')
})

test('offers an undo after every action on a member', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  const member = people.applicant?.member?.id ?? ''
  const submitAction = async (deed: string, sentence: string) => {
    const { done, undo } = await actionDataOf<SaveResult>(
      await site.post('administrator', '/memberlist.data', { deed, member }),
    )
    expect(done).toContain(sentence)
    return undo?.fields.save ?? ''
  }
  const row = () => site.db.selectFrom('members').selectAll().where('id', '=', member).executeTakeFirstOrThrow()
  const undoSave = async (save: string) => (await site.post('administrator', '/undo', { save })).status
  const approval = await submitAction('approve', '若葉 翔 さんを承認しました。')
  expect([(await row()).admin, await undoSave(approval), (await row()).admin]).toEqual([true, 200, false])
  expect(await undoSave(approval)).toBe(409)
  await submitAction('make administrator', '若葉 翔 さんを管理者にしました。')
  const deletion = await submitAction('delete', '若葉 翔 さんを削除しました。')
  expect([await undoSave(deletion), (await row()).deletedAt]).toEqual([200, null])
  await submitAction('delete', '若葉 翔 さんを削除しました。')
  const restoration = await submitAction('restore', '若葉 翔 さんを元に戻しました。')
  await openAccounts(site.db, hana.password, noon)
  const applicant = browserOf(site)
  await applicant.post('/emaillogin', { email: demoAccounts.applicant.email, password: hana.password })
  const sessions = () => site.db.selectFrom('sessions').select('accountId').execute()
  expect(await sessions()).toEqual([{ accountId: demoAccounts.applicant.accountId }])
  // An undo of the restore deletes the member again and ends the member's sessions.
  expect([await undoSave(restoration), await sessions()]).toEqual([200, []])
  expect((await row()).deletedAt).not.toBeNull()
})

test('returns and logs the same reference number when an action fails', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  await site.db.schema.dropTable('revisions').execute()
  const fields = { deed: 'withdraw', member: people.approved?.member?.id ?? '' }
  const response = await site.post('administrator', '/memberlist.data', fields)
  expect(response.status).toBe(500)
  const [, reference] =
    /データの保存に失敗しました。もう一度お試しください（受付番号 (\w+)）/.exec(await response.text()) ?? []
  expect(site.logged).toContainEqual(expect.objectContaining({ msg: 'save error', reference }))
})

test('sorts, searches and paginates a list of a thousand members', async () => {
  const site = await createMemorySite()
  const people = await site.people()
  const { id, ...row } = await site.db
    .selectFrom('members')
    .selectAll()
    .where('id', '=', people.applicant?.member?.id ?? '')
    .executeTakeFirstOrThrow()
  const rows = Array.from({ length: 1000 }, (_, index): Tables['members'] => {
    const number = String((index * 7919) % 1000).padStart(3, '0')
    const name = `ﾒﾝﾊﾞｰ${number}`
    return {
      ...row,
      id: `m${number}`,
      accountId: `a${number}`,
      username: name,
      accountname: `か${number}`,
      accountnameKey: `か${number}`,
      admin: index % 2 === 0,
      profile: '自己紹介'.repeat(500),
    }
  })
  for (let offset = 0; offset < rows.length; offset += 20)
    await site.db
      .insertInto('members')
      .values(rows.slice(offset, offset + 20))
      .execute()

  const read = async (path: string) => (await site.as('administrator', path)).text()
  const namesIn = (html: string) =>
    [...html.matchAll(/<article[^>]*aria-label="([^"]+)"/g)].map(([, name = '']) => name)
  const names = namesIn(await read('/memberlist?page=2'))
  expect(names).toHaveLength(50)
  expect(names).toEqual([...names].sort(new Intl.Collator('ja').compare))
  expect(namesIn(await read(`/memberlist?q=${encodeURIComponent('メンバー００７')}`))).toEqual(['ﾒﾝﾊﾞｰ007'])
  expect(namesIn(await read('/memberlist?awaiting&page=11'))).toHaveLength(1)
  expect(namesIn(await read('/memberlist?page=999'))).toHaveLength(3)
})
