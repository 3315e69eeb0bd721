import crypto from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import {
  expectExpired,
  findLink,
  findToken,
  hana,
  readVerifiedEmails,
  signInBrowser,
} from '../../server/testing-account.ts'
import { redirectOf } from '../../server/testing-shop.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { signUp, verifiedEmailReader } from './accounts.server.ts'
import { resendVerification } from './email-verification.server.ts'

const HOUR_MS = 60 * 60_000

afterEach(() => void vi.restoreAllMocks())

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('sign-up', () => {
    onSqlite('signs in with an unverified e-mail address when the site sends no mail', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      expect(redirectOf(await browser.post('/signupform', hana))).toEqual([302, '/login/welcome'])
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

    onSqlite('reveals a used e-mail address only when the site sends no mail', async () => {
      const plain = await sampleSite(await fresh())
      await browserOf(plain).post('/signupform', hana)
      const secondSignUp = await browserOf(plain).post('/signupform', { ...hana, password: 'other-9-secret' })
      expect(secondSignUp.status).toBe(409)
      expect(await secondSignUp.text()).toMatch(
        /このメールアドレスはすでに登録されています。<a[^>]*href="\/emaillogin"/,
      )
      expect((await browserOf(plain).post('/emaillogin', { ...hana, password: 'other-9-secret' })).status).toBe(401)

      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await browserOf(site).post('/signupform', hana)
      const hashed = vi.spyOn(Worker.prototype, 'postMessage')
      const responses = []
      for (const email of [hana.email, 'unused@example.jp']) {
        hashed.mockClear()
        const response = await browserOf(site).post('/signupform', { ...hana, email })
        const html = (await response.text()).replaceAll(email, '')
        expect(html).toContain('にメールをお送りします')
        responses.push([response.status, html, hashed.mock.calls.length, response.headers.getSetCookie()])
      }
      expect(responses[0]).toEqual(responses[1])
      expect(responses[0]?.slice(2)).toEqual([1, []])
      const subjects = site.mails.map(({ to, subject }) => [to, subject])
      expect(subjects).toEqual([
        ['hana@example.jp', '【ダイニング結】メールアドレスの確認をお願いします'],
        ['hana@example.jp', '【ダイニング結】このアドレスは登録済みです'],
        ['unused@example.jp', '【ダイニング結】メールアドレスの確認をお願いします'],
      ])
    })

    onSqlite('creates no account when the verification mail cannot be stored', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await site.db.schema.dropTable('outbox').execute()
      const deps = { ...site, origin: 'http://localhost', now: site.clock.now }
      await expect(signUp(deps, hana)).rejects.toThrow('outbox')
      for (const table of ['accounts', 'signInMethods', 'mailedLinks'] as const) {
        expect(await site.db.selectFrom(table).selectAll().execute(), table).toEqual([])
      }
    })

    onSqlite('removes control characters from the name, and rejects a name without visible characters', async () => {
      const site = await sampleSite(await fresh())
      const name = ' 桜井\r\n\u0007花\u2028\u202eぐ '
      expect((await browserOf(site).post('/signupform', { ...hana, name })).status).toBe(302)
      const namelessForm = { ...hana, email: 'other@example.jp', name: '\r\n\u202e' }
      expect((await browserOf(site).post('/signupform', namelessForm)).status).toBe(400)
      expect(await site.db.selectFrom('accounts').select('name').execute()).toEqual([{ name: '桜井 花 ぐ' }])
    })
  })

  describe('sign-in', () => {
    onSqlite('redirects members to the home page and other users to the registration form', async () => {
      const site = await sampleSite(await fresh())
      await browserOf(site).post('/signupform', hana)
      const browser = browserOf(site)
      // Phone keyboards add capitals and a space.
      const typedForm = { email: ' Hana@Example.JP ', password: hana.password }
      expect(redirectOf(await browser.post('/emaillogin', typedForm))).toEqual([302, '/login/welcome'])
      expect((await browser.get('/login/welcome')).status).toBe(200)
      await makeMember(site.db, hana.email)
      expect(redirectOf(await browser.get('/login/welcome'))).toEqual([302, '/'])
      expect(redirectOf(await browserOf(site).get('/login/welcome'))).toEqual([302, '/login'])
    })

    onSqlite('sends the same response for a wrong password and for an unknown e-mail address', async () => {
      const site = await sampleSite(await fresh())
      await browserOf(site).post('/signupform', hana)
      const hashed = vi.spyOn(Worker.prototype, 'postMessage')
      const responses = []
      for (const email of [hana.email, 'nobody@example.jp']) {
        hashed.mockClear()
        const response = await browserOf(site).post('/emaillogin', { email, password: 'not-this-one' })
        const html = (await response.text()).replaceAll(email, '')
        expect(html).toContain('メールアドレスかパスワードが正しくありません')
        expect(html).not.toContain('not-this-one')
        responses.push([response.status, html, hashed.mock.calls.length])
      }
      expect(responses[0]).toEqual(responses[1])
      expect(responses[0]?.[0]).toBe(401)
      expect(responses[0]?.[2]).toBe(1)
      expect(await site.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
    })

    onSqlite.each([
      ['the password changes', (db) => db.updateTable('signInMethods').set({ password: 'other' }).execute()],
      ['the account is deleted', (db) => db.deleteFrom('accounts').execute()],
    ] as [string, (db: Db) => Promise<unknown>][])(
      'is refused when %s during the verification of the password',
      async (_, change) => {
        const site = await sampleSite(await fresh())
        await browserOf(site).post('/signupform', hana)
        await site.db.deleteFrom('sessions').execute()
        const verify = Worker.prototype.postMessage
        vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker, message) {
          change(site.db).then(() => verify.call(this, message))
        })
        expect((await browserOf(site).post('/emaillogin', hana)).status).toBe(401)
        expect(await site.db.selectFrom('sessions').selectAll().execute()).toEqual([])
      },
    )

    onSqlite('mentions a verification mail only when the mail was sent', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const before = site.mails.length
        const html = await (await browser.post('/emaillogin', hana)).text()
        expect(html.includes('確認のメールをお送りします'), `${attempt}`).toBe(site.mails.length > before)
        expect(html).toContain('確認がまだお済みで')
      }
      expect(site.mails).toHaveLength(4)
    })
  })

  describe('e-mail verification', () => {
    test('verifies the e-mail address once, when the user submits the form behind the mailed link', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await browserOf(site).post('/signupform', { ...hana, email: 'earlier@example.jp' })
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      const rejected = await browser.post('/emaillogin', hana)
      expect(rejected.status).toBe(403)
      expect(await rejected.text()).toContain('確認のメールをお送りします')
      expect(await site.db.selectFrom('sessions').selectAll().execute()).toEqual([])

      expect(site.mails.map(({ to }) => to)).toEqual(['earlier@example.jp', hana.email, hana.email])
      const [earlier, first, second] = site.mails.map(findLink)
      expect(await browser.text(earlier ?? '')).toContain('earlier@example.jp')
      expect(await browser.text(first ?? '')).toContain('このリンクは期限が切れたか')
      expect(await browser.text(second ?? '')).toContain('メールアドレス hana@example.jp を確認します')
      expect(await readVerifiedEmails(site.db)).toEqual([])
      const token = findToken(second)
      // A reset token verifies no e-mail address, and a verification token sets no password.
      await browser.post('/resetpassword', { email: hana.email })
      const reset = findToken(findLink(site.mails.at(-1)))
      expect((await browser.post('/verifyemail', { token: reset })).status).toBe(410)
      expect((await browser.post('/resetpassword', { token, password: 'new-lob-77' })).status).toBe(410)
      expect(await readVerifiedEmails(site.db)).toEqual([])
      expect(await (await browser.post('/verifyemail', { token })).text()).toContain('hana@example.jp を確認しました。')
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
      await expectExpired(browser.post('/verifyemail', { token }))
      expect(redirectOf(await browser.post('/emaillogin', hana))).toEqual([302, '/login/welcome'])

      // A concurrent sign-in may request a verification mail after the e-mail address has been verified.
      const mailCount = site.mails.length
      await resendVerification({ ...site, origin: 'http://localhost', now: site.clock.now }, hana.email)
      expect(await site.db.selectFrom('outbox').selectAll().execute()).toHaveLength(mailCount)
    })
  })

  describe('a mailed link', () => {
    onSqlite('expires after one hour when it resets a password, otherwise after one day', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await browserOf(site).post('/signupform', hana)
      await browserOf(site).post('/resetpassword', { email: hana.email })
      const [verify, reset] = site.mails.map((mail) => findToken(findLink(mail)))
      site.clock.now += HOUR_MS - 1
      expect(await browserOf(site).text(`/resetpassword?token=${reset}`)).toContain('このパスワードにする')
      site.clock.now += 1
      const lateResponse = await browserOf(site).post('/resetpassword', { token: reset ?? '', password: 'new-lob-77' })
      expect(lateResponse.status).toBe(410)
      site.clock.now += 23 * HOUR_MS - 1
      expect(await browserOf(site).text(`/verifyemail?token=${verify}`)).toContain('このアドレスを確認する')
      site.clock.now += 1
      expect((await browserOf(site).post('/verifyemail', { token: verify ?? '' })).status).toBe(410)
      expect(await readVerifiedEmails(site.db)).toEqual([])
    })
  })

  describe('password reset', () => {
    test('sets a new password once, without revealing which e-mail addresses are used', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await browserOf(site).post('/signupform', hana)
      const other = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      site.mails.length = 0
      const responses = []
      for (const email of [hana.email, 'unused@example.jp']) {
        const response = await browserOf(site).post('/resetpassword', { email })
        responses.push([response.status, (await response.text()).replaceAll(email, '')])
      }
      expect(responses[0]).toEqual(responses[1])
      expect(site.mails.map(({ to }) => to)).toEqual(['hana@example.jp'])

      const link = findLink(site.mails[0])
      const browser = browserOf(site)
      expect(await browser.text(link)).toContain('新しいパスワード')
      const token = findToken(link)
      const commonResponse = await browser.post('/resetpassword', { token, password: 'password1' })
      expect([commonResponse.status, await commonResponse.text()]).toEqual([
        400,
        expect.stringContaining('広く知られているため'),
      ])
      expect(redirectOf(await browser.post('/resetpassword', { token, password: 'new-lob-77' }))).toEqual([
        302,
        '/emaillogin?newpassword',
      ])
      await expectExpired(browser.post('/resetpassword', { token, password: 'third-99-x' }))
      expect((await browser.post('/emaillogin', hana)).status).toBe(401)
      expect((await browser.post('/emaillogin', { ...hana, password: 'new-lob-77' })).status).toBe(302)
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email, 'other@example.jp'])
      expect(await other.text('/account')).toContain('ログインしている端末')
      expect((await browserOf(site).post('/emaillogin', { ...hana, email: 'other@example.jp' })).status).toBe(302)
    })

    onSqlite('shows a request to contact the shop when the site sends no mail', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      expect(await browser.text('/resetpassword')).toContain('お店へ直接ご連絡ください')
      const requested = await browser.post('/resetpassword', { email: hana.email })
      const html = await requested.text()
      expect([requested.status, html]).toEqual([200, expect.stringContaining('お店へ直接ご連絡のうえ')])
      expect(html).not.toMatch(/お送りし(?:ます|ました)|再設定のメール/)
      // Without outgoing mail, the shop gives this link to the visitor.
      const reset = { token: findToken(findLink(site.mails.at(-1))), password: 'new-lob-77' }
      expect(redirectOf(await browserOf(site).post('/resetpassword', reset))).toEqual([302, '/emaillogin?newpassword'])

      await browser.post('/emaillogin', { ...hana, password: 'new-lob-77' })
      expect(await browser.text('/account')).not.toContain('確認のメールを送る')
      const mailCount = site.mails.length
      const verify = await browser.post('/account', { intent: 'verify' })
      expect([verify.status, await verify.text()]).toEqual([400, expect.stringContaining('メールをお送りできません')])
      expect(site.mails).toHaveLength(mailCount)
    })
  })

  describe('account deletion', () => {
    test('deletes all data of the account and no data of other accounts', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      const other = browserOf(site)
      await other.post('/signupform', { ...hana, email: 'other@example.jp', name: '若葉' })
      await browser.post('/membercreate', { profile: '花のこと', intent: 'keep', step: '1' })
      const otherId = await makeMember(site.db, 'other@example.jp', { administrator: true, admin: true })
      const id = await makeMember(site.db, hana.email)
      // Both users create drafts of member records and request a reset mail.
      for (const browserOfUser of [browser, other]) {
        await browserOfUser.post(`/membercreate/${id}`, { profile: '花のこと', intent: 'keep', step: '1' })
        await browserOfUser.post('/resetpassword', { email: browserOfUser === other ? 'other@example.jp' : hana.email })
      }
      await other.post(`/membercreate/${otherId}`, { profile: '若葉のこと', intent: 'keep', step: '1' })
      const accounts = await site.db.selectFrom('accounts').select(['id', 'email']).orderBy('email').execute()
      expect(accounts.map(({ email }) => email)).toEqual([hana.email, 'other@example.jp'])
      const at = new Date(site.clock.now).toISOString()
      const onceKeyRows = accounts.map((account) => ({ owner: account.id, key: 'sent', result: '""', at }))
      await site.db.insertInto('onceKeys').values(onceKeyRows).execute()
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
        const rows = await site.db.selectFrom(table).selectAll().execute()
        expect(rows, table).toHaveLength(1)
        for (const deletedId of [id, accounts[0]?.id]) expect(JSON.stringify(rows), table).not.toContain(deletedId)
      }
      expect(JSON.stringify(await site.db.selectFrom('revisions').selectAll().execute())).not.toContain(hana.email)
      // A reply to a contact message belongs to the shop.
      const mails = await site.db.selectFrom('outbox').select(['to', 'about']).orderBy('to').execute()
      expect(mails).toEqual([
        { to: hana.email, about: 'message' },
        { to: 'other@example.jp', about: null },
      ])

      const rejectedDeletion = await other.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })
      expect([rejectedDeletion.status, await rejectedDeletion.text()]).toEqual([
        409,
        expect.stringContaining('最後の管理者は退会できません'),
      ])
      expect(await site.db.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
    })

    test('deletes nothing when one of the deletions fails', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      await makeMember(site.db, hana.email)
      await site.db.schema.dropTable('onceKeys').execute()
      expect((await browser.post('/account', { intent: 'leave', agreed: 'on', current: hana.password })).status).toBe(
        500,
      )
      expect(await site.db.selectFrom('members').select('email').execute()).toHaveLength(1)
      expect(await browser.text('/account')).toContain('ログインしている端末')
    })
  })

  describe('verifiedEmailReader', () => {
    test('returns the verified e-mail addresses by account ID', async () => {
      const site = await sampleSite(await fresh())
      for (const email of [hana.email, 'other@example.jp']) await signInBrowser(site, { ...hana, email })
      const [first = '', second = ''] = (
        await site.db.selectFrom('accounts').select('id').orderBy('email').execute()
      ).map(({ id }) => id)
      const readVerifiedEmails = verifiedEmailReader(site.db)
      expect(await readVerifiedEmails([first, second])).toEqual(new Map())
      await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
      expect(await readVerifiedEmails([first, 'nobody'])).toEqual(new Map([[first, hana.email]]))
      expect(await readVerifiedEmails([])).toEqual(new Map())
    })
  })

  describe('/account/data', () => {
    test("sends the user's own account data as a file, without credentials", async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site, { headers: { 'user-agent': 'own' } })
      await browser.post('/signupform', hana)
      await signInBrowser(site, { ...hana, email: 'other@example.jp', name: '若葉' })
      await browserOf(site, { headers: { 'user-agent': 'later' } }).post('/emaillogin', hana)
      const later = new Date(Date.now() + HOUR_MS).toISOString()
      await site.db.updateTable('sessions').set({ updatedAt: later }).where('userAgent', '=', 'later').execute()
      const event = await site.db.selectFrom('events').select('id').executeTakeFirstOrThrow()
      const at = new Date(site.clock.now).toISOString()
      for (const [position, email] of [hana.email, 'other@example.jp'].entries()) {
        const memberId = await makeMember(site.db, email)
        const rsvp = {
          answer: 'yes',
          note: `${email}の返事`,
          turn: position,
          version: 1,
          companions: 0,
          came: null,
          toldPlace: 'coming',
        } as const
        const timestamps = { answeredAt: at, createdAt: at, updatedAt: at }
        await site.db
          .insertInto('answers')
          .values({ eventId: event.id, memberId, ...rsvp, ...timestamps })
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
        // The session of the browser comes first.
        sessions: [{ userAgent: 'own' }, { userAgent: 'later' }],
      })
      expect(text).not.toMatch(/argon2|"token"|other@example\.jp|若葉/i)
      expect((await browserOf(site).get('/account/data')).status).toBe(401)
    })
  })

  describe('HTTP caching', () => {
    onSqlite('is disabled for all pages when the user is signed in', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      expect((await browser.get('/dining')).headers.get('cache-control')).toBe('no-cache')
      await browser.post('/signupform', hana)
      for (const path of ['/dining', '/account', '/dining.data']) {
        const { headers } = await browser.get(path)
        expect([headers.get('cache-control'), headers.get('etag')], path).toEqual(['private, no-store', null])
      }
    })
  })

  describe('/api/auth', () => {
    onSqlite('returns 404 for the endpoints of Better Auth', async () => {
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
})

async function makeMember(db: Db, email: string, flags: { administrator?: boolean; admin?: boolean } = {}) {
  const account = await db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  const textColumns = [
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
    ...Object.fromEntries(textColumns.map((column) => [column, ''])),
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
