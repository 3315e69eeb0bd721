import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listCards } from '../../app/cards/cards.server.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import { createLive } from '../../app/live/live.server.ts'
import { openChannel } from '../../db/channel.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { freshPostgresUrl, freshSqlite } from '../../db/testing.ts'
import { openLine } from '../../db/testing-line.ts'
import { stopIntervals } from '../../db/testing-timers.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { createApp } from '../app.ts'
import { fillSampleShop } from '../sample-shop.ts'
import { browserOf, createTestDependencies, createTestLive, jsonCall, noon } from '../testing.ts'
import { waitForListeners } from '../testing-processes.ts'
import { demoAccounts, openAccounts, registerPeople } from '../tools/demo.ts'

type App = ReturnType<typeof createApp>

const password = 'irasshaimase'
const log = pino({ level: 'silent' })

/**
 * Starts a process of the site on this PostgreSQL. The channel from this process to the other processes can be
 * interrupted.
 */
async function startProcess(
  url: string,
  settings: Partial<ReturnType<typeof createTestDependencies>['settings']> = {},
) {
  const db = await openDatabase({ url, file: '' })
  const line = await openLine(url)
  const live = createLive(db, openChannel(line.url, { db, log }))
  onTestFinished(async () => {
    line.resume()
    line.mend()
    await live.close()
    await db.destroy()
    line.close()
  })
  const deps = createTestDependencies(db, live)
  return { db, line, live, app: createApp({ ...deps, settings: { ...deps.settings, ...settings } }) }
}

async function fill(db: Db) {
  await fillSampleShop(db, { wanted: true, now: noon })
  await openAccounts(db, password, noon)
  await registerPeople(db, noon)
}

/**
 * Starts two processes on one PostgreSQL with the sample shop. `on` directs the editor's browser to one of the
 * processes.
 */
async function twoProcesses() {
  // The channel must not check its connection while a test holds the line, because a failed check loses events.
  stopIntervals()
  const url = await freshPostgresUrl()
  const one = await startProcess(url)
  await fill(one.db)
  const other = await startProcess(url)
  await waitForListeners(one.db, 2)
  const { editor, on } = await signInEditor(one)
  return { one, other, editor, on }
}

async function signInEditor({ app: first }: { app: App }) {
  let currentApp = first
  const app = { request: (...request: Parameters<App['request']>) => currentApp.request(...request) } as App
  const editor = browserOf({ app })
  const signIn = await editor.post('/emaillogin', { email: demoAccounts.administrator.email, password })
  expect(signIn.status).toBe(302)
  const on = ({ app }: { app: App }) => {
    currentApp = app
    return editor
  }
  return { editor, on }
}

async function readDish(db: Db) {
  const dishes = db.selectFrom('cards').select(['id', 'version']).where('collection', '=', 'dining')
  return dishes.executeTakeFirstOrThrow()
}

/** Changes the title of a dish over the JSON API. Returns the response and the new version. */
async function retitle({ send }: ReturnType<typeof browserOf>, id: string, version: number, title: string) {
  const saved = await send(`/api/collections/dining/${id}`, jsonCall({ version, title }, 'PATCH'))
  expect(saved.status).toBe(200)
  return { saved, version: (await saved.json()).version as number }
}

/** Reads a page without a session, but with the other cookies of an editor's browser. */
async function readSignedOut({ app }: { app: App }, path: string, cookies = new Map<string, string>()) {
  const ownCookies = [...cookies].filter(([name]) => !name.includes('session'))
  const cookie = ownCookies.map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await app.request(`http://localhost${path}`, { headers: { cookie } })
  return { text: await response.text(), headers: response.headers }
}

const dining = ['/dining', '/dining.data']

