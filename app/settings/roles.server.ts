import { lock } from '../../db/engine.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { Rejection } from '../forms/outcome.ts'
import type { Visitor } from '../permissions.ts'

type Roles = Pick<NonNullable<Visitor>, 'member' | 'staff'>

export async function readRoles(db: Db, accountId: string): Promise<Roles> {
  const member = await db
    .selectFrom('members')
    .select(['id', 'administrator', 'admin', 'resting'])
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  const staff = await db
    .selectFrom('staff')
    .select(['id', 'role'])
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return { member: member ?? null, staff: staff ?? null }
}

// A member without an account cannot sign in, so such a member does not count as an administrator.
function selectAdministratorMembers(db: Db) {
  const administrators = db.selectFrom('members').where('administrator', '=', true)
  return administrators.where('accountId', 'is not', null).where('deletedAt', 'is', null)
}

function selectAdministratorStaff(db: Db) {
  return db.selectFrom('staff').where('role', '=', 'administration').where('deletedAt', 'is', null)
}

/**
 * Returns the account IDs of all administrators. Members come before staff. Both groups are sorted by creation time.
 */
export async function listAdministrators(db: Db) {
  const members = selectAdministratorMembers(db).select('accountId').$narrowType<{ accountId: string }>()
  const staff = selectAdministratorStaff(db).select('accountId')
  const accounts = [
    ...(await members.orderBy('createdAt').orderBy('id').execute()),
    ...(await staff.orderBy('createdAt').orderBy('id').execute()),
  ]
  return [...new Set(accounts.map(({ accountId }) => accountId))]
}

export const LAST_ADMINISTRATOR_SENTENCE =
  '管理者がひとりもいなくなるため、変更できません。先に、ほかの方を管理者にしてください。'

export class LastAdministrator extends Rejection {
  constructor() {
    super(LAST_ADMINISTRATOR_SENTENCE)
  }
}

/** Throws `LastAdministrator` if this member or staff record belongs to the only remaining administrator. */
export async function assertOtherAdministrator(trx: Trx, { id }: { id: string }) {
  // The lock is necessary, because two administrators may remove each other's role at the same time.
  await lock(trx, 'administrators')
  const member = await selectAdministratorMembers(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (member) return
  const staff = await selectAdministratorStaff(trx).select('id').where('id', '!=', id).executeTakeFirst()
  if (!staff) throw new LastAdministrator()
}

const FIRST_ADMINISTRATOR = 'first administrator'

/** Stores permanently that the site has had an administrator. Returns false if this was stored before. */
export async function markFirstAdministrator(trx: Trx, at: string) {
  const inserted = await trx
    .insertInto('marks')
    .values({ name: FIRST_ADMINISTRATOR, at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Whether the site has ever had an administrator. If not, the first user who registers becomes administrator. */
export async function hasHadAdministrator(db: Db) {
  const stored = await db.selectFrom('marks').select('name').where('name', '=', FIRST_ADMINISTRATOR).executeTakeFirst()
  return stored !== undefined
}
