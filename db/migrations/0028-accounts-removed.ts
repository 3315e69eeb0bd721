import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  const accounts = db.schema.alterTable('accounts')
  await accounts.addColumn('version', 'integer', (column) => column.notNull().defaultTo(1)).execute()
  await accounts.addColumn('deletedAt', 'text').execute()
}
