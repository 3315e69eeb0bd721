import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('messages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('recipient', 'text', (column) =>
      column.notNull().check(sql`recipient in ('shop', 'circle', 'portfolio')`),
    )
    .$call(addTexts('subject', 'text'))
    .addColumn('replyTo', 'text')
    .addColumn('spam', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('messagesByTime').on('messages').columns(['createdAt', 'id']).execute()

  await db.schema
    .createTable('messageReplies')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('messageId', 'text', (column) => column.notNull().references('messages.id'))
    .$call(addTexts('text', 'accountId', 'createdAt'))
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
    .$call(addTexts('subject', 'text', 'html'))
    .addColumn('state', 'text', (column) =>
      column.notNull().check(sql`state in ('waiting', 'sent', 'filed', 'failed')`),
    )
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('dueAt', 'text', (column) => column.notNull())
    .addColumn('trouble', 'text')
    .$call(addTexts('waitingSince', 'createdAt'))
    .addColumn('doneAt', 'text')
    .execute()
  await db.schema.createIndex('outboxDue').on('outbox').columns(['state', 'dueAt']).execute()
  await db.schema.createIndex('outboxAbout').on('outbox').column('about').execute()

  await db.schema
    .createTable('messageArrivals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .$call(addTexts('sender', 'at'))
    .execute()
  await db.schema.createIndex('messageArrivalsBySender').on('messageArrivals').columns(['sender', 'at']).execute()
}
