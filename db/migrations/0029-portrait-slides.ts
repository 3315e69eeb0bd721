import { type Kysely, sql } from 'kysely'

/** Adds a second image to cards, which a slide shows on a screen that is higher than wide. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: { subject: string; before: string | null; after: string | null } }>
  await db.schema
    .alterTable('cards')
    .addColumn('portraitImage', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  // Without it an earlier state of a card would differ from every present one.
  for (const state of ['before', 'after'] as const) {
    await db
      .updateTable('revisions')
      .set(state, sql<string>`'{"portraitImage":"",' || substr(${sql.ref(state)}, 2)`)
      .where('subject', '=', 'card')
      .where(state, 'is not', null)
      .execute()
  }
}
