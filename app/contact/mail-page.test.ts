import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { anyText } from '../../tests/fuzz/any-text.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { decodeHeader, headersOf, startMailServer } from '../mail/testing-mail-server.ts'
import { createTestMailer, deliverDue } from '../mail/testing-mailer.ts'
import { countUnread, emptyInbox, listMessages } from './inbox.server.ts'
import type { InboxView } from './inbox-view.ts'
import { MailMessage } from './message.ts'
import { markRead, receiveMessage, releaseMessage, replyToMessage, resendMail } from './messages.server.ts'

const HOUR = 60 * 60_000
const defaults = {
  to: 'shop',
  subject: '席のご相談',
  text: '来週の土曜日に五名で伺えますか。',
  from: 'hana@example.jp',
}
const allMessages: InboxView = { show: 'all', sought: '', page: 1 }
type Site = Awaited<ReturnType<typeof sampleSite>>

const postJson = (site: Site, body: unknown, headers = {}) =>
  site.app.request('http://localhost/api/mail', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
/** Submits the form as a browser does, one minute after the page was rendered. */
const send = (site: Site, fields: Record<string, string> = {}) =>
  site.post('guest', '/mail', { ...defaults, homepage: '', shownAt: String(site.clock.now - 60_000), ...fields })
/** Receives a message with the default texts. Returns whether the message is accepted. */
const isAccepted = (db: Site['db'], arrival: Parameters<typeof receiveMessage>[2]) =>
  receiveMessage(db, MailMessage.parse(defaults), arrival).then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ status: 429 })
      return false
    },
  )
const readMessages = (site: Site) => site.db.selectFrom('messages').selectAll().execute()

async function openAs(site: Site, person: 'administrator' | 'approved' | 'guest') {
  await site.people()
  return async (path: string) => (await site.as(person, path)).text()
}

