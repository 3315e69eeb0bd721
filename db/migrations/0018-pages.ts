import { type Kysely, sql } from 'kysely'
import { addTexts, rewriteRevisions } from '../migration-steps.ts'
import sample from './0018-pages.json' with { type: 'json' }

export async function up(anyDb: Kysely<unknown>) {
  await anyDb.schema
    .createTable('pages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('facts', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  await anyDb.schema
    .createIndex('sampleRevisions')
    .on('revisions')
    .columns(['subject', 'subjectId'])
    .where(sql.ref('action'), '=', sql.lit('sample'))
    .execute()

  const db = anyDb as Kysely<Tables>
  const decided = await db.selectFrom('marks').select('at').where('name', '=', 'sample shop decided').executeTakeFirst()
  if (!decided) return
  // Revisions that the site itself made when it inserted the sample content count as sample content.
  await db
    .updateTable('revisions')
    .set({ action: 'sample' })
    .where('accountId', 'is', null)
    .where('at', '=', decided.at)
    .execute()
  for (const [id, facts] of Object.entries(sample.pages)) {
    const row = { id, version: 1, facts: JSON.stringify(facts), updatedAt: decided.at, deletedAt: null }
    await db.insertInto('pages').values(row).execute()
    await db
      .insertInto('revisions')
      .values(revisionOf('page', row, decided.at))
      .execute()
  }
  await giveSite(db, decided.at)
  // Also changes the revisions, so that a revert cannot remove the new settings.
  await rewriteRevisions<Site>(anyDb, 'site', (then) => ({ ...then, facts: given(then.facts) }))
}

type Site = { id: string; version: number; facts: string; updatedAt: string }
type Tables = {
  marks: { name: string; at: string }
  site: Site
  pages: Site & { deletedAt: null }
  revisions: {
    id: string
    subject: string
    subjectId: string
    action: string
    accountId: string | null
    at: string
    version: number
    saveId: string
    before: string | null
    after: string | null
  }
}

function revisionOf(subject: string, row: { id: string; version: number }, at: string): Tables['revisions'] {
  const of = { subject, subjectId: row.id, version: row.version, before: null, after: JSON.stringify(row) }
  return { id: crypto.randomUUID(), saveId: crypto.randomUUID(), action: 'sample', accountId: null, at, ...of }
}

async function giveSite(db: Kysely<Tables>, at: string) {
  const row = await db.selectFrom('site').selectAll().executeTakeFirst()
  if (!row) {
    const first = { id: 'site', version: 1, facts: given('{}'), updatedAt: at }
    await db.insertInto('site').values(first).execute()
    await db
      .insertInto('revisions')
      .values(revisionOf('site', first, at))
      .execute()
    return
  }
  await db
    .updateTable('site')
    .set({ facts: given(row.facts) })
    .execute()
}

function given(facts: string) {
  return JSON.stringify({ ...sample.site, ...JSON.parse(facts) })
}
