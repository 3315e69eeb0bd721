import { expect, onTestFinished, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { hana, linkIn, provenOf, signedInOn, tokenIn } from '../../server/testing-account.ts'
import { changeAccountEmail, findVerification, undoEmailChange, verifyEmail } from './email-verification.server.ts'
import { createMailedLink } from './mailed-links.server.ts'

const DAY = 24 * 60 * 60_000
const where = (response: Response) => [response.status, response.headers.get('location')]

onEachEngine((fresh) => {
  test('a changed address needs the password; without mail it changes at once and unproven, another’s is refused', async () => {
    const site = await sampleSite(await fresh())
    const browser = browserOf(site)
    await browser.post('/signupform', hana)
    await browserOf(site).post('/signupform', { ...hana, email: 'taken@example.jp' })
    await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const change = (email: string, current = hana.password) =>
      browser.post('/account', { intent: 'email', email, current })
    expect((await change('new@example.jp', 'wrong')).status).toBe(400)
    expect((await change('taken@example.jp')).status).toBe(409)
    expect((await change('new@example.jp')).status).toBe(200)
    const accounts = await site.db.selectFrom('accounts').select(['email', 'emailVerified']).orderBy('email').execute()
    expect(accounts).toEqual([
      { email: 'new@example.jp', emailVerified: false },
      { email: 'taken@example.jp', emailVerified: true },
    ])
    // A link that went to the address of before sets no password any more.
    const reset = { token: tokenIn(linkIn(site.mails[0])), password: 'new-lob-77' }
    expect((await browserOf(site).post('/resetpassword', reset)).status).toBe(410)
    expect((await browserOf(site).post('/emaillogin', { ...hana, email: 'new@example.jp' })).status).toBe(302)
    expect(await provenOf(site.db)).toEqual(['taken@example.jp'])
  })

  test('of two who take the same address in the same instant one has it', async () => {
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
    const around = { ...site, origin: 'http://localhost', now: site.clock.now }
    const take = (id: string) => changeAccountEmail(around, { id, email: 'new@example.jp' }, async () => true)
    expect((await Promise.all(ids.map(take))).sort()).toEqual(['changed', 'taken'])
  })

  test('with mail an address changes when its new mailbox has answered', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await signedInOn(site, hana)
    await browserOf(site).post('/signupform', { ...hana, email: 'other@example.jp' })
    const lastTo = (address: string) => site.mails.findLast(({ to }) => to === address)
    const change = async (email: string) => {
      const response = await browser.post('/account', { intent: 'email', email, current: hana.password })
      return [response.status, (await response.text()).replaceAll(email, '')]
    }
    const free = await change('new@example.jp')
    expect(free).toEqual([200, expect.stringContaining('に確認のメールをお送りします')])
    expect(lastTo('new@example.jp')?.text).toContain('ボタンを押さないかぎり、メールアドレスは変わりません')
    expect(lastTo('new@example.jp')?.text).not.toContain('登録は完了しません')
    const proof = linkIn(lastTo('new@example.jp'))
    // Another's address: the same answer, and a mail to its owner that opens nothing.
    expect(await change('other@example.jp')).toEqual(free)
    expect(lastTo('other@example.jp')?.text).toContain(
      'ほかのアカウントのメールアドレスをこのアドレスに変更するお申し込み',
    )
    expect(lastTo('other@example.jp')?.text).not.toContain('新規登録')
    expect(linkIn(lastTo('other@example.jp'))).toBe('')
    expect(await provenOf(site.db)).toEqual(['hana@example.jp'])
    expect(await browserOf(site).text(proof)).toContain('アカウントのメールアドレスを new@example.jp に変更します')
    await browser.post('/verifyemail', { token: tokenIn(proof) })
    expect(await provenOf(site.db)).toEqual(['new@example.jp'])

    // One that became another's before the link was used.
    await change('late@example.jp')
    const late = tokenIn(linkIn(lastTo('late@example.jp')))
    await browserOf(site).post('/signupform', { ...hana, email: 'late@example.jp' })
    expect((await browser.post('/verifyemail', { token: late })).status).toBe(410)
    const emails = await site.db.selectFrom('accounts').select('email').orderBy('email').execute()
    expect(emails.map(({ email }) => email)).toEqual(['late@example.jp', 'new@example.jp', 'other@example.jp'])
    expect(await provenOf(site.db)).toEqual(['new@example.jp'])
  })

  test('who is signed in has the proof of their address asked for again, three times in a quarter of an hour', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await signedInOn(site, hana)
    await site.db.updateTable('accounts').set({ emailVerified: false }).execute()
    site.mails.length = 0
    for (const status of [200, 200, 200, 429]) {
      expect((await browser.post('/account', { intent: 'verify' })).status).toBe(status)
    }
    expect(site.mails.map(({ to }) => to)).toEqual(Array(3).fill(hana.email))
    expect((await browserOf(site).post('/account', { intent: 'verify' })).status).toBe(401)
    await browser.post('/verifyemail', { token: tokenIn(linkIn(site.mails.at(-1))) })
    expect(await provenOf(site.db)).toEqual([hana.email])
  })

  test('a changed address is told where it was, when it is asked for and when it happens, each with a way back', async () => {
    const { site, browser, told } = await changing(await fresh())
    expect(told().map(({ subject, text }) => [subject, text.includes('new@example.jp'), undoIn(text) !== ''])).toEqual([
      ['【ダイニング結】メールアドレスの変更のお申し込みがありました', true, true],
      ['【ダイニング結】メールアドレスが変わりました', true, true],
    ])
    // The new one is told nothing of who asks, and without a change nobody is told.
    const asked = site.mails.find(({ to }) => to === 'new@example.jp')
    expect(asked?.text).not.toContain(hana.name)
    const sent = site.mails.length
    const same = { intent: 'email', email: 'new@example.jp', current: hana.password }
    const refused = await browser.post('/account', same)
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('現在のメールアドレスと同じです'),
    ])
    expect(site.mails).toHaveLength(sent)
  })

  test.each([
    ['asked for', 0],
    ['made', 1],
  ])('the way back, told when the change was %s, opens for seven days, and for nobody else', async (_, which) => {
    const { site, browser, told } = await changing(await fresh())
    const ended: unknown[] = []
    onTestFinished(site.live.listen((news) => void ended.push(news)))
    const ways = told().map(({ text }) => undoIn(text))
    const [first = '', second = ''] = [ways[which], ways[1 - which]]
    site.clock.now += 7 * DAY - 1
    const owner = browserOf(site)
    expect(await owner.text(first)).toContain('hana@example.jp に戻します')
    expect(await provenOf(site.db)).toEqual(['new@example.jp'])

    const undone = await owner.post('/undoaddress', { token: tokenIn(first) })
    const reset = undone.headers.get('location') ?? ''
    expect(where(undone)).toEqual([302, expect.stringMatching(/^\/resetpassword\?token=[\w-]{43}&back$/)])
    expect(await provenOf(site.db)).toEqual([hana.email])
    expect(ended).toEqual([{ account: expect.any(String) }])
    expect(site.mails.at(-1)).toMatchObject({
      to: 'new@example.jp',
      subject: expect.stringContaining('元に戻されました'),
    })
    expect(linkIn(site.mails.at(-1))).toBe('')
    // The thief, who knows the password and has the new mailbox, is out for good.
    expect(await browser.text('/account')).toContain('ログインしてからご覧ください')
    for (const email of [hana.email, 'new@example.jp']) {
      expect((await browserOf(site).post('/emaillogin', { ...hana, email })).status).toBe(401)
    }
    for (const used of [first, second]) {
      expect((await owner.post('/undoaddress', { token: tokenIn(used) })).status).toBe(410)
      expect(await owner.text(used)).toContain('このリンクは期限が切れたか、すでに使われています')
    }
    // And its owner arrives.
    expect(await owner.text(reset)).toContain('メールアドレスを元に戻しました')
    const chosen = { token: tokenIn(reset), password: 'new-lob-77' }
    expect(where(await owner.post('/resetpassword', chosen))).toEqual([302, '/emaillogin?newpassword'])
    expect(where(await owner.post('/emaillogin', { ...hana, password: 'new-lob-77' }))).toEqual([302, '/login/welcome'])
    expect(await owner.text('/account')).toContain('ログインしている端末')
  })

  test('after seven days there is no way back', async () => {
    const { site, told } = await changing(await fresh())
    site.clock.now += 7 * DAY
    for (const { text } of told()) {
      expect((await browserOf(site).post('/undoaddress', { token: tokenIn(undoIn(text)) })).status).toBe(410)
    }
    expect(await provenOf(site.db)).toEqual(['new@example.jp'])
  })

  test('a change that waits dies by its way back, and that outlives a reset, a new password and signing out all', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    let { password } = hana
    const browser = await signedInOn(site, hana)
    const waiting: string[] = []
    const ways: string[] = []
    const ask = async (email: string) => {
      await browser.post('/account', { intent: 'email', email, current: password })
      const last = (address: string) => site.mails.findLast(({ to }) => to === address)
      waiting.push(tokenIn(linkIn(last(email))))
      ways.push(tokenIn(undoIn(last(hana.email)?.text)))
    }
    const opens = async (token: string) =>
      (await browserOf(site).text(`/verifyemail?token=${token}`)).includes('に変更する')

    await ask('one@example.jp')
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const reset = tokenIn(linkIn(site.mails.at(-1)))
    await browser.post('/account', { intent: 'other devices' })
    expect((await browserOf(site).post('/resetpassword', { token: reset, password: 'new-lob-77' })).status).toBe(410)

    await ask('two@example.jp')
    await browser.post('/account', { intent: 'password', current: password, password: 'slice-low-8' })
    password = 'slice-low-8'

    await ask('three@example.jp')
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const other = { token: tokenIn(linkIn(site.mails.at(-1))), password: 'third-99-x' }
    expect((await browserOf(site).post('/resetpassword', other)).status).toBe(302)

    for (const token of waiting) {
      expect(token).not.toBe('')
      expect(await opens(token)).toBe(false)
      expect((await browserOf(site).post('/verifyemail', { token })).status).toBe(410)
    }
    expect(await provenOf(site.db)).toEqual([hana.email])
    const [earliest = ''] = ways
    expect((await browserOf(site).post('/undoaddress', { token: earliest })).status).toBe(302)
    expect(await provenOf(site.db)).toEqual([hana.email])
  })

  test('whoever goes back by the form leaves no way back to the addresses in between', async () => {
    const { site, browser } = await changing(await fresh())
    const change = async (email: string) => {
      await browser.post('/account', { intent: 'email', email, current: hana.password })
      const proof = site.mails.findLast(({ to }) => to === email)
      expect((await browserOf(site).post('/verifyemail', { token: tokenIn(linkIn(proof)) })).status).toBe(200)
    }
    await change('third@example.jp')
    site.clock.now += 6 * DAY
    const sent = site.mails.length
    await change(hana.email)
    expect(await provenOf(site.db)).toEqual([hana.email])
    const between = site.mails.slice(sent).filter(({ to }) => to === 'third@example.jp')
    expect(between.map(({ subject, text }) => [subject, undoIn(text)])).toEqual([
      ['【ダイニング結】メールアドレスの変更のお申し込みがありました', ''],
      ['【ダイニング結】メールアドレスが変わりました', ''],
    ])
    expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
  })

  test('of several changes the first address gets the account back, and no later one after it', async () => {
    const { site, browser, told } = await changing(await fresh())
    const [first = ''] = told().map(({ text }) => undoIn(text))
    site.clock.now += DAY
    await browser.post('/account', { intent: 'email', email: 'third@example.jp', current: hana.password })
    const proof = site.mails.findLast(({ to }) => to === 'third@example.jp')
    await browserOf(site).post('/verifyemail', { token: tokenIn(linkIn(proof)) })
    const later = site.mails.filter(({ to }) => to === 'new@example.jp').map(({ text }) => tokenIn(undoIn(text)))
    expect(later.filter((token) => token !== '')).toHaveLength(2)
    await site.db
      .insertInto('signInMethods')
      .values(await googleMethod(site))
      .execute()

    expect((await browserOf(site).post('/undoaddress', { token: tokenIn(first) })).status).toBe(302)
    expect(await provenOf(site.db)).toEqual([hana.email])
    expect(await site.db.selectFrom('signInMethods').selectAll().execute()).toEqual([])
    for (const token of later) expect((await browserOf(site).post('/undoaddress', { token })).status).toBe(410)
    expect(await provenOf(site.db)).toEqual([hana.email])
  })

  test('a change that is proven while it is taken back leaves the account with its first address', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await signedInOn(site, hana)
    const { id } = await site.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const around = { ...site, origin: 'http://localhost', now: site.clock.now }
    const link = (purpose: 'change' | 'undo', email: string) =>
      createMailedLink(site.db, { purpose, accountId: id, email }, site.clock.now)
    for (let time = 0; time < 10; time += 1) {
      const [change, undo] = [await link('change', 'new@example.jp'), await link('undo', hana.email)]
      await Promise.all([verifyEmail(around, change), undoEmailChange(around, undo)])
      expect(await provenOf(site.db)).toEqual([hana.email])
      expect(await findVerification(site.db, change, site.clock.now)).toBeNull()
    }
  })

  test('an address that an account may take back is nobody else’s for as long', async () => {
    const { site, told } = await changing(await fresh())
    const [first = ''] = told().map(({ text }) => undoIn(text))
    const thief = browserOf(site)
    const answer = async (email: string) => {
      const response = await thief.post('/signupform', { ...hana, email })
      return [response.status, (await response.text()).replaceAll(email, '')]
    }
    expect(await answer(hana.email)).toEqual(await answer('unused@example.jp'))
    expect(site.mails.findLast(({ to }) => to === hana.email)?.text).toContain('7日のあいだ保留しています')
    const other = await signedInOn(site, { ...hana, email: 'other@example.jp' })
    const sent = site.mails.length
    await other.post('/account', { intent: 'email', email: hana.email, current: hana.password })
    const mails = site.mails.slice(sent)
    expect(mails.find(({ to }) => to === hana.email)?.text).toContain('7日のあいだ保留しています')
    expect(mails.map(({ text }) => linkIn({ text }).split('?')[0])).toEqual(['', '/undoaddress'])
    await site.db
      .updateTable('accounts')
      .set({ emailVerified: true })
      .where('email', '=', 'unused@example.jp')
      .execute()

    expect((await browserOf(site).post('/undoaddress', { token: tokenIn(first) })).status).toBe(302)
    expect(await provenOf(site.db)).toEqual([hana.email, 'other@example.jp', 'unused@example.jp'])
  })

  test('so it is where an address changes at once', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signedInOn(site, hana)
    const other = await signedInOn(site, { ...hana, email: 'other@example.jp' })
    await site.db.updateTable('accounts').set({ emailVerified: true }).execute()
    const change = (who: typeof browser, email: string) =>
      who.post('/account', { intent: 'email', email, current: hana.password })
    expect((await change(browser, 'new@example.jp')).status).toBe(200)
    expect((await change(other, hana.email)).status).toBe(409)
    expect((await browserOf(site).post('/signupform', hana)).status).toBe(409)
    expect((await change(browser, hana.email)).status).toBe(200)
    expect((await browser.text('/account')).includes(hana.email)).toBe(true)
  })

  test('an address that was never proven is told nothing, and has no way back', async () => {
    const site = await sampleSite(await fresh())
    const browser = await signedInOn(site, hana)
    const change = { intent: 'email', email: 'new@example.jp', current: hana.password }
    expect((await browser.post('/account', change)).status).toBe(200)
    expect(site.mails).toEqual([])
    expect(await site.db.selectFrom('mailedLinks').selectAll().execute()).toEqual([])
  })

  test('an account asks for another address three times in a quarter of an hour, and keeps nobody from a reset', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await signedInOn(site, { ...hana, email: 'stranger@example.jp' })
    const browser = await signedInOn(site, hana)
    for (const status of [200, 200, 200, 429]) {
      const change = { intent: 'email', email: 'stranger@example.jp', current: hana.password }
      expect((await browser.post('/account', change)).status).toBe(status)
    }
    const toStranger = () => site.mails.filter(({ to }) => to === 'stranger@example.jp').slice(1)
    expect(toStranger()).toHaveLength(3)
    expect((await browserOf(site).post('/resetpassword', { email: 'stranger@example.jp' })).status).toBe(200)
    expect(linkIn(toStranger().at(-1))).toContain('/resetpassword?token=')
  })

  test('sends one mailbox five mails in a quarter of an hour, for all forms and senders together', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const numbers = [0, 1, 2]
    const strangers = numbers.map((at) => ({ ...hana, email: `stranger-${at}@example.jp` }))
    const browsers: ReturnType<typeof browserOf>[] = []
    for (const stranger of strangers) browsers.push(await signedInOn(site, stranger))
    await signedInOn(site, { ...hana, email: 'used@example.jp' })
    site.clock.now += 60 * 60_000
    site.mails.length = 0

    const statuses = async (mailbox: string) => {
      const [name, domain] = mailbox.split('@')
      const seen: number[] = []
      for (const [at, browser] of browsers.entries()) {
        const email = at % 2 ? `${name}+${at}@${domain}` : mailbox.toUpperCase()
        const change = { intent: 'email', email, current: hana.password }
        seen.push((await browser.post('/account', change)).status)
        const elsewhere = browserOf(site, { address: `198.51.100.${at}` })
        seen.push((await elsewhere.post('/signupform', { ...hana, email: mailbox })).status)
        seen.push((await elsewhere.post('/resetpassword', { email: mailbox })).status)
      }
      return seen
    }
    const used = await statuses('used@example.jp')
    expect(used).toEqual([...Array(5).fill(200), ...Array(4).fill(429)])
    expect(await statuses('unused@example.jp')).toEqual(used)
    const received = (name: string) => site.mails.filter(({ to }) => to.replace(/\+\d/, '') === `${name}@example.jp`)
    expect(received('used')).toHaveLength(5)
    expect(received('unused').length).toBeLessThanOrEqual(5)

    site.clock.now += 15 * 60_000
    expect((await browserOf(site).post('/resetpassword', { email: 'used@example.jp' })).status).toBe(200)
    expect(received('used')).toHaveLength(6)
  })

  test('a new password is told by mail to a proven address, however it came', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const browser = await signedInOn(site, hana)
    site.mails.length = 0
    await browser.post('/account', { intent: 'password', current: hana.password, password: 'slice-low-8' })
    await browserOf(site).post('/resetpassword', { email: hana.email })
    const reset = tokenIn(linkIn(site.mails.at(-1)))
    await browserOf(site).post('/resetpassword', { token: reset, password: 'new-lob-77' })
    expect(site.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [hana.email, '【ダイニング結】パスワードが変わりました'],
      [hana.email, '【ダイニング結】パスワードの再設定'],
      [hana.email, '【ダイニング結】パスワードが変わりました'],
    ])

    const plain = await sampleSite(await fresh())
    const unproven = await signedInOn(plain, hana)
    const change = { intent: 'password', current: hana.password, password: 'slice-low-8' }
    expect((await unproven.post('/account', change)).status).toBe(200)
    expect(plain.mails).toEqual([])
  })

  test('no mailbox that nobody has proven gets words of who typed its address', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const name = 'http://evil.example/prize'
    const victim = 'victim@example.jp'
    await browserOf(site).post('/signupform', { ...hana, name, email: victim })
    await browserOf(site).post('/signupform', { ...hana, name, email: victim })
    await browserOf(site).post('/emaillogin', { ...hana, email: victim })
    await browserOf(site).post('/resetpassword', { email: victim })
    const thief = await signedInOn(site, { ...hana, name })
    await thief.post('/account', { intent: 'email', email: 'other@example.jp', current: hana.password })
    await thief.post('/account', { intent: 'email', email: victim, current: hana.password })
    const mails = site.mails.filter(({ to }) => to !== hana.email)
    expect(mails).toHaveLength(6)
    for (const { subject, text, html } of mails) expect(subject + text + html).not.toContain('evil')
  })
})

