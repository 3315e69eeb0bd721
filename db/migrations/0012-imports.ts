import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('importedDocuments')
    .$call(addTexts('collection', 'id', 'fields', 'importedAt'))
    .addPrimaryKeyConstraint('importedDocumentsKey', ['collection', 'id'])
    .execute()
}
