import type { Kysely } from 'kysely'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { MailMessage } from '../../app/contact/message.ts'
import { receiveMessage } from '../../app/contact/messages.server.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays } from '../../app/dates/month.ts'
import { untypedTables } from '../../db/engine.ts'
import { tablesOf } from '../../db/rows.ts'
import type { Tables } from '../../db/tables.ts'
import { demoAccounts, hireStaff, openAccounts, registerPeople } from '../../server/tools/demo.ts'
import { routePaths } from './hostile-addresses.ts'
import type { Known } from './hostile-forms.ts'
import type { Line, Reply } from './connection.ts'

const PASSWORD = 'irasshaimase'
// Routes without parameters, which are one page each.
const pages = routePaths.filter((path) => !/[:*]/.test(path))
const pageOf = (turn: number) => pages[Math.floor(turn / 8) % pages.length] ?? '/'

/**
 * Fills a sample shop with the demo people. One of them is a second administrator with a card and an event whose IDs no
 * hostile request contains. Her requests must therefore always succeed.
 */
export async function fillForHostile(db: Kysely<Tables>, now: number) {
  await openAccounts(db, PASSWORD, now)
  const people = await registerPeople(db, now)
  const { editor } = await hireStaff(db, now)
  const owner = people.approved?.member?.id ?? ''
  await db.updateTable('members').set({ administrator: true }).where('id', '=', owner).execute()
  const author = { accountId: demoAccounts.approved.accountId, at: new Date(now).toISOString() }
  const today = dayInJapan(now)
  const gathering = Event.parse({ day: addDays(today, 14), title: '見本の会', attendance: true })
  const [shown, own] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const id of [shown, own]) await addEvent(db, id, gathering, author)
  const card = (collection: 'dining' | 'tennisrelated') =>
    addCard(db, collection, { title: '見本', content: '内容' }, author)
  const written = MailMessage.parse({ to: 'shop', subject: '件名', text: '本文', from: 'a@example.jp' })
  await receiveMessage(db, written, { address: null, key: '', spam: false, origin: '', now })
  const message = await db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
  const slides = await db.selectFrom('cards').select('id').where('collection', '=', 'home').execute()
  const revisions = await db.selectFrom('revisions').select(['id', 'saveId']).orderBy('at', 'desc').limit(8).execute()
  const known: Known = {
    card: await card('tennisrelated'),
    dish: await card('dining'),
    slides: slides.map(({ id }) => id),
    event: shown,
    member: people.applicant?.member?.id ?? '',
    staff: editor?.staff?.id ?? '',
    special: addDays(today, 7),
    message: message.id,
    today,
    later: gathering.day,
    revisions: revisions.map(({ id }) => id),
    saves: revisions.map(({ saveId }) => saveId),
  }
  return { known, own: { card: await card('tennisrelated'), event: own } }
}

/** Signs each sender in and returns their cookies. */
export async function signIn(line: Line, host: string) {
  const as = async (person: keyof typeof demoAccounts) => {
    const body = new URLSearchParams({ email: demoAccounts[person].email, password: PASSWORD }).toString()
    const answer = await ask(line, host, { method: 'POST', path: '/emaillogin', body })
    const cookie = /set-cookie: (noren\.session_token=[^;]+)/i.exec(answer?.head ?? '')?.[1]
    if (!cookie) throw new Error(`${person} could not sign in: ${answer?.head}`)
    return cookie
  }
  const cookies = { guest: '', member: await as('applicant'), administrator: await as('administrator') }
  return { cookies, owner: await as('approved') }
}

type Plain = { method?: string; path: string; body?: string; json?: boolean; cookie?: string }

