import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** The circle's page as far as the site depends on it: the site has a circle while its page is `shown`. */
type Circle = { shown: boolean; title: string }

/** Selects the stored facts of the circle's page. */
export function selectCircle(db: Pick<Kysely<Tables>, 'selectFrom'>) {
  return db.selectFrom('pages').select('facts').where('id', '=', 'tennisrelated')
}

/** Returns the circle of stored facts; shown if there are none. */
export function circleOf(facts: string | null | undefined): Circle {
  return { shown: true, title: '', ...(facts && JSON.parse(facts)) }
}

/** Returns the site's circle. */
export async function readCircle(db: Kysely<Tables>) {
  return circleOf((await selectCircle(db).executeTakeFirst())?.facts)
}

/** Whether the site has a circle. */
export async function isCircleOn(db: Kysely<Tables>) {
  return (await readCircle(db)).shown
}
