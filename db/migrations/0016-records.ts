import { type Kysely, sql } from 'kysely'

type Revision = {
  id: string
  subject: string
  accountId: string | null
  at: string
  before: string | null
  after: string | null
  version: number
  saveId: string
}
type State = { version?: number; deletedAt?: string | null } | null

const AT_ONCE = 500

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: Revision }>
  await db.schema
    .alterTable('revisions')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('revisions')
    .addColumn('saveId', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('contentItems').renameTo('cards').execute()
  await db.updateTable('revisions').set({ subject: 'card' }).where('subject', '=', 'contentItem').execute()

  // Earlier versions stored no save ID. There, a save was all changes by one author to one record type at one instant.
  const saves = new Map<string, string>()
  for (let last = ''; ; ) {
    const rows = await db
      .selectFrom('revisions')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute()
    for (const { id, subject, accountId, at, before, after } of rows) {
      const [was, is] = [before, after].map((state): State => state && JSON.parse(state))
      const save = `${subject} ${accountId} ${at}`
      if (!saves.has(save)) saves.set(save, id)
      await db
        .updateTable('revisions')
        .set({
          version: is?.version ?? (was?.version ?? 0) + 1,
          saveId: saves.get(save) ?? id,
          // From this version on, a record in the bin counts as missing.
          ...(was?.deletedAt && { before: null }),
          ...(is?.deletedAt && { after: null }),
        })
        .where('id', '=', id)
        .execute()
    }
    if (rows.length < AT_ONCE) break
    last = rows.at(-1)?.id ?? ''
  }
  await db.schema.createIndex('revisionsOfSave').on('revisions').column('saveId').execute()
  await db.schema.createIndex('deletions').on('revisions').column('at').where(sql.ref('after'), 'is', null).execute()
}