/** The way back in the words of a mail; empty where it has none. */
const undoIn = (text = '') => /http:\/\/localhost(\/undoaddress\S+)/.exec(text)?.[1] ?? ''

/** A site where Hana's account has just got another address; \`told()\` are the mails that went to her first one about it. */
async function changing(db: Parameters<typeof sampleSite>[0]) {
  const site = await sampleSite(db, {}, { verifies: true })
  const browser = await signedInOn(site, hana)
  site.clock.now += DAY
  const sent = site.mails.length
  await browser.post('/account', { intent: 'email', email: 'new@example.jp', current: hana.password })
  const asked = site.mails.find(({ to }) => to === 'new@example.jp')
  expect((await browserOf(site).post('/verifyemail', { token: tokenIn(linkIn(asked)) })).status).toBe(200)
  return { site, browser, told: () => site.mails.slice(sent).filter(({ to }) => to === hana.email) }
}

/** A sign-in at Google that the one account of the site got just now. */
async function googleMethod({ db, clock }: Awaited<ReturnType<typeof sampleSite>>) {
  const method = await db.selectFrom('signInMethods').selectAll().executeTakeFirstOrThrow()
  const at = new Date(clock.now).toISOString()
  return { ...method, id: 'google', provider: 'google' as const, subject: '1', password: null, createdAt: at }
}
