import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .alterTable('contentItems')
    .addColumn('draft', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('contentItems').addColumn('price', 'integer').execute()
  await db.schema
    .alterTable('contentItems')
    .addColumn('allergens', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('contentItems').addColumn('soldOutAt', 'text').execute()
}
