import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('contentItems')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('collection', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('order', 'double precision')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('eventDay', 'text')
    .addColumn('linkUrl', 'text', (column) => column.notNull())
    .addColumn('youtubeUrl', 'text', (column) => column.notNull())
    .addColumn('image', 'text', (column) => column.notNull())
    .addColumn('imageAlt', 'text', (column) => column.notNull())
    .addColumn('text1', 'text', (column) => column.notNull())
    .addColumn('text2', 'text', (column) => column.notNull())
    .addColumn('text3', 'text', (column) => column.notNull())
    .addColumn('other', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
    .addColumn('deletedAt', 'text')
    .execute()
  await db.schema
    .createIndex('contentItemsShown')
    .on('contentItems')
    .columns(['collection', 'eventDay'])
    .where(sql.ref('deletedAt'), 'is', null)
    .execute()

  await db.schema
    .createTable('site')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('revisions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subjectId', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('accountId', 'text')
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('revisionsOfSubject').on('revisions').columns(['subject', 'subjectId', 'at']).execute()

  await db.schema
    .createTable('marks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
}
