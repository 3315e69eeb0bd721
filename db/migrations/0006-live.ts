import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('extraHolidays')
    .addColumn('day', 'text', (column) => column.primaryKey())
    .$call(addTexts('name', 'acceptedAt'))
    .execute()
}
