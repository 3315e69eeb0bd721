import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // The attempts table now counts messages and pictures as well.
  await db.schema.dropTable('messageArrivals').execute()
  await db.schema.dropIndex('picturesByAccount').execute()
}
