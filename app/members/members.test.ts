import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { type Account, browserOf, noon, sampleSite } from '../../server/testing.ts'
import { hana } from '../../server/testing-account.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import { demoAccounts, openAccounts, type Person } from '../../server/tools/demo.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { appointAdministrator } from './administration.server.ts'
import { fieldsOf, type MemberFields, memberFieldNames, type Step, sentences } from './member.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

const filled = (accountname: string) =>
  ({
    ...Object.fromEntries(memberFieldNames.map((name) => [name, `${name}の話`])),
    accountname,
    email: 'typed@example.jp',
  }) as MemberFields

/** A browser: it keeps its cookies and, once signed in, who it is. */
function browser({ app }: Site, account?: Account) {
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
      const typed = Object.fromEntries(fieldsOf(step).map((name) => [name, fields[name]]))
      last = await post(path, { ...typed, step: String(step), intent: 'next' })
    }
    return last?.headers.get('location')
  }
  return { cookies, state, send, post, fill, text: async (path: string) => (await send(path)).text() }
}

const someone = (name: string): Account => ({
  accountId: `account-${name}`,
  name,
  email: `${name}@example.jp`,
  emailVerified: true,
})

function newcomer(site: Site, name: string) {
  const account = someone(name)
  site.accounts.set(account.accountId, account)
  return browser(site, account)
}

const membersOf = ({ db }: Site) => db.selectFrom('members').selectAll().execute()