async function nameRecipients({ db }: Site) {
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  const recipients = { shop: 'secret-shop@example.jp', circle: 'secret-circle@example.jp', portfolio: '' }
  const settings = JSON.stringify({ ...JSON.parse(facts), recipients })
  await db.updateTable('site').set({ facts: settings }).execute()
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  test('stores a message from the JSON call and sends it to the shop only', async () => {
    const site = await sampleSite(await fresh())
    const response = await postJson(site, defaults)
    expect([response.status, await response.json()]).toEqual([200, { message: '送信しました' }])
    expect(await readMessages(site)).toMatchObject([
      { recipient: 'shop', subject: defaults.subject, text: defaults.text, replyTo: defaults.from, spam: false },
    ])
    expect(site.mails).toMatchObject([{ subject: `お問い合わせ：${defaults.subject}`, replyTo: defaults.from }])
    expect(site.mails[0]?.to).not.toContain('hana')
  })

  onSqlite('accepts a message that has no reply address', async () => {
    const site = await sampleSite(await fresh())
    const { from: _, ...anonymous } = defaults
    for (const body of [anonymous, { ...anonymous, from: '' }, { ...anonymous, from: null }]) {
      expect((await postJson(site, body)).status).toBe(200)
    }
    expect((await readMessages(site)).map(({ replyTo }) => replyTo)).toEqual([null, null, null])
  })

  onSqlite.each([
    ['no recipient', { ...defaults, to: '' }, '宛先を選んでください'],
    ['a missing recipient', { ...defaults, to: undefined }, '宛先を選んでください'],
    ['an e-mail address as its recipient', { ...defaults, to: 'stranger@example.jp' }, '送信に失敗しました'],
    ['a JavaScript property name as its recipient', { ...defaults, to: 'toString' }, '送信に失敗しました'],
    ['a list of recipients', { ...defaults, to: ['shop'] }, '送信に失敗しました'],
    ['a blank subject', { ...defaults, subject: ' 　\u200b' }, '件名を入力してください'],
    ['a long subject', { ...defaults, subject: 'あ'.repeat(201) }, '件名は200文字までです'],
    ['a blank text', { ...defaults, text: '\n　\n' }, '本文を入力してください'],
    ['a missing text', { ...defaults, text: undefined }, '本文を入力してください'],
    ['a long text', { ...defaults, text: 'あ'.repeat(5001) }, '本文は5000文字までです'],
    ['two reply addresses', { ...defaults, from: 'a@example.jp, b@example.jp' }, '有効なメールアドレスではありません'],
    ['a number as its reply address', { ...defaults, from: 5 }, '有効なメールアドレスではありません'],
    ['null as its body', null, '送信に失敗しました'],
    ['truncated JSON as its body', '{', '送信に失敗しました'],
  ])('rejects a message with %s and stores nothing', async (_, body, error) => {
    const site = await sampleSite(await fresh())
    const response = await postJson(site, body)
    expect([response.status, await response.json()]).toEqual([400, { error }])
    expect(await readMessages(site)).toEqual([])
    expect(site.mails).toEqual([])
  })

  onSqlite('rejects a body that is not JSON or is too large', async () => {
    const site = await sampleSite(await fresh())
    expect((await postJson(site, defaults, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await postJson(site, { ...defaults, text: 'a'.repeat(600_000) })).status).toBe(413)
    expect(await readMessages(site)).toEqual([])
  })

  onSqlite('returns and logs the same reference number when the database fails', async () => {
    const site = await sampleSite(await fresh())
    await site.db.schema.dropTable('attempts').execute()
    const response = await postJson(site, defaults)
    const { error } = await response.json()
    expect(response.status).toBe(500)
    expect(error).toMatch(/^送信に失敗しました（受付番号 [\da-f]{8}）$/)
    expect(site.logged).toContainEqual(expect.objectContaining({ reference: /[\da-f]{8}/.exec(error)?.[0] }))

    const page = await send(site)
    expect(page.status).toBe(500)
    const html = await page.text()
    expect(html).toContain('送信に失敗しました')
    expect(html).toContain(defaults.text)
    expect(html).not.toContain('attempts')
  })

  test('accepts five messages an hour from one IP address, then shows the telephone number', async () => {
    const db = await fresh()
    const site = await sampleSite(db)
    const sendMany = async (address: string, times: number) => {
      const arrival = { address, spam: false, origin: 'http://localhost', now: site.clock.now }
      const all = Array.from({ length: times }, () => isAccepted(db, arrival))
      return (await Promise.all(all)).filter(Boolean).length
    }
    expect(await sendMany('203.0.113.5', 1000)).toBe(5)
    site.clock.now += HOUR - 1
    expect(await sendMany('203.0.113.5', 10)).toBe(0)
    site.clock.now += 1
    expect(await sendMany('203.0.113.5', 10)).toBe(5)

    for (let message = 0; message < 5; message += 1) await send(site)
    const response = await send(site)
    expect(response.status).toBe(429)
    expect(await response.text()).toContain('お急ぎのときは、お電話（075-000-0000）でお願いいたします')
    expect((await postJson(site, defaults)).status).toBe(429)
  })

  onSqlite('counts all messages from an IPv6 network towards one rate limit', async () => {
    const site = await sampleSite(await fresh())
    const sendFrom = async (address: string) => {
      const shownAt = String(site.clock.now - 60_000)
      return (await browserOf(site, { address }).post('/mail', { ...defaults, homepage: '', shownAt })).status
    }
    for (let n = 1; n <= 5; n += 1) expect(await sendFrom(`2001:db8:1:2:${n}::1`)).toBe(302)
    expect(await sendFrom('2001:db8:1:2::6')).toBe(429)
    expect(await readMessages(site)).toHaveLength(5)
    expect(await sendFrom('2001:db8:1:3::1')).toBe(302)
  })

  test('does not count a message towards the rate limit when the message cannot be stored', async () => {
    const site = await sampleSite(await fresh())
    const { schema } = site.db
    await schema.alterTable('messages').renameTo('away').execute()
    for (let n = 1; n <= 6; n += 1) expect((await send(site)).status).toBe(500)
    await schema.alterTable('away').renameTo('messages').execute()
    for (let n = 1; n <= 5; n += 1) expect((await send(site)).status).toBe(302)
    expect((await send(site)).status).toBe(429)
  })

  /** Receives a message from each of `networks` IPv6 networks at the time `now`. Returns which are accepted. */
  const receiveFrom = async (db: Site['db'], networks: number, { now = noon, first = 0, spam = false } = {}) => {
    const results: boolean[] = []
    for (let network = first; network < first + networks; network += 1) {
      const address = `2001:db8:${network.toString(16)}::1`
      const arrival = { address, spam, origin: 'http://localhost', now }
      results.push(await isAccepted(db, arrival))
    }
    return results
  }
  const readHeldMessages = async (site: Site) => (await readMessages(site)).filter(({ spam }) => spam)

  test('quarantines further messages when the site has received sixty messages within an hour', async () => {
    const site = await sampleSite(await fresh())
    const { administrator } = await site.people()
    expect(new Set(await receiveFrom(site.db, 60))).toEqual(new Set([true]))
    const form = { ...defaults, homepage: '', shownAt: String(noon - 60_000) }
    const page = await browserOf(site, { address: '203.0.113.1' }).post('/mail', form)
    expect([page.status, page.headers.get('location')]).toEqual([302, '/mail?sent'])
    const response = await postJson(site, defaults)
    expect([response.status, await response.json()]).toEqual([200, { message: '送信しました' }])
    expect(site.mails).toHaveLength(60)
    expect(await readHeldMessages(site)).toMatchObject(
      Array.from({ length: 2 }, () => ({ readAt: null, text: defaults.text })),
    )
    expect(await countUnread(site.db, administrator)).toBe(60)

    site.clock.now += HOUR
    await postJson(site, defaults)
    expect([site.mails.length, (await readHeldMessages(site)).length]).toEqual([61, 2])
  })

  onSqlite('rejects the sixth message from a network when the site quarantines messages', async () => {
    const site = await sampleSite(await fresh())
    await receiveFrom(site.db, 60)
    for (let message = 0; message < 5; message += 1) expect((await send(site)).status).toBe(302)
    expect((await send(site)).status).toBe(429)
    expect(await readHeldMessages(site)).toHaveLength(5)
  })

  onSqlite('sends a guest’s message by e-mail when bots have filled in the honeypot a hundred times', async () => {
    const site = await sampleSite(await fresh())
    await receiveFrom(site.db, 100, { spam: true })
    await send(site)
    expect(site.mails).toHaveLength(1)
  })

  onSqlite(
    'rejects messages when 500 are quarantined within a day, until the hourly limit permits an e-mail',
    async () => {
      const site = await sampleSite(await fresh())
      await receiveFrom(site.db, 60)
      const results = await receiveFrom(site.db, 502, { first: 60 })
      expect(results.lastIndexOf(true)).toBe(499)
      const rejected = await send(site)
      expect(rejected.status).toBe(429)
      expect(await rejected.text()).toContain('続けてお送りいただける件数を超えました。')
      expect(await readHeldMessages(site)).toHaveLength(500)
      site.clock.now += HOUR
      expect((await send(site)).status).toBe(302)
      expect([(await readHeldMessages(site)).length, site.mails.length]).toEqual([500, 61])
      await receiveFrom(site.db, 60, { now: noon + 24 * HOUR })
      expect(await receiveFrom(site.db, 1, { now: noon + 24 * HOUR, first: 60 })).toEqual([true])
    },
  )

  onSqlite('quarantines at most ten messages from one network within a day', async () => {
    const site = await sampleSite(await fresh())
    const spam = { homepage: 'https://spam.example' }
    for (let hour = 0; hour < 2; hour += 1) {
      for (let message = 0; message < 5; message += 1) expect((await send(site, spam)).status).toBe(302)
      site.clock.now += HOUR
    }
    expect((await send(site, spam)).status).toBe(429)
    // A message from the same network that does not look like spam is still sent by e-mail.
    expect((await send(site)).status).toBe(302)
    expect([(await readHeldMessages(site)).length, site.mails.length]).toEqual([10, 1])
    site.clock.now = noon + 24 * HOUR
    expect((await send(site, spam)).status).toBe(302)
  })

  test('stores a repeated form once and accepts a rejected form when it is sent again later', async () => {
    const site = await sampleSite(await fresh())
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await send(site, { once: 'a' })).status).toBe(302)
    expect(await readMessages(site)).toHaveLength(1)
    for (const once of ['b', 'c', 'd', 'e']) await send(site, { once })
    expect((await send(site, { once: 'f' })).status).toBe(429)
    site.clock.now += HOUR
    expect((await send(site, { once: 'f' })).status).toBe(302)
    expect(await readMessages(site)).toHaveLength(6)
  })

  test('rejects a message that was changed after its response was lost, until it is sent again', async () => {
    const site = await sampleSite(await fresh())
    await send(site, { text: '12月1日に伺います。', once: 'a' })
    const changed = await send(site, { text: '12月2日に伺います。', once: 'a' })
    expect([changed.status, await changed.text()]).toEqual([409, expect.stringContaining('すでに届いています')])
    expect(await readMessages(site)).toMatchObject([{ text: '12月1日に伺います。' }])
    expect((await send(site, { text: '12月1日に伺います。', once: 'a' })).status).toBe(302)
    expect(await readMessages(site)).toHaveLength(1)
    expect((await send(site, { text: '12月2日に伺います。', once: 'b' })).status).toBe(302)
    expect(await readMessages(site)).toHaveLength(2)
  })

  onSqlite.each([
    ['fills in the honeypot', { homepage: 'https://spam.example' }],
    ['takes less than three seconds', { shownAt: String(noon - 2999) }],
    ['has no start time', { shownAt: '' }],
    ['starts in the future', { shownAt: String(noon + 1) }],
  ] as const)('quarantines a form that %s until an administrator releases the message', async (_, fields) => {
    const site = await sampleSite(await fresh())
    const response = await send(site, fields)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/mail?sent'])
    const [message] = await readMessages(site)
    expect(message).toMatchObject({ spam: true, text: defaults.text })
    expect(site.mails).toEqual([])

    const readAsAdministrator = await openAs(site, 'administrator')
    expect(await readAsAdministrator('/inbox')).not.toContain(defaults.text)
    expect(await readAsAdministrator('/inbox?show=spam')).toContain('迷惑メールではありません')
    const releaseFields = { deed: 'send on', message: message?.id ?? '' }
    for (const [person, status] of [
      ['guest', 401],
      ['approved', 403],
    ] as const) {
      expect((await site.post(person, '/inbox', releaseFields)).status, person).toBe(status)
    }
    expect(site.mails).toEqual([])
    for (let attempt = 0; attempt < 2; attempt += 1) await site.post('administrator', '/inbox', releaseFields)
    expect(site.mails.map(({ subject }) => subject)).toEqual([`お問い合わせ：${defaults.subject}`])
  })

  onSqlite('renders field errors with the visitor’s input', async () => {
    const site = await sampleSite(await fresh())
    await nameRecipients(site)
    const empty = await send(site, { to: '', subject: '', text: '', from: 'hana' })
    expect(empty.status).toBe(400)
    const html = await empty.text()
    for (const text of [
      '宛先を選んでください',
      '件名を入力してください',
      '本文を入力してください',
      '有効なメールアドレスではありません',
      'value="hana"',
    ])
      expect(html).toContain(text)
    expect(html).not.toContain('secret')
    expect(await (await site.as('guest', '/mail?to=circle')).text()).toMatch(/<option value="circle" selected="">/)

    await send(site, { to: 'circle' })
    await send(site, { to: 'portfolio' })
    expect(site.mails.map(({ to }) => to)).toEqual(['secret-circle@example.jp', 'secret-shop@example.jp'])
  })

  onSqlite('renders no recipient field when only one recipient is available', async () => {
    const site = await sampleSite(await fresh())
    const { facts } = await site.db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const recipientNames = { shop: 'お店', circle: '', portfolio: '' }
    const settings = JSON.stringify({ ...JSON.parse(facts), recipientNames })
    await site.db.updateTable('site').set({ facts: settings }).execute()
    const html = await (await site.as('guest', '/mail')).text()
    expect(html).toContain('<input type="hidden" name="to" value="shop"/>')
    expect(html).not.toMatch(/<select|宛先/)
    await send(site)
    expect(await readMessages(site)).toMatchObject([{ recipient: 'shop', subject: defaults.subject }])
  })

  test('shows messages and their delivery states to administrators only', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await send(site, { subject: '届くもの' })
    site.mailer.send = async () => {
      throw new Error('450 not now')
    }
    await send(site, { subject: '待つもの' })
    // The inbox lists a notice if its delivery has failed, but not if its delivery is still due.
    const notice = { to: 'a@example.jp', text: 'a', html: 'a' }
    const formatTime = (ms: number) => new Date(ms).toISOString()
    await enqueue(site.db, { ...notice, subject: '届かないお知らせ' }, { at: formatTime(noon) })
    await enqueue(site.db, { ...notice, subject: '明日のお知らせ' }, { at: formatTime(noon + 24 * HOUR) })
    const visitors = await site.people()
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      const visitor = visitors[person]
      expect(await listMessages(site.db, visitor, allMessages, formatTime(noon))).toEqual(emptyInbox)
      const response = await site.as(person, '/inbox')
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain('お問い合わせは、管理者だけがご覧いただけます')
      for (const secret of ['届くもの', defaults.text, 'hana@example.jp']) expect(html, person).not.toContain(secret)
    }
    const html = await (await site.as('administrator', '/inbox')).text()
    expect(html.indexOf('待つもの')).toBeGreaterThan(0)
    for (const text of [
      '送信済み',
      '送信待ち',
      '送信を1回試みました',
      '450 not now',
      'もう一度送る',
      '届かないお知らせ',
    ])
      expect(html).toContain(text)
    expect(html).not.toContain('明日のお知らせ')
    const { notices } = await listMessages(site.db, visitors.administrator, allMessages, formatTime(noon))
    expect(notices.map(({ subject }) => subject)).toEqual(['届かないお知らせ'])
    expect(html).toContain('href="/inbox"')
  })

  test('sends the reply of an administrator once', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await send(site)
    await send(site, { subject: '名乗らない', from: '' })
    await site.people()
    const [{ id: withAddress = '' } = {}, { id: anonymous = '' } = {}] = (await readMessages(site)).sort(
      (a, b) => Number(a.replyTo === null) - Number(b.replyTo === null),
    )
    const html = await (await site.as('administrator', '/inbox')).text()
    expect(html.match(/返信を書く/g)).toHaveLength(1)
    // The settings contain no e-mail address, so the administrator's address is the reply address.
    expect(html).toContain('お客さまからの返信は noren@example.jp に届きます。')
    await site.post('administrator', '/inbox', {
      deed: 'reply',
      message: withAddress,
      text: '少々お待ちください。',
      once: '0',
    })
    expect(site.mails.pop()).toMatchObject({ to: 'hana@example.jp', replyTo: 'noren@example.jp' })
    await nameRecipients(site)
    expect(await (await site.as('administrator', '/inbox')).text()).toContain(
      '返信は secret-shop@example.jp に届きます。',
    )

    const reply = { deed: 'reply', message: withAddress, text: '五名様でお待ちしております。', once: 'a' }
    expect((await site.post('approved', '/inbox', reply)).status).toBe(403)
    expect((await site.post('administrator', '/inbox', { ...reply, text: ' ' })).status).toBe(400)
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const response = await site.post('administrator', '/inbox', reply)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('返信を受け付けました。')
    }
    expect((await site.post('administrator', '/inbox', { ...reply, message: anonymous, once: 'b' })).status).toBe(409)
    const replies = site.mails.slice(2)
    const replyTo = 'secret-shop@example.jp'
    expect(replies).toMatchObject([{ to: 'hana@example.jp', subject: `Re: ${defaults.subject}`, replyTo }])
    expect(replies[0]?.text.startsWith(`${reply.text}\n`)).toBe(true)
    expect(replies[0]?.text).toContain(defaults.text)
    expect(replies[0]?.html).toContain(`<br>${defaults.subject}<br>`)
    const htmlAfter = await (await site.as('administrator', '/inbox')).text()
    expect(htmlAfter).toContain(reply.text)

    // The reply address is the address of the recipient to which the visitor wrote.
    await send(site, { to: 'circle', subject: '見学のこと' })
    const circleMessage = (await readMessages(site)).find(({ recipient }) => recipient === 'circle')
    await site.post('administrator', '/inbox', { ...reply, message: circleMessage?.id ?? '', once: 'c' })
    expect(site.mails.at(-1)).toMatchObject({ to: 'hana@example.jp', replyTo: 'secret-circle@example.jp' })
  })

  test('marks a message read only when an administrator has opened it', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    for (const subject of ['一通目', '二通目', '三通目']) await send(site, { subject })
    await send(site, { subject: '怪しいもの', homepage: 'https://spam.example' })
    const visitors = await site.people()
    const findMessage = async (subject: string) =>
      (await readMessages(site)).find((message) => message.subject === subject)
    const findMessageId = async (subject: string) => (await findMessage(subject))?.id ?? ''
    const unread = () => countUnread(site.db, visitors.administrator)
    const markMessages = async (person: Person, deed: string, ...subjects: string[]) => {
      const ids = await Promise.all(subjects.map(findMessageId))
      const fields = new URLSearchParams([['deed', deed], ...ids.map((id) => ['message', id])])
      return (await site.post(person, '/inbox', fields)).status
    }

    const html = await (await site.as('administrator', '/inbox')).text()
    await site.as('administrator', '/inbox.data')
    expect(html.match(/>未読<\/span>/g)).toHaveLength(3)
    expect(html.match(/既読にする/g)).toHaveLength(3)
    expect(await unread()).toBe(3)
    for (const [person, status] of [
      ['guest', 401],
      ['signedIn', 403],
      ['applicant', 403],
      ['approved', 403],
    ] as const) {
      expect(await markMessages(person, 'read', '一通目'), person).toBe(status)
      expect(await countUnread(site.db, visitors[person])).toBe(0)
      expect(
        await markRead(site.db, visitors[person], [await findMessageId('一通目')], '2026-11-20T03:00:00.000Z'),
      ).toBe(false)
    }
    expect(await unread()).toBe(3)

    expect(await markMessages('administrator', 'read', '一通目', '二通目', '怪しいもの')).toBe(200)
    expect(await unread()).toBe(1)
    const openedAt = new Date(noon).toISOString()
    expect([(await findMessage('一通目'))?.readAt, (await findMessage('怪しいもの'))?.readAt]).toEqual([openedAt, null])
    // Opening the message again must not change the time at which it was first opened.
    site.clock.now += HOUR
    await markMessages('administrator', 'read', '一通目')
    expect((await findMessage('一通目'))?.readAt).toBe(openedAt)
    expect(await markMessages('administrator', 'unread', '一通目')).toBe(200)
    expect([await unread(), (await findMessage('一通目'))?.readAt]).toEqual([2, null])
    expect(await markMessages('administrator', 'read')).toBe(200)
    expect(await unread()).toBe(2)

    // A reply also marks the message read, and so does a release.
    await site.post('administrator', '/inbox', {
      deed: 'reply',
      message: await findMessageId('一通目'),
      text: 'お待ちします',
      once: 'a',
    })
    expect([await unread(), (await findMessage('二通目'))?.readAt]).toEqual([1, openedAt])
    await site.post('administrator', '/inbox', { deed: 'send on', message: await findMessageId('怪しいもの') })
    expect(await unread()).toBe(1)
    expect(await findMessage('怪しいもの')).toMatchObject({
      spam: false,
      readAt: new Date(site.clock.now).toISOString(),
    })
  })

  onSqlite('publishes each change of the inbox once', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.people()
    const events: unknown[] = []
    site.live.subscribe((event) => events.push(event))
    await send(site)
    const message = (await readMessages(site))[0]?.id ?? ''
    for (const deed of ['read', 'read', 'unread']) await site.post('administrator', '/inbox', { deed, message })
    await site.post('administrator', '/inbox', { deed: 'reply', message, text: 'お待ちします', once: 'a' })
    // An action that changes nothing publishes nothing.
    expect(events).toEqual(Array.from({ length: 4 }, () => ({ changed: ['messages'] })))
  })

  test('resends a failed e-mail unless its delivery is in progress', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    const { send: originalSend } = site.mailer
    site.mailer.send = async () => {
      throw new Error('450 not now')
    }
    await send(site)
    const visitors = await site.people()
    const [mail] = await site.db.selectFrom('outbox').selectAll().execute()
    const resendFields = { deed: 'resend', mail: mail?.id ?? '' }
    site.mailer.send = originalSend
    expect((await site.post('approved', '/inbox', resendFields)).status).toBe(403)
    expect(site.mails).toEqual([])
    await site.db.updateTable('outbox').set({ trouble: null }).execute()
    await site.post('administrator', '/inbox', resendFields)
    expect(site.mails).toEqual([])
    await site.db.updateTable('outbox').set({ trouble: '450' }).execute()
    // The functions themselves must reject visitors who may not read the inbox.
    const action = { at: new Date(noon).toISOString(), origin: 'http://localhost', owner: '', form: 'reply', key: '' }
    const message = (await readMessages(site))[0]?.id ?? ''
    await site.db.updateTable('messages').set({ spam: true }).execute()
    for (const visitor of [visitors.guest, visitors.applicant, visitors.approved]) {
      expect(await resendMail(site.db, visitor, resendFields.mail, action.at)).toBe(false)
      expect(await releaseMessage(site.db, visitor, message, action)).toBe(false)
      expect(await replyToMessage(site.db, visitor, { id: message, text: '返事' }, action)).toBeNull()
    }
    expect(await readMessages(site)).toMatchObject([{ spam: true }])
    expect(await site.db.selectFrom('outbox').selectAll().execute()).toMatchObject([{ trouble: '450' }])
    await site.post('administrator', '/inbox', resendFields)
    expect(site.mails).toHaveLength(1)
    await site.post('administrator', '/inbox', resendFields)
    expect(site.mails).toHaveLength(1)
  })
})

