import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { engines, freshPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import { addAccount } from '../accounts/accounts.server.ts'
import type { MailMessage } from '../contact/message.ts'
import { receiveMessage } from '../contact/messages.server.ts'
import { addImportedMember } from '../members/imported.server.ts'
import { type MemberFields, memberFieldNames } from '../members/member.ts'
import { createSite } from '../settings/site.server.ts'
import { SiteSettings } from '../settings/site.ts'
import { createMailer, fileMailer, type Mailer } from './mailer.server.ts'
import { enqueue, retryDelivery } from './outbox.server.ts'
import { decodeHeader, headersOf, type Moment, readPlainText, startMailServer } from './testing-mail-server.ts'
import { createTestMailer, deliverDue } from './testing-mailer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const noon = Date.parse('2026-11-20T12:00:00+09:00')
const iso = (instant: number) => new Date(instant).toISOString()
const defaults: MailMessage = {
  to: 'shop',
  subject: '予約のご相談（十二月・「結」の会）',
  text: '髙橋と申します。\n来週の土曜日、𠮷田の五名で伺えますか。👨‍👩‍👧‍👦\n\n. 点で始まる行\nFrom 行',
  from: 'hana@example.jp',
}

function createOutbox(db: Db, mailer: Mailer) {
  const clock = { now: noon }
  const logged: object[] = []
  const log = { warn: (line: object) => void logged.push(line), error: (line: object) => void logged.push(line) }
  const delivery = { db, clock: () => clock.now, mailer, log, ownerEmail: 'owner@example.jp' }
  const deliver = () => deliverDue(delivery, new AbortController().signal)
  const receive = (message: Partial<MailMessage> = {}) =>
    receiveMessage(db, { ...defaults, ...message } as MailMessage, {
      address: crypto.randomUUID(),
      spam: false,
      origin: 'https://example.jp',
      now: clock.now,
    })
  /** Advances the clock by `ms` milliseconds and runs a delivery every five minutes. */
  const advance = async (ms: number) => {
    for (const end = clock.now + ms; clock.now < end; clock.now += 5 * MINUTE) await deliver()
  }
  const outbox = () => db.selectFrom('outbox').selectAll().where('channel', '=', 'mail').execute()
  return { clock, logged, deliver, receive, advance, outbox }
}

async function startTestServer(behavior: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(behavior)
  onTestFinished(server.stop)
  return { ...server, mailer: createTestMailer(server.url) }
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite('delivers a Japanese message intact to the e-mail address of its recipient', async () => {
    const { mailer, arrived } = await startTestServer()
    const { receive, deliver, outbox } = createOutbox(await fresh(), mailer)
    await receive()
    await deliver()
    expect(arrived).toHaveLength(1)
    const [{ from, to, raw, messageId } = {} as never] = arrived
    expect([from, to]).toEqual(['noreply@example.jp', ['owner@example.jp']])
    const headers = new Map(headersOf(raw))
    expect(decodeHeader(headers.get('subject') ?? '')).toBe(`お問い合わせ：${defaults.subject}`)
    expect(headers.get('reply-to')).toBe('hana@example.jp')
    expect(headers.get('to')).toBe('owner@example.jp')
    expect(decodeHeader(headers.get('from') ?? '')).toMatch(/^"?お店"? <noreply@example\.jp>$/)
    expect(Date.parse(headers.get('date') ?? '')).toBe(noon)
    expect(readPlainText(raw)).toContain(`\n\n${defaults.text}\n\n`)
    const [mail] = await outbox()
    expect(mail).toMatchObject({ state: 'sent', attempts: 1, doneAt: iso(noon), trouble: null })
    expect(messageId).toBe(`<${mail?.id}@example.jp>`)
    await deliver()
    expect(arrived).toHaveLength(1)
  })

  onSqlite('marks notices as automatic, but not the messages that a person wrote', async () => {
    const { mailer, arrived } = await startTestServer()
    const db = await fresh()
    const { receive, deliver } = createOutbox(db, mailer)
    await receive({ subject: '席のご相談' })
    const { id } = await db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
    const mail = { to: 'hana@example.jp', text: '本文', html: '<p>本文</p>' }
    await db
      .insertInto('messageReplies')
      .values({ id: 'reply', messageId: id, text: '本文', accountId: 'a', createdAt: iso(noon) })
      .execute()
    await enqueue(db, { ...mail, subject: 'お返事' }, { at: iso(noon), about: id, replyId: 'reply' })
    await enqueue(db, { ...mail, subject: 'お知らせ' }, { at: iso(noon) })
    await deliver()
    const autoSubmitted = arrived.map(({ raw }) => {
      const headers = new Map(headersOf(raw))
      return [decodeHeader(headers.get('subject') ?? ''), headers.get('auto-submitted')]
    })
    expect(Object.fromEntries(autoSubmitted)).toEqual({
      お知らせ: 'auto-generated',
      お返事: undefined,
      'お問い合わせ：席のご相談': undefined,
    })
  })

  test('delivers a message once to each verified administrator when the settings contain no recipient', async () => {
    const { mailer, arrived } = await startTestServer()
    const db = await fresh()
    const { receive, deliver, outbox } = createOutbox(db, mailer)
    const administrators = [
      ['ichi', { administrator: true, admin: true }, true],
      ['ni', { administrator: true, admin: true }, true],
      ['not proven', { administrator: true, admin: true }, false],
      ['approved', { administrator: false, admin: true }, true],
      ['gone', { administrator: true, admin: true, deletedAt: iso(noon) }, true],
    ] as const
    for (const [name, flags, emailVerified] of administrators) {
      const email = `${name.replace(' ', '-')}@example.jp`
      await addAccount(db, { id: name, name, email, hash: 'none' }, iso(noon))
      await db.updateTable('accounts').set({ emailVerified }).where('id', '=', name).execute()
      const fields = Object.fromEntries(memberFieldNames.map((field) => [field, '話'])) as MemberFields
      const author = { accountId: null, at: iso(noon) }
      const imported = { ...fields, accountname: name, id: name, nonMemberId: null, birthday: null, realname: null }
      const dates = { createdAt: iso(noon), updatedAt: iso(noon) }
      await inTransaction(db, (trx) =>
        addImportedMember(
          trx,
          { ...imported, ...dates, administrator: flags.administrator, admin: flags.admin },
          author,
        ),
      )
      await db
        .updateTable('members')
        .set({ ...flags, accountId: name })
        .where('id', '=', name)
        .execute()
    }
    await receive()
    for (let attempt = 0; attempt < 3; attempt += 1) await deliver()
    expect(arrived.map(({ to }) => to.join()).sort()).toEqual(['ichi@example.jp', 'ni@example.jp'])
    for (const { raw } of arrived) {
      expect(new Map(headersOf(raw)).get('reply-to')).toBe('hana@example.jp')
      expect(readPlainText(raw)).toContain(defaults.text.slice(0, 5))
    }
    expect((await outbox()).map(({ state }) => state)).toEqual(['sent', 'sent'])

    // If the settings contain a recipient, that recipient receives the messages instead of the administrators.
    await createSite(
      db,
      SiteSettings.parse({ recipients: { shop: 'mise@example.jp' }, recipientNames: { circle: 'サークル' } }),
      {
        accountId: null,
        at: iso(noon),
      },
    )
    await receive({ to: 'circle' })
    await deliver()
    expect(arrived.slice(2).map(({ to }) => to.join())).toEqual(['mise@example.jp'])
  })

  onSqlite.each([
    ['is down', {}],
    ['rejects the sender', { refuses: 'sender' }],
    ['rejects the message', { refuses: 'message' }],
    ['drops the connection in the middle of the message', { drops: true }],
  ] as const)('loses no e-mail when the mail server %s for six hours', async (condition, behavior) => {
    const server = await startTestServer({ ...behavior })
    let mailer = server.mailer
    const { clock, receive, advance, outbox, deliver, logged } = createOutbox(await fresh(), {
      verifies: true,
      send: (message) => mailer.send(message),
    })
    if (condition === 'is down') mailer = createTestMailer('smtp://127.0.0.1:1')
    await receive({ subject: '先' })
    await advance(5 * HOUR)
    await receive({ subject: '後' })
    await advance(HOUR)
    expect(server.arrived).toEqual([])
    const waiting = await outbox()
    expect(waiting).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
    const maxAttempts = Math.max(...waiting.map(({ attempts }) => attempts))
    // The retry delays grow, so the number of attempts is far smaller than the number of minutes.
    expect(maxAttempts).toBeGreaterThan(6)
    expect(maxAttempts).toBeLessThan(15)
    expect(JSON.stringify(logged)).not.toContain('hana@example.jp')

    mailer = server.mailer
    Object.assign(server.behavior, { refuses: undefined, drops: false })
    await advance(HOUR + MINUTE)
    const subjects = server.arrived.map(({ raw }) => decodeHeader(new Map(headersOf(raw)).get('subject') ?? ''))
    expect(subjects.sort()).toEqual(['お問い合わせ：先', 'お問い合わせ：後'].sort())
    clock.now += 24 * HOUR
    expect(await deliver()).toBe(0)
  })

  onSqlite.each(['connection', 'message'] as const)(
    'retries an e-mail after a timeout when the mail server stalls at the %s',
    async (stalls) => {
      const server = await startTestServer({ stalls })
      let mailer = createTestMailer(server.url, 300)
      const { receive, deliver, clock, outbox } = createOutbox(await fresh(), {
        verifies: true,
        send: (message) => mailer.send(message),
      })
      await receive()
      await deliver()
      expect(await outbox()).toMatchObject([{ state: 'waiting', attempts: 1, trouble: expect.stringMatching(/\S/) }])
      expect(await deliver()).toBe(0)
      // The test needs a second server, because the stalled server may still receive the first attempt.
      const secondServer = await startTestServer()
      mailer = secondServer.mailer
      clock.now += MINUTE
      await deliver()
      expect(secondServer.arrived).toHaveLength(1)
      expect(await outbox()).toMatchObject([{ state: 'sent', attempts: 2 }])
    },
  )

  test('marks an e-mail failed after three days and retries it on request', async () => {
    const server = await startTestServer()
    let mailer = createTestMailer('smtp://127.0.0.1:1')
    const db = await fresh()
    const { receive, advance, outbox, deliver, clock } = createOutbox(db, {
      verifies: true,
      send: (message) => mailer.send(message),
    })
    await receive()
    await enqueue(db, { to: 'a@example.jp', subject: '別の件', text: 'a', html: 'a' }, { at: iso(noon) })
    for (let hour = 0; hour < 73; hour += 1) {
      await deliver()
      clock.now += HOUR
    }
    const failed = { state: 'failed', trouble: expect.stringContaining('ECONNREFUSED') }
    expect(await outbox()).toMatchObject([failed, failed])
    await advance(2 * HOUR)
    expect(await outbox()).toMatchObject([failed, failed])

    const mail = async () => (await outbox()).find(({ about }) => about)
    await retryDelivery(db, (await mail())?.id ?? '', iso(clock.now))
    await deliver()
    // A manual retry allows another three days and starts with the shortest retry delay.
    const soon = iso(clock.now + MINUTE)
    expect(await mail()).toMatchObject({ state: 'waiting', attempts: 1, waitingSince: iso(clock.now), dueAt: soon })
    mailer = server.mailer
    clock.now += MINUTE
    await deliver()
    expect(await mail()).toMatchObject({ state: 'sent', trouble: null })
    expect(server.arrived.map(({ raw }) => readPlainText(raw))).toEqual([expect.stringContaining(defaults.text)])
    expect((await outbox()).filter(({ about }) => !about)).toMatchObject([failed])
  })

  const startAhead = async (days: number) => {
    const server = await startTestServer()
    let mailer = createTestMailer('smtp://127.0.0.1:1')
    const outbox = createOutbox(await fresh(), { verifies: true, send: (message) => mailer.send(message) })
    outbox.clock.now = noon + days * 24 * HOUR
    await outbox.receive()
    await outbox.deliver()
    outbox.clock.now = noon
    const deliverHourly = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 1) {
        await outbox.deliver()
        outbox.clock.now += HOUR
      }
    }
    const connect = () => {
      mailer = server.mailer
    }
    return { ...outbox, ...server, deliverHourly, connect }
  }

  test.each([1, 1000])('sends an e-mail after the clock was %d days ahead for a while', async (days) => {
    const { arrived, connect, deliverHourly, outbox } = await startAhead(days)
    connect()
    await deliverHourly(26)
    expect(arrived).toHaveLength(1)
    expect(await outbox()).toMatchObject([{ state: 'sent' }])
  })

  test('marks an e-mail failed after three days after the clock was years ahead for a while', async () => {
    const { deliverHourly, outbox } = await startAhead(1000)
    await deliverHourly(71)
    expect(await outbox()).toMatchObject([{ state: 'waiting' }])
    await deliverHourly(3)
    expect(await outbox()).toMatchObject([{ state: 'failed', trouble: expect.stringContaining('ECONNREFUSED') }])
  })

  test('enqueues an e-mail once per key when its transaction commits', async () => {
    const db = await fresh()
    const { outbox } = createOutbox(db, fileMailer('/nowhere', 'noreply@example.jp'))
    const mail = { to: 'a@example.jp', subject: '件名', text: '本文', html: '<p>本文</p>' }
    const failing = db.transaction().execute(async (trx) => {
      await enqueue(trx, mail, { at: iso(noon) })
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
    expect(await outbox()).toEqual([])
    for (let attempt = 0; attempt < 3; attempt += 1)
      await enqueue(db, mail, { at: iso(noon), onceKey: 'reminder 1 hana' })
    expect(await outbox()).toHaveLength(1)
  })

  test('deletes the text of a notice after its delivery, and the whole notice after thirty days', async () => {
    const { mailer } = await startTestServer()
    const db = await fresh()
    const { receive, outbox, deliver, clock } = createOutbox(db, mailer)
    const mail = { to: 'a@example.jp', subject: '確認', text: 'https://example.jp/?token=secret', html: 'secret' }
    await enqueue(db, mail, { at: iso(noon) })
    await deliver()
    expect(await outbox()).toMatchObject([{ state: 'sent', text: '', html: '' }])
    await receive()
    await deliver()
    clock.now += 29 * 24 * HOUR
    await enqueue(db, { ...mail, to: 'b@example.jp' }, { at: iso(clock.now) })
    await deliver()
    expect(await outbox()).toHaveLength(3)
    clock.now += 2 * 24 * HOUR
    await enqueue(db, { ...mail, to: 'c@example.jp' }, { at: iso(clock.now) })
    await deliver()
    const remaining = await outbox()
    expect(remaining.map(({ to }) => to).sort()).toEqual(['b@example.jp', 'c@example.jp', null])
    // The e-mail with a contact message is never deleted.
    expect(remaining.find(({ about }) => about)?.text).toContain(defaults.text)
  })

  onSqlite('writes each e-mail to a file when there is no mail server', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'noren-')), 'mails')
    const db = await fresh()
    const { receive, deliver, outbox } = createOutbox(db, fileMailer(folder, 'noreply@localhost'))
    await receive()
    await deliver()
    expect(await outbox()).toMatchObject([{ state: 'filed' }])
    const [name = '', ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect(name).toMatch(/^20261120T030000000Z-[\da-f-]{36}\.eml$/)
    const raw = readFileSync(join(folder, name), 'utf8')
    expect(decodeHeader(new Map(headersOf(raw)).get('subject') ?? '')).toBe(`お問い合わせ：${defaults.subject}`)
    expect(readPlainText(raw)).toContain(defaults.text)

    // A manual retry sends the complete message after a mail server has been configured.
    const server = await startTestServer()
    const later = createOutbox(db, server.mailer)
    await retryDelivery(db, (await outbox())[0]?.id ?? '', iso(noon))
    await later.deliver()
    expect(server.arrived.map(({ raw }) => readPlainText(raw))).toEqual([expect.stringContaining(defaults.text)])
  })
})

