import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('businessWeek')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('schedule', 'createdAt', 'updatedAt'))
    .execute()

  await db.schema
    .createTable('specialDays')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('reason', 'hours', 'createdAt', 'updatedAt'))
    .execute()

  await db.schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('day', 'title', 'content', 'createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  await db.schema
    .createIndex('eventsShown')
    .on('events')
    .column('day')
    .where(sql.ref('deletedAt'), 'is', null)
    .execute()
}
