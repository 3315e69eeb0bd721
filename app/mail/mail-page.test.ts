import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { browserOf, noon, sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { countUnread, emptyInbox, listMessages } from '../contact/inbox.server.ts'
import type { InboxView } from '../contact/inbox-view.ts'
import { MailMessage } from '../contact/message.ts'
import { markRead, receiveMessage, releaseMessage, replyToMessage, resendMail } from '../contact/messages.server.ts'
import { deliverDue, enqueue } from './outbox.server.ts'
import { decoded, headersOf, startMailServer } from './testing-mail-server.ts'
import { mailerAt } from './testing-mailer.ts'

vi.setConfig({ testTimeout: 60_000 })

const HOUR = 60 * 60_000
const written = { to: 'shop', subject: '席のご相談', text: '来週の土曜日に五名で伺えますか。', from: 'hana@example.jp' }
const everything: InboxView = { show: 'all', sought: '', page: 1 }
type Site = Awaited<ReturnType<typeof sampleSite>>

const call = (site: Site, body: unknown, headers = {}) =>
  site.app.request('http://localhost/api/mail', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
/** The form as a browser sends it, filled in within a minute. */
const send = (site: Site, fields: Record<string, string> = {}) =>
  site.post('guest', '/mail', { ...written, homepage: '', shownAt: String(site.clock.now - 60_000), ...fields })
const kept = (site: Site) => site.db.selectFrom('messages').selectAll().execute()

async function as(site: Site, person: 'administrator' | 'approved' | 'guest') {
  await site.people()
  return async (path: string) => (await site.as(person, path)).text()
}

async function nameRecipients({ db }: Site) {
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  const recipients = { shop: 'secret-shop@example.jp', circle: 'secret-circle@example.jp', portfolio: '' }
  const named = JSON.stringify({ ...JSON.parse(facts), recipients })
  await db.updateTable('site').set({ facts: named }).execute()
}

onEachEngine((fresh) => {
  test('the call takes a message and says so; it is kept and leaves to the shop alone', async () => {
    const site = await sampleSite(await fresh())
    const response = await call(site, written)
    expect([response.status, await response.json()]).toEqual([200, { message: '送信しました' }])
    expect(await kept(site)).toMatchObject([
      { recipient: 'shop', subject: written.subject, text: written.text, replyTo: written.from, spam: false },
    ])
    expect(site.mails).toMatchObject([{ subject: `お問い合わせ：${written.subject}`, replyTo: written.from }])
    expect(site.mails[0]?.to).not.toContain('hana')
  })

  test('a message without an address is taken as well', async () => {
    const site = await sampleSite(await fresh())
    const { from: _, ...anonymous } = written
    for (const body of [anonymous, { ...anonymous, from: '' }, { ...anonymous, from: null }]) {
      expect((await call(site, body)).status).toBe(200)
    }
    expect((await kept(site)).map(({ replyTo }) => replyTo)).toEqual([null, null, null])
  })

  test.each([
    ['no recipient', { ...written, to: '' }, '宛先を選んでください'],
    ['a missing recipient', { ...written, to: undefined }, '宛先を選んでください'],
    ['an address as its recipient', { ...written, to: 'stranger@example.jp' }, '送信に失敗しました'],
    ['a name of JavaScript as its recipient', { ...written, to: 'toString' }, '送信に失敗しました'],
    ['a list of recipients', { ...written, to: ['shop'] }, '送信に失敗しました'],
    ['a blank subject', { ...written, subject: ' 　\u200b' }, '件名を入力してください'],
    ['a long subject', { ...written, subject: 'あ'.repeat(201) }, '件名は200文字までです'],
    ['a blank text', { ...written, text: '\n　\n' }, '本文を入力してください'],
    ['a missing text', { ...written, text: undefined }, '本文を入力してください'],
    ['a long text', { ...written, text: 'あ'.repeat(5001) }, '本文は5000文字までです'],
    ['two addresses', { ...written, from: 'a@example.jp, b@example.jp' }, '有効なメールアドレスではありません'],
    ['a number as its address', { ...written, from: 5 }, '有効なメールアドレスではありません'],
    ['nothing in it', null, '送信に失敗しました'],
    ['JSON cut short', '{', '送信に失敗しました'],
  ])('the call refuses a message with %s by its sentence, and keeps nothing', async (_, body, error) => {
    const site = await sampleSite(await fresh())
    const response = await call(site, body)
    expect([response.status, await response.json()]).toEqual([400, { error }])
    expect(await kept(site)).toEqual([])
    expect(site.mails).toEqual([])
  })

  test('what is no JSON, and what is larger than any message, is not read', async () => {
    const site = await sampleSite(await fresh())
    expect((await call(site, written, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await call(site, { ...written, text: 'a'.repeat(600_000) })).status).toBe(413)
    expect(await kept(site)).toEqual([])
  })

  test('a database that fails is told with the words of a failure and a number that the log has', async () => {
    const site = await sampleSite(await fresh())
    await site.db.schema.dropTable('attempts').execute()
    const response = await call(site, written)
    const { error } = await response.json()
    expect(response.status).toBe(500)
    expect(error).toMatch(/^送信に失敗しました（受付番号 [\da-f]{8}）$/)
    expect(site.logged).toContainEqual(expect.objectContaining({ reference: /[\da-f]{8}/.exec(error)?.[0] }))

    const page = await send(site)
    expect(page.status).toBe(500)
    const html = await page.text()
    expect(html).toContain('送信に失敗しました')
    expect(html).toContain(written.text)
    expect(html).not.toContain('attempts')
  })

  test('of a thousand from one address five an hour get through; the page then says how else to reach the shop', async () => {
    const db = await fresh()
    const site = await sampleSite(db)
    const message = MailMessage.parse(written)
    const flood = async (address: string, times: number) => {
      const arrival = { address, key: '', spam: false, origin: 'http://localhost', now: site.clock.now }
      const all = Array.from({ length: times }, () => receiveMessage(db, message, arrival))
      return (await Promise.all(all)).filter((received) => received === 'sent').length
    }
    expect(await flood('203.0.113.5', 1000)).toBe(5)
    site.clock.now += HOUR - 1
    expect(await flood('203.0.113.5', 10)).toBe(0)
    site.clock.now += 1
    expect(await flood('203.0.113.5', 10)).toBe(5)

    for (let message = 0; message < 5; message += 1) await send(site)
    const response = await send(site)
    expect(response.status).toBe(429)
    expect(await response.text()).toContain('お急ぎのときは、お電話（075-000-0000）でお願いいたします')
    expect((await call(site, written)).status).toBe(429)
  })

  test('an IPv6 household is one sender; another one is another', async () => {
    const site = await sampleSite(await fresh())
    const from = async (address: string) => {
      const shownAt = String(site.clock.now - 60_000)
      return (await browserOf(site, { address }).post('/mail', { ...written, homepage: '', shownAt })).status
    }
    for (let n = 1; n <= 5; n += 1) expect(await from(`2001:db8:1:2:${n}::1`)).toBe(302)
    expect(await from('2001:db8:1:2::6')).toBe(429)
    expect(await kept(site)).toHaveLength(5)
    expect(await from('2001:db8:1:3::1')).toBe(302)
  })

  test('a message that cannot be kept is not counted', async () => {
    const site = await sampleSite(await fresh())
    const { schema } = site.db
    await schema.alterTable('messages').renameTo('away').execute()
    for (let n = 1; n <= 6; n += 1) expect((await send(site)).status).toBe(500)
    await schema.alterTable('away').renameTo('messages').execute()
    for (let n = 1; n <= 5; n += 1) expect((await send(site)).status).toBe(302)
    expect((await send(site)).status).toBe(429)
  })

  /** Sends one message each from as many networks as given, at the same moment. */
  const receiveFrom = async (db: Site['db'], networks: number, { now = noon, first = 0, spam = false } = {}) => {
    const results: string[] = []
    for (let network = first; network < first + networks; network += 1) {
      const address = `2001:db8:${network.toString(16)}::1`
      const arrival = { address, key: '', spam, origin: 'http://localhost', now }
      results.push(await receiveMessage(db, MailMessage.parse(written), arrival))
    }
    return results
  }
  const held = async (site: Site) => (await kept(site)).filter(({ spam }) => spam)

  test('holds the messages beyond sixty an hour as possible spam, unread and unmailed', async () => {
    const site = await sampleSite(await fresh())
    const { administrator } = await site.people()
    expect(new Set(await receiveFrom(site.db, 60))).toEqual(new Set(['sent']))
    const form = { ...written, homepage: '', shownAt: String(noon - 60_000) }
    const page = await browserOf(site, { address: '203.0.113.1' }).post('/mail', form)
    expect([page.status, page.headers.get('location')]).toEqual([302, '/mail?sent'])
    const answer = await call(site, written)
    expect([answer.status, await answer.json()]).toEqual([200, { message: '送信しました' }])
    expect(site.mails).toHaveLength(60)
    expect(await held(site)).toMatchObject(Array.from({ length: 2 }, () => ({ readAt: null, text: written.text })))
    expect(await countUnread(site.db, administrator)).toBe(60)

    site.clock.now += HOUR
    await call(site, written)
    expect([site.mails.length, (await held(site)).length]).toEqual([61, 2])
  })

  test('refuses the sixth message of a network when the site holds messages', async () => {
    const site = await sampleSite(await fresh())
    await receiveFrom(site.db, 60)
    for (let message = 0; message < 5; message += 1) expect((await send(site)).status).toBe(302)
    expect((await send(site)).status).toBe(429)
    expect(await held(site)).toHaveLength(5)
  })

  test('mails a guest’s message when robots have filled in the hidden field a hundred times', async () => {
    const site = await sampleSite(await fresh())
    await receiveFrom(site.db, 100, { spam: true })
    await send(site)
    expect(site.mails).toHaveLength(1)
  })

  test('refuses messages when 500 are held within a day, until there is room for mailed ones', async () => {
    const site = await sampleSite(await fresh())
    await receiveFrom(site.db, 60)
    const results = await receiveFrom(site.db, 502, { first: 60 })
    expect(results.map((result) => result === 'sent').lastIndexOf(true)).toBe(499)
    const refused = await send(site)
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('続けてお送りいただける件数を超えました。')
    expect(await held(site)).toHaveLength(500)
    site.clock.now += HOUR
    expect((await send(site)).status).toBe(302)
    expect([(await held(site)).length, site.mails.length]).toEqual([500, 61])
    await receiveFrom(site.db, 60, { now: noon + 24 * HOUR })
    expect(await receiveFrom(site.db, 1, { now: noon + 24 * HOUR, first: 60 })).toEqual(['sent'])
  })

  test('holds at most ten messages of one network within a day', async () => {
    const site = await sampleSite(await fresh())
    const spam = { homepage: 'https://spam.example' }
    for (let hour = 0; hour < 2; hour += 1) {
      for (let message = 0; message < 5; message += 1) expect((await send(site, spam)).status).toBe(302)
      site.clock.now += HOUR
    }
    expect((await send(site, spam)).status).toBe(429)
    // A guest of the same network is still mailed.
    expect((await send(site)).status).toBe(302)
    expect([(await held(site)).length, site.mails.length]).toEqual([10, 1])
    site.clock.now = noon + 24 * HOUR
    expect((await send(site, spam)).status).toBe(302)
  })

  test('a form that arrives again under its key is one message; after a refusal the key is free', async () => {
    const site = await sampleSite(await fresh())
    for (let again = 0; again < 3; again += 1) expect((await send(site, { once: 'a' })).status).toBe(302)
    expect(await kept(site)).toHaveLength(1)
    for (const once of ['b', 'c', 'd', 'e']) await send(site, { once })
    expect((await send(site, { once: 'f' })).status).toBe(429)
    site.clock.now += HOUR
    expect((await send(site, { once: 'f' })).status).toBe(302)
    expect(await kept(site)).toHaveLength(6)
  })

  test.each([
    ['fills in what nobody sees', { homepage: 'https://spam.example' }],
    ['takes no time', { shownAt: String(noon - 2999) }],
    ['says no time', { shownAt: '' }],
    ['comes from the future', { shownAt: String(noon + 1) }],
  ] as const)('a form that %s is held in the inbox, and leaves when an administrator says so', async (_, fields) => {
    const site = await sampleSite(await fresh())
    const response = await send(site, fields)
    expect([response.status, response.headers.get('location')]).toEqual([302, '/mail?sent'])
    const [message] = await kept(site)
    expect(message).toMatchObject({ spam: true, text: written.text })
    expect(site.mails).toEqual([])

    const open = await as(site, 'administrator')
    expect(await open('/inbox')).not.toContain(written.text)
    expect(await open('/inbox?show=spam')).toContain('迷惑メールではありません')
    const release = { deed: 'send on', message: message?.id ?? '' }
    for (const [person, status] of [
      ['guest', 401],
      ['approved', 403],
    ] as const) {
      expect((await site.post(person, '/inbox', release)).status, person).toBe(status)
    }
    expect(site.mails).toEqual([])
    for (let twice = 0; twice < 2; twice += 1) await site.post('administrator', '/inbox', release)
    expect(site.mails.map(({ subject }) => subject)).toEqual([`お問い合わせ：${written.subject}`])
  })

  test('the form says what is missing and keeps what was written; no address of the shop is in the page', async () => {
    const site = await sampleSite(await fresh())
    await nameRecipients(site)
    const empty = await send(site, { to: '', subject: '', text: '', from: 'hana' })
    expect(empty.status).toBe(400)
    const html = await empty.text()
    for (const words of [
      '宛先を選んでください',
      '件名を入力してください',
      '本文を入力してください',
      '有効なメールアドレスではありません',
      'value="hana"',
    ])
      expect(html).toContain(words)
    expect(html).not.toContain('secret')
    expect(await (await site.as('guest', '/mail?to=circle')).text()).toMatch(/<option value="circle" selected="">/)

    await send(site, { to: 'circle' })
    await send(site, { to: 'portfolio' })
    expect(site.mails.map(({ to }) => to)).toEqual(['secret-circle@example.jp', 'secret-shop@example.jp'])
  })

  test('asks for no recipient when there is only one', async () => {
    const site = await sampleSite(await fresh())
    const { facts } = await site.db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
    const recipientNames = { shop: 'お店', circle: '', portfolio: '' }
    const named = JSON.stringify({ ...JSON.parse(facts), recipientNames })
    await site.db.updateTable('site').set({ facts: named }).execute()
    const html = await (await site.as('guest', '/mail')).text()
    expect(html).toContain('<input type="hidden" name="to" value="shop"/>')
    expect(html).not.toMatch(/<select|宛先/)
    await send(site)
    expect(await kept(site)).toMatchObject([{ recipient: 'shop', subject: written.subject }])
  })

  test('the inbox is read by administrators alone; each sees what became of each message', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await send(site, { subject: '届くもの' })
    site.mailer.send = async () => {
      throw new Error('450 not now')
    }
    await send(site, { subject: '待つもの' })
    // Notices are shown while they cannot be delivered, not while they wait as they should.
    const notice = { to: 'a@example.jp', text: 'a', html: 'a' }
    const at = (ms: number) => new Date(ms).toISOString()
    await enqueue(site.db, { ...notice, subject: '届かないお知らせ' }, { at: at(noon) })
    await enqueue(site.db, { ...notice, subject: '明日のお知らせ' }, { at: at(noon + 24 * HOUR) })
    const visitors = await site.people()
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      const visitor = visitors[person]
      expect(await listMessages(site.db, visitor, everything, at(noon))).toEqual(emptyInbox)
      const response = await site.as(person, '/inbox')
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain('お問い合わせは、管理者だけがご覧いただけます')
      for (const secret of ['届くもの', written.text, 'hana@example.jp']) expect(html, person).not.toContain(secret)
    }
    const html = await (await site.as('administrator', '/inbox')).text()
    expect(html.indexOf('待つもの')).toBeGreaterThan(0)
    for (const words of [
      '送信済み',
      '送信待ち',
      '送信を1回試みました',
      '450 not now',
      'もう一度送る',
      '届かないお知らせ',
    ])
      expect(html).toContain(words)
    expect(html).not.toContain('明日のお知らせ')
    const { notices } = await listMessages(site.db, visitors.administrator, everything, at(noon))
    expect(notices.map(({ subject }) => subject)).toEqual(['届かないお知らせ'])
    expect(html).toContain('href="/inbox"')
  })

  test('an administrator answers in place, once; without an address there is nothing to answer to', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await send(site)
    await send(site, { subject: '名乗らない', from: '' })
    await site.people()
    const [{ id: named = '' } = {}, { id: anonymous = '' } = {}] = (await kept(site)).sort(
      (a, b) => Number(a.replyTo === null) - Number(b.replyTo === null),
    )
    const html = await (await site.as('administrator', '/inbox')).text()
    expect(html.match(/返信を書く/g)).toHaveLength(1)
    // Nobody is named who reads them: whoever answers, then.
    expect(html).toContain('お客さまからの返信は noren@example.jp に届きます。')
    await site.post('administrator', '/inbox', {
      deed: 'reply',
      message: named,
      text: '少々お待ちください。',
      once: '0',
    })
    expect(site.mails.pop()).toMatchObject({ to: 'hana@example.jp', replyTo: 'noren@example.jp' })
    await nameRecipients(site)
    expect(await (await site.as('administrator', '/inbox')).text()).toContain(
      '返信は secret-shop@example.jp に届きます。',
    )

    const reply = { deed: 'reply', message: named, text: '五名様でお待ちしております。', once: 'a' }
    expect((await site.post('approved', '/inbox', reply)).status).toBe(403)
    expect((await site.post('administrator', '/inbox', { ...reply, text: ' ' })).status).toBe(400)
    for (let twice = 0; twice < 2; twice += 1) {
      const response = await site.post('administrator', '/inbox', reply)
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('返信を受け付けました。')
    }
    expect((await site.post('administrator', '/inbox', { ...reply, message: anonymous, once: 'b' })).status).toBe(409)
    const answers = site.mails.slice(2)
    const replyTo = 'secret-shop@example.jp'
    expect(answers).toMatchObject([{ to: 'hana@example.jp', subject: `Re: ${written.subject}`, replyTo }])
    expect(answers[0]?.text.startsWith(`${reply.text}\n`)).toBe(true)
    expect(answers[0]?.text).toContain(written.text)
    expect(answers[0]?.html).toContain(`<br>${written.subject}<br>`)
    const after = await (await site.as('administrator', '/inbox')).text()
    expect(after).toContain(reply.text)

    // Who answers in turn writes to those whom the first letter was for.
    await send(site, { to: 'circle', subject: '見学のこと' })
    const toCircle = (await kept(site)).find(({ recipient }) => recipient === 'circle')
    await site.post('administrator', '/inbox', { ...reply, message: toCircle?.id ?? '', once: 'c' })
    expect(site.mails.at(-1)).toMatchObject({ to: 'hana@example.jp', replyTo: 'secret-circle@example.jp' })
  })

  test('a message is unread until somebody says that they have opened it: not by being asked for, and not by others', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    for (const subject of ['一通目', '二通目', '三通目']) await send(site, { subject })
    await send(site, { subject: '怪しいもの', homepage: 'https://spam.example' })
    const visitors = await site.people()
    const of = async (subject: string) => (await kept(site)).find((message) => message.subject === subject)
    const idOf = async (subject: string) => (await of(subject))?.id ?? ''
    const unread = () => countUnread(site.db, visitors.administrator)
    const mark = async (person: Person, deed: string, ...subjects: string[]) => {
      const ids = await Promise.all(subjects.map(idOf))
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
      expect(await mark(person, 'read', '一通目'), person).toBe(status)
      expect(await countUnread(site.db, visitors[person])).toBe(0)
      expect(await markRead(site.db, visitors[person], [await idOf('一通目')], '2026-11-20T03:00:00.000Z')).toBe(false)
    }
    expect(await unread()).toBe(3)

    expect(await mark('administrator', 'read', '一通目', '二通目', '怪しいもの')).toBe(200)
    expect(await unread()).toBe(1)
    const at = new Date(noon).toISOString()
    expect([(await of('一通目'))?.readAt, (await of('怪しいもの'))?.readAt]).toEqual([at, null])
    // When it was first opened stays.
    site.clock.now += HOUR
    await mark('administrator', 'read', '一通目')
    expect((await of('一通目'))?.readAt).toBe(at)
    expect(await mark('administrator', 'unread', '一通目')).toBe(200)
    expect([await unread(), (await of('一通目'))?.readAt]).toEqual([2, null])
    expect(await mark('administrator', 'read')).toBe(200)
    expect(await unread()).toBe(2)

    // Who answers has read it, and who says that it is no spam.
    await site.post('administrator', '/inbox', {
      deed: 'reply',
      message: await idOf('一通目'),
      text: 'お待ちします',
      once: 'a',
    })
    expect([await unread(), (await of('二通目'))?.readAt]).toEqual([1, at])
    await site.post('administrator', '/inbox', { deed: 'send on', message: await idOf('怪しいもの') })
    expect(await unread()).toBe(1)
    expect(await of('怪しいもの')).toMatchObject({ spam: false, readAt: new Date(site.clock.now).toISOString() })
  })

  test('open pages of those who read the inbox are told of what changes in it', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.people()
    const told: unknown[] = []
    site.live.listen((news) => told.push(news))
    await send(site)
    const message = (await kept(site))[0]?.id ?? ''
    for (const deed of ['read', 'read', 'unread']) await site.post('administrator', '/inbox', { deed, message })
    await site.post('administrator', '/inbox', { deed: 'reply', message, text: 'お待ちします', once: 'a' })
    // What was so already is no news.
    expect(told).toEqual(Array.from({ length: 4 }, () => ({ changed: ['messages'] })))
  })

  test('what has not left can be sent again, what is under way cannot', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    const { send: works } = site.mailer
    site.mailer.send = async () => {
      throw new Error('450 not now')
    }
    await send(site)
    const visitors = await site.people()
    const [mail] = await site.db.selectFrom('outbox').selectAll().execute()
    const again = { deed: 'resend', mail: mail?.id ?? '' }
    site.mailer.send = works
    expect((await site.post('approved', '/inbox', again)).status).toBe(403)
    expect(site.mails).toEqual([])
    await site.db.updateTable('outbox').set({ trouble: null }).execute()
    await site.post('administrator', '/inbox', again)
    expect(site.mails).toEqual([])
    await site.db.updateTable('outbox').set({ trouble: '450' }).execute()
    // Nor by those who may not read them, whichever way they come.
    const act = { at: new Date(noon).toISOString(), origin: 'http://localhost', key: '' }
    const message = (await kept(site))[0]?.id ?? ''
    await site.db.updateTable('messages').set({ spam: true }).execute()
    for (const visitor of [visitors.guest, visitors.applicant, visitors.approved]) {
      expect(await resendMail(site.db, visitor, again.mail, act.at)).toBe(false)
      expect(await releaseMessage(site.db, visitor, message, act)).toBe(false)
      expect(await replyToMessage(site.db, visitor, { id: message, text: '返事' }, act)).toBeNull()
    }
    expect(await kept(site)).toMatchObject([{ spam: true }])
    expect(await site.db.selectFrom('outbox').selectAll().execute()).toMatchObject([{ trouble: '450' }])
    await site.post('administrator', '/inbox', again)
    expect(site.mails).toHaveLength(1)
    await site.post('administrator', '/inbox', again)
    expect(site.mails).toHaveLength(1)
  })
})

