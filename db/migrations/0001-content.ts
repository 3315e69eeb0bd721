import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('contentItems')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('collection', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('order', 'double precision')
    .$call(addTexts('title', 'content'))
    .addColumn('eventDay', 'text')
    .$call(addTexts('linkUrl', 'youtubeUrl', 'image', 'imageAlt', 'text1', 'text2', 'text3', 'other', 'createdAt'))
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
    .$call(addTexts('facts', 'updatedAt'))
    .execute()

  await db.schema
    .createTable('revisions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .$call(addTexts('subject', 'subjectId', 'action'))
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
