import type { Kysely } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('answers')
    .$call(addTexts('eventId', 'memberId'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .$call(addTexts('answer', 'note'))
    .addColumn('turn', 'integer', (column) => column.notNull())
    .$call(addTexts('answeredAt', 'createdAt', 'updatedAt'))
    .addPrimaryKeyConstraint('answersKey', ['eventId', 'memberId'])
    .execute()
}
