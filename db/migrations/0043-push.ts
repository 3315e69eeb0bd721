import type { Kysely } from 'kysely'
import { addColumnWithDefault, addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('pushDevices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('sessionId', 'text', (column) => column.notNull())
    .addColumn('endpoint', 'text', (column) => column.notNull().unique())
    .$call(addTexts('publicKey', 'authSecret', 'name', 'kinds', 'createdAt'))
    .execute()
  await db.schema.createIndex('pushDevicesOfAccount').on('pushDevices').column('accountId').execute()
  await addColumnWithDefault(db, 'outbox', 'channel', 'mail')
  await db.schema.alterTable('outbox').addColumn('kind', 'text').execute()
  await db.schema.alterTable('outbox').addColumn('link', 'text').execute()
}
