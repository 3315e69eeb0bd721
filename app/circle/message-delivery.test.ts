import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../db/open.ts'
import { tableChecksums } from '../../db/rows.ts'
import type { Db } from '../../db/tables.ts'
import { engines, freshPostgresUrl } from '../../db/testing.ts'
import { inTransaction } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import { createTestDependencies, createTestLive, noon, sampleSite } from '../../server/testing.ts'
import { registerPeople } from '../../server/tools/demo.ts'
import { verifiedEmailReader } from '../accounts/accounts.server.ts'
import { Event } from '../calendar/event.ts'
import { sendEventNotices } from '../calendar/event-notices.server.ts'
import { addEvent, saveEvent } from '../calendar/events.server.ts'
import { saveRsvp } from '../calendar/rsvps.server.ts'
import { dayInJapan } from '../dates/japan.ts'
import { startMailServer } from '../mail/testing-mail-server.ts'
import { createTestMailer, deliverDue } from '../mail/testing-mailer.ts'
import { addApprovedMembers } from '../members/testing-members.ts'
import { sendCircleMessage } from './circle-messages.server.ts'

const MINUTE = 60_000
const message = { audience: 'all', event: '', member: [], subject: '駐車場', text: '車は3台まで' } as const
const author = { accountId: 'demo-administrator', at: new Date(noon).toISOString() }
const depsOf = (db: Db) => ({
  readVerifiedEmails: verifiedEmailReader(db),
  secret: createTestDependencies(db, createTestLive(db)).secret,
  origin: 'http://localhost',
})
const send = (db: Db) =>
  inTransaction(db, (trx) => sendCircleMessage(trx, { ...message, member: [] }, author, depsOf(db)))

test.each(engines)('a message on %s reaches each recipient once when the delivery is killed', async (engine) => {
  const database =
    engine === 'SQLite' ? join(mkdtempSync(join(tmpdir(), 'noren-')), 'site.db') : await freshPostgresUrl()
  const db = await openDatabase(engine === 'SQLite' ? { file: database } : { url: database, file: '' })
  onTestFinished(() => db.destroy())
  await registerPeople(db, noon)
  await addApprovedMembers(db, 12)
  expect(await send(db)).toBe(12)
  const { arrived, behavior, url, stop } = await startMailServer()
  onTestFinished(stop)
  const acceptedAtKill = new Set<string>()
  for (const [kill, moment] of (['addressed', 'accepted', 'greeted'] as const).entries()) {
    // Each process starts after the lease of the killed process has expired.
    const now = noon + kill * 60 * MINUTE
    const arguments_ = ['app/mail/testing-delivery.ts', database, url, String(now)]
    const child: ChildProcess = spawn(process.execPath, arguments_, { stdio: ['ignore', 'ignore', 'inherit'] })
    const exited = once(child, 'exit')
    let mails = 0
    behavior.at = async (reached) => {
      if (reached !== moment) return
      mails += 1
      if (mails < 3) return
      behavior.at = () => {}
      if (moment === 'accepted') acceptedAtKill.add(arrived.at(-1)?.messageId ?? '')
      child.kill('SIGKILL')
      await exited
    }
    expect(await exited).toEqual([null, 'SIGKILL'])
  }
  behavior.at = () => {}
  const log = { warn: expect.unreachable, error: expect.unreachable }
  const rest = { db, clock: () => noon + 600 * MINUTE, mailer: createTestMailer(url), log, ownerEmail: undefined }
  await deliverDue(rest, new AbortController().signal)
  const recipients = Map.groupBy(arrived, ({ to }) => to[0] ?? '')
  expect(recipients.size).toBe(12)
  for (const mails of recipients.values()) {
    const ids = new Set(mails.map(({ messageId }) => messageId))
    expect(ids.size).toBe(1)
    if (mails.length > 1) expect([mails.length, acceptedAtKill.has([...ids][0] ?? '')]).toEqual([2, true])
  }
})

test('the links in e-mails change nothing when a program opens all of them', async () => {
  const site = await sampleSite()
  const { db, clock } = site
  await site.people()
  const memberIds = await addApprovedMembers(db, often(4, 50))
  const deps = { ...depsOf(db), db, clock: () => clock.now }
  const [id, soon] = [crypto.randomUUID(), crypto.randomUUID()]
  const event = Event.parse({ day: '2026-11-28', title: '早朝練習', attendance: true })
  await addEvent(db, id, event, author, { announces: true })
  await addEvent(db, soon, { ...event, day: '2026-11-21' }, author)
  for (const memberId of memberIds) {
    const input = { eventId: id, memberId, version: 0, said: { answer: 'yes' as const, note: '' } }
    await saveRsvp(db, input, author, dayInJapan(noon))
  }
  clock.now += 6 * MINUTE
  await sendEventNotices(deps)
  await saveEvent(db, { id, version: 1 }, { ...event, startTime: '09:00' }, author)
  clock.now += 6 * MINUTE
  await sendEventNotices(deps)
  await send(db)
  const mails = await db.selectFrom('outbox').select(['text', 'html', 'unsubscribeUrl']).execute()
  expect(mails.length).toBeGreaterThan(4 * memberIds.length)
  const links = new Set(
    mails.flatMap(({ text, html, unsubscribeUrl }) => [
      ...(text.match(/http:\S+/g) ?? []),
      ...[...html.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url),
      unsubscribeUrl ?? '',
    ]),
  )
  // Delivers the e-mails before the comparison.
  await site.get('/livez')
  const before = await tableChecksums(db)
  for (const link of links) expect((await site.get(link.replace('http://localhost', ''))).status, link).toBe(200)
  expect(await tableChecksums(db)).toEqual(before)
  expect(links.size).toBeGreaterThan(5 * memberIds.length)
})
