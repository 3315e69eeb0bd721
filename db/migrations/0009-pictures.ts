import type { Kysely } from 'kysely'
import { isPostgres } from '../engine.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('pictures')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('accountId', 'text')
    .addColumn('uploadedAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('picturesByAccount').on('pictures').columns(['accountId', 'uploadedAt']).execute()

  await db.schema
    .createTable('pictureFiles')
    .addColumn('name', 'text', (column) => column.notNull().references('pictures.name').onDelete('cascade'))
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('bytes', isPostgres(db) ? 'bytea' : 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('pictureFilesKey', ['name', 'width', 'format'])
    .execute()
}