async function ask(line: Line, host: string, { method = 'GET', path, body = '', json = false, cookie = '' }: Plain) {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `origin: http://${host}`,
    `content-type: ${json ? 'application/json' : 'application/x-www-form-urlencoded'}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...(cookie ? [`cookie: ${cookie}`] : []),
  ]
  const bytes = `${lines.join('\r\n')}\r\n\r\n${Buffer.from(body).toString('latin1')}`
  return line.send({ bytes, method, whole: true, hangsUp: false })
}

/** Returns a function that sends the next of several typical requests at each call. It throws if the request fails. */
export function startVisiting(
  line: Line,
  host: string,
  { owner, own }: { owner: string; own: { card: string; event: string } },
) {
  let turn = 0
  const must = async (expected: number | number[], plain: Plain) => {
    const answer = await ask(line, host, plain)
    if (!answer || ![expected].flat().includes(answer.status))
      throw new Error(`${plain.method ?? 'GET'} ${plain.path}: ${shownAnswer(answer)}`)
    return answer
  }
  const document = async (path: string) => {
    const { body } = await must(200, { path, cookie: owner })
    return JSON.parse(body.toString()) as { version: number }
  }
  // A hostile administrator may have hidden any page but the home page from guests.
  const visits = [
    () => must(200, { path: '/' }),
    () => must([200, 404], { path: `/calendar?month=2026-${String((turn % 12) + 1).padStart(2, '0')}` }),
    () => must([200, 404], { path: '/dining.data' }),
    () => must([200, 301, 302], { path: pageOf(turn), cookie: owner }),
    () => must([200, 301, 302, 401, 404], { path: pageOf(turn) }),
    () => must(200, { path: '/api/collections/events' }),
    async () => {
      const path = `/api/collections/events/${own.event}`
      const { version } = await document(path)
      await must(200, {
        method: 'PATCH',
        path,
        body: JSON.stringify({ version, title: `会 ${turn}` }),
        json: true,
        cookie: owner,
      })
    },
    async () => {
      const { version } = await document(`/api/collections/tennisrelated/${own.card}`)
      const fields = { intent: 'save', version: `${version}`, title: `題 ${turn}`, content: '内容' }
      const path = `/firestoreservice/${own.card}/edit`
      await must(302, { method: 'POST', path, body: new URLSearchParams(fields).toString(), cookie: owner })
    },
  ]
  return async () => {
    turn += 1
    await visits[turn % visits.length]?.()
  }
}

/**
 * Returns a function that restores the sessions that are open now, because a hostile request may sign its sender out.
 */
export async function keepSignedIn(db: Kysely<Tables>) {
  const sessions = await db.selectFrom('sessions').selectAll().execute()
  return async () => {
    const again = db.insertInto('sessions').values(sessions)
    await again.onConflict((already) => already.doNothing()).execute()
  }
}

/** Whether a log entry is the error that the API of the older site specifies for a URL without an ID. */
export function isPromised({ msg }: Record<string, unknown>) {
  return msg === 'Member ID is missing'
}

/** Returns a response as one line. */
export function shownAnswer(answer: Reply | null) {
  return answer ? `${answer.status} ${answer.body.toString().slice(0, 200)}` : 'no answer'
}

// Tables that every visitor may extend, with messages, accounts, counters, drafts and notices.
const everyonesOwn = new Set([
  ...['messages', 'outbox', 'attempts', 'memberDrafts', 'onceKeys', 'mailedLinks', 'eventNotices'],
  ...['sessions', 'verifications'],
])
// A sign-up adds rows to these tables.
const accounts = new Set(['accounts', 'signInMethods'])

/**
 * Returns all rows that neither a guest nor a member without approval may change, as lines of text. Excludes the rows
 * of the sender and the second administrator's card and event.
 */
export async function readUntouchable(
  db: Kysely<Tables>,
  { member, own }: { member: string; own: { card: string; event: string } },
) {
  const mayChange = new Set([member, own.card, own.event])
  const lines: string[] = []
  for (const { table } of await tablesOf(db)) {
    if (everyonesOwn.has(table)) continue
    for (const row of await untypedTables(db).selectFrom(table).selectAll().execute()) {
      if (mayChange.has(String(row.id)) || mayChange.has(String(row.subjectId))) continue
      if (accounts.has(table) && !String(row.accountId ?? row.id).startsWith('demo-')) continue
      lines.push(`${table} ${JSON.stringify(row)}`)
    }
  }
  return lines.sort()
}
