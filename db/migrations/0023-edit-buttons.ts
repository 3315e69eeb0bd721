import type { Kysely } from 'kysely'

type Site = { facts: string }
type Revision = { id: string; subject: string; before: string | null; after: string | null }

const [WAS, IS] = ['hideEditButtonsFromVisitors', 'showEditButtonsToVisitors']
const AT_ONCE = 500

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ site: Site; revisions: Revision }>
  for (const { facts } of await db.selectFrom('site').select('facts').execute()) {
    await db
      .updateTable('site')
      .set({ facts: told(facts, false) })
      .execute()
  }
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('revisions')
      .select(['id', 'before', 'after'])
      .where('subject', '=', 'site')
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    for (const { id, ...states } of rows) {
      const [before, after] = [parsed(states.before), parsed(states.after)]
      // A revision that changed the switch records a choice. Other values are defaults, whose meaning has changed.
      const wasSet = before && after && hidden(before.facts) !== hidden(after.facts)
      const kept = (state: Site | null) => {
        if (!state) return null
        const shows = wasSet ? !hidden(state.facts) : false
        return JSON.stringify({ ...state, facts: told(state.facts, shows) })
      }
      await db
        .updateTable('revisions')
        .set({ before: kept(before), after: kept(after) })
        .where('id', '=', id)
        .execute()
    }
    if (rows.length < AT_ONCE) break
    last = rows.at(-1)?.id ?? ''
  }
}

function parsed(state: string | null): Site | null {
  return state === null ? null : JSON.parse(state)
}

function hidden(facts: string) {
  return JSON.parse(facts)[WAS] === true
}

function told(facts: string, shows: boolean) {
  const entries = Object.entries(JSON.parse(facts))
  return JSON.stringify(Object.fromEntries(entries.map(([name, fact]) => (name === WAS ? [IS, shows] : [name, fact]))))
}
