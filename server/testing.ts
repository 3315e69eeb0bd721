import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompiledQuery } from 'kysely'
import pino from 'pino'
import { verifiedEmailReader } from '../app/accounts/accounts.server.ts'
import { createLive } from '../app/live/live.server.ts'
import { deliverDueRows } from '../app/mail/outbox-queue.server.ts'
import { collectedMailer, deliverDue } from '../app/mail/testing-mailer.ts'
import { recordTypes } from '../app/owner/record-types.server.ts'
import type { Visitor } from '../app/permissions.ts'
import { createNotificationQueue } from '../app/push/notification-delivery.server.ts'
import { identityOf } from '../app/settings/identity.server.ts'
import { logoImages } from '../app/settings/logo-image.ts'
import { readRoles } from '../app/settings/roles.server.ts'
import { readSiteToEdit, saveSite } from '../app/settings/site.server.ts'
import { makeBackup } from '../db/backup.ts'
import { isPostgres, untypedTables } from '../db/engine.ts'
import { connect, openDatabase } from '../db/open.ts'
import { tablesOf } from '../db/rows.ts'
import type { Db, Trx } from '../db/tables.ts'
import { freshSqlite } from '../db/testing.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { inTransaction, noteChange } from '../db/transaction.ts'
import { createApp } from './app.ts'
import { backgroundWork } from './dependencies.ts'
import type { SiteDependencies } from './http/request-dependencies.ts'
import { CONNECTION_LIMITS, listen } from './listen.ts'
import { createMetrics } from './metrics.ts'
import { fillSampleShop } from './sample-shop.ts'
import { readSettings } from './settings.ts'
import { freshBackup } from './tasks/backups.ts'
import { createReleaseCheck } from './tasks/release-check.ts'
import { demoAccounts, hireStaff, type Person, registerPeople } from './tools/demo.ts'

type Parts = Pick<SiteDependencies, 'makeFont' | 'drawLogo' | 'recordTypes' | 'freshBackup' | 'releases'>

// On a busy machine, a database that works may respond later than visitors should wait.
const PATIENT_TIMEOUTS = { monitoring: WAIT_OPTIONS.timeout, fallback: WAIT_OPTIONS.timeout }

const TEST_SECRET = 'the secret of the tests, of no use anywhere else'

/** Noon on a Friday, when the shop is open. */
export const noon = Date.parse('2026-11-20T12:00:00+09:00')

/** Returns the CPU time of `work` for this thread only, in milliseconds of a machine of usual speed. */
export async function cpuTimeOf(work: () => unknown) {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000 / Number(process.env.TEST_TIME_FACTOR ?? 1)
}

export function createTestLive(db: Db) {
  return createLive(db, { send() {}, listen() {}, close: async () => {} })
}

export function listenLocally(
  app: Pick<Parameters<typeof listen>[0], 'fetch'> & Partial<Parameters<typeof listen>[0]>,
  limits: Partial<typeof CONNECTION_LIMITS> = {},
) {
  const address = { port: 0, hostname: '127.0.0.1' }
  return listen({ serveCached: () => false, ...app }, address, { ...CONNECTION_LIMITS, ...limits })
}

export function createTestDependencies(db: Db, live: SiteDependencies['live']): SiteDependencies {
  return {
    ...backgroundWork,
    drawLogo: drawAsJson,
    db,
    live,
    clock: () => noon,
    log: pino({ level: 'silent' }),
    mailer: collectedMailer({ verifies: false }),
    lastBackup: async () => null,
    freshBackup: async () => freshBackupOf(db, await mkdtemp(join(tmpdir(), 'noren-fresh-'))),
    space: async () => ({ free: 1e12, needed: 0 }),
    releases: createReleaseCheck(null, pino({ level: 'silent' })),
    secret: TEST_SECRET,
    identity: 'example.jp',
    settings: readSettings({}),
    visitorOf: (auth) => auth.visitor(),
    readVerifiedEmails: verifiedEmailReader(db),
    recordTypes,
    metrics: null,
    databaseTimeouts: PATIENT_TIMEOUTS,
  }
}

/** Returns the logo as JSON instead of each drawn image. */
export const drawAsJson: SiteDependencies['drawLogo'] = async (logo) =>
  Object.fromEntries(logoImages.map((image) => [image, Buffer.from(JSON.stringify(logo))])) as never

