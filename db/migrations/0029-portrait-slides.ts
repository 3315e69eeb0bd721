import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: { subject: string; before: string | null; after: string | null } }>
  await addColumnWithDefault(db, 'cards', 'portraitImage', '')
  // Without the field, every earlier revision of a card would differ from the current record.
  for (const state of ['before', 'after'] as const) {
    await db
      .updateTable('revisions')
      .set(state, sql<string>`'{"portraitImage":"",' || substr(${sql.ref(state)}, 2)`)
      .where('subject', '=', 'card')
      .where(state, 'is not', null)
      .execute()
  }
}
