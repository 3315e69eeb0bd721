import { expect, onTestFinished, test } from 'vitest'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { listenLocally, sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { checkIntegrity } from './integrity-check.ts'
import { countOperations, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import type { Cookies } from './site-copy.ts'
import { openWorkload } from './workload.ts'

type SignedIn = Exclude<Person, 'guest'>

/** Serves a sample site over HTTP. The session cookies are the names of the demo people. */
async function openSite(db: Awaited<ReturnType<typeof freshSqlite>>) {
  const { app, people, staff, as } = await sampleSite(db)
  await people()
  await staff()
  const { close, port } = await listenLocally({
    fetch: async (request) => {
      const person = /\bas=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] as SignedIn | undefined
      const headers = new Headers(request.headers)
      headers.set('x-test-account', person ? demoAccounts[person].accountId : '')
      return app.fetch(new Request(request, { headers }))
    },
  })
  onTestFinished(() => close())
  const names = Object.keys(demoAccounts) as SignedIn[]
  const cookies = Object.fromEntries(names.map((person) => [person, `as=${person}`])) as Cookies
  return { address: `http://127.0.0.1:${port}`, cookies, as }
}

async function runEach({ address, cookies }: { address: string; cookies: Cookies }) {
  const workload = openWorkload({ cookies }, 1)
  await workload.runEach(address)
  return workload.log
}

onEachEngine((fresh) => {
  test('completes each operation of an administrator and of a member, with one marker per operation', async () => {
    const db = await fresh()
    const log = await runEach(await openSite(db))
    const counts = countOperations(log.operations)
    expect(counts.filter(({ refused, conflict, failed }) => refused + conflict + failed > 0)).toEqual([])
    expect(eachDoneGoal(counts).notes).toEqual([])
    const report = await checkIntegrity(db)
    expect(log.compare(report)).toEqual({ lost: [], twice: [], denied: [] })
    expect(report.inconsistencies).toEqual([])
  })
})

test('misses the goal of permitted operations when the administrator lacks permissions', async () => {
  const { cookies, ...site } = await openSite(await freshSqlite())
  const { operations } = await runEach({ ...site, cookies: { ...cookies, administrator: cookies.editor } })
  const goal = refusedGoal(operations)
  expect(goal.missed).toBe(true)
  expect(goal.notes).toContainEqual(expect.stringMatching(/^administrator: a new page, status 403, \d times$/))
  expect(eachDoneGoal(countOperations(operations)).notes).toContain('a new page')
  expect(countOperations(operations)).toContainEqual({
    ...{ by: 'administrator', what: 'settings: sign', done: 0, refused: 1, conflict: 0, failed: 0 },
  })
})
