import crypto from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { hana, linkIn, provenOf, signedInOn, tokenIn } from '../../server/testing-account.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { signUp, verifiedEmailReader } from './accounts.server.ts'
import { resendVerification } from './email-verification.server.ts'

const HOUR = 60 * 60_000
const where = (response: Response) => [response.status, response.headers.get('location')]

afterEach(() => void vi.restoreAllMocks())

onEachEngine((fresh) => {
  test('signing up without mail signs in at once, with an address that counts as unverified', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    expect(where(await browser.post('/signupform', hana))).toEqual([302, '/login/welcome'])
    const accounts = await site.db.selectFrom('accounts').selectAll().execute()
    expect(accounts).toEqual([
      expect.objectContaining({ name: '桜井 花', email: 'hana@example.jp', emailVerified: false, image: null }),
    ])
    const methods = await site.db.selectFrom('signInMethods').selectAll().execute()
    expect(methods).toEqual([expect.objectContaining({ provider: 'credential', owner: accounts[0]?.id })])
    expect(JSON.stringify(methods)).not.toContain(hana.password)
    expect(await browser.text('/login/welcome')).toContain('先にメンバー情報を登録してください')
    expect(await browser.text('/login')).toContain('桜井 花 さんとしてログインしています')
    expect(site.mails).toEqual([])
  })

  test('signing out, on this device or another, ends what its pages listen to', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const told: unknown[] = []
    onTestFinished(site.live.listen((news) => void told.push(news)))
    const listen = async () => (await browser.get('/api/live?topics=dining')).body?.getReader()
    const ends = async (reader: Awaited<ReturnType<typeof listen>>) => {
      for (;;) if ((await reader?.read())?.done !== false) return true
    }
    const first = await listen()
    const other = browserOf(site)
    await other.post('/emaillogin', hana)
    await other.post('/account', { intent: 'other devices' })
    // At once: the next heartbeat would find it out as well.
    expect(told).toEqual([{ account: id }])
    expect(await ends(first)).toBe(true)
    expect(await other.text('/account')).toContain('ログインしている端末')
    expect(await browser.text('/account')).toContain('ログインしてからご覧ください')

    await browser.post('/emaillogin', hana)
    const second = await listen()
    await browser.post('/logout', {})
    expect(told).toEqual([{ account: id }, { account: id }])
    expect(await ends(second)).toBe(true)
  })

  test('a member who signs in goes to the first page, anyone else to the registration', async () => {
    const site = await sampleSite(await fresh())
    await browserOf(site).post('/signupform', hana)
    const browser = browserOf(site)
    // Typed as people type: capitals, and a space that the keyboard left
    const typed = { email: ' Hana@Example.JP ', password: hana.password }
    expect(where(await browser.post('/emaillogin', typed))).toEqual([302, '/login/welcome'])
    expect((await browser.get('/login/welcome')).status).toBe(200)
    await makeMember(site.db, hana.email)
    expect(where(await browser.get('/login/welcome'))).toEqual([302, '/'])
    expect(where(await browserOf(site).get('/login/welcome'))).toEqual([302, '/login'])
  })

  test('a wrong password and an unknown address: same words, same status, the same hashing', async () => {
    const site = await sampleSite(await fresh())
    await browserOf(site).post('/signupform', hana)
    const hashed = vi.spyOn(Worker.prototype, 'postMessage')
    const answers = []
    for (const email of [hana.email, 'nobody@example.jp']) {
      hashed.mockClear()
      const response = await browserOf(site).post('/emaillogin', { email, password: 'not-this-one' })
      const html = (await response.text()).replaceAll(email, '')
      expect(html).toContain('メールアドレスかパスワードが正しくありません')
      expect(html).not.toContain('not-this-one')
      answers.push([response.status, html, hashed.mock.calls.length])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(401)
    expect(answers[0]?.[2]).toBe(1)
    expect(await site.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
  })

  test('signing up with a used address: said clearly without mail; with mail the answer is that of an unused one', async () => {
    const plain = await sampleSite(await fresh())
    await browserOf(plain).post('/signupform', hana)
    const again = await browserOf(plain).post('/signupform', { ...hana, password: 'other-9-secret' })
    expect(again.status).toBe(409)
    expect(await again.text()).toMatch(/このメールアドレスはすでに登録されています。<a[^>]*href="\/emaillogin"/)
    expect((await browserOf(plain).post('/emaillogin', { ...hana, password: 'other-9-secret' })).status).toBe(401)

    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await browserOf(site).post('/signupform', hana)
    const hashed = vi.spyOn(Worker.prototype, 'postMessage')
    const answers = []
    for (const email of [hana.email, 'unused@example.jp']) {
      hashed.mockClear()
      const response = await browserOf(site).post('/signupform', { ...hana, email })
      const html = (await response.text()).replaceAll(email, '')
      expect(html).toContain('にメールをお送りします')
      answers.push([response.status, html, hashed.mock.calls.length, response.headers.getSetCookie()])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.slice(2)).toEqual([1, []])
    const subjects = site.mails.map(({ to, subject }) => [to, subject])
    expect(subjects).toEqual([
      ['hana@example.jp', '【ダイニング結】メールアドレスの確認をお願いします'],
      ['hana@example.jp', '【ダイニング結】このアドレスは登録済みです'],
      ['unused@example.jp', '【ダイニング結】メールアドレスの確認をお願いします'],
    ])
  })

  test('where the mail with the link cannot be kept, no account is made either', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.db.schema.dropTable('outbox').execute()
    const around = { ...site, origin: 'http://localhost', now: site.clock.now }
    await expect(signUp(around, hana)).rejects.toThrow('outbox')
    for (const table of ['accounts', 'signInMethods', 'mailedLinks'] as const) {
      expect(await site.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })

  test('who signs in again and again before the address is proven is told of a mail only where one leaves', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    for (let times = 1; times <= 5; times += 1) {
      const before = site.mails.length
      const html = await (await browser.post('/emaillogin', hana)).text()
      expect(html.includes('確認のメールをお送りします'), `${times}`).toBe(site.mails.length > before)
      expect(html).toContain('確認がまだお済みで')
    }
    expect(site.mails).toHaveLength(4)
  })

  test('with mail an address is proven by its link: opening it proves nothing, pressing the button does, once', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await browserOf(site).post('/signupform', { ...hana, email: 'earlier@example.jp' })
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    const refused = await browser.post('/emaillogin', hana)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('確認のメールをお送りします')
    expect(await site.db.selectFrom('sessions').selectAll().execute()).toEqual([])

    expect(site.mails.map(({ to }) => to)).toEqual(['earlier@example.jp', hana.email, hana.email])
    const [earlier, first, second] = site.mails.map(linkIn)
    expect(await browser.text(earlier ?? '')).toContain('earlier@example.jp')
    expect(await browser.text(first ?? '')).toContain('このリンクは期限が切れたか')
    expect(await browser.text(second ?? '')).toContain('メールアドレス hana@example.jp を確認します')
    expect(await provenOf(site.db)).toEqual([])
    const token = tokenIn(second)
    // Neither kind of link does the work of the other.
    await browser.post('/resetpassword', { email: hana.email })
    const reset = tokenIn(linkIn(site.mails.at(-1)))
    expect((await browser.post('/verifyemail', { token: reset })).status).toBe(410)
    expect((await browser.post('/resetpassword', { token, password: 'new-lob-77' })).status).toBe(410)
    expect(await provenOf(site.db)).toEqual([])
    expect((await browser.post('/verifyemail', { token })).status).toBe(200)
    expect(await provenOf(site.db)).toEqual([hana.email])
    expect((await browser.post('/verifyemail', { token })).status).toBe(410)
    expect(where(await browser.post('/emaillogin', hana))).toEqual([302, '/login/welcome'])

    // A sign-in that was refused before the button was pressed, and comes to its mail after it.
    const sent = site.mails.length
    await resendVerification({ ...site, origin: 'http://localhost', now: site.clock.now }, hana.email)
    expect(await site.db.selectFrom('outbox').selectAll().execute()).toHaveLength(sent)
  })

  test('a link does not open after its time: a day, and an hour where it sets a password', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await browserOf(site).post('/signupform', hana)
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const [verify, reset] = site.mails.map((mail) => tokenIn(linkIn(mail)))
    site.clock.now += HOUR - 1
    expect(await browserOf(site).text(`/resetpassword?token=${reset}`)).toContain('このパスワードにする')
    site.clock.now += 1
    const late = await browserOf(site).post('/resetpassword', { token: reset ?? '', password: 'new-lob-77' })
    expect(late.status).toBe(410)
    site.clock.now += 23 * HOUR - 1
    expect(await browserOf(site).text(`/verifyemail?token=${verify}`)).toContain('このアドレスを確認する')
    site.clock.now += 1
    expect((await browserOf(site).post('/verifyemail', { token: verify ?? '' })).status).toBe(410)
    expect(await provenOf(site.db)).toEqual([])
  })

  test('a forgotten password: the same answer for a used and an unused address; the link sets a new one once', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await browserOf(site).post('/signupform', hana)
    const other = await signedInOn(site, { ...hana, email: 'other@example.jp' })
    site.mails.length = 0
    const answers = []
    for (const email of [hana.email, 'unused@example.jp']) {
      const response = await browserOf(site).post('/resetpassword', { email })
      answers.push([response.status, (await response.text()).replaceAll(email, '')])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(site.mails.map(({ to }) => to)).toEqual(['hana@example.jp'])

    const link = linkIn(site.mails[0])
    const browser = browserOf(site)
    expect(await browser.text(link)).toContain('新しいパスワード')
    const token = tokenIn(link)
    const common = await browser.post('/resetpassword', { token, password: 'password1' })
    expect([common.status, await common.text()]).toEqual([400, expect.stringContaining('広く知られているため')])
    expect(where(await browser.post('/resetpassword', { token, password: 'new-lob-77' }))).toEqual([
      302,
      '/emaillogin?newpassword',
    ])
    expect((await browser.post('/resetpassword', { token, password: 'third-99-x' })).status).toBe(410)
    expect((await browser.post('/emaillogin', hana)).status).toBe(401)
    expect((await browser.post('/emaillogin', { ...hana, password: 'new-lob-77' })).status).toBe(302)
    expect(await provenOf(site.db)).toEqual([hana.email, 'other@example.jp'])
    expect(await other.text('/account')).toContain('ログインしている端末')
    expect((await browserOf(site).post('/emaillogin', { ...hana, email: 'other@example.jp' })).status).toBe(302)
  })

  test('where no mail leaves, a forgotten password is a matter for the shop, and nothing claims to be sent', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signedInOn(site, hana)
    expect(await browser.text('/resetpassword')).toContain('お店へ直接ご連絡ください')
    const asked = await browser.post('/resetpassword', { email: hana.email })
    const html = await asked.text()
    expect([asked.status, html]).toEqual([200, expect.stringContaining('お店へ直接ご連絡のうえ')])
    expect(html).not.toMatch(/お送りし(?:ます|ました)|再設定のメール/)
    // What the shop then hands over.
    const reset = { token: tokenIn(linkIn(site.mails.at(-1))), password: 'new-lob-77' }
    expect(where(await browserOf(site).post('/resetpassword', reset))).toEqual([302, '/emaillogin?newpassword'])

    await browser.post('/emaillogin', { ...hana, password: 'new-lob-77' })
    expect(await browser.text('/account')).not.toContain('確認のメールを送る')
    const sent = site.mails.length
    const verify = await browser.post('/account', { intent: 'verify' })
    expect([verify.status, await verify.text()]).toEqual([400, expect.stringContaining('メールをお送りできません')])
    expect(site.mails).toHaveLength(sent)
  })

  test('after signing out, a new password, a reset or leaving, the old cookie opens nothing', async () => {
    const site = await sampleSite(await fresh())
    const ended: unknown[] = []
    onTestFinished(site.live.listen((news) => void ('account' in news && ended.push(news))))
    const signedIn = async () => {
      const browser = browserOf(site)
      expect((await browser.post('/emaillogin', hana)).status).toBe(302)
      return { browser, old: new Map(browser.cookies) }
    }
    const opens = async (cookies: Map<string, string>) => {
      const browser = browserOf(site)
      for (const [name, value] of cookies) browser.cookies.set(name, value)
      return (await browser.text('/account')).includes('ログインしている端末')
    }
    await browserOf(site).post('/signupform', hana)

    const leaving = await signedIn()
    expect(await opens(leaving.old)).toBe(true)
    expect((await leaving.browser.get('/logout')).status).toBe(200)
    expect(await opens(leaving.old)).toBe(true)
    // As the sign-out button sends it, without a body.
    const signOut = await leaving.browser.send('/logout', { method: 'POST', headers: { origin: 'http://localhost' } })
    expect(where(signOut)).toEqual([302, '/home'])
    expect([await opens(leaving.old), leaving.browser.cookies.size]).toEqual([false, 0])

    const changing = await signedIn()
    const elsewhere = await signedIn()
    const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
    expect((await changing.browser.post('/account', { ...change, current: 'wrong' })).status).toBe(400)
    expect(await opens(changing.old)).toBe(true)
    expect((await changing.browser.post('/account', change)).status).toBe(200)
    expect([await opens(changing.old), await opens(elsewhere.old)]).toEqual([false, false])
    expect(await opens(changing.browser.cookies)).toBe(true)

    const forgetting = changing.browser.cookies
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const reset = { token: tokenIn(linkIn(site.mails[0])), password: hana.password }
    expect((await browserOf(site).post('/resetpassword', reset)).status).toBe(302)
    expect(await opens(forgetting)).toBe(false)

    const gone = await signedIn()
    const leave = { intent: 'leave', agreed: 'on', current: hana.password }
    expect(where(await gone.browser.post('/account', leave))).toEqual([302, '/home'])
    expect([await opens(gone.old), gone.browser.cookies.size]).toEqual([false, 0])
    // Its streams, each time: on signing out, with the new password, the reset, and leaving.
    expect(ended).toHaveLength(4)
  })

  test('keeps the name of a sign-up on one line, and refuses a name without visible characters', async () => {
    const site = await sampleSite(await fresh())
    const name = ' 桜井\r\n\u0007花\u2028\u202eぐ '
    expect((await browserOf(site).post('/signupform', { ...hana, name })).status).toBe(302)
    const nameless = { ...hana, email: 'other@example.jp', name: '\r\n\u202e' }
    expect((await browserOf(site).post('/signupform', nameless)).status).toBe(400)
    expect(await site.db.selectFrom('accounts').select('name').execute()).toEqual([{ name: '桜井 花 ぐ' }])
  })

  test('leaving takes the account, its sessions, its record and its history, and nothing of others', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    const other = browserOf(site)
    await other.post('/signupform', { ...hana, email: 'other@example.jp', name: '若葉' })
    await browser.post('/membercreate', { profile: '花のこと', intent: 'keep', step: '1' })
    const otherId = await makeMember(site.db, 'other@example.jp', { administrator: true, admin: true })
    const id = await makeMember(site.db, hana.email)
    // What each leaves behind elsewhere: drafts of either record, a form that was sent, mails, changes.
    for (const who of [browser, other]) {
      await who.post(`/membercreate/${id}`, { profile: '花のこと', intent: 'keep', step: '1' })
      await who.post('/resetpassword', { email: who === other ? 'other@example.jp' : hana.email })
    }
    await other.post(`/membercreate/${otherId}`, { profile: '若葉のこと', intent: 'keep', step: '1' })
    const accounts = await site.db.selectFrom('accounts').select(['id', 'email']).orderBy('email').execute()
    expect(accounts.map(({ email }) => email)).toEqual([hana.email, 'other@example.jp'])
    const at = new Date(site.clock.now).toISOString()
    const sent = accounts.map((account) => ({ owner: account.id, key: 'sent', result: '""', at }))
    await site.db.insertInto('onceKeys').values(sent).execute()
    const message = {
      id: 'message',
      recipient: 'shop',
      subject: '',
      text: '',
      replyTo: hana.email,
      spam: false,
    } as const
    await site.db
      .insertInto('messages')
      .values({ ...message, searchText: '', createdAt: at })
      .execute()
    await enqueue(site.db, { to: hana.email, subject: '返信', text: '', html: '' }, { at, about: 'message' })
    await other.post('/memberlist', { deed: 'approve', member: id })
    await browser.post(`/membercreate/${id}`, { profile: '花のこと', intent: 'keep', step: '1' })

    expect((await browser.post('/account', { intent: 'leave', current: hana.password })).status).toBe(400)
    expect((await browser.post('/account', { intent: 'leave', agreed: 'on', current: 'wrong' })).status).toBe(400)
    expect(await site.db.selectFrom('members').selectAll().execute()).toHaveLength(2)
    await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
    for (const table of ['accounts', 'sessions', 'signInMethods', 'members', 'onceKeys', 'memberDrafts'] as const) {
      const kept = await site.db.selectFrom(table).selectAll().execute()
      expect(kept, table).toHaveLength(1)
      for (const gone of [id, accounts[0]?.id]) expect(JSON.stringify(kept), table).not.toContain(gone)
    }
    expect(JSON.stringify(await site.db.selectFrom('revisions').selectAll().execute())).not.toContain(hana.email)
    // An answer to what a guest wrote is the shop's to keep.
    const mails = await site.db.selectFrom('outbox').select(['to', 'about']).orderBy('to').execute()
    expect(mails).toEqual([
      { to: hana.email, about: 'message' },
      { to: 'other@example.jp', about: null },
    ])

    const last = await other.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
    expect([last.status, await last.text()]).toEqual([409, expect.stringContaining('最後の管理者は退会できません')])
    expect(await site.db.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
  })

  test('leaving is whole: where the account cannot go, its record stays', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signedInOn(site, hana)
    await makeMember(site.db, hana.email)
    await site.db.schema.dropTable('onceKeys').execute()
    expect((await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })).status).toBe(500)
    expect(await site.db.selectFrom('members').select('email').execute()).toHaveLength(1)
    expect(await browser.text('/account')).toContain('ログインしている端末')
  })

  test('returns the verified e-mail addresses by account ID', async () => {
    const site = await sampleSite(await fresh())
    for (const email of [hana.email, 'other@example.jp']) await signedInOn(site, { ...hana, email })
    const [first = '', second = ''] = (
      await site.db.selectFrom('accounts').select('id').orderBy('email').execute()
    ).map(({ id }) => id)
    const provenAddresses = verifiedEmailReader(site.db)
    expect(await provenAddresses([first, second])).toEqual(new Map())
    await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
    expect(await provenAddresses([first, 'nobody'])).toEqual(new Map([[first, hana.email]]))
    expect(await provenAddresses([])).toEqual(new Map())
  })

  test('a device is signed out by the account it belongs to, and by no other', async () => {
    const site = await sampleSite(await fresh())
    const here = browserOf(site, { headers: { 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' } })
    await here.post('/signupform', hana)
    const there = browserOf(site, { headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/1 Safari/1' } })
    await there.post('/emaillogin', hana)
    const stranger = browserOf(site)
    await stranger.post('/signupform', { ...hana, email: 'stranger@example.jp' })
    const html = await here.text('/account')
    expect(html).toMatch(/iPhone・Safari[\s\S]*この端末[\s\S]*Windows・Chrome/)
    const sessions = await site.db.selectFrom('sessions').selectAll().execute()
    for (const { token } of sessions) expect(html).not.toContain(token)

    const device = /name="device" value="([^"]+)"/.exec(html)?.[1] ?? ''
    await stranger.post('/account', { intent: 'device', device })
    expect(await site.db.selectFrom('sessions').selectAll().execute()).toHaveLength(3)
    await here.post('/account', { intent: 'device', device })
    expect(await there.text('/account')).toContain('ログインしてからご覧ください')
    expect(await here.text('/account')).toContain('ログインしている端末')
    expect((await browserOf(site).post('/account', { intent: 'device', device })).status).toBe(401)
  })

  test('one’s own data comes as a file, without what only serves to sign in, and to nobody else', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    await signedInOn(site, { ...hana, email: 'other@example.jp', name: '若葉' })
    const event = await site.db.selectFrom('events').select('id').executeTakeFirstOrThrow()
    const at = new Date(site.clock.now).toISOString()
    for (const [turn, email] of [hana.email, 'other@example.jp'].entries()) {
      const memberId = await makeMember(site.db, email)
      const said = { answer: 'yes', note: `${email}の返事`, turn, version: 1 } as const
      const times = { answeredAt: at, createdAt: at, updatedAt: at }
      await site.db
        .insertInto('answers')
        .values({ eventId: event.id, memberId, ...said, ...times })
        .execute()
    }
    const response = await browser.get('/account/data')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      account: { email: hana.email },
      members: [{ username: '桜井 花' }],
      answers: [{ note: `${hana.email}の返事` }],
      sessions: [{}],
    })
    expect(text).not.toMatch(/argon2|token|other@example\.jp|若葉/i)
    expect((await browserOf(site).get('/account/data')).status).toBe(401)
  })

  test('an address is believed from a named proxy alone', async () => {
    const site = await sampleSite(await fresh(), { trustedProxies: ['10.0.0.1'] })
    const seen = async (address: string, said: string) => {
      await site.db.deleteFrom('accounts').execute()
      await browserOf(site, { address, headers: { 'x-forwarded-for': said, 'x-visitor-address': '203.0.113.9' } }).post(
        '/signupform',
        hana,
      )
      return (await site.db.selectFrom('sessions').select('ipAddress').executeTakeFirstOrThrow()).ipAddress
    }
    expect(await seen('192.0.2.7', '203.0.113.5')).toBe('192.0.2.7')
    expect(await seen('10.0.0.1', '203.0.113.5, 198.51.100.4')).toBe('198.51.100.4')
    expect(await seen('::ffff:10.0.0.1', '198.51.100.4, 10.0.0.1')).toBe('198.51.100.4')
  })

  test('a session ends after thirty days without a visit, and a visit a day later renews it and its cookie', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    const { expiresAt } = await site.db.selectFrom('sessions').select('expiresAt').executeTakeFirstOrThrow()
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(30)
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
    const expires = (days: number) =>
      site.db
        .updateTable('sessions')
        .set({ expiresAt: new Date(Date.now() + days * 86_400_000).toISOString() })
        .execute()
    await expires(28.5)
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=2592000')])
    await expires(-0.01)
    expect(await browser.text('/account')).toContain('ログインしてからご覧ください')
  })

  test('a session ends ninety days after it began, however busy it is', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signedInOn(site, hana)
    const began = (days: number) =>
      site.db
        .updateTable('sessions')
        .set({ createdAt: new Date(site.clock.now - days * 86_400_000).toISOString() })
        .execute()
    await began(89.9)
    expect(await browser.text('/account')).toContain('ログインしている端末')
    await began(90.1)
    const other = browserOf(site)
    await other.post('/emaillogin', hana)
    expect((await other.text('/account')).match(/name="device"/g)).toBeNull()
    const ended = await browser.get('/account')
    expect(await ended.text()).toContain('ログインしてからご覧ください')
    expect([browser.cookies.size, await site.db.selectFrom('sessions').select('id').execute()]).toEqual([
      0,
      [{ id: expect.any(String) }],
    ])
  })

  test('what a signed-in person sees is kept by no cache', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    expect((await browser.get('/dining')).headers.get('cache-control')).toBe('no-cache')
    await browser.post('/signupform', hana)
    for (const path of ['/dining', '/account', '/dining.data']) {
      const { headers } = await browser.get(path)
      expect([headers.get('cache-control'), headers.get('etag')], path).toEqual(['private, no-store', null])
    }
  })

  test('nothing of Better Auth answers but the way back from Google', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    for (const path of ['sign-in/email', 'sign-up/email', 'update-user', 'change-email', 'delete-user', 'sign-out']) {
      expect((await browser.post(`/api/auth/${path}`, hana)).status, path).toBe(404)
    }
    for (const path of ['get-session', 'list-sessions', 'ok', 'error', 'reference', 'verify-email?token=a']) {
      expect((await browser.get(`/api/auth/${path}`)).status, path).toBe(404)
    }
  })
})

async function makeMember(db: Kysely<Tables>, email: string, flags: { administrator?: boolean; admin?: boolean } = {}) {
  const account = await db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  const words = [
    ...['email', 'address', 'telNum', 'profile', 'tennisExperience', 'racquetUsed', 'favoriteShot', 'strengths'],
    ...['strengthsWeaknesses', 'struggles', 'playerStyle', 'tennisPhilosophy', 'mainAchievements', 'hobbiesSkills'],
  ]
  const at = '2026-11-20T03:00:00.000Z'
  const row = {
    id: crypto.randomUUID(),
    version: 1,
    accountId: account.id,
    nonMemberId: null,
    administrator: false,
    admin: false,
    ...flags,
    username: account.name,
    accountname: account.name,
    accountnameKey: account.email,
    ...Object.fromEntries(words.map((word) => [word, ''])),
    birthday: null,
    realname: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  }
  await db
    .insertInto('members')
    .values(row as never)
    .execute()
  return row.id
}
