import { addBooking } from '../../app/bookings/bookings.server.ts'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { MailMessage } from '../../app/contact/message.ts'
import { receiveMessage } from '../../app/contact/messages.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays } from '../../app/dates/month.ts'
import { saveSection } from '../../app/sections/sections.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { untypedTables } from '../../db/engine.ts'
import { tablesOf } from '../../db/rows.ts'
import type { Db } from '../../db/tables.ts'
import { demoAccounts, hireStaff, openAccounts, registerPeople } from '../../server/tools/demo.ts'
import type { Connection, Reply } from './connection.ts'
import { routePaths } from './hostile-addresses.ts'
import type { Known } from './hostile-forms.ts'

const PASSWORD = 'irasshaimase'
// Each route without parameters is one page.
const pages = routePaths.filter((path) => !/[:*]/.test(path))
const pageOf = (turn: number) => pages[Math.floor(turn / 8) % pages.length] ?? '/'

/**
 * Fills a sample shop with the demo people. The second administrator owns a card and an event, and no hostile request
 * contains their IDs. Requests of this administrator must therefore always succeed.
 */
export async function fillSampleSite(db: Db, now: number) {
  await openAccounts(db, PASSWORD, now)
  const people = await registerPeople(db, now)
  const { editor } = await hireStaff(db, now)
  const owner = people.approved?.member?.id ?? ''
  await db.updateTable('members').set({ administrator: true }).where('id', '=', owner).execute()
  const author = { accountId: demoAccounts.approved.accountId, at: new Date(now).toISOString() }
  const today = dayInJapan(now)
  const event = Event.parse({ day: addDays(today, 14), title: '見本の会', attendance: true })
  const section = crypto.randomUUID()
  await saveSection(db, section, { version: 0, facts: { name: '見本' } }, author)
  const [publicEvent, ownEvent] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const id of [publicEvent, ownEvent]) await addEvent(db, id, event, author)
  const createCard = (collection: 'dining' | 'tennisrelated') =>
    addCard(db, collection, { title: '見本', content: '内容' }, author)
  const serializeRequest = MailMessage.parse({ to: 'shop', subject: '件名', text: '本文', from: 'a@example.jp' })
  await receiveMessage(db, serializeRequest, { address: null, spam: false, origin: '', now })
  const message = await db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
  const slides = await db.selectFrom('cards').select('id').where('collection', '=', 'home').execute()
  const revisions = await db.selectFrom('revisions').select(['id', 'saveId']).orderBy('at', 'desc').limit(8).execute()
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts: { takesTableRequests: true } }, author)
  const wish = { day: event.day, time: '18:00', party: 2, name: '見本', telephone: '075-000-0000', wish: '' }
  const booking = { ...wish, id: crypto.randomUUID(), state: 'asked', byStaff: false } as const
  await addBooking(db, booking, author)
  const known: Known = {
    booking: booking.id,
    card: await createCard('tennisrelated'),
    dish: await createCard('dining'),
    section,
    slides: slides.map(({ id }) => id),
    event: publicEvent,
    member: people.applicant?.member?.id ?? '',
    staff: editor?.staff?.id ?? '',
    special: addDays(today, 7),
    message: message.id,
    today,
    later: event.day,
    revisions: revisions.map(({ id }) => id),
    saves: revisions.map(({ saveId }) => saveId),
  }
  return { known, ownerIds: { card: await createCard('tennisrelated'), event: ownEvent } }
}

/** Signs in the senders and the second administrator. Returns their session cookies. */
export async function signIn(connection: Connection, host: string) {
  const signInAs = async (person: keyof typeof demoAccounts) => {
    const body = new URLSearchParams({ email: demoAccounts[person].email, password: PASSWORD }).toString()
    const response = await sendPlain(connection, host, { method: 'POST', path: '/emaillogin', body })
    const cookie = /set-cookie: (noren\.session_token=[^;]+)/i.exec(response?.head ?? '')?.[1]
    if (!cookie) throw new Error(`Sign-in of ${person} failed: got ${response?.head}, expected a session cookie`)
    return cookie
  }
  const cookies = { guest: '', member: await signInAs('applicant'), administrator: await signInAs('administrator') }
  return { cookies, owner: await signInAs('approved') }
}

type Plain = { method?: string; path: string; body?: string; json?: boolean; cookie?: string }

