import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('importedDocuments')
    .addColumn('collection', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addColumn('importedAt', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('importedDocumentsKey', ['collection', 'id'])
    .execute()
}
