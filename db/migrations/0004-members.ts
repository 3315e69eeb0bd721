import { type Kysely, sql } from 'kysely'
import { addTexts } from '../migration-steps.ts'

export async function up(db: Kysely<unknown>) {
  await db.schema
    .createTable('members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('accountId', 'text', (column) => column.unique())
    .addColumn('nonMemberId', 'text', (column) => column.unique())
    .addColumn('administrator', 'integer', (column) => column.notNull())
    .addColumn('admin', 'integer', (column) => column.notNull())
    .$call(addTexts('username', 'accountname', 'accountnameKey', 'email', 'address', 'telNum', 'profile'))
    .$call(addTexts('tennisExperience', 'racquetUsed', 'favoriteShot', 'strengths', 'strengthsWeaknesses', 'struggles'))
    .$call(addTexts('playerStyle', 'tennisPhilosophy', 'mainAchievements', 'hobbiesSkills'))
    .addColumn('birthday', 'text')
    .addColumn('realname', 'text')
    .$call(addTexts('createdAt', 'updatedAt'))
    .addColumn('deletedAt', 'text')
    .execute()
  // A member in the bin does not reserve an account name.
  await db.schema
    .createIndex('membersAccountname')
    .unique()
    .on('members')
    .column('accountnameKey')
    .where(sql.ref('deletedAt'), 'is', null)
    .execute()

  await db.schema
    .createTable('memberDrafts')
    .$call(addTexts('owner', 'subject', 'fields', 'updatedAt'))
    .addPrimaryKeyConstraint('memberDraftsKey', ['owner', 'subject'])
    .execute()

  await db.schema
    .createTable('onceKeys')
    .$call(addTexts('owner', 'key', 'result', 'at'))
    .addPrimaryKeyConstraint('onceKeysKey', ['owner', 'key'])
    .execute()
}