test('sends each e-mail once when several workers share one PostgreSQL database', async () => {
  const url = await freshPostgresUrl()
  const { mailer, arrived } = await startTestServer()
  const dbs = await Promise.all([openDatabase({ url, file: '' }), openDatabase({ url, file: '' })])
  onTestFinished(async () => void (await Promise.all(dbs.map((db) => db.destroy()))))
  const workers = [...dbs, ...dbs].map((db) => createOutbox(db, mailer))
  for (let mail = 0; mail < 24; mail += 1) {
    await enqueue(dbs[0], { to: 'a@example.jp', subject: `${mail}`, text: 'a', html: 'a' }, { at: iso(noon) })
  }
  const counts = await Promise.all(workers.map(({ deliver }) => deliver()))
  expect(counts.reduce((sum, count) => sum + count)).toBe(24)
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1)
  expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(24)
  expect(arrived).toHaveLength(24)
})

test('reads an empty outbox on SQLite while another process writes', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db')
  const [db, other] = [await openDatabase({ file }), await openDatabase({ file })]
  onTestFinished(async () => void (await Promise.all([db.destroy(), other.destroy()])))
  const { deliver } = createOutbox(db, (await startTestServer()).mailer)
  const transaction = await other.startTransaction().execute()
  expect(await deliver()).toBe(0)
  await transaction.rollback().execute()
})

