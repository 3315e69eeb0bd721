import type { Kysely } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  const add = (name: string, type: 'text' | 'integer') => db.schema.alterTable('events').addColumn(name, type).execute()
  await add('startTime', 'text')
  await add('endTime', 'text')
  await add('capacity', 'integer')
  await add('deadline', 'text')
  await addColumnWithDefault(db, 'events', 'attendance', 0)
}
