import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('emailVerified', 'integer', (column) => column.notNull())
    .addColumn('image', 'text')
    .$call(addTexts('createdAt', 'updatedAt'))
    .execute()

  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('ipAddress', 'text')
    .addColumn('userAgent', 'text')
    .$call(addTexts('expiresAt', 'createdAt', 'updatedAt'))
    .execute()
  await db.schema.createIndex('sessionsOfAccount').on('sessions').column('accountId').execute()

  await db.schema
    .createTable('signInMethods')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .$call(addTexts('provider', 'subject'))
    .addColumn('password', 'text')
    .addColumn('accessToken', 'text')
    .addColumn('refreshToken', 'text')
    .addColumn('idToken', 'text')
    .addColumn('accessTokenExpiresAt', 'text')
    .addColumn('refreshTokenExpiresAt', 'text')
    .addColumn('scope', 'text')
    .$call(addTexts('createdAt', 'updatedAt'))
    .addUniqueConstraint('signInMethodsKey', ['provider', 'subject'])
    .execute()
  await db.schema.createIndex('signInMethodsOfAccount').on('signInMethods').column('accountId').execute()

  await db.schema
    .createTable('verifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .$call(addTexts('identifier', 'value', 'expiresAt', 'createdAt', 'updatedAt'))
    .execute()
  await db.schema.createIndex('verificationsByIdentifier').on('verifications').column('identifier').execute()

  await db.schema
    .createTable('mailedLinks')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull().check(sql`purpose in ('verify', 'reset')`))
    .addColumn('accountId', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .$call(addTexts('email', 'expiresAt'))
    .execute()

  await db.schema
    .createTable('attempts')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute()
}
