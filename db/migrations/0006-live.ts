import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('extraHolidays')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('acceptedAt', 'text', (column) => column.notNull())
    .execute()
}
