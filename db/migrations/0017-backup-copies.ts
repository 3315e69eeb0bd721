import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('backupCopies')
    .addColumn('way', 'text', (column) => column.primaryKey())
    .addColumn('madeAt', 'text')
    .addColumn('accountId', 'text')
    .addColumn('trouble', 'text')
    .execute()
}
