import { type Kysely, sql } from 'kysely'

const words = [
  'username',
  'accountname',
  'accountnameKey',
  'email',
  'address',
  'telNum',
  'profile',
  'tennisExperience',
  'racquetUsed',
  'favoriteShot',
  'strengths',
  'strengthsWeaknesses',
  'struggles',
  'playerStyle',
  'tennisPhilosophy',
  'mainAchievements',
  'hobbiesSkills',
]

export async function up(db: Kysely<unknown>) {
  let members = db.schema
    .createTable('members')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('accountId', 'text', (column) => column.unique())
    .addColumn('nonMemberId', 'text', (column) => column.unique())
    .addColumn('administrator', 'integer', (column) => column.notNull())
    .addColumn('admin', 'integer', (column) => column.notNull())
  for (const name of words) members = members.addColumn(name, 'text', (column) => column.notNull())
  await members
    .addColumn('birthday', 'text')
    .addColumn('realname', 'text')
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
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
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('memberDraftsKey', ['owner', 'subject'])
    .execute()

  await db.schema
    .createTable('onceKeys')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('onceKeysKey', ['owner', 'key'])
    .execute()
}