// What people have tried elsewhere, as an address or in a header.
const tricks = [
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

test('of crafted values nothing leaves but to the recipient, with no header of theirs', async () => {
  const server = await startMailServer()
  onTestFinished(server.stop)
  const db = await freshSqlite()
  const piece = fc.oneof(
    fc.constantFrom(...tricks, '\r\n', '\n', '\r', ',', ';', '"', '<', '>', '@', ':', ' ', 'Bcc: evil@example.com'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  const crafted = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...tricks) },
    fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
  )
  const mostlyPlain = (value: string) => fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, crafted)
  const bodies = fc.sample(
    fc.record({
      to: mostlyPlain('shop'),
      subject: mostlyPlain('件名'),
      from: mostlyPlain('a@example.jp'),
      text: crafted,
    }),
    { numRuns: often(300, 2000), seed: 7 },
  )
  const subjects = new Map<string, string | null>()
  for (const [now, body] of bodies.entries()) {
    const read = MailMessage.safeParse(body)
    if (!read.success) continue
    expect(body.to).toBe('shop')
    const arrival = { address: `${now}`, key: '', spam: false, origin: 'http://localhost', now: now * HOUR }
    expect(await receiveMessage(db, read.data, arrival)).toBe('sent')
    const { id } = await db.selectFrom('outbox').select('id').orderBy('createdAt', 'desc').executeTakeFirstOrThrow()
    subjects.set(`<${id}@example.jp>`, read.data.from)
  }
  expect(subjects.size).toBeGreaterThan(bodies.length / 20)
  // Eight at a time; the mail server greets only after a tenth of a second.
  const mailer = mailerAt(server.url)
  const log = { warn: (line: object) => expect(line).toBeNull(), error: (line: object) => expect(line).toBeNull() }
  const delivery = { db, clock: () => 2001 * HOUR, mailer, log, ownerEmail: 'owner@example.jp' }
  await Promise.all(Array.from({ length: 24 }, () => deliverDue(delivery, new AbortController().signal)))

  expect(server.arrived).toHaveLength(subjects.size)
  const ours = ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']
  for (const { to, raw, messageId, from } of server.arrived) {
    expect([from, to]).toEqual(['noreply@example.jp', ['owner@example.jp']])
    const headers = headersOf(raw)
    const replyTo = subjects.get(messageId)
    expect(headers.map(([name]) => name).sort()).toEqual(replyTo ? [...ours, 'reply-to'].sort() : ours)
    const value = new Map(headers)
    expect(value.get('to')).toBe('owner@example.jp')
    if (replyTo) expect(value.get('reply-to')).toBe(replyTo)
    expect(decoded(value.get('from') ?? '')).toContain('<noreply@example.jp>')
  }
})
