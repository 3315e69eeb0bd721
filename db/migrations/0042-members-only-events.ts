import type { Kysely } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await addColumnWithDefault(db, 'events', 'membersOnly', 0)
  await db.schema
    .createTable('memberFeeds')
    .addColumn('memberId', 'text', (column) => column.primaryKey().references('members.id').onDelete('cascade'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
}
