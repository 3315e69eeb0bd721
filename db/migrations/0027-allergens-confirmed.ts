import type { Kysely } from 'kysely'
import { addColumnWithDefault, rewriteRevisions } from '../migration-steps.ts'

type Card = { allergens: string; allergensConfirmed: number }

/** Marks dishes with allergens as confirmed, because their form required the full list of allergens. */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ cards: Card }>
  await addColumnWithDefault(db, 'cards', 'allergensConfirmed', 0)
  await db.updateTable('cards').set({ allergensConfirmed: 1 }).where('allergens', '<>', '').execute()
  await rewriteRevisions<Card>(unknown, 'card', (state) => ({ ...state, allergensConfirmed: state.allergens ? 1 : 0 }))
}
