import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // Messages and pictures are counted where all other tries are.
  await db.schema.dropTable('messageArrivals').execute()
  await db.schema.dropIndex('picturesByAccount').execute()
}