async function sendPlain(
  connection: Connection,
  host: string,
  { method = 'GET', path, body = '', json = false, cookie = '' }: Plain,
) {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `origin: http://${host}`,
    `content-type: ${json ? 'application/json' : 'application/x-www-form-urlencoded'}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...(cookie ? [`cookie: ${cookie}`] : []),
  ]
  const bytes = `${lines.join('\r\n')}\r\n\r\n${Buffer.from(body).toString('latin1')}`
  return connection.send({ bytes, method, isComplete: true, closesEarly: false })
}

/**
 * Returns a function that sends the next of several typical requests at each call. The function throws if a request
 * fails.
 */
export function startVisiting(
  connection: Connection,
  host: string,
  { owner, ownerIds }: { owner: string; ownerIds: { card: string; event: string } },
) {
  let turn = 0
  const expectStatus = async (expected: number | number[], plain: Plain) => {
    const response = await sendPlain(connection, host, plain)
    if (!response || ![expected].flat().includes(response.status))
      throw new Error(`${plain.method ?? 'GET'} ${plain.path}: ${formatResponse(response)}`)
    return response
  }
  const document = async (path: string) => {
    const { body } = await expectStatus(200, { path, cookie: owner })
    return JSON.parse(body.toString()) as { version: number }
  }
  // A hostile administrator may have hidden every page except the home page from guests.
  const visits = [
    () => expectStatus(200, { path: '/' }),
    () => expectStatus([200, 404], { path: `/calendar?month=2026-${String((turn % 12) + 1).padStart(2, '0')}` }),
    () => expectStatus([200, 404], { path: '/dining.data' }),
    () => expectStatus([200, 301, 302], { path: pageOf(turn), cookie: owner }),
    () => expectStatus([200, 301, 302, 401, 404], { path: pageOf(turn) }),
    () => expectStatus(200, { path: '/api/collections/events' }),
    async () => {
      const path = `/api/collections/events/${ownerIds.event}`
      const { version } = await document(path)
      await expectStatus(200, {
        method: 'PATCH',
        path,
        body: JSON.stringify({ version, title: `会 ${turn}` }),
        json: true,
        cookie: owner,
      })
    },
    async () => {
      const { version } = await document(`/api/collections/tennisrelated/${ownerIds.card}`)
      const fields = { intent: 'save', version: `${version}`, title: `題 ${turn}`, content: '内容' }
      const path = `/firestoreservice/${ownerIds.card}/edit`
      await expectStatus(302, { method: 'POST', path, body: new URLSearchParams(fields).toString(), cookie: owner })
    },
  ]
  return async () => {
    turn += 1
    await visits[turn % visits.length]?.()
  }
}

/** Returns a function that restores the current sessions, because a hostile request may sign out its sender. */
export async function createSessionRestorer(db: Db) {
  const sessions = await db.selectFrom('sessions').selectAll().execute()
  return async () => {
    const again = db.insertInto('sessions').values(sessions)
    await again.onConflict((already) => already.doNothing()).execute()
  }
}

/** Whether a log entry is the error that the API of the older site specifies for a URL without an ID. */
export function isExpectedError({ msg }: Record<string, unknown>) {
  return msg === 'Member ID is missing'
}

/** Formats a response as one line of text. */
export function formatResponse(response: Reply | null) {
  return response ? `${response.status} ${response.body.toString().slice(0, 200)}` : 'no response'
}

// Tables to which the requests of any visitor may add rows, for example messages, drafts and sessions.
const publicTables = new Set([
  ...['messages', 'outbox', 'attempts', 'memberDrafts', 'onceKeys', 'mailedLinks', 'eventNotices'],
  ...['sessions', 'verifications'],
])
// A sign-up adds rows to these tables.
const accounts = new Set(['accounts', 'signInMethods'])

/**
 * Returns all rows that guests and unapproved members may not change, as lines of text. Excludes the rows of the member
 * who sends requests, and the card and the event of the second administrator.
 */
export async function readProtectedRows(
  db: Db,
  { member, ownerIds }: { member: string; ownerIds: { card: string; event: string } },
) {
  const excludedIds = new Set([member, ownerIds.card, ownerIds.event])
  const lines: string[] = []
  for (const { table } of await tablesOf(db)) {
    if (publicTables.has(table)) continue
    for (const row of await untypedTables(db).selectFrom(table).selectAll().execute()) {
      if (excludedIds.has(String(row.id)) || excludedIds.has(String(row.subjectId))) continue
      if (accounts.has(table) && !String(row.accountId ?? row.id).startsWith('demo-')) continue
      lines.push(`${table} ${JSON.stringify(row)}`)
    }
  }
  return lines.sort()
}
