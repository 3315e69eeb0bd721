import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('mutedMails')
    .$call(addTexts('memberId', 'kind'))
    .addPrimaryKeyConstraint('mutedMailsKey', ['memberId', 'kind'])
    .execute()
  await db.schema
    .createTable('circleMessages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .$call(addTexts('audience', 'subject', 'text'))
    .addColumn('recipients', 'integer', (column) => column.notNull())
    .addColumn('accountId', 'text')
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.alterTable('outbox').addColumn('unsubscribeUrl', 'text').execute()
}
