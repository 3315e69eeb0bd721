import { describe, expect, onTestFinished, test } from 'vitest'
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
import { changeAccountEmail, findVerification, undoEmailChange, verifyEmail } from './email-verification.server.ts'
import { createMailedLink } from './mailed-links.server.ts'

const DAY_MS = 24 * 60 * 60_000

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  describe('a change of the e-mail address without outgoing mail', () => {
    onSqlite('requires the password and leaves the new address unverified', async () => {
      const site = await sampleSite(await fresh())
      const browser = browserOf(site)
      await browser.post('/signupform', hana)
      await browserOf(site).post('/signupform', { ...hana, email: 'taken@example.jp' })
      await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
      await browserOf(site).post('/resetpassword', { email: hana.email })
      const change = (email: string, current = hana.password) =>
        browser.post('/account', { intent: 'email', email, current })
      expect((await change('new@example.jp', 'wrong')).status).toBe(400)
      const newPassword = { intent: 'password', current: 'wrong', password: 'new-lob-77' }
      expect((await browser.post('/account', newPassword)).status).toBe(400)
      const taken = await change('taken@example.jp')
      const takenError = expect.stringContaining('このメールアドレスはすでに登録されています')
      expect([taken.status, await taken.text()]).toEqual([409, takenError])
      expect((await change('new@example.jp')).status).toBe(200)
      const accounts = await site.db
        .selectFrom('accounts')
        .select(['email', 'emailVerified'])
        .orderBy('email')
        .execute()
      expect(accounts).toEqual([
        { email: 'new@example.jp', emailVerified: false },
        { email: 'taken@example.jp', emailVerified: true },
      ])
      // A reset link that was mailed to the previous e-mail address is invalid.
      const reset = { token: findToken(findLink(site.mails[0])), password: 'new-lob-77' }
      expect((await browserOf(site).post('/resetpassword', reset)).status).toBe(410)
      expect((await browserOf(site).post('/emaillogin', { ...hana, email: 'new@example.jp' })).status).toBe(302)
      expect(await readVerifiedEmails(site.db)).toEqual(['taken@example.jp'])
    })

    test('gives the address to only one account when two accounts request the address concurrently', async () => {
      const site = await sampleSite(await fresh())
      const ids: string[] = []
      for (const name of ['one', 'two']) {
        const email = `${name}@example.jp`
        await browserOf(site).post('/signupform', { ...hana, email })
        const { id } = await site.db
          .selectFrom('accounts')
          .select('id')
          .where('email', '=', email)
          .executeTakeFirstOrThrow()
        ids.push(id)
      }
      const deps = { ...site, origin: 'http://localhost', now: site.clock.now }
      const changeTo = (id: string) => changeAccountEmail(deps, { id, email: 'new@example.jp' }, async () => true)
      expect((await Promise.all(ids.map(changeTo))).sort()).toEqual(['changed', 'taken'])
    })

    test('reserves the previous address for its account', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      const other = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
      const change = (requester: typeof browser, email: string) =>
        requester.post('/account', { intent: 'email', email, current: hana.password })
      expect((await change(browser, 'new@example.jp')).status).toBe(200)
      expect((await change(other, hana.email)).status).toBe(409)
      expect((await browserOf(site).post('/signupform', hana)).status).toBe(409)
      expect((await change(browser, hana.email)).status).toBe(200)
      expect((await browser.text('/account')).includes(hana.email)).toBe(true)
    })

    onSqlite('sends nothing to a previous address that was never verified', async () => {
      const site = await sampleSite(await fresh())
      const browser = await signInBrowser(site, hana)
      const change = { intent: 'email', email: 'new@example.jp', current: hana.password }
      expect((await browser.post('/account', change)).status).toBe(200)
      expect(site.mails).toEqual([])
      expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
    })
  })

  describe('a change of the e-mail address with outgoing mail', () => {
    test('applies when the user confirms the link that was mailed to the new address', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = await signInBrowser(site, hana)
      await browserOf(site).post('/signupform', { ...hana, email: 'other@example.jp' })
      const lastMailTo = (address: string) => site.mails.findLast(({ to }) => to === address)
      const change = async (email: string) => {
        const response = await browser.post('/account', { intent: 'email', email, current: hana.password })
        return [response.status, (await response.text()).replaceAll(email, '')]
      }
      const unusedResponse = await change('new@example.jp')
      expect(unusedResponse).toEqual([200, expect.stringContaining('に確認のメールをお送りします')])
      expect(lastMailTo('new@example.jp')?.text).toContain('ボタンを押さないかぎり、メールアドレスは変わりません')
      expect(lastMailTo('new@example.jp')?.text).not.toContain('登録は完了しません')
      const verificationLink = findLink(lastMailTo('new@example.jp'))
      // A request for a used e-mail address gets the same response. The owner of that address gets a mail without a
      // link.
      expect(await change('other@example.jp')).toEqual(unusedResponse)
      expect(lastMailTo('other@example.jp')?.text).toContain(
        'ほかのアカウントのメールアドレスをこのアドレスに変更するお申し込み',
      )
      expect(lastMailTo('other@example.jp')?.text).not.toContain('新規登録')
      expect(findLink(lastMailTo('other@example.jp'))).toBe('')
      expect(await readVerifiedEmails(site.db)).toEqual(['hana@example.jp'])
      expect(await browserOf(site).text(verificationLink)).toContain(
        'アカウントのメールアドレスを new@example.jp に変更します',
      )
      const confirmed = await browser.post('/verifyemail', { token: findToken(verificationLink) })
      expect(await confirmed.text()).toContain('メールアドレスが new@example.jp に変わりました。')
      expect(await readVerifiedEmails(site.db)).toEqual(['new@example.jp'])

      // Another account gets the e-mail address before the link is used.
      await change('late@example.jp')
      const lateToken = findToken(findLink(lastMailTo('late@example.jp')))
      await browserOf(site).post('/signupform', { ...hana, email: 'late@example.jp' })
      expect((await browser.post('/verifyemail', { token: lateToken })).status).toBe(410)
      const emails = await site.db.selectFrom('accounts').select('email').orderBy('email').execute()
      expect(emails.map(({ email }) => email)).toEqual(['late@example.jp', 'new@example.jp', 'other@example.jp'])
      expect(await readVerifiedEmails(site.db)).toEqual(['new@example.jp'])
    })

    onSqlite('sends nothing to a previous address that was never verified', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = await signInBrowser(site, hana)
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      site.mails.length = 0
      await browser.post('/account', { intent: 'email', email: 'new@example.jp', current: hana.password })
      expect(site.mails.map(({ to }) => to)).toEqual(['new@example.jp'])
    })

    onSqlite('mails an undo link to the previous address at the request and again at the change', async () => {
      const { site, browser, undoMails } = await siteWithChangedEmail(await fresh())
      expect(
        undoMails().map(({ subject, text }) => [subject, text.includes('new@example.jp'), undoPathIn(text) !== '']),
      ).toEqual([
        ['【ダイニング結】メールアドレスの変更のお申し込みがありました', true, true],
        ['【ダイニング結】メールアドレスが変わりました', true, true],
      ])
      // The mail to the new e-mail address omits the user's name. A request for the current address sends no mail.
      const verificationMail = site.mails.find(({ to }) => to === 'new@example.jp')
      expect(verificationMail?.text).not.toContain(hana.name)
      const mailCount = site.mails.length
      const same = { intent: 'email', email: 'new@example.jp', current: hana.password }
      const rejected = await browser.post('/account', same)
      expect([rejected.status, await rejected.text()]).toEqual([
        400,
        expect.stringContaining('現在のメールアドレスと同じです'),
      ])
      expect(site.mails).toHaveLength(mailCount)
    })

    onSqlite(
      'is cancelled when the user ends other sessions or sets a new password, but its undo link stays valid',
      async () => {
        const site = await sampleSite(await fresh(), {}, { verifies: true })
        let { password } = hana
        const browser = await signInBrowser(site, hana)
        const pendingTokens: string[] = []
        const undoLinks: string[] = []
        const requestChange = async (email: string) => {
          await browser.post('/account', { intent: 'email', email, current: password })
          const lastMail = (address: string) => site.mails.findLast(({ to }) => to === address)
          pendingTokens.push(findToken(findLink(lastMail(email))))
          undoLinks.push(findToken(undoPathIn(lastMail(hana.email)?.text)))
        }
        const isValid = async (token: string) =>
          (await browserOf(site).text(`/verifyemail?token=${token}`)).includes('に変更する')

        await requestChange('one@example.jp')
        await browserOf(site).post('/resetpassword', { email: hana.email })
        const reset = findToken(findLink(site.mails.at(-1)))
        await browser.post('/account', { intent: 'other devices' })
        expect((await browserOf(site).post('/resetpassword', { token: reset, password: 'new-lob-77' })).status).toBe(
          410,
        )

        await requestChange('two@example.jp')
        await browser.post('/account', { intent: 'password', current: password, password: 'slice-low-8' })
        password = 'slice-low-8'

        await requestChange('three@example.jp')
        await browserOf(site).post('/resetpassword', { email: hana.email })
        const other = { token: findToken(findLink(site.mails.at(-1))), password: 'third-99-x' }
        expect((await browserOf(site).post('/resetpassword', other)).status).toBe(302)

        for (const token of pendingTokens) {
          expect(token).not.toBe('')
          expect(await isValid(token)).toBe(false)
          expect((await browserOf(site).post('/verifyemail', { token })).status).toBe(410)
        }
        expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
        const [earliest = ''] = undoLinks
        expect((await browserOf(site).post('/undoaddress', { token: earliest })).status).toBe(302)
        expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
      },
    )

    onSqlite('is limited to three requests in 15 minutes, without blocking a password reset', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await signInBrowser(site, { ...hana, email: 'stranger@example.jp' })
      const browser = await signInBrowser(site, hana)
      for (const status of [200, 200, 200, 429]) {
        const change = { intent: 'email', email: 'stranger@example.jp', current: hana.password }
        expect((await browser.post('/account', change)).status).toBe(status)
      }
      const toStranger = () => site.mails.filter(({ to }) => to === 'stranger@example.jp').slice(1)
      expect(toStranger()).toHaveLength(3)
      expect((await browserOf(site).post('/resetpassword', { email: 'stranger@example.jp' })).status).toBe(200)
      expect(findLink(toStranger().at(-1))).toContain('/resetpassword?token=')
    })
  })

  describe('undoing a change of the e-mail address', () => {
    test.each([
      ['requested', 0],
      ['made', 1],
    ])('restores the account within seven days by the link mailed when the change was %s', async (_, index) => {
      const { site, browser, undoMails } = await siteWithChangedEmail(await fresh())
      const endedSessions: unknown[] = []
      onTestFinished(site.live.subscribe((event) => void endedSessions.push(event)))
      const undoLinks = undoMails().map(({ text }) => undoPathIn(text))
      const [first = '', second = ''] = [undoLinks[index], undoLinks[1 - index]]
      site.clock.now += 7 * DAY_MS - 1
      const owner = browserOf(site)
      expect(await owner.text(first)).toContain('hana@example.jp に戻します')
      expect(await readVerifiedEmails(site.db)).toEqual(['new@example.jp'])

      const undone = await owner.post('/undoaddress', { token: findToken(first) })
      const reset = undone.headers.get('location') ?? ''
      expect(redirectOf(undone)).toEqual([302, expect.stringMatching(/^\/resetpassword\?token=[\w-]{43}&back$/)])
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
      expect(endedSessions).toEqual([{ account: expect.any(String) }])
      expect(site.mails.at(-1)).toMatchObject({
        to: 'new@example.jp',
        subject: expect.stringContaining('元に戻されました'),
      })
      expect(findLink(site.mails.at(-1))).toBe('')
      // A thief with the old password and the new mailbox cannot sign in any more.
      expect(await browser.text('/account')).toContain('ログインしてからご覧ください')
      for (const email of [hana.email, 'new@example.jp']) {
        expect((await browserOf(site).post('/emaillogin', { ...hana, email })).status).toBe(401)
      }
      for (const link of [first, second]) {
        await expectExpired(owner.post('/undoaddress', { token: findToken(link) }))
        expect(await owner.text(link)).toContain('このリンクは期限が切れたか、すでに使われています')
      }
      // The owner sets a new password and signs in.
      expect(await owner.text(reset)).toContain('メールアドレスを元に戻しました')
      const chosen = { token: findToken(reset), password: 'new-lob-77' }
      expect(redirectOf(await owner.post('/resetpassword', chosen))).toEqual([302, '/emaillogin?newpassword'])
      expect(redirectOf(await owner.post('/emaillogin', { ...hana, password: 'new-lob-77' }))).toEqual([
        302,
        '/login/welcome',
      ])
      expect(await owner.text('/account')).toContain('ログインしている端末')
    })

    onSqlite('fails after seven days', async () => {
      const { site, undoMails } = await siteWithChangedEmail(await fresh())
      site.clock.now += 7 * DAY_MS
      for (const { text } of undoMails()) {
        expect((await browserOf(site).post('/undoaddress', { token: findToken(undoPathIn(text)) })).status).toBe(410)
      }
      expect(await readVerifiedEmails(site.db)).toEqual(['new@example.jp'])
    })

    onSqlite(
      'leaves no undo link for the address in between when the user changes back to the first address',
      async () => {
        const { site, browser } = await siteWithChangedEmail(await fresh())
        const change = async (email: string) => {
          await browser.post('/account', { intent: 'email', email, current: hana.password })
          const verificationMail = site.mails.findLast(({ to }) => to === email)
          expect(
            (await browserOf(site).post('/verifyemail', { token: findToken(findLink(verificationMail)) })).status,
          ).toBe(200)
        }
        await change('third@example.jp')
        site.clock.now += 6 * DAY_MS
        const mailCount = site.mails.length
        await change(hana.email)
        expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
        const mailsInBetween = site.mails.slice(mailCount).filter(({ to }) => to === 'third@example.jp')
        expect(mailsInBetween.map(({ subject, text }) => [subject, undoPathIn(text)])).toEqual([
          ['【ダイニング結】メールアドレスの変更のお申し込みがありました', ''],
          ['【ダイニング結】メールアドレスが変わりました', ''],
        ])
        expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
      },
    )

    test('restores the first of several addresses, and invalidates the undo links of the later addresses', async () => {
      const { site, browser, undoMails } = await siteWithChangedEmail(await fresh())
      const [first = ''] = undoMails().map(({ text }) => undoPathIn(text))
      site.clock.now += DAY_MS
      await browser.post('/account', { intent: 'email', email: 'third@example.jp', current: hana.password })
      const verificationMail = site.mails.findLast(({ to }) => to === 'third@example.jp')
      await browserOf(site).post('/verifyemail', { token: findToken(findLink(verificationMail)) })
      const laterTokens = site.mails
        .filter(({ to }) => to === 'new@example.jp')
        .map(({ text }) => findToken(undoPathIn(text)))
      expect(laterTokens.filter((token) => token !== '')).toHaveLength(2)
      await site.db
        .insertInto('signInMethods')
        .values(await googleMethod(site))
        .execute()

      expect((await browserOf(site).post('/undoaddress', { token: findToken(first) })).status).toBe(302)
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
      expect(await site.db.selectFrom('signInMethods').selectAll().execute()).toEqual([])
      for (const token of laterTokens) expect((await browserOf(site).post('/undoaddress', { token })).status).toBe(410)
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
    })

    test('restores the first address even if the change is verified at the same time', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      await signInBrowser(site, hana)
      const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
      const deps = { ...site, origin: 'http://localhost', now: site.clock.now }
      const link = (purpose: 'change' | 'undo', email: string) =>
        createMailedLink(site.db, { purpose, accountId: id, email }, site.clock.now)
      for (let time = 0; time < 10; time += 1) {
        const [change, undo] = [await link('change', 'new@example.jp'), await link('undo', hana.email)]
        await Promise.all([verifyEmail(deps, change), undoEmailChange(deps, undo)])
        expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
        expect(await findVerification(site.db, change, site.clock.now)).toBeNull()
      }
    })

    onSqlite('always succeeds, because no other account can get the previous address', async () => {
      const { site, undoMails } = await siteWithChangedEmail(await fresh())
      const [first = ''] = undoMails().map(({ text }) => undoPathIn(text))
      const thief = browserOf(site)
      const signUpResponse = async (email: string) => {
        const response = await thief.post('/signupform', { ...hana, email })
        return [response.status, (await response.text()).replaceAll(email, '')]
      }
      expect(await signUpResponse(hana.email)).toEqual(await signUpResponse('unused@example.jp'))
      expect(site.mails.findLast(({ to }) => to === hana.email)?.text).toContain('7日のあいだ保留しています')
      const other = await signInBrowser(site, { ...hana, email: 'other@example.jp' })
      const mailCount = site.mails.length
      await other.post('/account', { intent: 'email', email: hana.email, current: hana.password })
      const mails = site.mails.slice(mailCount)
      expect(mails.find(({ to }) => to === hana.email)?.text).toContain('7日のあいだ保留しています')
      expect(mails.map(({ text }) => findLink({ text }).split('?')[0])).toEqual(['', '/undoaddress'])
      await site.db
        .updateTable('accounts')
        .set({ emailVerified: true })
        .where('email', '=', 'unused@example.jp')
        .execute()

      expect((await browserOf(site).post('/undoaddress', { token: findToken(first) })).status).toBe(302)
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email, 'other@example.jp', 'unused@example.jp'])
    })
  })

  describe('the verification mail', () => {
    onSqlite('is resent to a signed-in user at most three times in 15 minutes', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = await signInBrowser(site, hana)
      await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
      site.mails.length = 0
      for (const status of [200, 200, 200, 429]) {
        const response = await browser.post('/account', { intent: 'verify' })
        const isSent = (await response.text()).includes(`${hana.email} に確認のメールをお送りします`)
        expect([response.status, isSent]).toEqual([status, status === 200])
      }
      expect(site.mails.map(({ to }) => to)).toEqual(Array(3).fill(hana.email))
      expect((await browserOf(site).post('/account', { intent: 'verify' })).status).toBe(401)
      await browser.post('/verifyemail', { token: findToken(findLink(site.mails.at(-1))) })
      expect(await readVerifiedEmails(site.db)).toEqual([hana.email])
    })
  })

  describe('account mails', () => {
    test('are limited to five per mailbox in 15 minutes, for all forms and all senders together', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const numbers = [0, 1, 2]
      const strangers = numbers.map((index) => ({ ...hana, email: `stranger-${index}@example.jp` }))
      const browsers: ReturnType<typeof browserOf>[] = []
      for (const stranger of strangers) browsers.push(await signInBrowser(site, stranger))
      await signInBrowser(site, { ...hana, email: 'used@example.jp' })
      site.clock.now += 60 * 60_000
      site.mails.length = 0

      const statusesFor = async (mailbox: string) => {
        const [name, domain] = mailbox.split('@')
        const statuses: number[] = []
        for (const [index, browser] of browsers.entries()) {
          const email = index % 2 ? `${name}+tag${index}@${domain}` : mailbox.toUpperCase()
          const change = { intent: 'email', email, current: hana.password }
          statuses.push((await browser.post('/account', change)).status)
          const otherBrowser = browserOf(site, { address: `198.51.100.${index}` })
          statuses.push((await otherBrowser.post('/signupform', { ...hana, email: mailbox })).status)
          statuses.push((await otherBrowser.post('/resetpassword', { email: mailbox })).status)
        }
        return statuses
      }
      const usedStatuses = await statusesFor('used@example.jp')
      expect(usedStatuses).toEqual([...Array(5).fill(200), ...Array(4).fill(429)])
      expect(await statusesFor('unused@example.jp')).toEqual(usedStatuses)
      const mailsTo = (name: string) =>
        site.mails.filter(({ to }) => to.replace(/\+tag\d/, '') === `${name}@example.jp`)
      expect(mailsTo('used')).toHaveLength(5)
      expect(mailsTo('unused').length).toBeLessThanOrEqual(5)

      site.clock.now += 15 * 60_000
      expect((await browserOf(site).post('/resetpassword', { email: 'used@example.jp' })).status).toBe(200)
      expect(mailsTo('used')).toHaveLength(6)
    })

    onSqlite('report each new password to a verified address', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const browser = await signInBrowser(site, hana)
      site.mails.length = 0
      await browser.post('/account', { intent: 'password', current: hana.password, password: 'slice-low-8' })
      await browserOf(site).post('/resetpassword', { email: hana.email })
      const reset = findToken(findLink(site.mails.at(-1)))
      await browserOf(site).post('/resetpassword', { token: reset, password: 'new-lob-77' })
      expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
        [hana.email, '【ダイニング結】パスワードが変わりました'],
        [hana.email, '【ダイニング結】パスワードの再設定'],
        [hana.email, '【ダイニング結】パスワードが変わりました'],
      ])

      const siteWithoutMail = await sampleSite(await fresh())
      const unverifiedBrowser = await signInBrowser(siteWithoutMail, hana)
      const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
      expect((await unverifiedBrowser.post('/account', change)).status).toBe(200)
      expect(siteWithoutMail.mails).toEqual([])
    })

    onSqlite('contain no text by the visitor when the address is unverified', async () => {
      const site = await sampleSite(await fresh(), {}, { verifies: true })
      const name = 'http://evil.example/prize'
      const victim = 'victim@example.jp'
      await browserOf(site).post('/signupform', { ...hana, name, email: victim })
      await browserOf(site).post('/signupform', { ...hana, name, email: victim })
      await browserOf(site).post('/emaillogin', { ...hana, email: victim })
      await browserOf(site).post('/resetpassword', { email: victim })
      const thief = await signInBrowser(site, { ...hana, name })
      await thief.post('/account', { intent: 'email', email: 'other@example.jp', current: hana.password })
      await thief.post('/account', { intent: 'email', email: victim, current: hana.password })
      const mails = site.mails.filter(({ to }) => to !== hana.email)
      expect(mails).toHaveLength(6)
      for (const { subject, text, html } of mails) expect(subject + text + html).not.toContain('evil')
    })
  })
})

