import type { Kysely } from 'kysely'
import { addColumnWithDefault, rewriteRevisions } from '../migration-steps.ts'

/**
 * Adds the texts to the table and to all revisions. Otherwise, a revert to an old revision would leave later texts in
 * place.
 */
export async function up(db: Kysely<unknown>) {
  for (const column of ['cause', 'note']) await addColumnWithDefault(db, 'specialDays', column, '')
  await rewriteRevisions(db, 'specialDay', (state) => ({ ...state, cause: '', note: '' }))
}