test('shows a save to its author at once on the other process, signed in or signed out', async () => {
  const { one, other, editor, on } = await twoProcesses()
  const { id, version } = await readDish(one.db)
  const staleReads: string[] = []
  let currentVersion = version
  for (let round = 0; round < 10; round += 1) {
    const [writer, reader] = round % 2 ? [other, one] : [one, other]
    // Fills the page cache with the previous version.
    for (const path of dining) await readSignedOut(reader, path)
    // The channel delivers the event only after the read.
    reader.line.hold()
    const title = `湯葉 ${round}。`
    currentVersion = (await retitle(on(writer), id, currentVersion, title)).version
    const document = await on(reader).get(`/api/collections/dining/${id}`)
    expect(await document.json()).toMatchObject({ title, version: currentVersion })
    for (const path of dining) {
      const read = { in: await on(reader).text(path), out: await readSignedOut(reader, path, editor.cookies) }
      if (!read.in.includes(title)) staleReads.push(`${round}: ${path}, signed in`)
      if (!read.out.text.includes(title)) staleReads.push(`${round}: ${path}, signed out`)
    }
    reader.line.resume()
  }
  expect(staleReads).toEqual([])
})

test('shows a change of any type at once on the other process to its author, but not to guests', async () => {
  const { one, other, editor, on } = await twoProcesses()
  const special = { ...noHourFields, selectedYear: 2026, selectedMonth: 11, selectedDay: 27, reason: '貸切のため' }
  const early = { version: 1, schedule: { 金曜日: { starttime1_hour: '05', starttime1_minute: '55' } } }
  const listed = await listCards(one.db, 'dining')
  const dishes = listed.map(({ id, title, version }) => ({ id, title, version: `${version}` }))
  const [first, second] = dishes as [(typeof dishes)[0], (typeof dishes)[0]]
  const ids = dishes.map(({ id }) => id)
  const swapped = [second.id, first.id, ...ids.slice(2)]
  const document = (method: string, path: string, fields: object) => () =>
    editor.send(`/api/collections/${path}`, jsonCall(fields, method))
  const form = (path: string, fields: Record<string, string>) => () => editor.post(path, fields)
  const undoSave = (saved: Response) =>
    editor.post('/undo', { save: /undo=([\w-]+)/.exec(saved.headers.get('location') ?? '')?.[1] ?? '' })

  const edited = { ...first, intent: 'save', title: '春の一皿', content: '山菜' }
  type Saving = (before: Response) => Promise<Response>
  const changes: [save: Saving, pages: string[], pattern: RegExp][] = [
    [document('POST', 'events', { date: '2026-11-28', title: '月見の会' }), ['/calendar', '/calendar.ics'], /月見の会/],
    [document('POST', 'bussinessDaysSpecial', special), ['/calendar', '/infomation.data'], /貸切のため/],
    [document('PATCH', 'bussinessDays/week', early), ['/infomation'], /5:55/],
    [form(`/firestoreservice/${first.id}/edit`, edited), dining, /春の一皿/],
    [undoSave, dining, new RegExp(first.title)],
    [
      form('/dining', { intent: 'reorder', seen: ids.join(), wanted: swapped.join() }),
      ['/dining'],
      new RegExp(`>${second.title}<.*>${first.title}<`, 's'),
    ],
  ]
  let saved = new Response()
  for (const [index, [save, pages, pattern]] of changes.entries()) {
    const [writer, reader] = index % 2 ? [other, one] : [one, other]
    const shown = async (cookies?: Map<string, string>) => {
      const read = await Promise.all(pages.map((path) => readSignedOut(reader, path, cookies)))
      return read.map(({ text }) => pattern.test(text))
    }
    const [noPages, allPages] = [pages.map(() => false), pages.map(() => true)]
    expect(await shown(), `${pattern} before`).toEqual(noPages)
    reader.line.hold()
    on(writer)
    saved = await save(saved)
    expect(saved.status, `${pattern}`).toBeLessThan(400)
    expect(await shown(editor.cookies), `${pattern}, the author`).toEqual(allPages)
    expect(await shown(), `${pattern}, a guest`).toEqual(noPages)
    reader.line.resume()
    const isReceived = () => expect(reader.live.hasPublished(editor.cookies.get('noren.saved') ?? '')).toBe(true)
    await vi.waitFor(isReceived, WAIT_OPTIONS)
    expect(await shown(), `${pattern}, a guest a little later`).toEqual(allPages)
  }
})

