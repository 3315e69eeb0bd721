import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  const add = (name: string, type: 'text' | 'integer') => db.schema.alterTable('events').addColumn(name, type).execute()
  await add('startTime', 'text')
  await add('endTime', 'text')
  await add('capacity', 'integer')
  await add('deadline', 'text')
  await db.schema
    .alterTable('events')
    .addColumn('attendance', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}
