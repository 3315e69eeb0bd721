import { type Kysely, sql } from 'kysely'

type Revision = { id: string; subject: string; before: string | null; after: string | null }

const AT_ONCE = 500

/**
 * A dish can have several prices, so `price` becomes a text. The revisions change too, or each would differ
 * from the current record.
 */
export async function up(unknown: Kysely<unknown>) {
  const db = unknown as Kysely<{ revisions: Revision }>
  await db.schema
    .alterTable('cards')
    .addColumn('prices', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('cards')
    .addColumn('marks', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`update cards set prices = cast(price as text) where price is not null`.execute(db)
  await db.schema.alterTable('cards').dropColumn('price').execute()
  await db.schema.alterTable('cards').renameColumn('prices', 'price').execute()
  const revisions = db
    .selectFrom('revisions')
    .select(['id', 'before', 'after'])
    .where('subject', '=', 'card')
    .orderBy('id')
    .limit(AT_ONCE)
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows: Omit<Revision, 'subject'>[] = await revisions.where('id', '>', last).execute()
    for (const { id, before, after } of rows)
      await db
        .updateTable('revisions')
        .set({ before: withText(before), after: withText(after) })
        .where('id', '=', id)
        .execute()
    last = rows.at(-1)?.id
  }
}

function withText(state: string | null) {
  if (state === null) return null
  const card: { price?: number | null } = JSON.parse(state)
  return JSON.stringify({ ...card, price: `${card.price ?? ''}`, marks: '' })
}
