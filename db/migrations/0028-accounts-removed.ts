import type { Kysely } from 'kysely'

/** Adds the columns with which administrators remove and restore accounts. */
export async function up(db: Kysely<unknown>) {
  const accounts = db.schema.alterTable('accounts')
  await accounts.addColumn('version', 'integer', (column) => column.notNull().defaultTo(1)).execute()
  await accounts.addColumn('deletedAt', 'text').execute()
}
