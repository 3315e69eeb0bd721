import type { Kysely } from 'kysely'
import { addColumnWithDefault } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await addColumnWithDefault(db, 'messages', 'language', '')
}