test('skips an e-mail on PostgreSQL while another worker locks it', async () => {
  const db = await openDatabase({ url: await freshPostgresUrl(), file: '' })
  onTestFinished(() => db.destroy())
  const { mailer, arrived } = await startTestServer()
  const { deliver } = createOutbox(db, mailer)
  await enqueue(db, { to: 'a@example.jp', subject: '件名', text: 'a', html: 'a' }, { at: iso(noon) })
  const taking = await db.startTransaction().execute()
  await taking.selectFrom('outbox').selectAll().forUpdate().execute()
  expect(await deliver()).toBe(0)
  await taking.rollback().execute()
  expect([await deliver(), arrived.length]).toEqual([1, 1])
})

const moments: Moment[] = ['greeted', 'addressed', 'halfway', 'accepted', 'answered']

// The test kills the process at every moment of a delivery.
test.each(engines)('loses no e-mail on %s when the process is killed', async (engine) => {
  const database =
    engine === 'SQLite' ? join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db') : await freshPostgresUrl()
  const db = await openDatabase(engine === 'SQLite' ? { file: database } : { url: database, file: '' })
  onTestFinished(() => db.destroy())
  const { arrived, behavior, url } = await startTestServer()
  for (let mail = 0; mail < 6; mail += 1) {
    await enqueue(db, { to: 'a@example.jp', subject: `${mail}`, text: 'a', html: 'a' }, { at: iso(noon) })
  }

  const mayRepeat = new Set<string>()
  for (let kill = 0; kill < often(moments.length, 5 * moments.length); kill += 1) {
    const moment = moments[kill % moments.length] as Moment
    // Each process starts after the lease of the killed process has expired.
    const now = noon + kill * 3 * HOUR
    await new Promise<void>((resolve, reject) => {
      const child: ChildProcess = spawn(
        process.execPath,
        ['app/mail/testing-delivery.ts', database, url, String(now)],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      )
      child.once('exit', (_, signal) =>
        signal === 'SIGKILL' ? resolve() : reject(new Error('Delivery process ended before it was killed')),
      )
      behavior.at = async (reached) => {
        if (reached !== moment) return
        behavior.at = () => {}
        if (moment === 'accepted' || moment === 'answered') mayRepeat.add(arrived.at(-1)?.messageId ?? '')
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    })
  }
  behavior.at = () => {}
  const remaining = createOutbox(db, createTestMailer(url))
  remaining.clock.now = noon + 100 * HOUR
  await remaining.deliver()

  expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(6)
  const states = await db.selectFrom('outbox').select('state').execute()
  expect(states).toEqual(Array(6).fill({ state: 'sent' }))
  const repeated = arrived.map(({ messageId }) => messageId).filter((id, index, all) => all.indexOf(id) !== index)
  expect(repeated.length).toBeGreaterThan(0)
  for (const id of repeated) expect([...mayRepeat]).toContain(id)
})

test.each([
  ['https://example.jp', 'noreply@mail.example.jp', 'example.jp'],
  ['https://xn--wgv71a119e.jp', undefined, 'xn--wgv71a119e.jp'],
  ['https://192.0.2.1', 'noreply@example.jp', 'example.jp'],
  ['https://[2001:db8::1]', 'noreply@example.jp', 'example.jp'],
  ['http://localhost:3000', 'noreply@example.jp', 'example.jp'],
  [undefined, 'noreply@example.jp', 'example.jp'],
])(
  'greets the mail server with a full host name when the site is %s and sends as %s',
  async (publicOrigin, mailFrom, name) => {
    const server = await startMailServer()
    onTestFinished(server.stop)
    const mailer = createMailer({ smtpUrl: server.url, publicOrigin, mailFrom, dataFolder: tmpdir() })
    await mailer.send({ to: 'hana@example.jp', subject: '確認', text: '本文', html: '<p>本文</p>' })
    expect(server.arrived.map(({ greeting }) => greeting)).toEqual([name])
  },
)
