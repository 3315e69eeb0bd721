import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../../db/engine.ts'
import { connect, migrate } from '../../db/open.ts'
import { emptyPostgresUrl, onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { listMessages, PAGE_SIZE } from './inbox.server.ts'
import { MailMessage } from './message.ts'
import { deleteExpiredMessages, markDone, receiveMessage } from './messages.server.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
type Site = Awaited<ReturnType<typeof sampleSite>>
type MessageInput = { subject: string; text?: string; from?: string | null; spam?: boolean }

let messageCount = 0
/** Stores a message with a date one minute after the previous message. Returns the message ID. */
async function receive(
  { db }: Site,
  { subject, text = '五名で伺えますか。', from = null, spam = false }: MessageInput,
) {
  messageCount += 1
  const message = MailMessage.parse({ to: 'shop', subject, text, from })
  const now = noon - DAY + messageCount * MINUTE
  await receiveMessage(db, message, { address: `10.0.0.${messageCount}`, spam, origin: 'http://localhost', now })
  const { id } = await db.selectFrom('messages').select('id').where('subject', '=', subject).executeTakeFirstOrThrow()
  return id
}

const read = async (site: Site, path: string) => (await site.as('administrator', path)).text()
const subjectsIn = (html: string) => [...html.matchAll(/<h2 id="subject-[^>]*>([^<]*)</g)].map(([, subject]) => subject)
/** Returns the subjects in an inbox view, and the sentence with the number of messages. */
async function readInboxView(site: Site, query: Record<string, string>) {
  const html = await read(site, `/inbox?${new URLSearchParams(query)}`)
  return [subjectsIn(html), /(\d+件(?:見つかりました|あります)。)<\/p>/.exec(html)?.[1] ?? null]
}
/** Posts a form to the inbox. Returns the status and the action data of the response. */
async function submit(site: Site, fields: Record<string, string> | URLSearchParams, path = '/inbox?show=spam') {
  const response = await site.post('administrator', path.replace('/inbox', '/inbox.data'), fields)
  return { status: response.status, ...(await actionDataOf<SaveResult>(response)) }
}
const stored = (site: Site, id: string) =>
  site.db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const databaseBefore = async (migration: string) => {
    const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
    onTestFinished(() => db.destroy())
    await migrate(db, migration)
    return db
  }
  const earlyMessage = {
    recipient: 'shop',
    subject: 'ご予約',
    text: 'ＡＢＣ ﾃﾆｽ',
    spam: false,
    createdAt: '2026-11-01T00:00:00.000Z',
  }

  test('marks migrated messages as read and fills in their search text', async () => {
    const db = await databaseBefore('0018-pages')
    await untypedTables(db)
      .insertInto('messages')
      .values({ id: 'before', ...earlyMessage })
      .execute()
    await migrate(db)
    const row = await db.selectFrom('messages').selectAll().executeTakeFirst()
    const readAt = earlyMessage.createdAt
    const searchText = 'ゴ予約\n\nabc テニス'
    expect(row).toEqual({
      id: 'before',
      ...earlyMessage,
      replyTo: null,
      language: '',
      readAt,
      doneAt: null,
      searchText,
      expiresAt: null,
    })
  })

  onSqlite('extends the quarantine of unanswered messages by thirty days in the migration', async () => {
    const db = await databaseBefore('0023-edit-buttons')
    const rows = ['held', 'answered', 'normal'].map((id) => ({ id, ...earlyMessage, spam: id === 'normal' ? 0 : 1 }))
    await untypedTables(db).insertInto('messages').values(rows).execute()
    const reply = {
      id: 'reply',
      messageId: 'answered',
      text: '返事',
      accountId: 'a',
      createdAt: earlyMessage.createdAt,
    }
    await untypedTables(db).insertInto('messageReplies').values([reply]).execute()
    const before = Date.now()
    await migrate(db)
    const migrated = await db.selectFrom('messages').select(['id', 'spam', 'expiresAt']).orderBy('id').execute()
    expect(migrated).toEqual([
      { id: 'answered', spam: false, expiresAt: null },
      { id: 'held', spam: true, expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      { id: 'normal', spam: false, expiresAt: null },
    ])
    const expires = Date.parse(migrated[1]?.expiresAt ?? '')
    expect(expires).toBeGreaterThanOrEqual(before + 30 * DAY)
    expect(expires).toBeLessThanOrEqual(Date.now() + 30 * DAY)
  })

  test('sets the time of the first reply as the done time of migrated messages', async () => {
    const db = await databaseBefore('0021-staff')
    const ids = Array.from({ length: 501 }, (_, index) => `message-${String(index).padStart(3, '0')}`)
    const rows = ids.map((id) => ({ id, ...earlyMessage, replyTo: 'Hana@example.jp' }))
    await untypedTables(db).insertInto('messages').values(rows).execute()
    const reply = { messageId: 'message-500', text: '返事', accountId: 'a' }
    await untypedTables(db)
      .insertInto('messageReplies')
      .values([
        { ...reply, id: 'second', createdAt: '2026-11-03T00:00:00.000Z' },
        { ...reply, id: 'first', createdAt: '2026-11-02T00:00:00.000Z' },
      ])
      .execute()
    await migrate(db)
    const doneRows = db.selectFrom('messages').select(['id', 'doneAt']).where('doneAt', 'is not', null)
    expect(await doneRows.execute()).toEqual([{ id: 'message-500', doneAt: '2026-11-02T00:00:00.000Z' }])
    const texts = await db.selectFrom('messages').select('searchText').distinct().execute()
    expect(texts).toEqual([{ searchText: 'ゴ予約\nhana@example.jp\nabc テニス' }])
  })

  test('finds messages that contain all search words in any width and letter case', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    await receive(site, { subject: 'お席のご相談', text: 'ﾃﾆｽの帰りに、ＡＢＣ会の五名で。', from: 'Hana@Example.jp' })
    await receive(site, { subject: '割引は50%ですか', text: 'a_b と c\\d のこと' })
    await receive(site, { subject: '割引は50円ですか', text: 'aXb と c-d のこと' })
    for (const [q, subjects] of [
      ['お席', ['お席のご相談']],
      ['テニス　abc', ['お席のご相談']],
      ['ABC HANA@example', ['お席のご相談']],
      [' 五名 ﾃﾆｽ 相談 ', ['お席のご相談']],
      ['テニス 割引', []],
      ['割引', ['割引は50円ですか', '割引は50%ですか']],
      ['50%', ['割引は50%ですか']],
      ['５０％', ['割引は50%ですか']],
      ['a_b', ['割引は50%ですか']],
      ['c\\d', ['割引は50%ですか']],
      ["'; drop table messages; --", []],
      ['割引\ud800', []],
    ] as const) {
      const sentence = subjects.length > 0 ? `${subjects.length}件見つかりました。` : null
      expect(await readInboxView(site, { q }), q).toEqual([subjects, sentence])
    }
    for (const q of ['', ' 　']) expect((await readInboxView(site, { q }))[1]).toBe('3件あります。')
    const html = await read(site, '/inbox?q=%E3%81%AA%E3%81%84')
    expect(html).toContain('検索条件に合うお問い合わせはありません。')
    expect(html).toContain('value="ない"')
    expect(await readInboxView(site, { q: `${'あ'.repeat(100)}い` })).toEqual(
      await readInboxView(site, { q: 'あ'.repeat(100) }),
    )
    const long = await read(site, `/inbox?q=${encodeURIComponent('長'.repeat(5000))}`)
    expect(long).not.toContain('長'.repeat(101))
  })

  onSqlite('shows no search result to visitors who may not read the inbox', async () => {
    const site = await sampleSite(await fresh())
    const visitors = await site.people()
    const id = await receive(site, { subject: 'お席のご相談' })
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const) {
      const html = await (await site.as(person, '/inbox?q=お席&show=open')).text()
      expect(html, person).not.toMatch(/お席のご相談|件見つかりました|件あります|検索条件に合う|対応済みにする/)
      expect(await markDone(site.db, visitors[person], id, new Date(noon).toISOString())).toBe(false)
      const refused = person === 'guest' ? 401 : 403
      expect((await site.post(person, '/inbox', { deed: 'done', message: id })).status, person).toBe(refused)
    }
    expect((await stored(site, id)).doneAt).toBeNull()
  })

  test('filters messages by state and includes the filter in every link', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const { administrator } = await site.people()
    for (const [show, emptySentence] of [
      ['all', 'お問い合わせはまだありません。'],
      ['unread', '未読のお問い合わせはありません。'],
      ['open', '未対応のお問い合わせはありません。'],
      ['done', '対応済みのお問い合わせは、まだありません。'],
      ['spam', '迷惑メールの可能性があるものはありません。'],
    ] as const)
      expect(await read(site, `/inbox?show=${show}`), show).toContain(emptySentence)
    const [readId, doneId] = [
      await receive(site, { subject: '読んだもの' }),
      await receive(site, { subject: '済んだもの' }),
    ]
    await receive(site, { subject: '読まれないもの' })
    await receive(site, { subject: '怪しいもの', spam: true })
    await site.post('administrator', '/inbox', { deed: 'read', message: readId })
    await site.post('administrator', '/inbox', { deed: 'done', message: doneId })
    for (const [show, subjects] of [
      ['all', ['読まれないもの', '済んだもの', '読んだもの']],
      ['spam', ['怪しいもの']],
      ['unread', ['読まれないもの']],
      ['open', ['読まれないもの', '読んだもの']],
      ['done', ['済んだもの']],
      ['toString', ['読まれないもの', '済んだもの', '読んだもの']],
    ] as const)
      expect(await readInboxView(site, { show }), show).toEqual([subjects, `${subjects.length}件あります。`])
    expect(await readInboxView(site, { show: 'open', q: '読んだ' })).toEqual([['読んだもの'], '1件見つかりました。'])

    // The search form contains the filter, the filter links contain the search, and the page links contain both.
    const html = await read(site, '/inbox?show=open&q=もの')
    expect(html).toContain('<input type="hidden" name="show" value="open"/>')
    const doneUrl = '/inbox?show=done&amp;q=%E3%82%82%E3%81%AE'
    expect(html).toContain(`href="${doneUrl}"`)
    expect(html).toMatch(/aria-current="true"[^>]*>未対応</)
    for (let more = 0; more < PAGE_SIZE; more += 1) await receive(site, { subject: `次のもの ${more}` })
    const firstPage = await read(site, '/inbox?show=open&q=もの')
    expect(firstPage).toContain('href="/inbox?show=open&amp;q=%E3%82%82%E3%81%AE&amp;page=2"')
    expect(subjectsIn(firstPage)).toHaveLength(PAGE_SIZE)
    const secondPagePath = '/inbox?show=open&q=もの&page=2'
    expect(subjectsIn(await read(site, secondPagePath))).toEqual(['読まれないもの', '読んだもの'])
    expect(subjectsIn(await read(site, secondPagePath.replace('page=2', 'page=999')))).toHaveLength(2)
    expect(await submit(site, { deed: 'done', message: readId }, secondPagePath)).toMatchObject({
      done: '対応済みにしました。',
    })
    expect(subjectsIn(await read(site, secondPagePath))).toEqual(['読まれないもの'])
    const { messages } = await listMessages(site.db, administrator, { show: 'done', sought: '', page: 1 }, '')
    expect(JSON.stringify(messages)).not.toContain('searchText')
  })

  test('opens the inbox page that contains the message when the user follows a link in an e-mail', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const subjects = Array.from({ length: 2 * PAGE_SIZE + 1 }, (_, index) => `何通目ですか ${index + 1}`)
    for (const subject of subjects) await receive(site, { subject })
    for (const [subject, ...others] of [
      ['何通目ですか 1', `何通目ですか ${PAGE_SIZE + 1}`],
      [`何通目ですか ${PAGE_SIZE + 1}`, '何通目ですか 1', `何通目ですか ${PAGE_SIZE + 2}`],
      [`何通目ですか ${2 * PAGE_SIZE + 1}`, `何通目ですか ${PAGE_SIZE + 1}`],
    ] as [string, ...string[]][]) {
      const mail = await site.db
        .selectFrom('outbox')
        .selectAll()
        .where('subject', '=', `お問い合わせ：${subject}`)
        .executeTakeFirstOrThrow()
      const { pathname, search, hash } = new URL(/http:\/\/localhost\/inbox\S+/.exec(mail.text)?.[0] ?? '')
      const html = await read(site, pathname + search)
      expect(subjectsIn(html)).toContain(subject)
      for (const other of others) expect(subjectsIn(html)).not.toContain(other)
      expect(html).toContain(`id="${hash.slice(1)}"`)
      expect(await (await site.as('approved', pathname + search)).text()).not.toContain(subject)
    }
    const defaultSubjects = subjectsIn(await read(site, '/inbox?message=nobodys'))
    expect(defaultSubjects).toEqual(subjects.toReversed().slice(0, PAGE_SIZE))
  })

  test('marks a message done only once and reopens it', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const id = await receive(site, { subject: 'お席のご相談' })
    const events: unknown[] = []
    site.live.subscribe((event) => events.push(event))
    const submitDeed = (deed: string) => submit(site, { deed, message: id }, '/inbox?show=open')
    const at = new Date(noon).toISOString()
    // The undo must return to the same filter.
    const undo = { action: '/inbox?show=open', fields: { deed: 'reopen', message: id } }
    expect(await submitDeed('done')).toMatchObject({ undo })
    expect(await stored(site, id)).toMatchObject({ doneAt: at, readAt: at })
    site.clock.now += MINUTE
    await submitDeed('done')
    expect((await stored(site, id)).doneAt).toBe(at)
    expect(await read(site, '/inbox')).toContain('未対応に戻す')
    expect(events).toHaveLength(1)
    expect(await submitDeed('reopen')).toMatchObject({ done: '未対応に戻しました。' })
    await submitDeed('reopen')
    expect(await stored(site, id)).toMatchObject({ doneAt: null, readAt: at })
    expect(events).toEqual(Array.from({ length: 2 }, () => ({ changed: ['messages'] })))
    expect((await site.post('administrator', '/inbox', { deed: 'done', message: 'un\0known' })).status).toBe(200)
    expect(events).toHaveLength(2)
  })

  test('rejects a reply that was changed after its response was lost', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.people()
    const id = await receive(site, { subject: 'お席のご相談', from: 'hana@example.jp' })
    const reply = { deed: 'reply', message: id, text: 'お待ちします。', once: 'a' }
    await submit(site, reply)
    const changed = await submit(site, { ...reply, text: '満席です。' })
    expect(changed).toMatchObject({ status: 409, trouble: expect.stringContaining('まだ保存していません') })
    expect(changed.done).toBeUndefined()
    const replies = site.db.selectFrom('messageReplies').select('text')
    expect(await replies.execute()).toEqual([{ text: 'お待ちします。' }])
    expect(await submit(site, reply)).toMatchObject({ done: '返信を受け付けました。' })
    expect(await replies.execute()).toHaveLength(1)
  })

  onSqlite('marks a message as handled at each reply when the site sends mail', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.people()
    const id = await receive(site, { subject: 'お席のご相談', from: 'hana@example.jp' })
    const reply = { deed: 'reply', message: id, text: 'お待ちします。', once: 'a' }
    const openPath = '/inbox?show=open'
    const empty = await submit(site, { ...reply, text: '' }, openPath)
    expect(empty).toMatchObject({ status: 400, errors: { text: ['本文を入力してください'] } })
    expect(await submit(site, reply, openPath)).toMatchObject({ done: '返信を受け付けました。' })
    expect(subjectsIn(await read(site, openPath))).toEqual([])
    expect(await stored(site, id)).toMatchObject({ doneAt: new Date(noon).toISOString() })
    await site.post('administrator', '/inbox', { deed: 'reopen', message: id })
    site.clock.now += MINUTE
    await site.post('administrator', '/inbox', { ...reply, once: 'b' })
    expect(await stored(site, id)).toMatchObject({
      doneAt: new Date(noon + MINUTE).toISOString(),
      readAt: new Date(noon).toISOString(),
    })
    expect(await read(site, '/inbox')).not.toMatch(/mailto:|メールソフトで/)
  })

  onSqlite('renders a mailto link for the reply when the site cannot send mail', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const id = await receive(site, { subject: '席＆予約?', text: '一行目\n\n三行目 <b>', from: 'hana+a@example.jp' })
    await receive(site, { subject: '名乗らない' })
    const html = await read(site, '/inbox')
    const mailLinks = [...html.matchAll(/href="(mailto:[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
    expect(mailLinks).toHaveLength(1)
    const [, to = '', query] = /^mailto:([^?]*)\?(.*)$/.exec(mailLinks[0] ?? '') ?? []
    expect(decodeURIComponent(to)).toBe('hana+a@example.jp')
    const fields = new URLSearchParams(query)
    expect([...fields.keys()]).toEqual(['subject', 'body'])
    expect(fields.get('subject')).toMatch(/^Re: 席＆予約\?（.+）$/)
    expect(fields.get('body')).toBe('\r\n\r\n> 一行目\r\n> \r\n> 三行目 <b>')
    expect(html).not.toMatch(/返信を送る|SMTP_URL|フォルダー/)
    expect(html).toContain('サイトの管理を任せている方')

    // This reply form was rendered when the site could still send mail.
    const reply = { deed: 'reply', message: id, text: 'お待ちします。', once: 'a' }
    const trouble = expect.stringContaining('返信は送信されません')
    expect(await submit(site, reply, '/inbox')).toMatchObject({ status: 409, trouble })
    expect(await site.db.selectFrom('messageReplies').selectAll().execute()).toEqual([])
    expect((await stored(site, id)).doneAt).toBeNull()
    const releaseFields = { deed: 'send on', message: await receive(site, { subject: '怪しいもの', spam: true }) }
    expect((await submit(site, releaseFields, '/inbox')).done).toBe('「迷惑メールの可能性」から外しました。')
  })

  test('delivers a released message once unless the release is undone before delivery', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await site.people()
    const id = await receive(site, { subject: 'お席のご相談', spam: true })
    const { send: originalSend } = site.mailer
    site.mailer.send = async () => {
      throw new Error('450 not now')
    }
    const { done, undo } = await submit(site, { deed: 'send on', message: id })
    expect(done).toContain('これからメールで送ります。')
    expect(await readInboxView(site, { show: 'spam' })).toEqual([[], null])
    expect(await readInboxView(site, {})).toEqual([['お席のご相談'], '1件あります。'])
    expect(await stored(site, id)).toMatchObject({ spam: false, readAt: new Date(noon).toISOString(), expiresAt: null })

    const undoResult = await submit(site, undo?.fields ?? {}, undo?.action)
    expect(undoResult).toMatchObject({ done: '「迷惑メールの可能性」に戻しました。' })
    expect(await readInboxView(site, { show: 'spam' })).toEqual([['お席のご相談'], '1件あります。'])
    expect(await stored(site, id)).toMatchObject({ spam: true, readAt: null })
    site.mailer.send = originalSend
    site.clock.now += DAY
    await read(site, '/inbox')
    expect(site.mails).toEqual([])

    // A second release must not send a second e-mail.
    for (const deed of ['send on', 'send on', 'hold', 'hold', 'send on']) await submit(site, { deed, message: id })
    expect(site.mails).toMatchObject([{ to: 'owner@example.jp', subject: 'お問い合わせ：お席のご相談' }])
    expect(await site.db.selectFrom('outbox').selectAll().execute()).toHaveLength(1)
  })

  test('deletes one quarantined message or all messages on the page, and restores them', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const normal = await receive(site, { subject: '普通のもの' })
    const ids = [
      await receive(site, { subject: '怪しい一通目', spam: true }),
      await receive(site, { subject: '怪しい二通目', spam: true }),
      await receive(site, { subject: '怪しい三通目', spam: true }),
    ]
    const html = await read(site, '/inbox?show=spam')
    expect(html).toContain('表示中のものをすべて削除する')
    expect(html).toMatch(/>迷惑メールの可能性（3）</)
    for (const person of ['guest', 'signedIn', 'applicant', 'approved'] as const)
      for (const deed of ['delete', 'hold', 'restore']) {
        const status = (await site.post(person, '/inbox', { deed, message: ids[0] ?? '' })).status
        expect(status, `${person} ${deed}`).toBe(person === 'guest' ? 401 : 403)
      }
    const events: unknown[] = []
    site.live.subscribe((event) => events.push(event))
    const readHeldSubjects = async () => (await readInboxView(site, { show: 'spam' }))[0]
    expect(await submit(site, { deed: 'delete', message: ids[0] ?? '' })).toMatchObject({ done: '削除しました。' })
    expect(await readHeldSubjects()).toEqual(['怪しい三通目', '怪しい二通目'])
    const deleteAll = new URLSearchParams([['deed', 'delete'], ...[...ids, normal].map((id) => ['message', id])])
    const { undo } = await submit(site, deleteAll)
    expect(await readHeldSubjects()).toEqual([])
    // A message that is not quarantined cannot be deleted. A deleted message cannot be released.
    expect(await readInboxView(site, {})).toEqual([['普通のもの'], '1件あります。'])
    await submit(site, { deed: 'send on', message: ids[0] ?? '' })
    expect(await stored(site, ids[0] ?? '')).toMatchObject({ spam: true })
    expect(await submit(site, undo?.fields ?? {}, undo?.action)).toMatchObject({ done: '元に戻しました。' })
    expect(await readHeldSubjects()).toEqual(['怪しい三通目', '怪しい二通目', '怪しい一通目'])
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ changed: ['messages'] })))
  })

  test('lists quarantined messages only under their own filter', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    const ids = [
      await receive(site, { subject: '席のご相談', text: '五名で', spam: true }),
      await receive(site, { subject: '広告', text: '格安', spam: true }),
    ]
    expect(await readInboxView(site, { q: '五名' })).toEqual([[], null])
    expect(await readInboxView(site, { show: 'spam', q: '五名' })).toEqual([['席のご相談'], '1件見つかりました。'])
    expect(await read(site, '/inbox?q=五名')).toMatch(/>迷惑メールの可能性（2）</)
    for (const message of ids) await submit(site, { deed: 'delete', message })
    expect(await read(site, '/inbox')).toMatch(/>迷惑メールの可能性</)
  })

  test('lists quarantined messages for thirty days and deletes them a day later', async () => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await site.people()
    await receive(site, { subject: '普通のもの' })
    const id = await receive(site, { subject: '怪しいもの', spam: true })
    for (const deed of ['send on', 'hold']) await submit(site, { deed, message: id })
    const subjects = async () => {
      await deleteExpiredMessages(site.db, site.clock.now)
      const rows = await site.db.selectFrom('messages').select('subject').orderBy('createdAt').execute()
      return [(await readInboxView(site, { show: 'spam' }))[0], rows.map(({ subject }) => subject)]
    }
    site.clock.now = noon + 30 * DAY - 1
    expect(await subjects()).toEqual([['怪しいもの'], ['普通のもの', '怪しいもの']])
    site.clock.now += 1
    expect(await subjects()).toEqual([[], ['普通のもの', '怪しいもの']])
    site.clock.now += DAY
    expect(await subjects()).toEqual([[], ['普通のもの', '怪しいもの']])
    site.clock.now += 1
    expect(await subjects()).toEqual([[], ['普通のもの']])
    const mails = await site.db.selectFrom('outbox').select('subject').execute()
    expect(mails).toEqual([{ subject: 'お問い合わせ：普通のもの' }])
    const trouble = expect.stringContaining('元に戻せません')
    expect(await submit(site, { deed: 'restore', message: id })).toMatchObject({ status: 409, trouble })
  })

  onSqlite('releases a quarantined message when an administrator replies', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    await site.people()
    const id = await receive(site, { subject: '怪しいもの', from: 'hana@example.jp', spam: true })
    expect(await read(site, '/inbox?show=spam')).not.toMatch(/返信を書く|対応済みにする/)
    await submit(site, { deed: 'reply', message: id, text: 'お待ちします。', once: 'a' })
    expect(await stored(site, id)).toMatchObject({ spam: false, expiresAt: null })
    await submit(site, { deed: 'hold', message: id })
    expect(await stored(site, id)).toMatchObject({ spam: false })
  })
})
