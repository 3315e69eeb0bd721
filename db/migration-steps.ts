import type { CreateTableBuilder, Kysely, SelectQueryBuilder } from 'kysely'

/** Adds text columns that are never null to a new table. */
export function addTexts<Name extends string>(...names: Name[]) {
  return <Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) =>
    names.reduce(
      (builder, name) => builder.addColumn(name, 'text', (column) => column.notNull()),
      table as CreateTableBuilder<Table, Columns | Name>,
    )
}

/** Adds a column that is never null. Existing rows get the value. */
export async function addColumnWithDefault(
  { schema }: Pick<Kysely<unknown>, 'schema'>,
  table: string,
  name: string,
  value: string | number,
) {
  const type = typeof value === 'string' ? 'text' : 'integer'
  await schema
    .alterTable(table)
    .addColumn(name, type, (column) => column.notNull().defaultTo(value))
    .execute()
}

const MAX_ROWS_IN_BATCH = 500

/** Yields all rows in the order of their IDs. Each row may be changed, because no cursor stays open. */
export async function* rowsInBatches<Row extends { id: string }>(
  // biome-ignore lint/suspicious/noExplicitAny: a migration declares the tables as they were before it
  query: SelectQueryBuilder<any, any, Row>,
) {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows: Row[] = await query.where('id', '>', last).orderBy('id').limit(MAX_ROWS_IN_BATCH).execute()
    yield* rows
    last = rows.at(-1)?.id
  }
}

type Revision = { id: string; subject: string; before: string | null; after: string | null }

/** Replaces each state in the history of a record type. `revision` has the states before and after the change. */
export async function rewriteRevisions<State extends object>(
  unknown: Kysely<unknown>,
  subject: string,
  rewrite: (state: State, revision: { before: State | null; after: State | null }) => object,
) {
  const db = unknown as Kysely<{ revisions: Revision }>
  const query = db.selectFrom('revisions').select(['id', 'before', 'after']).where('subject', '=', subject)
  const parse = (json: string | null): State | null => json && JSON.parse(json)
  for await (const { id, ...states } of rowsInBatches(query)) {
    const revision = { before: parse(states.before), after: parse(states.after) }
    const rewritten = (state: State | null) => state && JSON.stringify(rewrite(state, revision))
    const columns = { before: rewritten(revision.before), after: rewritten(revision.after) }
    await db.updateTable('revisions').set(columns).where('id', '=', id).execute()
  }
}
