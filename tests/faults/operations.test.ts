import { expect, onTestFinished, test } from 'vitest'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { listenHere, sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { demoAccounts } from '../../server/tools/demo.ts'
import { readBooks } from './integrity-check.ts'
import { countDeeds, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import type { Cookies } from './site-copy.ts'
import { openWriter } from './workload.ts'

type SignedIn = Exclude<Person, 'guest'>

/** Serves a sample site over HTTP. The session cookies are the names of the demo people. */
async function openSite(db: Awaited<ReturnType<typeof freshSqlite>>) {
  const { app, people, staff, as } = await sampleSite(db)
  await people()
  await staff()
  const { close, port } = await listenHere({
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

async function doEach({ address, cookies }: { address: string; cookies: Cookies }) {
  const writer = openWriter({ cookies }, 1)
  await writer.doEach(address)
  return writer.ledger
}

onEachEngine((fresh) => {
  test('completes each operation of an administrator and a member, and leaves one marker each', async () => {
    const db = await fresh()
    const ledger = await doEach(await openSite(db))
    const counts = countDeeds(ledger.deeds)
    expect(counts.filter(({ refused, conflict, failed }) => refused + conflict + failed > 0)).toEqual([])
    expect(eachDoneGoal(counts).notes).toEqual([])
    const books = await readBooks(db)
    expect(ledger.compare(books)).toEqual({ lost: [], twice: [], denied: [] })
    expect(books.halves).toEqual([])
  })
})

test('misses the goal when the administrator lacks the permissions', async () => {
  const { cookies, ...site } = await openSite(await freshSqlite())
  const { deeds } = await doEach({ ...site, cookies: { ...cookies, administrator: cookies.editor } })
  const goal = refusedGoal(deeds)
  expect(goal.missed).toBe(true)
  expect(goal.notes).toContainEqual(expect.stringMatching(/^administrator: a new page, answered 403, \d times$/))
  expect(eachDoneGoal(countDeeds(deeds)).notes).toContain('a new page')
  expect(countDeeds(deeds)).toContainEqual({
    ...{ by: 'administrator', what: 'settings: sign', done: 0, refused: 1, conflict: 0, failed: 0 },
  })
})
