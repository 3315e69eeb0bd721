import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // Better Auth has a field `accountId`, which is our `subject`. It confused that field with our column `accountId`.
  await db.schema.alterTable('signInMethods').renameColumn('accountId', 'owner').execute()

  // SQLite cannot change a check constraint, so the table is recreated.
  await db.schema
    .createTable('mailedLinksNow')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) =>
      column.notNull().check(sql`purpose in ('verify', 'change', 'reset', 'undo')`),
    )
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('expiresAt', 'text', (column) => column.notNull())
    .execute()
  // A link for an e-mail address other than the account's was meant to change that address.
  await sql`insert into ${sql.table('mailedLinksNow')}
    select ${sql.ref('key')},
      case when purpose = 'verify' and links.email <> accounts.email then 'change' else purpose end,
      ${sql.ref('accountId')}, links.email, ${sql.ref('expiresAt')}
    from ${sql.table('mailedLinks')} as links join accounts on accounts.id = links.${sql.ref('accountId')}`.execute(db)
  await db.schema.dropTable('mailedLinks').execute()
  await db.schema.alterTable('mailedLinksNow').renameTo('mailedLinks').execute()
}
