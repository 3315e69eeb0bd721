import type { Kysely } from 'kysely'

type Revision = { id: string; subject: string; before: string | null; after: string | null }

/** Changes the history too, because a revert would otherwise leave later texts in place. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: Revision }>
  for (const column of ['cause', 'note']) {
    await db.schema
      .alterTable('specialDays')
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(''))
      .execute()
  }
  const revisions = await db
    .selectFrom('revisions')
    .select(['id', 'before', 'after'])
    .where('subject', '=', 'specialDay')
    .execute()
  for (const { id, before, after } of revisions) {
    await db
      .updateTable('revisions')
      .set({ before: withoutWords(before), after: withoutWords(after) })
      .where('id', '=', id)
      .execute()
  }
}

function withoutWords(state: string | null) {
  return state && JSON.stringify({ ...JSON.parse(state), cause: '', note: '' })
}
