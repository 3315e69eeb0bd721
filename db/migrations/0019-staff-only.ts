import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`update site set facts = ${renamed('facts', '"')}`.execute(db)
  // In a revision, the settings are a JSON string inside the JSON of their row.
  await sql`
    update revisions
    set ${sql.ref('before')} = ${renamed('before', '\\"')}, ${sql.ref('after')} = ${renamed('after', '\\"')}
    where subject = 'site'
  `.execute(db)
}

// Matches only the quoted name of the setting, so that texts that mention the name stay unchanged.
function renamed(column: string, quote: string) {
  const [was, is] = ['dishesAndCalendarByAdministratorsOnly', 'dishesAndCalendarByStaffOnly'].map(
    (name) => `${quote}${name}${quote}:`,
  )
  return sql`replace(${sql.ref(column)}, ${was}, ${is})`
}
