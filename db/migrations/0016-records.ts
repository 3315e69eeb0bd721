import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault, rowsInBatches } from '../migration-steps.ts'

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

export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: Revision }>
  await addColumnWithDefault(db, 'revisions', 'version', 0)
  await addColumnWithDefault(db, 'revisions', 'saveId', '')
  await db.schema.alterTable('contentItems').renameTo('cards').execute()
  await db.updateTable('revisions').set({ subject: 'card' }).where('subject', '=', 'contentItem').execute()

  // Earlier versions stored no save ID. There, a save was all changes by one author to one record type at one instant.
  const saves = new Map<string, string>()
  for await (const { id, subject, accountId, at, before, after } of rowsInBatches(
    db.selectFrom('revisions').selectAll(),
  )) {
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
  await db.schema.createIndex('revisionsOfSave').on('revisions').column('saveId').execute()
  await db.schema.createIndex('deletions').on('revisions').column('at').where(sql.ref('after'), 'is', null).execute()
}
