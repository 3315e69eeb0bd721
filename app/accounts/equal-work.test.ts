import { Worker } from 'node:worker_threads'
import { type KyselyPlugin, SqliteQueryCompiler } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { freshSqlite } from '../../db/testing.ts'
import { inTransaction, onCommit } from '../../db/transaction.ts'
import { browserOf, sampleSite } from '../../server/testing.ts'
import { findLink, findToken, hana, signInBrowser } from '../../server/testing-account.ts'
import { newSave } from '../records/record.ts'
import { addStaff } from '../staff/staff.server.ts'

/** Returns the database and a log of its statements, its commits and all password hashing. */
function logStatements(db: Db) {
  const statements: string[] = []
  const compiler = new SqliteQueryCompiler()
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      statements.push(compiler.compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const loggedDb = db.withPlugin(plugin)
  onCommit(loggedDb, () => void statements.push('commit'))
  const send = Worker.prototype.postMessage
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, task) {
    if (task.passes) statements.push(`hash with ${task.passes} passes of ${task.memory} KiB`)
    send.call(this, task)
  })
  onTestFinished(() => spy.mockRestore())
  return { db: loggedDb, statements }
}

/**
 * Creates a site with every kind of account. `workOf` sends a request and returns the response status and the logged
 * work.
 */
async function siteWithWorkLog(fresh: Db, { verifies }: { verifies: boolean }) {
  const { db, statements } = logStatements(fresh)
  const site = await sampleSite(db, {}, { verifies })
  const createAccount = async (name: string, emailVerified: boolean) => {
    const email = `${name}@example.jp`
    const browser = await signInBrowser(site, { ...hana, email })
    await db.updateTable('accounts').set({ emailVerified }).where('email', '=', email).execute()
    const accounts = db.selectFrom('accounts').select('id').where('email', '=', email)
    return { browser, id: (await accounts.executeTakeFirstOrThrow()).id }
  }
  await createAccount('proven', true)
  await createAccount('unproven', false)
  const googleAccount = await createAccount('google', true)
  await db.deleteFrom('signInMethods').where('owner', '=', googleAccount.id).execute()
  const staffAccount = await createAccount('staff', false)
  const save = newSave({ accountId: null, at: new Date(site.clock.now).toISOString() }, '招待')
  await inTransaction(db, (trx) => addStaff(trx, { accountId: staffAccount.id, name: '花', role: 'editing' }, save))
  const movedAccount = await createAccount('kept', true)
  await movedAccount.browser.post('/account', { intent: 'email', email: 'moved@example.jp', current: hana.password })
  const verificationLink = findLink(site.mails.findLast(({ to }) => to === 'moved@example.jp'))
  await movedAccount.browser.post('/verifyemail', { token: findToken(verificationLink) })
  const { browser } = await createAccount('asking', true)
  site.clock.now += 60 * 60_000

  const workOf = async (send: () => Promise<Response>) => {
    site.clock.now += 60 * 60_000
    statements.length = 0
    const { status } = await send()
    const delivery = statements.findIndex((statement) => statement.includes('from "outbox" where "channel" in'))
    return [status, ...statements.slice(0, delivery)]
  }
  return { site, browser, workOf }
}

const kinds = ['proven', 'unproven', 'google', 'staff', 'kept']

test.each([
  ['/emaillogin', true],
  ['/emaillogin', false],
  ['/signupform', true],
  ['/resetpassword', true],
  ['/resetpassword', false],
  ['/account', true],
])(
  'does the same work for every e-mail address before %s responds (mail is configured: %s)',
  async (path, verifies) => {
    const { browser, site, workOf } = await siteWithWorkLog(await freshSqlite(), { verifies })
    const fields = {
      '/emaillogin': { password: 'not-this-one' },
      '/signupform': { name: '花', password: 'toss-high-9' },
      '/resetpassword': {},
      '/account': { intent: 'email', current: hana.password },
    }[path] as Record<string, string>
    const sender = path === '/account' ? browser : browserOf(site)
    const workFor = (name: string) =>
      workOf(() => sender.post(`${path}.data`, { ...fields, email: `${name}@example.jp` }))
    await workFor('warm-up')
    const unknown = await workFor('unknown')
    expect(unknown).toContainEqual(path === '/resetpassword' ? 'commit' : expect.stringMatching(/^hash/))
    for (const kind of kinds) expect(await workFor(kind), kind).toEqual(unknown)
  },
)
