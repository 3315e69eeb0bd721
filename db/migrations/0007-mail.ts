import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('messages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('recipient', 'text', (column) =>
      column.notNull().check(sql`recipient in ('shop', 'circle', 'portfolio')`),
    )
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('replyTo', 'text')
    .addColumn('spam', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('messagesByTime').on('messages').columns(['createdAt', 'id']).execute()

  await db.schema
    .createTable('messageReplies')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('messageId', 'text', (column) => column.notNull().references('messages.id'))
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('accountId', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('repliesOfMessage').on('messageReplies').column('messageId').execute()

  await db.schema
    .createTable('outbox')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('onceKey', 'text', (column) => column.unique())
    .addColumn('about', 'text', (column) => column.references('messages.id'))
    .addColumn('replyId', 'text', (column) => column.references('messageReplies.id'))
    .addColumn('recipient', 'text')
    .addColumn('to', 'text')
    .addColumn('replyTo', 'text')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('html', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) =>
      column.notNull().check(sql`state in ('waiting', 'sent', 'filed', 'failed')`),
    )
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('dueAt', 'text', (column) => column.notNull())
    .addColumn('trouble', 'text')
    .addColumn('waitingSince', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('doneAt', 'text')
    .execute()
  await db.schema.createIndex('outboxDue').on('outbox').columns(['state', 'dueAt']).execute()
  await db.schema.createIndex('outboxAbout').on('outbox').column('about').execute()

  await db.schema
    .createTable('messageArrivals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('messageArrivalsBySender').on('messageArrivals').columns(['sender', 'at']).execute()
}