// Makes the backup in this process, whereas the site makes backups in a child process.
function freshBackupOf(db: Db, folder: string) {
  return freshBackup(folder, (file) => makeBackup(db, file, { program: '0.1.0', now: noon }))
}

/**
 * Creates the sample shop with a clock that stands at noon. If `verifies` is true, the site verifies e-mail addresses
 * by e-mail.
 */
export async function sampleSite(
  database?: Db,
  settings: Partial<SiteDependencies['settings']> = {},
  { verifies = false, ...parts }: { verifies?: boolean } & Partial<Parts> = {},
) {
  const db = database ?? (await freshSqlite())
  const clock = { now: noon }
  const logged: Record<string, unknown>[] = []
  const mailer = collectedMailer({ verifies })
  const backup: { last: number | null } = { last: null }
  const lastBackup = async () => backup.last
  const space = { free: 1e12, needed: 0 }
  const accounts = new Map<string, Account>(Object.values(demoAccounts).map((account) => [account.accountId, account]))
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) })
  await fillFromSample(db)
  const live = createTestLive(db)
  const app = createApp({
    ...createTestDependencies(db, live),
    clock: () => clock.now,
    log,
    identity: await identityOf(db, settings.publicOrigin),
    settings: { ...readSettings({}), ...settings },
    visitorOf: async (auth, { headers }) => {
      const account = accounts.get(headers.get('x-test-account') ?? '')
      return account ? { ...account, ...(await readRoles(db, account.accountId)) } : auth.visitor()
    },
    readVerifiedEmails: async (ids) =>
      new Map(ids.flatMap((id) => (accounts.get(id)?.emailVerified ? [[id, accounts.get(id)?.email ?? '']] : []))),
    mailer,
    lastBackup,
    space: async () => space,
    metrics: settings.metricsToken ? createMetrics({ db, lastBackup, databaseTimeouts: PATIENT_TIMEOUTS }) : null,
    ...parts,
  })
  const { pushServices, webhook } = { ...readSettings({}), ...settings }
  const notifications = createNotificationQueue({
    ...{ db, clock: () => clock.now, log, pushServices, webhook },
    ...{ secret: TEST_SECRET, contact: 'mailto:owner@example.jp', origin: 'https://example.jp' },
  })
  const deliverNotifications = () => deliverDueRows(notifications, new AbortController().signal)
  // Delivers e-mails and notifications at once, so that a test finds them after the response.
  const answer = app.fetch
  app.fetch = async (...request) => {
    const response = await answer(...request)
    const delivery = { db, clock: () => clock.now, mailer, log, ownerEmail: settings.ownerEmail }
    await deliverDue(delivery, new AbortController().signal)
    await deliverNotifications()
    return response
  }
  const get = async (path: string, init?: RequestInit) => app.request(`http://localhost${path}`, init)
  const as = (person: Person | Account, path: string, init: RequestInit = {}) => {
    const accountId = typeof person === 'object' ? person.accountId : accountIdOf(person)
    const headers = new Headers(init.headers)
    headers.set('x-test-account', accountId)
    return get(path, { ...init, headers })
  }
  const post = async (
    person: Person | Account,
    path: string,
    fields: Record<string, string> | URLSearchParams,
    headers = {},
  ) => {
    const response = await as(person, path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...headers, origin: 'http://localhost' },
    })
    refuseNestedForms(await response.clone().text())
    return response
  }
  return {
    app,
    db,
    clock,
    live,
    logged,
    mails: mailer.sent,
    mailer,
    backup,
    space,
    accounts,
    get,
    text: async (path: string, init?: RequestInit) => (await get(path, init)).text(),
    as,
    post,
    people: async () => {
      const people = await addPeople(db)
      await deliverNotifications()
      return people
    },
    showEditButtons: async () => {
      const { version } = await readSiteToEdit(db)
      const author = { accountId: null, at: new Date(clock.now).toISOString() }
      await saveSite(db, { version, facts: { showEditButtonsToVisitors: true } }, author)
    },
    staff: () => hireStaff(db, noon),
  }
}

