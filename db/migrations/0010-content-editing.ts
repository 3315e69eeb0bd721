import type { Kysely } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await addColumnWithDefault(db, 'contentItems', 'draft', 0)
  await db.schema.alterTable('contentItems').addColumn('price', 'integer').execute()
  await addColumnWithDefault(db, 'contentItems', 'allergens', '')
  await db.schema.alterTable('contentItems').addColumn('soldOutAt', 'text').execute()
}
