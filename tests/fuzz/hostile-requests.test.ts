import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Kysely } from 'kysely'
import { matchPath } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import routes from '../../app/routes.ts'
import type { Tables } from '../../db/tables.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { listenHere, noon, sampleSite } from '../../server/testing.ts'
import { hostileRequests } from './hostile-requests.ts'
import { serverPaths } from './hostile-addresses.ts'
import type { Hostile, Sender } from './request-bytes.ts'
import { formsOf } from './hostile-forms.ts'
import { openLine } from './connection.ts'
import {
  fillForHostile,
  isPromised,
  keepSignedIn,
  readUntouchable,
  shownAnswer,
  signIn,
  startVisiting,
} from './hostile-site.ts'

const ERROR = 50

onEachEngine((fresh, engine) => {
  const requests = engine === 'SQLite' ? often(600, 5000) : often(150, 1000)

  test('answers every hostile request without a server error, and rejects all unauthorized changes', async () => {
    const site = await hostileSite(await fresh())
    const before = await site.untouchable()
    await site.withstands(['guest', 'member'], requests)
    expect(await site.untouchable()).toEqual(before)
    await site.withstands(['administrator', 'member', 'guest'], requests)
  }, 600_000)
})

test('sends every URL and every form of the site', async () => {
  const db = await freshSqlite()
  const { app } = await sampleSite(db)
  const { known } = await fillForHostile(db, noon)
  const served = app.routes.map(({ path }) => path).filter((path) => path !== '*' && path !== '/*')
  expect(serverPaths).toEqual(expect.arrayContaining(served))

  const sent = formsOf(known).map(({ path }) => path.split('?')[0] ?? '')
  const taking = routes.filter(({ file }) =>
    /^export (?:const|(?:async )?function) action\b/m.test(readFileSync(`app/${file}`, 'utf8')),
  )
  expect(taking.length).toBeGreaterThan(20)
  for (const { path = '' } of taking)
    expect(
      sent.some((each) => matchPath(`/${path}`, each)),
      path,
    ).toBe(true)
})

async function hostileSite(db: Kysely<Tables>) {
  const { app, clock, logged } = await sampleSite(db, { trustedProxies: ['127.0.0.1'] })
  const { known, own } = await fillForHostile(db, noon)
  const { server, port } = await listenHere(app)
  const host = `127.0.0.1:${port}`
  const line = openLine(port)
  const said = vi.spyOn(console, 'error')
  onTestFinished(() => {
    said.mockRestore()
    line.close()
    server.close()
  })
  const { cookies, owner } = await signIn(line, host)
  const signInAgain = await keepSignedIn(db)
  const visit = startVisiting(line, host, { owner, own })
  let sent = 0

  async function isAnsweredWell(request: Hostile) {
    const answer = await line.send(request)
    const errors = [
      ...logged.splice(0).filter((said) => Number(said.level) >= ERROR && !isPromised(said)),
      ...said.mock.calls.splice(0),
    ]
    // The clock moves on, so that rate limits do not reject most requests.
    clock.now += 20_000
    sent += 1
    if (sent % 25 === 0) {
      await signInAgain()
      await visit()
    }
    expect(errors, shownAnswer(answer)).toEqual([])
    if (answer || request.whole) expect(answer?.status, shownAnswer(answer)).toBeLessThan(500)
  }

  // The history is checked after each request, which identifies the request that changed it.
  async function changesNothing(request: Hostile) {
    const before = await changes()
    await isAnsweredWell(request)
    expect(await changes(), 'changes in the history').toBe(before)
  }
  async function changes() {
    const others = db.selectFrom('revisions').where('subjectId', 'not in', [known.member, own.card, own.event])
    const { count } = await others.select(db.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return count
  }

  return {
    untouchable: () => readUntouchable(db, { member: known.member, own }),
    /** Sends this number of requests. Without administrators among the senders, no request may change the history. */
    async withstands(senders: Sender[], numRuns: number) {
      const each = fc.limitShrink(hostileRequests({ host, cookies, known }, senders), 300)
      const taken = senders.includes('administrator') ? isAnsweredWell : changesNothing
      await fc.assert(fc.asyncProperty(each, taken), { seed: 1, numRuns })
    },
  }
}
