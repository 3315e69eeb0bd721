import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

type Site = { facts: string; updatedAt: string }
type Row = Record<string, string | number | null>

/**
 * The notice of the site settings becomes the first notice. Its history begins here: the saved settings and their
 * revisions stay as they are, and the program ignores the old field.
 */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ site: Site; notices: Row; revisions: Row }>
  await db.schema
    .createTable('notices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('text', 'link'))
    .addColumn('place', 'text', (column) =>
      column.notNull().check(sql`place in ('every', 'home', 'dining', 'calendar', 'circle')`),
    )
    .addColumn('important', 'integer', (column) => column.notNull())
    .$call(addTexts('shownFrom', 'shownUntil', 'createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  const site = await db.selectFrom('site').select(['facts', 'updatedAt']).executeTakeFirst()
  const text = site && JSON.parse(site.facts).notice?.trim()
  if (!text) return
  const id = crypto.randomUUID()
  const at = site.updatedAt
  const notice = {
    ...{ id, version: 1, text, link: '', place: 'home', important: 0, shownFrom: '', shownUntil: '' },
    ...{ createdAt: at, updatedAt: at, deletedAt: null },
  }
  await db.insertInto('notices').values(notice).execute()
  const ids = { id: crypto.randomUUID(), saveId: crypto.randomUUID(), subjectId: id }
  const save = { subject: 'notice', version: 1, action: 'add', accountId: null, at }
  const revision = { ...ids, ...save, before: null, after: JSON.stringify(notice) }
  await db.insertInto('revisions').values(revision).execute()
}