// These messages contain known header injections and unusual e-mail addresses.
const attacks = [
  'a@example.jp\r\nBcc: evil@example.com',
  'a@example.jp\nBcc: evil@example.com',
  'a@example.jp\rBcc: evil@example.com',
  'a@example.jp%0aBcc:evil@example.com',
  'a@example.jp\u2028Bcc: evil@example.com',
  'a@example.jp\0',
  'a@example.jp, evil@example.com',
  'a@example.jp; evil@example.com',
  'a@example.jp evil@example.com',
  '"evil@example.com x"@example.jp',
  '"a@example.jp, evil"@example.com',
  'evil@example.com <a@example.jp>',
  '名前 <evil@example.com>',
  'group: a@example.jp, evil@example.com;',
  'a(evil@example.com)@example.jp',
  'a@example.jp>\r\nRCPT TO:<evil@example.com',
  'a＠example.jp',
  'а@example.jp',
  'a@exаmple.jp',
  'a@example。jp',
  '\u202ea@example.jp',
  'a@[127.0.0.1]',
  'a@localhost',
  '-oQ/tmp@example.jp',
  '=?utf-8?Q?=0D=0ABcc:_evil@example.com?=',
  'shop\n',
  'SHOP',
  'shop@example.jp',
  '__proto__',
  'constructor',
]

