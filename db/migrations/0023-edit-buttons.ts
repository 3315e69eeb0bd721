import type { Kysely } from 'kysely'
import { rewriteRevisions } from '../migration-steps.ts'

type Site = { facts: string }

const [WAS, IS] = ['hideEditButtonsFromVisitors', 'showEditButtonsToVisitors']

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ site: Site }>
  for (const { facts } of await db.selectFrom('site').select('facts').execute()) {
    await db
      .updateTable('site')
      .set({ facts: told(facts, false) })
      .execute()
  }
  await rewriteRevisions<Site>(unknown, 'site', (state, { before, after }) => {
    // A revision that changed the switch records a choice of the owner. All other values are defaults, and the
    // meaning of the default has changed.
    const wasSet = before && after && hidden(before.facts) !== hidden(after.facts)
    const shows = wasSet ? !hidden(state.facts) : false
    return { ...state, facts: told(state.facts, shows) }
  })
}

function hidden(facts: string) {
  return JSON.parse(facts)[WAS] === true
}

function told(facts: string, shows: boolean) {
  const entries = Object.entries(JSON.parse(facts))
  return JSON.stringify(Object.fromEntries(entries.map(([name, fact]) => (name === WAS ? [IS, shows] : [name, fact]))))
}
