import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Returns the circle's page as far as the site depends on it: the site has a circle while its page is `shown`. */
export async function readCircle(db: Kysely<Tables>): Promise<{ shown: boolean; title: string }> {
  const row = await db.selectFrom('pages').select('facts').where('id', '=', 'tennisrelated').executeTakeFirst()
  return { shown: true, title: '', ...(row && JSON.parse(row.facts)) }
}

/** Whether the site has a circle. */
export async function isCircleOn(db: Kysely<Tables>) {
  return (await readCircle(db)).shown
}
