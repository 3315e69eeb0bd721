import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .alterTable('messages')
    .addColumn('language', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
