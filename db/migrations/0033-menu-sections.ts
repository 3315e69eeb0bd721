import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault, addTexts } from '../migration-steps.ts'

/** Dishes get a section and a time of display. The revisions change too, or each would differ from the current record. */
export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('menuSections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('name', 'introduction'))
    .addColumn('order', 'integer', (column) => column.notNull())
    .addColumn('served', 'text', (column) => column.notNull().check(sql`served in ('any', 'slot1', 'slot2', 'own')`))
    .$call(addTexts('servedFrom', 'servedUntil'))
    .addColumn('draft', 'integer', (column) => column.notNull())
    .$call(addTexts('shownFrom', 'shownUntil', 'hiddenUntil', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  for (const name of ['section', 'shownFrom', 'shownUntil']) await addColumnWithDefault(db, 'cards', name, '')
  const empty = sql.lit('{"section":"","shownFrom":"","shownUntil":"",')
  await sql`update revisions set before = ${empty} || substr(before, 2), after = ${empty} || substr(after, 2)
    where subject = 'card'`.execute(db)
}
