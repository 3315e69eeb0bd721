import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  const columns = ['deadlineTime', 'seriesId', 'occurrence', 'recurrence']
  for (const name of columns) await db.schema.alterTable('events').addColumn(name, 'text').execute()
  await db.schema
    .alterTable('events')
    .addColumn('changedAlone', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createIndex('eventsOfSeries')
    .on('events')
    .columns(['seriesId', 'occurrence'])
    .where(sql.ref('seriesId'), 'is not', null)
    .execute()
}
