import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  // Better Auth stores its own field `accountId` in our column `subject`. A column `accountId` conflicts with this
  // field.
  await db.schema.alterTable('signInMethods').renameColumn('accountId', 'owner').execute()

  // SQLite cannot change a check constraint, so the table is recreated.
  await db.schema
    .createTable('mailedLinksNow')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) =>
      column.notNull().check(sql`purpose in ('verify', 'change', 'reset', 'undo')`),
    )
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .$call(addTexts('email', 'expiresAt'))
    .execute()
  // If the e-mail address of a link differs from that of its account, the link was meant to change the address of the
  // account.
  await sql`insert into ${sql.table('mailedLinksNow')}
    select ${sql.ref('key')},
      case when purpose = 'verify' and links.email <> accounts.email then 'change' else purpose end,
      ${sql.ref('accountId')}, links.email, ${sql.ref('expiresAt')}
    from ${sql.table('mailedLinks')} as links join accounts on accounts.id = links.${sql.ref('accountId')}`.execute(db)
  await db.schema.dropTable('mailedLinks').execute()
  await db.schema.alterTable('mailedLinksNow').renameTo('mailedLinks').execute()
}
