import type { Kysely } from 'kysely'

type Card = { allergens: string; allergensConfirmed: number }
type Revision = { id: string; subject: string; before: string | null; after: string | null }

const AT_ONCE = 500

/** Dishes with allergens count as confirmed, because their form required the full list. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ cards: Card; revisions: Revision }>
  await db.schema
    .alterTable('cards')
    .addColumn('allergensConfirmed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.updateTable('cards').set({ allergensConfirmed: 1 }).where('allergens', '<>', '').execute()
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('revisions')
      .select(['id', 'before', 'after'])
      .where('subject', '=', 'card')
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    for (const { id, before, after } of rows) {
      await db
        .updateTable('revisions')
        .set({ before: withConfirmation(before), after: withConfirmation(after) })
        .where('id', '=', id)
        .execute()
    }
    if (rows.length < AT_ONCE) break
    last = rows.at(-1)?.id ?? ''
  }
}

function withConfirmation(json: string | null) {
  if (json === null) return null
  const state: Card = JSON.parse(json)
  return JSON.stringify({ ...state, allergensConfirmed: state.allergens ? 1 : 0 })
}
