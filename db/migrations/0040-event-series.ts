import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  const columns = ['deadlineTime', 'seriesId', 'occurrence', 'recurrence']
  for (const name of columns) await db.schema.alterTable('events').addColumn(name, 'text').execute()
  await addColumnWithDefault(db, 'events', 'changedAlone', 0)
  await db.schema
    .createIndex('eventsOfSeries')
    .on('events')
    .columns(['seriesId', 'occurrence'])
    .where(sql.ref('seriesId'), 'is not', null)
    .execute()
}
