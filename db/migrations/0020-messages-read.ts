import { type Kysely, sql } from 'kysely'

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ messages: { readAt: string | null; createdAt: string } }>
  await db.schema.alterTable('messages').addColumn('readAt', 'text').execute()
  // The read state was not recorded before, so existing messages count as read.
  await db
    .updateTable('messages')
    .set(({ ref }) => ({ readAt: ref('createdAt') }))
    .execute()
  await db.schema
    .createIndex('messagesUnread')
    .on('messages')
    .column('createdAt')
    .where(sql.ref('readAt'), 'is', null)
    .where(sql.ref('spam'), '=', sql.lit(0))
    .execute()
}