// Browsers ignore a nested form, so that its button would send the outer form.
function refuseNestedForms(html: string) {
  let depth = 0
  for (const { 0: tag, index } of html.matchAll(/<form[\s>]|<\/form>/g)) {
    depth += tag === '</form>' ? -1 : 1
    if (depth > 1) throw new Error(`Nested form found; expected none: ${html.slice(index, index + 200)}`)
  }
}

type TableRows = { table: string; rows: Record<string, unknown>[] }

let sample: Promise<TableRows[]> | undefined

// Copies the rows of one sample database into each new database. This is three times as fast as adding the records.
async function fillFromSample(db: Db) {
  if (await db.selectFrom('marks').select('name').executeTakeFirst()) return
  sample ??= readSample()
  const filled = await sample
  await inTransaction(db, (trx) => insertRows(trx, filled))
}

/** Adds the sample shop over a connection without the time limits of a serving process. */
export async function fillSampleSite(url: string) {
  const db = await connect({ url, file: '' })
  await fillFromSample(db)
  await db.destroy()
}

async function readSample() {
  const db = await openDatabase({ file: ':memory:' })
  await fillSampleShop(db, { wanted: true, now: noon })
  const rows = await readRows(db)
  await db.destroy()
  return rows
}

async function readRows(db: Db): Promise<TableRows[]> {
  const tables = await tablesOf(db)
  const all = await Promise.all(
    tables.map(async ({ table }) => ({ table, rows: await untypedTables(db).selectFrom(table).selectAll().execute() })),
  )
  return all.filter(({ rows }) => rows.length > 0)
}

const insertQueries = new WeakMap<TableRows[], Map<boolean, CompiledQuery[]>>()

// Compiles the statements once for each engine, because a compilation takes longer than the insertion.
async function insertRows(trx: Trx, all: TableRows[]) {
  const byEngine = insertQueries.get(all) ?? new Map<boolean, CompiledQuery[]>()
  const queries =
    byEngine.get(isPostgres(trx)) ??
    all.map(({ table, rows }) => untypedTables(trx).insertInto(table).values(rows).compile())
  insertQueries.set(all, byEngine.set(isPostgres(trx), queries))
  for (const query of queries) await trx.executeQuery(query)
}

let people: ReturnType<typeof readPeople> | undefined

/** Registers the people of the demo. Copies their rows if the site has no members and no staff. */
async function addPeople(db: Db) {
  const [member, staffMember] = [
    await db.selectFrom('members').select('id').executeTakeFirst(),
    await db.selectFrom('staff').select('id').executeTakeFirst(),
  ]
  if (member || staffMember) return registerPeople(db, noon)
  people ??= readPeople()
  const { visitors, rows } = await people
  await inTransaction(db, async (trx) => {
    await insertRows(trx, rows)
    noteChange(trx, 'members')
  })
  return structuredClone(visitors)
}

async function readPeople() {
  const db = await openDatabase({ file: ':memory:' })
  const visitors = await registerPeople(db, noon)
  const rows = await readRows(db)
  await db.destroy()
  return { visitors, rows }
}

export function jsonCall(body: unknown, method = 'POST') {
  const headers = { origin: 'http://localhost', 'content-type': 'application/json' }
  return { method, headers, body: JSON.stringify(body) }
}

/** Returns the path that the client requests for the data of a page, without its document. */
export function dataPathOf(path: string) {
  const [pathname = '', search] = path.split('?')
  const data = pathname === '/' ? '/_.data' : `${pathname}.data`
  return search ? `${data}?${search}` : data
}

export type Account = Omit<NonNullable<Visitor>, 'member' | 'staff'>

function accountIdOf(person: Person) {
  return person === 'guest' ? '' : demoAccounts[person].accountId
}

export function browserOf(
  { app }: { app: ReturnType<typeof createApp> },
  { origin = 'http://localhost', address = '192.0.2.1', headers = {} as Record<string, string> } = {},
) {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}) => {
    const url = new URL(path, origin)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = { ...headers, ...(cookie && { cookie }), ...(init.headers as Record<string, string>) }
    const env = { incoming: { socket: { remoteAddress: address } } }
    const response = await app.request(url.href, { ...init, headers: sent }, env)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    send,
    get: (path: string) => send(path),
    text: async (path: string) => (await send(path)).text(),
    post: (path: string, fields: Record<string, string>) =>
      send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin } }),
  }
}
