import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .$call(addTexts('name', 'publicKey'))
    // The counter has 32 bits without a sign, which an integer of PostgreSQL cannot store.
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('usedAt', 'text')
    .execute()
  await db.schema.createIndex('passkeysOfAccount').on('passkeys').column('accountId').execute()
}
