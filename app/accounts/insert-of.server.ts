import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/**
 * Inserts a row of an account, or nothing if the account does not exist. The statement is the same, so that the time of an
 * answer does not tell which addresses are used.
 */
export async function insertOf<Table extends 'mailedLinks' | 'signInMethods'>(
  db: Kysely<Tables>,
  accountId: string,
  table: Table,
  row: Tables[Table],
) {
  const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
  const account = sql`select ${sql.join(Object.values(row))} from accounts where id = ${accountId}`
  await sql`insert into ${sql.table(table)} (${columns}) ${account}`.execute(db)
}
