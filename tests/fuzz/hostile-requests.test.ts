import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { matchPath } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import routes from '../../app/routes.ts'
import type { Db } from '../../db/tables.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { readSettings } from '../../server/settings.ts'
import { listenLocally, noon, sampleSite } from '../../server/testing.ts'
import { openConnection } from './connection.ts'
import { serverPaths } from './hostile-addresses.ts'
import { formsOf } from './hostile-forms.ts'
import { hostileRequests } from './hostile-requests.ts'
import {
  createSessionRestorer,
  fillSampleSite,
  formatResponse,
  isExpectedError,
  readProtectedRows,
  signIn,
  startVisiting,
} from './hostile-site.ts'
import type { Hostile, Sender } from './request-bytes.ts'

const ERROR_LEVEL = 50

onEachEngine((fresh, engine) => {
  const requests = engine === 'SQLite' ? often(200, 5000) : often(100, 1000)

  test('handles hostile requests without a server error or an unauthorized change', async () => {
    const site = await hostileSite(await fresh())
    const before = await site.readProtected()
    await site.sendRequests(['guest', 'member'], requests)
    expect(await site.readProtected()).toEqual(before)
    await site.sendRequests(['administrator', 'member', 'guest'], requests)
  })
})

test('covers every route and every form of the site', async () => {
  const db = await freshSqlite()
  const { app } = await sampleSite(db)
  const { known } = await fillSampleSite(db, noon)
  const servedPaths = app.routes.map(({ path }) => path).filter((path) => path !== '*' && path !== '/*')
  expect(serverPaths).toEqual(expect.arrayContaining(servedPaths))

  const sentPaths = formsOf(known).map(({ path }) => path.split('?')[0] ?? '')
  const routesWithAction = routes.filter(({ file }) =>
    /^export (?:const|(?:async )?function) action\b/m.test(readFileSync(`app/${file}`, 'utf8')),
  )
  expect(routesWithAction.length).toBeGreaterThan(20)
  for (const { path = '' } of routesWithAction)
    expect(
      sentPaths.some((sentPath) => matchPath(`/${path}`, sentPath)),
      path,
    ).toBe(true)
})

async function hostileSite(db: Db) {
  const { app, clock, logged } = await sampleSite(db, readSettings({ TRUSTED_PROXY: '127.0.0.1' }))
  const { known, ownerIds } = await fillSampleSite(db, noon)
  const { server, port } = await listenLocally(app)
  const host = `127.0.0.1:${port}`
  const connection = openConnection(port)
  const consoleErrors = vi.spyOn(console, 'error')
  onTestFinished(() => {
    consoleErrors.mockRestore()
    connection.close()
    server.close()
  })
  const { cookies, owner } = await signIn(connection, host)
  const restoreSessions = await createSessionRestorer(db)
  const visit = startVisiting(connection, host, { owner, ownerIds })
  let sentCount = 0

  async function checkResponse(request: Hostile) {
    const response = await connection.send(request)
    const errors = [
      ...logged.splice(0).filter((entry) => Number(entry.level) >= ERROR_LEVEL && !isExpectedError(entry)),
      ...consoleErrors.mock.calls.splice(0),
    ]
    // The clock advances, so that rate limits do not reject most requests.
    clock.now += 20_000
    sentCount += 1
    if (sentCount % 25 === 0) {
      await restoreSessions()
      await visit()
    }
    expect(errors, formatResponse(response)).toEqual([])
    if (response || request.isComplete) expect(response?.status, formatResponse(response)).toBeLessThan(500)
  }

  // The history is checked after each request, so that a failure identifies the request that changed the history.
  async function checkNoChanges(request: Hostile) {
    const before = await countChanges()
    await checkResponse(request)
    expect(await countChanges(), 'changes in the history').toBe(before)
  }
  async function countChanges() {
    const others = db
      .selectFrom('revisions')
      .where('subjectId', 'not in', [known.member, ownerIds.card, ownerIds.event])
    const { count } = await others.select(db.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return count
  }

  return {
    readProtected: () => readProtectedRows(db, { member: known.member, ownerIds }),
    /** Sends `numRuns` requests. If no sender is an administrator, fails when a request changes the history. */
    async sendRequests(senders: Sender[], numRuns: number) {
      const requests = fc.limitShrink(hostileRequests({ host, cookies, known }, senders), 300)
      const check = senders.includes('administrator') ? checkResponse : checkNoChanges
      await fc.assert(fc.asyncProperty(requests, check), { seed: 1, numRuns })
    },
  }
}
