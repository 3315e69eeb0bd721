import type { Auth } from '../../app/accounts/auth.server.ts'
// Starts the built site on a database in memory, in DATABASE_FILE or on DATABASE_URL. Cookies control each request:
// `as` sets the visitor, `fails` makes every write fail, `mail` enables e-mail, and `live=no` blocks live updates.
// /clock?now= sets the clock. EDIT_BUTTONS=shown shows the edit buttons to visitors.
import '../as-built.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import pino from 'pino'
import type { Mailer } from '../../app/mail/mailer.server.ts'
import { collectedMailer } from '../../app/mail/testing-mailer.ts'
import { type MemberFields, memberFieldNames } from '../../app/members/member.ts'
import { createSetupKey } from '../../app/owner/welcome.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { makeBackup } from '../../db/backup.ts'
import { openDatabase } from '../../db/open.ts'
import { builtSite } from '../../scripts/built-site.ts'
import { CONNECTION_LIMITS, listen } from '../../server/listen.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { readSettings } from '../../server/settings.ts'
import { freshBackup } from '../../server/tasks/backups.ts'
import { SECRET } from './member-links.ts'

const { createApp, createDependencies } = await builtSite()
const url = process.env.DATABASE_URL
// True while the site processes a form of a browser with the cookie `fails`. Every write to the database then fails.
const shouldFail = new AsyncLocalStorage<boolean>()
// Failures that a test causes on purpose are expected, so they are not logged.
const log = pino({
  level: 'warn',
  hooks: {
    logMethod(arguments_, method, level) {
      const isExpected = shouldFail.getStore() ? level >= 50 : arguments_.includes('missing document')
      if (!isExpected) method.apply(this, arguments_)
    },
  },
})
const writeFailures: KyselyPlugin = {
  transformQuery({ node }) {
    if (shouldFail.getStore() && node.kind !== 'SelectQueryNode')
      throw new Error('Database write failed: the cookie fails=yes is set')
    return node
  },
  transformResult: async ({ result }) => result,
}
const database = await openDatabase({ url, file: process.env.DATABASE_FILE ?? ':memory:' })
const db = database.withPlugin(writeFailures)
await fillSampleShop(db, { wanted: true, now: Date.now() })
if (process.env.EDIT_BUTTONS === 'shown') await showEditButtons()

for (const [id, username] of Object.entries({ owner: '暖簾 結', approved: '桜井 花', applicant: '若葉 翔' })) {
  await addMember(id, username)
}

const visitorOf = async (auth: Auth, request: Request): Promise<Visitor> => {
  const as = /\bas=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  if (!as) return auth.visitor()
  const row = await db.selectFrom('members').select('resting').where('id', '=', as).executeTakeFirst()
  const flags = { administrator: /^owner/.test(as), admin: as !== 'applicant', resting: row?.resting === true }
  const member = as === 'signedin' ? null : { id: as, ...flags }
  return { accountId: as, name: as, email: `${as}@example.jp`, emailVerified: true, member, staff: null }
}
let stoppedAt: number | undefined
const clock = () => stoppedAt ?? Date.now()
const settings = readSettings({ DATABASE_URL: url, TRUSTED_PROXY: '127.0.0.1' })
const dependencies = await createDependencies({ db, log, secret: SECRET, settings })
const { live } = dependencies
const createAppWith = (mailer: Mailer) =>
  createApp({
    ...dependencies,
    clock,
    mailer,
    lastBackup: async () => null,
    freshBackup: async () =>
      freshBackup(await mkdtemp(join(tmpdir(), 'noren-fresh-')), (file) =>
        makeBackup(database, file, { program: '0.1.0', now: Date.now() }),
      ),
    space: async () => ({ free: 1e12, needed: 0 }),
    identity: 'example.jp',
    visitorOf,
  })
const apps = { no: createAppWith(collectedMailer()), yes: createAppWith(collectedMailer({ verifies: true })) }
const handleRequest: Parameters<typeof listen>[0]['fetch'] = (request, env) => {
  const cookies = request.headers.get('cookie') ?? ''
  const isWriteFailing = request.method === 'POST' && /\bfails=yes/.test(cookies)
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/api/live' && /\blive=no/.test(cookies))
    return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
  if (pathname === '/clock') {
    stoppedAt = Date.parse(searchParams.get('now') ?? '')
    return new Response()
  }
  if (pathname === '/welcome-key') return respondWithSetupKey()
  if (pathname === '/outbox') return respondWithOutbox(searchParams.get('to') ?? '')
  return shouldFail.run(isWriteFailing, () => apps[/\bmail=yes/.test(cookies) ? 'yes' : 'no'].fetch(request, env))
}
const { close, port } = await listen(
  { fetch: handleRequest, serveCached: () => false },
  { port: Number(process.env.PORT ?? 0), hostname: '127.0.0.1' },
  CONNECTION_LIMITS,
)
console.log(`http://127.0.0.1:${port}`)
process.once('SIGTERM', async () => {
  await live.close()
  await close()
  await db.destroy()
  process.exit(0)
})

// Returns a setup key, as if the site had never had an administrator.
async function respondWithSetupKey() {
  await db.deleteFrom('marks').where('name', '=', 'first administrator').execute()
  return new Response(await createSetupKey(db, clock()))
}

// Returns the queued e-mails for this recipient, newest first, and marks all e-mails as failed.
async function respondWithOutbox(to: string) {
  const mails = await db.selectFrom('outbox').select('text').where('to', '=', to).orderBy('createdAt', 'desc').execute()
  await db.updateTable('outbox').set({ state: 'failed', attempts: 1, trouble: '届きませんでした' }).execute()
  return Response.json(mails.map(({ text }) => text))
}

async function showEditButtons() {
  const { facts } = await db.selectFrom('site').select('facts').executeTakeFirstOrThrow()
  const settingsWithButtons = JSON.stringify({ ...JSON.parse(facts), showEditButtonsToVisitors: true })
  await db.updateTable('site').set({ facts: settingsWithButtons }).execute()
}

// Adds the member whose ID is the value of the cookie `as`.
async function addMember(id: string, username: string) {
  const empty = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as MemberFields
  const now = new Date().toISOString()
  const flags = { administrator: id === 'owner', admin: id !== 'applicant', resting: false }
  const names = { username, accountname: username, accountnameKey: username }
  const none = { nonMemberId: null, birthday: null, realname: null, deletedAt: null }
  await db
    .insertInto('members')
    .values({ id, accountId: id, version: 1, ...empty, ...names, ...flags, ...none, createdAt: now, updatedAt: now })
    .onConflict((already) => already.doNothing())
    .execute()
}
