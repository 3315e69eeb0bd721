import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('bookings')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('day', 'time'))
    .addColumn('party', 'integer', (column) => column.notNull())
    .$call(addTexts('name', 'telephone', 'email', 'wish', 'language', 'state', 'reply'))
    .addColumn('offeredDay', 'text')
    .addColumn('offeredTime', 'text')
    .addColumn('byStaff', 'integer', (column) => column.notNull())
    .addColumn('came', 'integer')
    .addColumn('askedAt', 'text', (column) => column.notNull())
    .addColumn('remindedAt', 'text')
    .addColumn('givenUpAt', 'text')
    .$call(addTexts('createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  await db.schema.createIndex('bookingsByDay').on('bookings').column('day').execute()
}
