import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('eventNotices')
    .addColumn('eventId', 'text', (column) => column.primaryKey())
    .addColumn('toldVersion', 'integer', (column) => column.notNull())
    .addColumn('reminded', 'text')
    .execute()
  // Marks all existing events as announced, because changes before this version send no notices.
  await sql`
    insert into ${sql.table('eventNotices')} (${sql.ref('eventId')}, ${sql.ref('toldVersion')})
    select ${sql.ref('id')}, ${sql.ref('version')} from ${sql.table('events')}
  `.execute(db)
}
