import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // Better Auth calls `accountId` what is our `subject`: a column of that name was taken for it.
  await db.schema.alterTable('signInMethods').renameColumn('accountId', 'owner').execute()

  // SQLite cannot change a check: the table is made anew.
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
  // One that proved another address than the account's was to change it.
  await sql`insert into ${sql.table('mailedLinksNow')}
    select ${sql.ref('key')},
      case when purpose = 'verify' and links.email <> accounts.email then 'change' else purpose end,
      ${sql.ref('accountId')}, links.email, ${sql.ref('expiresAt')}
    from ${sql.table('mailedLinks')} as links join accounts on accounts.id = links.${sql.ref('accountId')}`.execute(db)
  await db.schema.dropTable('mailedLinks').execute()
  await db.schema.alterTable('mailedLinksNow').renameTo('mailedLinks').execute()
}