/** Returns the path of the undo link in the text of a mail, or an empty string. */
const undoPathIn = (text = '') => /http:\/\/localhost(\/undoaddress\S+)/.exec(text)?.[1] ?? ''

/**
 * Changes the e-mail address of Hana's account. `undoMails` returns the mails to her previous address about the change.
 */
async function siteWithChangedEmail(db: Parameters<typeof sampleSite>[0]) {
  const site = await sampleSite(db, {}, { verifies: true })
  const browser = await signInBrowser(site, hana)
  site.clock.now += DAY_MS
  const mailCount = site.mails.length
  await browser.post('/account', { intent: 'email', email: 'new@example.jp', current: hana.password })
  const verificationMail = site.mails.find(({ to }) => to === 'new@example.jp')
  expect((await browserOf(site).post('/verifyemail', { token: findToken(findLink(verificationMail)) })).status).toBe(
    200,
  )
  return { site, browser, undoMails: () => site.mails.slice(mailCount).filter(({ to }) => to === hana.email) }
}

/** Returns a new Google sign-in method for the only account of the site. */
async function googleMethod({ db, clock }: Awaited<ReturnType<typeof sampleSite>>) {
  const method = await db.selectFrom('signInMethods').selectAll().executeTakeFirstOrThrow()
  const timestamp = new Date(clock.now).toISOString()
  return { ...method, id: 'google', provider: 'google' as const, subject: '1', password: null, createdAt: timestamp }
}
