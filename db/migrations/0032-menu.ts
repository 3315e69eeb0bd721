import { type Kysely, sql } from 'kysely'
import { addColumnWithDefault, rewriteRevisions } from '../migration-steps.ts'

type Card = { price?: number | null }

/**
 * A dish can have several prices, so `price` becomes a text. The revisions change too, or each would differ
 * from the current record.
 */
export async function up(db: Kysely<unknown>) {
  await addColumnWithDefault(db, 'cards', 'prices', '')
  await addColumnWithDefault(db, 'cards', 'marks', '')
  await sql`update cards set prices = cast(price as text) where price is not null`.execute(db)
  await db.schema.alterTable('cards').dropColumn('price').execute()
  await db.schema.alterTable('cards').renameColumn('prices', 'price').execute()
  await rewriteRevisions<Card>(db, 'card', (card) => ({ ...card, price: `${card.price ?? ''}`, marks: '' }))
}
