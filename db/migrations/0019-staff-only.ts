import { type Kysely, sql } from 'kysely'

/** Gives the switch that keeps dishes and calendar from the circle its new name, in all that the history keeps of it too. */
export async function up(db: Kysely<unknown>) {
  await sql`update site set facts = ${renamed('facts', '"')}`.execute(db)
  // The facts are a text within what is kept of their row.
  await sql`
    update revisions
    set ${sql.ref('before')} = ${renamed('before', '\\"')}, ${sql.ref('after')} = ${renamed('after', '\\"')}
    where subject = 'site'
  `.execute(db)
}

// With its quotes: as the name of a fact, and not where somebody writes of it.
function renamed(column: string, quote: string) {
  const [was, is] = ['dishesAndCalendarByAdministratorsOnly', 'dishesAndCalendarByStaffOnly'].map(
    (name) => `${quote}${name}${quote}:`,
  )
  return sql`replace(${sql.ref(column)}, ${was}, ${is})`
}
