import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('staff')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('accountId', 'text', (column) => column.notNull().unique())
    .$call(addTexts('name', 'role', 'createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  await db.schema
    .createTable('invitations')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .$call(addTexts('role', 'name', 'invitedBy', 'createdAt', 'expiresAt'))
    .addColumn('usedBy', 'text')
    .addColumn('usedAt', 'text')
    .addColumn('endedAt', 'text')
    .execute()
  await db.schema
    .createTable('welcomeKeys')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('accountId', 'text')
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('revisionsOfAccount').on('revisions').columns(['accountId', 'at']).execute()
}
