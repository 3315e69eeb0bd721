import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .alterTable('events')
    .addColumn('membersOnly', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('memberFeeds')
    .addColumn('memberId', 'text', (column) => column.primaryKey().references('members.id').onDelete('cascade'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
}