test('serves the shared cached page to the author once the other process has received the save', async () => {
  const { one, other, editor, on } = await twoProcesses()
  const { id, version } = await readDish(one.db)
  await retitle(on(one), id, version, '湯葉。')
  const cookie = editor.cookies.get('noren.saved') ?? ''
  await vi.waitFor(() => expect(other.live.hasPublished(cookie)).toBe(true), WAIT_OPTIONS)
  const guests = await Promise.all([one, other].map((process) => readSignedOut(process, '/dining')))
  // A change without a commit event appears only on a newly rendered page.
  await one.db.updateTable('cards').set({ title: '名を変えた' }).execute()
  for (const [index, guest] of guests.entries()) {
    const authorPage = await readSignedOut(index ? other : one, '/dining', editor.cookies)
    expect(authorPage.text === guest.text && authorPage.text.includes('湯葉。')).toBe(true)
    expect(Object.fromEntries(authorPage.headers)).toEqual(Object.fromEntries(guest.headers))
    expect([authorPage.headers.get('cache-control'), authorPage.headers.get('set-cookie')]).toEqual(['no-cache', null])
  }
  // A forged cookie causes a new rendering, but does not change the cached page.
  const forged = new Map([['noren.saved', crypto.randomUUID()]])
  expect((await readSignedOut(other, '/dining', forged)).text.includes('名を変えた')).toBe(true)
  expect((await readSignedOut(other, '/dining')).text.includes('名を変えた')).toBe(false)
})

test('shows a save to its author on a process whose channel is interrupted', async () => {
  const { one, other, editor, on } = await twoProcesses()
  const { id, version } = await readDish(one.db)
  await readSignedOut(other, '/dining')
  other.line.break()
  await retitle(on(one), id, version, '湯葉。')
  expect((await readSignedOut(other, '/dining', editor.cookies)).text.includes('湯葉。')).toBe(true)
  other.line.mend()
  // The event is lost, but the restored channel drops all cached pages.
  await vi.waitFor(
    async () => expect((await readSignedOut(other, '/dining')).text.includes('湯葉。')).toBe(true),
    WAIT_OPTIONS,
  )
  expect((await readSignedOut(other, '/dining', editor.cookies)).text.includes('湯葉。')).toBe(true)
})

test('sets a short-lived HttpOnly cookie only when a save succeeds', async () => {
  const url = await freshPostgresUrl()
  const origin = 'https://example.jp'
  const httpsProcess = await startProcess(url, { publicOrigin: origin })
  const httpProcess = await startProcess(url)
  await fill(httpProcess.db)
  const sendAndReadCookies = async ({ app }: { app: App }, path: string, body: object, origin = 'http://localhost') => {
    const visitorOf = await browserOf({ app }, { origin: origin })
    await visitorOf.post('/emaillogin', { email: demoAccounts.administrator.email, password })
    expect([...visitorOf.cookies.keys()].filter((name) => name.includes('saved'))).toEqual([])
    const call = jsonCall(body)
    const response = await visitorOf.send(path, { ...call, headers: { ...call.headers, origin: origin } })
    return { status: response.status, cookies: response.headers.getSetCookie() }
  }
  const dish = { title: '湯葉', content: '引き上げたばかり' }
  const saved = await sendAndReadCookies(httpProcess, '/api/collections/dining', dish)
  const overHttps = await sendAndReadCookies(httpsProcess, '/api/collections/dining', dish, origin)
  const cookie = '[0-9a-f-]{36}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax'
  expect(saved.cookies).toEqual([expect.stringMatching(new RegExp(`^noren\\.saved=${cookie}$`))])
  expect(overHttps.cookies).toEqual([expect.stringMatching(new RegExp(`^__Host-noren\\.saved=${cookie}; Secure$`))])
  expect(await sendAndReadCookies(httpProcess, '/api/collections/dining', { title: '' })).toMatchObject({
    status: 400,
    cookies: [],
  })
})

test('sets and reads no cookie when only one process uses the database', async () => {
  const db = await freshSqlite()
  await fill(db)
  const app = createApp(createTestDependencies(db, createTestLive(db)))
  const { editor } = await signInEditor({ app })
  const { id, version } = await readDish(db)
  const { saved } = await retitle(editor, id, version, '湯葉。')
  expect([saved.headers.getSetCookie(), [...editor.cookies.keys()]]).toEqual([[], ['noren.session_token']])
  await readSignedOut({ app }, '/dining')
  await db.updateTable('cards').set({ title: '名を変えた' }).execute()
  const forged = new Map([['noren.saved', crypto.randomUUID()]])
  expect((await readSignedOut({ app }, '/dining', forged)).text.includes('名を変えた')).toBe(false)
})
