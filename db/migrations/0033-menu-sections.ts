import { type Kysely, sql } from 'kysely'

/** Dishes get a section and a time of display. The revisions change too, or each would differ from the current record. */
export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('menuSections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('introduction', 'text', (column) => column.notNull())
    .addColumn('order', 'integer', (column) => column.notNull())
    .addColumn('served', 'text', (column) => column.notNull().check(sql`served in ('any', 'slot1', 'slot2', 'own')`))
    .addColumn('servedFrom', 'text', (column) => column.notNull())
    .addColumn('servedUntil', 'text', (column) => column.notNull())
    .addColumn('draft', 'integer', (column) => column.notNull())
    .addColumn('shownFrom', 'text', (column) => column.notNull())
    .addColumn('shownUntil', 'text', (column) => column.notNull())
    .addColumn('hiddenUntil', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
    .addColumn('deletedAt', 'text')
    .execute()
  for (const name of ['section', 'shownFrom', 'shownUntil'])
    await db.schema
      .alterTable('cards')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  const empty = sql.lit('{"section":"","shownFrom":"","shownUntil":"",')
  await sql`update revisions set before = ${empty} || substr(before, 2), after = ${empty} || substr(after, 2)
    where subject = 'card'`.execute(db)
}