onEachEngine((fresh) => {
  test('from the first step to the list: the first becomes administrator, the second awaits approval, is approved', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const yui = newcomer(site, 'yui')
    expect(await yui.fill(filled('結'))).toBe('/memberdetailconfirm')
    const confirm = await yui.text('/memberdetailconfirm')
    for (const text of ['結', 'profileの話', '入力に戻る', '上記の内容で登録する']) expect(confirm).toContain(text)
    const registered = await yui.post('/memberdetailconfirm', { once: 'a' })
    expect([registered.status, registered.headers.get('location')]).toEqual([302, '/memberlist?done=first'])
    expect(await yui.text('/memberlist?done=first')).toContain(sentences.firstMember)

    const hana = newcomer(site, 'hana')
    await hana.fill(filled('花'))
    expect((await hana.post('/memberdetailconfirm', {})).headers.get('location')).toBe('/memberlist?done=registered')
    const awaiting = await hana.text('/memberlist')
    expect(awaiting).toContain(sentences.awaiting)
    expect(awaiting.match(/<article/g)).toHaveLength(1)
    expect(awaiting).not.toContain('参加申込</h2>')

    const [member] = (await membersOf(site)).filter(({ accountId }) => accountId === 'account-hana')
    const before = await yui.text('/memberlist')
    expect(before).toContain(sentences.firstApproval)
    const approved = await yui.post('/memberlist', { deed: 'approve', member: member?.id ?? '' })
    expect(await approved.text()).toContain('通知メール：お送りします')
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
  ])('signs out a member and nobody else when an administrator deletes the member %s', async (_, remove) => {
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

  test('where no mail leaves, nothing claims that one did', async () => {
    const site = await sampleSite(await fresh())
    const yui = newcomer(site, 'yui')
    await yui.fill(filled('結'))
    await yui.post('/memberdetailconfirm', { once: 'a' })
    const hana = newcomer(site, 'hana')
    await hana.fill(filled('花'))
    await hana.post('/memberdetailconfirm', {})
    const [member] = (await membersOf(site)).filter(({ accountId }) => accountId === 'account-hana')
    const approved = await (await yui.post('/memberlist', { deed: 'approve', member: member?.id ?? '' })).text()
    expect(approved).toContain('通知メール：未送信')
    expect(approved).not.toContain('お送りします')
    expect(await yui.text('/calendar?day=2026-11-20')).toContain('このサイトではメールをお送りできません')
    expect(await yui.text('/calendar?day=2026-11-20')).not.toContain('メールでお知らせします')
  })

  test('an approval mail is missed of whom an administrator approved, and of nobody who was appointed', async () => {
    const site = await sampleSite(await fresh())
    const register = async (name: string) => {
      const account = { ...someone(name), emailVerified: false }
      site.accounts.set(account.accountId, account)
      const person = browser(site, account)
      await person.fill(filled(name))
      await person.post('/memberdetailconfirm', { once: name })
      return person
    }
    const yui = await register('yui')
    await register('hana')
    await register('ken')
    const at = new Date(site.clock.now).toISOString()
    await appointAdministrator(site.db, 'account-ken', at)
    const ids = new Map((await membersOf(site)).map(({ accountId, id }) => [accountId, id]))
    await yui.post('/memberlist', { deed: 'approve', member: ids.get('account-hana') ?? '' })
    const list = await yui.text('/memberlist')
    const missed = list.split('<article').filter((card) => card.includes('承認メール 未送信'))
    expect(missed).toHaveLength(1)
    expect(missed[0]).toContain('<small>hana</small>')
  })

  test('a guest fills in the form, is stopped at the end, signs in, and goes on where they were', async () => {
    const site = await sampleSite(await fresh())
    const another = browser(site)
    await another.post('/membercreate', { username: '別の人', intent: 'keep', step: '1' })
    const guest = browser(site)
    await guest.fill(filled('旅'))
    expect([...guest.cookies.keys()]).toEqual(['draft'])
    expect(await guest.text('/memberdetailconfirm')).toContain('profileの話')
    const stopped = await guest.post('/memberdetailconfirm', {})
    expect(stopped.status).toBe(401)
    expect(await stopped.text()).toContain(sentences.signIn)
    expect(await membersOf(site)).toEqual([])

    guest.state.account = someone('tabi')
    site.accounts.set('account-tabi', someone('tabi'))
    const arrived = await guest.send('/membercreate')
    expect([arrived.status, arrived.headers.get('location')]).toEqual([302, '/memberdetailconfirm'])
    expect(guest.cookies.size).toBe(0)
    await guest.post('/memberdetailconfirm', {})
    expect(await membersOf(site)).toMatchObject([{ accountId: 'account-tabi', accountname: '旅' }])
    expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toHaveLength(1)
    expect(await another.text('/membercreate')).toContain('別の人')
  })

  test('a guest who may not see a form is led to sign in once', async () => {
    const guest = browser(await sampleSite(await fresh()))
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

  test('what was typed before signing in and what was typed after: the newer stays', async () => {
    const site = await sampleSite(await fresh())
    const here = newcomer(site, 'tabi')
    const there = browser(site)
    const type = (who: typeof here, username: string) => {
      site.clock.now += 1000
      return who.post('/membercreate', { username, intent: 'keep', step: '1' })
    }
    const signInThere = async () => {
      there.state.account = someone('tabi')
      const page = await there.text('/membercreate')
      there.state.account = undefined
      expect(there.cookies.size).toBe(0)
      return page
    }
    await type(there, '前の人')
    await type(here, '後の人')
    expect(await signInThere()).toContain('後の人')
    await type(there, '新しい人')
    expect(await signInThere()).toContain('新しい人')
    expect(await here.text('/membercreate')).toContain('新しい人')
    expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toHaveLength(1)
  })

  test('a draft is one browser’s, survives a reload, and is gone after a day', async () => {
    const site = await sampleSite(await fresh())
    const guest = browser(site)
    await guest.post('/membercreate', { username: '途中の人', intent: 'keep', step: '1' })
    expect(await guest.text('/membercreate')).toContain('途中の人')
    expect(await browser(site).text('/membercreate')).not.toContain('途中の人')
    expect(JSON.stringify(await site.db.selectFrom('memberDrafts').select('owner').execute())).not.toContain(
      decodeURIComponent(guest.cookies.get('draft') ?? 'none'),
    )
    site.clock.now += 24 * 60 * 60 * 1000
    expect(await guest.text('/membercreate')).not.toContain('途中の人')
    await browser(site).post('/membercreate', { username: '次の人', intent: 'keep', step: '1' })
    expect(await site.db.selectFrom('memberDrafts').select('owner').execute()).toHaveLength(1)
  })

  test('guests of one network begin sixty drafts an hour, and go on with those they began', async () => {
    const site = await sampleSite(await fresh())
    const typed = { username: '途中の人', intent: 'keep', step: '1' }
    const at = (address: string, headers = {}) => browserOf(site, { address, headers })
    const first = at('2001:db8:1:2::1')
    for (const guest of [first, ...Array.from({ length: 59 }, (_, n) => at(`2001:db8:1:2:ffff::${n}`))])
      expect((await guest.post('/membercreate', typed)).status).toBe(200)
    // A cookie of one's own making begins another.
    const refused = await at('2001:db8:1:2::2', { cookie: 'draft=InR5cGVkIg==' }).post('/membercreate', typed)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('お試しの回数が多すぎます。60分ほどおいてから')
    expect(await site.db.selectFrom('memberDrafts').select('owner').execute()).toHaveLength(60)
    expect((await first.post('/membercreate', { ...typed, username: '続けた人' })).status).toBe(200)
    expect(await first.text('/membercreate')).toContain('続けた人')
    for (const address of ['192.0.2.2', '2001:db8:1:3::1'])
      expect((await at(address).post('/membercreate', typed)).status, address).toBe(200)
    site.clock.now += 60 * 60_000
    expect((await at('2001:db8:1:2::2').post('/membercreate', typed)).status).toBe(200)
  })

  test('the same form sent again, after its answer was lost, registers once and leads to the list', async () => {
    const site = await sampleSite(await fresh())
    const yui = newcomer(site, 'yui')
    await yui.fill(filled('結'))
    const answers = await Promise.all([1, 2, 3].map(() => yui.post('/memberdetailconfirm', { once: 'same' })))
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302])
    const late = await yui.post('/memberdetailconfirm', { once: 'same' })
    expect(late.headers.get('location')).toMatch(/^\/memberlist/)
    expect(await membersOf(site)).toHaveLength(1)
    expect(site.mails).toHaveLength(1)
  })
})

async function memory() {
  const db = await openDatabase({ file: ':memory:' })
  onTestFinished(() => db.destroy())
  return sampleSite(db)
}

test('a taken account name is said at the first step to who is signed in, and at the end to everyone', async () => {
  const site = await memory()
  await site.people()
  const yui = newcomer(site, 'yui')
  const fields = filled('ﾊﾅ')
  await site.db.updateTable('members').set({ accountnameKey: 'ハナ' }).where('accountname', '=', 'はな').execute()
  const answer = await yui.post('/membercreate', { ...fields, step: '1', intent: 'next' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(sentences.accountnameTaken)

  const guest = browser(site)
  await guest.fill(fields)
  guest.state.account = someone('yui')
  await guest.send('/memberdetailconfirm')
  const refused = await guest.post('/memberdetailconfirm', {})
  expect(refused.status).toBe(409)
  expect(await refused.text()).toContain(sentences.accountnameTaken)
  expect(await membersOf(site)).toHaveLength(3)
})

test('a step that is not filled in is not left, and later steps are not reached', async () => {
  const site = await memory()
  const guest = browser(site)
  const answer = await guest.post('/membercreate', { username: '\u3000', step: '1', intent: 'next' })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(sentences.blank)
  expect(await guest.text('/membercreate?step=4')).toContain('ステップ1／5')
  const back = await guest.post('/membercreate', { strengths: '', step: '3', intent: 'back' })
  expect(back.headers.get('location')).toBe('/membercreate?step=2')
  expect((await guest.send('/memberdetailconfirm')).headers.get('location')).toBe('/membercreate?step=1')
})

test('what is typed has a limit that no person meets', async () => {
  const site = await memory()
  const answer = await browser(site).post('/membercreate', { profile: 'a'.repeat(70_000), step: '1', intent: 'keep' })
  expect(answer.status).toBe(413)
  expect(await site.db.selectFrom('memberDrafts').selectAll().execute()).toEqual([])
})

test('a save that fails says the sentence with a number, which the log has with the cause', async () => {
  const site = await memory()
  const yui = newcomer(site, 'yui')
  await yui.fill(filled('結'))
  await site.db.schema.dropTable('onceKeys').execute()
  const answer = await yui.post('/memberdetailconfirm', { once: 'key' })
  const body = await answer.text()
  expect(answer.status).toBe(500)
  const [, reference] =
    /データの登録中にエラーが発生しました。詳細: 保存できませんでした（受付番号 (\w+)）/.exec(body) ?? []
  expect(site.logged).toContainEqual(expect.objectContaining({ msg: 'save error', reference }))
  expect(body).not.toContain('onceKeys')
  // nothing is lost: the draft is there
  expect(await yui.text('/memberdetailconfirm')).toContain('profileの話')
})

test('a form without its member says so plainly, and the log in the specified words', async () => {
  const site = await memory()
  await site.people()
  for (const id of ['undefined', '%20', 'null']) {
    const response = await site.as('administrator', `/membercreate/${id}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('どのメンバーの登録内容か分かりませんでした')
  }
  expect(site.logged.filter(({ msg }) => msg === 'Member ID is missing')).toHaveLength(3)
})

test('private fields are shown to the person, and to an administrator on that record alone, which is logged', async () => {
  const site = await memory()
  const people = await site.people()
  const id = people.approved?.member?.id ?? ''
  await site.db
    .updateTable('members')
    .set({ birthday: '1990-04-01', realname: '桜井 花子' })
    .where('id', '=', id)
    .execute()
  const seen = async (person: Person) => (await site.as(person, `/membercreate/${id}`)).text()
  expect(await seen('approved')).toContain('桜井 花子')
  expect(site.logged.filter(({ msg }) => msg === 'private fields shown')).toEqual([])
  expect(await seen('administrator')).toContain('1990-04-01')
  expect(site.logged.filter(({ msg }) => msg === 'private fields shown')).toMatchObject([
    { member: id, by: 'demo-administrator' },
  ])
  for (const person of ['guest', 'signedIn', 'applicant'] as const) expect(await seen(person)).not.toContain('桜井')
})

test('rejects a registration whose draft has changed since the confirm screen was rendered', async () => {
  const site = await memory()
  await site.people()
  const administrator = browser(site, { ...someone('noren'), accountId: 'demo-administrator' })
  const confirm = '/memberdetailconfirm?for=nonmember'
  const formIn = (html: string) => ({
    once: 'a',
    draftHash: /name="draftHash" value="([^"]+)"/.exec(html)?.[1] ?? '',
  })
  await administrator.fill(filled('近所'), '/membercreate?for=nonmember')
  const first = formIn(await administrator.text(confirm))
  await administrator.fill(filled('遠方'), '/membercreate?for=nonmember')
  const refused = await administrator.post(confirm, first)
  const html = await refused.text()
  expect([refused.status, html]).toEqual([409, expect.stringContaining('ほかの画面で入力した内容に変わっています')])
  const names = async () => (await membersOf(site)).map(({ accountname }) => accountname)
  expect(html).toContain('遠方')
  expect(await names()).not.toContain('遠方')
  expect((await administrator.post(confirm, formIn(html))).headers.get('location')).toBe('/memberlist?done=added')
  expect(await names()).toContain('遠方')
  expect(await names()).not.toContain('近所')
})

test('someone without an account is registered by an administrator, approved if so ticked', async () => {
  const site = await memory()
  await site.people()
  const administrator = browser(site, { ...someone('noren'), accountId: 'demo-administrator' })
  expect(await administrator.fill(filled('近所'), '/membercreate?for=nonmember')).toBe(
    '/memberdetailconfirm?for=nonmember',
  )
  await administrator.post('/membercreate?for=nonmember', {
    ...filled('近所'),
    flags: '1',
    admin: 'on',
    administrator: 'on',
    step: '1',
    intent: 'next',
  })
  // The steps after it say nothing of the flags.
  await administrator.post('/membercreate?for=nonmember', { ...filled('近所'), step: '2', intent: 'next' })
  const own = (
    await site.db.selectFrom('members').select('id').where('accountId', '=', 'demo-administrator').execute()
  )[0]
  await administrator.post(`/membercreate/${own?.id}`, { profile: '途中の話', intent: 'keep', step: '1' })
  const answer = await administrator.post('/memberdetailconfirm?for=nonmember', {})
  expect(answer.headers.get('location')).toBe('/memberlist?done=added')
  // Of what the administrator was typing, this alone was saved.
  expect(await administrator.text(`/membercreate/${own?.id}`)).toContain('途中の話')
  const row = (await membersOf(site)).find(({ accountname }) => accountname === '近所')
  expect(row).toMatchObject({ accountId: null, admin: true, administrator: false })
})

test('an administrator is asked before writing over what a member changed meanwhile', async () => {
  const site = await memory()
  const people = await site.people()
  const id = people.applicant?.member?.id ?? ''
  const administrator = browser(site, { ...someone('noren'), accountId: 'demo-administrator' })
  const applicant = browser(site, { ...someone('wakaba'), accountId: 'demo-applicant' })
  const path = `/membercreate/${id}`
  const typed = (profile: string) => ({ ...filled('かける'), profile, base: '1', step: '1', intent: 'next' })
  await administrator.post(path, typed('管理者が書きました'))
  await applicant.post(path, typed('本人が書きました'))
  await applicant.post(`/memberdetailconfirm?for=${id}`, {})
  const refused = await administrator.post(`/memberdetailconfirm?for=${id}`, {})
  expect(refused.status).toBe(409)
  const body = await refused.text()
  expect(body).toContain('自己紹介')
  expect(body).toContain('この内容で上書きする')
  const profile = async () => (await membersOf(site)).find((row) => row.id === id)?.profile
  expect(await profile()).toBe('本人が書きました')
  expect((await administrator.post(`/memberdetailconfirm?for=${id}`, { intent: 'overwrite' })).status).toBe(302)
  expect(await profile()).toBe('管理者が書きました')
})

test('returns the outcome of an action with its undo, also when the member is gone', async () => {
  const site = await memory()
  const people = await site.people()
  const member = people.applicant?.member?.id ?? ''
  const told = async (deed: string, sentence: string) => {
    const { done, undo } = await actionDataOf<SaveResult>(
      await site.post('administrator', '/memberlist.data', { deed, member }),
    )
    expect(done).toContain(sentence)
    return undo?.fields.save ?? ''
  }
  const row = () => site.db.selectFrom('members').selectAll().where('id', '=', member).executeTakeFirstOrThrow()
  const takeBack = async (save: string) => (await site.post('administrator', '/undo', { save })).status
  const approved = await told('approve', '若葉 翔 さんを承認しました。')
  expect([(await row()).admin, await takeBack(approved), (await row()).admin]).toEqual([true, 200, false])
  expect(await takeBack(approved)).toBe(409)
  await told('make administrator', '若葉 翔 さんを管理者にしました。')
  const deleted = await told('delete', '若葉 翔 さんを削除しました。')
  expect([await takeBack(deleted), (await row()).deletedAt]).toEqual([200, null])
  await told('delete', '若葉 翔 さんを削除しました。')
  const restored = await told('restore', '若葉 翔 さんを元に戻しました。')
  await openAccounts(site.db, hana.password, noon)
  const applicant = browserOf(site)
  await applicant.post('/emaillogin', { email: demoAccounts.applicant.email, password: hana.password })
  const sessions = () => site.db.selectFrom('sessions').select('accountId').execute()
  expect(await sessions()).toEqual([{ accountId: demoAccounts.applicant.accountId }])
  // Who is deleted again by taking that back is signed out again.
  expect([await takeBack(restored), await sessions()]).toEqual([200, []])
  expect((await row()).deletedAt).not.toBeNull()
})

test('a deed that fails says so with a number', async () => {
  const site = await memory()
  const people = await site.people()
  await site.db.schema.dropTable('revisions').execute()
  const sent = { deed: 'withdraw', member: people.approved?.member?.id ?? '' }
  const answer = await site.post('administrator', '/memberlist.data', sent)
  expect(answer.status).toBe(500)
  const [, reference] =
    /データの保存に失敗しました。もう一度お試しください（受付番号 (\w+)）/.exec(await answer.text()) ?? []
  expect(site.logged).toContainEqual(expect.objectContaining({ msg: 'save error', reference }))
})

test('a thousand members: sorted by name, searched in any width, a page at a time', async () => {
  const site = await memory()
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
  for (let at = 0; at < rows.length; at += 20)
    await site.db
      .insertInto('members')
      .values(rows.slice(at, at + 20))
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
