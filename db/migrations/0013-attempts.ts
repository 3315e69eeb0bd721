import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // The attempts table now also counts contact messages and image uploads.
  await db.schema.dropTable('messageArrivals').execute()
  await db.schema.dropIndex('picturesByAccount').execute()
}