test('sends crafted messages to the recipient only, without injected headers', async () => {
  const server = await startMailServer()
  onTestFinished(server.stop)
  const db = await freshSqlite()
  const piece = fc.oneof(
    fc.constantFrom(...attacks, '\r\n', '\n', '\r', ',', ';', '"', '<', '>', '@', ':', ' ', 'Bcc: evil@example.com'),
    anyText(12),
  )
  const craftedText = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...attacks) },
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
  )
  const mostlyPlain = (value: string) => fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, craftedText)
  const bodies = fc.sample(
    fc.record({
      to: mostlyPlain('shop'),
      subject: mostlyPlain('件名'),
      from: mostlyPlain('a@example.jp'),
      text: craftedText,
    }),
    { numRuns: often(300, 2000), seed: 7 },
  )
  const subjects = new Map<string, string | null>()
  for (const [index, body] of bodies.entries()) {
    const read = MailMessage.safeParse(body)
    if (!read.success) continue
    expect(body.to).toBe('shop')
    const arrival = { address: `${index}`, spam: false, origin: 'http://localhost', now: index * HOUR }
    await receiveMessage(db, read.data, arrival)
    const { id } = await db.selectFrom('outbox').select('id').orderBy('createdAt', 'desc').executeTakeFirstOrThrow()
    subjects.set(`<${id}@example.jp>`, read.data.from)
  }
  expect(subjects.size).toBeGreaterThan(bodies.length / 20)
  // The deliveries run concurrently, because the mail server waits 100 ms before each greeting.
  const mailer = createTestMailer(server.url)
  const log = { warn: (line: object) => expect(line).toBeNull(), error: (line: object) => expect(line).toBeNull() }
  const delivery = { db, clock: () => 2001 * HOUR, mailer, log, ownerEmail: 'owner@example.jp' }
  await Promise.all(Array.from({ length: 24 }, () => deliverDue(delivery, new AbortController().signal)))

  expect(server.arrived).toHaveLength(subjects.size)
  const ownHeaders = ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']
  for (const { to, raw, messageId, from } of server.arrived) {
    expect([from, to]).toEqual(['noreply@example.jp', ['owner@example.jp']])
    const headers = headersOf(raw)
    const replyTo = subjects.get(messageId)
    expect(headers.map(([name]) => name).sort()).toEqual(replyTo ? [...ownHeaders, 'reply-to'].sort() : ownHeaders)
    const value = new Map(headers)
    expect(value.get('to')).toBe('owner@example.jp')
    if (replyTo) expect(value.get('reply-to')).toBe(replyTo)
    expect(decodeHeader(value.get('from') ?? '')).toContain('<noreply@example.jp>')
  }
})
