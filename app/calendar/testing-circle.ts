import type { Db } from '../../db/tables.ts'
import { noon } from '../../server/testing.ts'
import { registerPeople } from '../../server/tools/demo.ts'

/** Registers the demo members, and returns the dependencies of notices to them. All their addresses are verified. */
export async function createTestCircle(db: Db) {
  const people = await registerPeople(db, noon)
  const clock = { now: noon }
  const author = () => ({ accountId: null, at: new Date(clock.now).toISOString() })
  const deps = {
    db,
    clock: () => clock.now,
    readVerifiedEmails: async (ids: string[]) => new Map(ids.map((account) => [account, `${account}@example.jp`])),
    secret: 'the secret of the tests',
    origin: 'https://example.jp',
  }
  const emailOf = (person: 'approved' | 'administrator') => `${people[person]?.accountId}@example.jp`
  return { db, people, clock, author, deps, emailOf }
}
