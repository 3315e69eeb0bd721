import type { Db } from '../../db/tables.ts'

/** Settings of the circle's page that other pages need. If `shown` is true, the site has a circle. */
type Circle = { shown: boolean; title: string }

export function selectCircle(db: Pick<Db, 'selectFrom'>) {
  return db.selectFrom('pages').select('facts').where('id', '=', 'tennisrelated')
}

/** Parses the stored settings of the circle's page. If no settings are stored, the circle is shown. */
export function parseCircle(facts: string | null | undefined): Circle {
  return { shown: true, title: '', ...(facts && JSON.parse(facts)) }
}

export async function readCircle(db: Db) {
  return parseCircle((await selectCircle(db).executeTakeFirst())?.facts)
}

export async function isCircleOn(db: Db) {
  return (await readCircle(db)).shown
}
